"""The shape of a whole body from its file, looked at for all that would make its field or its gravity wrong."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.files.files_read import report_read
from planetfall.scenario.tables.world.shape_words import MADE_SHAPES
from planetfall.world.cache import Entry, cached, content_key
from planetfall.world.shape.enclosure import check_closed, check_once, enclosing
from planetfall.world.shape.made_shapes import COARSE, FINE, is_made, made_shape
from planetfall.world.shape.mass_properties import Center, centered
from planetfall.world.terrain.readers.load import MESH_FORMATS, MeshReading, file_kind, is_map, load_terrain_file
from planetfall.world.terrain.readers.meshes.gltf import buffer_files
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, Placement
from planetfall.world.terrain.readers.meshes.winding import oriented
from planetfall.world.terrain.readers.source_file import checked_file

VERSION = 1
"""Of how files are read and looked at: to be raised with every change of what is taken, or of a bit of it."""
LARGE = 4 << 20
"""Size of a file [byte] from which on what was read of it is kept in the cache (assumed: some 80,000 facets)."""


def load_shape(
    file: str | Path,
    where: str,
    scale: float = 1.0,
    center: Center = "file",
    hole: float = 0.0,
    *,
    hole_share: float = 0.0,
    crossed: int = 0,
    is_coarse: bool = False,
) -> MeshData:
    """The closed surface of a body from a mesh file, wound outward but for cavities, or a made one by its name.

    Args:
        file: The mesh, or the name of a made shape, which has its own scale and lies about its own axes.
        where: The key that names it, for messages.
        scale: Metres per unit of the file.
        center: Where origin and axes are put.
        hole: Largest extent [m] of a hole that is left as it is; a larger one is refused.
        hole_share: The same, over the longest extent of the body; the larger of both counts.
        crossed: Facets that others may pass through, and that may lie inside; with more the shape is refused.
        is_coarse: Whether few facets are enough, where the shape is a made one.

    Raises:
        InputError: The file is a map, or the mesh is open, one-sided, doubled or nested, encloses nothing, or passes
            through itself.
    """
    if is_made(str(file)):
        return made_shape(str(file), COARSE if is_coarse else FINE)
    path = _checked(file, where)

    def read() -> MeshData:
        found = _read(path, where, scale)
        check_once(found, where)
        outward = oriented(found, "outward")
        longest = float(np.ptp(found.vertices, axis=0).max())
        check_closed(outward, where, max(hole, hole_share * longest))
        return enclosing(found, outward, where, crossed)

    files = [path, *(buffer_files(path) if file_kind(path) == "gltf" else ())]
    is_kept = sum(file.stat().st_size for file in files) >= LARGE
    return centered(_kept(files, [scale, hole, hole_share, crossed], read) if is_kept else read(), center)


def _checked(file: str | Path, where: str) -> Path:
    """The path of a file that may be a mesh."""
    try:
        path = checked_file(file)
        file_kind(path)
    except InputError as error:
        named = f"a closed mesh ({MESH_FORMATS}), or a made shape: {', '.join(MADE_SHAPES)}"
        raise InputError(where, f"{file}: {error.problem}", named, error.advice) from None
    if is_map(path):
        raise InputError(where, f"{file} is a map", f"a closed mesh of the whole body ({MESH_FORMATS})")
    return path


def _read(path: Path, where: str, scale: float) -> MeshData:
    try:
        found = load_terrain_file(path, mesh=MeshReading(placement=Placement(scale=scale), up="z"))
    except InputError as error:
        raise InputError(where, f"{error.where}: {error.problem}", error.allowed, error.advice) from None
    assert isinstance(found, MeshData)  # no map gets here
    return found


def _kept(files: list[Path], choices: list[float], read: Callable[[], MeshData]) -> MeshData:
    """What was read of large files, from the cache where it is there: reading and looking at it takes long."""
    for file in files:
        report_read(file)
    contents = {f"content {i}": np.fromfile(file, dtype=np.uint8) for i, file in enumerate(files)}
    key = content_key(version=VERSION, name=files[0].name, choices=choices, **contents)

    def make() -> Entry:
        facts = asdict(read())
        arrays = {name: facts.pop(name) for name in ("vertices", "facets")}
        return Entry(arrays, facts)

    entry = cached("shape", key, make)
    facts = {name: value for name, value in entry.facts.items() if name != "cache"}
    return MeshData(**entry.arrays, **{**facts, "remarks": tuple(facts["remarks"])})
