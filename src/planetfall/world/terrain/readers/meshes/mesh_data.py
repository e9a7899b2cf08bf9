"""A triangle mesh as plain arrays: what every mesh reader returns, cleaned and placed."""

from dataclasses import dataclass, replace

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.readers.source_file import check_facets

# No coordinate of a terrain, in any unit of length in use, is larger.
_LARGEST_COORDINATE = 1e15
# A facet is degenerate whose height is below this share of its longest side, or below four roundings of a coordinate.
_THINNEST = 1e-12
# Resolution from which a user is warned [m], assumed: a millimetre is about the rest penetration of a footpad.
_COARSE_STEP = 1e-3


@dataclass(frozen=True)
class MeshData:
    """Triangles. Normals leave the ground where the winding is right: counter-clockwise seen from outside.

    Attributes:
        vertices: Vertex positions [m], float64 [vertex, 3], in the file's frame or, once placed, in the surface frame.
        facets: Vertex indices from 0, int32 [facet, 3].
        source: File and format, for people.
        coordinate_step: Distance of neighbouring numbers at the largest coordinate, in the precision of the file [m].
        is_float32: Whether the file stores coordinates in single precision.
        n_merged: Vertices that were dropped because another has the same position.
        n_unused: Vertices that were dropped because no facet has them.
        n_degenerate: Facets dropped because they have no area.
        n_two_sided: Facets that the file marks as visible from both sides.
        n_lines: Elements that are not surfaces (lines, points), skipped.
        remarks: What the reader has to say about the file: sentences.
        origin_in_file: Where the origin lies in the file's frame [m], if the mesh was moved onto its centre of mass.
        axes_in_file: Rows: x, y, z in components along the file's axes, if it was turned onto its axes of inertia.
    """

    vertices: np.ndarray
    facets: np.ndarray
    source: str
    coordinate_step: float
    is_float32: bool = False
    n_merged: int = 0
    n_unused: int = 0
    n_degenerate: int = 0
    n_two_sided: int = 0
    n_lines: int = 0
    remarks: tuple[str, ...] = ()
    origin_in_file: tuple[float, ...] = ()
    axes_in_file: tuple[tuple[float, ...], ...] = ()

    @property
    def bounds(self) -> np.ndarray:
        """Lowest and highest coordinates [m], shape [2, 3]."""
        return np.array([self.vertices.min(axis=0), self.vertices.max(axis=0)])

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know: sentences."""
        notes = list(self.remarks)
        if self.is_float32 and self.coordinate_step > _COARSE_STEP:
            largest = float(np.abs(self.bounds).max())
            notes.append(
                f"coordinates up to {largest:.4g} m are stored in single precision, in steps of "
                f"{self.coordinate_step:.3g} m; use a file in local coordinates or in double precision"
            )
        counts = (
            (self.n_degenerate, "facets without area were dropped"),
            (self.n_two_sided, "facets are marked two-sided; contact takes the side of their winding"),
            (self.n_lines, "lines or points were skipped"),
        )
        return (*notes, *(f"{count} {text}" for count, text in counts if count))


def clean_mesh(
    where: str,
    vertices: np.ndarray,
    facets: np.ndarray,
    source: str,
    *,
    is_float32: bool = False,
    merge_distance: float | None = 0.0,
    n_two_sided: int = 0,
    n_lines: int = 0,
    remarks: tuple[str, ...] = (),
) -> MeshData:
    """Check what a reader found, merge vertices of equal position, and drop facets without area.

    Args:
        where: The file, for messages.
        vertices: Positions in the file's frame and unit, [vertex, 3].
        facets: Indices from 0, [facet, 3].
        source: File and format.
        is_float32: Whether the file stores single precision.
        merge_distance: Vertices no further apart than this become one, and unused ones go [unit of the file]; None to
            keep all.
        n_two_sided: Facets marked two-sided.
        n_lines: Skipped elements.
        remarks: Sentences of the reader.

    Raises:
        InputError: There is no facet, an index is out of range, or a coordinate is not a finite length.
    """
    vertices = np.asarray(vertices, dtype=np.float64).reshape(-1, 3)
    facets = np.asarray(facets, dtype=np.int64).reshape(-1, 3)
    check_facets(where, len(facets))
    _check(where, vertices, facets, n_lines)
    step = float(np.spacing(np.float32(np.abs(vertices).max()) if is_float32 else np.abs(vertices).max()))
    n_merged, n_before = 0, len(facets)
    n_unused = 0
    if merge_distance is not None:
        n_all = len(vertices)
        vertices, facets = _used(vertices, facets)
        n_unused, n_used = n_all - len(vertices), len(vertices)
        vertices, facets = _merged(vertices, facets, _groups(where, vertices, merge_distance))
        n_merged = n_used - len(vertices)
    facets = facets[~_degenerate(vertices, facets)]
    if len(facets) == 0:
        raise InputError(where, f"none of its {n_before} facets has an area", "a surface", "export the mesh again")
    return MeshData(
        np.ascontiguousarray(vertices),
        np.ascontiguousarray(facets, dtype=np.int32),
        source,
        step,
        is_float32,
        n_merged,
        n_unused,
        n_before - len(facets),
        n_two_sided,
        n_lines,
        remarks,
    )


def _check(where: str, vertices: np.ndarray, facets: np.ndarray, n_lines: int) -> None:
    """Refuse a mesh that is empty, points at vertices it does not have, or has no lengths for coordinates."""
    if len(facets) == 0 or len(vertices) == 0:
        skipped = f" (only {n_lines} lines or points)" if n_lines else ""
        raise InputError(where, f"the file holds no facets{skipped}", "a surface of triangles or polygons")
    lowest, highest = int(facets.min()), int(facets.max())
    if lowest < 0 or highest >= len(vertices):
        raise InputError(
            where,
            f"a facet points at vertex {lowest if lowest < 0 else highest}",
            f"0 to {len(vertices) - 1}, counted from 0",
            "the file is truncated or corrupt; export it again",
        )
    bad = ~(np.abs(vertices) <= _LARGEST_COORDINATE).all(axis=1)
    if bad.any():
        i_bad = int(np.argmax(bad))
        raise InputError(
            where,
            f"vertex {i_bad} is at {vertices[i_bad].tolist()}; {int(bad.sum())} such vertices",
            f"finite coordinates within {_LARGEST_COORDINATE:.0e}",
            "export the mesh again",
        )


def _used(vertices: np.ndarray, facets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The vertices that facets have, in the file's order, and the facets on them."""
    is_used = np.zeros(len(vertices), dtype=bool)
    is_used[facets.ravel()] = True
    to_new = np.cumsum(is_used) - 1
    return vertices[is_used] + 0.0, to_new[facets]  # -0.0 becomes 0.0: equal numbers are to sort alike


