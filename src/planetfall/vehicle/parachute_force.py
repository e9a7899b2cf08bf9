"""A parachute: when it is fired, how it fills, and how it pulls.

A mortar fires the bag at the trigger; after a delay the lines are stretched, and the canopy fills in the time in which
the vehicle flies some canopy diameters Knacke1992. With S_0 the nominal area and tau the time since line stretch over
the filling time,

    F = q S_0 C_D(M) phi(tau),   phi = C_x tau^n while it fills,  1 + (C_x - 1) exp(-(tau - 1)/s) after that

along the air's velocity, at the place where the riser is attached. The canopy has no mass of its own and no motion: it
is always behind its attachment point. What it is changes between steps, so that no stage sees the far side of a kink.
"""

import warp as wp

from planetfall.vehicle.aerodynamics.pchip import tabled
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.vehicle.flight_triggers import Airflow, TriggerParams, airflow
from planetfall.world.environment import Environment

PACKED = wp.constant(wp.float64(0.0))
FIRED = wp.constant(wp.float64(1.0))
STRETCHED = wp.constant(wp.float64(2.0))
FULL = wp.constant(wp.float64(3.0))
RELEASED = wp.constant(wp.float64(4.0))
"""What a parachute is, as a number of the state: in its bag; fired; its lines stretched, and filling; full; let go."""


@wp.struct
class ParachuteParams:
    """One parachute.

    `body` that it is on, `attachment_B` [m] of its riser from the centre of mass; nominal `area` [m^2]; `delay` [s]
    from firing to line stretch; `filling_length` [m]: filling takes the time in which the vehicle flies it; `exponent`
    n, `opening_factor` C_x and `settling` s; drag coefficients over Mach; `deploys` and `lets_go`: its triggers; it is
    armed once the parachute with the index `awaited` was fired, -1 for none.
    """

    body: wp.int32
    attachment_B: wp.vec3d
    area: wp.float64
    delay: wp.float64
    filling_length: wp.float64
    exponent: wp.float64
    opening_factor: wp.float64
    settling: wp.float64
    mach: wp.array(dtype=wp.float64)
    drag_coefficient: wp.array(dtype=wp.float64)
    deploys: TriggerParams
    lets_go: TriggerParams
    awaited: wp.int32


@wp.func
def filling_share(p: wp.ref[ParachuteParams], since: wp.float64, filling: wp.float64, is_full: bool) -> wp.float64:
    """phi: share of the steady drag, `since` [s] after line stretch, of a canopy that fills in `filling` [s]."""
    tau = since / filling
    if is_full:
        one = wp.float64(1.0)
        return one + (p.opening_factor - one) * wp.exp((one - tau) / p.settling)
    return p.opening_factor * wp.pow(wp.max(tau, wp.float64(0.0)), p.exponent)


@wp.func
def drag_of(
    p: wp.ref[ParachuteParams], flow: wp.ref[Airflow], since: wp.float64, filling: wp.float64, is_full: bool
) -> wp.float64:
    """Force [N] of a canopy whose lines have been stretched for `since` [s]."""
    steady = flow.pressure * p.area * tabled(p.mach, p.drag_coefficient, flow.mach)
    return steady * filling_share(p, since, filling, is_full)


@wp.func
def pull_of(
    p: wp.ref[ParachuteParams], state: wp.ref[BodyState], environment: wp.ref[Environment], since: wp.float64,
    filling: wp.float64, is_full: bool,
) -> Wrench:  # fmt: skip
    """Force [N], surface frame, and torque [N m] about the centre of mass of a canopy with stretched lines.

    The riser ends where it is attached: its velocity counts, so that a pendulum is damped.
    """
    out = Wrench()
    velocity = state.velocity + state.R_SB * wp.cross(state.omega_B, p.attachment_B)
    flow = airflow(velocity, environment)
    if flow.speed > wp.float64(0.0):
        out.force = flow.velocity * (-drag_of(p, flow, since, filling, is_full) / flow.speed)
        out.torque_B = wp.cross(p.attachment_B, wp.transpose(state.R_SB) * out.force)
    return out
