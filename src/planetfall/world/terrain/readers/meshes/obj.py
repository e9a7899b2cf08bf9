"""Wavefront OBJ files: vertices and faces, read here and not through trimesh.

trimesh 5.2 counts relative (negative) indices from the end of the file instead of from the face's own line, takes index
0 for the first vertex, accepts vertices of two coordinates, and reorders the facets of groups. A landing needs the mesh
as it is written.
"""

from pathlib import Path

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, clean_mesh
from planetfall.world.terrain.readers.meshes.polygon import split_polygons
from planetfall.world.terrain.readers.source_file import check_facets, read_text

# Indices beyond this are corrupt, and some do not fit an integer.
_HIGHEST = 1 << 40


def read_obj(path: str | Path, merge_distance: float | None = 0.0) -> MeshData:
    """Read an OBJ file; materials, normals and texture coordinates are left out.

    Args:
        path: The file.
        merge_distance: Vertices no further apart than this become one [unit of the file]; None to merge none.

    Raises:
        InputError: A line is malformed, or an index is out of range.
    """
    file, where = Path(path), str(path)
    text = read_text(path).replace("\\\r\n", " ").replace("\\\n", " ")
    words: list[str] = []
    n_vertices = 0
    corners: list[int] = []
    sizes: list[int] = []
    n_lines = 0
    for number, line in enumerate(text.splitlines(), 1):
        tokens = line.split()
        keyword = tokens[0] if tokens else ""
        if keyword == "v":
            words += tokens[1:4]
            n_vertices += 1
        elif keyword == "f":
            face = _face(where, number, tokens[1:], n_vertices)
            corners += face
            sizes.append(len(face))
        elif keyword in ("l", "p"):
            n_lines += 1
    check_facets(where, len(sizes))
    vertices = _coordinates(where, words, n_vertices)
    indices = np.array(corners, np.int64) - 1
    facets, _, n_irregular = split_polygons(where, vertices, indices, np.array(sizes, np.int64))
    remarks = (f"{n_irregular} polygons cross themselves and became fans",) if n_irregular else ()
    source = f"{file.name} (OBJ)"
    return clean_mesh(where, vertices, facets, source, merge_distance=merge_distance, n_lines=n_lines, remarks=remarks)


def _face(where: str, number: int, tokens: list[str], n_before: int) -> list[int]:
    """Indices from 1 of a face's corners; the file counts so, or back from the last vertex before the line."""
    try:
        corners = [int(token) for token in tokens]
    except ValueError:
        corners = _decorated(tokens)
    if len(corners) >= 3 and min(corners) > 0 and max(corners) < _HIGHEST:
        return corners
    if len(corners) < 3 or 0 in corners or max(corners) >= _HIGHEST:
        raise InputError(
            f"{where}, line {number}",
            f"the face is {' '.join(tokens)[:80]!r}",
            "three or more whole numbers, from 1 or negative",
            "export the file again",
        )
    return [corner if corner > 0 else _relative(where, number, corner, n_before) for corner in corners]


def _decorated(tokens: list[str]) -> list[int]:
    """Vertex numbers of corners "v/vt/vn" before a comment, or none where one is no number."""
    comment = next((i for i, token in enumerate(tokens) if token.startswith("#")), len(tokens))
    try:
        return [int(token.partition("/")[0]) for token in tokens[:comment]]
    except ValueError:
        return []


def _relative(where: str, number: int, corner: int, n_before: int) -> int:
    """Index from 1 of a vertex that is counted back from the line of the face."""
    if n_before + corner < 0:
        raise InputError(f"{where}, line {number}", f"the index {corner}", f"-{n_before} to -1 at this line")
    return n_before + corner + 1


def _coordinates(where: str, words: list[str], n_vertices: int) -> np.ndarray:
    """Vertices [n, 3] from the first three words of their lines."""
    try:
        numbers = np.fromiter(map(float, words), np.float64, len(words))
    except ValueError as error:
        raise InputError(where, f"a vertex line is malformed ({error})", "v x y z", "export it again") from error
    if n_vertices == 0 or len(numbers) != 3 * n_vertices:
        raise InputError(where, "the file has no vertices, or some have not three coordinates", "lines 'v x y z'")
    return numbers.reshape(-1, 3)
