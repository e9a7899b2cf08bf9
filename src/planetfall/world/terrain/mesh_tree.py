"""The facets of a mesh in a tree of boxes: each node has four children, each leaf a few facets.

The tree is complete, so no node has to say where its children are: those of node i are 4 i + 1 to 4 i + 4, and the
nodes from `n_inner` on are leaves. Boxes are kept in float32, rounded outwards; what is computed with them is float64, so
that no facet that matters is ever left out, on any device. Facets are measured in float64 in coordinates about the
middle of the mesh.
"""

import warp as wp

from planetfall.world.terrain.model import RAY_HIT, RAY_MISS, RayHit
from planetfall.world.terrain.triangle import nearest_on_triangle, ray_triangle

STACK_SIZE = 40
"""Nodes put off on the way down: three per level, so thirteen levels, 67 million leaves."""
Stack = wp.types.vector(length=STACK_SIZE, dtype=wp.int32)
StackKeys = wp.types.vector(length=STACK_SIZE, dtype=wp.float64)

TIE = wp.constant(wp.float64(1.0e-9))
"""Relative difference of squared distances, and of heights, below which two facets are equally near, or square."""
ROOM = wp.constant(wp.float64(1.0e-6))
"""By which part of a squared distance a box is let off, so that rounding leaves no facet out."""
NOTHING = wp.constant(wp.float64(1.0e300))

FIND_DISTANCE = wp.constant(0)
FIND_SQUAREST = wp.constant(1)
FIND_LOWEST = wp.constant(2)
FIND_ALL = wp.constant(3)


@wp.struct
class MeshFacet:
    """One facet: corners `a`, `b`, `c` [m], local; outward unit `normal`; its `index` in the file; its `borders`.

    `borders` has two bits for each feature of `triangle`, BORDER_* of what lies beyond it.
    """

    a: wp.vec3d
    b: wp.vec3d
    c: wp.vec3d
    normal: wp.vec3d
    index: wp.int32
    borders: wp.int32


@wp.struct
class MeshTree:
    """A tree of boxes over facets.

    `boxes`: six entries per inner node, lower x, y, z and upper x, y, z [m], local, one component per child; `facets` in
    the order of the leaves, `leaf_size` to each; `n_inner` nodes; `rounding` [m^2]: squared distances below it are
    zero but for rounding.
    """

    boxes: wp.array(dtype=wp.vec4)
    facets: wp.array(dtype=MeshFacet)
    n_inner: wp.int32
    leaf_size: wp.int32
    rounding: wp.float64


@wp.struct
class Search:
    """What a search has found so far.

    `limit` [m^2]: squared distance of the facets that count; `height` [m]: that of the squarest of them; `facet`: place
    in the tree of the one with the lowest `index`; `count` of them.
    """

    limit: wp.float64
    height: wp.float64
    facet: wp.int32
    index: wp.int32
    count: wp.int32


@wp.func
def larger(a: wp.float64, b: wp.float64) -> wp.float64:
    """The larger of two numbers; one instruction, as Warp's max, which minds NaN, is not."""
    if a > b:
        return a
    return b


@wp.func
def smaller(a: wp.float64, b: wp.float64) -> wp.float64:
    """The smaller of two numbers."""
    if a < b:
        return a
    return b


@wp.func
def outside_by(p: wp.float64, low: wp.float32, high: wp.float32) -> wp.float64:
    """How far a coordinate is outside an interval."""
    return larger(larger(wp.float64(low) - p, p - wp.float64(high)), wp.float64(0.0))


@wp.func
def box_distances(tree: MeshTree, node: int, p: wp.vec3d) -> wp.vec4d:
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
def weigh(found: Search, facet: MeshFacet, place: int, p: wp.vec3d, what: int) -> Search:
    """A search with one more facet looked at."""
    out = found
    near = nearest_on_triangle(p, facet.a, facet.b, facet.c, facet.normal)
    squared = wp.length_sq(near.offset)
    if squared <= found.limit:
        height = wp.abs(wp.dot(p - facet.a, facet.normal))
        if what == FIND_DISTANCE:
            out.limit = squared
        if what == FIND_SQUAREST:
            out.height = larger(found.height, height)
        if what == FIND_LOWEST:
            if height >= found.height and (found.facet < 0 or facet.index < found.index):
                out.facet = place
                out.index = facet.index
        out.count = found.count + 1
    return out


@wp.func
def step_down(
    node: int,
    distances: wp.vec4d,
    limit: wp.float64,
    stack: wp.array(dtype=wp.int32),
    keys: wp.array(dtype=wp.float64),
    height: int,
):
    """The nearest of a node's children within a limit, -1 if there is none; the others go on the stack of that height."""
    ahead = int(-1)
    nearest = wp.float64(0.0)
    n = int(height)
    for c in range(4):
        if distances[c] <= limit:
            child = 4 * node + 1 + c
            if ahead < 0:
                ahead = child
                nearest = distances[c]
            else:
                if distances[c] < nearest:
                    stack[n] = ahead
                    keys[n] = nearest
                    ahead = child
                    nearest = distances[c]
                else:
                    stack[n] = child
                    keys[n] = distances[c]
                n += 1
    return ahead, n


