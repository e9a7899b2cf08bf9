"""Legacy VTK polydata, text and binary (big-endian), as the Small Body Mapping Tool has it."""

import re
from pathlib import Path

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, clean_mesh
from planetfall.world.terrain.readers.meshes.polygon import split_polygons
from planetfall.world.terrain.readers.source_file import check_count, check_facets, read_bytes

_ADVICE = "save it as legacy polydata of version 3 or 4, or as PLY"


def read_vtk(path: str | Path, merge_distance: float | None = 0.0) -> MeshData:
    """Read the points and polygons of a legacy VTK file.

    Args:
        path: The file.
        merge_distance: Vertices no further apart than this become one [unit of the file]; None to merge none.

    Raises:
        InputError: The file is not complete legacy polydata.
    """
    file, where, data = Path(path), str(path), read_bytes(path)
    head = re.match(rb"# vtk DataFile Version ([^\n]{1,20})\n[^\n]*\n\s*(ASCII|BINARY)\s+DATASET\s+(\w+)", data)
    if head is None or head[3] != b"POLYDATA":
        kind = head[3].decode("latin-1") if head else "no legacy VTK header"
        raise InputError(where, f"the dataset is {kind}", "POLYDATA", _ADVICE)
    is_text = head[2] == b"ASCII"
    points = re.search(rb"\bPOINTS\s+(\d{1,12})\s+(float|double)\s*?\n", data[head.end() : head.end() + 4096])
    if points is None:
        raise InputError(where, "no POINTS of type float or double", "POINTS n float", _ADVICE)
    is_float32, start = points[2] == b"float", head.end() + points.end()
    kind = (">f4" if is_float32 else ">f8") if not is_text else "f8"
    coordinates, end = _values(where, data, start, 3 * int(points[1]), kind, is_text)
    polygons = re.compile(rb"\s*POLYGONS\s+(\d{1,12})\s+(\d{1,12})\s*?\n").match(data, end)
    if polygons is None:
        raise InputError(where, "no POLYGONS after the points", "POLYGONS n size", _ADVICE)
    n_polygons, n_words = int(polygons[1]), int(polygons[2])
    check_facets(where, n_polygons)
    words, _ = _values(where, data, polygons.end(), n_words, "i8" if is_text else ">i4", is_text)
    corners, sizes = _lists(where, words.astype(np.int64), n_polygons)
    vertices = coordinates.astype(np.float64).reshape(-1, 3)
    facets, _, _ = split_polygons(where, vertices, corners, sizes)
    source = f"{file.name} (VTK, {'text' if is_text else 'binary'})"
    return clean_mesh(
        where, vertices, facets, source, is_float32=is_float32 and not is_text, merge_distance=merge_distance
    )


def _values(where: str, data: bytes, start: int, count: int, kind: str, is_text: bool) -> tuple[np.ndarray, int]:
    """So many numbers from a position on, and the position after them."""
    if not is_text:
        size = np.dtype(kind).itemsize
        check_count(where, "numbers", count, len(data) - start, size)
        return np.frombuffer(data, kind, count, start), start + count * size
    check_count(where, "numbers", count, len(data) - start + 1, 2)
    # Numbers go on to the next line that begins with a keyword.
    keyword = re.compile(rb"^[ \t]*[A-Z_]{4,}", re.MULTILINE).search(data, start)
    end = keyword.start() if keyword else len(data)
    try:
        values = np.array(data[start:end].decode("latin-1").split(), dtype=kind)
    except (ValueError, OverflowError) as error:
        raise InputError(where, f"a number is malformed ({error})", "numbers", "fetch the file again") from error
    if len(values) != count:
        raise InputError(where, f"{len(values)} numbers where {count} are announced", "a complete file", _ADVICE)
    return values, end


def _lists(where: str, words: np.ndarray, n_polygons: int) -> tuple[np.ndarray, np.ndarray]:
    """Corners and sizes from words "n a b c ..."."""
    if len(words) == 4 * n_polygons and (words[::4] == 3).all():
        return words.reshape(-1, 4)[:, 1:].ravel(), np.full(n_polygons, 3)
    sizes, corners, i = [], [], 0
    while i < len(words) and words[i] > 0:
        sizes.append(int(words[i]))
        corners.append(words[i + 1 : i + 1 + sizes[-1]])
        i += 1 + sizes[-1]
    if len(sizes) != n_polygons or i != len(words):
        raise InputError(
            where, f"the lists hold {len(sizes)} polygons, not {n_polygons}", "lists of their length", _ADVICE
        )
    return np.concatenate(corners) if corners else np.empty(0, np.int64), np.array(sizes, np.int64)
