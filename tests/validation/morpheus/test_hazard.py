"""The tumble down the hazard field inclined by 45 degrees (Cordova2014, Section IV.C), which the paper looked at."""

from __future__ import annotations

import numpy as np
import pytest

import planetfall
from planetfall.record.trajectory import Trajectory

DEPTH_PER_SPEED = np.sqrt(1552.8 / 190347.0)
"""Depth [m] per normal speed [m/s] of the whole mass on one undamped spring: no part of the vehicle can go deeper."""
SINK_ALONE = 1552.8 * 9.80665 / 190347.0
"""Depth [m] of the whole weight on one spring."""


@pytest.fixture(scope="module")
def tumble() -> Trajectory:
    """The built-in run."""
    return planetfall.run(planetfall.load("morpheus-hazard"))


def test_it_tumbles_and_says_how_it_ended(tumble: Trajectory) -> None:
    """Legs and tank tops touch in turn; it rests or leaves the map, and never falls through the floor."""
    touched = {event.point for event in tumble.events if event.kind == "touch"}
    assert touched & {0, 1, 2, 3} and touched & {4, 5, 6, 7}
    assert tumble.summary["outcome"] in ("off_map", "settled", "overturned")
    position = tumble.data.position.values[:, 0]
    assert position[-1, 0] > position[0, 0] + 20.0  # downhill is east
    assert np.all(position[:, 2] + position[:, 0] > -3.0)  # the field is the plane z = -x, with 2 m of relief


def test_depth_is_what_the_impacts_explain(tumble: Trajectory) -> None:
    """No point is deeper than its fastest impact drives the whole mass on one spring, and the weight on top of it.

    Later impacts of a point that is in the ground already come from the vehicle's turning: the fastest touch bounds
    them only together with the speed of the centre of mass against the slope, so that speed is taken where it is
    larger.
    """
    data = tumble.data
    normal_speed = np.abs(data.velocity.values[:, 0] @ np.array([1.0, 0.0, 1.0]) / np.sqrt(2.0))
    spin = np.linalg.norm(data.angular_velocity.values[:, 0], axis=1)
    arm = float(np.max(np.linalg.norm(data.point_position.values, axis=1)))
    fastest = float(np.max(normal_speed + spin * arm))
    assert 0.0 < tumble.summary["max_penetration_m"] < SINK_ALONE + DEPTH_PER_SPEED * fastest
    touches = [abs(event.value) for event in tumble.events if event.kind == "touch"]
    assert max(touches) < 1.01 * fastest + 0.01


def test_energy_rises_by_no_more_than_is_booked(tumble: Trajectory) -> None:
    """Energy less what saved places made or lost falls; the account closes to the error of the steps.

    Steps of 0.5 ms through impacts of some 50 ms leave (0.01)^4 of the elastic energy; that touches are seen a step
    late is booked.
    """
    data = tumble.data
    held = data.energy_total.values - data.work_anchor.values
    rise = held - np.minimum.accumulate(held)
    scale = float(np.max(data.energy_elastic.values))
    assert rise.max() < 1e-4 * scale
    assert tumble.summary["energy_closure_J"] < 1e-4 * scale
    assert np.all(np.diff(data.work_damper.values) <= 1e-9 * scale)
    assert np.all(np.diff(data.work_friction.values) <= 1e-9 * scale)
