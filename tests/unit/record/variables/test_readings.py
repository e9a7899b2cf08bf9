"""Readings in the dataset: names, dimensions, units, and the way through the file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import planetfall
from planetfall.record.trajectory import Trajectory

CONTRACT: dict[str, tuple[tuple[str, ...], str, str]] = {
    "time_altimeter": (("time_altimeter",), "s", "none"),
    "altimeter": (("time_altimeter",), "m", "none"),
    "altimeter_status": (("time_altimeter",), "1", "none"),
    "time_velocimeter": (("time_velocimeter",), "s", "none"),
    "velocimeter": (("time_velocimeter", "beam_velocimeter"), "m/s", "none"),
    "velocimeter_status": (("time_velocimeter", "beam_velocimeter"), "1", "none"),
    "time_imu": (("time_imu",), "s", "none"),
    "imu_specific_force": (("time_imu", "axis"), "m/s^2", "B"),
    "imu_angular_rate": (("time_imu", "axis"), "rad/s", "B"),
}


@pytest.fixture(scope="module")
def sensed() -> Trajectory:
    """The first second of the built-in landing: in the air."""
    return planetfall.run(planetfall.load("sensed-landing").with_values({"scenario.duration": 1.0}))


@pytest.mark.parametrize("name", list(CONTRACT))
def test_variable_is_as_promised(sensed: Trajectory, name: str) -> None:
    dims, unit, frame = CONTRACT[name]
    variable = sensed.data[name]
    assert variable.dims == dims
    assert (variable.attrs["units"], variable.attrs["frame"]) == (unit, frame)
    assert variable.attrs["long_name"]
    assert np.isfinite(variable.values).all()


def test_each_sensor_has_its_own_times(sensed: Trajectory) -> None:
    sizes = sensed.data.sizes
    assert (sizes["time_altimeter"], sizes["time_velocimeter"], sizes["time_imu"]) == (21, 21, 101)
    assert sizes["beam_velocimeter"] == 3
    np.testing.assert_allclose(np.diff(sensed.data.time_imu), 0.01, rtol=1e-9)


def test_readings_survive_the_file(sensed: Trajectory, tmp_path: Path) -> None:
    """Bit for bit, also with a plain reader of NetCDF."""
    folder = sensed.save(tmp_path / "run")
    xr.testing.assert_identical(planetfall.open(folder).data, sensed.data)
    with xr.open_dataset(folder / "trajectory.nc") as plain:
        xr.testing.assert_identical(plain.load(), sensed.data)


def test_summary_says_when_a_landing_was_declared(sensed: Trajectory, tmp_path: Path) -> None:
    """null in the air; no such key without a detector."""
    folder = sensed.save(tmp_path / "run")
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["landed_s"] is None
    bare = planetfall.run(planetfall.load("msl-drop").with_values({"scenario.duration": 0.01}))
    assert "landed_s" not in bare.summary


def test_scenario_with_sensors_survives_its_file(sensed: Trajectory, tmp_path: Path) -> None:
    folder = sensed.save(tmp_path / "run")
    assert planetfall.load(folder / "scenario.toml") == sensed.scenario
