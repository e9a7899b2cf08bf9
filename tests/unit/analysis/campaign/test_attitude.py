"""Attitudes of campaigns: angles and directions, whatever sign a quaternion has."""

import numpy as np
import pytest
import xarray as xr
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.analysis.campaign.attitude import attitude_sentence, mean_attitude, rotation_vectors, tilts
from planetfall.analysis.campaign.comparison import compare
from planetfall.analysis.campaign.ensemble_summary import is_result
from planetfall.analysis.campaign.sensitivity import drawn_numbers, rank_correlations

TILT = np.radians([2.0, 4.0, 6.0, 8.0, 10.0, 12.0])
QUATERNIONS = Rotation.from_euler("x", TILT[:, None]).as_quat() * np.array([1, -1, 1, -1, 1, -1])[:, None]


def ends(quaternions: np.ndarray, frame: str = "L") -> xr.Dataset:
    return xr.Dataset({f"q{axis}": ("run", quaternions[:, i]) for i, axis in enumerate("xyzw")},
                      {"run": np.arange(len(quaternions))}, {"surface_frame": frame})  # fmt: skip


def test_a_tilt_is_the_same_for_both_signs() -> None:
    scenario = planetfall.load("msl-drop").with_values({"vehicle.up": [0.0, 0.0, 1.0]})
    np.testing.assert_allclose(tilts(ends(QUATERNIONS), scenario), np.degrees(TILT), atol=1e-6)
    said = attitude_sentence(ends(QUATERNIONS), scenario)
    assert "2 to 12 deg" in said
    assert "Their mean direction is 7 deg from the vertical." in said
    assert attitude_sentence(ends(QUATERNIONS, "P"), scenario) == ""


def test_the_mean_attitude_of_turns_about_one_axis_is_their_mean_turn() -> None:
    """To second order in the spread of 5 degrees."""
    turn = Rotation.from_quat(mean_attitude(QUATERNIONS)).as_rotvec()
    np.testing.assert_allclose(np.abs(turn), [TILT.mean(), 0.0, 0.0], atol=1e-3)
    found = rotation_vectors(QUATERNIONS, np.array([0.0, 0.0, 0.0, 1.0]))
    np.testing.assert_allclose(found, np.column_stack([TILT, 0 * TILT, 0 * TILT]), atol=1e-12)


def test_an_attitude_is_an_input_by_its_turn() -> None:
    """The result rises with the turn about x: a quaternion whose sign changes from run to run would hide that."""
    parts = {f"in.initial.attitude.{i}": ("run", QUATERNIONS[:, i]) for i in range(4)}
    data = xr.Dataset({**parts, "distance_m": ("run", TILT**2)}, {"run": np.arange(6)})
    nominal = np.array([0.0, 0.0, 0.0, 1.0])
    assert list(drawn_numbers(data, nominal)) == [f"in.initial.attitude about {axis}" for axis in "xyz"]
    assert rank_correlations(data, "distance_m", nominal=nominal)["in.initial.attitude about x"].value == 1.0


def test_parts_of_quaternions_have_no_distribution() -> None:
    assert not any(is_result(f"q{axis}") for axis in "xyzw")
    assert compare(ends(QUATERNIONS), ends(QUATERNIONS)) == {}


def test_other_inputs_stay_as_they_are() -> None:
    data = xr.Dataset({"in.a": ("run", TILT)}, {"run": np.arange(6)})
    assert drawn_numbers(data)["in.a"] == pytest.approx(TILT)
