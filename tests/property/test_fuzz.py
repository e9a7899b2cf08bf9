"""Spoiled inputs of all kinds: maps, meshes, shapes, gravity fields, rovers, scenarios, runs and campaigns."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("resource", reason="memory cannot be limited on this system")
if not Path("/proc/self/statm").exists():
    pytest.skip("memory cannot be looked at on this system", allow_module_level=True)

from support.fuzz_seeds import write_seeds
from support.fuzzing import fuzz

SEED = int(os.environ.get("PLANETFALL_FUZZ_SEED", "1"))


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_seeds(tmp_path_factory.mktemp("seeds"))


def said(failed: list[dict[str, Any]], out: Path) -> str:
    """The first failures, and where their files are."""
    lines = [f"{item['number']}: {item.get('kind')} {item.get('spoiled')}: {item['problem']}" for item in failed[:5]]
    return "\n".join([f"seed {SEED}: {len(failed)} failed; files in {out}", *lines])


def test_hundreds_of_spoiled_inputs(seeds: Path, tmp_path: Path) -> None:
    failed = fuzz(seeds, tmp_path / "failed", SEED, 400)
    assert not failed, said(failed, tmp_path / "failed")


@pytest.mark.long
def test_a_hundred_thousand_spoiled_inputs(seeds: Path, tmp_path: Path) -> None:
    """PLANETFALL_FUZZ_SEED chooses other ones."""
    failed = fuzz(seeds, tmp_path / "failed", SEED, 100_000)
    assert not failed, said(failed, tmp_path / "failed")
