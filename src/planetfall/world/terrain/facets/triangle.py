"""Exact geometry of one triangle, in float64."""

import warp as wp

FEATURE_FACE = wp.constant(0)
FEATURE_EDGE_AB = wp.constant(1)
FEATURE_EDGE_BC = wp.constant(2)
FEATURE_EDGE_CA = wp.constant(3)
FEATURE_VERTEX_A = wp.constant(4)
FEATURE_VERTEX_B = wp.constant(5)
FEATURE_VERTEX_C = wp.constant(6)

ROUNDING = wp.constant(wp.float64(1.0e-15))
"""How far a product of lengths may be off, relative to it: a few roundings of float64."""


ROUNDOFF = wp.constant(wp.float64(1.0e-14))
"""Of a distance, relative to it and to the facet: ten times what it can be off in float64."""
NOTHING = wp.constant(wp.float64(1.0e300))
"""A distance, or the square of one, that nothing is at."""


@wp.func
def larger(a: wp.float64, b: wp.float64) -> wp.float64:
    """The larger of two numbers; one instruction, as Warp's max, which minds NaN, is not."""
    return wp.where(a > b, a, b)


@wp.func
def smaller(a: wp.float64, b: wp.float64) -> wp.float64:
    """The smaller of two numbers."""
    return wp.where(a < b, a, b)


@wp.struct
class Facet:
    """One facet: corners `a`, `b`, `c` [m], counter-clockwise seen from outside, and outward unit `normal`."""

    a: wp.vec3d
    b: wp.vec3d
    c: wp.vec3d
    normal: wp.vec3d


@wp.struct
class Nearest:
    """Nearest point of a triangle: the `offset` from it to the asking point [m], and the `feature` it lies on."""

    offset: wp.vec3d
    feature: wp.int32


@wp.func
def on_vertex(p: wp.vec3d, vertex: wp.vec3d, feature: wp.int32) -> Nearest:
    """The nearest point is a vertex."""
    out = Nearest()
    out.offset = p - vertex
    out.feature = feature
    return out


@wp.func
def on_edge(p: wp.vec3d, start: wp.vec3d, edge: wp.vec3d, along: wp.float64, feature: wp.int32) -> Nearest:
    """The nearest point lies a fraction along an edge."""
    out = Nearest()
    out.offset = p - start - edge * along
    out.feature = feature
    return out


@wp.func
def nearest_on_triangle(p: wp.vec3d, a: wp.vec3d, b: wp.vec3d, c: wp.vec3d, normal: wp.vec3d) -> Nearest:
    """Nearest point of triangle abc with a unit normal, by the region of its plane that p projects to."""
    zero = wp.float64(0.0)
    ab = b - a
    ac = c - a
    ap = p - a
    d1 = wp.dot(ab, ap)
    d2 = wp.dot(ac, ap)
    if d1 <= zero and d2 <= zero:
        return on_vertex(p, a, FEATURE_VERTEX_A)
    bp = p - b
    d3 = wp.dot(ab, bp)
    d4 = wp.dot(ac, bp)
    if d3 >= zero and d4 <= d3:
        return on_vertex(p, b, FEATURE_VERTEX_B)
    vc = d1 * d4 - d3 * d2
    if vc <= zero and d1 >= zero and d3 <= zero:
        return on_edge(p, a, ab, d1 / (d1 - d3), FEATURE_EDGE_AB)
    cp = p - c
    d5 = wp.dot(ab, cp)
    d6 = wp.dot(ac, cp)
    if d6 >= zero and d5 <= d6:
        return on_vertex(p, c, FEATURE_VERTEX_C)
    vb = d5 * d2 - d1 * d6
    if vb <= zero and d2 >= zero and d6 <= zero:
        return on_edge(p, a, ac, d2 / (d2 - d6), FEATURE_EDGE_CA)
    va = d3 * d6 - d5 * d4
    if va <= zero and d4 - d3 >= zero and d5 - d6 >= zero:
        return on_edge(p, b, c - b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), FEATURE_EDGE_BC)
    out = Nearest()
    out.offset = normal * wp.dot(ap, normal)
    out.feature = FEATURE_FACE
    return out


