"""A triangle mesh as ground: the nearest facet, measured in float64.

Where the nearest point lies on an edge or a vertex, several facets are equally near; the one that faces the point most
squarely decides the side, and of equals the lowest index.

A search of the whole tree in every stage would be dear, so each contact point keeps what it found: a ball in which one
facet is known to be the only nearest one and the nearest point lies inside it (or in which there is no ground within
`reach`), so that the gap is a dot product; and about that a wider ball with a short list of all facets that can be
nearest anywhere in it. Both balls are proven, not guessed, so what a query answers does not depend on them. Beyond
`reach` the gap is a lower bound of the distance, and the point is apart.
"""

from typing import Any

import warp as wp

from planetfall.world.terrain.mesh_ray import first_hit, hit_abreast, hit_in_turn
from planetfall.world.terrain.mesh_search import FIND_ALL, TIE, Search, least_square, nearest_of_all, search
from planetfall.world.terrain.mesh_tree import NOTHING, MeshTree, corner_at, facet_at, larger, smaller
from planetfall.world.terrain.model import (
    GROUND_HOLE,
    GROUND_OFF_MAP,
    GROUND_OK,
    Ground,
    RayHit,
    TerrainModel,
)
from planetfall.world.terrain.triangle import FEATURE_FACE, inside_by, nearest_on_triangle

LIST_SIZE = 8
"""Facets that a list can hold."""
LEAST_LIST = wp.constant(wp.float64(1.0 / 256.0))
"""Radius of the smallest list, relative to that of the largest; where even that has too many facets, there is none."""
LIST_OVERFLOWS = wp.constant(-1)
BORDER_NONE, BORDER_OUTER, BORDER_HOLE = 0, 1, 2

PerListed = wp.types.vector(length=LIST_SIZE, dtype=wp.float64)
ListBall = wp.types.vector(length=5, dtype=wp.float64)


@wp.struct
class MeshMemory:
    """What each contact point keeps; `[point, run]`.

    `ball`: centre [m], local, and squared radius [m^2], negative for none, in which the facet of index `facet` is the
    nearest, with its `corner` a [m], local, and `normal`; an index of -1 says that no ground is within reach, and the
    first component of `corner` how far it is from the centre [m]. `list_ball`: centre and squared radius in which the
    list holds, and a distance [m]: facets that are not listed are farther than that from the centre. `count` of facets
    listed, LIST_OVERFLOWS if there are too many; `places` [slot, point, run]: where in the tree they are.
    """

    ball: wp.array2d(dtype=wp.vec4d)
    corner: wp.array2d(dtype=wp.vec3d)
    normal: wp.array2d(dtype=wp.vec3d)
    facet: wp.array2d(dtype=wp.int32)
    list_ball: wp.array2d(dtype=ListBall)
    count: wp.array2d(dtype=wp.int32)
    places: wp.array3d(dtype=wp.int32)


@wp.struct
class MeshParams:
    """A mesh on a device.

    `origin` [m]: its local origin in the surface frame; `tree`: its facets; `size` [m]: largest local coordinate;
    `reach` [m]: how far from the ground contact still matters; `list_radius` [m]: largest radius of a list;
    `is_exact_far`: 1 where gaps beyond `reach` are wanted exactly too, by a method that looks ahead; `is_closed`: 1
    where it has no border; `memory`.
    """

    origin: wp.vec3d
    tree: MeshTree
    size: wp.float64
    reach: wp.float64
    list_radius: wp.float64
    is_exact_far: wp.int32
    is_closed: wp.int32
    memory: MeshMemory


