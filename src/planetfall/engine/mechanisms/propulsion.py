"""Engines in the state of a trajectory: thrust, propellant, and how a body moves whose mass and centre of mass change.

The state of a propelled body is that of its reference point O, fixed in the body, where its centre of mass was at the
start. At every instant the body with what is left in its tanks is rigid: with C its centre of mass, at c from O,

    a_C = F/m,  omega' = I_C^-1 (L_C - omega x I_C omega),  a_O = a_C - omega' x c - omega x (omega x c)

Thrust is the whole effect of the exhaust; flow inside the vehicle is left out. What leaves takes with it the energy
that it had in its tank, v^2/2 + U per kg, which is booked with the work of the thrust.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import number
from planetfall.engine.state.inertia import inertia_matrices
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.event import Event
from planetfall.engine.structure.state_sizes import ENGINE_COMMAND, ENGINE_SIZE, ENGINE_THRUST
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.vehicle.engines import EngineParams, MassProperties, mass_properties


@lru_cache
def mass_properties_of(assembly: Assembly) -> Any:
    """`@wp.func (params, y, body index) -> MassProperties`."""
    params, lay = assembly.params, assembly.layout
    vector, offset, inertia = lay.vector, lay.burnt_offset, inertia_matrices(assembly)[0]

    @wp.func
    def properties_of(p: wp.ref[params], y: wp.ref[vector], b: int) -> MassProperties:
        return mass_properties(
            p.mass[b], inertia(p, b), number(y[offset + b]), p.engines.tank_center_B[b], p.engines.tank_spread[b]
        )

    return properties_of


@wp.func
def at_center(state: BodyState, center_B: wp.vec3d) -> BodyState:
    """The state with position and velocity of the body's point at `center_B` [m] from its reference point."""
    out = state
    out.position = state.position + state.R_SB * center_B
    out.velocity = state.velocity + state.R_SB * wp.cross(state.omega_B, center_B)
    return out


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
    """`@wp.func (y, params, body index, state) -> power [W]` with which propellant leaving the tanks takes energy."""
    params, lay, potential = assembly.params, assembly.layout, assembly.gravity.potential
    vector, offset, n_engines = lay.vector, lay.engine_offset, lay.n_engines

    @wp.func
    def power(y: wp.ref[vector], p: wp.ref[params], b: int, state: BodyState) -> wp.float64:
        flow = wp.float64(0.0)
        i = int(0)
        while i < wp.static(n_engines):
            if p.engines.body[i] == b:
                flow += p.engines.flow[i] * number(y[offset + i * ENGINE_SIZE + ENGINE_THRUST])
            i += 1
        center = p.engines.tank_center_B[b]
        w = state.omega_B
        velocity_B = wp.transpose(state.R_SB) * state.velocity
        square = wp.length_sq(velocity_B) + wp.float64(2.0) * wp.dot(velocity_B, wp.cross(w, center))
        square += wp.dot(w, p.engines.tank_spread[b] * w)
        specific = potential(p.gravity, state.position + state.R_SB * center)
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
def flame_out_event(assembly: Assembly) -> Event:
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

    return Event("flame-out", n_engines, left, go_out)


@wp.func
def engine_break(engines: wp.ref[EngineParams], i: int, t: wp.float64) -> wp.float64:
    """When engine i fails [s], if that is after t."""
    return wp.where(engines.fail_time[i] > t, engines.fail_time[i], wp.float64(1.0e300))
