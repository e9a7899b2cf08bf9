"""Random landings over all contact laws, grounds, frames, fields of gravity and methods.

None stalls, none has a number that is none, energy never rises and its account closes, to the bounds that Planetfall
states (`support.landing_checks`).
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from planetfall.engine.checks.contact_step import REAL_LIMIT
from planetfall.engine.run import run_recorded
from planetfall.scenario.tables.contact.contact import Contact
from support.landing_checks import account_opening, check_landings, friction_number, judged, work_error
from support.random_landings import EVERY, Setting, landing, refusal

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


def test_a_later_impact_may_load_friction_beyond_the_step(tmp_path: Path) -> None:
    """Its account is then open without end in sight, and closes with a step that is stable under those loads."""
    setting = Setting("hertz", "made", "turning", "uniform", "rk4", 5, is_diagonal=False)
    model = landing(setting, 1, 41, tmp_path)
    run = run_recorded(model)
    assert friction_number(model, run) > 1.5 * REAL_LIMIT
    assert account_opening(model, run) > float(run.end.energy_rise_bound[0]) + work_error(model, run)
    shortened = judged(model)
    assert shortened.n_shortened == 1 and not shortened.problems and shortened.opening < 0.1


def test_a_start_deep_in_the_ground_is_stable(tmp_path: Path) -> None:
    """In a rock, by seventeen times its sink; the load of its points at the start decides about the step."""
    model = landing(Setting("hertz", "combined", "turning", "none", "rk4"), 1, 21, tmp_path)
    run = run_recorded(model)
    assert -float(run.observed.gap[0].min()) > 17.0 * model.scenario.contact.sink
    assert friction_number(model, run) < REAL_LIMIT
    found = judged(model)
    assert found.n_shortened == 0 and not found.problems


@pytest.mark.long
@pytest.mark.parametrize("setting", EVERY, ids=str)
def test_many_random_landings(setting: Setting, tmp_path: Path) -> None:
    check_landings(setting, 1, range(N_LONG), tmp_path)