@wp.func
def answer(tree: wp.ref[MeshTree], place: int, p: wp.vec3d) -> Ground:
    """A facet as the ground of a local point; beside a border there is none."""
    facet = facet_at(tree, place)
    near = nearest_on_triangle(p, facet.a, facet.b, facet.c, facet.normal)
    ground = Ground()
    ground.gap = wp.dot(p - facet.a, facet.normal)
    if near.feature != FEATURE_FACE:
        distance = wp.length(near.offset)
        if ground.gap < wp.float64(0.0):
            distance = -distance
        ground.gap = distance
    ground.normal = facet.normal
    ground.facet = tree.indices[place]
    ground.status = GROUND_OK
    border = (tree.borders[place] >> (2 * near.feature)) & 3
    if border != 0:
        ground.gap = NOTHING
        ground.status = GROUND_OFF_MAP
        if border == 2:
            ground.status = GROUND_HOLE
    return ground


@wp.func
def apart(gap: wp.float64, status: wp.int32) -> Ground:
    """No ground near: its gap, or a lower bound of it, and a normal that nothing should use."""
    ground = Ground()
    ground.gap = gap
    ground.normal = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
    ground.facet = wp.int32(-1)
    ground.status = status
    return ground


@wp.func
def search_and_answer(mesh: wp.ref[MeshParams], p: wp.vec3d) -> Ground:
    """Gap of a local point to the nearest facet of all."""
    squared = least_square(mesh.tree, p, mesh.memory.places)
    return answer(mesh.tree, nearest_of_all(mesh.tree, p, squared, mesh.memory.places), p)


@wp.func
def make_list(mesh: wp.ref[MeshParams], p: wp.vec3d, distance: wp.float64, j: int, run: int):
    """Lists every facet that can be nearest while a point that is `distance` from the mesh stays in a ball about p.

    The nearest facet of all is at most `distance` plus the radius away then, and a facet comes nearer by at most the
    radius: what is farther than `distance` plus twice the radius cannot matter.
    """
    radius = wp.float64(2.0) * mesh.list_radius
    before = mesh.memory.list_ball[j, run][3]
    if before > wp.float64(0.0):
        radius = smaller(radius, wp.float64(4.0) * wp.sqrt(before))  # at first twice what fitted last
    count = LIST_OVERFLOWS
    bound = distance
    while count < 0 and radius > LEAST_LIST * mesh.list_radius:
        radius = radius * wp.float64(0.5)
        bound = distance + wp.float64(2.0) * radius
        found = Search()
        found.limit = bound * bound * (wp.float64(1.0) + TIE)
        found = search(mesh.tree, found, p, FIND_ALL, mesh.memory.places, j, run)
        if found.count <= wp.static(LIST_SIZE):
            count = found.count
    mesh.memory.list_ball[j, run] = ListBall(p[0], p[1], p[2], radius * radius, bound)
    mesh.memory.count[j, run] = count


@wp.func
def nearest_listed(mesh: wp.ref[MeshParams], p: wp.vec3d, j: int, run: int) -> int:
    """Which slot of a point's list has the nearest facet, by the same rule as `nearest_of_all`."""
    n = mesh.memory.count[j, run]
    squares = PerListed()
    heights = PerListed()
    limit = NOTHING
    k = int(0)
    while k < n:
        facet = facet_at(mesh.tree, mesh.memory.places[k, j, run])
        near = nearest_on_triangle(p, facet.a, facet.b, facet.c, facet.normal)
        squares[k] = wp.length_sq(near.offset)
        heights[k] = wp.abs(wp.dot(p - facet.a, facet.normal))
        limit = smaller(limit, squares[k])
        k += 1
    limit = limit * (wp.float64(1.0) + TIE)
    square = wp.float64(0.0)
    k = int(0)
    while k < n:
        if squares[k] <= limit:
            square = larger(square, heights[k])
        k += 1
    square = square * (wp.float64(1.0) - TIE)
    best = int(-1)
    lowest = wp.int32(0)
    k = int(0)
    while k < n:
        if squares[k] <= limit and heights[k] >= square:
            index = mesh.tree.indices[mesh.memory.places[k, j, run]]
            if best < 0 or index < lowest:
                best = k
                lowest = index
        k += 1
    return best


