"""A plane of any orientation: unbounded, or a disc of it."""

import warp as wp

from planetfall.world.terrain.model import (
    GROUND_OFF_MAP,
    GROUND_OK,
    RAY_HIT,
    RAY_MISS,
    Ground,
    RayHit,
    TerrainModel,
)


@wp.struct
class PlaneParams:
    """Plane through `point` [m] with unit `normal`, surface frame; `radius` [m] of the map about it, or infinite."""

    point: wp.vec3d
    normal: wp.vec3d
    radius: wp.float64


@wp.func
def plane_gap(plane: PlaneParams, position: wp.vec3d, point: int, run: int) -> Ground:
    """Signed distance to the plane (Raiszadeh2012 Eqs. 1 and 2)."""
    ground = Ground()
    ground.gap = wp.dot(position - plane.point, plane.normal)
    ground.normal = plane.normal
    ground.facet = wp.int32(0)
    ground.status = GROUND_OK
    return ground


@wp.func
def disc_gap(plane: PlaneParams, position: wp.vec3d, point: int, run: int) -> Ground:
    """The same, on a map that ends `radius` from `point`."""
    ground = plane_gap(plane, position, point, run)
    across = position - plane.point - plane.normal * ground.gap
    if wp.length(across) > plane.radius:
        ground.status = GROUND_OFF_MAP
    return ground


@wp.func
def plane_ray(plane: PlaneParams, origin: wp.vec3d, direction: wp.vec3d, range_max: wp.float64) -> RayHit:
    """First hit of a ray on the plane's front face."""
    hit = RayHit()
    hit.range = range_max
    hit.normal = plane.normal
    hit.facet = wp.int32(-1)
    hit.status = RAY_MISS
    closing = -wp.dot(direction, plane.normal)
    if closing > wp.float64(0.0):
        distance = wp.dot(origin - plane.point, plane.normal) / closing
        foot = origin + direction * distance - plane.point
        if distance >= wp.float64(0.0) and distance <= range_max and wp.length_sq(foot) <= plane.radius * plane.radius:
            hit.range = distance
            hit.facet = wp.int32(0)
            hit.status = RAY_HIT
    return hit


@wp.func
def plane_closing(plane: PlaneParams) -> wp.float64:
    """A gap is a distance."""
    return wp.float64(1.0)


TERRAIN_DISC = TerrainModel("disc", PlaneParams, disc_gap, plane_ray, closing=plane_closing)
TERRAIN_PLANE = TerrainModel("plane", PlaneParams, plane_gap, plane_ray, is_flat=True, closing=plane_closing)
