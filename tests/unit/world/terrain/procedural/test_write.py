"""What is written is read back: the same heights in the same place, the same facets."""

from pathlib import Path

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.scenario.files.load import terrain_from_dict
from planetfall.world.terrain.procedural.generate import GeneratedTerrain, generate
from planetfall.world.terrain.procedural.write import ground_mesh, terrain_files, write_terrain
from planetfall.world.terrain.readers.load import load_terrain_file
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.readers.rasters.raster import Raster, RasterReading
from support.made_ground import grid_mesh


@pytest.fixture(scope="module")
def field() -> GeneratedTerrain:
    return generate(
        terrain_from_dict(
            {
                "extent": [12.0, 9.0], "resolution": 0.3, "seed": 2, "slope_deg": 12.0, "aspect_deg": 30.0,
                "noise": {"amplitude": 0.2, "wavelength": 6.0, "octaves": 3}, "rocks": {"cover": 0.08},
            }
        )
    )  # fmt: skip


@pytest.mark.parametrize("ending", [".tif", ".asc", ".npy", ".TIF"])
def test_maps(field: GeneratedTerrain, tmp_path: Path, ending: str) -> None:
    """Bit for bit; the place to rounding."""
    ground, rocks = write_terrain(field, tmp_path / f"field{ending}")
    reading = RasterReading(spacing=0.3) if ending == ".npy" else None
    raster = load_terrain_file(ground, raster=reading)
    assert isinstance(raster, Raster)
    np.testing.assert_array_equal(raster.heights, field.heights)
    found = (raster.x_first, raster.y_first, raster.spacing_x, raster.spacing_y)
    np.testing.assert_allclose(found, (field.x_first, field.y_first, 0.3, 0.3), atol=1e-12)
    assert rocks == tmp_path / "field-rocks.ply"
    check_rocks(field, rocks, 0.0)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([ground.name, rocks.name])


def check_rocks(field: GeneratedTerrain, path: Path, tolerance: float) -> None:
    mesh = load_terrain_file(path)
    assert isinstance(mesh, MeshData)
    assert field.rock_mesh is not None
    found = mesh.vertices[mesh.facets]
    np.testing.assert_allclose(found, field.rock_mesh.vertices[field.rock_mesh.facets], rtol=0.0, atol=tolerance)


@pytest.mark.parametrize(("ending", "tolerance"), [(".ply", 0.0), (".obj", 0.0), (".stl", 5e-7)])
def test_meshes(field: GeneratedTerrain, tmp_path: Path, ending: str, tolerance: float) -> None:
    """Bit for bit but for STL, whose float32 is good to half a unit in 2^-20 m below 8 m."""
    ground, rocks = write_terrain(field, tmp_path / f"field{ending}")
    mesh = load_terrain_file(ground)
    assert isinstance(mesh, MeshData)
    vertices, facets = ground_mesh(field)
    np.testing.assert_allclose(mesh.vertices[mesh.facets], vertices[facets], rtol=0.0, atol=tolerance)
    assert len(mesh.vertices) == field.heights.size
    assert rocks.suffix == ending
    check_rocks(field, rocks, tolerance)


def test_ground_as_a_mesh_has_the_facets_of_the_map() -> None:
    """Cut from south-west to north-east, facing up."""
    made = generate(
        terrain_from_dict({"extent": [4.0, 4.0], "noise": {"amplitude": 0.3, "wavelength": 4.0, "octaves": 2}})
    )
    expected_vertices, expected_facets = grid_mesh(made.x, made.heights)
    vertices, facets = ground_mesh(made)
    np.testing.assert_array_equal(facets, expected_facets)
    np.testing.assert_allclose(vertices, expected_vertices, atol=1e-15)
    corners = vertices[facets]
    assert np.all(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] > 0.0)


def test_without_rocks_there_is_one_file(tmp_path: Path) -> None:
    made = generate(terrain_from_dict({"extent": [4.0, 4.0]}))
    assert write_terrain(made, str(tmp_path / "new" / "flat.tif")) == (tmp_path / "new" / "flat.tif",)


@pytest.mark.parametrize("name", ["field.png", "field", "field.tif.gz"])
def test_unknown_endings_are_refused(field: GeneratedTerrain, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"no terrain is written as .*\.tif, \.asc, \.npy.*\.stl, \.obj, \.ply"):
        terrain_files(field, tmp_path / name)


def test_a_place_that_cannot_be_written_to_is_named(field: GeneratedTerrain, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"x\.tif: cannot be written"):
        write_terrain(field, tmp_path / "file" / "x.tif")
    (tmp_path / "folder.tif").mkdir()
    with pytest.raises(InputError, match=r"folder\.tif: cannot be written"):
        write_terrain(field, tmp_path / "folder.tif")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.tif"]


def test_a_mesh_of_too_many_facets_is_refused(tmp_path: Path) -> None:
    made = generate(terrain_from_dict({"extent": [800.0, 800.0], "resolution": 0.5}))
    with pytest.raises(InputError, match=r"terrain\.resolution: 5120000 facets; expected at most 5000000 in a mesh"):
        write_terrain(made, tmp_path / "field.ply")
