"""Ground at one height over the target's ellipsoid, all around the planet: what a flight comes down on without a map.

The gap is the height over it, measured along the ellipsoid's normal, which is the distance from the ground.
"""

import warp as wp

from planetfall.world.planet import PlanetParams, altitude
from planetfall.world.terrain.model import GROUND_OK, RAY_HIT, RAY_MISS, Ground, RayHit, TerrainModel

MARCHES = wp.constant(200)
"""Steps of a ray at most. Each is Newton's: along a line the distance from a convex body is convex, so that none goes
too far, and a few do."""
CLOSE = wp.constant(wp.float64(1.0e-8))
"""Distance [m] from the ground at which a ray has met it: some ulps of a planet's radius."""


@wp.struct
class EllipsoidGroundParams:
    """Ground `height` [m] over the ellipsoid of `planet`."""

    planet: PlanetParams
    height: wp.float64


@wp.func
def ellipsoid_gap(ground: EllipsoidGroundParams, position: wp.vec3d, point: int, run: int) -> Ground:
    """Height over the ground, and the ellipsoid's normal."""
    level = altitude(ground.planet, position)
    out = Ground()
    out.gap = level.altitude - ground.height
    out.normal = level.up
    out.facet = wp.int32(0)
    out.status = GROUND_OK
    return out


@wp.func
def ellipsoid_ray(
    ground: EllipsoidGroundParams, origin: wp.vec3d, direction: wp.vec3d, range_max: wp.float64
) -> RayHit:
    """First hit of a ray from above."""
    hit = RayHit()
    hit.range = range_max
    hit.normal = direction
    hit.facet = wp.int32(-1)
    hit.status = RAY_MISS
    way = wp.float64(0.0)
    for _ in range(MARCHES):
        level = altitude(ground.planet, origin + direction * way)
        distance = level.altitude - ground.height
        if distance < CLOSE:
            if way > wp.float64(0.0) or distance > -CLOSE:
                hit.range = way
                hit.normal = level.up
                hit.facet = wp.int32(0)
                hit.status = RAY_HIT
            break
        sinking = -wp.dot(level.up, direction)
        if sinking <= wp.float64(0.0):  # it climbs, and goes on climbing
            break
        way += distance / sinking
        if way > range_max:
            break
    return hit


@wp.func
def ellipsoid_closing(ground: EllipsoidGroundParams) -> wp.float64:
    """A gap is a distance."""
    return wp.float64(1.0)


TERRAIN_ELLIPSOID = TerrainModel(
    "ellipsoid", EllipsoidGroundParams, ellipsoid_gap, ellipsoid_ray, closing=ellipsoid_closing, is_endless=True
)
