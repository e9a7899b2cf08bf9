"""Two-body theory: what a state far from the target means."""

import warp as wp


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
