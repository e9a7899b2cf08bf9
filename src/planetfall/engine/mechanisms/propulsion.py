"""Engines in the state of a trajectory: thrust, propellant, and the energy that leaves with the exhaust."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import number
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.event import LocatedEvent
from planetfall.engine.structure.state_sizes import ENGINE_COMMAND, ENGINE_SIZE, ENGINE_THRUST
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.vehicle.engines import EngineParams


@lru_cache
def engine_push(assembly: Assembly) -> Any:
    """`@wp.func (y, params, body index) -> (Wrench)`, with the force in body components and the torque about O."""
    params, lay = assembly.params, assembly.layout
    vector, offset, n_engines = lay.vector, lay.engine_offset, lay.n_engines

    @wp.func
    def push(y: wp.ref[vector], p: wp.ref[params], b: int) -> Wrench:
        out = Wrench()
        i = int(0)
        while i < wp.static(n_engines):
            if p.engines.body[i] == b:
                force = p.engines.direction_B[i] * number(y[offset + i * ENGINE_SIZE + ENGINE_THRUST])
                out.force += force
                out.torque_B += wp.cross(p.engines.position_B[i], force)
            i += 1
        return out

    return push


@lru_cache
def exhaust_power(assembly: Assembly) -> Any:
    """`@wp.func (y, params, body index, state, state of C, gravity at C) -> power [W]` that the exhaust takes.

    Propellant leaves its tank with the energy that it had there, v^2/2 + U - |Omega x r|^2/2 per kg. Gravity acts at
    the centre of mass, so that U at the tanks is U(C) - g.(r - c): what the body loses is then what is booked.
    """
    params, lay, potential, has_spin = assembly.params, assembly.layout, assembly.gravity.potential, assembly.has_spin
    vector, offset, n_engines = lay.vector, lay.engine_offset, lay.n_engines

    @wp.func
    def power(
        y: wp.ref[vector], p: wp.ref[params], b: int, state: wp.ref[BodyState], middle: wp.ref[BodyState],
        gravity: wp.vec3d,
    ) -> wp.float64:  # fmt: skip
        flow = wp.float64(0.0)
        i = int(0)
        while i < wp.static(n_engines):
            if p.engines.body[i] == b:
                flow += p.engines.flow[i] * number(y[offset + i * ENGINE_SIZE + ENGINE_THRUST])
            i += 1
        tank = p.engines.tank_center_B[b]
        w = state.omega_B
        two = wp.float64(2.0)
        velocity_B = wp.transpose(state.R_SB) * state.velocity
        square = wp.length_sq(velocity_B) + two * wp.dot(velocity_B, wp.cross(w, tank))
        square += wp.dot(w, p.engines.tank_spread[b] * w)
        if wp.static(has_spin):
            spin_B = wp.transpose(state.R_SB) * p.frame.omega
            carried_B = wp.transpose(state.R_SB) * wp.cross(p.frame.omega, state.position - p.frame.center)
            square -= wp.length_sq(carried_B) + two * wp.dot(carried_B, wp.cross(spin_B, tank))
            square -= wp.dot(spin_B, p.engines.tank_spread[b] * spin_B)
        away = state.position + state.R_SB * tank - middle.position
        specific = potential(p.gravity, middle.position) - wp.dot(gravity, away)
        return -flow * (wp.float64(0.5) * square + specific)

    return power


@lru_cache
def engine_rates(assembly: Assembly) -> Any:
    """`@wp.func (dy, t_branch, y, params)`: fills in the rates of thrusts and of the propellant burnt."""
    params, lay = assembly.params, assembly.layout
    vector, offset, burnt, n_engines = lay.vector, lay.engine_offset, lay.burnt_offset, lay.n_engines
    n_bodies = lay.n_bodies

    @wp.func(inline=False)  # called between steps and in stages
    def fill(dy: wp.ref[vector], t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]):
        for b in range(wp.static(n_bodies)):
            dy[burnt + b] = wp.float64(0.0)
        i = int(0)
        while i < wp.static(n_engines):
            o = offset + i * ENGINE_SIZE
            thrust = number(y[o + ENGINE_THRUST])
            commanded = p.engines.gain[i] * number(y[o + ENGINE_COMMAND])
            if t_branch > p.engines.fail_time[i]:
                commanded = wp.float64(0.0)
            dy[o + ENGINE_THRUST] = (commanded - thrust) * p.engines.lag_inverse[i]
            tank = burnt + p.engines.body[i]
            dy[tank] = number(dy[tank]) + p.engines.flow[i] * thrust
            i += 1

    return fill


@lru_cache
def flame_out(assembly: Assembly) -> Any:
    """`@wp.func (y, params)`: takes the thrust of engines whose tanks are empty."""
    params, lay = assembly.params, assembly.layout
    vector, offset, burnt, n_engines = lay.vector, lay.engine_offset, lay.burnt_offset, lay.n_engines

    @wp.func
    def starve(y: wp.ref[vector], p: wp.ref[params]):
        i = int(0)
        while i < wp.static(n_engines):
            b = p.engines.body[i]
            if number(y[burnt + b]) >= p.engines.propellant[b]:
                y[offset + i * ENGINE_SIZE + ENGINE_THRUST] = wp.float64(0.0)
                y[offset + i * ENGINE_SIZE + ENGINE_COMMAND] = wp.float64(0.0)
            i += 1

    return starve


@lru_cache
def flame_out_event(assembly: Assembly) -> LocatedEvent:
    """When a tank runs empty: its engines go out at once."""
    params, lay = assembly.params, assembly.layout
    vector, offset, burnt, n_engines = lay.vector, lay.engine_offset, lay.burnt_offset, lay.n_engines

    @wp.func
    def left(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]) -> wp.float64:
        """Propellant [kg] for engine i; one that neither pushes nor is told to needs none."""
        o = offset + i * ENGINE_SIZE
        if number(y[o + ENGINE_THRUST]) == wp.float64(0.0) and number(y[o + ENGINE_COMMAND]) == wp.float64(0.0):
            return wp.float64(1.0)
        b = p.engines.body[i]
        return p.engines.propellant[b] - number(y[burnt + b])

    @wp.func
    def go_out(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]):
        y[offset + i * ENGINE_SIZE + ENGINE_THRUST] = wp.float64(0.0)
        y[offset + i * ENGINE_SIZE + ENGINE_COMMAND] = wp.float64(0.0)

    return LocatedEvent("flame-out", n_engines, left, go_out)


@wp.func
def engine_break(engines: wp.ref[EngineParams], i: int, t: wp.float64) -> wp.float64:
    """When engine i fails [s], if that is after t."""
    return wp.where(engines.fail_time[i] > t, engines.fail_time[i], wp.float64(1.0e300))
