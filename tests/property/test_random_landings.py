"""Random landings over all contact laws, grounds, frames, fields of gravity and methods.

None stalls, none has a number that is none, energy never rises and its account closes, to the bounds that Planetfall
states (`support.landing_checks`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.landing_checks import check_landings
from support.random_landings import EVERY, Setting

FEW = (
    Setting("marker", "plane", "fixed", "uniform", "adaptive"),
    Setting("distributed", "plane", "turning", "point", "adaptive", 5, is_diagonal=False),
    Setting("marker", "field", "fixed", "point", "adaptive"),
    Setting("distributed", "field", "turning", "j2", "adaptive"),
    Setting("marker", "map", "fixed", "uniform", "adaptive"),
    Setting("marker", "mesh", "turning", "none", "rk4", 5, is_diagonal=False),
    Setting("anchor", "map", "turning", "point", "rk4"),
    Setting("anchor", "field", "turning", "point", "rk4"),
    Setting("distributed", "made", "fixed", "uniform", "rk4"),
    Setting("anchor", "combined", "fixed", "uniform", "rk4"),
    Setting("distributed", "mesh", "fixed", "uniform", "rk4"),
    Setting("distributed", "whole mesh", "turning", "polyhedron", "rk4"),
)
"""A dozen kernels that have every law, ground, frame, field, method and shape among them."""
N_FEW, N_LONG = 42, 72
"""Landings of each setting: 504 in the suite, 20,160 in the long tier."""


def test_the_few_settings_have_everything_among_them() -> None:
    assert len(set(FEW)) == 12 and set(FEW) <= set(EVERY)
    assert len(FEW) * N_FEW >= 500 and len(EVERY) * N_LONG >= 20_000
    for name in Setting.__dataclass_fields__:
        assert {getattr(setting, name) for setting in FEW} == {getattr(setting, name) for setting in EVERY}


@pytest.mark.slow
@pytest.mark.parametrize("setting", FEW, ids=str)
def test_random_landings(setting: Setting, tmp_path: Path) -> None:
    landed = check_landings(setting, 0, range(N_FEW), tmp_path)
    # they are landings; of those that need the shortest steps some end before they touch
    assert sum(found.touches > 0 for found in landed) > 2 / 3 * N_FEW


@pytest.mark.long
@pytest.mark.parametrize("setting", EVERY, ids=str)
def test_many_random_landings(setting: Setting, tmp_path: Path) -> None:
    check_landings(setting, 1, range(N_LONG), tmp_path)
