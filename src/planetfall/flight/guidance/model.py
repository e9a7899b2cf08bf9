"""What a guidance law is: a function from what is known of the motion to the force that is wanted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import warp as wp

from planetfall.flight.navigation.estimate import Estimate

N_NUMBERS = 16
GuidanceNumbers = wp.types.vector(length=N_NUMBERS, dtype=wp.float64)
"""The numbers of one phase's guidance law, in the order that the law's file gives."""


@wp.struct
class GuidanceAim:
    """What guidance wants.

    `force` [N], surface frame. The thrust axis takes its direction, unless `is_directed` is 1: then the axis is to be
    `axis`, turning at `turning` [rad/s], both in the surface frame, with `thrust` [N] along it.
    """

    force: wp.vec3d
    is_directed: wp.int32
    axis: wp.vec3d
    turning: wp.vec3d
    thrust: wp.float64


@dataclass(frozen=True)
class GuidanceContext:
    """What the numbers of a law may depend on beside its table.

    Attributes:
        axis_full: Largest force of the phase's engines along the thrust axis [N].
        up: Vertical of the landing site, surface frame.
    """

    axis_full: float
    up: Any


@dataclass(frozen=True)
class GuidanceLaw:
    """A guidance law as the kernel builder takes it.

    Attributes:
        name: In scenario files (`guidance.law`).
        aim: `@wp.func (numbers, estimate, elapsed [s], t [s], memory, run) -> GuidanceAim`, called at every tick of its
            phase; what it keeps between calls are `N_LAW` numbers from `SLOT_LAW` on, NaN when the phase begins.
        numbers: From the law's table and its context to the numbers, at most `N_NUMBERS`.
        runs_engines: Whether engines run at all.
    """

    name: str
    aim: Any
    numbers: Callable[[Any, GuidanceContext], Sequence[float]]
    runs_engines: bool = True


@wp.func
def vertical(now: Estimate, v: wp.vec3d) -> wp.float64:
    """The upward part of a vector."""
    return wp.dot(v, now.up)


@wp.func
def horizontal(now: Estimate, v: wp.vec3d) -> wp.vec3d:
    """A vector without its upward part."""
    return v - now.up * wp.dot(v, now.up)


@wp.func
def limited(v: wp.vec3d, limit: wp.float64) -> wp.vec3d:
    """A vector made no longer than a limit."""
    out = v
    if wp.length(v) > limit:
        out *= limit / wp.length(v)
    return out


@wp.func
def wanted_force(now: Estimate, acceleration: wp.vec3d) -> GuidanceAim:
    """The force m (a - g) with which the vehicle gets an acceleration [m/s^2] in the turning frame."""
    out = GuidanceAim()
    out.force = (acceleration - now.gravity) * now.mass
    return out
