"""Make a notebook of every tutorial, or with `--check` fail where one is not what its page gives.

A page's text becomes markdown cells and its blocks become code cells:

    ```python                   a cell
    ```bash                     a cell that begins with %%bash
    ```toml title="my.toml"     a cell that begins with %%writefile my.toml (any language with a title)

Blocks of any other kind stay where they are in the text. Notebooks hold no output, so that they change only when
their page does.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "tutorials"
FENCE = re.compile(r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<body>.*?)^```\n", re.M | re.S)
MATH = re.compile(r"\$`(.+?)`\$")
"""A formula as the pages write it; notebooks write it without the backticks."""
DOWNLOAD = re.compile(r"^\[Notebook\]\(.*\n\n?", re.M)
"""The line by which a page offers its notebook."""


def pages() -> list[Path]:
    """The tutorials; the index of them is no tutorial."""
    return sorted(path for path in FOLDER.glob("*.md") if path.name != "index.md")


def cells(text: str) -> list[tuple[str, str]]:
    """Kind (`markdown` or `code`) and text of the cells that a page gives."""
    found: list[tuple[str, str]] = []
    prose, end = "", 0

    def close() -> None:
        nonlocal prose
        if prose.strip():
            found.append(("markdown", MATH.sub(r"$\1$", prose.strip())))
        prose = ""

    text = DOWNLOAD.sub("", text)
    for match in FENCE.finditer(text):
        prose += text[end : match.start()]
        end = match.end()
        code = _code(match["language"], match["title"], match["body"])
        if code is None:
            prose += match[0]
        else:
            close()
            found.append(("code", code))
    prose += text[end:]
    close()
    return found


def _code(language: str, title: str | None, body: str) -> str | None:
    if title is not None:
        return f"%%writefile {title}\n{body.rstrip()}"
    if language == "python":
        return body.rstrip()
    return f"%%bash\n{body.rstrip()}" if language == "bash" else None


def notebook(text: str) -> str:
    """The text of the notebook that a page gives."""
    made: list[dict[str, Any]] = []
    for number, (kind, source) in enumerate(cells(text)):
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        made.append(cell | {"source": source.splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {
        "cells": made,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def stale() -> list[Path]:
    """Notebooks that differ from what their page gives, are missing, or have no page."""
    wanted = {page.with_suffix(".ipynb"): notebook(page.read_text("utf-8")) for page in pages()}
    there = {path: path.read_text("utf-8") for path in FOLDER.glob("*.ipynb")}
    return sorted(path for path in wanted.keys() | there.keys() if wanted.get(path) != there.get(path))


def main() -> int:
    """Writes the notebooks, or checks them."""
    old = stale()
    if "--check" in sys.argv[1:]:
        for path in old:
            print(f"{path.relative_to(ROOT)}: not what its page gives; run tools/notebooks.py", file=sys.stderr)
        return int(bool(old))
    for path in old:
        page = path.with_suffix(".md")
        if page.is_file() and page in pages():
            path.write_text(notebook(page.read_text("utf-8")), encoding="utf-8")
            print(path.relative_to(ROOT))
        else:
            path.unlink()
            print(f"{path.relative_to(ROOT)}: removed, it has no page")
    return 0


if __name__ == "__main__":
    sys.exit(main())
