"""A triangle mesh as ground: the nearest point of its facets, measured in float64 (`nearest_facet`).

The side of a point is that of the face it is nearest to. On an edge it is that of the sum of both facets' normals, and
on a vertex that of the normals around it weighted with the facets' angles there, which is right for every closed
surface (Baerentzen2005). Where more than two facets share an edge, or bodies a vertex, there is no such sum; the facet
that faces the point most squarely decides then.

Each contact point keeps what it found. Beyond `reach` the gap is a lower bound of the distance, and the point is apart.
"""

from typing import Any

import warp as wp

from planetfall.world.terrain.facets.nearest_facet import (
    FIND_SQUAREST,
    FacetSource,
    KeptFacets,
    ListBall,
    Search,
    empty_kept,
    measured,
    nearest_facet,
    no_ground,
    tied_with,
)
from planetfall.world.terrain.facets.triangle import FEATURE_EDGE_AB, FEATURE_VERTEX_A, NOTHING, Facet, Nearest
from planetfall.world.terrain.mesh.first_hit import first_hit, hit_abreast, hit_in_turn
from planetfall.world.terrain.mesh.search import search
from planetfall.world.terrain.mesh.tree import MeshTree, facet_at
from planetfall.world.terrain.model import (
    GROUND_HOLE,
    GROUND_OFF_MAP,
    GROUND_OK,
    Ground,
    RayHit,
    TerrainModel,
)

BORDER_NONE, BORDER_OUTER, BORDER_HOLE = 0, 1, 2


@wp.struct
class MeshParams:
    """A mesh on a device.

    `origin` [m]: its local origin in the surface frame; `tree`: its facets; `reach` [m]: how far from the ground
    contact still matters; `list_radius`, `grain`, `blur` [m] as a `FacetSource` has them; `is_exact_far`: 1 where gaps
    beyond `reach` are wanted exactly too, by a method that looks ahead; `is_closed`: 1 where it has no border; `kept`.
    """

    origin: wp.vec3d
    tree: MeshTree
    reach: wp.float64
    list_radius: wp.float64
    grain: wp.float64
    blur: wp.float64
    is_exact_far: wp.int32
    is_closed: wp.int32
    kept: KeptFacets


@wp.func
def mesh_facet(mesh: wp.ref[MeshParams], place: int) -> Facet:
    """The facet at a place."""
    return facet_at(mesh.tree, place)


@wp.func
def mesh_index(mesh: wp.ref[MeshParams], place: int) -> wp.int32:
    """The index, in the file, of the facet at a place."""
    return mesh.tree.indices[place]


@wp.func
def mesh_search(
    mesh: wp.ref[MeshParams],
    start: Search,
    p: wp.vec3d,
    what: int,
    places: wp.array3d(dtype=wp.int32),
    j: int,
    run: int,
) -> Search:
    """Looks at every facet within a limit."""
    return search(mesh.tree, start, p, what, places, j, run)


@wp.func
def pseudonormal(mesh: wp.ref[MeshParams], place: int, feature: wp.int32) -> wp.vec3d:
    """Of an edge or a vertex of a facet (Baerentzen2005), of any length; zero where there is none."""
    if feature >= FEATURE_VERTEX_A:
        vertex = mesh.tree.rounds[place][feature - FEATURE_VERTEX_A]
        if vertex >= 0:
            return mesh.tree.vertex_normals[vertex]
        return wp.vec3d()
    beside = mesh.tree.beside[place][feature - FEATURE_EDGE_AB]
    if beside >= 0:
        return mesh.tree.normals[place] + mesh.tree.normals[beside]
    return wp.vec3d()


@wp.func
def mesh_side(mesh: wp.ref[MeshParams], place: int, near: Nearest, p: wp.vec3d) -> wp.float64:
    """1 outside, -1 in the ground, of a point whose nearest one is on an edge or a vertex."""
    height = wp.dot(near.offset, pseudonormal(mesh, place, near.feature))
    if height == wp.float64(0.0):
        found = Search()
        found.limit = tied_with(wp.length_sq(near.offset), mesh.grain)
        height = search(mesh.tree, found, p, FIND_SQUAREST, mesh.kept.places, 0, 0).height
    return wp.where(height < wp.float64(0.0), wp.float64(-1.0), wp.float64(1.0))


@wp.func
def mesh_status(mesh: wp.ref[MeshParams], place: int, feature: wp.int32) -> wp.int32:
    """Beyond the border of an open sheet there is no ground."""
    border = (mesh.tree.borders[place] >> (2 * feature)) & 3
    if border == 0:
        return GROUND_OK
    if border == 2:
        return GROUND_HOLE
    return GROUND_OFF_MAP


