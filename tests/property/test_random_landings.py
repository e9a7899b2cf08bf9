"""Random landings over all contact laws, grounds, frames, fields of gravity and methods.

None stalls, none has a number that is none, energy never rises and its account closes, to the bounds that Planetfall
states (`support.landing_checks`).
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from planetfall.scenario.tables.contact.contact import Contact
from support.landing_checks import check_landings
from support.random_landings import EVERY, Setting, refusal

FEW = (
    Setting("marker", "map", "fixed", "uniform", "adaptive"),
    Setting("marker", "mesh", "turning", "none", "rk4", 5, is_diagonal=False),
    Setting("anchor", "combined", "fixed", "uniform", "adaptive", 5, is_diagonal=False),
    Setting("anchor", "map", "turning", "point", "rk4"),
    Setting("distributed", "field", "turning", "j2", "adaptive"),
    Setting("distributed", "whole mesh", "turning", "polyhedron", "rk4"),
    Setting("hertz", "mesh", "turning", "point", "adaptive"),
    Setting("hertz", "made", "fixed", "uniform", "rk4"),
    Setting("hunt-crossley", "made", "turning", "uniform", "adaptive", 5, is_diagonal=False),
    Setting("hunt-crossley", "field", "fixed", "point", "rk4"),
    Setting("plastic", "plane", "turning", "none", "adaptive"),
    Setting("plastic", "combined", "fixed", "point", "rk4"),
)
"""A dozen kernels: every law by both methods, and every ground, frame, field and shape among them."""
BUILT_IN = get_args(get_args(Contact)[0])
"""Tables of the contact laws that come with Planetfall."""
N_FEW, N_LONG = 42, 45
"""Landings of each setting: 504 in the suite, 21,600 in the long tier."""


def test_the_few_settings_have_everything_among_them() -> None:
    assert len(set(FEW)) == 12 and len(FEW) * N_FEW >= 500 and len(EVERY) * N_LONG >= 20_000
    for setting in FEW:
        assert refusal(setting.law, setting.ground, setting.method) is None
    for name in Setting.__dataclass_fields__:
        assert {getattr(setting, name) for setting in FEW} == {getattr(setting, name) for setting in EVERY}
    assert {(few.law, few.method) for few in FEW} == {(setting.law, setting.method) for setting in EVERY}
    assert {setting.law for setting in EVERY} == {get_args(law.model_fields["law"].annotation)[0] for law in BUILT_IN}


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
