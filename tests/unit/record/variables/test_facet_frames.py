"""LFRAME and PFRAME of Cordova2014: up or normal, east, north, in this order and right-handed."""

from __future__ import annotations

import numpy as np
import pytest

import planetfall
from planetfall.record.variables.facet_frames import lframe_axes, lframe_origin, normal_east_north

EAST, NORTH, UP = np.eye(3)
FRAMES = pytest.mark.parametrize("frame", ["L", "P"])


def normals(n: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(n, 3))
    return rows / np.linalg.norm(rows, axis=1)[:, None]


@FRAMES
def test_axes_are_right_handed_and_orthonormal(frame: str) -> None:
    axes = normal_east_north(normals(500), frame)
    np.testing.assert_allclose(axes @ axes.swapaxes(1, 2), np.tile(np.eye(3), (500, 1, 1)), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(axes), 1.0, atol=1e-14)
    np.testing.assert_array_equal(axes[:, 0], normals(500))


def test_level_ground_of_a_site() -> None:
    """PFRAME of a level facet is LFRAME (Section III.C)."""
    np.testing.assert_array_equal(normal_east_north(UP, "L"), [UP, EAST, NORTH])
    np.testing.assert_array_equal(lframe_axes(np.array([3.0, -2.0, 5.0]), "L"), [UP, EAST, NORTH])


def test_facets_that_face_east_and_north() -> None:
    """Tilted to the east, east points downhill and north stays level; tilted to the north, the other way round."""
    tilt = np.radians(30.0)
    east_facing = normal_east_north(np.array([np.sin(tilt), 0.0, np.cos(tilt)]), "L")
    np.testing.assert_allclose(east_facing[1:], [[np.cos(tilt), 0.0, -np.sin(tilt)], NORTH], atol=1e-15)
    north_facing = normal_east_north(np.array([0.0, np.sin(tilt), np.cos(tilt)]), "L")
    np.testing.assert_allclose(north_facing[1:], [EAST, [0.0, np.cos(tilt), -np.sin(tilt)]], atol=1e-15)


def test_on_a_whole_body_up_is_radial_and_east_goes_with_the_rotation() -> None:
    latitude, longitude = np.radians(28.5), np.radians(-80.6)
    up = np.array([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)])
    axes = lframe_axes(6378137.0 * up, "P")
    east = [-np.sin(longitude), np.cos(longitude), 0.0]
    north = [-np.sin(latitude) * np.cos(longitude), -np.sin(latitude) * np.sin(longitude), np.cos(latitude)]
    np.testing.assert_allclose(axes, [up, east, north], atol=1e-15)


@FRAMES
def test_a_normal_along_the_pole_has_no_east(frame: str) -> None:
    """Not a number, rather than a made-up direction; no ground (NaN) likewise."""
    pole = NORTH if frame == "L" else UP
    axes = normal_east_north(np.array([pole, [np.nan] * 3]), frame)
    assert np.isnan(axes[:, 1:]).all()


def test_origin() -> None:
    """Under the first centre of mass: level with the feet when standing, else with the site's zero or the radius."""
    position, lowest = np.array([3.0, -2.0, 5.0]), np.array([1.0, 1.0, 3.7])
    np.testing.assert_allclose(lframe_origin(position, lowest, True, "L"), [3.0, -2.0, 3.7], atol=1e-15)
    np.testing.assert_allclose(lframe_origin(position, lowest, False, "L"), [3.0, -2.0, 0.0], atol=1e-15)
    radius = 6378137.0
    up = np.array([2.0, -1.0, 2.0]) / 3.0
    above = (radius + 20.0) * up
    np.testing.assert_allclose(lframe_origin(above, above - 1.3 * up, False, "P", radius), radius * up, atol=1e-8)
    foot = above - 1.3 * up + np.cross(up, [0.0, 0.0, 2.0])
    standing = lframe_origin(above, foot, True, "P", radius)
    np.testing.assert_allclose(standing, (radius + 18.7) * up, atol=1e-8)


def test_results_hold_both_frames() -> None:
    """On a 20 degree slope to the east: forces and stretches along the facet, the path along up, east and north."""
    tilt = np.radians(20.0)
    normal = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    values = {"scenario.duration": 0.5, "terrain.slope_deg": 20.0, "initial.height": 2.1}
    data = planetfall.run(planetfall.load("morpheus-incline").with_values(values)).data
    held = data.contact_mode.values != 0
    assert held.any() and not held.all()
    axes = np.array([normal, [np.cos(tilt), 0.0, -np.sin(tilt)], NORTH])
    force = data.contact_force.values @ axes.T
    np.testing.assert_allclose(data.contact_force_pframe.values[held], force[held], atol=1e-9)
    np.testing.assert_allclose(data.contact_force_pframe.values[held][:, 0], data.contact_normal_force.values[held])
    np.testing.assert_allclose(data.contact_normal.values[held], np.tile(normal, (held.sum(), 1)), atol=1e-15)
    depth = data.contact_delta_pframe.sel(nen="normal").values[held]
    np.testing.assert_allclose(depth, data.contact_gap.values[held], atol=1e-14)
    for name in ("contact_anchor", "contact_normal", "contact_force_pframe", "contact_delta_pframe"):
        assert np.isnan(data[name].values[~held]).all()
    np.testing.assert_array_equal(data.lframe_axes.values, [UP, EAST, NORTH])
    np.testing.assert_allclose(data.lframe_origin.values, [0.0, 0.0, 0.0], atol=1e-15)  # it starts in flight
    along = (data.position.values[:, 0] - data.lframe_origin.values) @ data.lframe_axes.values.T
    np.testing.assert_allclose(data.position_lframe.values, along, atol=1e-15)
    for name in ("contact_force_pframe", "contact_delta_pframe"):
        assert data[name].attrs["frame"] == "PFRAME"
    assert data.position_lframe.attrs["frame"] == "LFRAME"
