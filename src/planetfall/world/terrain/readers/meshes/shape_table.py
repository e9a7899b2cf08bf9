"""Tables of vertices and facets, as shape models of small bodies come: PDS `v`/`f` rows, and "nv nf" with bare rows.

These files look alike and count vertices from 0 or from 1 without saying which. Read with the wrong base, one of them
(the 7790-facet Eros) is still a closed surface, with 27 % less volume. The base is therefore taken from the indices
only where they leave no doubt: an index 0 needs base 0, an index equal to the number of vertices needs base 1.
Otherwise it has to be given.
"""

from pathlib import Path
from typing import Literal

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, clean_mesh
from planetfall.world.terrain.readers.source_file import check_count, check_facets, read_text

IndexBase = Literal[0, 1]


def read_shape_table(
    path: str | Path, merge_distance: float | None = 0.0, index_base: IndexBase | None = None
) -> MeshData:
    """Read a table of vertices and facets.

    Args:
        path: The file.
        merge_distance: Vertices no further apart than this become one [unit of the file]; None to merge none.
        index_base: Number of the first vertex, or None to tell it from the indices.

    Raises:
        InputError: A row is malformed, or the base cannot be told.
    """
    file, where = Path(path), str(path)
    rows = [line.split() for line in read_text(path).splitlines()]
    rows = [row for row in rows if row and not row[0].startswith("#")]
    if not rows:
        raise InputError(where, "the table has no rows", "rows of vertices and facets")
    is_lettered = rows[0][0] in ("v", "f")
    vertices, facets = _lettered(where, rows) if is_lettered else _counted(where, rows, file.stat().st_size)
    base = _index_base(where, facets, len(vertices), index_base)
    source = f"{file.name} (table of {'v/f rows' if is_lettered else 'bare rows'}, vertices from {base})"
    return clean_mesh(where, vertices, facets - base, source, merge_distance=merge_distance)


def _lettered(where: str, rows: list[list[str]]) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and facets of rows "v x y z" and "f a b c"."""
    points, corners = [row[1:] for row in rows if row[0] == "v"], [row[1:] for row in rows if row[0] == "f"]
    if len(points) + len(corners) != len(rows):
        other = next(row for row in rows if row[0] not in ("v", "f"))
        raise InputError(where, f"a row begins with {other[0][:20]!r}", "rows 'v x y z' and 'f a b c'")
    check_facets(where, len(corners))
    return _numbers(where, points, np.float64), _numbers(where, corners, np.int64)


def _counted(where: str, rows: list[list[str]], n_bytes: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and facets of bare rows after a first row with their numbers; a leading row number is dropped."""
    try:
        n_vertices, n_facets = (int(word) for word in rows[0])
    except ValueError as error:
        raise InputError(
            where, f"the first row is {' '.join(rows[0])[:60]!r}", "numbers of vertices and facets"
        ) from error
    check_facets(where, n_facets)
    check_count(where, "vertices", n_vertices, n_bytes, 6)
    check_count(where, "facets", n_facets, n_bytes, 6)
    if len(rows) != 1 + n_vertices + n_facets:
        raise InputError(
            where,
            f"{len(rows) - 1} rows follow",
            f"{n_vertices} of vertices and {n_facets} of facets",
            "the file is truncated or corrupt; fetch it again",
        )
    parts = rows[1 : 1 + n_vertices], rows[1 + n_vertices :]
    points, corners = ([row[1:] for row in part] if _is_numbered(part) else part for part in parts)
    return _numbers(where, points, np.float64), _numbers(where, corners, np.int64)


def _is_numbered(rows: list[list[str]]) -> bool:
    """Whether all rows have four columns and the first of them counts from 1."""
    return all(len(row) == 4 and row[0] == str(i) for i, row in enumerate(rows, 1))


def _numbers(where: str, rows: list[list[str]], kind: type) -> np.ndarray:
    """Rows of three numbers each."""
    try:
        table = np.array(rows, dtype=kind)
    except (ValueError, OverflowError) as error:
        raise InputError(where, f"a row is malformed ({error})", "three numbers in each row") from error
    if len(rows) == 0 or table.ndim != 2 or table.shape[1] != 3:
        raise InputError(
            where, "rows of vertices or facets are missing, or have not three numbers", "three in each row"
        )
    return table


def _index_base(where: str, facets: np.ndarray, n_vertices: int, given: IndexBase | None) -> int:
    """Number of the first vertex."""
    lowest, highest = int(facets.min()), int(facets.max())
    fits = [base for base in (0, 1) if base <= lowest and highest < n_vertices + base]
    allowed = f"0 to {n_vertices - 1}, or 1 to {n_vertices}"
    if given is not None:
        if given not in fits:
            problem = f"facets point at vertices {lowest} to {highest}, which does not fit index_base {given}"
            raise InputError(where, problem, allowed, "try the other base, or fetch the file again")
        return given
    if len(fits) != 1:
        problem = f"facets point at vertices {lowest} to {highest} of {n_vertices}"
        doubt = "give index_base = 0 or 1: both fit" if fits else "the file is truncated or corrupt; fetch it again"
        raise InputError(where, problem, allowed, doubt)
    return fits[0]
