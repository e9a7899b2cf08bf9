"""Finding where along a trial step a contact point of an anchored law leaves its branch.

As in `contact_events` the step is sampled on its cubic Hermite interpolant, at two instants and at every predicted low
point of a gap in between. Whether a leash stays taut depends on how fast the load grows, hence on accelerations: those
are the interpolant's own rates. The first instant at which any point is off its branch is found by halving.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import CONTACT_NONE, ContactMemory
from planetfall.engine.contact.anchored_ground import anchored_ground_finder
from planetfall.engine.contact.point_loop_anchored import anchor_memory_of
from planetfall.engine.contact.terrain_query import point_ground
from planetfall.engine.motion.anchors import anchors_read, point_acceleration
from planetfall.engine.motion.crash import has_no_contact
from planetfall.engine.solver.dopri5 import hermite, trial_struct
from planetfall.engine.solver.events.mechanism_events import BRACKET
from planetfall.engine.solver.events.point_scan import (
    MIDDLE,
    NO_EVENT,
    Scan,
    lowest_between,
    place_blur,
)
from planetfall.engine.state.batch import structs
from planetfall.engine.structure.assembly import Assembly

N_HALVINGS = 60
"""At most: half a step of an hour is then known to a femtosecond."""

PLANE_SHARE = wp.constant(wp.float64(10.0))
"""How many times the tolerance of a length a point may be off the plane that it feels in a step (assumed)."""
LEAST_PLANE_SHARE = wp.constant(wp.float64(1.0e-7))
"""Of the vehicle's size, that it may be off in any case (assumed): steps go with its square root."""


@lru_cache
def hermite_rate(vector: Any) -> Any:
    """`@wp.func (theta, h, y0, slope0, y1, slope1) -> y'(t0 + theta h)` of the cubic."""

    @wp.func(inline=False)
    def rate(
        s: wp.float64, h: wp.float64, y0: wp.ref[vector], k0: wp.ref[vector], y1: wp.ref[vector], k1: wp.ref[vector]
    ) -> vector:
        one = wp.float64(1.0)
        three = wp.float64(3.0)
        chord = (y1 - y0) * (wp.float64(6.0) * s * (one - s) / h)
        return chord + k0 * ((one - s) * (one - three * s)) + k1 * (s * (three * s - wp.float64(2.0)))

    return rate


