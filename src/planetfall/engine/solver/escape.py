"""Whether the first body escapes from its target, or orbits it, by two-body theory."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.structure.assembly import Assembly


@wp.func
def orbit_energy(gm: wp.float64, r: wp.vec3d, v: wp.vec3d) -> wp.float64:
    """Energy over mass [m^2/s^2] at a place from the target's centre [m] with an inertial velocity [m/s]."""
    return wp.float64(0.5) * wp.length_sq(v) - gm / wp.length(r)


@wp.func
def periapsis(gm: wp.float64, r: wp.vec3d, v: wp.vec3d) -> wp.float64:
    """Smallest distance from the centre [m] on the two-body orbit: p/(1 + e), p = h^2/gm, e^2 = 1 + 2 E p/gm."""
    across = wp.length_sq(wp.cross(r, v)) / gm
    squared = wp.float64(1.0) + wp.float64(2.0) * orbit_energy(gm, r, v) * across / gm
    return across / (wp.float64(1.0) + wp.sqrt(wp.max(squared, wp.float64(0.0))))


@lru_cache
def orbit_judges(assembly: Assembly) -> tuple[Any, Any]:
    """`has_escaped` and `is_orbiting`, each `@wp.func (y, params) -> 1 or 0`."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body

    @wp.func
    def has_escaped(y: wp.ref[vector], p: wp.ref[params]) -> wp.int32:
        state = body_state(y, 0)
        r = state.position - p.frame.center
        if wp.length_sq(r) > p.end.escape_radius * p.end.escape_radius:
            v = state.velocity + wp.cross(p.frame.omega, r)
            if wp.dot(r, v) > wp.float64(0.0) and orbit_energy(p.end.gm, r, v) >= wp.float64(0.0):
                return 1
        return 0

    @wp.func
    def is_orbiting(y: wp.ref[vector], p: wp.ref[params]) -> wp.int32:
        state = body_state(y, 0)
        r = state.position - p.frame.center
        v = state.velocity + wp.cross(p.frame.omega, r)
        if orbit_energy(p.end.gm, r, v) < wp.float64(0.0) and periapsis(p.end.gm, r, v) > p.end.orbit_radius:
            return 1
        return 0

    return has_escaped, is_orbiting
