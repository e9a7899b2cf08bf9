"""Landing on real terrain files: what a file's pixels and facets become when a vehicle touches them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_recorded
from planetfall.outcome import Outcome
from planetfall.scenario.scenario import Scenario
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.model import GROUND_HOLE, GROUND_OK
from planetfall.world.terrain.readers.rasters.raster import Raster
from support.shared_data import DATA
from support.terrain_files import read_raster

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no shared data at {DATA} (set PLANETFALL_SHARED_DATA)")

GALE = "dem/mars/mmgis_missionDEM.tif"
FIXTURE = "pds/hirise/fixture_hirise_dtm_attached_label.IMG"


def rover_on(file: str, **values: Any) -> Scenario:
    """The rover over a map; `values`: further keys, `__` for the dot."""
    return planetfall.load("msl-drop").with_values(
        {
            "scenario.duration": 1.5, "integrator.step": 5e-4, "integrator.accept_step": True,
            "terrain": {"model": "dem", "file": str(DATA / file)},
            **{key.replace("__", "."): value for key, value in values.items()},
        }
    )  # fmt: skip


def is_over_hole(raster: Raster, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Whether the facet of a column has a corner without data; cells are cut from south-west to north-east."""
    u, v = (x - raster.x_first) / raster.spacing_x, (y - raster.y_first) / raster.spacing_y
    i, j = np.floor(u).astype(int), np.floor(v).astype(int)
    third = np.where(v - j > u - i, raster.heights[j + 1, i], raster.heights[j, i + 1])
    return np.isnan(raster.heights[j, i] + raster.heights[j + 1, i + 1] + third)


def test_gale_as_geotiff_and_as_pds3_is_the_same_ground_but_for_15_holes() -> None:
    raster = read_raster(DATA / FIXTURE)
    rng = np.random.default_rng(0)
    x, y = (rng.uniform(axis[0], axis[-1], 200_000) for axis in (raster.x, raster.y))
    rows, columns = np.nonzero(np.isnan(raster.heights))
    assert len(rows) == 15
    near = rng.uniform(-1.5, 1.5, (2, 40 * 15))  # around each hole too
    x = np.append(x, np.repeat(raster.x[columns], 40) + near[0])
    y = np.append(y, np.repeat(raster.y[rows], 40) + near[1])
    on_map = (x > raster.x[0]) & (x < raster.x[-1]) & (y > raster.y[0]) & (y < raster.y[-1])
    x, y = x[on_map], y[on_map]
    points = np.column_stack([x, y, rng.uniform(-4480.0, -4430.0, len(x))])
    tiff, pds = (make_surface(rover_on(name), "cpu") for name in (GALE, FIXTURE))
    one, other = tiff.ask(points), pds.ask(points)
    holes = is_over_hole(raster, x, y)
    assert 100 < holes.sum() < 2000
    for found, expected in zip(other, one, strict=True):
        np.testing.assert_array_equal(found[~holes], expected[~holes])
    assert set(one[2]) == set(other[2][~holes]) == {int(GROUND_OK)}
    assert set(other[2][holes]) == {int(GROUND_HOLE)}
    np.testing.assert_array_equal(pds.facets_at(points[~holes]), tiff.facets_at(points[~holes]))
    assert [note for note in pds.facts["notes"] if "15 of 117276 pixels have no data and are holes" in note]
    assert not [note for note in tiff.facts["notes"] if "holes" in note]


def test_a_landing_on_either_is_the_same_and_one_over_a_hole_ends_there() -> None:
    raster = read_raster(DATA / FIXTURE)
    rows, columns = np.nonzero(np.isnan(raster.heights))
    far = [float(raster.x[60]), float(raster.y[60]), 0.0]
    assert np.hypot(raster.x[columns] - far[0], raster.y[rows] - far[1]).min() > 10.0
    runs = [run_recorded(build(rover_on(name, initial__position=far))) for name in (GALE, FIXTURE)]
    for name in ("time", "state", "modes"):
        np.testing.assert_array_equal(getattr(runs[0].frames, name), getattr(runs[1].frames, name))
    np.testing.assert_array_equal(runs[0].observed.force, runs[1].observed.force)
    assert runs[0].end.touches.sum() >= 4
    # a wheel over a pixel without data; the ground there is known from the other file
    ground = read_raster(DATA / GALE).heights[rows[0], columns[0]]
    above = {"position": [float(raster.x[columns[0]]) + 1.1, float(raster.y[rows[0]]), float(ground) + 4.0]}
    ends = [
        run_recorded(build(rover_on(name, initial={**above, "euler_ned_deg": [0.0, -90.0, 90.0]}))).end
        for name in (GALE, FIXTURE)
    ]
    assert Outcome(int(ends[0].status[0])) is not Outcome.hole
    assert Outcome(int(ends[1].status[0])) is Outcome.hole


def test_boulders_on_the_yard_that_they_were_taken_from() -> None:
    """The survey and its rocks share coordinates: the tops of rocks stand out of the ground."""
    values = {
        "terrain": {"model": "dem", "file": str(DATA / "dem/analog/marsyard2021_terrain_hm.tif"), "added": [
            {"model": "mesh", "file": str(DATA / "meshes/terrain/marsyard2021_rocks_big.obj")}]},
        "integrator.step": 5e-4, "integrator.accept_step": True,
    }  # fmt: skip
    scenario = planetfall.load("msl-drop").with_values(values)
    surface = make_surface(scenario, "cpu")
    bare = make_surface(scenario.with_values({"terrain.added": []}), "cpu")
    along = np.linspace(-14.0, 14.0, 120)
    x, y = (axis.ravel() for axis in np.meshgrid(along, along))
    origins, down = np.column_stack([x, y, np.full(len(x), 50.0)]), np.tile([0.0, 0.0, -1.0], (len(x), 1))
    higher = bare.cast(origins, down, 100.0)[0] - surface.cast(origins, down, 100.0)[0]
    facets = surface.cast(origins, down, 100.0)[1]
    assert np.all(higher >= 0.0)
    np.testing.assert_array_equal(higher > 0.0, facets >= bare.n_facets)
    assert 30 < (higher > 0.0).sum() < 300 and 0.2 < higher.max() < 1.0
    assert surface.n_facets == 2 * 499 * 499 + 6510
    # where a rock's top is what a point stands over, a little above it the gap is to the rock
    on_rock = np.flatnonzero(higher > 0.1)
    tops = origins[on_rock] + np.outer(bare.cast(origins, down, 100.0)[0][on_rock] - higher[on_rock], [0.0, 0.0, -1.0])
    gaps, _, statuses = surface.ask(tops - np.array([0.0, 0.0, 1e-3]))
    assert set(statuses) == {int(GROUND_OK)} and np.all((gaps < 0.0) & (gaps >= -1.001e-3))
