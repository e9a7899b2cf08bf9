"""A run that is watched is the same run; one whose parameters change on the way keeps books, and can be repeated."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.analysis.run.validity import turned_over
from planetfall.contact.laws import coefficients_of
from planetfall.engine.build import build
from planetfall.engine.launch.live_changes import changeable_keys, changed_model
from planetfall.engine.launch.run_in_progress import Repeated, Watcher
from planetfall.engine.run import run_recorded
from planetfall.engine.state.result import RecordedRun
from planetfall.record.trajectory import Trajectory
from planetfall.simulate import trajectory_of
from support.block_scene import assert_same_bits, block
from support.view_runs import ball, bridles, crater
from support.watchers import ChangesAt, Looks

SCENES: dict[str, Callable[[], planetfall.Scenario]] = {
    "marker, fixed steps": lambda: block("rk4"),
    "marker, adaptive": lambda: block("adaptive"),
    "anchor": lambda: crater().with_values({"scenario.duration": 2.0}),
    "distributed": ball,
    "tethers": bridles,
    "plastic": lambda: planetfall.load("regolith-dent").with_values({"scenario.duration": 1.2}),
    "hunt-crossley": lambda: planetfall.load("regolith-dent").with_values(
        {"scenario.duration": 1.2, "contact": {**STIFFENING, **FRICTION_TABLE}}
    ),
}
STIFFENING = {"law": "hunt-crossley", "stiffness": 3e4, "dissipation": 0.4}
FRICTION_TABLE = {
    "breakaway_angle_deg": 35.0, "sliding_angle_deg": 30.0, "breakaway_speed": 0.02, "sliding_speed": 0.05,
}  # fmt: skip
WORSE = 10.0
"""How much worse an account may close, over what was turned over, than without the change: the integrator's error is of
one order under either law, and what a change of springs or gravity moves is some percent to all of that."""


@lru_cache
def usual_error(kind: str) -> float:
    """Error of the account of a scene without changes, over what was turned over."""
    return relative_error(planetfall.run(SCENES[kind]()))


def relative_error(trajectory: Trajectory) -> float:
    return trajectory.summary["energy_closure_J"] / turned_over(trajectory.data)


def made(scenario: planetfall.Scenario, watcher: Watcher) -> tuple[RecordedRun, Trajectory]:
    model = build(scenario)
    run = run_recorded(model, watcher=watcher)
    return run, trajectory_of(model, run)


def assert_same_run(found: RecordedRun, expected: RecordedRun) -> None:
    assert_same_bits(found.end, expected.end)
    assert found.events == expected.events
    for part in ("frames", "observed"):
        for name, values in vars(getattr(expected, part)).items():
            other = getattr(getattr(found, part), name)
            if isinstance(values, np.ndarray):
                np.testing.assert_array_equal(other, values, err_msg=name, strict=True)
    for name, samples in expected.samples.items():
        np.testing.assert_array_equal(found.samples[name].value, samples.value)


@pytest.mark.parametrize("kind", SCENES)
def test_looking_changes_nothing(kind: str) -> None:
    model, looks = build(SCENES[kind]()), Looks()
    alone = run_recorded(model)
    watched = run_recorded(model, watcher=looks)
    assert len(looks.seen) > 5
    assert_same_run(watched, alone)
    interval = model.scenario.record.interval
    ticks = alone.frames.time[np.abs(alone.frames.time / interval - np.round(alone.frames.time / interval)) < 1e-9]
    for seen in looks.seen[1:]:  # the first frame, and every one on the record's ticks of the last tenth of a second
        now = seen.frames.time[-1]
        assert seen.frames.time[0] == alone.frames.time[0]
        expected = ticks[(ticks >= now - 0.1) & (ticks < now)]
        assert np.isin(expected, seen.frames.time).all()


@pytest.mark.parametrize("key", changeable_keys(block()))
@pytest.mark.parametrize("method", ["rk4", "adaptive"])
def test_a_change_at_the_start_is_that_scenario(method: str, key: str) -> None:
    scenario = block(method)
    value = {"contact.breakaway_angle_deg": 41.0, "contact.sliding_angle_deg": 9.0}.get(key)
    value = value or 1.3 * planetfall.load("sink-flat").contact.__dict__.get(key.partition(".")[2], 3.0)
    expected = run_recorded(build(scenario.with_values({key: value})))
    run, _ = made(scenario, ChangesAt(0.0, {key: value}))
    if key == "gravity.acceleration" and method == "adaptive":
        # the first step that was tried had been guessed from the gravity before
        np.testing.assert_allclose(run.end.state, expected.end.state, atol=1e-9)
        return
    assert_same_bits(run.end, expected.end)
    np.testing.assert_array_equal(run.frames.state, expected.frames.state)
    np.testing.assert_array_equal(run.observed.force, expected.observed.force)
    assert next(event.kind for event in run.events if event.time == 0.0) == f"changed {key}"


CHANGES = [
    ("marker, fixed steps", 0.55, {"contact.rest_penetration": 0.013}),
    ("marker, fixed steps", 0.55, {"contact.damping_ratio": 0.1, "contact.sliding_angle_deg": 5.0}),
    ("marker, fixed steps", 0.3, {"gravity.acceleration": 9.0}),
    ("marker, adaptive", 0.6, {"contact.rest_penetration": 0.013}),
    ("marker, adaptive", 0.6, {"gravity.acceleration": 1.0}),
    ("anchor", 1.2, {"contact.rest_penetration": 0.04}),
    ("anchor", 1.2, {"contact.friction_kinetic": 0.05, "contact.friction_static": 0.1}),
    ("distributed", 16.3, {"contact.stiffness": 500.0}),
    ("distributed", 16.3, {"contact.friction": 0.1}),
    ("plastic", 0.65, {"contact.damping": 120.0, "contact.sliding_angle_deg": 20.0}),
    ("hunt-crossley", 0.65, {"contact.stiffness": 4.5e4}),
    ("hunt-crossley", 0.65, {"contact.dissipation": 1.0}),
]


@pytest.mark.parametrize(("kind", "time", "values"), CHANGES)
def test_the_account_closes_across_a_change(kind: str, time: float, values: dict[str, float]) -> None:
    run, trajectory = made(SCENES[kind](), ChangesAt(time, values, chunk=3))
    summary, data = trajectory.summary, trajectory.data
    assert [(change["key"], change["to"]) for change in summary["changes"]] == list(values.items())
    assert [event.kind for event in run.events if event.kind.startswith("changed")] == [f"changed {k}" for k in values]
    assert relative_error(trajectory) < WORSE * usual_error(kind)
    moved = sum(change.energy for change in run.changes)
    assert data.work_changes.values[-1] == pytest.approx(moved, rel=1e-12)
    if {"contact.rest_penetration", "contact.stiffness", "gravity.acceleration"} & set(values):
        assert abs(moved) > 0.0
    else:
        assert moved == 0.0


def test_the_energy_of_stiffer_springs_is_half_k_d_squared() -> None:
    """At rest on level ground: the sum of (K2 - K1) d^2/2 over the feet, d as recorded at that instant."""
    scenario = block("rk4", terrain__slope_deg=0.0, scenario__duration=3.0, outcome__stop_at_rest=False)
    run, trajectory = made(scenario, ChangesAt(2.5, {"contact.rest_penetration": 0.013}))
    changed = scenario.with_values({"contact.rest_penetration": 0.013})
    g = scenario.gravity.acceleration
    before, after = (coefficients_of(each, g).stiffness for each in (scenario, changed))
    (change,) = run.changes
    frame = int(np.searchsorted(trajectory.data.time.values, change.time))
    depth = np.minimum(trajectory.data.contact_gap.values[frame], 0.0)
    # the frame is at most one step later, and nothing moves
    assert change.energy == pytest.approx(0.5 * (after - before) * np.sum(depth**2), rel=1e-3)


def test_the_energy_of_stronger_gravity_is_m_g_h() -> None:
    scenario = block("rk4", contact__reference_gravity=3.7)
    run, trajectory = made(scenario, ChangesAt(0.0, {"gravity.acceleration": 9.0}))
    weight = scenario.vehicle.mass * (9.0 - scenario.gravity.acceleration)
    height = trajectory.data.position.values[0, 0, 2]
    assert run.changes[0].energy == pytest.approx(weight * height, rel=1e-12)


@pytest.mark.parametrize("kind", ["marker, fixed steps", "marker, adaptive", "anchor"])
def test_changes_can_be_repeated_to_the_bit(kind: str) -> None:
    time, values = next((time, values) for name, time, values in CHANGES if name == kind)
    once, _ = made(SCENES[kind](), ChangesAt(time, values, chunk=7))
    again, _ = made(SCENES[kind](), Repeated(once.changes))
    assert_same_run(again, once)
    assert again.changes == once.changes


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"vehicle.mass": 900.0}, "cannot change during a run"),
        ({"scenario.duration": 9.0}, "cannot change during a run"),
        ({"contact.law": 1.0}, "one of contact.breakaway_angle_deg"),
        ({"contact.damping_ratio": -1.0}, "greater than or equal to 0"),
        ({"contact.sliding_angle_deg": 80.0}, "sliding friction cannot exceed breakaway friction"),
        ({"contact.rest_penetration": 1e-7}, "integrator.step"),
    ],
)
def test_what_a_scenario_file_may_not_say_is_refused(values: dict[str, Any], sentence: str) -> None:
    model = build(planetfall.load("msl-drop"))
    with pytest.raises(planetfall.InputError) as caught:
        changed_model(model, values)
    assert sentence in str(caught.value)


def test_what_is_safe_depends_on_the_scenario() -> None:
    assert "gravity.acceleration" in changeable_keys(planetfall.load("msl-drop"))
    # a landing detector and a controller were told of gravity
    assert "gravity.acceleration" not in changeable_keys(planetfall.load("sensed-landing"))
    assert changeable_keys(planetfall.load("free-top")) in ([], ["gravity.acceleration"])
    assert "contact.friction_kinetic" in changeable_keys(crater())
    assert "contact.friction_static" not in changeable_keys(ball())  # not given there: it follows friction
