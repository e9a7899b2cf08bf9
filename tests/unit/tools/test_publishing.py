"""What a release needs: one version, entries for the changelog, a source distribution with all that its tests read."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import planetfall

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def changelog() -> ModuleType:
    spec = importlib.util.spec_from_file_location("changelog", ROOT / "tools" / "changelog.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_citation_has_the_packages_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", text, re.MULTILINE)[1] == planetfall.__version__


def test_source_distribution_has_what_is_in_the_tree() -> None:
    """Every folder of the checkout that holds files of ours; those of the public host stay with the host."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    taken = {name.strip("/") for name in project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]}
    made = {"build", "dist", "site", "runs", "shared"}
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")} - made
    assert folders <= taken


def test_entries_go_under_their_titles(changelog: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("how")
    (tmp_path / "legs.added.md").write_text("- Legs.\n")
    (tmp_path / "gravity.numbers.md").write_text("- `x` moved by 1e-9 m.\n")
    head, tail = "# Changelog\n\n## Unreleased\n\n### New\n\n", "\n### Old\n\nAdded\n\n- Four.\n"
    old = f"{head}Added\n\n- One.\n  Two.\n\nFixed\n\n- Three.\n{tail}"
    moved = "Numbers\n\n- `x` moved by 1e-9 m.\n"
    assert changelog.gathered(old, tmp_path) == (
        f"{head}Added\n\n- One.\n  Two.\n- Legs.\n\nFixed\n\n- Three.\n\n{moved}{tail}"
    )


def test_bad_entries_are_told(changelog: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "Legs.md").write_text("- Legs.\n")
    (tmp_path / "a.fixed.md").write_text("Legs.\n")
    assert changelog.faults(tmp_path) == [
        "Legs.md: a name is NAME.KIND.md with KIND one of added, changed, fixed, numbers",
        "a.fixed.md: an entry begins with '- '",
    ]
    assert changelog.faults(ROOT / "changelog.d") == []
