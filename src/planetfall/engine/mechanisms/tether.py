"""Tethers in the state of a trajectory: how they pull on the bodies, pay out, and what energy they store and take.

Each tether has TETHER_SIZE numbers in the state: the length that a brake has let out [m], the work [J] of its damper
and of its reel on bodies and spring, and whether it is free, held or cut, which a controller may change between steps.
Where the method locks modes during a step, that of each tether is one number more, at the end of the state.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import number
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.event import LocatedEvent
from planetfall.engine.structure.state_sizes import TETHER_DAMPER, TETHER_REEL, TETHER_REST, TETHER_SIZE, TETHER_STATUS
from planetfall.vehicle.body import Wrench
from planetfall.vehicle.tethers import (
    STATUS_CUT,
    TETHER_JUDGED,
    TetherParams,
    TetherState,
    TetherStretch,
    tether_between,
    tether_margin,
    tether_mode,
    tether_strain,
    tether_stretch,
)

WRENCH_SIZE = 6
"""Numbers of what tethers do to one body."""
ROUNDINGS = wp.constant(wp.float64(16 * 2.0**-52))
"""How closely a length is known, relative to the distance of its ends from the origin."""
NEVER = wp.constant(wp.float64(1.0))
"""Value of an event that cannot happen."""


@lru_cache
def tether_at(assembly: Assembly) -> Any:
    """`@wp.func (t, t_branch, y, params, tether index) -> TetherState`."""
    params, lay = assembly.params, assembly.layout
    vector, offset, body_state, modes = lay.vector, lay.tether_offset, lay.body, lay.mode_offset
    is_locked = lay.n_modes > 0

    @wp.func
    def tether_of(t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params], i: int) -> TetherState:
        a = body_state(y, p.tethers.body_a[i])
        b = body_state(y, p.tethers.body_b[i])
        o = offset + i * TETHER_SIZE
        locked = wp.int32(TETHER_JUDGED)
        if wp.static(is_locked):
            locked = wp.int32(number(y[modes + i]))
        return tether_between(
            p.tethers, i, t, t_branch, number(y[o + TETHER_REST]), number(y[o + TETHER_STATUS]), locked, a, b
        )

    return tether_of


@lru_cache
def tether_wrenches_vector(n_bodies: int) -> Any:
    """Vector type for what tethers do to each body: force [N] and torque [N m], surface frame, about its centre.

    One more number at the end: the energy [J] that they store.
    """
    return wp.types.vector(length=WRENCH_SIZE * n_bodies + 1, dtype=wp.float64)


@lru_cache
def tether_rates(assembly: Assembly) -> Any:
    """`@wp.func (dy, t, t_branch, y, params) -> tether_wrenches`: fills in the rates of the tethers' states."""
    params, lay, n_tethers, tether_of = assembly.params, assembly.layout, assembly.n_tethers, tether_at(assembly)
    vector, offset, n_bodies = lay.vector, lay.tether_offset, assembly.n_bodies
    tether_wrenches_type = tether_wrenches_vector(n_bodies)

    @wp.func(inline=False)  # called between steps and in stages
    def fill(
        dy: wp.ref[vector], t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]
    ) -> tether_wrenches_type:
        tether_wrenches = tether_wrenches_type()
        i = int(0)
        while i < wp.static(n_tethers):
            o = offset + i * TETHER_SIZE
            found = TetherState()
            if number(y[o + TETHER_STATUS]) != STATUS_CUT and t_branch <= p.tethers.cut_time[i]:
                found = tether_of(t, t_branch, y, p, i)
                force = found.direction * found.tension
                turn_a = wp.cross(found.arm_a, force)
                turn_b = wp.cross(found.arm_b, force)
                a = WRENCH_SIZE * p.tethers.body_a[i]
                b = WRENCH_SIZE * p.tethers.body_b[i]
                for k in range(3):
                    tether_wrenches[a + k] += force[k]
                    tether_wrenches[a + 3 + k] += turn_a[k]
                    tether_wrenches[b + k] -= force[k]
                    tether_wrenches[b + 3 + k] -= turn_b[k]
                tether_wrenches[wp.static(WRENCH_SIZE * n_bodies)] += found.elastic
            dy[o + TETHER_REST] = wp.where(p.tethers.brake_give[i] > wp.float64(0.0), found.rest_rate, wp.float64(0.0))
            dy[o + TETHER_DAMPER] = found.damper_power
            dy[o + TETHER_REEL] = found.reel_power
            i += 1
        return tether_wrenches

    return fill


