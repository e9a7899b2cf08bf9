"""Forces as functions of time and state: a push fixed in the surface frame, a thruster fixed in the body.

Both follow a table of magnitude over time, linear between its rows and zero outside it. The instants of the table are
breaks of the derivative: an adaptive method steps onto them (`next_break`), and the row in force is chosen once per
step, by an instant inside it (`t_branch`), so that no stage sees the far side of a jump.
"""

from typing import Any

import warp as wp

from planetfall.vehicle.body import BodyState, Wrench


@wp.struct
class TabledForce:
    """A force along `direction` at `point_B` [m] of a body; `magnitudes` [N] at `times` [s]."""

    point_B: wp.vec3d
    direction: wp.vec3d
    times: wp.array(dtype=wp.float64)
    magnitudes: wp.array(dtype=wp.float64)


@wp.func
def tabled_magnitude(force: wp.ref[TabledForce], t: wp.float64, t_branch: wp.float64) -> wp.float64:
    """Magnitude [N] at time t [s], on the line through the table's rows on both sides of t_branch; zero outside."""
    n = force.times.shape[0]
    if t_branch < force.times[0] or t_branch > force.times[n - 1]:
        return wp.float64(0.0)
    row = int(0)
    while row < n - 2 and t_branch > force.times[row + 1]:
        row += 1
    span = force.times[row + 1] - force.times[row]
    along = (t - force.times[row]) / span
    return force.magnitudes[row] + along * (force.magnitudes[row + 1] - force.magnitudes[row])


@wp.func
def tabled_break(force: wp.ref[TabledForce], t: wp.float64) -> wp.float64:
    """First instant of the table after t [s], or a time far beyond any run."""
    row = int(0)
    n = force.times.shape[0]
    while row < n and force.times[row] <= t:
        row += 1
    if row < n:
        return force.times[row]
    return wp.float64(1.0e300)


@wp.func
def push_wrench(force: wp.ref[TabledForce], t: wp.float64, t_branch: wp.float64, body: BodyState) -> Wrench:
    """A push whose direction is fixed in the surface frame."""
    out = Wrench()
    out.force = force.direction * tabled_magnitude(force, t, t_branch)
    out.torque_B = wp.cross(force.point_B, wp.transpose(body.R_SB) * out.force)
    return out


@wp.func
def thruster_wrench(force: wp.ref[TabledForce], t: wp.float64, t_branch: wp.float64, body: BodyState) -> Wrench:
    """A thruster whose direction turns with the body."""
    out = Wrench()
    force_B = force.direction * tabled_magnitude(force, t, t_branch)
    out.force = body.R_SB * force_B
    out.torque_B = wp.cross(force.point_B, force_B)
    return out


FORCES = {"push": push_wrench, "thruster": thruster_wrench}


def force_named(kind: str) -> Any:
    """`@wp.func (force, t, t_branch, body state) -> Wrench` of a kind."""
    if kind not in FORCES:
        raise TypeError(f"force {kind!r}: no function is registered for this kind; there are {', '.join(FORCES)}")
    return FORCES[kind]
