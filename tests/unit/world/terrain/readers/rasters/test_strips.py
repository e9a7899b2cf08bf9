"""A map read strip by strip is the map."""

from itertools import pairwise

import numpy as np
import pytest
from rasterio.transform import Affine

from planetfall.errors import InputError
from planetfall.world.terrain.readers.load import is_map, load_terrain_file, open_map
from planetfall.world.terrain.readers.rasters.raster import Raster, RasterReading
from planetfall.world.terrain.readers.rasters.site import SitePixel
from support.terrain_files import EQUIRECTANGULAR, arc_ascii, stl_binary, write_tiff

STORED = np.random.default_rng(4).normal(size=(23, 17)).astype(np.float32)
PLAIN = RasterReading(spacing=(2.0, 5.0))


def files(folder):
    """The same heights in files that run both ways, and in other formats."""
    for step_x, step_y in ((2.0, -5.0), (2.0, 5.0), (-2.0, -5.0)):
        yield write_tiff(folder / f"{step_x}{step_y}.tif", STORED, transform=Affine(step_x, 0.0, 0.0, 0.0, step_y, 0.0))
    np.save(folder / "a.npy", STORED)
    yield folder / "a.npy"
    (folder / "a.asc").write_text(arc_ascii(STORED.tolist()))
    yield folder / "a.asc"


def joined(strips: list[Raster]) -> np.ndarray:
    """Their rows, the shared ones once."""
    return np.concatenate([strips[0].heights, *(strip.heights[1:] for strip in strips[1:])])


@pytest.mark.parametrize("n_pixels", [1, 17, 18, 100, 10**6])
@pytest.mark.parametrize("half_width", [None, 12.0])
def test_strips_are_the_window(tmp_path, n_pixels, half_width):
    for path in files(tmp_path):
        reading = PLAIN if path.suffix == ".npy" else None
        whole = load_terrain_file(path, SitePixel(11, 8), half_width, reading)
        assert isinstance(whole, Raster)
        with open_map(path, SitePixel(11, 8), half_width, reading) as file:
            strips = list(file.strips(n_pixels))
            assert (file.lowest, file.highest) == (whole.heights.min(), whole.heights.max())
            assert file.notes == whole.notes
        assert np.array_equal(joined(strips), whole.heights)
        for before, after in pairwise(strips):
            assert np.array_equal(before.heights[-1], after.heights[0])
            assert after.y[0] == pytest.approx(before.y[-1], abs=1e-12)
        for strip in strips:
            assert strip.x_first == whole.x_first
            row = round((strip.y_first - whole.y_first) / whole.spacing_y)
            assert strip.file_pixel(0, 3) == whole.file_pixel(row, 3)
        assert strips[0].y_first == whole.y_first


def test_notes_tell_of_all_strips(tmp_path):
    stored = np.zeros((40, 10), np.float32)
    stored[::4, 3] = -9999.0
    path = write_tiff(tmp_path / "a.tif", stored)
    with pytest.raises(InputError, match="10 pixels hold -9999"):  # as ground they are refused until told
        load_terrain_file(path)
    with open_map(path) as file:
        for _ in file.strips(30):
            pass
        assert any("10 pixels hold -9999" in note for note in file.notes)


def test_strips_without_data_are_passed_over(tmp_path):
    stored = np.full((40, 10), -1.0, np.float32)
    path = write_tiff(tmp_path / "a.tif", stored, nodata=-1.0)
    with open_map(path) as file, pytest.raises(InputError, match="no pixel of the window has data"):
        list(file.strips(30))
    stored[33, 3] = 7.0
    with open_map(write_tiff(tmp_path / "b.tif", stored, nodata=-1.0)) as file:
        strips = list(file.strips(30))
    assert sum(strip.n_holes == strip.heights.size for strip in strips) > 10
    assert joined(strips)[40 - 1 - 33, 3] == 7.0


def test_a_fault_of_the_caller_is_not_the_files(tmp_path):
    with pytest.raises(ZeroDivisionError), open_map(write_tiff(tmp_path / "a.tif", STORED)) as file:
        for _ in file.strips():
            raise ZeroDivisionError


@pytest.mark.parametrize(
    ("dtype", "largest", "scale", "step"),
    [("float32", 4472.67, 1.0, 2.0**-11), ("float64", 4472.67, 1.0, 2.0**-40), ("int16", 300, 0.5, 0.5)],
)
def test_steps_of_heights(tmp_path, dtype, largest, scale, step):
    """float32 has 24 bits: from 4096 to 8192 its numbers are 2^-11 apart; integers are one scale apart."""
    stored = np.array([[1, 2], [3, largest]], dtype)
    with open_map(write_tiff(tmp_path / "a.tif", stored, scale=scale, offset=0.0)) as file:
        list(file.strips())
        assert file.height_step == step
        assert str(file.storage.dtype) == dtype


def test_maps_and_meshes_are_told_apart(tmp_path):
    (tmp_path / "a.stl").write_bytes(stl_binary())
    assert not is_map(tmp_path / "a.stl")
    assert is_map(write_tiff(tmp_path / "a.tif", STORED, crs=EQUIRECTANGULAR))
    with pytest.raises(InputError, match=r"this is a mesh \(stl\)"):
        open_map(tmp_path / "a.stl")
