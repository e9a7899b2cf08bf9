"""Workflows, templates and citation are files that their readers can parse."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import planetfall

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github").rglob("*.yml"))


@pytest.mark.skipif(not WORKFLOWS, reason="the source distribution has no .github")
def test_workflows_and_templates_are_yaml() -> None:
    """A plain scalar that has a colon and a space, as of pip's `:all: `, ends the whole workflow."""
    for path in WORKFLOWS:
        read = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert isinstance(read, dict), path
        for name, job in read.get("jobs", {}).items():
            assert {"runs-on", "timeout-minutes"} <= set(job), f"{path}: {name}"
            assert all(len({"run", "uses"} & set(step)) == 1 for step in job["steps"]), f"{path}: {name}"


def test_the_citation_has_the_version_of_the_package() -> None:
    read = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert read["version"] == planetfall.__version__
    assert {"cff-version", "message", "title", "authors"} <= set(read)