@wp.func
def ball_radius(mesh: wp.ref[MeshParams], p: wp.vec3d, best: int, j: int, run: int) -> wp.float64:
    """How far a point may move [m] with slot `best` of its list certainly nearest, by its face; 0 or less: not at all.

    The foot of the point stays inside the facet while it moves less than it is from the border. Another facet, at a
    distance d along the unit vector u, is convex and so stays behind the plane across u at its nearest point: after a
    move m it is at least d + u m away, and the nearest facet, at height h along its normal n, is |h + n m| away.
    """
    one = wp.float64(1.0) + TIE
    own = facet_at(mesh.tree, mesh.memory.places[best, j, run])
    height = wp.dot(p - own.a, own.normal)
    n = own.normal
    if height < wp.float64(0.0):
        height = -height
        n = -n
    held = mesh.memory.list_ball[j, run]
    moved = wp.length(p - wp.vec3d(held[0], held[1], held[2]))
    radius = smaller(inside_by(p, own.a, own.b, own.c, own.normal), (held[4] - moved - height * one) * wp.float64(0.5))
    k = int(0)
    while k < mesh.memory.count[j, run] and radius > wp.float64(0.0):
        if k != best:
            other = facet_at(mesh.tree, mesh.memory.places[k, j, run])
            offset = nearest_on_triangle(p, other.a, other.b, other.c, other.normal).offset
            distance = wp.length(offset)
            toward = offset / distance
            radius = smaller(radius, (distance - height * one) / (wp.length(toward - n) + TIE))
            radius = smaller(radius, (distance + height * one) / (wp.length(toward + n) + TIE))
        k += 1
    return radius * wp.float64(0.999) - mesh.size * wp.float64(1.0e-13)


@wp.func
def keep_ball(mesh: wp.ref[MeshParams], p: wp.vec3d, radius: wp.float64, facet: wp.int32, j: int, run: int):
    """Keeps a ball in which the answer is known."""
    squared = wp.float64(-1.0)
    if radius > wp.float64(0.0):
        squared = radius * radius
    mesh.memory.ball[j, run] = wp.vec4d(p[0], p[1], p[2], squared)
    mesh.memory.facet[j, run] = facet


@wp.func
def renew(mesh: wp.ref[MeshParams], p: wp.vec3d, j: int, run: int) -> int:
    """A new list for a point that has left its old one; 1 if it needs none, since no ground is within `reach`."""
    squared = least_square(mesh.tree, p, mesh.memory.places)
    distance = wp.sqrt(squared)
    if mesh.is_exact_far == 0 and distance > mesh.reach + mesh.list_radius:
        facet = facet_at(mesh.tree, nearest_of_all(mesh.tree, p, squared, mesh.memory.places))
        if wp.dot(p - facet.a, facet.normal) > wp.float64(0.0):  # deep in the ground is anything but apart
            keep_ball(mesh, p, (distance - mesh.reach) * wp.float64(0.999), wp.int32(-1), j, run)
            mesh.memory.corner[j, run] = wp.vec3d(distance, wp.float64(0.0), wp.float64(0.0))
            mesh.memory.list_ball[j, run] = ListBall(p[0], p[1], p[2], wp.float64(-1.0), wp.float64(0.0))
            return 1
    make_list(mesh, p, distance, j, run)
    return 0


@wp.func(inline=False)
def look_up(mesh: wp.ref[MeshParams], p: wp.vec3d, j: int, run: int) -> Ground:
    """Gap of a local point by its list or by the tree; renews what the point keeps."""
    if not (wp.length_sq(p) < NOTHING):  # not a number, or beyond all numbers
        return apart(NOTHING, GROUND_OFF_MAP)
    if run < 0:
        return search_and_answer(mesh, p)
    held = mesh.memory.list_ball[j, run]
    if not (wp.length_sq(p - wp.vec3d(held[0], held[1], held[2])) <= held[3]):
        if renew(mesh, p, j, run) == 1:
            return apart(mesh.memory.corner[j, run][0], GROUND_OK)
    if mesh.memory.count[j, run] < 0:
        keep_ball(mesh, p, wp.float64(-1.0), wp.int32(-1), j, run)
        return search_and_answer(mesh, p)
    best = nearest_listed(mesh, p, j, run)
    place = mesh.memory.places[best, j, run]
    keep_ball(mesh, p, ball_radius(mesh, p, best, j, run), mesh.tree.indices[place], j, run)
    mesh.memory.corner[j, run] = corner_at(mesh.tree, place, 0)
    mesh.memory.normal[j, run] = mesh.tree.normals[place]
    return answer(mesh.tree, place, p)


