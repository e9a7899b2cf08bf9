"""Gravity of a polyhedron of uniform density, exact everywhere (WernerScheeres1997).

With r_e and r_f from the field point to any point of an edge or a facet, and U negative as everywhere here,

    U = -(G rho/2) (sum_e r_e . E_e r_e L_e - sum_f r_f . F_f r_f w_f)      (Eq. 10)
    g = -grad U = -G rho (sum_e E_e r_e L_e - sum_f F_f r_f w_f)            (Eq. 15)
    dg/dx = G rho (sum_e E_e L_e - sum_f F_f w_f)                           (Eq. 16)
    div g = -G rho sum_f w_f: -4 pi G rho inside, 0 outside, half of it on a facet   (Eq. 17)

E_e = n_A b_A^T + n_B b_B^T from the facets' normals and their in-plane edge normals, F_f = n_f n_f^T; L_e is the
logarithm of the edge's ends, w_f the solid angle of the facet (VanOosterom1983).

Near an edge, r1 + r2 - e and r1 r2 + r1 . r2 lose their digits; both are taken from |r1 x r2|^2 there, so that U and g
hold on edges, facets and vertices too. Only dg/dx is infinite on an edge, as it is in theory.
"""

import warp as wp

from planetfall.world.gravity.model import GravityModel


@wp.struct
class Edge:
    """An edge: ends `a` and `b` [m], `length` [m], and E as `diagonal` xx, yy, zz and `mixed` xy, yz, xz [-]."""

    a: wp.vec3d
    b: wp.vec3d
    length: wp.float64
    diagonal: wp.vec3d
    mixed: wp.vec3d


@wp.struct
class PolyhedronFacet:
    """A facet: its corners `a`, `b`, `c` [m], its unit `normal`, and twice its area, `doubled` [m^2]."""

    a: wp.vec3d
    b: wp.vec3d
    c: wp.vec3d
    normal: wp.vec3d
    doubled: wp.float64


SERIES_BELOW = wp.constant(wp.float64(0.1))
"""Arguments below which eight terms of the series of atanh and atan are exact to rounding: 0.1^16/17 = 6e-18."""
C3, C5, C7, C9, C11, C13, C15 = (wp.constant(wp.float64(1.0 / k)) for k in (3, 5, 7, 9, 11, 13, 15))


@wp.struct
class PolyhedronParams:
    """A polyhedron: `center` [m], the origin of its mesh in the surface frame; `strength` G rho [1/s^2]; its rows."""

    center: wp.vec3d
    strength: wp.float64
    edges: wp.array(dtype=Edge)
    facets: wp.array(dtype=PolyhedronFacet)


@wp.struct
class PolyhedronSums:
    """The sums of the formulas without G rho: potential [m^2], acceleration [m], its gradient and its divergence [-].

    The gradient is symmetric: `diagonal` xx, yy, zz and `mixed` xy, yz, xz.
    """

    potential: wp.float64
    acceleration: wp.vec3d
    diagonal: wp.vec3d
    mixed: wp.vec3d
    divergence: wp.float64


@wp.func
def odd_series(t: wp.float64, sign: wp.float64) -> wp.float64:
    """atanh(t) for sign = 1, atan(t) for sign = -1, for |t| below SERIES_BELOW."""
    q = sign * t * t
    one = wp.float64(1.0)
    return t * (one + q * (C3 + q * (C5 + q * (C7 + q * (C9 + q * (C11 + q * (C13 + q * C15)))))))


@wp.func
def edge_logarithm(r1: wp.vec3d, r2: wp.vec3d, length: wp.float64) -> wp.float64:
    """L_e = ln((r1 + r2 + e)/(r1 + r2 - e)), and 0 on the edge itself, where what it multiplies vanishes faster."""
    d1 = wp.length(r1)
    d2 = wp.length(r2)
    t = length / (d1 + d2)
    if t < SERIES_BELOW:
        return wp.float64(2.0) * odd_series(t, wp.float64(1.0))
    along = wp.dot(r1, r2)
    product = d1 * d2
    # (d1 + d2)^2 - e^2 = 2 (d1 d2 + r1 . r2) = 2 |r1 x r2|^2/(d1 d2 - r1 . r2)
    rest = wp.float64(2.0) * (product + along)
    if along <= -wp.float64(0.9) * product:
        rest = wp.float64(2.0) * wp.length_sq(wp.cross(r1, r2)) / (product - along)
    if rest > wp.float64(1.0e-290) * length * length:
        total = d1 + d2 + length
        return wp.log(total * total / rest)
    return wp.float64(0.0)


