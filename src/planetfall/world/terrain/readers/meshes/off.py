"""OFF files (text) through trimesh."""

import re
from pathlib import Path

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, clean_mesh
from planetfall.world.terrain.readers.meshes.trimesh_file import check_facet_count, through_trimesh
from planetfall.world.terrain.readers.source_file import MAX_TEXT_BYTES, check_count, check_facets, read_bytes


def read_off(path: str | Path, merge_distance: float | None = 0.0) -> MeshData:
    """Read an OFF file.

    Args:
        path: The file.
        merge_distance: Vertices no further apart than this become one [unit of the file]; None to merge none.

    Raises:
        InputError: The file is not a complete OFF file.
    """
    file, where, data = Path(path), str(path), read_bytes(path, MAX_TEXT_BYTES)
    head = re.match(rb"\s*C?OFF\b(?:\s|#[^\n]*\n)*(\d{1,12})\s+(\d{1,12})\b", data)
    if head is None:
        raise InputError(where, "no OFF header", "OFF, then the numbers of vertices and faces", "export it again")
    n_vertices, n_faces = int(head[1]), int(head[2])
    check_facets(where, n_faces)
    room = len(data) - head.end() + 1
    check_count(where, "vertices", n_vertices, room, 6)
    check_count(where, "faces", n_faces, room, 8)
    vertices, facets, _ = through_trimesh(file, data, "off")
    check_facet_count(where, len(facets), n_faces)
    return clean_mesh(where, vertices, facets, f"{file.name} (OFF)", merge_distance=merge_distance)