# inlined: what most queries need is a few lines
@wp.func(inline=True)
def mesh_gap(mesh: wp.ref[MeshParams], position: wp.vec3d, j: int, run: int) -> Ground:
    """Gap to the nearest facet; run = -1 asks without memory."""
    p = position - mesh.origin
    if run >= 0:
        ball = mesh.memory.ball[j, run]
        moved = wp.length_sq(p - wp.vec3d(ball[0], ball[1], ball[2]))
        if moved < ball[3]:
            corner = mesh.memory.corner[j, run]
            facet = mesh.memory.facet[j, run]
            if facet < 0:
                return apart(corner[0] - wp.sqrt(moved), GROUND_OK)
            ground = Ground()
            ground.normal = mesh.memory.normal[j, run]
            ground.gap = wp.dot(p - corner, ground.normal)
            ground.facet = facet
            ground.status = GROUND_OK
            return ground
    return look_up(mesh, p, j, run)


def mesh_ray(hit_in_leaf: Any) -> Any:
    """`@wp.func (mesh, origin_S [m], direction_S, range_max [m]) -> RayHit`: first front face."""
    find = first_hit(hit_in_leaf)

    @wp.func
    def ray(mesh: wp.ref[MeshParams], origin: wp.vec3d, direction: wp.vec3d, range_max: wp.float64) -> RayHit:
        return find(mesh.tree, origin - mesh.origin, direction, range_max)

    return ray


def empty_memory(params: MeshParams, n_points: int, n_runs: int, device: str) -> Any:
    """Gives each contact point of each run something to keep its findings in; there are none before its first query."""
    memory, shape = MeshMemory(), (max(n_points, 1), n_runs)
    memory.ball = wp.full(shape, wp.vec4d(0.0, 0.0, 0.0, -1.0), dtype=wp.vec4d, device=device)
    memory.corner, memory.normal = (wp.zeros(shape, dtype=wp.vec3d, device=device) for _ in range(2))
    memory.facet, memory.count = (wp.zeros(shape, dtype=wp.int32, device=device) for _ in range(2))
    memory.list_ball = wp.full(shape, ListBall(0.0, 0.0, 0.0, -1.0, 0.0), dtype=ListBall, device=device)
    memory.places = wp.zeros((LIST_SIZE, *shape), dtype=wp.int32, device=device)
    params.memory = memory
    return memory


def look_ahead(params: MeshParams, is_wanted: bool) -> None:
    """Asks for exact gaps beyond `reach`, or for lower bounds."""
    params.is_exact_far = int(is_wanted)


@wp.func
def mesh_closing(mesh: wp.ref[MeshParams]) -> wp.float64:
    """A gap is a distance, or less; beside a border there is none, so that nothing follows from it."""
    if mesh.is_closed == 1:
        return wp.float64(1.0)
    return NOTHING


_rooms: Any = {"make_room": empty_memory, "look_ahead": look_ahead, "closing": mesh_closing}
TERRAIN_MESH = TerrainModel("mesh", MeshParams, mesh_gap, mesh_ray(hit_abreast), **_rooms)
TERRAIN_MESH_GPU = TerrainModel("mesh", MeshParams, mesh_gap, mesh_ray(hit_in_turn), is_called=True, **_rooms)
"""The same answers by code that suits a GPU better."""
