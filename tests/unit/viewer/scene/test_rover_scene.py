"""What the page knows of a rover beside its frames: stretches, the ground along its path."""

from __future__ import annotations

import numpy as np
import pytest

import planetfall
from planetfall.viewer.scene.scene import scene_of


def test_the_ground_along_a_slope_is_that_of_the_slope() -> None:
    """A plane of 8 degrees that rises to the east, driven to the east: height is distance times its tangent."""
    pack = scene_of(planetfall.drive(planetfall.load_drive("lsr1-sandslope")))
    along, right, left = pack.arrays["profile"].astype(float).T
    assert along[0] < -0.9 and along[-1] > 3.9  # all wheels have ground, at both ends
    for line in (right, left):
        np.testing.assert_allclose(line + pack.header["origin"][2], along * np.tan(np.radians(8.0)), atol=1e-6)
    path = pack.arrays["path"] + np.array(pack.header["origin"][:2])
    np.testing.assert_allclose(path[[0, -1]], [[0.0, 0.0], [3.0, 0.0]], atol=1e-6)


def test_the_ground_over_a_step_is_that_of_its_facets() -> None:
    """Level on both sides of x = 0, 8 cm apart; the path begins at x = -1 m."""
    pack = scene_of(planetfall.drive(planetfall.load_drive("lsr1-step")))
    along, right, _ = pack.arrays["profile"].astype(float).T
    height = right + pack.header["origin"][2]
    np.testing.assert_allclose(height[along < 0.99], 0.0, atol=1e-6)
    np.testing.assert_allclose(height[along > 1.01], 0.08, atol=1e-6)


def test_stretches_say_what_holds_from_when_on() -> None:
    changes = [
        {"start": 1.0, "values": {"rover.wheels.radius": 0.12}},
        {"start": 1.5, "values": {"rover.wheels.torque_max": 3.0}},
    ]
    run = planetfall.drive(planetfall.load_drive("lsr1-flat").with_values({"changes": changes}))
    rover = scene_of(run).header["rover"]
    assert [stretch["wheel_radius"] for stretch in rover["stretches"]] == [0.1, 0.12, 0.12]
    assert [stretch["torque_max"] for stretch in rover["stretches"]] == [2.0, 2.0, 3.0]
    assert [stretch["time"] for stretch in rover["stretches"]] == pytest.approx([0.0, 1.0 / 0.03, 1.5 / 0.03])
    assert rover["stretches"][1]["changed"] == {"rover.wheels.radius": 0.12}
    assert [event.kind for event in run.events] == ["changed", "changed"]


def test_a_scene_on_the_ground_of_another_is_the_same_scene() -> None:
    run = planetfall.drive(planetfall.load_drive("lsr1-flat"))
    first = scene_of(run)
    assert scene_of(run, on=first).to_bytes() == first.to_bytes()
