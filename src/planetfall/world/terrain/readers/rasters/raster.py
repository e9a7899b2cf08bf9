"""A digital elevation map as plain arrays: what every raster reader returns."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from planetfall.errors import InputError


@dataclass(frozen=True)
class RasterReading:
    """How a raster file is to be read, where the file leaves a choice or says something wrong.

    Attributes:
        spacing: Distance of pixels [m], one number or (east, north), for a file without georeference. Where it is
            given, the file's own coordinate system is not used.
        metres: "ground": spacings are distances on the reference surface at the site; "map": the map's own metres,
            stretched as its projection has them.
        band: Band that holds the heights, from 1; may be left out where there is only one.
        nodata: Stored value that means "no data", or "none" where every pixel is a height; replaces what the file
            declares.
        height_scale: Metres per unit of the file's heights; None for the unit that the file names, else metres.
        height_offset: Added to all heights [m].
        is_north_first: Whether the first row is the northernmost, for a file without georeference.
    """

    spacing: float | tuple[float, float] | None = None
    metres: Literal["ground", "map"] = "ground"
    band: int | None = None
    nodata: float | Literal["none"] | None = None
    height_scale: float | None = None
    height_offset: float = 0.0
    is_north_first: bool = True


def check_half_width(where: str, half_width: float | None) -> None:
    """Refuses a window about the site that has no size."""
    if half_width is not None and not (math.isfinite(half_width) and half_width > 0.0):
        raise InputError(where, f"half_width is {half_width} m", "a positive number of metres")


@dataclass(frozen=True)
class PixelWindow:
    """Which pixels of the file a raster holds.

    Attributes:
        row: First file row (row 0 is the first that the file stores).
        column: First file column.
        n_rows: Number of rows.
        n_columns: Number of columns.
        is_north_first: Whether the file stores its northern row first, so that rows were turned round.
        is_east_first: Whether the file stores its eastern column first, so that columns were turned round.
    """

    row: int
    column: int
    n_rows: int
    n_columns: int
    is_north_first: bool = True
    is_east_first: bool = False


TURNED = math.radians(1.0)
"""Angle [rad] between a map's y axis and true north from which on that is told (assumed)."""


@dataclass(frozen=True)
class RasterSite:
    """Where the origin of the raster's coordinates lies.

    Attributes:
        row: File row, fractional; a whole number is a pixel centre.
        column: File column, likewise.
        map_x: Easting in the file's own coordinate system [its unit: metre, degree ...].
        map_y: Northing, likewise.
        latitude: Latitude [rad], or None without a coordinate system.
        longitude: East longitude [rad] in (-pi, pi], or None.
        radius: Equatorial radius of the reference body [m], or None.
        convergence: Azimuth of the raster's y axis [rad], clockwise from true north; 0 where it is not known.
        ground_per_map: Metres on the reference surface per map unit, along x and y, at the site.
    """

    row: float
    column: float
    map_x: float
    map_y: float
    latitude: float | None = None
    longitude: float | None = None
    radius: float | None = None
    convergence: float = 0.0
    ground_per_map: tuple[float, float] = (1.0, 1.0)

    def values(self) -> dict[str, Any]:
        """The same for people and for JSON, angles in degrees."""
        return {
            "row": self.row,
            "column": self.column,
            "map_x": self.map_x,
            "map_y": self.map_y,
            "latitude_deg": _degrees(self.latitude),
            "longitude_deg": _degrees(self.longitude),
            "body_radius_m": self.radius,
            "convergence_deg": _degrees(self.convergence),
            "ground_per_map": list(self.ground_per_map),
        }


def _degrees(angle: float | None) -> float | None:
    return None if angle is None else math.degrees(angle)


@dataclass(frozen=True)
class Raster:
    """Heights on a regular grid about a site. Index grows with east and north.

    Attributes:
        heights: Height above the map's own reference [m], float64 [row, column]; row 0 is the southernmost, column 0
            the westernmost; NaN where there is no data. Scale and offset of the file are applied.
        x_first: East coordinate of the centres of column 0 [m], from the site, along the map's x axis.
        y_first: North coordinate of the centres of row 0 [m], from the site, along the map's y axis.
        spacing_x: Distance of columns [m], > 0.
        spacing_y: Distance of rows [m], > 0.
        crs: Coordinate system of the file as WKT, or None.
        source: File and driver, for people.
        n_holes: Number of pixels without data.
        window: The pixels of the file that were read.
        site: The origin.
        notes: What a user should know: sentences.
    """

    heights: np.ndarray
    x_first: float
    y_first: float
    spacing_x: float
    spacing_y: float
    crs: str | None
    source: str
    n_holes: int
    window: PixelWindow
    site: RasterSite
    notes: tuple[str, ...] = ()

    @property
    def x(self) -> np.ndarray:
        """East coordinates of the columns [m], from the site."""
        return self.x_first + self.spacing_x * np.arange(self.heights.shape[1])

    @property
    def y(self) -> np.ndarray:
        """North coordinates of the rows [m], from the site."""
        return self.y_first + self.spacing_y * np.arange(self.heights.shape[0])

    @property
    def extent(self) -> tuple[float, float]:
        """Distance between the outermost pixel centres, east and north [m]."""
        n_rows, n_columns = self.heights.shape
        return (n_columns - 1) * self.spacing_x, (n_rows - 1) * self.spacing_y

    def file_pixel(self, row: int, column: int) -> tuple[int, int]:
        """Row and column in the file of an element of `heights`."""
        window = self.window
        file_row = window.n_rows - 1 - row if window.is_north_first else row
        file_column = window.n_columns - 1 - column if window.is_east_first else column
        return window.row + file_row, window.column + file_column
