"""A triangle mesh as ground: the nearest facet, found in float32, measured in float64.

Warp's bounding-volume hierarchy holds the mesh in float32, in coordinates about `origin`; it only proposes facets. Gap
and normal come from the facets' own float64 vertices. Where the nearest point lies on an edge or a vertex, several
facets are equally near; the one that faces the point most squarely decides the side, and of equals the lowest index.

A query per stage would be dear, so each contact point keeps a list of the facets that can be nearest while it stays
within `list_radius` of where the list was made, and a shortlist within `short_radius`. The lists hold every facet that
could matter, so what a query answers does not depend on them. Beyond `reach` of the ground no facet is looked for: the
gap is then a lower bound of the distance, and the point is apart.
"""

import warp as wp

from planetfall.world.terrain.model import (
    GROUND_HOLE,
    GROUND_OFF_MAP,
    GROUND_OK,
    RAY_HIT,
    RAY_MISS,
    Ground,
    RayHit,
    TerrainModel,
)
from planetfall.world.terrain.triangle import FEATURE_FACE, nearest_on_triangle, ray_triangle

LIST_SIZE = 48
"""Facets that a list can hold; one more, and the queries of that point go without lists until it has moved on."""
SHORT_SIZE = 8
SHORT_MISSING = wp.constant(-1)
SHORT_OVERFLOWS = wp.constant(-2)
TIE = wp.constant(wp.float64(1.0e-9))
"""Relative difference of squared distances below which two facets are equally near."""
FLOAT32_SLACK = wp.constant(wp.float64(4.0e-6))
"""How far, relative to the size of the mesh, a distance in float32 may be off, with room to spare."""

BORDER_NONE, BORDER_OUTER, BORDER_HOLE = 0, 1, 2


@wp.struct
class MeshLists:
    """Facets near each contact point; `[point, run]` or `[slot, point, run]`.

    `center` [m], local: where the long list was made; `safe` [m]: how far from there it holds (0: no list);
    `count`: facets in it, -1 if they did not fit; `short_center`, `short_count`,
    `shortlist`: likewise for the shortlist.
    """

    center: wp.array2d(dtype=wp.vec3d)
    safe: wp.array2d(dtype=wp.float64)
    far: wp.array2d(dtype=wp.float64)
    count: wp.array2d(dtype=wp.int32)
    facets: wp.array3d(dtype=wp.int32)
    short_center: wp.array2d(dtype=wp.vec3d)
    short_count: wp.array2d(dtype=wp.int32)
    shortlist: wp.array3d(dtype=wp.int32)


@wp.struct
class MeshParams:
    """A mesh on a device.

    `mesh`: Warp's float32 mesh; `origin` [m]: its local origin in the surface frame; `vertices` [m], local; `facets`
    [facet, 3]; `normals` [facet], unit, outward; `borders` [facet, 7]: by feature of `triangle`, BORDER_*; `size` [m]:
    largest local coordinate; `reach`, `list_radius`, `short_radius` [m]; `is_exact_far`: 1 where gaps beyond `reach`
    are wanted exactly too, by a method that looks ahead; `lists`.
    """

    mesh: wp.uint64
    origin: wp.vec3d
    vertices: wp.array(dtype=wp.vec3d)
    facets: wp.array2d(dtype=wp.int32)
    normals: wp.array(dtype=wp.vec3d)
    borders: wp.array2d(dtype=wp.int32)
    size: wp.float64
    reach: wp.float64
    list_radius: wp.float64
    short_radius: wp.float64
    is_exact_far: wp.int32
    lists: MeshLists


@wp.struct
class Candidate:
    """The best facet so far: squared distance [m^2], how squarely it faces the point, and what it would answer."""

    squared: wp.float64
    facing: wp.float64
    facet: wp.int32
    feature: wp.int32
    gap: wp.float64


@wp.func
def no_candidate() -> Candidate:
    """Before any facet has been looked at."""
    best = Candidate()
    best.squared = wp.float64(1.0e300)
    best.facing = wp.float64(-1.0)
    best.facet = wp.int32(-1)
    best.gap = wp.float64(1.0e300)
    return best


@wp.func
def better_of(mesh: MeshParams, best: Candidate, p: wp.vec3d, facet: int) -> Candidate:
    """The better of the best so far and one more facet, for a local point p."""
    a = mesh.vertices[mesh.facets[facet, 0]]
    b = mesh.vertices[mesh.facets[facet, 1]]
    c = mesh.vertices[mesh.facets[facet, 2]]
    normal = mesh.normals[facet]
    near = nearest_on_triangle(p, a, b, c, normal)
    squared = wp.length_sq(near.offset)
    slack = TIE * best.squared
    if squared > best.squared + slack:
        return best
    height = wp.dot(p - a, normal)
    facing = wp.abs(height)
    if squared > best.squared - slack:  # equally near: the squarer, then the lower index
        if facing < best.facing * (wp.float64(1.0) - TIE):
            return best
        if facing <= best.facing * (wp.float64(1.0) + TIE) and facet > best.facet:
            return best
    out = Candidate()
    out.squared = squared
    out.facing = facing
    out.facet = facet
    out.feature = near.feature
    out.gap = height
    if near.feature != FEATURE_FACE:
        out.gap = wp.sqrt(squared)
        if height < wp.float64(0.0):
            out.gap = -out.gap
    return out


