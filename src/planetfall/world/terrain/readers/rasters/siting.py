"""Where the site of a raster is, and how long its map units are there."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.readers.rasters.georeference import GroundMetric, MapSystem
from planetfall.world.terrain.readers.rasters.grid import FileGrid
from planetfall.world.terrain.readers.rasters.raster import TURNED, RasterReading, RasterSite
from planetfall.world.terrain.readers.rasters.site import Site, SiteLatLon, SiteMap, SitePixel

# Map axes that stand more than this out of square on the ground cannot be a rectangular grid [rad], assumed.
_MAX_SKEW = math.radians(1.0)

GIVE_SPACING = "give spacing [m] (terrain.spacing, --spacing)"
"""What to do where the size of pixels is not known."""


@dataclass(frozen=True)
class SitedGrid:
    """A grid with the site found on it: what is known before any pixel is read."""

    grid: FileGrid
    site: RasterSite
    system: MapSystem | None
    notes: tuple[str, ...]


def sited_grid(where: str, dataset: Any, site: Site | None, reading: RasterReading) -> SitedGrid:
    """The grid of a dataset and the site on it."""
    if reading.spacing is not None:
        grid = local_grid(where, (dataset.height, dataset.width), reading)
        row, column = pixel_site(grid, site)
        notes = ("the file's own coordinate system was set aside for the spacing given",) if dataset.crs else ()
        return SitedGrid(grid, RasterSite(row, column, *grid.map_point(row, column)), None, notes)
    grid = _file_grid(where, dataset)
    system = MapSystem(dataset.crs) if dataset.crs else None
    row, column = site_pixel(grid, site, system)
    x, y = grid.map_point(row, column)
    metric = system.metric(x, y) if system is not None else None
    site_found, notes = _site(where, RasterSite(row, column, x, y), system, metric, reading)
    return SitedGrid(grid, site_found, system, notes)


def _file_grid(where: str, dataset: Any) -> FileGrid:
    """The grid that the file's georeference describes."""
    t = dataset.transform
    if t.is_identity:
        raise InputError(
            where,
            "the file has no georeference, so the distance of its pixels is unknown",
            "a georeferenced file, or spacing",
            GIVE_SPACING,
        )
    terms = (t.a, t.b, t.c, t.d, t.e, t.f)
    if t.a == t.e == 0.0 and t.b and t.d and all(map(math.isfinite, terms)):
        raise InputError(
            where, f"its rows run north and its columns east: rows and columns are swapped (terms {t.b:g} and {t.d:g})",
            "rows along east, columns along north", "resample it: gdalwarp IN.tif OUT.tif",
        )  # fmt: skip
    if not all(map(math.isfinite, terms)) or t.a == 0.0 or t.e == 0.0:
        raise InputError(where, f"the georeference is {terms}", "finite numbers, pixel size not 0", "repair the file")
    if abs(t.b) > 1e-9 * abs(t.a) or abs(t.d) > 1e-9 * abs(t.e):
        raise InputError(
            where,
            f"the grid is rotated or sheared (terms {t.b:g} and {t.d:g} beside pixel sizes {t.a:g} and {t.e:g})",
            "rows along east, columns along north",
            "resample it: gdalwarp IN.tif OUT.tif",
        )
    return FileGrid(where, dataset.height, dataset.width, t.c + 0.5 * t.a, t.f + 0.5 * t.e, t.a, t.e)


def local_grid(where: str, shape: tuple[int, int], reading: RasterReading) -> FileGrid:
    """The grid of a file without georeference, from the spacing given: metres from the middle of the map."""
    if reading.spacing is None:
        raise InputError(where, "the distance of pixels is not in the file", "one in metres", GIVE_SPACING)
    given = reading.spacing if isinstance(reading.spacing, tuple) else (reading.spacing, reading.spacing)
    if len(given) != 2 or not all(math.isfinite(step) and step > 0.0 for step in given):
        raise InputError(where, f"spacing is {reading.spacing} m", "positive numbers of metres, (east, north)")
    step_x, step_y = given[0], (-given[1] if reading.is_north_first else given[1])
    x_first, y_first = -0.5 * (shape[1] - 1) * step_x, -0.5 * (shape[0] - 1) * step_y
    return FileGrid(where, shape[0], shape[1], x_first, y_first, step_x, step_y)


def pixel_site(grid: FileGrid, site: Site | None) -> tuple[float, float]:
    """Row and column of a site that needs no coordinate system."""
    match site:
        case None:
            return grid.centre
        case SitePixel(row, column):
            point = (float(row), float(column))
        case SiteMap(x, y):
            point = grid.pixel(x, y)
        case SiteLatLon():
            raise InputError(
                grid.where,
                "a latitude and longitude were given, but the file has no coordinate system on a body",
                "SitePixel(row, column) or SiteMap(x, y)",
                "name the site by its pixel",
            )
    if not all(map(math.isfinite, point)):
        raise InputError(grid.where, f"the site is {site}", "finite numbers")
    return point


