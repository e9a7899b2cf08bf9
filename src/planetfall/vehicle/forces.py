"""Forces as functions of time and state: a push fixed in the surface frame, a thruster fixed in the body.

Both follow a table of magnitude over time, linear between its rows and zero outside it. The instants of the table are
breaks of the derivative: an adaptive method steps onto them (`next_break`), and the row in force is chosen once per
step, by an instant inside it (`t_branch`), so that no stage sees the far side of a jump.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.vehicle.body import BodyState, Wrench


@wp.struct
class TabledForce:
    """A force along `direction` at `point_B` [m] of body `body`; `magnitudes` [N] at `times` [s]."""

    body: wp.int32
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


@dataclass(frozen=True)
class ForceSet:
    """All extra forces of a vehicle, as the kernel builder takes them.

    Attributes:
        kinds: Names of the kinds, in order; the kernel cache key.
        params: `@wp.struct` class with the fields `head` and `tail`, nested once per force.
        wrench: `@wp.func (params, body index, t, t_branch, body state) -> Wrench`, summed over the forces on it.
        next_break: `@wp.func (params, t) -> first instant after t at which a force has a kink`.
    """

    kinds: tuple[str, ...]
    params: Any
    wrench: Any
    next_break: Any


@lru_cache
def force_set(kinds: tuple[str, ...]) -> ForceSet:
    """Joins the forces of a vehicle into one struct and two functions, by nesting head and tail."""
    if not kinds:
        return _no_forces()
    if kinds[0] not in FORCES:
        raise TypeError(f"force {kinds[0]!r}: no function is registered for this kind; there are {', '.join(FORCES)}")
    head_wrench = FORCES[kinds[0]]
    rest = force_set(kinds[1:])
    rest_params, rest_wrench, rest_break = rest.params, rest.wrench, rest.next_break

    @wp.struct
    class ForceParams:
        head: TabledForce
        tail: rest_params

    @wp.func
    def wrench(forces: wp.ref[ForceParams], body: int, t: wp.float64, t_branch: wp.float64, state: BodyState) -> Wrench:
        out = rest_wrench(forces.tail, body, t, t_branch, state)
        if forces.head.body == body:
            own = head_wrench(forces.head, t, t_branch, state)
            out.force += own.force
            out.torque_B += own.torque_B
        return out

    @wp.func
    def next_break(forces: wp.ref[ForceParams], t: wp.float64) -> wp.float64:
        return wp.min(tabled_break(forces.head, t), rest_break(forces.tail, t))

    return ForceSet(kinds, ForceParams, wrench, next_break)


def _no_forces() -> ForceSet:
    @wp.struct
    class NoForces:
        count: wp.int32

    @wp.func
    def wrench(forces: wp.ref[NoForces], body: int, t: wp.float64, t_branch: wp.float64, state: BodyState) -> Wrench:
        return Wrench()

    @wp.func
    def next_break(forces: wp.ref[NoForces], t: wp.float64) -> wp.float64:
        return wp.float64(1.0e300)

    return ForceSet((), NoForces, wrench, next_break)
