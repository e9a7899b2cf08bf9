"""Elevation maps through rasterio and GDAL: GeoTIFF, PDS3 (attached or detached label), ISIS cube, Arc ASCII grid.

Only the window about the site is read. Distances are those on the reference surface at the site (see `georeference`);
heights stay what the file says they are, above its own reference, with scale, offset and unit applied.
"""

import math
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.readers.arc_ascii import check_arc_ascii, is_arc_ascii
from planetfall.world.terrain.readers.georeference import GroundMetric, MapSystem
from planetfall.world.terrain.readers.grid import FileGrid, raster_of, window_about
from planetfall.world.terrain.readers.pixels import height_unit, heights_of, pds_unit, suspect_note
from planetfall.world.terrain.readers.raster import PixelWindow, Raster, RasterReading, RasterSite
from planetfall.world.terrain.readers.site import Site, SiteLatLon, SiteMap, SitePixel
from planetfall.world.terrain.readers.source_file import checked_file, read_head

# A file whose smallest readable piece is larger than this is refused [byte], assumed.
_MAX_BLOCK_BYTES = 1 << 29
# Map axes that stand more than this out of square on the ground cannot be a rectangular grid [rad], assumed.
_MAX_SKEW = math.radians(1.0)


@dataclass(frozen=True)
class _Placed:
    """A grid with the site found on it: what is known before any pixel is read."""

    grid: FileGrid
    site: RasterSite
    system: MapSystem | None
    notes: tuple[str, ...]


def read_raster(
    path: str | Path,
    site: Site | None = None,
    half_width: float | None = None,
    reading: RasterReading | None = None,
) -> Raster:
    """Read the part of an elevation map about a site.

    Args:
        path: GeoTIFF, PDS3 label or image, ISIS cube or Arc ASCII grid.
        site: Origin of the raster's coordinates; None for the middle of the map.
        half_width: Half the side of the square that is read [m], cut at the edges of the map; None for all of it.
        reading: How to read what the file leaves open.

    Raises:
        InputError: The file cannot be read, its grid is rotated, the site lies off the map, or the window is too large.
    """
    import rasterio

    reading = RasterReading() if reading is None else reading
    file = checked_file(path)
    where = str(path)
    if half_width is not None and not (math.isfinite(half_width) and half_width > 0.0):
        raise InputError(where, f"half_width is {half_width} m", "a positive number of metres")
    check_arc_ascii(file)
    with _reading(where), rasterio.Env(GDAL_CACHEMAX=64 << 20), _opened(file) as dataset:
        band = _band(where, dataset, reading)
        placed = _placed(where, dataset, site, reading)
        reach = _reach(placed, half_width)
        window = window_about(placed.grid, placed.site.row, placed.site.column, reach, _bytes_each(dataset, band))
        stored = dataset.read(band, window=_slices(window))
        scaling = _scaling(where, file, dataset, band, reading)
        nodata = reading.nodata if reading.nodata is not None else dataset.nodatavals[band - 1]
        heights = heights_of(where, stored, nodata, dataset.driver, scaling)
        _apply_mask(heights, dataset, band, window)
        notes = placed.notes + suspect_note(stored, nodata) + _window_notes(placed, window, half_width)
        crs = placed.system.wkt if placed.system is not None else None
        source = f"{file.name} ({dataset.driver})"
        return raster_of(heights, placed.grid, window, placed.site, source, crs=crs, notes=notes)


