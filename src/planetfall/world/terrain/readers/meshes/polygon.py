"""Polygons become triangles: as a fan where that is right, by ear clipping where a polygon is concave."""

import numpy as np

from planetfall.errors import InputError

# Ear clipping takes time with the square of the number of corners; more than this is no surface element, assumed.
MAX_CORNERS = 10_000
# A corner turns less than rounding where its triangle has less than this share of its sides' product.
_STRAIGHT = 1e-12


def split_polygons(
    where: str, vertices: np.ndarray, corners: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    """Triangles of polygons, in their order and with their winding.

    Args:
        where: The file, for messages.
        vertices: Positions, [vertex, 3].
        corners: Vertex indices of all polygons, one after the other.
        sizes: Corners of each polygon, at least 3.

    Returns:
        Facets [facet, 3] int64, the polygon that each comes from, and the number of polygons that cross themselves or
        have no plane, which became fans.

    Raises:
        InputError: An index is out of range, or a polygon is absurdly large.
    """
    corners, sizes = np.asarray(corners, dtype=np.int64), np.asarray(sizes, dtype=np.int64)
    if len(sizes) and (sizes.min() < 3 or sizes.max() > MAX_CORNERS):
        wrong = int(sizes.min() if sizes.min() < 3 else sizes.max())
        raise InputError(where, f"a polygon has {wrong} corners", f"3 to {MAX_CORNERS}", "triangulate the mesh")
    if len(corners) and (corners.min() < 0 or corners.max() >= len(vertices)):
        wrong = int(corners.min() if corners.min() < 0 else corners.max())
        raise InputError(
            where,
            f"a polygon points at vertex {wrong}",
            f"0 to {len(vertices) - 1}, counted from 0",
            "the file is truncated or corrupt; export it again",
        )
    # Coordinates are checked later; those that are no lengths shall not raise here.
    with np.errstate(over="ignore", invalid="ignore"):
        return _split(vertices, corners, sizes)


def _split(vertices: np.ndarray, corners: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """The same for polygons that have been checked: all triangles and quadrilaterals at once, larger ones singly."""
    starts = np.cumsum(sizes) - sizes
    first_facet = np.cumsum(sizes - 2) - (sizes - 2)
    facets = np.empty((int((sizes - 2).sum()), 3), dtype=np.int64)
    triangles, quads = sizes == 3, sizes == 4
    facets[first_facet[triangles]] = corners[starts[triangles][:, None] + np.arange(3)]
    halves = _split_quads(vertices, corners[starts[quads][:, None] + np.arange(4)])
    facets[first_facet[quads]], facets[first_facet[quads] + 1] = halves[:, 0], halves[:, 1]
    n_irregular = 0
    for i in np.flatnonzero(sizes > 4):
        polygon = corners[starts[i] : starts[i] + sizes[i]]
        split, is_regular = _split_polygon(vertices[polygon])
        facets[first_facet[i] : first_facet[i] + sizes[i] - 2] = polygon[split]
        n_irregular += not is_regular
    return facets, np.repeat(np.arange(len(sizes)), sizes - 2), n_irregular


def _split_quads(vertices: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Two triangles [quad, 2, 3] of each quadrilateral, on the diagonal that stays inside it."""
    a, b, c, d = (vertices[quads[:, i]] for i in range(4))
    normal = np.cross(c - a, d - b)
    along_ac = np.minimum(_side(a, b, c, normal), _side(a, c, d, normal))
    along_bd = np.minimum(_side(b, c, d, normal), _side(b, d, a, normal))
    takes_bd = (along_ac <= 0.0) & (along_bd > 0.0)
    return np.where(takes_bd[:, None, None], quads[:, [[1, 2, 3], [1, 3, 0]]], quads[:, [[0, 1, 2], [0, 2, 3]]])


def _side(a: np.ndarray, b: np.ndarray, c: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Twice the area of triangles, signed by the side that the normal points to (and scaled by its length)."""
    return (np.cross(b - a, c - a) * normal).sum(axis=-1)


def _split_polygon(points: np.ndarray) -> tuple[np.ndarray, bool]:
    """Triangles [n - 2, 3] of one polygon, as indices of its corners, and whether it has a simple outline."""
    fan = np.stack([np.zeros(len(points) - 2, dtype=np.int64), *(np.arange(k, len(points) - 2 + k) for k in (1, 2))], 1)
    flat = _flattened(points)
    if flat is None:
        return fan, False
    if (_area(flat[fan[:, 0]], flat[fan[:, 1]], flat[fan[:, 2]]) > 0.0).all():
        return fan, True
    ears = None if _crosses_itself(flat) else _clip_ears(flat)
    return (fan, False) if ears is None else (ears, True)


def _flattened(points: np.ndarray) -> np.ndarray | None:
    """The outline in its own plane [n, 2], counter-clockwise; None where it encloses nothing (Newell's normal is 0)."""
    relative = points - points.mean(axis=0)
    normal = np.cross(relative, np.roll(relative, -1, axis=0)).sum(axis=0)
    length, size = np.linalg.norm(normal), np.abs(relative).max()
    if not length > 1e-12 * size * size:
        return None
    normal /= length
    axis = np.eye(3)[np.argmin(np.abs(normal))]
    east = np.cross(axis, normal)
    east /= np.linalg.norm(east)
    return relative @ np.stack([east, np.cross(normal, east)], axis=1)


def _area(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Twice the signed area of plane triangles."""
    return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])


def _crosses_itself(flat: np.ndarray) -> bool:
    """Whether two sides of an outline cross; sides that only touch do not."""
    start, end = flat, np.roll(flat, -1, axis=0)
    for i in range(len(flat) - 2):
        a, b, c, d = start[i], end[i], start[i + 2 :], end[i + 2 :]
        is_parted = (_area(a, b, c) * _area(a, b, d) < 0.0) & (_area(c, d, a) * _area(c, d, b) < 0.0)
        if is_parted.any():
            return True
    return False


def _clip_ears(flat: np.ndarray) -> np.ndarray | None:
    """Triangles of a simple polygon by ear clipping, or None where no ear is left."""
    n = len(flat)
    before, after = np.arange(n) - 1, (np.arange(n) + 1) % n
    before[0] = n - 1
    is_left = np.ones(n, dtype=bool)
    tips: list[int] = []
    triangles: list[tuple[int, int, int]] = []
    while len(triangles) < n - 3:
        if not tips:
            tips = [i for i in np.flatnonzero(is_left).tolist() if _is_ear(flat, is_left, before[i], i, after[i])]
        tip = tips.pop() if tips else _straight_corner(flat, is_left, before, after)
        if tip is None:
            return None
        if not is_left[tip]:
            continue
        left, right = int(before[tip]), int(after[tip])
        triangles.append((left, tip, right))
        is_left[tip] = False
        after[left], before[right] = right, left
        # Of a simple polygon, only the two neighbours can have become ears or ceased to be.
        tips = [i for i in tips if i not in (left, right)]
        tips += [i for i in (left, right) if _is_ear(flat, is_left, before[i], i, after[i])]
    last = np.flatnonzero(is_left)
    return np.array([*triangles, tuple(last)], dtype=np.int64)


def _is_ear(flat: np.ndarray, is_left: np.ndarray, left: int, tip: int, right: int) -> bool:
    """Whether the triangle at a corner is inside the polygon: convex, and no other corner lies in it."""
    a, b, c = flat[left], flat[tip], flat[right]
    if not _area(a, b, c) > _STRAIGHT * np.abs(c - a).max() * np.abs(b - a).max():
        return False
    others = flat[is_left]
    inside = (_area(a, b, others) >= 0.0) & (_area(b, c, others) >= 0.0) & (_area(c, a, others) >= 0.0)
    is_corner = (others == a).all(axis=1) | (others == b).all(axis=1) | (others == c).all(axis=1)
    return not (inside & ~is_corner).any()


def _straight_corner(flat: np.ndarray, is_left: np.ndarray, before: np.ndarray, after: np.ndarray) -> int | None:
    """A corner on the straight line between its neighbours, which can go without changing the outline."""
    for i in np.flatnonzero(is_left):
        a, b, c = flat[before[i]], flat[i], flat[after[i]]
        size = np.abs(c - a).max() * np.abs(b - a).max()
        if abs(_area(a, b, c)) <= _STRAIGHT * size and (b - a) @ (c - b) >= 0.0:
            return int(i)
    return None