@wp.func
def inside_by(p: wp.vec3d, a: wp.vec3d, b: wp.vec3d, c: wp.vec3d, normal: wp.vec3d) -> wp.float64:
    """Distance [m] of the foot of p in the plane of triangle abc from its nearest edge; negative outside."""
    ab = b - a
    bc = c - b
    ca = a - c
    from_ab = wp.dot(wp.cross(normal, ab), p - a) / wp.length(ab)
    from_bc = wp.dot(wp.cross(normal, bc), p - b) / wp.length(bc)
    from_ca = wp.dot(wp.cross(normal, ca), p - c) / wp.length(ca)
    return wp.min(from_ab, wp.min(from_bc, from_ca))


@wp.func
def rank_of(feature: wp.int32) -> wp.int32:
    """0 for a face, 1 for an edge, 2 for a vertex."""
    if feature == FEATURE_FACE:
        return 0
    if feature < FEATURE_VERTEX_A:
        return 1
    return 2


@wp.func
def begun_at(facet: Facet, feature: wp.int32) -> Facet:
    """The same facet with its corners turned so that an edge runs from a to b, and a vertex is a."""
    out = facet
    if feature == FEATURE_EDGE_BC or feature == FEATURE_VERTEX_B:
        out.a = facet.b
        out.b = facet.c
        out.c = facet.a
    if feature == FEATURE_EDGE_CA or feature == FEATURE_VERTEX_C:
        out.a = facet.c
        out.b = facet.a
        out.c = facet.b
    return out


@wp.func
def stays_by(p: wp.vec3d, facet: Facet, feature: wp.int32) -> wp.float64:
    """How far [m] a point may move with the nearest point of a facet certainly staying on this edge or vertex.

    An edge has the points between the planes across its ends and beyond the plane through it across the facet; a
    vertex those behind the planes across both of its edges.
    """
    turned = begun_at(facet, feature)
    arm = p - turned.a
    ab = wp.normalize(turned.b - turned.a)
    along = wp.dot(arm, ab)
    if feature >= FEATURE_VERTEX_A:
        return smaller(-along, -wp.dot(arm, wp.normalize(turned.c - turned.a)))
    left = wp.length(turned.b - turned.a) - along
    return smaller(smaller(along, left), -wp.dot(arm, wp.cross(facet.normal, ab)))


@wp.func
def ray_triangle(origin: wp.vec3d, direction: wp.vec3d, a: wp.vec3d, b: wp.vec3d, c: wp.vec3d) -> wp.float64:
    """Distance [m] along a ray to the front face of a triangle, or -1.

    A triangle is wider than itself by what rounding can be off, so that no ray slips between neighbours. Written
    without branches, so that several triangles can be worked on at once.
    """
    ab = b - a
    ac = c - a
    normal = wp.cross(ab, ac)
    closing = -wp.dot(direction, normal)
    from_a = origin - a
    side = wp.cross(from_a, direction)
    v = wp.dot(ac, side)
    w = -wp.dot(ab, side)
    room = ROUNDING * span(from_a) * (span(ab) + span(ac))
    reached = wp.dot(from_a, normal) / closing
    is_hit = closing > wp.float64(0.0) and reached >= wp.float64(0.0)
    is_hit = is_hit and v >= -room and w >= -room and v + w <= closing + room
    return wp.where(is_hit, reached, wp.float64(-1.0))


@wp.func
def span(v: wp.vec3d) -> wp.float64:
    """Sum of the components' sizes: an upper bound of the length without a root."""
    return wp.abs(v[0]) + wp.abs(v[1]) + wp.abs(v[2])
