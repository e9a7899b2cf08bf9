"""Tethers in the state of a trajectory: how they pull on the bodies, pay out, and what energy they store and take.

Each tether has TETHER_SIZE numbers in the state: the length that a brake has let out [m], the work [J] of its damper
and of its reel on bodies and spring, and whether it is free, held or cut, which a controller may change between steps.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import number
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.state_sizes import TETHER_DAMPER, TETHER_REEL, TETHER_REST, TETHER_SIZE, TETHER_STATUS
from planetfall.vehicle.body import Wrench
from planetfall.vehicle.tethers import STATUS_CUT, TetherState, tether_between

WRENCH_SIZE = 6
"""Numbers of what tethers do to one body."""


@lru_cache
def tether_at(assembly: Assembly) -> Any:
    """`@wp.func (t, t_branch, y, params, tether index) -> TetherState`."""
    params, lay = assembly.params, assembly.layout
    vector, offset, body_state = lay.vector, lay.tether_offset, lay.body

    @wp.func
    def tether_of(t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params], i: int) -> TetherState:
        a = body_state(y, p.tethers.body_a[i])
        b = body_state(y, p.tethers.body_b[i])
        o = offset + i * TETHER_SIZE
        return tether_between(p.tethers, i, t, t_branch, number(y[o + TETHER_REST]), number(y[o + TETHER_STATUS]), a, b)

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
