"""The regular grid of a raster file: pixels, map coordinates, and the window about a site."""

import math
from dataclasses import dataclass

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.readers.rasters.raster import PixelWindow, Raster, RasterSite
from planetfall.world.terrain.readers.source_file import MAX_PIXELS

# Pixels smaller or larger than this are no map of any world [m], assumed.
_SHORTEST, _LONGEST = 1e-6, 1e8


@dataclass(frozen=True)
class FileGrid:
    """Pixels of a file in the file's own map coordinates, without rotation or shear.

    Attributes:
        where: The file, for messages.
        n_rows: Rows in the file.
        n_columns: Columns in the file.
        map_x_first: Easting of the centre of file pixel [0, 0] [map unit].
        map_y_first: Northing of the same centre [map unit].
        step_x: Easting per column [map unit], negative where the file runs westward.
        step_y: Northing per row [map unit], negative where the file runs southward (the usual case).
    """

    where: str
    n_rows: int
    n_columns: int
    map_x_first: float
    map_y_first: float
    step_x: float
    step_y: float

    def map_point(self, row: float, column: float) -> tuple[float, float]:
        """Easting and northing of a pixel position [map unit]."""
        return self.map_x_first + column * self.step_x, self.map_y_first + row * self.step_y

    def pixel(self, map_x: float, map_y: float) -> tuple[float, float]:
        """Row and column, fractional, of a map position [map unit]."""
        return (map_y - self.map_y_first) / self.step_y, (map_x - self.map_x_first) / self.step_x

    def holds(self, row: float, column: float) -> bool:
        """Whether a pixel position lies on the map: not beyond the outermost pixel centres."""
        return 0.0 <= row <= self.n_rows - 1 and 0.0 <= column <= self.n_columns - 1

    @property
    def centre(self) -> tuple[float, float]:
        """Row and column of the middle of the map."""
        return (self.n_rows - 1) / 2.0, (self.n_columns - 1) / 2.0

    def check_size(self) -> None:
        """Refuse a map that has no cell."""
        if self.n_rows < 2 or self.n_columns < 2:
            raise InputError(
                self.where,
                f"the map has {self.n_rows} x {self.n_columns} pixels",
                "at least 2 x 2, the corners of one cell",
                "this is not an elevation map, or it was cut off",
            )


def window_about(grid: FileGrid, row: float, column: float, reach: tuple[float, float] | None) -> PixelWindow:
    """The pixels that cover a rectangle about a site, cut at the edges of the map.

    Args:
        grid: The file's grid.
        row: Site, file row.
        column: Site, file column.
        reach: Half height and half width [pixel], or None for the whole map.

    Raises:
        InputError: The site is off the map.
    """
    grid.check_size()
    if not grid.holds(row, column):
        raise InputError(
            grid.where,
            f"the site lies off the map, at row {row:.6g}, column {column:.6g}",
            f"rows 0 to {grid.n_rows - 1}, columns 0 to {grid.n_columns - 1}",
            "choose a site on the map, or a file that covers the site",
        )
    rows, columns = (math.inf, math.inf) if reach is None else reach
    first_row, n_rows = _span(row, rows, grid.n_rows)
    first_column, n_columns = _span(column, columns, grid.n_columns)
    return PixelWindow(first_row, first_column, n_rows, n_columns, grid.step_y < 0.0, grid.step_x < 0.0)


def check_window(grid: FileGrid, window: PixelWindow, bytes_each: int) -> None:
    """Refuse a window that is too large to be held at once; `bytes_each` is a pixel's size in the file."""
    n_rows, n_columns = window.n_rows, window.n_columns
    if n_rows * n_columns > MAX_PIXELS:
        raise InputError(
            grid.where,
            f"{n_rows} x {n_columns} pixels were asked for, {n_rows * n_columns * bytes_each >> 20} MiB of the file",
            f"at most {MAX_PIXELS} pixels",
            "give a site and a smaller half_width; only that window is read",
        )


def turned(values: np.ndarray, window: PixelWindow) -> np.ndarray:
    """Pixels in file order [file row, file column] so that the index grows with east and north."""
    values = values[::-1] if window.is_north_first else values
    return np.ascontiguousarray(values[:, ::-1] if window.is_east_first else values)


def _span(middle: float, reach: float, count: int) -> tuple[int, int]:
    """First index and number of indices that cover middle - reach .. middle + reach, inside 0 .. count - 1."""
    first = 0 if reach >= middle else math.floor(middle - reach)
    last = count - 1 if reach >= count - 1 - middle else math.ceil(middle + reach)
    # One cell at least, also for a window narrower than a pixel.
    if last == first:
        first, last = (first - 1, last) if last == count - 1 else (first, last + 1)
    return first, last - first + 1


def raster_of(
    heights: np.ndarray, grid: FileGrid, window: PixelWindow, site: RasterSite, source: str, **labels: object
) -> Raster:
    """The heights of a window with their place about the site.

    Args:
        heights: Heights of the window, float64 [row, column] [m]; index grows with east and north, NaN is no data.
        grid: The file's grid.
        window: The pixels read.
        site: Origin of the coordinates, with the metres per map unit.
        source: File and driver.
        labels: `crs` and `notes` of the raster.
    """
    row = window.row + (window.n_rows - 1 if window.is_north_first else 0)
    column = window.column + (window.n_columns - 1 if window.is_east_first else 0)
    scale_x, scale_y = site.ground_per_map
    if not all(_SHORTEST <= step <= _LONGEST for step in (abs(grid.step_x) * scale_x, abs(grid.step_y) * scale_y)):
        problem = f"pixels are {abs(grid.step_x) * scale_x:.3g} m x {abs(grid.step_y) * scale_y:.3g} m"
        raise InputError(grid.where, problem, f"{_SHORTEST:g} to {_LONGEST:g} m", "repair the georeference")
    return Raster(
        heights=heights,
        x_first=(column - site.column) * grid.step_x * scale_x,
        y_first=(row - site.row) * grid.step_y * scale_y,
        spacing_x=abs(grid.step_x) * scale_x,
        spacing_y=abs(grid.step_y) * scale_y,
        source=source,
        n_holes=int(np.count_nonzero(np.isnan(heights))),
        window=window,
        site=site,
        **labels,  # type: ignore[arg-type]
    )
