"""Every tutorial runs as the notebook made from it, and prints what its page shows, messages included."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

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


@pytest.mark.parametrize(("slide", "told"), [(None, "no stop"), (1.234, "1.23 m")])
def test_landings_elsewhere_are_told_of_even_where_one_never_stops(
    slide: float | None, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "tutorials" / "lander-on-a-map.md").read_text(encoding="utf-8")
    (code,) = (text for kind, text in tool().cells(page) if kind == "code" and "slide_distance_m" in text)
    run = SimpleNamespace(summary={"outcome": "sliding", "slide_distance_m": slide})
    scenario = SimpleNamespace(with_values=lambda values: values)
    exec(code, {"planetfall": SimpleNamespace(load=lambda name: scenario, run=lambda given: run)})
    assert capsys.readouterr().out.splitlines() == [f"{x} sliding {told}" for x in (-40.0, -20.0, 0.0)]


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
