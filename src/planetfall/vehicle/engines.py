"""Engines: thrust that follows its command with a lag, and the propellant that it costs.

    T' = (G T_c - T)/tau,  T_c commanded and held between commands, G = 1 unless the engine is biased, 0 once it failed
    m' = -T/(I_sp g_0)

Propellant lies in tanks, as points that are drained alike. With M and I of the vehicle about its centre of mass O when
nothing was burnt, r the tanks' positions from O and b the mass burnt so far, the centre of mass C, mass and inertia are

    m = M - b,  c = -(b/m) mean(r),  I_C = I - b mean(r.r 1 - r r^T) - m (c.c 1 - c c^T)
"""

import warp as wp

STANDARD_GRAVITY = 9.80665
"""g_0 [m/s^2], which turns a specific impulse in seconds into an exhaust speed."""


@wp.struct
class EngineParams:
    """The engines of a scenario, arrays [engine], and what their bodies have in tanks, arrays [body]."""

    body: wp.array(dtype=wp.int32)
    position_B: wp.array(dtype=wp.vec3d)  # [m] from the centre of mass at the start
    direction_B: wp.array(dtype=wp.vec3d)  # unit vector of the force on the vehicle
    thrust_min: wp.array(dtype=wp.float64)  # [N]
    thrust_max: wp.array(dtype=wp.float64)  # [N]
    lag_inverse: wp.array(dtype=wp.float64)  # 1/tau [1/s]
    gain: wp.array(dtype=wp.float64)  # G [-]
    flow: wp.array(dtype=wp.float64)  # 1/(I_sp g_0) [s/m]
    fail_time: wp.array(dtype=wp.float64)  # [s]
    propellant: wp.array(dtype=wp.float64)  # [kg] at the start
    tank_center_B: wp.array(dtype=wp.vec3d)  # mean(r) [m]
    tank_spread: wp.array(dtype=wp.mat33d)  # mean(r.r 1 - r r^T) [m^2]


@wp.struct
class MassProperties:
    """Mass properties at an instant: `mass` [kg], `center_B` c [m] from O, `inertia` about C [kg m^2], its inverse."""

    mass: wp.float64
    center_B: wp.vec3d
    inertia: wp.mat33d
    inverse: wp.mat33d


@wp.func
def spread(r: wp.vec3d) -> wp.mat33d:
    """Inertia of a unit mass at r: r.r 1 - r r^T [m^2]."""
    return wp.identity(n=3, dtype=wp.float64) * wp.length_sq(r) - wp.outer(r, r)


@wp.func
def mass_properties(
    mass: wp.float64, inertia: wp.mat33d, burnt: wp.float64, tank_center_B: wp.vec3d, tank_spread: wp.mat33d
) -> MassProperties:
    """What is left of a vehicle of a mass [kg] and inertia [kg m^2] when `burnt` [kg] have gone from its tanks."""
    out = MassProperties()
    out.mass = mass - burnt
    out.center_B = -tank_center_B * (burnt / out.mass)
    out.inertia = inertia - tank_spread * burnt - spread(out.center_B) * out.mass
    out.inverse = wp.inverse(out.inertia)
    return out
