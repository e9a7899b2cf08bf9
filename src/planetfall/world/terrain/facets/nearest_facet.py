"""The nearest point of a ground's facets, and what each contact point keeps so as to find it again at once.

The gap is the distance to that point with the sign of its side, and the normal the unit vector between them, so that
half K gap^2 is one potential whose slope is the force: the gap changes by the way along the normal, on facets, edges
and vertices, and does not jump where another of them becomes the nearest. Of equally near facets the one that has the
nearest point inside answers before one that has it on an edge, and that before a vertex; of equals the lowest index.

A search in every stage would be dear, so each contact point keeps what it found: a ball in which one facet, edge or
vertex is known to be the only nearest one, so that the gap is one formula; and about that a wider ball with a short
list of all facets that can be nearest anywhere in it. Both balls are proven, not guessed, so what a query answers does
not depend on them.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.world.terrain.facets.nearest_ball import ball_radius
from planetfall.world.terrain.facets.triangle import (
    FEATURE_FACE,
    FEATURE_VERTEX_A,
    NOTHING,
    ROUNDOFF,
    Facet,
    begun_at,
    nearest_on_triangle,
    rank_of,
    smaller,
)
from planetfall.world.terrain.model import GROUND_OK, Ground

LIST_SIZE = 8
"""Facets that a list can hold."""
LEAST_LIST = wp.constant(wp.float64(1.0 / 256.0))
"""Radius of the smallest list, relative to that of the largest; where even that has too many facets, there is none."""
LIST_OVERFLOWS = wp.constant(-1)

FIND_DISTANCE = wp.constant(0)
FIND_SQUAREST = wp.constant(1)
FIND_FIRST = wp.constant(2)
FIND_ALL = wp.constant(3)

PerListed = wp.types.vector(length=LIST_SIZE, dtype=wp.float64)
RankListed = wp.types.vector(length=LIST_SIZE, dtype=wp.int32)
ListBall = wp.types.vector(length=5, dtype=wp.float64)


@wp.struct
class KeptFacets:
    """What each contact point keeps; `[point, run]`.

    `ball`: centre [m] and squared radius [m^2], negative for none, in which one feature of the facet of index `facet`
    is the nearest: its `corner` [m] and its `way`, three components and a kind: of a face the outward normal and 0, of
    an edge the unit vector along it, of a vertex zero, both with the side, 1 outside and -1 in the ground. An index of
    -1 says that no ground is within reach, and the first component of `corner` how far it is from the centre [m].
    `list_ball`: centre and squared radius in which the list holds, and a distance [m]: facets that are not listed are
    farther than that from the centre. `count` of facets listed, LIST_OVERFLOWS if there are too many; `places` [slot,
    point, run]: where they are found.
    """

    ball: wp.array2d(dtype=wp.vec4d)
    corner: wp.array2d(dtype=wp.vec3d)
    way: wp.array2d(dtype=wp.vec4d)
    facet: wp.array2d(dtype=wp.int32)
    list_ball: wp.array2d(dtype=ListBall)
    count: wp.array2d(dtype=wp.int32)
    places: wp.array3d(dtype=wp.int32)


def empty_kept(n_points: int, n_runs: int, device: str) -> KeptFacets:
    """Something for each contact point of each run to keep its findings in; there are none before its first query."""
    kept, shape = KeptFacets(), (max(n_points, 1), n_runs)
    kept.ball = wp.full(shape, wp.vec4d(0.0, 0.0, 0.0, -1.0), dtype=wp.vec4d, device=device)
    kept.corner = wp.zeros(shape, dtype=wp.vec3d, device=device)
    kept.way = wp.zeros(shape, dtype=wp.vec4d, device=device)
    kept.facet, kept.count = (wp.zeros(shape, dtype=wp.int32, device=device) for _ in range(2))
    kept.list_ball = wp.full(shape, ListBall(0.0, 0.0, 0.0, -1.0, 0.0), dtype=ListBall, device=device)
    kept.places = wp.zeros((LIST_SIZE, *shape), dtype=wp.int32, device=device)
    return kept


@wp.struct
class Search:
    """What a search has found so far.

    `limit` [m^2]: squared distance of the facets that count; `height` [m]: that over the squarest of them, with its
    sign; the `place` of the one with the lowest `rank` and, of equals, `index`; `count` of them.
    """

    limit: wp.float64
    height: wp.float64
    place: wp.int32
    rank: wp.int32
    index: wp.int32
    count: wp.int32


@wp.func
def weighed(found: Search, facet: Facet, place: int, index: wp.int32, p: wp.vec3d, what: int) -> Search:
    """A search with one more facet looked at."""
    out = found
    near = nearest_on_triangle(p, facet.a, facet.b, facet.c, facet.normal)
    squared = wp.length_sq(near.offset)
    if squared <= found.limit:
        if what == FIND_DISTANCE:
            out.limit = squared
        if what == FIND_SQUAREST:
            height = wp.dot(p - facet.a, facet.normal)
            if wp.abs(height) > wp.abs(found.height):
                out.height = height
        if what == FIND_FIRST:
            rank = rank_of(near.feature)
            if found.place < 0 or rank < found.rank or (rank == found.rank and index < found.index):
                out.place = place
                out.rank = rank
                out.index = index
        out.count = found.count + 1
    return out


@wp.func
def tied_with(squared: wp.float64, grain: wp.float64) -> wp.float64:
    """Squared distance [m^2] up to which facets are as near as one, but for rounding."""
    limit = wp.sqrt(squared) * (wp.float64(1.0) + ROUNDOFF) + grain
    return limit * limit


@wp.func
def measured(p: wp.vec3d, corner: wp.vec3d, way: wp.vec4d) -> Ground:
    """Gap and normal of a point by the feature that is nearest to it."""
    ground = Ground()
    arm = p - corner
    along = wp.vec3d(way[0], way[1], way[2])
    side = way[3]
    if side == wp.float64(0.0):
        ground.normal = along
        ground.gap = wp.dot(arm, along)
    else:
        offset = arm - along * wp.dot(arm, along)
        distance = wp.length(offset)
        ground.gap = side * distance
        ground.normal = offset * (side / distance)
    ground.status = GROUND_OK
    return ground


@wp.func
def way_along(facet: Facet, feature: wp.int32, side: wp.float64) -> wp.vec4d:
    """The `way` of a feature of a facet whose corners begin at it; `KeptFacets` says what that is."""
    if feature == FEATURE_FACE:
        return wp.vec4d(facet.normal[0], facet.normal[1], facet.normal[2], wp.float64(0.0))
    if feature >= FEATURE_VERTEX_A:
        return wp.vec4d(wp.float64(0.0), wp.float64(0.0), wp.float64(0.0), side)
    ab = wp.normalize(facet.b - facet.a)
    return wp.vec4d(ab[0], ab[1], ab[2], side)


@wp.func
def no_ground(gap: wp.float64, status: wp.int32) -> Ground:
    """No ground near: its gap, or a lower bound of it, and a normal that nothing should use."""
    ground = Ground()
    ground.gap = gap
    ground.normal = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0))
    ground.facet = wp.int32(-1)
    ground.status = status
    return ground


@dataclass(frozen=True)
class FacetSource:
    """Where the facets of a ground are found; all are `@wp.func`s.

    Attributes:
        params: `@wp.struct` class of the ground, with the fields `kept` (KeptFacets), `list_radius` [m] of the largest
            list, `grain` [m], which is what rounding does to distances on its facets, and `blur` [m], to positions.
        facet_at: `(ground, place) -> Facet`.
        index_at: `(ground, place) -> index`.
        search: `(ground, Search, p [m], what, places, point, run) -> Search`: looks at every facet within the limit;
            with FIND_ALL notes their places, as far as there is room.
        side_of: `(ground, place, Nearest, p [m]) -> 1 or -1`: whether a point is outside or in the ground, where the
            nearest point is on an edge or a vertex.
        status_at: `(ground, place, feature) -> GROUND_*` beyond a feature.
        free_radius: `(ground, p [m]) -> how far [m]` a point may go without leaving the ground's extent.
    """

    params: Any
    facet_at: Any
    index_at: Any
    search: Any
    side_of: Any
    status_at: Any
    free_radius: Any


@dataclass(frozen=True)
class NearestFacet:
    """Questions to the facets of a ground; all are `@wp.func`s.

    Attributes:
        place: `(ground, p [m]) -> place` of the nearest facet of all.
        side: `(ground, place, p [m]) -> 1 or -1`, on faces as well.
        answer: `(ground, place, p [m]) -> Ground` by that facet.
        alone: `(ground, p [m]) -> Ground`, without memory.
        least_square: `(ground, p [m]) -> squared distance [m^2]` of the nearest facet of all.
        make_list: `(ground, p [m], distance [m], point, run)`: a new list, of a point that has left its old one.
        listed: `(ground, p [m], point, run) -> Ground` by the list; renews the ball.
    """

    place: Any
    side: Any
    answer: Any
    alone: Any
    least_square: Any
    make_list: Any
    listed: Any


@lru_cache
def nearest_facet(source: FacetSource) -> NearestFacet:
    """The questions to the facets of one kind of ground."""
    params, facet_at, index_at, search = source.params, source.facet_at, source.index_at, source.search
    side_of, status_at = source.side_of, source.status_at

    @wp.func
    def least_square(ground: wp.ref[params], p: wp.vec3d) -> wp.float64:
        found = Search()
        found.limit = NOTHING
        return search(ground, found, p, FIND_DISTANCE, ground.kept.places, 0, 0).limit

    @wp.func
    def place_of(ground: wp.ref[params], p: wp.vec3d) -> int:
        found = Search()
        found.limit = tied_with(least_square(ground, p), ground.grain)
        found.place = wp.int32(-1)
        return search(ground, found, p, FIND_FIRST, ground.kept.places, 0, 0).place

    @wp.func
    def side(ground: wp.ref[params], place: int, p: wp.vec3d) -> wp.float64:
        facet = facet_at(ground, place)
        near = nearest_on_triangle(p, facet.a, facet.b, facet.c, facet.normal)
        if near.feature == FEATURE_FACE:
            return wp.where(wp.dot(p - facet.a, facet.normal) < wp.float64(0.0), wp.float64(-1.0), wp.float64(1.0))
        return side_of(ground, place, near, p)

    @wp.func
    def answer(ground: wp.ref[params], place: int, p: wp.vec3d) -> Ground:
        facet = facet_at(ground, place)
        near = nearest_on_triangle(p, facet.a, facet.b, facet.c, facet.normal)
        status = status_at(ground, place, near.feature)
        if status != GROUND_OK:
            out = no_ground(NOTHING, status)
            out.normal = facet.normal
            out.facet = index_at(ground, place)
            return out
        turned = begun_at(facet, near.feature)
        side = wp.float64(0.0)
        if near.feature != FEATURE_FACE:
            side = side_of(ground, place, near, p)
        out = measured(p, turned.a, way_along(turned, near.feature, side))
        if near.feature != FEATURE_FACE and wp.abs(out.gap) <= ground.grain:
            out.normal = facet.normal  # so near to an edge or a vertex, the way to it is rounding
        out.facet = index_at(ground, place)
        return out

    @wp.func
    def alone(ground: wp.ref[params], p: wp.vec3d) -> Ground:
        return answer(ground, place_of(ground, p), p)

    make_list, listed = _list_of(source, answer)
    return NearestFacet(place_of, side, answer, alone, least_square, make_list, listed)


def _list_of(source: FacetSource, answer: Any) -> tuple[Any, Any]:
    """`make_list` and `listed` of a `NearestFacet`."""
    params, facet_at, index_at, search = source.params, source.facet_at, source.index_at, source.search
    radius_of = ball_radius(source.params, source.facet_at, source.free_radius)
    side_of, status_at = source.side_of, source.status_at

    @wp.func
    def make_list(ground: wp.ref[params], p: wp.vec3d, distance: wp.float64, j: int, run: int):
        """Lists every facet that can be nearest while a point that is `distance` from the facets stays in a ball.

        The nearest facet of all is at most `distance` plus the radius away then, and a facet comes nearer by at most
        the radius: what is farther than `distance` plus twice the radius cannot matter.
        """
        radius = wp.float64(2.0) * ground.list_radius
        before = ground.kept.list_ball[j, run][3]
        if before > wp.float64(0.0):
            radius = smaller(radius, wp.float64(4.0) * wp.sqrt(before))  # at first twice what fitted last
        count = LIST_OVERFLOWS
        bound = distance
        while count < 0 and radius > LEAST_LIST * ground.list_radius:
            radius = radius * wp.float64(0.5)
            bound = distance + wp.float64(2.0) * (radius + ground.grain)
            found = Search()
            found.limit = tied_with(bound * bound, ground.grain)
            found = search(ground, found, p, FIND_ALL, ground.kept.places, j, run)
            if found.count <= wp.static(LIST_SIZE):
                count = found.count
        ground.kept.list_ball[j, run] = ListBall(p[0], p[1], p[2], radius * radius, bound)
        ground.kept.count[j, run] = count

    @wp.func
    def nearest_listed(ground: wp.ref[params], p: wp.vec3d, j: int, run: int) -> int:
        """Which slot of a point's list has the nearest facet, by the same rule as among all facets."""
        n = ground.kept.count[j, run]
        squares = PerListed()
        ranks = RankListed()
        limit = NOTHING
        k = int(0)
        while k < n:
            facet = facet_at(ground, ground.kept.places[k, j, run])
            near = nearest_on_triangle(p, facet.a, facet.b, facet.c, facet.normal)
            squares[k] = wp.length_sq(near.offset)
            ranks[k] = rank_of(near.feature)
            limit = smaller(squares[k], limit)
            k += 1
        limit = tied_with(limit, ground.grain)
        best = int(-1)
        rank = wp.int32(0)
        lowest = wp.int32(0)
        k = int(0)
        while k < n:
            if squares[k] <= limit:
                index = index_at(ground, ground.kept.places[k, j, run])
                if best < 0 or ranks[k] < rank or (ranks[k] == rank and index < lowest):
                    best = k
                    rank = ranks[k]
                    lowest = index
            k += 1
        return best

    @wp.func
    def keep_ball(ground: wp.ref[params], p: wp.vec3d, best: int, j: int, run: int):
        """Keeps a ball in which a feature of slot `best` is the nearest."""
        place = ground.kept.places[best, j, run]
        facet = facet_at(ground, place)
        near = nearest_on_triangle(p, facet.a, facet.b, facet.c, facet.normal)
        squared = wp.float64(-1.0)
        if status_at(ground, place, near.feature) == GROUND_OK:
            radius = radius_of(ground, p, best, j, run)
            if radius > wp.float64(0.0):
                squared = radius * radius
                side = wp.float64(0.0)
                if near.feature != FEATURE_FACE:
                    side = side_of(ground, place, near, p)
                turned = begun_at(facet, near.feature)
                ground.kept.corner[j, run] = turned.a
                ground.kept.way[j, run] = way_along(turned, near.feature, side)
        ground.kept.ball[j, run] = wp.vec4d(p[0], p[1], p[2], squared)
        ground.kept.facet[j, run] = index_at(ground, place)

    @wp.func
    def listed(ground: wp.ref[params], p: wp.vec3d, j: int, run: int) -> Ground:
        best = nearest_listed(ground, p, j, run)
        keep_ball(ground, p, best, j, run)
        return answer(ground, ground.kept.places[best, j, run], p)

    return make_list, listed
