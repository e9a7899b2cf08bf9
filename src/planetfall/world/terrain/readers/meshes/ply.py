"""PLY files, text and binary, through trimesh.

Polygons of more than three corners are split from their first corner. A binary file has to have polygons of one size,
as trimesh cannot read others.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, clean_mesh
from planetfall.world.terrain.readers.meshes.trimesh_file import check_facet_count, through_trimesh
from planetfall.world.terrain.readers.source_file import check_count, check_facets, read_bytes

_HEADER_BYTES = 1 << 16
_SIZES = {
    name: size
    for size, names in (
        (1, "char uchar int8 uint8"),
        (2, "short ushort int16 uint16 float16"),
        (4, "int uint int32 uint32 float float32"),
        (8, "int64 uint64 double float64"),
    )
    for name in names.split()
}


@dataclass
class _Element:
    """An element of the header: how many, the least bytes of one, and its properties by name."""

    name: str
    count: int
    properties: dict[str, str] = field(default_factory=dict)
    n_lists: int = 0
    row_bytes: int = 0


def read_ply(path: str | Path, merge_distance: float | None = 0.0) -> MeshData:
    """Read a PLY file.

    Args:
        path: The file.
        merge_distance: Vertices no further apart than this become one [unit of the file]; None to merge none.

    Raises:
        InputError: The file is not a complete PLY file with vertices and faces.
    """
    file, where, data = Path(path), str(path), read_bytes(path)
    is_text, elements, start = _header(where, data)
    vertex, face = _element(where, elements, "vertex"), _element(where, elements, "face")
    if not {"x", "y", "z"} <= set(vertex.properties) or face.n_lists == 0:
        raise InputError(where, "vertices have no x, y, z, or faces no list of vertices", "those properties")
    check_facets(where, face.count)
    room = len(data) - start
    for element in elements:
        # In text, a property takes a digit and a separator at the least; the last separator may be missing.
        least = 2 * max(1, len(element.properties)) if is_text else element.row_bytes
        check_count(where, f"of element '{element.name}'", element.count, room + is_text, max(1, least))
    vertices, facets, scene = through_trimesh(file, data, "ply", fix_texture=False)
    check_facet_count(where, len(facets), face.count)
    if not is_text:
        _check_lists(where, scene)
    if len(vertices) != vertex.count:
        raise InputError(where, f"{len(vertices)} vertices where the header has {vertex.count}", "a complete file")
    is_float32 = _SIZES[vertex.properties["x"]] <= 4 and not is_text
    source = f"{file.name} (PLY, {'text' if is_text else 'binary'})"
    return clean_mesh(where, vertices, facets, source, is_float32=is_float32, merge_distance=merge_distance)


def _header(where: str, data: bytes) -> tuple[bool, list[_Element], int]:
    """Whether the data are text, the elements, and where the data start."""
    end = data.find(b"end_header", 0, _HEADER_BYTES)
    line_end = data.find(b"\n", end) if end >= 0 else -1
    if not data.startswith(b"ply") or line_end < 0:
        raise InputError(where, "no PLY header with 'end_header'", "ply ... end_header", "export the file again")
    elements: list[_Element] = []
    is_text = None
    for line in data[:end].decode("latin-1").splitlines()[1:]:
        try:
            match line.split():
                case ["format", "ascii", *_]:
                    is_text = True
                case ["format", "binary_little_endian" | "binary_big_endian", *_]:
                    is_text = False
                case ["element", name, count]:
                    elements.append(_Element(name, int(count)))
                case ["property", "list", count_type, item_type, name] if item_type in _SIZES:
                    elements[-1].n_lists += 1
                    elements[-1].row_bytes += _SIZES[count_type]
                    elements[-1].properties[name] = item_type
                case ["property", kind, name]:
                    elements[-1].row_bytes += _SIZES[kind]
                    elements[-1].properties[name] = kind
                case [] | ["comment" | "obj_info", *_]:
                    pass
                case _:
                    raise ValueError("a line of no known kind")
        except (IndexError, KeyError, ValueError) as error:
            raise InputError(
                where, f"the header line {line[:80]!r} ({error!r})", "format, element, property"
            ) from error
    if is_text is None:
        raise InputError(where, "the header has no 'format'", "ascii, binary_little_endian, binary_big_endian")
    return is_text, elements, line_end + 1


def _element(where: str, elements: list[_Element], name: str) -> _Element:
    """The one element of a name, of which there is at least one."""
    found = [element for element in elements if element.name == name]
    if len(found) != 1 or found[0].count <= 0:
        count = found[0].count if len(found) == 1 else f"{len(found)} times declared"
        raise InputError(where, f"element '{name}': {count}", "vertices and faces, at least one of each")
    return found[0]


def _check_lists(where: str, scene: object) -> None:
    """Refuse polygons of unequal size: trimesh reads all of them with the size of the first."""
    for mesh in getattr(scene, "geometry", {}).values():
        face = mesh.metadata.get("_ply_raw", {}).get("face", {}).get("data")
        for name in getattr(getattr(face, "dtype", None), "names", None) or ():
            sizes = face[name].dtype.names and face[name]["f0"]
            if sizes is not None and len(sizes) and not (np.asarray(sizes) == sizes[0]).all():
                raise InputError(
                    where, "the faces have different numbers of corners", "a binary PLY of triangles only",
                    "triangulate the mesh, or save it as text",
                )  # fmt: skip
