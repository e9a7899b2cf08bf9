"""Campaigns as tables and rasters, on the map's own coordinates; rasterio and pandas read them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import planetfall
from support.terrain_files import EQUIRECTANGULAR, write_tiff

N = 400


def ensemble_on(scenario: planetfall.Scenario, places: np.ndarray, outcomes: np.ndarray) -> planetfall.Ensemble:
    columns = {name: ("run", values) for name, values in zip(("x_m", "y_m", "z_m"), places.T, strict=True)}
    data = xr.Dataset({"outcome": ("run", outcomes), **columns}, coords={"run": np.arange(len(places))})
    return planetfall.Ensemble(scenario, data)


@pytest.fixture
def on_a_map(tmp_path: Path) -> planetfall.Ensemble:
    """Landing places on a map of 5 m pixels whose north-west corner is at 1000 km east, 200 km north on Mars."""
    heights = np.zeros((41, 61), dtype=np.float32)
    path = write_tiff(tmp_path / "mars.tif", heights, corner=(1.0e6, 2.0e5), pixel=(5.0, 5.0), crs=EQUIRECTANGULAR)
    scenario = planetfall.load("msl-drop").with_values({"terrain": {"model": "dem", "file": str(path)}})
    rng = np.random.default_rng(5)
    places = np.column_stack([rng.uniform(-120, 120, N), rng.uniform(-80, 80, N), np.zeros(N)])
    places[3] = np.nan
    outcomes = np.where(rng.random(N) < 0.25, "overturned", "settled")
    return ensemble_on(scenario, places, outcomes)


def map_coordinates(places: np.ndarray) -> np.ndarray:
    """By hand: the origin is the map's middle; at 3.4 deg north a metre east is 1/cos(latitude) m on this map."""
    middle = np.array([1.0e6 + 61 * 2.5, 2.0e5 - 41 * 2.5])
    stretch = np.array([1.0 / np.cos(middle[1] / 3396190.0), 1.0])
    return middle + places[:, :2] * stretch


def test_csv_has_every_column_and_the_places_on_the_map(on_a_map: planetfall.Ensemble, tmp_path: Path) -> None:
    import pandas

    (path,) = planetfall.export(on_a_map, "csv", tmp_path / "runs.csv")
    table = pandas.read_csv(path)
    data = on_a_map.data
    np.testing.assert_array_equal(table["x_m"], data.x_m.values)
    assert list(table["outcome"]) == list(data.outcome.values)
    places = np.column_stack([data.x_m.values, data.y_m.values])
    # the reader's metres per map unit are differences, good to 1e-8 of at most 150 m
    found = table[["place.map_x", "place.map_y"]].to_numpy()
    np.testing.assert_allclose(found, map_coordinates(places), rtol=0, atol=1e-5)


def test_geotiff_counts_every_run_where_it_ended(on_a_map: planetfall.Ensemble, tmp_path: Path) -> None:
    import rasterio

    (path,) = planetfall.export(on_a_map, "geotiff", tmp_path / "runs.tif", cell=10.0)
    data = on_a_map.data
    places = map_coordinates(np.column_stack([data.x_m.values, data.y_m.values]))
    with rasterio.open(path) as raster:
        assert raster.descriptions == ("runs", "overturned", "settled")
        assert raster.crs.to_dict()["proj"] == "eqc"
        assert raster.res[1] == pytest.approx(10.0)
        counts = raster.read()
        assert counts[0].sum() == N - 1
        assert raster.tags()["runs_without_place"] == "1"
        np.testing.assert_array_equal(counts[0], counts[1] + counts[2])
        for run in range(0, N, 37):
            row, column = raster.index(*places[run])
            name = {"overturned": 1, "settled": 2}[str(data.outcome.values[run])]
            assert counts[name, row, column] > 0
        again = np.zeros_like(counts[0])
        for place in places[np.isfinite(places).all(axis=1)]:
            again[raster.index(*place)] += 1
        assert np.abs(again.astype(int) - counts[0]).sum() <= 2  # one place may lie on an edge to within rounding


def test_without_a_map_metres_of_the_site(tmp_path: Path) -> None:
    import rasterio

    places = np.array([[1.0, 2.0, 0.0], [1.2, 1.9, 0.0], [31.0, -5.0, 0.0]])
    runs = ensemble_on(planetfall.load("msl-drop"), places, np.full(3, "settled"))
    (path,) = planetfall.export(runs, "geotiff", tmp_path / "runs.tif", cell=1.0)
    with rasterio.open(path) as raster:
        assert raster.crs is None
        counts = raster.read(1)
        assert counts[raster.index(31.0, -5.0)] == 1
        assert counts[raster.index(1.1, 1.95)] == 2
        assert counts.sum() == 3


def test_on_a_whole_body_longitude_and_latitude(tmp_path: Path) -> None:
    """A place at 30 deg north, 100 deg east, at any distance from the middle."""
    import rasterio

    where = np.radians([30.0, 100.0])
    unit = np.array([np.cos(where[0]) * np.cos(where[1]), np.cos(where[0]) * np.sin(where[1]), np.sin(where[0])])
    places = np.array([2300.0 * unit, 1100.0 * unit, [0.0, 0.0, 900.0]])
    runs = ensemble_on(planetfall.load("minerva-67p"), places, np.array(["settled", "settled", "timed_out"]))
    (path,) = planetfall.export(runs, "geotiff", tmp_path / "runs.tif", cell=100.0)
    with rasterio.open(path) as raster:
        assert raster.crs.is_geographic
        counts = raster.read(1)
        assert counts[raster.index(100.0, 30.0)] == 2
        assert raster.res[0] == pytest.approx(np.degrees(100.0 / 2000.0))
        assert counts[raster.index(0.0, 90.0 - 1e-9)] == 1


@pytest.mark.parametrize("cell, says", [(0.0, "at least 0.001 m"), (1e-3, "at most 50000000 cells")])
def test_bad_cells_are_told(cell: float, says: str, on_a_map: planetfall.Ensemble, tmp_path: Path) -> None:
    with pytest.raises(planetfall.InputError, match=says):
        planetfall.export(on_a_map, "geotiff", tmp_path / "runs.tif", cell=cell)


def test_a_format_for_runs_is_refused(on_a_map: planetfall.Ensemble, tmp_path: Path) -> None:
    with pytest.raises(
        planetfall.InputError, match="a format for runs, and this is a campaign; expected one of csv, geotiff"
    ):
        planetfall.export(on_a_map, "oem", tmp_path / "runs.oem")
    with pytest.raises(planetfall.InputError, match="one of oem, aem, vtk, gltf, csv, geotiff"):
        planetfall.export(on_a_map, "shapefile", tmp_path / "runs.shp")
    with pytest.raises(planetfall.InputError, match=r"ends in \.csv"):
        planetfall.export(on_a_map, "csv", tmp_path / "runs.txt")


def test_histories_of_a_run_as_a_table(drop_run: planetfall.Trajectory, tmp_path: Path) -> None:
    import pandas

    (path,) = planetfall.export(drop_run, "csv", tmp_path / "run.csv")
    table, data = pandas.read_csv(path), drop_run.data
    np.testing.assert_array_equal(table["time [s]"], data.time.values)
    np.testing.assert_array_equal(table["position.vehicle.z [m]"], data.position.values[:, 0, 2])
    first = str(data.point.values[0])
    np.testing.assert_array_equal(table[f"contact_force.{first}.x [N]"], data.contact_force.values[:, 0, 0])
