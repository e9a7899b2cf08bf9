"""A ground of one's own: one round boulder in space, exact at any distance.

    gap = |x - c| - R

Named in a scenario by `plugins = ["round_boulder.py"]`, it is selected by `[terrain] model = "round-boulder"`.
"""

from typing import Any, Literal

import numpy as np
import warp as wp

from planetfall.plugins import (
    GROUND_OK,
    RAY_HIT,
    RAY_MISS,
    Ground,
    RayHit,
    TerrainModel,
    TerrainPart,
    TerrainTable,
    Vec3,
    choice,
    quantity,
    register,
)


class RoundBoulderKeys(TerrainTable):
    """What a scenario gives under `[terrain]`."""

    model: Literal["round-boulder"] = choice("name of the ground")
    center: Vec3 = quantity("m", "of the boulder, surface frame", (0.0, 0.0, 0.0))
    radius: float = quantity("m", "of the boulder", gt=0)


@wp.struct
class BoulderParams:
    """`center` [m], surface frame; `radius` [m]."""

    center: wp.vec3d
    radius: wp.float64


@wp.func
def gap(p: BoulderParams, position: wp.vec3d, point: int, run: int) -> Ground:
    """Signed distance [m], positive outside, and the outward normal there."""
    out = Ground()
    from_center = position - p.center
    distance = wp.length(from_center)
    out.gap = distance - p.radius
    out.normal = from_center / distance
    out.facet = wp.int32(-1)
    out.status = GROUND_OK
    return out


@wp.func
def ray(p: BoulderParams, origin: wp.vec3d, direction: wp.vec3d, range_max: wp.float64) -> RayHit:
    """The first hit of a ray from outside, for beams of sensors."""
    hit = RayHit()
    hit.range = range_max
    hit.facet = wp.int32(-1)
    hit.status = RAY_MISS
    r = origin - p.center
    half = wp.dot(r, direction)
    root = half * half - wp.dot(r, r) + p.radius * p.radius
    if root >= wp.float64(0.0):
        distance = -half - wp.sqrt(root)
        if distance >= wp.float64(0.0) and distance <= range_max:
            hit.range = distance
            hit.normal = (r + direction * distance) / p.radius
            hit.facet = wp.int32(0)
            hit.status = RAY_HIT
    return hit


@wp.func
def closing(p: BoulderParams) -> wp.float64:
    """How much faster than a point its gap may shrink: a gap is a distance."""
    return wp.float64(1.0)


def fill(keys: RoundBoulderKeys) -> dict[str, Any]:
    """The numbers by member of the struct."""
    return {"center": keys.center, "radius": keys.radius}


def box(keys: RoundBoulderKeys) -> np.ndarray:
    """Lowest and highest corner of what is bounded, over which `initial.height` looks for ground."""
    return np.array([np.array(keys.center) - keys.radius, np.array(keys.center) + keys.radius])


BOULDER = TerrainModel("round-boulder", BoulderParams, gap, ray, closing=closing, is_endless=True)
register(TerrainPart(RoundBoulderKeys, BOULDER, fill, box))
