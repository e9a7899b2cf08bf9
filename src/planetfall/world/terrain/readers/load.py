"""Any terrain file by its path: the reader is chosen by content where that is certain, else by the ending."""

import re
import struct
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.ac3d import read_ac3d
from planetfall.world.terrain.readers.meshes.gltf import read_gltf
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, Placement, placed
from planetfall.world.terrain.readers.meshes.obj import read_obj
from planetfall.world.terrain.readers.meshes.off import read_off
from planetfall.world.terrain.readers.meshes.ply import read_ply
from planetfall.world.terrain.readers.meshes.shape_table import IndexBase, read_shape_table
from planetfall.world.terrain.readers.meshes.stl import read_stl
from planetfall.world.terrain.readers.meshes.vtk import read_vtk
from planetfall.world.terrain.readers.meshes.winding import oriented
from planetfall.world.terrain.readers.rasters.geotiff import open_raster, raster_driver
from planetfall.world.terrain.readers.rasters.npy import open_npy
from planetfall.world.terrain.readers.rasters.raster import Raster, RasterReading
from planetfall.world.terrain.readers.rasters.raster_file import RasterFile
from planetfall.world.terrain.readers.rasters.site import Site
from planetfall.world.terrain.readers.source_file import checked_file, read_head

_RASTERS = {"raster": open_raster, "npy": open_npy}
_MESHES = {
    "stl": read_stl,
    "obj": read_obj,
    "ply": read_ply,
    "off": read_off,
    "gltf": read_gltf,
    "ac3d": read_ac3d,
    "vtk": read_vtk,
}
_TEXT_MESHES = ("obj", "ply", "off", "vtk", "stl", "ac3d")
"""Formats in whose text a label of PDS may stand."""
MESH_FORMATS = "STL, OBJ, PLY, OFF, glTF, GLB, AC3D, legacy VTK, shape table (v/f rows, or 'nv nf' and rows)"
_ENDINGS = {
    ".tif": "raster",
    ".tiff": "raster",
    ".img": "raster",
    ".lbl": "raster",
    ".cub": "raster",
    ".asc": "raster",
    ".npy": "npy",
    ".stl": "stl",
    ".obj": "obj",
    ".ply": "ply",
    ".off": "off",
    ".gltf": "gltf",
    ".glb": "gltf",
    ".ac": "ac3d",
    ".vtk": "vtk",
    ".tab": "table",
}


Orientation = Literal["keep", "up", "outward", "unchecked"]
"""What is done to the winding of a mesh."""
_Y_UP = {"gltf": "glTF", "ac3d": "AC3D"}
"""Formats whose y axis is up, by their own rules."""


@dataclass(frozen=True)
class MeshReading:
    """How a mesh file is to be read.

    Attributes:
        placement: Scale, rotation and place.
        merge_distance: Vertices no further apart than this become one [unit of the file]; 0 merges equal positions (STL
            has no other connection), None merges none.
        orientation: "keep" the winding of the file; or wind all facets alike and turn open sheets to face "up" (z,
            after placement) or "outward" (from the origin). Closed bodies face out in either case. A ground that is
            kept has to be one; "unchecked" keeps a cave, or anything else, as it is.
        index_base: Number of the first vertex in a shape table that leaves it open.
        up: Which axis of the file is up; "y" is turned to z before the placement, None leaves it as stored and notes
            where the format itself has y up.
    """

    placement: Placement = Placement()  # noqa: RUF009  frozen, hence safe to share
    merge_distance: float | None = 0.0
    orientation: Orientation = "keep"
    index_base: IndexBase | None = None
    up: Literal["y", "z"] | None = None


def load_terrain_file(
    path: str | Path,
    site: Site | None = None,
    half_width: float | None = None,
    raster: RasterReading | None = None,
    mesh: MeshReading | None = None,
) -> Raster | MeshData:
    """Read a terrain file of any known format.

    Args:
        path: The file.
        site: Origin of a raster's coordinates; None for its middle. A mesh has a placement instead.
        half_width: Half the side of the square that is read of a raster [m]; None for all of it.
        raster: How to read a raster.
        mesh: How to read a mesh.

    Raises:
        InputError: The format is not known, or the file is not what it should be.
    """
    file = checked_file(path)
    kind = file_kind(file)
    if kind in _RASTERS:
        with _RASTERS[kind](file, site, half_width, raster) as opened:
            return opened.raster()
    if site is not None or half_width is not None:
        raise InputError(
            str(path), "a site or half_width was given for a mesh", "those for rasters only", "give mesh.placement"
        )
    mesh = MeshReading() if mesh is None else mesh
    if kind == "table":
        found = read_shape_table(file, mesh.merge_distance, mesh.index_base)
    else:
        found = _MESHES[kind](file, mesh.merge_distance)
    if mesh.up is None and kind in _Y_UP:
        note = f"In {_Y_UP[kind]} y is up, and the axes are kept as stored, with z up; up = 'y' turns y to z"
        found = replace(found, remarks=(*found.remarks, note))
    return arranged_mesh(str(path), found, mesh)


