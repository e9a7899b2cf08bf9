"""Searching a tree of facets about a point: how far the nearest is, which it is, which are near."""

import warp as wp

from planetfall.world.terrain.facets.nearest_facet import FIND_ALL, Search, weighed
from planetfall.world.terrain.facets.triangle import NOTHING, larger
from planetfall.world.terrain.mesh.tree import LEAF_SIZE, MAX_LEVELS, MeshTree, facet_at, smallest_of, without

ROOM = wp.constant(wp.float64(1.0e-6))
"""By which part of a squared distance a box is let off, so that rounding leaves no facet out."""


@wp.func
def outside_by(p: wp.float64, low: wp.float32, high: wp.float32) -> wp.float64:
    """How far a coordinate is outside an interval."""
    return larger(larger(wp.float64(low) - p, p - wp.float64(high)), wp.float64(0.0))


@wp.func
def box_distances(tree: wp.ref[MeshTree], node: int, p: wp.vec3d) -> wp.vec4d:
    """Squared distances [m^2] of a point from the boxes of a node's children."""
    first = 6 * node
    low_x = tree.boxes[first]
    low_y = tree.boxes[first + 1]
    low_z = tree.boxes[first + 2]
    high_x = tree.boxes[first + 3]
    high_y = tree.boxes[first + 4]
    high_z = tree.boxes[first + 5]
    out = wp.vec4d()
    for c in range(4):
        x = outside_by(p[0], low_x[c], high_x[c])
        y = outside_by(p[1], low_y[c], high_y[c])
        z = outside_by(p[2], low_z[c], high_z[c])
        out[c] = x * x + y * y + z * z
    return out


@wp.func
def search_leaf(
    tree: wp.ref[MeshTree], start: Search, node: int, p: wp.vec3d, what: int, places: wp.array3d(dtype=wp.int32),
    point: int, run: int,
) -> Search:  # fmt: skip
    """A search with the facets of one more leaf looked at."""
    found = start
    place = (node - tree.n_inner) * wp.static(LEAF_SIZE)
    last = wp.min(place + wp.static(LEAF_SIZE), tree.normals.shape[0])
    while place < last:
        before = found.count
        found = weighed(found, facet_at(tree, place), place, tree.indices[place], p, what)
        if what == FIND_ALL and found.count > before and before < places.shape[0]:
            places[before, point, run] = place
        place += 1
    return found


@wp.func(inline=False)
def search(
    tree: wp.ref[MeshTree],
    start: Search,
    p: wp.vec3d,
    what: int,
    places: wp.array3d(dtype=wp.int32),
    point: int,
    run: int,
) -> Search:
    """Looks at every facet within `start.limit` of a point, nearest boxes first; FIND_ALL notes their places."""
    found = start
    keys = wp.zeros(shape=(wp.static(MAX_LEVELS),), dtype=wp.vec4d)
    node = int(0)
    level = int(0)
    if tree.n_inner > 0:
        keys[0] = box_distances(tree, 0, p)
    else:
        found = search_leaf(tree, found, 0, p, what, places, point, run)
        level = int(-1)
    while level >= 0:
        here = keys[level]
        c = smallest_of(here)
        if here[c] < NOTHING and here[c] <= found.limit + ROOM * found.limit + tree.rounding:
            keys[level] = without(here, c, NOTHING)
            child = 4 * node + 1 + c
            if child < tree.n_inner:
                node = child
                level += 1
                keys[level] = box_distances(tree, node, p)
            else:
                found = search_leaf(tree, found, child, p, what, places, point, run)
                if what == FIND_ALL and found.count > places.shape[0]:
                    return found  # more than there is room for, which is all that matters
        else:
            node = (node - 1) // 4
            level -= 1
    return found
