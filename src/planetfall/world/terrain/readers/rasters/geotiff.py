"""Elevation maps through rasterio and GDAL: GeoTIFF, PDS3 (attached or detached label), ISIS cube, Arc ASCII grid.

Only the window about the site is read. Distances are those on the reference surface at the site (see `georeference`);
heights stay what the file says they are, above its own reference, with scale, offset and unit applied.
"""

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.files.files_read import report_read
from planetfall.world.terrain.readers.rasters.arc_ascii import check_arc_ascii, is_arc_ascii
from planetfall.world.terrain.readers.rasters.grid import window_about
from planetfall.world.terrain.readers.rasters.pixels import Storage, height_unit, heights_of, pds_unit
from planetfall.world.terrain.readers.rasters.raster import PixelWindow, RasterReading, check_half_width
from planetfall.world.terrain.readers.rasters.raster_file import RasterFile
from planetfall.world.terrain.readers.rasters.site import Site
from planetfall.world.terrain.readers.rasters.siting import SitedGrid, sited_grid
from planetfall.world.terrain.readers.source_file import checked_file, read_head

# A file whose smallest readable piece is larger than this is refused [byte], assumed.
_MAX_BLOCK_BYTES = 1 << 29


@contextmanager
def open_raster(
    path: str | Path,
    site: Site | None = None,
    half_width: float | None = None,
    reading: RasterReading | None = None,
) -> Iterator[RasterFile]:
    """The part of an elevation map about a site, held open: its grid and site are known, its pixels are not read yet.

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
    check_half_width(where, half_width)
    check_arc_ascii(file)
    with ExitStack() as stack:
        with _reading(where):
            # Arc ASCII grids would be read in single precision, which loses half a millimetre at 4 km.
            stack.enter_context(rasterio.Env(GDAL_CACHEMAX=64 << 20, AAIGRID_DATATYPE="Float64"))
            dataset = stack.enter_context(_opened(file))
            found = _raster_file(where, file, dataset, site, half_width, reading)
        yield found


def _raster_file(
    where: str, file: Path, dataset: Any, site: Site | None, half_width: float | None, reading: RasterReading
) -> RasterFile:
    """An open dataset with the site and the window found in it."""
    band = _band(where, dataset, reading)
    placed = sited_grid(where, dataset, site, reading)
    window = window_about(placed.grid, placed.site.row, placed.site.column, _reach(placed, half_width))
    storage = _storage(where, dataset, band, reading)

    def read(part: PixelWindow) -> tuple[np.ndarray, np.ndarray]:
        with _reading(where):
            stored = dataset.read(band, window=_slices(part))
            heights = heights_of(where, stored, storage, dataset.driver)
            _apply_mask(heights, dataset, band, part)
            return stored, heights

    crs = placed.system.wkt if placed.system is not None else None
    remarks = placed.notes + _window_notes(placed, window, half_width)
    return RasterFile(placed.grid, placed.site, window, storage, read, f"{file.name} ({dataset.driver})", crs, remarks)


@contextmanager
def _log_of_any_bytes() -> Iterator[None]:
    """Nothing is printed where rasterio cannot log a message of GDAL that quotes bytes of the file."""
    before = sys.unraisablehook

    def hook(found: Any) -> None:
        if not isinstance(found.exc_value, UnicodeDecodeError):
            before(found)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


@contextmanager
def _reading(where: str) -> Iterator[None]:
    """Turn whatever GDAL and rasterio raise into one InputError, and keep their warnings to themselves."""
    try:
        with warnings.catch_warnings(), _log_of_any_bytes():
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
    if re.search(rb"(?m)^\s*(PDS|ODL)_VERSION_ID\s*=", head):  # not in a comment of some other format
        return "PDS"
    return "AAIGrid" if is_arc_ascii(head) else None


def _opened(file: Path) -> Any:
    """The dataset; for a PDS image whose label is a file of its own, that of the label."""
    import rasterio

    for candidate in (file, file.with_suffix(".LBL"), file.with_suffix(".lbl")):
        driver = raster_driver(read_head(candidate)) if candidate.is_file() else None
        if driver in ("PDS", "ISIS3"):
            _check_pointers(candidate)
        if driver is not None:
            report_read(candidate)
            dataset = rasterio.open(candidate, driver=driver)
            for beside in (*dataset.files, *_looked_for(candidate)):
                report_read(beside)
            return dataset
    raise InputError(
        str(file),
        "this is no raster of a known kind",
        "GeoTIFF, PDS3, ISIS cube or Arc ASCII grid",
        "a PDS image needs its label (.LBL) in the same folder",
    )


def _looked_for(file: Path) -> list[Path]:
    """Files beside a map that GDAL reads where they are there: statistics and scaling, mask, coordinates."""
    return [Path(f"{file}{ending}") for ending in (".aux.xml", ".msk")] + [
        file.with_suffix(ending) for ending in (".aux.xml", ".prj", ".tfw", ".tifw", ".wld")
    ]


def _check_pointers(label: Path) -> None:
    """Refuses a label whose data lie in another folder: it could make any file of the machine into ground."""
    for pointer in re.findall(rb"(?m)^\s*\^\w+\s*=\s*\(?\s*[\"']?([^\"'\s,)]+)", read_head(label, 1 << 16)):
        name = pointer.decode("latin-1")
        if "/" in name or "\\" in name or name == "..":
            raise InputError(
                str(label), f"the label points to {name[:80]!r}", "a file in the same folder, by its name alone",
                "put the data beside the label",
            )  # fmt: skip


def _band(where: str, dataset: Any, reading: RasterReading) -> int:
    """Number of the band with the heights."""
    if reading.band is None and dataset.count != 1:
        raise InputError(
            where,
            f"the file has {dataset.count} bands",
            "one band of heights",
            "give band (terrain.band, --band), from 1, or another file",
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


def _storage(where: str, dataset: Any, band: int, reading: RasterReading) -> Storage:
    """What the stored pixels mean: their type, the missing value, and what turns them into metres."""
    metres = reading.height_scale
    if metres is None:
        named = dataset.units[band - 1] or (pds_unit(Path(dataset.files[0])) if dataset.driver == "PDS" else None)
        metres = height_unit(where, named)
    factor, offset = dataset.scales[band - 1] * metres, dataset.offsets[band - 1] * metres + reading.height_offset
    missing = dataset.nodatavals[band - 1] if reading.nodata is None else reading.nodata
    return Storage(np.dtype(dataset.dtypes[band - 1]), missing, factor, offset)


def _reach(placed: SitedGrid, half_width: float | None) -> tuple[float, float] | None:
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


def _window_notes(placed: SitedGrid, window: PixelWindow, half_width: float | None) -> tuple[str, ...]:
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
