"""The dataset of a run: names, dimensions, units, and numbers that agree with each other."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from scipy.spatial.transform import Rotation

from planetfall.record.trajectory import Trajectory

VECTOR, POINTS, POINT_VECTORS = ("time", "body", "axis"), ("time", "point"), ("time", "point", "axis")
CONTRACT: dict[str, tuple[tuple[str, ...], str, str]] = {
    "time": (("time",), "s", "none"),
    "position": (VECTOR, "m", "L"),
    "velocity": (VECTOR, "m/s", "L"),
    "quaternion": (("time", "body", "quat"), "1", "L"),
    "angular_velocity": (VECTOR, "rad/s", "B"),
    "mass": (("time", "body"), "kg", "none"),
    "point_body": (("point",), "1", "none"),
    "point_position": (("point", "axis"), "m", "B"),
    "contact_gap": (POINTS, "m", "none"),
    "contact_force": (POINT_VECTORS, "N", "L"),
    "contact_normal_force": (POINTS, "N", "none"),
    "contact_friction_force": (POINTS, "N", "none"),
    "contact_mode": (POINTS, "1", "none"),
    **{
        name: (("time",), "J", "none")
        for name in (
            "energy_kinetic", "energy_gravity", "energy_elastic", "energy_total",
            "work_damper", "work_friction", "work_external",
        )
    },
}  # fmt: skip
"""Name, dimensions, unit and frame of each variable, as design.md promises them."""


@pytest.mark.parametrize("name", list(CONTRACT))
def test_variable_is_as_promised(landing: Trajectory, name: str) -> None:
    dims, unit, frame = CONTRACT[name]
    variable = landing.data[name]
    assert variable.dims == dims
    assert (variable.attrs["units"], variable.attrs["frame"]) == (unit, frame)
    assert variable.attrs["long_name"]
    assert np.isfinite(variable.values).all()


def test_nothing_else_goes_without_unit_meaning_and_frame(landing: Trajectory) -> None:
    for name in landing.data.data_vars:
        assert {"units", "long_name", "frame"} <= set(landing.data[name].attrs), name


def test_labels(landing: Trajectory) -> None:
    data = landing.data
    assert list(data.axis.values) == ["x", "y", "z"]
    assert list(data.quat.values) == ["x", "y", "z", "w"]
    assert list(data.body.values) == ["vehicle"]
    assert list(data.point.values) == ["wheel 1", "wheel 2", "wheel 3", "wheel 4"]
    assert data.attrs["surface_frame"] == "L"
    assert data.attrs["scenario"] == "msl-drop"


def test_attitudes_are_unit_quaternions(landing: Trajectory) -> None:
    np.testing.assert_allclose(np.linalg.norm(landing.data.quaternion, axis=-1), 1.0, rtol=1e-14)


def test_gaps_are_those_of_the_points_over_the_plane(landing: Trajectory) -> None:
    data = landing.data
    attitude = Rotation.from_quat(data.quaternion.values[:, 0]).as_matrix()
    points = data.position.values[:, 0][:, None] + np.einsum("tij,pj->tpi", attitude, data.point_position.values)
    np.testing.assert_allclose(data.contact_gap, points @ landing.scenario.terrain.outward, atol=1e-13)


def test_forces_are_normal_force_plus_friction(landing: Trajectory) -> None:
    data, normal = landing.data, landing.scenario.terrain.outward
    along = data.contact_force.values @ normal
    across = np.linalg.norm(data.contact_force.values - along[..., None] * normal, axis=-1)
    scale = float(np.abs(data.contact_force).max())
    assert scale > 1e4
    np.testing.assert_allclose(along, data.contact_normal_force, atol=1e-13 * scale)
    np.testing.assert_allclose(across, data.contact_friction_force, atol=1e-13 * scale)
    assert np.all(data.contact_normal_force.values[data.contact_mode.values == 0] == 0.0)
    assert set(np.unique(data.contact_mode)) <= {0, 1, 2}


def test_energies_add_up(landing: Trajectory) -> None:
    data = landing.data
    total = data.energy_kinetic + data.energy_gravity + data.energy_elastic
    np.testing.assert_allclose(data.energy_total, total, rtol=1e-15)
    kinetic = 0.5 * 899.18 * (data.velocity.values[:, 0] ** 2).sum(axis=1)
    turning = 0.5 * (data.angular_velocity.values[:, 0] ** 2) @ np.array([774.84, 571.41, 405.09])
    np.testing.assert_allclose(data.energy_kinetic, kinetic + turning, rtol=1e-13)
    np.testing.assert_allclose(data.energy_gravity, 899.18 * 3.7132 * data.position.values[:, 0, 2], rtol=1e-13)
    elastic = 0.5 * landing.summary["stiffness_N_m"] * (np.minimum(data.contact_gap, 0.0) ** 2).sum("point")
    np.testing.assert_allclose(data.energy_elastic, elastic, rtol=1e-12)


def test_summary_agrees_with_the_histories(landing: Trajectory) -> None:
    data, summary = landing.data, landing.summary
    np.testing.assert_array_equal(data.contact_normal_force.values[-1], summary["final_normal_force_N"])
    np.testing.assert_array_equal(data.contact_normal_force.max("time"), summary["peak_normal_force_N"])
    assert float(data.time[-1]) == summary["end_s"]
    assert summary["final_speed_m_s"] == pytest.approx(float(np.linalg.norm(data.velocity[-1, 0])), rel=1e-15)
    assert summary["max_penetration_m"] >= -float(data.contact_gap.min())
    assert summary["points"] == list(data.point.values)


def test_a_vehicle_without_points_has_empty_columns(free_top: Trajectory) -> None:
    assert free_top.data.sizes["point"] == 0
    assert free_top.data.contact_force.shape == (free_top.data.sizes["time"], 0, 3)
    assert isinstance(free_top.data, xr.Dataset)
    assert free_top.summary["peak_normal_force_N"] == []
