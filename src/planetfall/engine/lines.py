"""Tethers in the state of a trajectory: how they pull on the bodies, pay out, and what they hold and take of energy.

Each tether has LINE_SIZE numbers in the state: the line that a brake has let out [m], the work [J] of its damper and of
its reel on bodies and spring, and whether it is free, held or cut, which a controller may change between steps.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.assembly import Assembly
from planetfall.engine.layout_sizes import LINE_DAMPER, LINE_REEL, LINE_REST, LINE_SIZE, LINE_STATUS
from planetfall.vehicle.body import Wrench
from planetfall.vehicle.tethers import Line, line_between


@lru_cache
def line_at(assembly: Assembly) -> Any:
    """`@wp.func (t, t_branch, y, params, tether index) -> Line`."""
    params, lay = assembly.params, assembly.layout
    vector, offset, body_state = lay.vector, lay.line_offset, lay.body

    @wp.func
    def line(t: wp.float64, t_branch: wp.float64, y: vector, p: params, i: int) -> Line:
        a = body_state(y, p.tethers.body_a[i])
        b = body_state(y, p.tethers.body_b[i])
        o = offset + i * LINE_SIZE
        return line_between(p.tethers, i, t, t_branch, y[o + LINE_REST], y[o + LINE_STATUS], a, b)

    return line


@lru_cache
def line_pull(assembly: Assembly) -> Any:
    """`@wp.func (t, t_branch, y, params, body index, R_BS) -> Wrench` of all tethers on a body."""
    params, vector, n_tethers, line = assembly.params, assembly.layout.vector, assembly.n_tethers, line_at(assembly)

    @wp.func
    def pull(t: wp.float64, t_branch: wp.float64, y: vector, p: params, b: int, R_BS: wp.mat33d) -> Wrench:
        out = Wrench()
        torque = wp.vec3d()
        i = int(0)
        while i < wp.static(n_tethers):
            if p.tethers.body_a[i] == b:
                found = line(t, t_branch, y, p, i)
                force = found.direction * found.tension
                out.force += force
                torque += wp.cross(found.arm_a, force)
            if p.tethers.body_b[i] == b:
                found = line(t, t_branch, y, p, i)
                force = found.direction * found.tension
                out.force -= force
                torque -= wp.cross(found.arm_b, force)
            i += 1
        out.torque_B = R_BS * torque
        return out

    return pull


@lru_cache
def line_rates(assembly: Assembly) -> Any:
    """`@wp.func (dy, t, t_branch, y, params) -> dy` with the rates of what the state holds of tethers."""
    params, lay, n_tethers, line = assembly.params, assembly.layout, assembly.n_tethers, line_at(assembly)
    vector, offset = lay.vector, lay.line_offset

    @wp.func
    def fill(dy: vector, t: wp.float64, t_branch: wp.float64, y: vector, p: params) -> vector:
        out = dy
        i = int(0)
        while i < wp.static(n_tethers):
            found = line(t, t_branch, y, p, i)
            o = offset + i * LINE_SIZE
            if p.tethers.brake_give[i] > wp.float64(0.0):
                out[o + LINE_REST] = found.rest_rate
            out[o + LINE_DAMPER] = found.damper_power
            out[o + LINE_REEL] = found.reel_power
            i += 1
        return out

    return fill


@lru_cache
def cut_lines(assembly: Assembly) -> Any:
    """`@wp.func (t, y, params) -> y` with the energy of tethers cut at t, to the bit, taken by their dampers."""
    params, lay, n_tethers, line = assembly.params, assembly.layout, assembly.n_tethers, line_at(assembly)
    vector, offset = lay.vector, lay.line_offset

    @wp.func
    def cut(t: wp.float64, y: vector, p: params) -> vector:
        out = y
        i = int(0)
        while i < wp.static(n_tethers):
            if p.tethers.cut_time[i] == t:
                out[offset + i * LINE_SIZE + LINE_DAMPER] -= line(t, t, y, p, i).elastic
            i += 1
        return out

    return cut
