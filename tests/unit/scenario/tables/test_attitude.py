"""The one place where a north-east-down attitude becomes ours."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.scenario.tables.run.attitude import quaternion_from_euler_ned

EAST, NORTH, UP = np.eye(3)


def axes(yaw: float, pitch: float, roll: float) -> np.ndarray:
    """Body axes in east, north, up, one per row."""
    return Rotation.from_quat(quaternion_from_euler_ned(np.radians([yaw, pitch, roll]))).as_matrix().T


@pytest.mark.parametrize(
    ("angles", "expected"),
    [
        pytest.param((0, 0, 0), (NORTH, EAST, -UP), id="level, heading north"),
        pytest.param((90, 0, 0), (EAST, -NORTH, -UP), id="heading east"),
        pytest.param((0, 90, 0), (UP, EAST, NORTH), id="nose up"),
        pytest.param((0, 0, 90), (NORTH, -UP, -EAST), id="right wing down"),
        pytest.param((0, -90, 90), (-UP, -NORTH, -EAST), id="the rover of Table 1: x down, y south, z west"),
    ],
)
def test_body_axes_point_where_the_paper_says(angles: tuple, expected: tuple) -> None:
    np.testing.assert_allclose(axes(*angles), expected, atol=1e-15)


def test_angles_turn_about_the_third_the_second_the_first_axis() -> None:
    """R_NB = Rz(yaw) Ry(pitch) Rx(roll), then north-east-down to east-north-up."""
    yaw, pitch, roll = np.radians([20.0, -35.0, 110.0])
    c, s = np.cos, np.sin
    rz = np.array([[c(yaw), -s(yaw), 0], [s(yaw), c(yaw), 0], [0, 0, 1]])
    ry = np.array([[c(pitch), 0, s(pitch)], [0, 1, 0], [-s(pitch), 0, c(pitch)]])
    rx = np.array([[1, 0, 0], [0, c(roll), -s(roll)], [0, s(roll), c(roll)]])
    enu = np.array([[0, 1, 0], [1, 0, 0], [0, 0, -1.0]])
    np.testing.assert_allclose(axes(20.0, -35.0, 110.0).T, enu @ rz @ ry @ rx, atol=1e-15)


def test_level_is_the_default() -> None:
    start = planetfall.load("sink-flat").initial
    np.testing.assert_array_equal(start.quaternion, [0.0, 0.0, 0.0, 1.0])
