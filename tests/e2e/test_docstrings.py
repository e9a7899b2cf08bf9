"""Everything public has a docstring that says what it takes and gives, and the examples in it work."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from matplotlib import pyplot

import planetfall

ORDER = ("run", "drive", "montecarlo", "resume", "open")
"""Functions whose examples make what later ones read."""
OWN = ("save", "plot", "plot_kinds", "view", "report", "with_values", "from_dict", "to_dict")
"""Methods that are part of what is public."""


def public() -> Iterator[tuple[str, Any]]:
    """Functions first, those that make folders in their order; then classes and their methods."""
    names = [*ORDER, *(name for name in planetfall.__all__ if name not in ORDER)]
    for name in names:
        item = getattr(planetfall, name)
        if inspect.ismodule(item):
            continue
        yield name, item
        if inspect.isclass(item):
            methods = {method: inspect.getattr_static(item, method, None) for method in OWN}
            yield from ((f"{name}.{method}", getattr(item, method)) for method, found in methods.items() if found)


def test_everything_public_is_described() -> None:
    for name, item in public():
        said = inspect.getdoc(item) or ""
        assert said.partition("\n")[0].rstrip().endswith((".", ":", "`")), f"{name}: {said[:60]!r}"
        if not inspect.isfunction(item):
            continue
        taken = [parameter for parameter in inspect.signature(item).parameters if parameter not in ("self", "cls")]
        if taken:
            assert "Args:" in said, f"{name} does not say what it takes"
            lacking = [parameter for parameter in taken if f"    {parameter}: " not in said]
            assert not lacking, f"{name} says nothing of {', '.join(lacking)}"


def test_the_reference_has_all_that_is_public() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    lacking = [name for name in planetfall.__all__ if f"::: planetfall.{name}\n" not in page]
    assert not lacking


@pytest.mark.slow
def test_examples_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other in an empty folder: what one writes, the next opens."""
    monkeypatch.chdir(tmp_path)
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    n_tried = 0
    for name, item in public():
        if name.startswith("Trajectory."):
            continue  # the same methods as those of Ensemble
        for test in finder.find(item, name, globs={"planetfall": planetfall}):
            said: list[str] = []
            found = runner.run(test, out=said.append)
            n_tried += found.attempted
            assert not found.failed, "".join(said)
        for page in tmp_path.glob("*.html"):
            page.unlink()
    pyplot.close("all")
    assert n_tried > 20
