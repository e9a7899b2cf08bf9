"""STL files, ASCII and binary, through trimesh.

A binary file is known by its length, 84 + 50 n bytes, not by its first word: many of them begin with "solid". STL has
no shared vertices; equal positions are merged unless told otherwise.
"""

import re
import struct
from pathlib import Path

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, clean_mesh
from planetfall.world.terrain.readers.meshes.trimesh_file import check_facet_count, through_trimesh
from planetfall.world.terrain.readers.source_file import check_count, check_facets, read_bytes

_HEADER, _RECORD = 84, 50


def read_stl(path: str | Path, merge_distance: float | None = 0.0) -> MeshData:
    """Read an STL file.

    Args:
        path: The file.
        merge_distance: Vertices no further apart than this become one [unit of the file]; None to merge none.

    Raises:
        InputError: The file is not a complete STL file.
    """
    file, data = Path(path), read_bytes(path)
    claimed = struct.unpack_from("<I", data, 80)[0] if len(data) >= _HEADER else None
    if claimed is not None and len(data) == _HEADER + _RECORD * claimed:
        return _binary(file, data, claimed, merge_distance, ())
    if data[:512].lstrip()[:5].lower() == b"solid":
        return _ascii(file, data, merge_distance)
    if claimed is None:
        raise InputError(str(path), f"{len(data)} bytes are no STL file", f"'solid ...' or {_HEADER} bytes and more")
    check_count(str(path), "facets", claimed, len(data) - _HEADER, _RECORD)
    # Some programs write padding after the last facet.
    length = _HEADER + _RECORD * claimed
    remark = f"{len(data) - length} bytes after the last facet were ignored"
    return _binary(file, data[:length], claimed, merge_distance, (remark,))


def _binary(file: Path, data: bytes, claimed: int, merge_distance: float | None, remarks: tuple[str, ...]) -> MeshData:
    """A binary file of exactly the length that its header asks for."""
    check_facets(str(file), claimed)
    vertices, facets, _ = through_trimesh(file, data, "stl")
    check_facet_count(str(file), len(facets), claimed)
    source = f"{file.name} (STL, binary)"
    return clean_mesh(
        str(file), vertices, facets, source, is_float32=True, merge_distance=merge_distance, remarks=remarks
    )


def _ascii(file: Path, data: bytes, merge_distance: float | None) -> MeshData:
    """A text file, whose facets, vertices and ends have to match."""
    counts = {
        name: len(re.findall(pattern, data, re.IGNORECASE | re.MULTILINE))
        for name, pattern in (
            ("facets", rb"^[ \t]*facet\b"),
            ("ends of facets", rb"^[ \t]*endfacet\b"),
            ("vertices", rb"^[ \t]*vertex\b"),
            ("ends of solids", rb"^[ \t]*endsolid\b"),
        )
    }
    n_facets = counts["facets"]
    check_facets(str(file), n_facets)
    if counts["ends of facets"] != n_facets or counts["vertices"] != 3 * n_facets or not counts["ends of solids"]:
        found = ", ".join(f"{count} {name}" for name, count in counts.items())
        raise InputError(
            str(file), f"the text has {found}", "three vertices and one end for each facet, and 'endsolid'",
            "the file is truncated or corrupt; export it again",
        )  # fmt: skip
    # trimesh looks for its keywords in names as well.
    nameless = re.sub(rb"^[ \t]*(end|)solid\b[^\r\n]*", rb"\1solid", data, flags=re.IGNORECASE | re.MULTILINE)
    vertices, facets, _ = through_trimesh(file, nameless, "stl")
    check_facet_count(str(file), len(facets), n_facets)
    return clean_mesh(str(file), vertices, facets, f"{file.name} (STL, text)", merge_distance=merge_distance)