@lru_cache
def tether_wrench_on(n_bodies: int) -> Any:
    """`@wp.func (tether_wrenches, body index, R_BS) -> Wrench` of all tethers on a body."""
    tether_wrenches_type = tether_wrenches_vector(n_bodies)

    @wp.func
    def wrench(tether_wrenches: wp.ref[tether_wrenches_type], b: int, R_BS: wp.mat33d) -> Wrench:
        o = WRENCH_SIZE * b
        out = Wrench()
        out.force = wp.vec3d(tether_wrenches[o], tether_wrenches[o + 1], tether_wrenches[o + 2])
        out.torque_B = R_BS * wp.vec3d(tether_wrenches[o + 3], tether_wrenches[o + 4], tether_wrenches[o + 5])
        return out

    return wrench


@lru_cache
def cut_tethers(assembly: Assembly) -> Any:
    """`@wp.func (t, y, params)`: gives the energy of tethers cut at t, to the bit, to their dampers."""
    params, lay, n_tethers, tether_of = assembly.params, assembly.layout, assembly.n_tethers, tether_at(assembly)
    vector, offset = lay.vector, lay.tether_offset

    @wp.func
    def cut(t: wp.float64, y: wp.ref[vector], p: wp.ref[params]):
        i = int(0)
        while i < wp.static(n_tethers):
            if p.tethers.cut_time[i] == t:
                o = offset + i * TETHER_SIZE + TETHER_DAMPER
                y[o] = number(y[o]) - tether_of(t, t, y, p, i).elastic
            i += 1

    return cut


@lru_cache
def tether_events(assembly: Assembly) -> tuple[LocatedEvent, ...]:
    """When tethers go slack or taut, pay out or stop, and taper: where each leaves its mode; and when it is cut.

    The instant of a cut is a break (`tether_break`), so that no step sees both sides of it.
    """
    params, lay, n_tethers, tether_of = assembly.params, assembly.layout, assembly.n_tethers, tether_at(assembly)
    vector, offset, modes, body_state = lay.vector, lay.tether_offset, lay.mode_offset, lay.body

    @wp.func
    def stretched(t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params], i: int) -> TetherStretch:
        a = body_state(y, p.tethers.body_a[i])
        b = body_state(y, p.tethers.body_b[i])
        rest = number(y[offset + i * TETHER_SIZE + TETHER_REST])
        at = tether_stretch(p.tethers, i, t, t_branch, rest, a, b)
        if at.length > wp.float64(0.0):
            tether_strain(p.tethers, i, a, b, at)
        return at

    @wp.func(inline=False)
    def margin(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]) -> wp.float64:
        status = number(y[offset + i * TETHER_SIZE + TETHER_STATUS])
        if status == STATUS_CUT:
            return NEVER
        at = stretched(t, t_branch, y, p, i)
        far = wp.length(body_state(y, p.tethers.body_a[i]).position)
        far += wp.length(body_state(y, p.tethers.body_b[i]).position)
        return tether_margin(p.tethers, i, status, wp.int32(number(y[modes + i])), at, ROUNDINGS * far)

    @wp.func(inline=False)
    def change_mode(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]):
        at = stretched(t, t_branch, y, p, i)
        status = number(y[offset + i * TETHER_SIZE + TETHER_STATUS])
        y[modes + i] = wp.float64(tether_mode(p.tethers, i, status, at))

    @wp.func
    def time_left(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]) -> wp.float64:
        if number(y[offset + i * TETHER_SIZE + TETHER_STATUS]) == STATUS_CUT:
            return NEVER
        return p.tethers.cut_time[i] - t

    @wp.func
    def cut(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]):
        o = offset + i * TETHER_SIZE
        y[o + TETHER_DAMPER] = number(y[o + TETHER_DAMPER]) - tether_of(t, t, y, p, i).elastic
        y[o + TETHER_STATUS] = STATUS_CUT

    return (
        LocatedEvent("tether cut", n_tethers, time_left, cut),
        LocatedEvent("tether mode", n_tethers, margin, change_mode),
    )


@wp.func
def tether_break(tethers: wp.ref[TetherParams], i: int, t: wp.float64) -> wp.float64:
    """First instant after t [s] at which tether i is cut or has a row of its table."""
    out = wp.float64(1.0e300)
    if tethers.cut_time[i] > t:
        out = tethers.cut_time[i]
    for row in range(tethers.rows[i]):
        if tethers.times[row, i] > t:
            return wp.min(out, tethers.times[row, i])
    return out
