"""The manipulator: where its tip is, and what it does to the centre of mass; wheels that overlap."""

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.rover.model import arm_pose, rover_model
from planetfall.scenario.files.rover_library import load_rover
from planetfall.scenario.tables.rover import RoverArm
from support.rovers import bench_rover

ARM = {"base": (0.1, 0.0, 0.2), "lengths": (0.5, 0.3), "masses": (1.0, 0.5), "payload": 2.0}


@pytest.mark.parametrize(
    ("joints", "elbow", "tip"),
    [
        ((0.0, 0.0, 0.0), (0.6, 0.0, 0.2), (0.9, 0.0, 0.2)),
        ((90.0, 0.0, 0.0), (0.1, 0.5, 0.2), (0.1, 0.8, 0.2)),
        ((0.0, 90.0, -90.0), (0.1, 0.0, 0.7), (0.4, 0.0, 0.7)),
        ((-90.0, 0.0, 90.0), (0.1, -0.5, 0.2), (0.1, -0.5, 0.5)),
    ],
)
def test_joints_turn_as_they_say(joints: tuple, elbow: tuple, tip: tuple) -> None:
    pose = arm_pose(RoverArm.model_validate({**ARM, "joints_deg": joints}))
    np.testing.assert_allclose(pose.joints_B, [ARM["base"], elbow, tip], atol=1e-15)


def test_masses_move_the_centre() -> None:
    """Straight ahead: links at 0.35 and 0.75 m, payload at 0.9 m, all 0.2 m up; 7 kg of rover 0.05 m over the axis."""
    rover = rover_model(load_rover("lsr-1", {"arm": {**ARM, "joints_deg": (0.0, 0.0, 0.0)}}))
    assert rover.mass == pytest.approx(10.5)
    ahead = (1.0 * 0.35 + 0.5 * 0.75 + 2.0 * 0.9) / 10.5
    up = (7.0 * 0.05 + 3.5 * 0.2) / 10.5
    np.testing.assert_allclose(rover.center_of_mass_B, [ahead, 0.0, up], atol=1e-15)


@pytest.mark.parametrize(("key", "value"), [("lengths", (0.5, 0.0)), ("masses", (-1.0, 0.0)), ("payload", -1.0)])
def test_impossible_arms_are_refused(key: str, value: object) -> None:
    with pytest.raises(InputError, match=key):
        load_rover("lsr-1", {"arm": {**ARM, key: value}})


def test_wheels_that_overlap_are_refused() -> None:
    """The wheels of the bench rover are 0.4 m apart: one given by its diameter, or in millimetres, does not fit."""
    for radius in (0.2001, 200.0):
        words = rf"rover\.wheels\.radius: {radius:g} m; the rear and the middle wheel would overlap.*at most 0\.2 m"
        with pytest.raises(InputError, match=words):
            bench_rover(wheels={"radius": radius, "torque_max": 1.0})
    assert bench_rover(wheels={"radius": 0.2, "torque_max": 1.0}).length == pytest.approx(1.2)  # they touch
    beside = {"radius": 0.25, "torque_max": 1.0, "width": 0.1, "offset": (0.0, 0.11, 0.0)}
    assert bench_rover(wheels=beside).length == pytest.approx(1.3)
    with pytest.raises(InputError, match="would overlap"):
        bench_rover(wheels={**beside, "offset": (0.0, 0.09, 0.0)})
