"""Every tutorial runs as the notebook made from it, and prints what its page shows, messages included."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.notebooks import ROOT, execute, missing, shown, tool

NOTEBOOKS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_prints_what_its_page_shows(
    notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    printed = execute(notebook, tmp_path)
    wrong = [line for block in shown(notebook.with_suffix(".md")) for line in missing(block, printed, tmp_path)]
    assert wrong == [], "\n".join(wrong)


def test_notebooks_are_what_their_pages_give() -> None:
    assert NOTEBOOKS
    assert tool().stale() == []


def test_cells_of_a_page() -> None:
    page = (
        "# Title\n\n[Notebook](a.ipynb) of it.\n\nText $`x^2`$.\n\n```python\na = 1\n```\n\n"
        "More.\n\n```text\nout\n```\n\n"
        '```toml title="a.toml"\nb = 2\n```\n\n```bash\nplanetfall list\n```\n'
    )
    assert tool().cells(page) == [
        ("markdown", "# Title\n\nText $x^2$."),
        ("code", "a = 1"),
        ("markdown", "More.\n\n```text\nout\n```"),
        ("code", "%%writefile a.toml\nb = 2"),
        ("code", "%%bash\nplanetfall list"),
    ]
    whole = json.loads(tool().notebook(page))
    assert whole["nbformat"] == 4
    assert [cell["cell_type"] for cell in whole["cells"]] == ["markdown", "code", "markdown", "code", "code"]