def _groups(where: str, vertices: np.ndarray, distance: float) -> np.ndarray:
    """Number of the group of each vertex: those of equal position, or linked by steps of at most the distance."""
    if not (np.isfinite(distance) and distance >= 0.0):
        raise InputError(where, f"merge_distance is {distance}", "a number from 0, in units of the file, or None")
    if distance == 0.0:
        order = np.lexsort(vertices.T)
        is_new = np.ones(len(order), dtype=bool)
        is_new[1:] = (vertices[order[1:]] != vertices[order[:-1]]).any(axis=1)
        group = np.empty(len(order), dtype=np.int64)
        group[order] = np.cumsum(is_new) - 1
        return group
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import KDTree

    tree = KDTree(vertices)
    # Counted first: a distance of many facets would pair all with all.
    if tree.count_neighbors(tree, distance) > 20 * len(vertices):
        problem = f"merge_distance {distance} links more than 20 vertices on average"
        raise InputError(where, problem, "a distance far below the size of a facet", "give a smaller one")
    pairs = tree.query_pairs(distance, output_type="ndarray")
    links = coo_array((np.ones(len(pairs), dtype=np.int8), pairs.T), shape=(len(vertices), len(vertices)))
    return connected_components(links, directed=False)[1]


def _merged(vertices: np.ndarray, facets: np.ndarray, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One vertex for each group, its first in the file's order, and the facets on them."""
    first = np.full(int(group.max()) + 1, len(vertices), dtype=np.int64)
    np.minimum.at(first, group, np.arange(len(vertices)))
    ranked = np.argsort(first)
    rank = np.empty_like(ranked)
    rank[ranked] = np.arange(len(ranked))
    return vertices[first[ranked]], rank[group][facets]


def _degenerate(vertices: np.ndarray, facets: np.ndarray) -> np.ndarray:
    """Which facets have no area: two corners are one, or all three lie on a line to within rounding."""
    a, b, c = (vertices[facets[:, i]] for i in range(3))
    sides = np.stack([b - a, c - b, a - c])
    longest = np.sqrt((sides**2).sum(axis=2)).max(axis=0)
    doubled = np.sqrt((np.cross(sides[0], sides[1]) ** 2).sum(axis=1))
    rounding = 4.0 * np.spacing(np.maximum(np.maximum(np.abs(a), np.abs(b)), np.abs(c)).max(axis=1))
    return doubled <= longest * np.maximum(_THINNEST * longest, rounding)


@dataclass(frozen=True)
class Placement:
    """Where a mesh is put: x_surface = rotation @ (scale * x_file - origin) + offset.

    `origin` is subtracted before the rotation, so that planet-fixed coordinates lose no digits in it.

    Attributes:
        scale: Metres per unit of the file, > 0.
        rotation: Rotation matrix from the file's axes to those of the surface frame, three rows of three.
        origin: Point of the file, after scaling, that becomes the origin [m].
        offset: Added last [m], surface frame.
    """

    scale: float = 1.0
    rotation: tuple[tuple[float, float, float], ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


def placed(mesh: MeshData, placement: Placement) -> MeshData:
    """A mesh scaled, rotated and moved.

    Raises:
        InputError: The scale is not positive, or the matrix is not a rotation.
    """
    where = mesh.source
    try:
        rotation = np.array(placement.rotation, dtype=np.float64)
        origin, offset = np.array(placement.origin, dtype=np.float64), np.array(placement.offset, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(where, f"the placement is not made of numbers ({error})", "numbers") from error
    if not (np.isfinite(placement.scale) and placement.scale > 0.0):
        raise InputError(where, f"scale is {placement.scale}", "a positive number of metres per unit of the file")
    for name, vector in (("origin", origin), ("offset", offset)):
        if vector.shape != (3,) or not np.isfinite(vector).all():
            raise InputError(where, f"{name} is {vector.tolist()} m", "three finite numbers")
    # 1e-9: a matrix typed with ten digits passes, and distances keep nine.
    is_rotation = rotation.shape == (3, 3) and np.allclose(rotation @ rotation.T, np.eye(3), rtol=0.0, atol=1e-9)
    if not is_rotation or np.linalg.det(rotation) < 0.0:
        raise InputError(where, f"rotation is {rotation.tolist()}", "orthonormal rows, right-handed", "normalise it")
    if placement == Placement():
        return mesh
    with np.errstate(over="ignore", invalid="ignore"):
        vertices = (placement.scale * mesh.vertices - origin) @ rotation.T + offset
    if not (np.abs(vertices) <= _LARGEST_COORDINATE).all():
        raise InputError(where, "the placement gives no lengths", f"coordinates within {_LARGEST_COORDINATE:.0e} m")
    return replace(mesh, vertices=vertices, coordinate_step=mesh.coordinate_step * placement.scale)