@wp.func
def answer(mesh: MeshParams, best: Candidate) -> Ground:
    """The best facet as ground; beside a border there is none."""
    ground = Ground()
    ground.gap = best.gap
    ground.facet = best.facet
    ground.status = GROUND_OK
    ground.normal = mesh.normals[best.facet]
    border = mesh.borders[best.facet, best.feature]
    if border != 0:
        ground.gap = wp.float64(1.0e300)
        ground.status = GROUND_OFF_MAP
        if border == 2:
            ground.status = GROUND_HOLE
    return ground


@wp.func
def float32_distance(mesh: MeshParams, p: wp.vec3d) -> wp.float64:
    """Distance [m] to the nearest facet as float32 sees it."""
    p32 = wp.vec3(wp.float32(p[0]), wp.float32(p[1]), wp.float32(p[2]))
    found = wp.mesh_query_point_no_sign(mesh.mesh, p32, wp.float32(1.0e30))
    near = wp.mesh_eval_position(mesh.mesh, found.face, found.u, found.v)
    return wp.float64(wp.length(near - p32))


@wp.func
def nearest_among_all(mesh: MeshParams, p: wp.vec3d) -> Candidate:
    """The nearest facet without lists: all facets as near as float32 says, compared in float64."""
    slack = FLOAT32_SLACK * (mesh.size + wp.length(p))
    half = float32_distance(mesh, p) + slack
    box = wp.vec3d(half, half, half)
    query = wp.mesh_query_aabb(mesh.mesh, to_float32(p - box), to_float32(p + box))
    best = no_candidate()
    facet = int(0)
    while wp.mesh_query_aabb_next(query, facet):
        best = better_of(mesh, best, p, facet)
    return best


@wp.func
def to_float32(v: wp.vec3d) -> wp.vec3:
    """Rounded to float32."""
    return wp.vec3(wp.float32(v[0]), wp.float32(v[1]), wp.float32(v[2]))


@wp.func
def make_list(mesh: MeshParams, p: wp.vec3d, j: int, run: int):
    """Lists every facet that can be within reach of a point while it stays within list_radius of p."""
    lists = mesh.lists
    slack = FLOAT32_SLACK * (mesh.size + wp.length(p))
    distance = float32_distance(mesh, p) - slack
    lists.center[j, run] = p
    lists.far[j, run] = distance
    lists.short_count[j, run] = SHORT_MISSING
    if distance > mesh.reach + mesh.list_radius:
        lists.safe[j, run] = distance - mesh.reach
        lists.count[j, run] = 0
        if nearest_among_all(mesh, p).gap < wp.float64(0.0):  # deep in the ground: apart is the last thing it is
            lists.safe[j, run] = mesh.list_radius
            lists.count[j, run] = -1
    else:
        half = wp.max(distance, mesh.reach) + wp.float64(2.0) * mesh.list_radius + wp.float64(2.0) * slack
        box = wp.vec3d(half, half, half)
        query = wp.mesh_query_aabb(mesh.mesh, to_float32(p - box), to_float32(p + box))
        n = int(0)
        facet = int(0)
        while wp.mesh_query_aabb_next(query, facet):
            if n < wp.static(LIST_SIZE):
                lists.facets[n, j, run] = facet
            n += 1
        lists.safe[j, run] = mesh.list_radius
        lists.count[j, run] = n
        if n > wp.static(LIST_SIZE):
            lists.count[j, run] = -1


@wp.func
def make_shortlist(mesh: MeshParams, p: wp.vec3d, j: int, run: int):
    """Of the long list, the facets that can be nearest while the point stays within short_radius of p."""
    lists = mesh.lists
    best = no_candidate()
    k = int(0)
    while k < lists.count[j, run]:
        best = better_of(mesh, best, p, lists.facets[k, j, run])
        k += 1
    limit = wp.sqrt(best.squared) + wp.float64(2.0) * mesh.short_radius
    n = int(0)
    k = int(0)
    while k < lists.count[j, run]:
        facet = lists.facets[k, j, run]
        one = better_of(mesh, no_candidate(), p, facet)
        if one.squared <= limit * limit * (wp.float64(1.0) + TIE):
            if n < wp.static(SHORT_SIZE):
                lists.shortlist[n, j, run] = facet
            n += 1
        k += 1
    lists.short_center[j, run] = p
    lists.short_count[j, run] = n
    if n > wp.static(SHORT_SIZE):
        lists.short_count[j, run] = SHORT_OVERFLOWS