def arranged_mesh(where: str, mesh: MeshData, reading: MeshReading) -> MeshData:
    """A mesh placed and wound as asked; `where` it comes from is for messages."""
    if reading.up == "y":
        x, y, z = mesh.vertices.T
        mesh = replace(mesh, vertices=np.ascontiguousarray(np.stack([x, -z, y], axis=-1)))
    found = placed(mesh, reading.placement)
    if reading.orientation in ("keep", "unchecked"):
        return found
    if reading.orientation not in ("up", "outward"):
        raise InputError(where, f"orientation is {reading.orientation!r}", "'keep', 'up', 'outward' or 'unchecked'")
    return oriented(found, "outward" if reading.orientation == "outward" else (0.0, 0.0, 1.0))


def is_map(path: str | Path) -> bool:
    """Whether a terrain file holds a map of heights, rather than a mesh."""
    return file_kind(checked_file(path)) in _RASTERS


def open_map(
    path: str | Path, site: Site | None = None, half_width: float | None = None, raster: RasterReading | None = None
) -> AbstractContextManager[RasterFile]:
    """A map held open, to be read strip by strip; arguments as those of `load_terrain_file`."""
    file = checked_file(path)
    kind = file_kind(file)
    if kind not in _RASTERS:
        raise InputError(str(path), f"this is a mesh ({kind})", "a map of heights")
    return _RASTERS[kind](file, site, half_width, raster)


def file_kind(file: Path) -> str:
    """The reader for a file: "raster", "npy", "table" or the name of a mesh format.

    Raises:
        InputError: Neither the content nor the ending is that of a known format.
    """
    head = read_head(file)
    ending = _ENDINGS.get(file.suffix.lower())
    kind = _kind_by_content(head, file.stat().st_size)
    if kind is None or (kind == "raster" and ending in _TEXT_MESHES and raster_driver(head) == "PDS"):
        kind = ending  # a label of PDS is text that other formats may quote
    if kind is None and file.suffix.lower() in (".txt", ".xyz", ""):
        kind = _kind_of_text(head)
    if kind is None:
        raise InputError(
            str(file),
            f"no known terrain format (ending {file.suffix!r})",
            f"GeoTIFF, PDS3 image or label, ISIS cube, Arc ASCII grid, npy; {MESH_FORMATS}",
            "convert the file",
        )
    return kind


def _kind_by_content(head: bytes, size: int) -> str | None:
    """The format of a file that begins with a mark of its own."""
    if raster_driver(head) is not None:
        return "raster"
    marks = (
        (b"\x93NUMPY", "npy"),
        (b"ply\n", "ply"),
        (b"ply\r", "ply"),
        (b"glTF", "gltf"),
        (b"# vtk DataFile", "vtk"),
        (b"AC3D", "ac3d"),
        (b"\xef\xbb\xbfAC3D", "ac3d"),
        ("\ufeffAC3D".encode("utf-16-le"), "ac3d"),
        ("\ufeffAC3D".encode("utf-16-be"), "ac3d"),
    )
    for mark, kind in marks:
        if head.startswith(mark):
            return kind
    if len(head) >= 84 and size == 84 + 50 * struct.unpack_from("<I", head, 80)[0]:
        return "stl"
    if re.match(rb"\s*\{", head) and b'"asset"' in head:
        return "gltf"
    return None


def _kind_of_text(head: bytes) -> str | None:
    """The format of a text file without a telling name."""
    if re.match(rb"\s*solid\b[^\n]*\n\s*facet\b", head):
        return "stl"
    if re.match(rb"\s*C?OFF\s", head):
        return "off"
    if re.match(rb"(\s*#[^\n]*\n)*\s*v(\s+[-+.\deE]+){3}\s", head):
        return "table"
    return "table" if re.match(rb"\s*\d+\s+\d+\s*\n", head) else None