@wp.func
def facet_angle(r1: wp.vec3d, r2: wp.vec3d, r3: wp.vec3d, volume: wp.float64) -> wp.float64:
    """Solid angle w_f [sr], positive seen from inside, and 0 in the facet's own plane.

    `volume` is r1 . (r2 x r3) [m^3], which is the height over the facet times twice its area.
    """
    d1 = wp.length(r1)
    d2 = wp.length(r2)
    d3 = wp.length(r3)
    rest = d1 * d2 * d3 + d1 * wp.dot(r2, r3) + d2 * wp.dot(r3, r1) + d3 * wp.dot(r1, r2)
    if wp.abs(volume) < SERIES_BELOW * rest:
        return wp.float64(2.0) * odd_series(volume / rest, -wp.float64(1.0))
    if volume == wp.float64(0.0):
        return wp.float64(0.0)
    return wp.float64(2.0) * wp.atan2(volume, rest)


@wp.func
def times_dyad(edge: Edge, r: wp.vec3d) -> wp.vec3d:
    """E_e r."""
    d = edge.diagonal
    m = edge.mixed
    return wp.vec3d(
        d[0] * r[0] + m[0] * r[1] + m[2] * r[2],
        m[0] * r[0] + d[1] * r[1] + m[1] * r[2],
        m[2] * r[0] + m[1] * r[1] + d[2] * r[2],
    )


@wp.func
def polyhedron_acceleration(field: PolyhedronParams, position: wp.vec3d) -> wp.vec3d:
    """Acceleration [m/s^2] at a position [m] of the surface frame."""
    p = position - field.center
    sum = wp.vec3d()
    i = int(0)
    while i < field.edges.shape[0]:
        edge = field.edges[i]
        r = edge.a - p
        sum -= times_dyad(edge, r) * edge_logarithm(r, edge.b - p, edge.length)
        i += 1
    i = int(0)
    while i < field.facets.shape[0]:
        facet = field.facets[i]
        r = facet.a - p
        height = wp.dot(facet.normal, r)
        sum += facet.normal * (height * facet_angle(r, facet.b - p, facet.c - p, height * facet.doubled))
        i += 1
    return sum * field.strength


@wp.func
def polyhedron_potential(field: PolyhedronParams, position: wp.vec3d) -> wp.float64:
    """Potential [m^2/s^2], zero at infinity."""
    p = position - field.center
    sum = wp.float64(0.0)
    i = int(0)
    while i < field.edges.shape[0]:
        edge = field.edges[i]
        r = edge.a - p
        sum += wp.dot(r, times_dyad(edge, r)) * edge_logarithm(r, edge.b - p, edge.length)
        i += 1
    i = int(0)
    while i < field.facets.shape[0]:
        facet = field.facets[i]
        r = facet.a - p
        height = wp.dot(facet.normal, r)
        sum -= height * height * facet_angle(r, facet.b - p, facet.c - p, height * facet.doubled)
        i += 1
    return -wp.float64(0.5) * sum * field.strength


@wp.func
def polyhedron_sums(field: PolyhedronParams, position: wp.vec3d) -> PolyhedronSums:
    """Potential, acceleration, gradient and divergence of it in one pass, all without G rho."""
    out = PolyhedronSums()
    p = position - field.center
    i = int(0)
    while i < field.edges.shape[0]:
        edge = field.edges[i]
        r = edge.a - p
        log_e = edge_logarithm(r, edge.b - p, edge.length)
        pull = times_dyad(edge, r) * log_e
        out.potential -= wp.float64(0.5) * wp.dot(r, pull)
        out.acceleration -= pull
        if log_e == wp.float64(0.0):
            log_e = wp.float64(wp.inf)  # on the edge: not a number, rather than a number without its infinite part
        out.diagonal += edge.diagonal * log_e
        out.mixed += edge.mixed * log_e
        i += 1
    i = int(0)
    while i < field.facets.shape[0]:
        facet = field.facets[i]
        n = facet.normal
        r = facet.a - p
        height = wp.dot(n, r)
        angle = facet_angle(r, facet.b - p, facet.c - p, height * facet.doubled)
        out.potential += wp.float64(0.5) * height * height * angle
        out.acceleration += n * (height * angle)
        out.diagonal -= wp.cw_mul(n, n) * angle
        out.mixed -= wp.vec3d(n[0] * n[1], n[1] * n[2], n[0] * n[2]) * angle
        out.divergence -= angle
        i += 1
    return out


GRAVITY_POLYHEDRON = GravityModel(
    "polyhedron", PolyhedronParams, polyhedron_acceleration, polyhedron_potential, rounds_alike=False
)
