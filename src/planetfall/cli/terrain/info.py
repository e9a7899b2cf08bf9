"""`planetfall terrain info` and `planetfall terrain plot`."""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from planetfall.analysis.terrain.terrain_facts import MeshFacts, mesh_facts, raster_facts
from planetfall.cli.output.out_file import check_out_file, write_whole
from planetfall.cli.terminal.console import progress_bar
from planetfall.cli.terrain.text import Told, told_of_map, told_of_mesh
from planetfall.errors import InputError
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.world.terrain.readers.load import MeshReading, is_map, load_terrain_file, open_map
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, Placement
from planetfall.world.terrain.readers.rasters.raster import Raster, RasterReading
from planetfall.world.terrain.readers.rasters.raster_file import RasterFile
from planetfall.world.terrain.readers.rasters.site import Site, SiteLatLon, SitePixel

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Options:
    """How a terrain file is to be read, as given on the command line; None where an option was not given.

    Attributes:
        site_latlon: "LAT,LON" of the origin [deg].
        site_pixel: "ROW,COL" of the origin.
        half_width: Half the side of the square that is read [m].
        spacing: Distance of pixels [m].
        height_scale: Metres per unit of the file's heights.
        height_offset: Added to all heights [m].
        band: That holds the heights, from 1.
        nodata: Stored value that means no data, or "none".
        metres: Those on the ground, or the map's own.
        scale: Metres per unit of a mesh file.
        up: Axis of a mesh file that is up.
        rotation: "X,Y,Z,W", a scenario's quaternion for a mesh.
        offset: "X,Y,Z" [m], a scenario's for a mesh.
        orientation: What is done to the winding of a mesh.
        view: Whether a mesh is taken for ground seen from above or for a body.
    """

    site_latlon: str | None = None
    site_pixel: str | None = None
    half_width: float | None = None
    spacing: float | None = None
    height_scale: float | None = None
    height_offset: float | None = None
    band: int | None = None
    nodata: str | None = None
    metres: Literal["ground", "map"] | None = None
    scale: float | None = None
    up: Literal["y", "z"] | None = None
    rotation: str | None = None
    offset: str | None = None
    orientation: Literal["keep", "up", "outward"] | None = None
    view: Literal["auto", "map", "body"] | None = None


OF_MAPS = ("site_latlon", "site_pixel", "half_width", "spacing", "height_scale", "height_offset", "band", "nodata",
           "metres")  # fmt: skip
OF_MESHES = ("scale", "up", "rotation", "offset", "orientation", "view")


def terrain_info(file: Path, options: Options, as_json: bool) -> None:
    """Prints what a terrain file holds."""
    told = _told(file, options)
    if as_json:
        print(json.dumps({"file": str(file), **told.values}, indent=2, allow_nan=False))
        return
    print(told.title)
    for label, text in told.lines:
        print(f"  {label:<17} {text}")
    if told.notes:
        print("Notes")
    for note in told.notes:
        print(f"  {note}")


def terrain_plot(file: Path, options: Options, out: Path | None, force: bool) -> None:
    """Draws a terrain file into a PNG file, which is written whole or not at all."""
    out = Path(f"{file.stem}-terrain.png") if out is None else out.expanduser()
    check_out_file(out, ".png", force)
    picture = _map_picture(file, options) if is_map(file) else _mesh_picture(file, options)
    write_whole(out, picture)
    print(f"Figure   {out}")


def _told(file: Path, options: Options) -> Told:
    if is_map(file):
        with progress_bar(file.name) as progress, _open_map(file, options) as opened:
            return told_of_map(opened, raster_facts(_counted(opened, progress)))
    with progress_bar(file.name):
        mesh, facts = _read_mesh(file, options)
        return told_of_mesh(mesh, facts, _scale(options))


def _map_picture(file: Path, options: Options) -> bytes:
    from planetfall.analysis.terrain.terrain_view import raster_view
    from planetfall.report.ground.terrain_map import map_picture

    with progress_bar(file.name) as progress, _open_map(file, options) as opened:
        shape = (opened.window.n_rows, opened.window.n_columns)
        return map_picture(raster_view(_counted(opened, progress), shape), opened)