@contextmanager
def _reading(where: str) -> Iterator[None]:
    """Turn whatever GDAL and rasterio raise into one InputError, and keep their warnings to themselves."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except InputError:
        raise
    except Exception as error:
        # Third-party readers raise what they like on corrupt files; all of it means the same to the user.
        cause = error.__cause__ or error
        raise InputError(
            where,
            f"GDAL cannot read it ({cause})",
            "a complete GeoTIFF, PDS3, ISIS cube or Arc ASCII file",
            "fetch the file again, with the label or image that belongs to it in the same folder",
        ) from error


def raster_driver(head: bytes) -> str | None:
    """GDAL's driver for a file that begins so, or None. No other is tried: some follow links or run expressions."""
    if head[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        return "GTiff"
    if re.match(rb"\s*Object\s*=\s*IsisCube", head):
        return "ISIS3"
    if b"PDS_VERSION_ID" in head or b"ODL_VERSION_ID" in head:
        return "PDS"
    return "AAIGrid" if is_arc_ascii(head) else None


def _opened(file: Path) -> Any:
    """The dataset; for a PDS image whose label is a file of its own, that of the label."""
    import rasterio

    for candidate in (file, file.with_suffix(".LBL"), file.with_suffix(".lbl")):
        driver = raster_driver(read_head(candidate)) if candidate.is_file() else None
        if driver is not None:
            return rasterio.open(candidate, driver=driver)
    raise InputError(
        str(file),
        "this is no raster of a known kind",
        "GeoTIFF, PDS3, ISIS cube or Arc ASCII grid",
        "a PDS image needs its label (.LBL) in the same folder",
    )


def _band(where: str, dataset: Any, reading: RasterReading) -> int:
    """Number of the band with the heights."""
    if reading.band is None and dataset.count != 1:
        raise InputError(
            where, f"the file has {dataset.count} bands", "one band of heights", "give band, from 1, or another file"
        )
    band = 1 if reading.band is None else reading.band
    if not 1 <= band <= dataset.count:
        raise InputError(where, f"band {band} was asked for", f"1 to {dataset.count}")
    rows, columns = dataset.block_shapes[band - 1]
    if rows * columns * _bytes_each(dataset, band) > _MAX_BLOCK_BYTES:
        raise InputError(
            where,
            f"the file is stored in blocks of {rows} x {columns} pixels",
            f"blocks of at most {_MAX_BLOCK_BYTES >> 20} MiB",
            "rewrite it in tiles: gdal_translate -co TILED=YES IN.tif OUT.tif",
        )
    return band


def _bytes_each(dataset: Any, band: int) -> int:
    """Bytes of a stored pixel."""
    return np.dtype(dataset.dtypes[band - 1]).itemsize


def _scaling(where: str, file: Path, dataset: Any, band: int, reading: RasterReading) -> tuple[float, float]:
    """Factor and offset that turn stored pixels into metres."""
    metres = reading.height_scale
    if metres is None:
        named = dataset.units[band - 1] or (pds_unit(Path(dataset.files[0])) if dataset.driver == "PDS" else None)
        metres = height_unit(where, named)
    if not (math.isfinite(metres) and metres != 0.0 and math.isfinite(reading.height_offset)):
        raise InputError(where, f"height_scale {metres}, height_offset {reading.height_offset}", "finite, scale not 0")
    factor, offset = dataset.scales[band - 1] * metres, dataset.offsets[band - 1] * metres + reading.height_offset
    if not (math.isfinite(factor) and factor != 0.0 and math.isfinite(offset)):
        raise InputError(where, f"the file's scale and offset are {factor} and {offset} m", "finite, scale not 0")
    return factor, offset


def _placed(where: str, dataset: Any, site: Site | None, reading: RasterReading) -> _Placed:
    """The grid of a dataset and the site on it."""
    if reading.spacing is not None:
        grid = local_grid(where, (dataset.height, dataset.width), reading)
        row, column = pixel_site(grid, site)
        notes = ("the file's own coordinate system was set aside for the spacing given",) if dataset.crs else ()
        return _Placed(grid, RasterSite(row, column, *grid.map_point(row, column)), None, notes)
    grid = _file_grid(where, dataset)
    system = MapSystem(dataset.crs) if dataset.crs else None
    row, column = _site_pixel(grid, site, system)
    x, y = grid.map_point(row, column)
    metric = system.metric(x, y) if system is not None else None
    site_found, notes = _site(where, RasterSite(row, column, x, y), system, metric, reading)
    return _Placed(grid, site_found, system, notes)


def _file_grid(where: str, dataset: Any) -> FileGrid:
    """The grid that the file's georeference describes."""
    t = dataset.transform
    if t.is_identity:
        raise InputError(
            where,
            "the file has no georeference, so the distance of its pixels is unknown",
            "a georeferenced file, or spacing",
            "give spacing [m]",
        )
    terms = (t.a, t.b, t.c, t.d, t.e, t.f)
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
        raise InputError(where, "the distance of pixels is not in the file", "spacing [m]", "give spacing")
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


def _site_pixel(grid: FileGrid, site: Site | None, system: MapSystem | None) -> tuple[float, float]:
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
    return f"the map's corners are at (latitude, longitude) {points} deg"


def _site(
    where: str, bare: RasterSite, system: MapSystem | None, metric: GroundMetric | None, reading: RasterReading
) -> tuple[RasterSite, tuple[str, ...]]:
    """The site with its place on the body and the metres per map unit, and what is to be said of them."""
    if metric is None:
        if system is not None and system.is_geographic:
            raise InputError(where, "the map is in degrees, of an unknown body", "a body's radius", "give spacing [m]")
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
    if abs(metric.convergence) > math.radians(1.0) and abs(metric.latitude) < math.radians(89.999):
        notes.append(f"the map's y axis points {math.degrees(metric.convergence):.2f} deg clockwise from true north")
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


def _reach(placed: _Placed, half_width: float | None) -> tuple[float, float] | None:
    """Half height and half width of the window [pixel]."""
    if half_width is None:
        return None
    scale_x, scale_y = placed.site.ground_per_map
    return half_width / (abs(placed.grid.step_y) * scale_y), half_width / (abs(placed.grid.step_x) * scale_x)


def _slices(window: PixelWindow) -> tuple[tuple[int, int], tuple[int, int]]:
    """First and one past the last, of rows and of columns, as rasterio takes them."""
    return (window.row, window.row + window.n_rows), (window.column, window.column + window.n_columns)


def _apply_mask(heights: np.ndarray, dataset: Any, band: int, window: PixelWindow) -> None:
    """Make holes where the file's own mask, if it has one, says so."""
    from rasterio.enums import MaskFlags

    if MaskFlags.per_dataset in dataset.mask_flag_enums[band - 1]:
        heights[dataset.read_masks(band, window=_slices(window)) == 0] = np.nan


def _window_notes(placed: _Placed, window: PixelWindow, half_width: float | None) -> tuple[str, ...]:
    """What is to be said of the window: cut at the edge, or so wide that the body's curvature shows."""
    scale_x, scale_y = placed.site.ground_per_map
    size_x = (window.n_columns - 1) * abs(placed.grid.step_x) * scale_x
    size_y = (window.n_rows - 1) * abs(placed.grid.step_y) * scale_y
    notes = []
    if half_width is not None and min(size_x, size_y) < 2.0 * half_width * (1.0 - 1e-9):
        notes.append(f"the map ends inside the window: {size_x:.6g} m x {size_y:.6g} m were read")
    if placed.site.radius is not None:
        drop = (size_x**2 + size_y**2) / 8.0 / placed.site.radius
        if drop > 1.0:
            notes.append(
                f"the reference surface falls {drop:.3g} m from the middle to the corners; heights are above it"
            )
    return tuple(notes)
