"""What x and y of frame L are called on a map that is turned from north, everywhere."""

import math
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.crs import CRS

import planetfall
from planetfall.engine.checks.flight_start import map_notes
from planetfall.exports.motion import motion_of
from planetfall.report.campaign.ensemble_figures import draw_landing
from planetfall.scenario.scenario import Scenario
from planetfall.viewer.scene.campaign_scene import campaign_scene
from planetfall.viewer.scene.scene import scene_of
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.surface_axes import SurfaceAxes, axes_of, axes_of_surface

SOUTH_POLE = "+proj=stere +lat_0=-90 +lon_0=0 +R=1737400 +units=m +no_defs"
EASTING, NORTHING = 50_000.0, 90_000.0


@pytest.fixture
def turned_map(tmp_path: Path) -> Path:
    """Level ground of 40 m beside the south pole, where north is away from the origin of the projection."""
    path, place = tmp_path / "turned.tif", rasterio.Affine(1, 0, EASTING, 0, -1, NORTHING)
    form = {"driver": "GTiff", "height": 40, "width": 40, "count": 1, "dtype": "float32"}
    with rasterio.open(path, "w", crs=CRS.from_proj4(SOUTH_POLE), transform=place, **form) as file:
        file.write(np.zeros((40, 40), dtype="float32"), 1)
    return path


@pytest.fixture
def on_turned_map(turned_map: Path) -> Scenario:
    """A box that is dropped there."""
    return planetfall.load("msl-drop").with_values({"terrain": {"model": "dem", "file": str(turned_map)}})


def test_true_north_is_away_from_the_pole(turned_map: Path, on_turned_map: Scenario) -> None:
    """The projection's origin is the south pole: north at a place is along its coordinates from there."""
    axes = axes_of(on_turned_map.ground)
    assert axes.names == ("x along the map", "y along the map")
    away = np.array([EASTING + 20.0, NORTHING - 20.0])
    assert axes.north is not None
    np.testing.assert_allclose([math.sin(axes.north), math.cos(axes.north)], away / np.linalg.norm(away), atol=1e-9)
    assert "29.1 deg anticlockwise" in axes.note
    surface = make_surface(on_turned_map, "cpu")
    assert axes_of_surface(surface) == axes


def test_other_ground_has_x_east_and_y_north() -> None:
    axes = axes_of(planetfall.load("msl-drop").ground)
    assert (axes.labels, axes.north, axes.note) == (("east [m]", "north [m]"), None, "")


def test_a_map_that_is_gone_promises_nothing(on_turned_map: Scenario, turned_map: Path) -> None:
    turned_map.unlink()
    assert axes_of(on_turned_map.ground) == SurfaceAxes(None)
    assert SurfaceAxes(None).labels == ("x [m]", "y [m]")


def test_a_run_on_a_turned_map_says_so(on_turned_map: Scenario) -> None:
    run = planetfall.run(on_turned_map.with_values({"scenario.duration": 0.5}))
    assert "29.1 deg anticlockwise from true north" in run.data.attrs["surface_axes"]
    turn = scene_of(run).header["turn"]
    assert turn == pytest.approx(math.radians(-29.1), abs=1e-2)
    assert "x and y along the map" in motion_of(run, "surface").says[0]


def test_the_figure_of_landing_places_names_the_axes_of_the_map(on_turned_map: Scenario, tmp_path: Path) -> None:
    campaign = planetfall.montecarlo(
        on_turned_map.with_values(
            {
                "scenario.duration": 1.0,  # it touches at 0.6 s
                "dispersions": {"initial.position": {"distribution": "multivariate-normal", "sigma": [1.0, 1.0, 0.0]}},
            }
        ),
        n=5, out=tmp_path / "campaign",
    )  # fmt: skip
    assert campaign_scene(campaign).header["turn"] == pytest.approx(math.radians(-29.1), abs=1e-2)
    drawn = draw_landing(campaign, tmp_path).with_suffix(".svg").read_text(encoding="utf-8")
    assert "<!-- x along the map [m] -->" in drawn
    assert "<!-- N -->" in drawn
    assert "east [m]" not in drawn


def test_a_site_on_a_turned_map_is_told_that_its_north_is_another(on_turned_map: Scenario) -> None:
    """The frame of `target.site` has its y axis to true north, the map 29.1 deg from there: one of them is wrong."""
    site = {
        "target": {"name": "moon", "site": {"latitude_deg": -86.6, "longitude_deg": 29.1}},
        "gravity": {"model": "point"},
    }
    surface = make_surface(on_turned_map, "cpu")
    assert map_notes(on_turned_map, surface, np.zeros(3)) == []
    told = map_notes(on_turned_map.with_values(site), surface, np.zeros(3))
    assert len(told) == 1 and "29.1 deg anticlockwise from true north, and target.site takes y for north" in told[0]
