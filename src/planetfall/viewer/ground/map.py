"""Triangles of a map of heights: a quadtree whose smallest blocks are the map's own cells.

Where the vehicle touched, blocks are single cells with the two facets that the simulation uses. Elsewhere a block is as
large as its distance allows; it is drawn as a fan about its middle node through all nodes that its neighbours use, so
that there are no cracks. Every vertex is a node of the map.
"""

import numpy as np

from planetfall.viewer.ground.ground import Detail, Triangles


def map_triangles(
    heights: np.ndarray, origin: np.ndarray, spacing: tuple[float, float], detail: Detail, budget: int
) -> Triangles:
    """Triangles of a map [row, column] [m] with node (0, 0) at `origin` [m]; NaN are holes."""
    closeness = np.inf if 2 * heights.size <= budget else 4.0
    while True:
        leaves = _leaves(heights, origin, spacing, detail, closeness)
        # a block of one cell has two triangles, a larger one mostly four to eight
        if closeness < 1e-3 or sum(len(blocks) * (2 if size == 1 else 6) for size, blocks in leaves.items()) <= budget:
            break
        closeness /= 1.4
    corners = _used(heights.shape, leaves)
    facets = [_single(heights, leaves.pop(1, np.empty((0, 2), int)))]
    facets += [_fans(corners, blocks, size, heights.shape[1]) for size, blocks in leaves.items()]
    nodes, index = np.unique(np.concatenate(facets), return_inverse=True)
    rows, columns = np.divmod(nodes, heights.shape[1])
    places = np.column_stack([columns * spacing[0], rows * spacing[1], heights[rows, columns]])
    return Triangles(origin + places, index.reshape(-1, 3))


def _leaves(
    heights: np.ndarray, origin: np.ndarray, spacing: tuple[float, float], detail: Detail, closeness: float
) -> dict[int, np.ndarray]:
    """Blocks [block, (row, column)] of the quadtree by their size in cells."""
    limits = np.array(heights.shape) - 1
    size = 1 << int(np.ceil(np.log2(max(limits.max(), 1))))
    blocks, out = np.zeros((1, 2), dtype=np.int64), {}
    holes = _summed(np.isnan(heights))
    flat = detail.places[:, :2]
    step = np.array([spacing[1], spacing[0]])
    while len(blocks):
        ends = np.minimum(blocks + size, limits)
        n_nodes = np.prod(ends - blocks + 1, axis=1)
        n_holes = _counted(holes, blocks, ends)
        blocks, ends, n_holes = (part[n_holes < n_nodes] for part in (blocks, ends, n_holes))
        if size == 1:
            out[1] = blocks
            break
        middle = origin[:2] + ((blocks + 0.5 * size) * step)[:, ::-1]
        side = size * max(spacing)
        distance = Detail(flat, detail.radius, detail.extent).distance(middle) - 0.71 * side - detail.radius
        is_cut = np.any(blocks + size > limits, axis=1) | (n_holes > 0) | (side * closeness > distance)
        out[size] = blocks[~is_cut]
        parts = blocks[is_cut][:, None] + (size // 2) * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        blocks = parts.reshape(-1, 2)
        size //= 2
        blocks = blocks[np.all(blocks < limits, axis=1)]
    return {size: blocks for size, blocks in out.items() if len(blocks)}


def _summed(holes: np.ndarray) -> np.ndarray | None:
    """Sums over all rows and columns before each node, or None if there are no holes."""
    if not holes.any():
        return None
    return np.pad(holes.astype(np.int64), ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)


def _counted(sums: np.ndarray | None, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Holes among the nodes of blocks."""
    if sums is None:
        return np.zeros(len(low), dtype=np.int64)
    (r0, c0), (r1, c1) = low.T, high.T + 1
    return sums[r1, c1] - sums[r0, c1] - sums[r1, c0] + sums[r0, c0]


def _used(shape: tuple[int, ...], leaves: dict[int, np.ndarray]) -> np.ndarray:
    """Which nodes [row, column] are a corner of some block."""
    used = np.zeros(shape, dtype=bool)
    for size, blocks in leaves.items():
        for row, column in ((0, 0), (0, size), (size, 0), (size, size)):
            used[blocks[:, 0] + row, blocks[:, 1] + column] = True
    return used


def _single(heights: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """The two facets of cells, cut from south-west to north-east, less those with an unknown node."""
    n = heights.shape[1]
    first = blocks[:, 0] * n + blocks[:, 1]
    south = np.column_stack([first, first + 1, first + n + 1])
    north = np.column_stack([first, first + n + 1, first + n])
    facets = np.stack([south, north], axis=1).reshape(-1, 3)
    return facets[np.isfinite(heights.ravel()[facets]).all(axis=1)]


def _fans(used: np.ndarray, blocks: np.ndarray, size: int, n_columns: int) -> np.ndarray:
    """Triangles of blocks about their middle nodes."""
    along, zero, full = np.arange(size), np.zeros(size, int), np.full(size, size)
    rows = np.concatenate([zero, along, full, size - along])
    columns = np.concatenate([along, full, size - along, zero])
    ring = (blocks[:, :1] + rows) * n_columns + blocks[:, 1:] + columns
    block, place = np.nonzero(used.ravel()[ring])
    nodes = ring[block, place]
    is_last = np.append(np.diff(block) > 0, True)
    first = np.flatnonzero(np.append(True, is_last[:-1]))
    following = np.append(nodes[1:], 0)
    following[is_last] = nodes[first]
    middle = (blocks[block] + size // 2) @ np.array([n_columns, 1])
    return np.column_stack([middle, nodes, following])
