"""Several threads of a GPU for one run: all do the same, but each queries the ground of another contact point.

Where there are few runs, a GPU has threads to spare, and takes as long for a step as one thread does. What each lane
finds for its point is broadcast to the others, and all add it up in the order of the points: a run has the same bits.
Only the first lane writes results.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.fused import plus_crossed, turned_back
from planetfall.contact.model import MODE_APART, ContactMemory, PointContact
from planetfall.engine.contact.resultant import ContactSum, PointTally, point_adder, resultant_force, with_resultant
from planetfall.engine.contact.terrain_query import ground_in_body_axes
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import AppliedForces, BodyState

LANES = wp.constant(4)
"""Threads to a run: a body on rough ground seldom stands on more points; a power of two that divides a warp."""

_FROM_LANE = f"""
    #if defined(__CUDA_ARCH__)
    return __shfl_sync({2 ** int(LANES) - 1:#x}u << (threadIdx.x & {32 - int(LANES)}u), value, lane, {int(LANES)});
    #else
    return value;
    #endif
"""


@wp.func_native(
    """
    #if defined(__CUDA_ARCH__)
    return threadIdx.x & 31u;
    #else
    return 0;
    #endif
    """
)
def place_in_warp() -> int:  # pyright: ignore[reportReturnType]
    """Which of the threads of a warp this is."""
    ...


@wp.func_native(
    """
    #if defined(__CUDA_ARCH__)
    __syncwarp();
    #endif
    """
)
def wait_for_warp():
    """Until all threads of the warp are here, and what each has written is there for all."""
    ...


@wp.func
def this_lane() -> wp.int32:
    """Which of the run's threads this is."""
    return place_in_warp() % LANES


@wp.func_native(
    """
    #if defined(__CUDA_ARCH__)
    return n;
    #else
    return 1;
    #endif
    """
)
def threads_of(n: int) -> int:  # pyright: ignore[reportReturnType]
    """So many threads on a GPU; on a CPU one does all that they do, so that it can be tried there."""
    ...


@wp.func_native(_FROM_LANE)
def integer_from_lane(value: wp.int32, lane: int) -> wp.int32:  # pyright: ignore[reportReturnType]
    """The value that a lane holds."""
    ...


@wp.func_native(_FROM_LANE)
def number_from_lane(value: wp.float64, lane: int) -> wp.float64:  # pyright: ignore[reportReturnType]
    """The value that a lane holds."""
    ...


@wp.func
def from_lane(point: wp.ref[PointContact], lane: int) -> PointContact:
    """What a lane has found for its point, as far as `resultant.point_adder` adds it up."""
    out = PointContact()
    for i in range(3):
        out.force[i] = number_from_lane(point.force[i], lane)
    out.normal_force = number_from_lane(point.normal_force, lane)
    out.depth = number_from_lane(point.depth, lane)
    out.damper_power = number_from_lane(point.damper_power, lane)
    out.friction_power = number_from_lane(point.friction_power, lane)
    return out


@lru_cache
def shared_sum(assembly: Assembly) -> Any:
    """`@wp.func (params, state, applied, memory, run) -> ContactSum`: `contact_sum` by a run's lanes together.

    For the one body of a run, in an adaptive step that leaves out far points.
    """
    assert assembly.culls
    params, law_contact, has_resultant = assembly.params, assembly.law_contact, assembly.law.resultant is not None
    (ground_below, ground_of), resultant_of, add = (
        ground_in_body_axes(assembly),
        resultant_force(assembly, 0),
        point_adder(has_resultant),
    )

    @wp.func
    def total(
        p: wp.ref[params], state: BodyState, applied: AppliedForces, memory: ContactMemory, run: int
    ) -> ContactSum:
        out = ContactSum()
        n_listed = memory.n_listed[0, run]
        if n_listed == 0:
            return out
        tally = PointTally()
        below = ground_below(p, state)
        velocity_B = turned_back(state.R_SB, state.velocity)
        first = int(0)
        while first < n_listed:
            place = first + this_lane()
            j = int(0)
            mode = wp.int32(MODE_APART)
            point = PointContact()
            if place < n_listed:
                j = memory.listed[place, run]
                mode = memory.modes[j, run]
                if mode != MODE_APART:
                    ground = ground_of(p, state, below, j, run)
                    velocity = plus_crossed(velocity_B, state.omega_B, p.points_B[j])
                    point = law_contact(p.law, 0, mode, ground, velocity)
            for lane in range(threads_of(LANES)):
                its_mode = integer_from_lane(mode, lane)
                its_point = integer_from_lane(j, lane)
                its_contact = from_lane(point, lane)
                if its_mode != MODE_APART:
                    add(out, tally, its_contact, p.points_B[its_point])
            first += threads_of(LANES)
        if wp.static(has_resultant):
            if tally.load > wp.float64(0.0) and tally.depth > wp.float64(0.0):
                out = with_resultant(out, resultant_of(p, state, applied, below, out, tally, run))
        return out

    return total
