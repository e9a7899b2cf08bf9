"""Two terrains as one, rocks on a map for instance: the union of what is solid in them.

The part with the smaller gap answers, the base where they are equal, so a point touches whatever it meets first, and in
both it is pushed out of the one that it is deeper in. In the corner where a rock meets the ground that changes at once
from one normal to the other, each of which drives a loaded point back to where they change. With a *fillet* w > 0 both
push where their gaps a and b differ by less than w: with h = 1/2 + (b - a)/(2 w),

    gap = h a + (1 - h) b - w h (1 - h)        normal = h n_a + (1 - h) n_b

The normal is the gradient of this gap, whatever h, so that the ground has one potential; it is shorter than 1. The
corner is filled up by w/4 at most, and beyond the fillet nothing changes.

The base alone decides where the map ends and where it has holes; an added terrain that has no ground at a point says
nothing there. Of two parts' first front faces a ray takes the nearer. Facets of the added terrain are numbered after
those of the base. For more parts, combine again.

A mesh far from a point answers a lower bound of its distance, which may be smaller than the true gap to the other part.
The answer is then a lower bound of the distance to the union. It is not mistaken for contact: a bound is larger than
the mesh's reach, hence positive, and where a part is in contact its own negative gap is the smaller one.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.world.terrain.model import GROUND_OK, RAY_HIT, Ground, RayHit, TerrainModel


@lru_cache
def combined(base: TerrainModel, added: TerrainModel, is_filleted: bool = False) -> TerrainModel:
    """The union of two terrains; its parameter struct has the fields `base`, `added`, `first_added` and `fillet`."""
    base_params, base_gap, base_ray = base.params, base.gap, base.ray
    added_params, added_gap, added_ray = added.params, added.gap, added.ray

    @wp.struct
    class CombinedParams:
        base: base_params
        added: added_params
        first_added: wp.int32  # index of the added terrain's first facet
        fillet: wp.float64  # w [m]

    @wp.func
    def blended(both: wp.ref[CombinedParams], ground: Ground, other: Ground) -> Ground:
        half = wp.float64(0.5)
        share = half + half * (other.gap - ground.gap) / both.fillet  # h, of the base
        rest = wp.float64(1.0) - share
        out = ground
        if other.gap < ground.gap and other.facet >= 0:
            out.facet = other.facet + both.first_added
        out.gap = share * ground.gap + rest * other.gap - both.fillet * share * rest
        out.normal = ground.normal * share + other.normal * rest
        return out

    # inlined: arguments are copied at a call, and maps and meshes have long ones
    @wp.func(inline=True)
    def gap(both: wp.ref[CombinedParams], position: wp.vec3d, point: int, run: int) -> Ground:
        ground = base_gap(both.base, position, point, run)
        if ground.status == GROUND_OK:
            other = added_gap(both.added, position, point, run)
            if wp.static(is_filleted):
                if other.status == GROUND_OK and wp.abs(other.gap - ground.gap) < both.fillet:
                    return blended(both, ground, other)
            if other.status == GROUND_OK and other.gap < ground.gap:
                ground = other
                if other.facet >= 0:
                    ground.facet = other.facet + both.first_added
        return ground

    @wp.func
    def ray(both: wp.ref[CombinedParams], origin: wp.vec3d, direction: wp.vec3d, range_max: wp.float64) -> RayHit:
        hit = base_ray(both.base, origin, direction, range_max)
        limit = range_max
        if hit.status == RAY_HIT:
            limit = hit.range
        other = added_ray(both.added, origin, direction, limit)
        if other.status == RAY_HIT:
            if hit.status != RAY_HIT or other.range < hit.range:
                hit = other
                if other.facet >= 0:
                    hit.facet = other.facet + both.first_added
        return hit

    def make_memory(params: Any, n_points: int, n_runs: int, device: str) -> Any:
        parts = ((base, params.base), (added, params.added))
        return [
            model.make_memory(part, n_points, n_runs, device) for model, part in parts if model.make_memory is not None
        ]

    def look_ahead(params: Any, is_wanted: bool) -> None:
        for model, part in ((base, params.base), (added, params.added)):
            if model.look_ahead is not None:
                model.look_ahead(part, is_wanted)

    name = f"{base.name}{'~' if is_filleted else '+'}{added.name}"
    closing = _closing(base.closing, added.closing, CombinedParams)
    rooms: Any = {"make_memory": make_memory, "look_ahead": look_ahead}
    rooms["has_unit_normals"] = base.has_unit_normals and added.has_unit_normals and not is_filleted
    is_called = base.is_called or added.is_called
    return TerrainModel(name, CombinedParams, gap, ray, closing=closing, is_called=is_called, **rooms)


def _closing(of_base: Any, of_added: Any, params: Any) -> Any:
    """The larger of two; None where one is not known."""
    if of_base is None or of_added is None:
        return None

    @wp.func
    def closing(both: wp.ref[params]) -> wp.float64:
        return wp.max(of_base(both.base), of_added(both.added))

    return closing
