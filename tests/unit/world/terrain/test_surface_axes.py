"""What x and y of frame L are called on a map that is turned from north, everywhere."""

import math
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.crs import CRS
from rasterio.warp import transform

import planetfall
from planetfall.engine.build import build
from planetfall.engine.initial_state import initial_state
from planetfall.errors import InputError
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


def on_the_moon(scenario: Scenario, y_azimuth_deg: float, **initial: object) -> Scenario:
    """With the site of the map on a sphere, and a start by latitude and longitude 8 m along x and -5 m along y."""
    ball = CRS.from_proj4("+proj=longlat +R=1737400 +no_defs")
    x, y = [EASTING + 20.0, EASTING + 28.0], [NORTHING - 20.0, NORTHING - 25.0]
    longitudes, latitudes = transform(CRS.from_proj4(SOUTH_POLE), ball, x, y)[:2]
    (longitude, east), (latitude, north) = longitudes, latitudes
    site = {"latitude_deg": latitude, "longitude_deg": longitude, "y_azimuth_deg": y_azimuth_deg}
    start = {"latitude_deg": north, "longitude_deg": east, "altitude": 3.0, "altitude_over": "ground", **initial}
    target = {"name": "ball", "radius": 1737400.0, "gm": 4.9e12, "spin_rate": 2.66e-6, "site": site}
    gravity = {"model": "point"}
    return scenario.with_values(
        {"target": target, "gravity": gravity, "initial": start, "terrain.site_pixel": [19.5, 19.5]}
    )


def test_the_site_of_a_turned_map_is_turned_with_it(on_turned_map: Scenario) -> None:
    """Against PROJ. A metre on the ground is 1.0011 m of the map, 114 km from the pole: 8 m are off by 9 mm."""
    turn = axes_of(on_turned_map.ground).turn
    assert turn is not None
    scene = on_the_moon(on_turned_map, math.degrees(turn), speed=2.0, flight_path_deg=-30.0, azimuth_deg=90.0)
    state = initial_state(scene, make_surface(scene, "cpu"))
    np.testing.assert_allclose(state[:2], [8.0, -5.0], atol=0.01)
    north = np.array([EASTING + 20.0, NORTHING - 20.0])  # away from the projection's origin, the south pole
    north /= np.linalg.norm(north)
    # 9 m at 114 km from the pole turn east by 8e-5 rad
    east = math.sqrt(3.0) * np.array([north[1], -north[0]])
    np.testing.assert_allclose(state[3:5], east, atol=2e-4)
    axis, R_SP = scene.target.axis_S, scene.target.R_SP
    assert R_SP is not None
    np.testing.assert_allclose(axis[:2] / np.linalg.norm(axis[:2]), north, atol=1e-9)
    np.testing.assert_allclose(axis, R_SP[:, 2], atol=1e-15)


def test_a_site_that_is_not_turned_as_its_map_is_refused(on_turned_map: Scenario, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"target\.site\.y_azimuth_deg: 0 deg.* give target\.site\.y_azimuth_deg = -29\.06"
    ):
        build(on_the_moon(on_turned_map, 0.0))
    spread = {"distribution": "normal", "mean": 3.0, "sigma": 0.1}
    with pytest.raises(
        InputError, match=r"target\.site\.y_azimuth_deg: in run 0 .*give target\.site\.y_azimuth_deg = -29"
    ):
        dispersed = on_the_moon(on_turned_map, 0.0).with_values({"dispersions": {"initial.altitude": spread}})
        planetfall.montecarlo(dispersed, n=2, out=tmp_path / "campaign")
    build(on_the_moon(on_turned_map, 360.0 - 29.06))


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
