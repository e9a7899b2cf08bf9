"""Bare NumPy arrays (`.npy`): heights without georeference, so the spacing has to be given."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.readers.rasters.grid import window_about
from planetfall.world.terrain.readers.rasters.pixels import Storage, heights_of
from planetfall.world.terrain.readers.rasters.raster import (
    PixelWindow,
    RasterReading,
    RasterSite,
    check_half_width,
)
from planetfall.world.terrain.readers.rasters.raster_file import RasterFile
from planetfall.world.terrain.readers.rasters.site import Site
from planetfall.world.terrain.readers.rasters.siting import local_grid, pixel_site
from planetfall.world.terrain.readers.source_file import check_count, checked_file


@contextmanager
def open_npy(
    path: str | Path,
    site: Site | None = None,
    half_width: float | None = None,
    reading: RasterReading | None = None,
) -> Iterator[RasterFile]:
    """The part of a bare array of heights about a site, held open as a memory map: nothing is read yet.

    Args:
        path: A `.npy` file with a two-dimensional array of real numbers, [row, column].
        site: Origin, by pixel or by metres from the middle; None for the middle.
        half_width: Half the side of the square that is read [m]; None for all of it.
        reading: `spacing` is needed; the first row is the northernmost unless `is_north_first` says otherwise.

    Raises:
        InputError: The file is not such an array, or the spacing is missing.
    """
    where, reading = str(path), RasterReading() if reading is None else reading
    file = checked_file(path)
    check_half_width(where, half_width)
    values = _array(where, file)
    grid = local_grid(where, values.shape, reading)
    row, column = pixel_site(grid, site)
    reach = None if half_width is None else (half_width / abs(grid.step_y), half_width / abs(grid.step_x))
    factor = 1.0 if reading.height_scale is None else reading.height_scale
    storage = Storage(values.dtype, reading.nodata, factor, reading.height_offset)

    def read(part: PixelWindow) -> tuple[np.ndarray, np.ndarray]:
        stored = np.array(values[part.row : part.row + part.n_rows, part.column : part.column + part.n_columns])
        return stored, heights_of(where, stored, storage, "npy")

    site_found = RasterSite(row, column, *grid.map_point(row, column))
    yield RasterFile(grid, site_found, window_about(grid, row, column, reach), storage, read, f"{file.name} (npy)")


def _array(where: str, file: Path) -> np.ndarray:
    """The array of a `.npy` file as a memory map, after its header was compared with the file's size."""
    try:
        with file.open("rb") as stream:
            version = np.lib.format.read_magic(stream)
            readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
            shape, is_fortran, dtype = readers[version](stream)
            start = stream.tell()
    except Exception as error:
        # The header is a Python literal: corrupt ones raise from SyntaxError to RecursionError.
        raise InputError(where, f"this is not a NumPy array file ({error})", ".npy, version 1 or 2") from error
    if len(shape) != 2 or dtype.kind not in "iuf" or dtype.hasobject:
        raise InputError(
            where,
            f"the array is {dtype} of shape {shape}",
            "real numbers [row, column]",
            "save heights as one 2-D array",
        )
    if min(shape) < 0:
        raise InputError(where, f"the array has shape {shape}", "sizes from 2")
    check_count(where, "pixels", shape[0] * shape[1], file.stat().st_size - start, dtype.itemsize)
    if min(shape) < 2:
        raise InputError(
            where, f"the map has {shape[0]} x {shape[1]} pixels", "at least 2 x 2, the corners of one cell"
        )
    return np.memmap(file, dtype, "r", start, shape, order="F" if is_fortran else "C")
