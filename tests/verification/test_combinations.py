"""Everything with everything: every method, ground, law, frame and feature runs for a second of contact.

A cell of the table is refused for one of the reasons of `scenario/combinations.py`, or it runs to its end: it touches,
every number is one, energy does not rise and its account closes to the bound that Planetfall states for the run, and
the run has the same bits alone and in a batch beside others. In the suite every two choices meet; the whole table is in
the long tier.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.engine.build import Model, build
from planetfall.engine.run import run_batch, run_recorded
from planetfall.engine.state.result import BatchResult
from planetfall.outcome import Outcome
from planetfall.scenario.combinations import REFUSALS
from support.every_combination import EVERY, METHODS, TOGETHER, Combination, in_pairs
from support.landing_checks import ENDS, account_opening, finite, work_error

start_warp()
PAIRS = in_pairs()
CHOICES = ("method", "ground", "law", "frame")
ACCEPTED = [cell for cell in EVERY if cell.refusal is None]
NEAR = 1e-9
"""Largest difference of any number of the state, in SI units, on a card and on a processor, from rounding alone."""


def test_what_is_refused_has_its_reason_and_nothing_else_is() -> None:
    """A refusal does not depend on frame or features; each but that of a ground by columns is met in the table."""
    refused = {cell: cell.refusal for cell in EVERY if cell.refusal is not None}
    assert {refusal.features for refusal in refused.values()} <= {refusal.features for refusal in REFUSALS}
    for cell, refusal in refused.items():
        alike = (
            other for other in EVERY if (other.method, other.ground, other.law) == (cell.method, cell.ground, cell.law)
        )
        assert all(refused.get(other) == refusal for other in alike)


@pytest.mark.parametrize("pair", list(combinations(CHOICES, 2)), ids="-".join)
def test_every_two_choices_meet_in_the_suite(pair: tuple[str, str]) -> None:
    def met(cells: list[Combination]) -> set[tuple[str, str]]:
        return {(getattr(cell, pair[0]), getattr(cell, pair[1])) for cell in cells}

    assert met(list(PAIRS)) == met(ACCEPTED)


def test_all_features_meet_every_choice_in_the_suite() -> None:
    full = [cell for cell in PAIRS if cell.features == TOGETHER]
    for name in CHOICES:
        assert {getattr(cell, name) for cell in full} == {getattr(cell, name) for cell in EVERY}


def check(cell: Combination, folder: Path) -> None:
    """Runs a cell of the table."""
    model = build(cell.scenario(folder))
    run = run_recorded(model)
    end, opening = run.end, account_opening(model, run)
    assert Outcome(int(end.status[0])) in ENDS and end.time[0] == 1.0
    assert end.touches.sum() >= 2 and finite(run) == []
    bound = float(end.energy_rise_bound[0])
    assert end.energy_rise[0] <= bound
    assert opening <= bound or opening <= bound + work_error(model, run)
    check_company(model, end)


def check_company(model: Model, alone: BatchResult) -> None:
    """The same bits beside another run, which is 1 cm/s faster to the east, as alone."""
    starts = np.repeat(model.initial_state[None], 3, axis=0)
    starts[1, 3] += 0.01
    batch = run_batch(model, starts, run_indices=np.array([0, 1, 0]), hand_over_at=0)
    for name, own in vars(alone).items():
        found, expected = getattr(batch, name)[[0, 2]], np.repeat(own, 2, axis=0)
        if own.dtype == object:  # written out, with all digits: a NaN in an object equals no other
            found, expected = ([repr(value) for value in values] for values in (found, expected))
        np.testing.assert_array_equal(found, expected, err_msg=name)
    assert not np.array_equal(batch.state[1], batch.state[0])


def check_on_card(cell: Combination, folder: Path) -> None:
    """Runs a cell of the table on a CUDA device, and compares it with a processor's.

    An adaptive run whose last bits differ takes other steps, and then differs by as much as its tolerance lets it. One
    with a tenth of that tells how far a run is off; two may be so to either side.
    """
    scenario = cell.scenario(folder)
    here, there = (build(scenario, device, is_recorded=False) for device in ("cpu", "cuda:0"))
    expected, end = (run_batch(model, model.initial_state[None], hand_over_at=0) for model in (here, there))
    check_company(there, end)
    assert Outcome(int(end.status[0])) in ENDS and end.time[0] == 1.0
    assert end.touches.sum() >= 2 and np.all(np.isfinite(end.state))
    assert end.energy_rise[0] <= end.energy_rise_bound[0]
    allowed, off = NEAR, float(np.abs(end.state - expected.state).max())
    if off > NEAR and cell.method == "adaptive":
        finer = build(scenario.with_values({"integrator.tolerance": 0.1 * METHODS["adaptive"]["tolerance"]}))
        allowed = 2.0 * float(np.abs(run_batch(finer, finer.initial_state[None]).state - expected.state).max())
    assert off <= allowed, f"{off:.3g} apart; rounding and the tolerance explain {allowed:.3g}"


@pytest.mark.slow
@pytest.mark.parametrize("cell", PAIRS, ids=str)
def test_pairs_run(cell: Combination, tmp_path: Path) -> None:
    check(cell, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("cell", ACCEPTED, ids=str)
def test_the_whole_table_runs(cell: Combination, tmp_path: Path) -> None:
    check(cell, tmp_path)


@pytest.mark.long
@pytest.mark.skipif(not wp.is_cuda_available(), reason="there is no CUDA device on this machine")
@pytest.mark.parametrize("cell", ACCEPTED, ids=str)
def test_the_whole_table_runs_on_a_card(cell: Combination, tmp_path: Path) -> None:
    check_on_card(cell, tmp_path)
