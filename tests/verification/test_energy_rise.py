"""Whether energy rose, judged in the kernel at every step, against the same from a record of every step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.contact.distributed import BLEND_RETURNS, STICK_RETURNS
from planetfall.engine.build import build
from planetfall.engine.launch.run_in_progress import RunInProgress
from planetfall.engine.run import run_batch, run_recorded
from planetfall.simulate import trajectory_of
from support.block_scene import block, block_model, spread
from support.view_runs import ball, bridles, crater
from support.watchers import ChangesAt

STEP = 2e-3


def held(data: Any) -> np.ndarray:
    """What a run holds less what was put in [J], from its record."""
    out = data.energy_total.values - data.work_external.values
    if "work_anchor" in data:
        out = out - data.work_anchor.values
    return out - data.tether_reel_work.values.sum(axis=1) if "tether_reel_work" in data else out


def rise_of(data: Any) -> float:
    values = held(data)
    return float((values - np.minimum.accumulate(values)).max())


def test_rise_and_bound_are_those_of_a_record_of_every_step() -> None:
    """Sums in another order: some roundings of the energies, of which the largest counts, a step."""
    run = planetfall.run(block("rk4", record__interval=STEP))
    data = run.data
    np.testing.assert_allclose(np.diff(data.time.values), STEP, rtol=1e-9)  # every step is in the record
    rounding = (
        8 * np.finfo(float).eps * float(np.abs(data.energy_total.values).max() + data.energy_kinetic.values.max())
    )
    assert run.summary["energy_rise_J"] == pytest.approx(rise_of(data), abs=rounding)
    stored = data.energy_total.values - data.energy_kinetic.values - data.work_external.values
    turn = np.linalg.norm(data.angular_velocity.values[:, 0], axis=1) * STEP
    differences = [np.abs(np.diff(values, n=3)) for values in (stored, data.energy_kinetic.values)]
    expected = np.minimum(*differences).sum() / 3.0 + (data.energy_kinetic.values * turn**4).sum() / 120.0
    n = len(stored)
    assert run.summary["energy_rise_bound_J"] == pytest.approx(expected, rel=1e-6, abs=n * rounding)
    assert 0.0 < run.summary["energy_rise_bound_J"] < 0.1 * float(np.ptp(data.energy_kinetic.values))


def test_the_bound_covers_what_a_jump_of_force_costs() -> None:
    """A step that straddles a touchdown misplaces energy; the account's opening in any window is below the bound."""
    for step in (4e-3, 2e-3, 1e-3):
        run = planetfall.run(block("rk4", integrator__step=step, record__interval=0.01))
        assert run.summary["energy_closure_J"] < run.summary["energy_rise_bound_J"]
        assert run.summary["energy_rise_J"] <= run.summary["energy_rise_bound_J"]


def test_the_bound_shrinks_with_the_step_and_with_the_tolerance() -> None:
    """Second order in the step, where kinks of springs count; as the tolerance, but for the number of steps."""
    coarse, fine = (
        planetfall.run(block("rk4", integrator__step=step)).summary["energy_rise_bound_J"] for step in (2e-3, 5e-4)
    )
    assert coarse / fine == pytest.approx(16.0, rel=0.5)
    loose, tight = (
        planetfall.run(block("adaptive", integrator__tolerance=tolerance)).summary["energy_rise_bound_J"]
        for tolerance in (1e-6, 1e-9)
    )
    assert 100.0 < loose / tight < 1000.0


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
def test_a_batch_has_the_bits_of_recorded_runs_in_any_chunks(method: str) -> None:
    model = block_model(method)
    states = spread(model.initial_state, 5, 3)
    whole = run_batch(model, states)
    chopped = run_batch(model, states, chunk_steps=7, threads=2)
    assert np.all(whole.energy_rise <= whole.energy_rise_bound)
    for name in ("energy_rise", "energy_rise_bound"):
        np.testing.assert_array_equal(getattr(chopped, name), getattr(whole, name))
    recorded = run_batch(block_model(method, is_recorded=True), states)
    for name in ("energy_rise", "energy_rise_bound"):
        np.testing.assert_array_equal(getattr(recorded, name), getattr(whole, name))


@pytest.mark.parametrize(
    "scenario",
    [crater().with_values({"scenario.duration": 2.0}), ball(), bridles(), planetfall.load("hedgehog-hop")],
    ids=["anchors that book", "a gathering law", "reels", "motors"],
)
def test_what_is_put_in_is_no_rise(scenario: planetfall.Scenario) -> None:
    """Unrecorded kernels keep only the works that put energy in, and come to the same as recorded ones."""
    recorded = run_recorded(build(scenario)).end
    model = build(scenario, is_recorded=False)
    batch = run_batch(model, model.initial_state[None])
    np.testing.assert_array_equal(batch.energy_rise, recorded.energy_rise)
    np.testing.assert_array_equal(batch.energy_rise_bound, recorded.energy_rise_bound)
    assert recorded.energy_rise[0] <= recorded.energy_rise_bound[0]


def test_the_shares_that_stick_gives_back_are_the_largest_of_their_curves() -> None:
    """Rounded up at the fourth digit."""
    s = np.linspace(0.0, 1.0, 100_001)
    for share, curve in ((BLEND_RETURNS, s * (2 * (1 - s) ** 2 - 1)), (STICK_RETURNS, s * (1 - s) ** 2)):
        assert float(curve.max()) <= float(share) < float(curve.max()) + 1e-4


class Unbooked(ChangesAt):
    """Changes parameters as `ChangesAt` does, and forgets to say that this put energy in."""

    def before_launch(self, run: RunInProgress) -> int | None:
        rows = run._machine.batch.monitors.energy
        before = rows.numpy().copy()
        steps = super().before_launch(run)
        rows.assign(before)
        return steps


def test_energy_from_nowhere_is_found_and_energy_that_is_booked_is_not() -> None:
    """Ground that grows four times as stiff under a block gives it three times what its springs held."""
    scenario = block("rk4", terrain__slope_deg=0.0, contact__damping_ratio=1.0, initial__height=0.3)
    harder = {"contact.rest_penetration": 0.25 * scenario.contact.rest_penetration}
    model = build(scenario)
    honest = run_recorded(model, watcher=ChangesAt(0.8, harder))
    assert honest.end.energy_rise[0] <= honest.end.energy_rise_bound[0]
    found = run_recorded(model, watcher=Unbooked(0.8, harder))
    given = sum(change.energy for change in found.changes)
    at = int(np.searchsorted(found.frames.time, found.changes[0].time))
    assert given == pytest.approx(0.75 * found.observed.energy[at, 2], rel=1e-9)  # there the new law holds
    assert found.end.energy_rise[0] == pytest.approx(given, rel=1e-3)  # less what dampers take in a step
    summary = trajectory_of(model, found).summary
    assert summary["energy_rise_J"] > summary["energy_rise_bound_J"]
