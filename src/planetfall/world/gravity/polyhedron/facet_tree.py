"""The potential of a polyhedron of many facets, those that are far away summed together.

A facet f of outward normal n adds h I to the potential, with h = n . r its height over the field point and
I = int dS/|r| over it, r from the field point (WernerScheeres1997, Eq. 6, facet by facet):

    U = -(G rho/2) sum_f h_f I_f,    I_f = sum_e (r . b_e) L_e - h_f w_f

Facets lie in clusters within clusters (BarnesHut1986). At D from its middle a cluster adds the integral of
n . grad |t - D| over its facets, t from the middle: a Taylor series in t, cut off after ORDER terms, each a homogeneous
polynomial of the direction d = D/|D|,

    sum_m |D|^(1-m) Q_m(d),

which is used where the cluster's radius is below OPENING times |D|. How wrong that makes gravity is measured against
the exact sum, with the grid that is baked from it (`grid_errors`).
"""

import warp as wp

from planetfall.world.gravity.polyhedron.polyhedron import edge_logarithm, facet_angle

ORDER = 8
"""Terms of the series."""
N_COEFFICIENTS = sum((m + 1) * (m + 2) // 2 for m in range(1, ORDER + 1))
"""Of the polynomials of all terms: of term m, those of x^a y^b z^(m-a-b), a first."""
OPENING = 0.35
"""Largest radius of a cluster over its distance with which its series is used."""


@wp.struct
class Cluster:
    """Facets that are near each other.

    `middle` [m] and `radius` [m] of a ball that holds them; `next`: the cluster that follows when nothing inside is
    looked at; a leaf has the facets `first` to `first + count - 1`, any other cluster has none of its own.
    """

    middle: wp.vec3d
    radius: wp.float64
    next: wp.int32
    first: wp.int32
    count: wp.int32


@wp.struct
class TreeFacet:
    """A facet: corners `a`, `b`, `c` [m], unit `normal`, and twice its area, `doubled` [m^2]."""

    a: wp.vec3d
    b: wp.vec3d
    c: wp.vec3d
    normal: wp.vec3d
    doubled: wp.float64


@wp.struct
class FacetTree:
    """A polyhedron's facets in clusters, each before those inside it; `series` [cluster, coefficient] [m^(m+1)]."""

    clusters: wp.array(dtype=Cluster)
    series: wp.array2d(dtype=wp.float64)
    facets: wp.array(dtype=TreeFacet)


@wp.func
def edge_share(r1: wp.vec3d, r2: wp.vec3d, normal: wp.vec3d) -> wp.float64:
    """(r . b_e) L_e of one edge of a facet [m]: b_e lies in the facet and leaves it."""
    along = r2 - r1
    length = wp.length(along)
    return wp.dot(r1, wp.cross(along, normal)) / length * edge_logarithm(r1, r2, length)


@wp.func
def facet_share(facet: TreeFacet, p: wp.vec3d) -> wp.float64:
    """What a facet adds, h I [m^2], exact."""
    r1 = facet.a - p
    r2 = facet.b - p
    r3 = facet.c - p
    n = facet.normal
    height = wp.dot(n, r1)
    edges = edge_share(r1, r2, n) + edge_share(r2, r3, n) + edge_share(r3, r1, n)
    return height * (edges - height * facet_angle(r1, r2, r3, height * facet.doubled))


@wp.func_native(
    f"""
    constexpr int order = {ORDER};
    const double* c = series.data + size_t(cluster) * {N_COEFFICIENTS};
    const double inverse = 1.0 / distance;
    double x[order + 1], y[order + 1], z[order + 1];
    x[0] = y[0] = z[0] = 1.0;
    for (int i = 0; i < order; ++i) {{
        x[i + 1] = x[i] * (away[0] * inverse);
        y[i + 1] = y[i] * (away[1] * inverse);
        z[i + 1] = z[i] * (away[2] * inverse);
    }}
    double sum = 0.0, scale = 1.0;
    #pragma unroll
    for (int m = 1; m <= order; ++m) {{
        double term = 0.0;
        #pragma unroll
        for (int a = 0; a <= m; ++a) {{
            double inner = 0.0;
            #pragma unroll
            for (int b = 0; b <= m - a; ++b) inner += *c++ * (y[b] * z[m - a - b]);
            term += x[a] * inner;
        }}
        sum += scale * term;
        scale *= inverse;
    }}
    return sum;
    """
)
def series_share(  # pyright: ignore
    series: wp.array2d(dtype=wp.float64), cluster: int, away: wp.vec3d, distance: wp.float64
) -> wp.float64:
    """The same of a cluster by its series, for a field point that is `away` [m] from its middle, at a `distance` [m].

    In C++, whose compiler lays out all 164 products: a third of the time of a loop.
    """
    ...


@wp.func
def tree_potential(tree: FacetTree, p: wp.vec3d) -> wp.float64:
    """Potential [m^2] for G rho = 1 at a point [m] of the mesh's axes, zero at infinity."""
    sum = wp.float64(0.0)
    i = int(0)
    while i < tree.clusters.shape[0]:
        cluster = tree.clusters[i]
        away = p - cluster.middle
        distance = wp.length(away)
        if cluster.radius < wp.float64(wp.static(OPENING)) * distance:
            sum += series_share(tree.series, i, away, distance)
            i = cluster.next
        else:
            for k in range(cluster.count):
                sum += facet_share(tree.facets[cluster.first + k], p)
            i += 1
    return -wp.float64(0.5) * sum
