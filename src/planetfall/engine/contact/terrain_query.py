"""The ground as a body sees it: gaps of its contact points, and normals in its own axes."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import dotted, plus_turned, turned_back
from planetfall.compute.in_place import place_of
from planetfall.contact.model import ContactMemory
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState, counts_with
from planetfall.world.terrain.apart import called_gap
from planetfall.world.terrain.model import GROUND_OK, Ground, TerrainView

NOWHERE = wp.constant(wp.float64(1.0e30))
"""Gap [m] of a contact point that does not count in the present configuration."""


@lru_cache
def point_counter(assembly: Assembly) -> Any:
    """`@wp.func (attached bits, point) -> bool`: whether a point counts while these vehicles are attached."""
    conditions = assembly.point_conditions or ((0, 0),)
    masks = wp.types.vector(length=len(conditions), dtype=wp.int32)
    ons, offs = masks(*(on for on, _ in conditions)), masks(*(off for _, off in conditions))

    @wp.func
    def counts(attached: wp.int32, j: int) -> bool:
        return counts_with(attached, ons[j], offs[j])

    return counts


@lru_cache
def ground_query(assembly: Assembly) -> Any:
    """`@wp.func (params, position_S, point, run) -> Ground` in surface axes."""
    params, terrain = assembly.params, assembly.terrain
    gap = called_gap(terrain) if assembly.plan.is_large and terrain.is_called else terrain.gap

    @wp.func(inline=assembly.plan.inlining_of_fields)
    def query(p: wp.ref[params], position: wp.vec3d, point: int, run: int) -> Ground:
        return gap(p.terrain, position, point, run)

    return query


@wp.func
def nowhere() -> Ground:
    """The ground of a point that does not count."""
    out = Ground()
    out.gap = NOWHERE
    return out


@lru_cache
def point_ground(assembly: Assembly) -> Any:
    """`@wp.func (params, state, position_S, point, run) -> Ground` in surface axes, of a point that may not count."""
    params, gap = assembly.params, assembly.terrain.gap
    leaves_out, counts = assembly.has_configured_points, point_counter(assembly)

    @wp.func
    def ground(p: wp.ref[params], state: BodyState, position: wp.vec3d, point: int, run: int) -> Ground:
        found = gap(p.terrain, position, point, run)
        if wp.static(leaves_out):
            if not counts(state.attached, point):
                found.gap = NOWHERE
                found.status = GROUND_OK
        return found

    return ground


@lru_cache
def ground_in_body_axes(assembly: Assembly, with_all: bool = False) -> tuple[Any, Any]:
    """Two functions that take the terrain's answers into body axes.

    `ground_below(params, state) -> Ground`, once per body, and `ground_of(params, state, below, point, run) -> Ground`,
    once per point. Over a plane the first is the only query, and a point's gap is that of the centre of mass plus a dot
    product. Over any other terrain the first does nothing and every point has its own query. Points that do not count
    have no ground, except `with_all`.
    """
    params, gap = assembly.params, assembly.terrain.gap
    is_flat, query = assembly.terrain.is_flat, ground_query(assembly)
    leaves_out, counts = assembly.has_configured_points and not with_all, point_counter(assembly)

    @wp.func
    def ground_below(p: wp.ref[params], state: BodyState) -> Ground:
        below = Ground()
        if wp.static(is_flat):
            below = gap(p.terrain, state.position, -1, -1)
            below.normal = turned_back(state.R_SB, below.normal)
        return below

    @wp.func(inline=True)
    def ground_of(p: wp.ref[params], state: BodyState, below: Ground, point: int, run: int) -> Ground:
        point_B = place_of(p.points_B, point)
        if wp.static(is_flat):
            out = below
            out.gap = below.gap + dotted(below.normal, point_B)
            if wp.static(leaves_out):
                if not counts(state.attached, point):
                    out.gap = NOWHERE
            return out
        if wp.static(leaves_out):
            if not counts(state.attached, point):
                return nowhere()
        found = query(p, plus_turned(state.position, state.R_SB, point_B), point, run)
        found.normal = turned_back(state.R_SB, found.normal)
        return found

    return ground_below, ground_of


@lru_cache
def kept_view(assembly: Assembly, i_body: int) -> tuple[Any, Any]:
    """What `ground_in_body_axes` gives, with a view of the terrain that is kept from one evaluation to the next.

    `ground_below(params, state, memory, run, is_monitored) -> below`: an evaluation between steps renews the view where
    the body has moved on, a stage only reads it; and `ground_of` as there, answered from the view.
    """
    params, view = assembly.params, assembly.plan.view
    assert view is not None
    view_type, recalled, renewed, gap, row = view.params, view.recalled, view.renewed, view.gap, i_body * view.n_rows
    leaves_out, counts = assembly.has_configured_points, point_counter(assembly)

    @wp.func
    def ground_below(
        p: wp.ref[params], state: BodyState, memory: wp.ref[ContactMemory], run: int, is_monitored: int
    ) -> view_type:
        below = recalled(memory.views, wp.static(row), run)
        if is_monitored == 1:
            below = renewed(p.terrain, below, state.position, run)
        return below

    @wp.func(inline=True)
    def ground_in_view(p: wp.ref[params], state: BodyState, below: view_type, point: int, run: int) -> Ground:
        if wp.static(leaves_out):
            if not counts(state.attached, point):
                return nowhere()
        found = gap(p.terrain, below, plus_turned(state.position, state.R_SB, place_of(p.points_B, point)), run)
        found.normal = turned_back(state.R_SB, found.normal)
        return found

    return ground_below, ground_in_view


@lru_cache
def ground_finder(assembly: Assembly, view: TerrainView | None) -> Any:
    """`@wp.func (params, below, position_S, run) -> Ground` in surface axes, near a body that sees `below`."""
    params, query = assembly.params, ground_query(assembly)
    if view is None:

        @wp.func
        def found(p: wp.ref[params], below: Ground, position: wp.vec3d, run: int) -> Ground:
            return query(p, position, -1, -1)

        return found
    view_type, view_gap = view.params, view.gap

    @wp.func
    def found_in_view(p: wp.ref[params], below: view_type, position: wp.vec3d, run: int) -> Ground:
        return view_gap(p.terrain, below, position, run)

    return found_in_view
