"""Engines: thrust that follows its command with a lag, and the propellant that it costs.

    T' = (G T_c - T)/tau,  T_c commanded and held between commands, G = 1 unless the engine is biased, 0 once it failed
    m' = -T/(I_sp g_0)

Propellant lies in tanks, as points that are drained alike. With M and I of the vehicle about its centre of mass O when
nothing was burnt, r the tanks' positions from O and b the mass burnt so far, the centre of mass C, mass and inertia are
(`vehicle.mass`)

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
    vehicle_mass: wp.array(dtype=wp.float64)  # M [kg], which errors of the mass are measured against
