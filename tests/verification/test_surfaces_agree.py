"""The same tilted plane as formula, elevation map and mesh: the same landing."""

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_recorded
from planetfall.world.terrain.dem_build import dem_surface
from planetfall.world.terrain.mesh_build import mesh_surface
from planetfall.world.terrain.surface import Surface
from support.made_ground import grid_mesh, tilted_grid

DROP = planetfall.load("msl-drop").with_values({"record.interval": 0.1})
ALONG, HEIGHTS = tilted_grid(DROP.terrain.outward, 101, 0.25)


def dem() -> Surface:
    return dem_surface(HEIGHTS, np.array([ALONG[0], ALONG[0], 0.0]), (0.25, 0.25), "cpu")


def mesh() -> Surface:
    return mesh_surface(*grid_mesh(ALONG, HEIGHTS), "cpu", reach=0.2)


@pytest.mark.parametrize("make", [dem, mesh])
@pytest.mark.parametrize("method", ["rk4", "adaptive"])
def test_same_landing_to_a_nanometre(make, method: str) -> None:
    """Rounding of node heights (1e-15 m at 5 m) grows through ten bounces; the steps may differ in their last bits.

    The wheels slide over some twenty facet edges on the way, all of one plane: no bump is felt.
    """
    values = {} if method == "rk4" else {"integrator.method": "adaptive"}
    scenario = DROP.with_values(values)
    plane = run_recorded(build(scenario)).end
    other = run_recorded(build(scenario, surface=make())).end
    np.testing.assert_allclose(other.state[:, :3], plane.state[:, :3], atol=1e-9, rtol=0)
    np.testing.assert_allclose(other.first_touch, plane.first_touch, atol=1e-12, rtol=0)
    np.testing.assert_allclose(other.peak, plane.peak, rtol=1e-9)
    assert other.status[0] == plane.status[0]


def test_each_side_of_a_ridge_has_its_own_normal_and_gap() -> None:
    """A roof of two planes, five degrees each way: the gap is measured along the facet's own normal."""
    slope = np.tan(np.radians(5.0))
    along = (np.arange(41) - 20) * 0.25
    roof = np.tile(-np.abs(along) * slope, (41, 1))
    sides = np.array([[-1.03, 0.1, 0.2], [1.07, 0.1, 0.2]])
    up = np.cos(np.radians(5.0))
    for surface in (
        dem_surface(roof, np.array([along[0], along[0], 0.0]), (0.25, 0.25), "cpu"),
        mesh_surface(*grid_mesh(along, roof), "cpu", reach=0.5),
    ):
        gaps, normals, _ = surface.ask(sides)
        np.testing.assert_allclose(gaps, (sides[:, 2] + np.abs(sides[:, 0]) * slope) * up, atol=1e-14)
        np.testing.assert_allclose(normals[:, 0], [-slope * up, slope * up], atol=1e-14)
