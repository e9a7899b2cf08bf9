"""What links between bodies, such as tethers, do to each of them at an instant."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import number
from planetfall.vehicle.body import Wrench

WRENCH_SIZE = 6
"""Numbers of what links do to one body."""


@lru_cache
def link_wrenches_vector(n_bodies: int) -> Any:
    """Vector type for what links do to each body: force [N] and torque [N m], surface frame, about its reference point.

    One more number at the end: the energy [J] that they store.
    """
    return wp.types.vector(length=WRENCH_SIZE * n_bodies + 1, dtype=wp.float64)


@lru_cache
def link_wrench_on(n_bodies: int) -> Any:
    """`@wp.func (link_wrenches, body index, R_BS) -> Wrench` of all links on a body."""
    wrenches_type = link_wrenches_vector(n_bodies)

    @wp.func
    def wrench(wrenches: wp.ref[wrenches_type], b: int, R_BS: wp.mat33d) -> Wrench:
        o = WRENCH_SIZE * b
        out = Wrench()
        out.force = wp.vec3d(number(wrenches[o]), number(wrenches[o + 1]), number(wrenches[o + 2]))
        torque = wp.vec3d(number(wrenches[o + 3]), number(wrenches[o + 4]), number(wrenches[o + 5]))
        out.torque_B = R_BS * torque
        return out

    return wrench
