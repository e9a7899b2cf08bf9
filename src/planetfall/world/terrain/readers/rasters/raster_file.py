"""A raster file held open: what is known before its pixels are read, and reading them whole or strip by strip."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.readers.rasters.grid import FileGrid, check_window, raster_of, turned
from planetfall.world.terrain.readers.rasters.pixels import Storage, check_suspects, suspect_counts, suspect_note
from planetfall.world.terrain.readers.rasters.raster import PixelWindow, Raster, RasterSite

MAX_STRIP_PIXELS = 5_000_000_000
"""Pixels that are read strip by strip, at most (assumed): minutes of work, and more than the largest global maps."""
STRIP_PIXELS = 1 << 20
"""Pixels of a strip, assumed: 8 MiB of heights, so that what is computed from them stays below 100 MiB."""


@dataclass
class RasterFile:
    """The window about a site in an open file. It remembers what the pixels read so far give rise to say.

    Attributes:
        grid: The file's grid.
        site: Origin of the coordinates.
        window: The pixels asked for.
        storage: How the file stores heights.
        read: Stored pixels of a part of the file, and their heights [m], both [file row, file column].
        source: File and driver, for people.
        crs: Coordinate system as WKT, or None.
        remarks: What is to be said before a pixel is read: sentences.
        lowest: Least height read so far [m]; infinite before that.
        highest: Largest height read so far [m].
    """

    grid: FileGrid
    site: RasterSite
    window: PixelWindow
    storage: Storage
    read: Callable[[PixelWindow], tuple[np.ndarray, np.ndarray]]
    source: str
    crs: str | None = None
    remarks: tuple[str, ...] = ()
    lowest: float = field(default=np.inf, init=False)
    highest: float = field(default=-np.inf, init=False)
    _suspects: Counter[float] = field(default_factory=Counter, init=False)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the file and the pixels read so far: sentences."""
        suspects = suspect_note(self._suspects) if self.storage.nodata is None else ()
        return (*self.remarks, *suspects, *_radius_note(self.lowest, self.site.radius))

    @property
    def height_step(self) -> float:
        """Distance of neighbouring heights in the file's own precision [m], at the largest one read so far."""
        return self.storage.step(max(abs(self.lowest), abs(self.highest)))

    def raster(self) -> Raster:
        """The whole window.

        Raises:
            InputError: It is too large to be held, no pixel of it has data, or some look like missing data that the
                file does not declare.
        """
        check_window(self.grid, self.window, self.storage.dtype.itemsize)
        heights = self._heights(self.window)
        self.check_data()
        if self.storage.nodata is None:
            check_suspects(self.grid.where, self._suspects)
        return self._raster(heights, self.window, self.notes)

    def strips(self, n_pixels: int = STRIP_PIXELS) -> Iterator[Raster]:
        """The window from south to north; the last row of a strip is the first of the next. Any may be without data.

        Raises:
            InputError: No pixel of the whole window has data.
        """
        whole = self.window
        if whole.n_rows * whole.n_columns > MAX_STRIP_PIXELS:
            raise InputError(
                self.grid.where, f"the map has {whole.n_rows} x {whole.n_columns} pixels",
                f"at most {MAX_STRIP_PIXELS:.0e} at a time", "look at a part of it: give half_width",
            )  # fmt: skip
        n_each = max(1, n_pixels // whole.n_columns)
        border = np.empty((0, whole.n_columns))
        for first in range(0, whole.n_rows, n_each):
            n_new = min(n_each, whole.n_rows - first)
            heights = np.concatenate([border, self._heights(_rows(whole, first, n_new))])
            n_rows = len(heights)
            yield self._raster(heights, _rows(whole, first + n_new - n_rows, n_rows), ())
            border = heights[-1:]
        self.check_data()

    def check_data(self) -> None:
        """Refuse a window in which no pixel that was read has data."""
        if self.lowest > self.highest:
            problem = "no pixel of the window has data"
            raise InputError(self.grid.where, problem, "heights at the site", "choose another site or file")

    def _raster(self, heights: np.ndarray, window: PixelWindow, notes: tuple[str, ...]) -> Raster:
        return raster_of(heights, self.grid, window, self.site, self.source, crs=self.crs, notes=notes)

    def _heights(self, window: PixelWindow) -> np.ndarray:
        """Heights [m] of a part of the file; index grows with east and north."""
        stored, heights = self.read(window)
        self._suspects.update(suspect_counts(stored))
        self.lowest = min(self.lowest, float(np.fmin.reduce(heights, axis=None, initial=np.inf)))
        self.highest = max(self.highest, float(np.fmax.reduce(heights, axis=None, initial=-np.inf)))
        return turned(heights, window)


def _rows(window: PixelWindow, first: int, n_rows: int) -> PixelWindow:
    """Some rows of a window, counted from the south."""
    row = window.row + (window.n_rows - first - n_rows if window.is_north_first else first)
    return replace(window, row=row, n_rows=n_rows)


def _radius_note(lowest: float, radius: float | None) -> tuple[str, ...]:
    """A sentence where the file gives distances from the body's centre, as products of altimeters do."""
    if radius is None or not 0.5 * radius < lowest < np.inf:
        return ()
    return (f"heights of {lowest:.7g} m and more look like radii; give height_offset = {-radius:.7g}",)