@lru_cache
def is_any_off(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (y, rate, params, memory, run) -> 1 if a point of this body or one after it is off its branch`."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    is_last = i_body + 1 == assembly.n_bodies
    rest: Any = None if is_last else is_any_off(assembly, i_body + 1)
    ground_at, find = point_ground(assembly), anchored_ground_finder(assembly)
    acceleration_of, has_left = point_acceleration(assembly, i_body), assembly.law_located.has_left
    is_out, is_sighted = has_no_contact(assembly, i_body), assembly.law.is_sighted

    @wp.func(inline=False)
    def off(
        y: wp.ref[vector], rate: wp.ref[vector], p: wp.ref[params], memory: wp.ref[ContactMemory], run: int
    ) -> wp.int32:
        state = body_state(y, wp.static(i_body))
        blur = place_blur(state)
        close = wp.max(PLANE_SHARE * p.step.tolerance, LEAST_PLANE_SHARE) * p.step.length
        j = int(wp.static(first))
        stop = int(wp.static(last))
        if is_out(p, y, memory, run):
            stop = j
        while j < stop:
            saved = anchor_memory_of(memory, j, run)
            point_B = p.points_B[j]
            position = state.position + state.R_SB * point_B
            ground = ground_at(p, state, position, j, run)
            if wp.static(not is_sighted):  # in doubt a point stays apart, or in the ground
                ground.gap = ground.gap + wp.where(saved.mode == CONTACT_NONE, blur, -blur)
            found = find(p, state, position, ground, j)
            if saved.mode == CONTACT_NONE or found.is_touching == 0:
                if (saved.mode == CONTACT_NONE) == (found.is_touching == 1):
                    return 1
            else:
                velocity = state.velocity + state.R_SB * wp.cross(state.omega_B, point_B)
                acceleration = acceleration_of(rate, state, point_B)
                if has_left(p.law, wp.static(i_body), saved, found, position, velocity, acceleration, close) == 1:
                    return 1
            j += 1
        if wp.static(not is_last):
            return rest(y, rate, p, memory, run)
        return 0

    return off


@lru_cache
def lowest_gap(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (y, rate at 0, y, rate at 1, params, memory, run, h) -> fraction of h at which a gap is lowest`.

    The first such instant of all points that are apart and come down at the start and go up at the end of h, of this
    body and those after it, or NO_EVENT.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    is_last, ground_at = i_body + 1 == assembly.n_bodies, point_ground(assembly)
    rest: Any = None if is_last else lowest_gap(assembly, i_body + 1)

    @wp.func(inline=False)
    def lowest(
        y0: wp.ref[vector],
        y1: wp.ref[vector],
        p: wp.ref[params],
        memory: wp.ref[ContactMemory],
        run: int,
        h: wp.float64,
    ) -> wp.float64:
        out = NO_EVENT + wp.float64(0.0)  # a number of its own: Warp would change the constant
        if wp.static(not is_last):
            out = rest(y0, y1, p, memory, run, h)
        before = body_state(y0, wp.static(i_body))
        after = body_state(y1, wp.static(i_body))
        j = int(wp.static(first))
        while j < wp.static(last):
            if memory.modes[j, run] == CONTACT_NONE:
                point_B = p.points_B[j]
                start = ground_at(p, before, before.position + before.R_SB * point_B, j, run)
                end = ground_at(p, after, after.position + after.R_SB * point_B, j, run)
                v0 = before.velocity + before.R_SB * wp.cross(before.omega_B, point_B)
                v1 = after.velocity + after.R_SB * wp.cross(after.omega_B, point_B)
                d0 = wp.dot(v0, start.normal) * h
                d1 = wp.dot(v1, end.normal) * h
                if d0 < wp.float64(0.0) and d1 > wp.float64(0.0):
                    out = wp.min(out, lowest_between(start.gap, d0, end.gap, d1))
            j += 1
        return out

    return lowest


@lru_cache
def first_anchor_change(assembly: Assembly) -> Any:
    """`@wp.func (scan, h, tolerance, y, k1, trial, params, batch, run) -> theta` in (0, 1], or NO_EVENT."""
    params, vector = assembly.params, assembly.layout.vector
    batch_type, trial_type = structs(assembly)[0], trial_struct(vector)
    at, rate_at, off, lowest = hermite(vector), hermite_rate(vector), is_any_off(assembly), lowest_gap(assembly)
    read_anchors = anchors_read(assembly)

    @wp.func(inline=False)
    def is_off(
        theta: wp.float64, h: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], trial: wp.ref[trial_type],
        p: wp.ref[params], memory: wp.ref[ContactMemory], run: int,
    ) -> wp.int32:  # fmt: skip
        sample = at(theta, h, y, k1, trial.y, trial.slope)
        rate = rate_at(theta, h, y, k1, trial.y, trial.slope)
        read_anchors(sample, memory, run)
        return off(sample, rate, p, memory, run)

    @wp.func
    def first(
        scan: wp.ref[Scan], h: wp.float64, tolerance: wp.float64, y: wp.ref[vector], k1: wp.ref[vector],
        trial: wp.ref[trial_type], p: wp.ref[params], batch: wp.ref[batch_type], run: int,
    ) -> wp.float64:  # fmt: skip
        memory = batch.monitors.memory
        low = wp.float64(0.0)
        high = NO_EVENT + wp.float64(0.0)  # a number of its own: Warp would change the constant
        middle = at(MIDDLE, h, y, k1, trial.y, trial.slope)
        half = int(0)
        while half < 2 and high == NO_EVENT:
            low = wp.float64(half) * MIDDLE
            dip = NO_EVENT + wp.float64(0.0)
            if half == 0:
                dip = lowest(y, middle, p, memory, run, MIDDLE * h)
            else:
                dip = lowest(middle, trial.y, p, memory, run, MIDDLE * h)
            if dip < wp.float64(1.0):
                if is_off(low + dip * MIDDLE, h, y, k1, trial, p, memory, run) == 1:
                    high = low + dip * MIDDLE
            if high == NO_EVENT:
                if is_off(low + MIDDLE, h, y, k1, trial, p, memory, run) == 1:
                    high = low + MIDDLE
            half += 1
        if high == NO_EVENT:
            return NO_EVENT
        i = int(0)
        while i < wp.static(N_HALVINGS) and (high - low) * h > BRACKET * tolerance:
            theta = (low + high) * wp.float64(0.5)
            if is_off(theta, h, y, k1, trial, p, memory, run) == 1:
                high = theta
            else:
                low = theta
            i += 1
        return high

    return first
