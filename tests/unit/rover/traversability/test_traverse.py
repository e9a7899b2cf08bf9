"""Maps of scores: the same as single poses, north up in files, and refused where there are no cells."""

from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from planetfall.errors import InputError
from planetfall.rover.drive.path import middle_places
from planetfall.rover.kinematics.poses import find_poses, heading_yaw
from planetfall.rover.statics.statics import find_forces, soil_of
from planetfall.rover.traversability.traverse import LAYERS, MapScores, score_map
from planetfall.scenario.tables.rover import SoilCoulomb
from planetfall.scenario.tables.world.terrain import TerrainDem
from planetfall.world.terrain.ground import surface_of
from support.rovers import bench_rover, grid_surface, plane_surface, waves

ROVER = bench_rover(center_of_mass=(0.02, 0.0, 0.05))
HEIGHTS = waves(41, 0.1, 0.08, 1.0, 1)
HEIGHTS[30, 30] = np.nan
HEADINGS = [0.0, 45.0, 200.0]


def scored(**changes: object) -> MapScores:
    soil = soil_of(SoilCoulomb(law="coulomb", friction=0.6), ROVER)
    return score_map(ROVER, grid_surface(HEIGHTS, 0.1), soil, 3.71, HEADINGS, **changes)  # type: ignore[arg-type]


def test_a_map_holds_what_single_poses_give() -> None:
    """The same kernels' functions in another kernel; bit for bit before the layers are rounded to float32."""
    found = scored()
    soil = soil_of(SoilCoulomb(law="coulomb", friction=0.6), ROVER)
    assert found.verdict.shape == (3, 41, 41)
    for h, row, column in ((0, 20, 20), (1, 12, 25), (2, 28, 14)):
        yaw = heading_yaw([HEADINGS[h]])
        poses = find_poses(
            ROVER, grid_surface(HEIGHTS, 0.1), middle_places(ROVER, np.array([[found.x[column], found.y[row]]]), yaw)
        )
        forces = find_forces(poses, soil, 3.71)
        assert found.verdict[h, row, column] == forces.verdict[0]
        assert found.layers["slip_ratio"][h, row, column] == np.float32(forces.slip_ratio.max())
        assert found.layers["friction_used"][h, row, column] == np.float32(forces.friction_used.max())
        assert found.layers["stability_margin"][h, row, column] == np.float32(forces.stability_margin[0])
        assert found.layers["unloading_margin"][h, row, column] == np.float32(forces.unloading_margin[0])
        assert found.layers["roll"][h, row, column] == np.float32(poses.roll[0])


def test_edges_and_holes_have_no_pose() -> None:
    found = scored()
    assert (found.status[:, 0] == 3).all()
    assert (found.status[:, :, -1] == 3).all()
    assert (found.status == 4).any()
    assert found.is_off_map[:, 0].all()
    assert not found.is_off_map[found.status == 4].any()
    assert (found.verdict[found.is_off_map] == 6).all()
    assert np.isnan(found.layers["slip_ratio"][found.verdict == 6]).all()
    assert np.isfinite(found.layers["slip_ratio"][found.verdict != 6]).all()
    assert 0.1 < found.stands.mean() < 1.0


def test_number_of_threads_and_coarser_grids_change_nothing() -> None:
    one, two, coarse = scored(threads=1), scored(threads=2), scored(every=4)
    for name in LAYERS:
        np.testing.assert_array_equal(one.layers[name], two.layers[name])
        np.testing.assert_array_equal(one.layers[name][:, ::4, ::4], coarse.layers[name])


def test_files_are_north_up_and_carry_their_meaning(tmp_path: Path) -> None:
    found = scored(every=2)
    paths = found.save(tmp_path / "map")
    assert {path.stem for path in paths} == {*LAYERS, "verdict", "pose_status", "stands"}
    with rasterio.open(tmp_path / "map" / "pitch.tif") as file:
        assert file.tags()["units"] == "rad"
        assert file.tags()["axes"] == "x east, y north, z up"
        assert file.descriptions == ("heading 0 deg", "heading 45 deg", "heading 200 deg")
        row, column = file.index(found.x[5], found.y[12])
        np.testing.assert_array_equal(file.read(2)[row, column], found.layers["pitch"][1, 12, 5])
        assert np.isnan(file.nodata)
        np.testing.assert_allclose(file.xy(0, 0), (found.x[0], found.y[-1]))
    with rasterio.open(tmp_path / "map" / "verdict.tif") as file:
        np.testing.assert_array_equal(file.read()[:, ::-1], found.verdict)


def middle(transform: Affine, k: int) -> tuple[float, float]:
    """The middle of a pixel on the diagonal."""
    return transform.c + transform.a * (k + 0.5), transform.f + transform.e * (k + 0.5)


def test_layers_of_a_georeferenced_map_lie_where_the_map_lies(tmp_path: Path) -> None:
    """Every fourth node, in the same coordinate system: cells four times as wide about the same places."""
    transform = Affine(0.1, 0.0, 500_000.0, 0.0, -0.1, 5_600_000.0)
    options = {"driver": "GTiff", "count": 1, "dtype": "float64", "crs": "EPSG:32633", "transform": transform}
    heights = waves(41, 0.1, 0.02, 1.0, 1)
    with rasterio.open(tmp_path / "map.tif", "w", width=41, height=41, **options) as file:
        file.write(heights[::-1], 1)
    table = TerrainDem(model="dem", file=str(tmp_path / "map.tif"))
    surface = surface_of(table, ROVER.table.wheels.radius, "cpu")
    soil = soil_of(SoilCoulomb(law="coulomb", friction=0.6), ROVER)
    score_map(ROVER, surface, soil, 3.71, [0.0], every=4).save(tmp_path / "scores")
    with rasterio.open(tmp_path / "map.tif") as before, rasterio.open(tmp_path / "scores" / "verdict.tif") as after:
        assert after.crs == before.crs
        assert after.shape == (11, 11)
        for k in (0, 10):
            np.testing.assert_allclose(middle(after.transform, k), middle(before.transform, 4 * k), atol=1e-6)


def test_bad_requests_are_refused() -> None:
    soil = soil_of(SoilCoulomb(law="coulomb", friction=0.6), ROVER)
    with pytest.raises(InputError, match="no cells"):
        score_map(ROVER, plane_surface([0, 0, 1]), soil, 3.71, HEADINGS)
    for headings in ([], [np.nan]):
        with pytest.raises(InputError, match="headings"):
            score_map(ROVER, grid_surface(HEIGHTS, 0.1), soil, 3.71, headings)
    with pytest.raises(InputError, match="every"):
        scored(every=0)


def test_progress_is_told() -> None:
    told: list[float] = []
    scored(progress=told.append)
    assert told[-1] == 1.0
