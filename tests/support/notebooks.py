"""Notebooks as a reader runs them, cell by cell, in this process: kernels of other tests are found again."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import re
import shlex
from pathlib import Path
from types import ModuleType
from typing import Any

from support.command import inside

ROOT = Path(__file__).parents[2]


def tool() -> ModuleType:
    """`tools/notebooks.py` as a module."""
    spec = importlib.util.spec_from_file_location("tool_notebooks", ROOT / "tools" / "notebooks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def execute(notebook: Path, place: Path) -> str:
    """Runs the code cells in their order, in a folder; gives all that they print."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = ""
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            printed += _cell("".join(cell["source"]), f"{notebook.name}:{cell['id']}", names, place)
    return printed


def _cell(source: str, where: str, names: dict[str, Any], place: Path) -> str:
    first, _, rest = source.partition("\n")
    if first.startswith("%%writefile "):
        (place / first.split()[1]).write_text(rest + "\n", encoding="utf-8")
        return ""
    if first == "%%bash":
        return "".join(_command(line, where, place) for line in rest.replace("\\\n", " ").splitlines())
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(source, where, "exec"), names)
    return out.getvalue()


def _command(line: str, where: str, place: Path) -> str:
    words = shlex.split(line, comments=True)
    if not words:
        return ""
    assert words[0] == "planetfall", f"{where}: {line}: only planetfall is run in tutorials"
    done = inside(*words[1:], cwd=place)
    assert done.returncode == 0, f"{where}: {line}\n{done.stderr}"
    return done.stdout + done.stderr


def flat(text: str) -> str:
    """Without line breaks and repeated spaces."""
    return re.sub(r"\s+", " ", text).strip()


def shown(page: Path) -> list[str]:
    """What a page shows as printed: its blocks of plain text."""
    return re.findall(r"^```text\n(.*?)^```\n", page.read_text("utf-8"), re.M | re.S)


def missing(block: str, printed: str, place: Path) -> list[str]:
    """Lines of a shown block that were not printed; one that begins with `$ planetfall` is run for that."""
    lines = block.splitlines()
    if lines[0].startswith("$ planetfall "):
        done = inside(*shlex.split(lines[0])[2:], cwd=place)
        said = flat(done.stdout + done.stderr).replace(f"{place}/", "")
        wanted = flat(" ".join(lines[1:]))
        return [] if wanted in said else [f"{lines[0]}\n  shown: {wanted}\n  said: {said}"]
    said = flat(printed)
    return [line for line in lines if line.strip() != "..." and flat(line) not in said]