def site_pixel(grid: FileGrid, site: Site | None, system: MapSystem | None) -> tuple[float, float]:
    """Row and column of a site of any kind."""
    if not isinstance(site, SiteLatLon) or system is None or system.geographic is None:
        return pixel_site(grid, site)
    latitude, longitude = site.latitude_deg, site.longitude_deg
    if not (abs(latitude) <= 90.0 and -360.0 <= longitude <= 360.0):
        raise InputError(
            grid.where,
            f"the site is at latitude {latitude} deg, longitude {longitude} deg",
            "latitude -90 to 90, longitude -180 to 360, east positive",
        )
    candidates = [grid.pixel(x, y) for x, y in system.map_points(latitude, longitude)]
    on_map = [pixel for pixel in candidates if grid.holds(*pixel)]
    if on_map:
        return on_map[0]
    raise InputError(
        grid.where,
        f"the site at latitude {latitude} deg, longitude {longitude} deg lies off the map",
        _corners(grid, system),
        "choose a site on the map, or a file that covers the site",
    )


def _corners(grid: FileGrid, system: MapSystem) -> str:
    """Where the corners of a map lie, for a message."""
    ends = [(row, column) for row in (0, grid.n_rows - 1) for column in (0, grid.n_columns - 1)]
    x, y = np.array([grid.map_point(row, column) for row, column in ends]).T
    latitude, longitude = (np.degrees(angle) for angle in system.to_angles(x, y))
    points = ", ".join(f"({a:.6g}, {b:.6g})" for a, b in zip(latitude, longitude, strict=True))
    return f"a site between the map's corners at (latitude, longitude) {points} deg"


def _site(
    where: str, bare: RasterSite, system: MapSystem | None, metric: GroundMetric | None, reading: RasterReading
) -> tuple[RasterSite, tuple[str, ...]]:
    """The site with its place on the body and the metres per map unit, and what is to be said of them."""
    if metric is None:
        if system is not None and system.is_geographic:
            raise InputError(where, "the map is in degrees, of an unknown body", "a body's radius", GIVE_SPACING)
        unit = system.metres_per_unit if system is not None else 1.0
        return _with(bare, (unit, unit)), (f"the map has no place on a body; its units are taken as {unit:g} m",)
    if reading.metres not in ("ground", "map"):
        raise InputError(where, f"metres is {reading.metres!r}", "'ground' or 'map'")
    ground, notes = (metric.per_map_x, metric.per_map_y), []
    if reading.metres == "map":
        if system is None or system.is_geographic:
            raise InputError(where, "the map is in degrees and has no metres of its own", "metres = 'ground'")
        ground = (system.metres_per_unit, system.metres_per_unit)
    elif abs(metric.skew) > _MAX_SKEW:
        raise InputError(
            where,
            f"the map's axes stand {math.degrees(metric.skew):.2f} deg out of square at the site",
            f"at most {math.degrees(_MAX_SKEW):g} deg",
            "reproject it about the site (gdalwarp -t_srs), or accept the map's own metres with metres = 'map'",
        )
    if system is not None and not system.is_geographic:
        notes += _stretch_note(system.metres_per_unit / metric.per_map_x, system.metres_per_unit / metric.per_map_y)
    if abs(metric.convergence) > TURNED and abs(metric.latitude) < math.radians(89.999):
        turned = math.degrees(metric.convergence)
        way = "clockwise" if turned > 0.0 else "anticlockwise"
        notes.append(f"the map's y axis points {abs(turned):.2f} deg {way} from true north")
    return _with(bare, ground, metric), tuple(notes)


def _stretch_note(east: float, north: float) -> list[str]:
    """A sentence where the map's metres differ from those on the ground by more than 1 in 1000."""
    if max(abs(east - 1.0), abs(north - 1.0)) <= 1e-3:
        return []
    return [f"a metre on the ground is {east:.4f} m (east) and {north:.4f} m (north) on this map"]


def _with(bare: RasterSite, ground: tuple[float, float], metric: GroundMetric | None = None) -> RasterSite:
    """A site with its metres per map unit and, where it is known, its place on the body."""
    if metric is None:
        return RasterSite(bare.row, bare.column, bare.map_x, bare.map_y, ground_per_map=ground)
    place = (metric.latitude, metric.longitude, metric.radius, metric.convergence)
    return RasterSite(bare.row, bare.column, bare.map_x, bare.map_y, *place, ground_per_map=ground)