@wp.func
def nearest_listed(mesh: MeshParams, p: wp.vec3d, j: int, run: int) -> Candidate:
    """The nearest facet of a point's shortlist, or of its long list where the shortlist does not hold."""
    lists = mesh.lists
    if lists.short_count[j, run] == SHORT_MISSING or wp.length(p - lists.short_center[j, run]) > mesh.short_radius:
        make_shortlist(mesh, p, j, run)
    best = no_candidate()
    k = int(0)
    n = lists.short_count[j, run]
    if n >= 0:
        while k < n:
            best = better_of(mesh, best, p, lists.shortlist[k, j, run])
            k += 1
    else:
        n = lists.count[j, run]
        while k < n:
            best = better_of(mesh, best, p, lists.facets[k, j, run])
            k += 1
    return best


@wp.func
def mesh_gap(mesh: MeshParams, position: wp.vec3d, j: int, run: int) -> Ground:
    """Gap to the nearest facet; run = -1 asks without lists."""
    p = position - mesh.origin
    if run < 0:
        return answer(mesh, nearest_among_all(mesh, p))
    lists = mesh.lists
    moved = wp.length(p - lists.center[j, run])
    if moved > lists.safe[j, run] or lists.safe[j, run] == wp.float64(0.0):
        make_list(mesh, p, j, run)
        moved = wp.float64(0.0)
    if lists.count[j, run] == 0 and mesh.is_exact_far == 1:
        return answer(mesh, nearest_among_all(mesh, p))
    if lists.count[j, run] == 0:
        ground = Ground()
        ground.gap = lists.far[j, run] - moved
        ground.normal = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
        ground.facet = wp.int32(-1)
        ground.status = GROUND_OK
        return ground
    if lists.count[j, run] < 0:
        return answer(mesh, nearest_among_all(mesh, p))
    return answer(mesh, nearest_listed(mesh, p, j, run))


@wp.func
def mesh_ray(mesh: MeshParams, origin: wp.vec3d, direction: wp.vec3d, range_max: wp.float64) -> RayHit:
    """First front-face hit: every facet whose box the ray meets, as far as float32 can tell, measured in float64."""
    hit = RayHit()
    hit.range = range_max
    hit.facet = wp.int32(-1)
    hit.status = RAY_MISS
    p = origin - mesh.origin
    slack = FLOAT32_SLACK * (mesh.size + wp.length(p))
    # a capsule: the boxes are widened by what float32 may be off, so none that the ray meets is left out
    boxes = wp.mesh_get_bvh(mesh.mesh)
    query = wp.bvh_query_capsule(boxes, to_float32(p), to_float32(direction), wp.float32(slack))
    facet = int(0)
    while wp.bvh_query_next(query, facet, wp.float32(hit.range + slack)):
        a = mesh.vertices[mesh.facets[facet, 0]]
        b = mesh.vertices[mesh.facets[facet, 1]]
        c = mesh.vertices[mesh.facets[facet, 2]]
        distance = ray_triangle(p, direction, a, b, c)
        if distance >= wp.float64(0.0) and distance <= hit.range:
            if distance < hit.range or hit.status == RAY_MISS or facet < hit.facet:
                hit.range = distance
                hit.normal = mesh.normals[facet]
                hit.facet = facet
                hit.status = RAY_HIT
    return hit


def empty_lists(params: MeshParams, n_points: int, n_runs: int, device: str) -> None:
    """Gives each contact point of each run room for its lists; they are made at its first query."""
    lists, shape = MeshLists(), (max(n_points, 1), n_runs)
    lists.center, lists.short_center = (wp.zeros(shape, dtype=wp.vec3d, device=device) for _ in range(2))
    lists.safe, lists.far = (wp.zeros(shape, dtype=wp.float64, device=device) for _ in range(2))
    lists.count = wp.zeros(shape, dtype=wp.int32, device=device)
    lists.short_count = wp.full(shape, int(SHORT_MISSING), dtype=wp.int32, device=device)
    lists.facets = wp.zeros((LIST_SIZE, *shape), dtype=wp.int32, device=device)
    lists.shortlist = wp.zeros((SHORT_SIZE, *shape), dtype=wp.int32, device=device)
    params.lists = lists


def look_ahead(params: MeshParams, is_wanted: bool) -> None:
    """Asks for exact gaps beyond `reach`, or for lower bounds."""
    params.is_exact_far = int(is_wanted)


TERRAIN_MESH = TerrainModel("mesh", MeshParams, mesh_gap, mesh_ray, make_room=empty_lists, look_ahead=look_ahead)
