"""Tethers in the state of a trajectory: how they pull on the bodies, pay out, and what they hold and take of energy.

Each tether has LINE_SIZE numbers in the state: the line that a brake has let out [m], the work [J] of its damper and of
its reel on bodies and spring, and whether it is free, held or cut, which a controller may change between steps.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import number
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.state_sizes import LINE_DAMPER, LINE_REEL, LINE_REST, LINE_SIZE, LINE_STATUS
from planetfall.vehicle.body import Wrench
from planetfall.vehicle.tethers import STATUS_CUT, Line, line_between

PULL_SIZE = 6
"""Numbers of what tethers do to one body."""


@lru_cache
def line_at(assembly: Assembly) -> Any:
    """`@wp.func (t, t_branch, y, params, tether index) -> Line`."""
    params, lay = assembly.params, assembly.layout
    vector, offset, body_state = lay.vector, lay.line_offset, lay.body

    @wp.func
    def line(t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params], i: int) -> Line:
        a = body_state(y, p.tethers.body_a[i])
        b = body_state(y, p.tethers.body_b[i])
        o = offset + i * LINE_SIZE
        return line_between(p.tethers, i, t, t_branch, number(y[o + LINE_REST]), number(y[o + LINE_STATUS]), a, b)

    return line


@lru_cache
def pulls_vector(n_bodies: int) -> Any:
    """Vector type for what tethers do to each body: force [N] and torque [N m], surface frame, about its centre.

    One more number at the end: the energy [J] that they store.
    """
    return wp.types.vector(length=PULL_SIZE * n_bodies + 1, dtype=wp.float64)


@lru_cache
def line_rates(assembly: Assembly) -> Any:
    """`@wp.func (dy, t, t_branch, y, params) -> pulls`: fills in the rates of what the state holds of tethers."""
    params, lay, n_tethers, line = assembly.params, assembly.layout, assembly.n_tethers, line_at(assembly)
    vector, offset, n_bodies = lay.vector, lay.line_offset, assembly.n_bodies
    pulls_type = pulls_vector(n_bodies)

    @wp.func(inline=False)  # called in looks and in stages
    def fill(
        dy: wp.ref[vector], t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]
    ) -> pulls_type:
        pulls = pulls_type()
        i = int(0)
        while i < wp.static(n_tethers):
            o = offset + i * LINE_SIZE
            found = Line()
            if number(y[o + LINE_STATUS]) != STATUS_CUT and t_branch <= p.tethers.cut_time[i]:
                found = line(t, t_branch, y, p, i)
                force = found.direction * found.tension
                turn_a = wp.cross(found.arm_a, force)
                turn_b = wp.cross(found.arm_b, force)
                a = PULL_SIZE * p.tethers.body_a[i]
                b = PULL_SIZE * p.tethers.body_b[i]
                for k in range(3):
                    pulls[a + k] += force[k]
                    pulls[a + 3 + k] += turn_a[k]
                    pulls[b + k] -= force[k]
                    pulls[b + 3 + k] -= turn_b[k]
                pulls[wp.static(PULL_SIZE * n_bodies)] += found.elastic
            dy[o + LINE_REST] = wp.where(p.tethers.brake_give[i] > wp.float64(0.0), found.rest_rate, wp.float64(0.0))
            dy[o + LINE_DAMPER] = found.damper_power
            dy[o + LINE_REEL] = found.reel_power
            i += 1
        return pulls

    return fill


@lru_cache
def pull_on(n_bodies: int) -> Any:
    """`@wp.func (pulls, body index, R_BS) -> Wrench` of all tethers on a body."""
    pulls_type = pulls_vector(n_bodies)

    @wp.func
    def pull(pulls: wp.ref[pulls_type], b: int, R_BS: wp.mat33d) -> Wrench:
        o = PULL_SIZE * b
        out = Wrench()
        out.force = wp.vec3d(pulls[o], pulls[o + 1], pulls[o + 2])
        out.torque_B = R_BS * wp.vec3d(pulls[o + 3], pulls[o + 4], pulls[o + 5])
        return out

    return pull


@lru_cache
def cut_lines(assembly: Assembly) -> Any:
    """`@wp.func (t, y, params)`: gives the energy of tethers cut at t, to the bit, to their dampers."""
    params, lay, n_tethers, line = assembly.params, assembly.layout, assembly.n_tethers, line_at(assembly)
    vector, offset = lay.vector, lay.line_offset

    @wp.func
    def cut(t: wp.float64, y: wp.ref[vector], p: wp.ref[params]):
        i = int(0)
        while i < wp.static(n_tethers):
            if p.tethers.cut_time[i] == t:
                o = offset + i * LINE_SIZE + LINE_DAMPER
                y[o] = number(y[o]) - line(t, t, y, p, i).elastic
            i += 1

    return cut