def _mesh_picture(file: Path, options: Options) -> bytes:
    from planetfall.analysis.terrain.terrain_view import mesh_views
    from planetfall.report.ground.terrain_map import mesh_picture

    with progress_bar(file.name) as progress:
        mesh, facts = _read_mesh(file, options)
        return mesh_picture(mesh_views(mesh, facts, progress=progress), mesh, facts)


def _open_map(file: Path, options: Options) -> AbstractContextManager[RasterFile]:
    _refuse(options, OF_MESHES, f"is for meshes, and {file} is a map of heights")
    reading = RasterReading(
        spacing=options.spacing,
        height_scale=options.height_scale,
        height_offset=0.0 if options.height_offset is None else options.height_offset,
        band=options.band,
        nodata=_nodata(options.nodata),
        metres=options.metres or "ground",
    )
    return open_map(file, _site(options), options.half_width, reading)


def _read_mesh(file: Path, options: Options) -> tuple[MeshData, MeshFacts]:
    _refuse(options, OF_MAPS, f"is for maps of heights, and {file} is a mesh")
    reading = MeshReading(placement=_placement(options), orientation=options.orientation or "keep", up=options.up)
    mesh = load_terrain_file(file, mesh=reading)
    assert isinstance(mesh, MeshData)
    return mesh, mesh_facts(mesh, options.view or "auto")


def _placement(options: Options) -> Placement:
    """As a scenario with the same scale, rotation and offset places the mesh."""
    x, y, z, w = _numbers("--rotation", options.rotation or "0,0,0,1", "X,Y,Z,W", "0,0,0.70710678,0.70710678", 4)
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if not abs(length - 1.0) <= 1e-6:  # as terrain.rotation
        raise InputError(f"--rotation {options.rotation}", f"its norm is {length:g}", "1", "normalise it")
    rows = rotation_matrix(np.array([x, y, z, w]) / length).tolist()
    dx, dy, dz = _numbers("--offset", options.offset or "0,0,0", "X,Y,Z", "0,0,-4500", 3)
    return Placement(scale=_scale(options), rotation=tuple(map(tuple, rows)), offset=(dx, dy, dz))


def _nodata(text: str | None) -> float | Literal["none"] | None:
    if text is None or text == "none":
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--nodata {text}", "is not a number", "a number, or none") from None


def _scale(options: Options) -> float:
    return 1.0 if options.scale is None else options.scale


def _refuse(options: Options, names: tuple[str, ...], problem: str) -> None:
    """Refuses options of the other kind of file; ignoring them would look as if they had been heeded."""
    for name in names:
        if getattr(options, name) is not None:
            raise InputError(f"--{name.replace('_', '-')}", problem, advice="leave it out")


def _site(options: Options) -> Site | None:
    if options.site_latlon is not None and options.site_pixel is not None:
        raise InputError("--site-pixel", "a site is given twice", advice="leave out --site-latlon or --site-pixel")
    if options.site_latlon is not None:
        return SiteLatLon(*_numbers("--site-latlon", options.site_latlon, "LAT,LON", "-4.67,137.37", 2))
    if options.site_pixel is not None:
        return SitePixel(*_numbers("--site-pixel", options.site_pixel, "ROW,COL", "120,340", 2))
    return None


def _numbers(option: str, text: str, form: str, example: str, count: int) -> list[float]:
    """So many numbers with commas between them."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if len(found) != count:
        raise InputError(f"{option} {text}", f"is not {form}", advice=f"for example {option} {example}")
    return found


def _counted(file: RasterFile, progress: Progress) -> Iterator[Raster]:
    """The strips of a file; says after each how much of it has been read."""
    n_done = 1
    for strip in file.strips():
        yield strip
        n_done += len(strip.heights) - 1
        progress(min(n_done / file.window.n_rows, 1.0))