@wp.func
def mesh_free(mesh: wp.ref[MeshParams], p: wp.vec3d) -> wp.float64:
    """Borders are features: what is nearest tells them."""
    return NOTHING


MESH_FACETS = nearest_facet(
    FacetSource(MeshParams, mesh_facet, mesh_index, mesh_search, mesh_side, mesh_status, mesh_free)
)
_least_square, _place_of, _side = MESH_FACETS.least_square, MESH_FACETS.place, MESH_FACETS.side
_alone, _make_list, _listed = MESH_FACETS.alone, MESH_FACETS.make_list, MESH_FACETS.listed


@wp.func
def renew(mesh: wp.ref[MeshParams], p: wp.vec3d, j: int, run: int) -> int:
    """A new list for a point that has left its old one; 1 if it needs none, since no ground is within `reach`."""
    distance = wp.sqrt(_least_square(mesh, p))
    if mesh.is_exact_far == 0 and distance > mesh.reach + mesh.list_radius:
        if _side(mesh, _place_of(mesh, p), p) > wp.float64(0.0):  # deep in the ground is anything but apart
            radius = (distance - mesh.reach) * wp.float64(0.999)
            mesh.kept.ball[j, run] = wp.vec4d(p[0], p[1], p[2], radius * radius)
            mesh.kept.facet[j, run] = wp.int32(-1)
            mesh.kept.corner[j, run] = wp.vec3d(distance, wp.float64(0.0), wp.float64(0.0))
            mesh.kept.list_ball[j, run] = ListBall(p[0], p[1], p[2], wp.float64(-1.0), wp.float64(0.0))
            return 1
    _make_list(mesh, p, distance, j, run)
    return 0


@wp.func(inline=False)
def look_up(mesh: wp.ref[MeshParams], p: wp.vec3d, j: int, run: int) -> Ground:
    """Gap of a local point by its list or by the tree; renews what the point keeps."""
    if not (wp.length_sq(p) < NOTHING):  # not a number, or beyond all numbers
        return no_ground(NOTHING, GROUND_OFF_MAP)
    if run < 0:
        return _alone(mesh, p)
    held = mesh.kept.list_ball[j, run]
    if not (wp.length_sq(p - wp.vec3d(held[0], held[1], held[2])) <= held[3]):
        if renew(mesh, p, j, run) == 1:
            return no_ground(mesh.kept.corner[j, run][0], GROUND_OK)
    if mesh.kept.count[j, run] < 0:
        mesh.kept.ball[j, run] = wp.vec4d(p[0], p[1], p[2], wp.float64(-1.0))
        return _alone(mesh, p)
    return _listed(mesh, p, j, run)


# inlined: what most queries need is a few lines
@wp.func(inline=True)
def mesh_gap(mesh: wp.ref[MeshParams], position: wp.vec3d, j: int, run: int) -> Ground:
    """Gap to the nearest facet; run = -1 asks without memory."""
    p = position - mesh.origin
    if run >= 0:
        ball = mesh.kept.ball[j, run]
        moved = wp.length_sq(p - wp.vec3d(ball[0], ball[1], ball[2]))
        if moved < ball[3]:
            facet = mesh.kept.facet[j, run]
            if facet < 0:
                return no_ground(mesh.kept.corner[j, run][0] - wp.sqrt(moved), GROUND_OK)
            ground = measured(p, mesh.kept.corner[j, run], mesh.kept.way[j, run])
            ground.facet = facet
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
    """Gives each contact point of each run something to keep its findings in."""
    kept = empty_kept(n_points, n_runs, device)  # `params.kept` is a copy that the next machine of a model overwrites
    params.kept = kept
    return kept


def look_ahead(params: MeshParams, is_wanted: bool) -> None:
    """Asks for exact gaps beyond `reach`, or for lower bounds."""
    params.is_exact_far = int(is_wanted)


@wp.func
def mesh_closing(mesh: wp.ref[MeshParams]) -> wp.float64:
    """A gap is a distance, or less; beside a border there is none, so that nothing follows from it."""
    if mesh.is_closed == 1:
        return wp.float64(1.0)
    return NOTHING


_rooms: Any = {"make_memory": empty_memory, "look_ahead": look_ahead, "closing": mesh_closing}
TERRAIN_MESH = TerrainModel("mesh", MeshParams, mesh_gap, mesh_ray(hit_abreast), **_rooms)
TERRAIN_MESH_GPU = TerrainModel("mesh", MeshParams, mesh_gap, mesh_ray(hit_in_turn), is_called=True, **_rooms)
"""The same answers by code that suits a GPU better."""