@wp.func(inline=False)
def search(
    tree: MeshTree, start: Search, p: wp.vec3d, what: int, places: wp.array3d(dtype=wp.int32), point: int, run: int
) -> Search:
    """Looks at every facet within `start.limit` of a point, nearest boxes first; FIND_ALL notes their places."""
    found = start
    stack = wp.zeros(shape=(STACK_SIZE,), dtype=wp.int32)
    keys = wp.zeros(shape=(STACK_SIZE,), dtype=wp.float64)
    n = int(0)
    node = int(0)
    while node >= 0:
        if node < tree.n_inner:
            limit = found.limit + ROOM * found.limit + tree.rounding
            node, n = step_down(node, box_distances(tree, node, p), limit, stack, keys, n)
        else:
            place = (node - tree.n_inner) * tree.leaf_size
            last = wp.min(place + tree.leaf_size, tree.facets.shape[0])
            while place < last:
                before = found.count
                found = weigh(found, tree.facets[place], place, p, what)
                if what == FIND_ALL and found.count > before and before < places.shape[0]:
                    places[before, point, run] = place
                place += 1
            node = int(-1)
        while node < 0 and n > 0:
            n -= 1
            if keys[n] <= found.limit + ROOM * found.limit + tree.rounding:
                node = stack[n]
    return found


@wp.func
def slope_inverse(component: wp.float64) -> wp.float64:
    """One over a component of a direction; where that is zero, large enough to stand for infinity."""
    if wp.abs(component) < wp.float64(1.0e-200):
        return wp.float64(1.0e200)
    return wp.float64(1.0) / component


@wp.func
def box_entries(
    tree: MeshTree, node: int, p: wp.vec3d, inverse: wp.vec3d, turned: wp.vec3i, limit: wp.float64
) -> wp.vec4d:
    """Ranges [m] at which a ray enters the boxes of a node's children; NOTHING where it misses one within a limit."""
    first = 6 * node
    # the sides that a ray passes first are the upper ones where it runs down an axis
    in_x = tree.boxes[first + 3 * turned[0]]
    in_y = tree.boxes[first + 1 + 3 * turned[1]]
    in_z = tree.boxes[first + 2 + 3 * turned[2]]
    out_x = tree.boxes[first + 3 - 3 * turned[0]]
    out_y = tree.boxes[first + 4 - 3 * turned[1]]
    out_z = tree.boxes[first + 5 - 3 * turned[2]]
    entries = wp.vec4d()
    for c in range(4):
        x = (wp.float64(in_x[c]) - p[0]) * inverse[0]
        y = (wp.float64(in_y[c]) - p[1]) * inverse[1]
        z = (wp.float64(in_z[c]) - p[2]) * inverse[2]
        enter = larger(larger(x, y), larger(z, wp.float64(0.0)))
        x = (wp.float64(out_x[c]) - p[0]) * inverse[0]
        y = (wp.float64(out_y[c]) - p[1]) * inverse[1]
        z = (wp.float64(out_z[c]) - p[2]) * inverse[2]
        leave = smaller(smaller(x, y), smaller(z, limit))
        entries[c] = enter
        if enter > leave:
            entries[c] = NOTHING
    return entries


@wp.func
def first_hit(tree: MeshTree, p: wp.vec3d, direction: wp.vec3d, range_max: wp.float64) -> RayHit:
    """First front face that a ray from a local point meets; of several at one range the lowest index."""
    hit = RayHit()
    hit.range = range_max
    hit.facet = wp.int32(-1)
    hit.status = RAY_MISS
    if not (wp.length_sq(p) + wp.length_sq(direction) < NOTHING):  # not a number
        return hit
    inverse = wp.vec3d(slope_inverse(direction[0]), slope_inverse(direction[1]), slope_inverse(direction[2]))
    turned = wp.vec3i(wp.int32(inverse[0] < wp.float64(0.0)), wp.int32(inverse[1] < wp.float64(0.0)), wp.int32(inverse[2] < wp.float64(0.0)))
    stack = wp.zeros(shape=(STACK_SIZE,), dtype=wp.int32)
    keys = wp.zeros(shape=(STACK_SIZE,), dtype=wp.float64)
    n = int(0)
    node = int(0)
    while node >= 0:
        if node < tree.n_inner:
            entries = box_entries(tree, node, p, inverse, turned, hit.range)
            node, n = step_down(node, entries, hit.range, stack, keys, n)
        else:
            place = (node - tree.n_inner) * tree.leaf_size
            last = wp.min(place + tree.leaf_size, tree.facets.shape[0])
            while place < last:
                facet = tree.facets[place]
                reached = ray_triangle(p, direction, facet.a, facet.b, facet.c)
                if reached >= wp.float64(0.0) and reached <= hit.range:
                    if reached < hit.range or hit.facet < 0 or facet.index < hit.facet:
                        hit.range = reached
                        hit.normal = facet.normal
                        hit.facet = facet.index
                        hit.status = RAY_HIT
                place += 1
            node = int(-1)
        while node < 0 and n > 0:
            n -= 1
            if keys[n] <= hit.range:
                node = stack[n]
    return hit
