"""The engines of a scenario's vehicles and their tanks as a mechanism.

Each engine has ENGINE_SIZE numbers in the state, its thrust and the thrust commanded [N]; after those of all engines
comes the propellant [kg] that each body has burnt.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.compute.in_place import number
from planetfall.engine.structure.mechanism import LocatedEvent, Mechanism, StateSlot
from planetfall.engine.structure.run_params import StepParams
from planetfall.engine.structure.start import end_of_step_at
from planetfall.engine.structure.state_sizes import ENGINE_COMMAND, ENGINE_SIZE, ENGINE_THRUST, ENGINES
from planetfall.engine.structure.work_accounts import WORK_EXTERNAL
from planetfall.flight.commands import FAULT_NAN, FAULT_RANGE, RANGE_SLACK, Commands
from planetfall.scenario.scenario import Scenario
from planetfall.vehicle.body import Wrench
from planetfall.vehicle.engines import STANDARD_GRAVITY, EngineParams
from planetfall.vehicle.mass import MassFlow, MassProperties, drained


def engines_of(scenario: Scenario) -> Mechanism | None:
    """The engines of a scenario's vehicles; None where they have none."""
    engines_per_body = tuple(len(vehicle.engines) for vehicle in scenario.vehicles)
    return engines_mechanism(engines_per_body) if any(engines_per_body) else None


@lru_cache
def engines_mechanism(engines_per_body: tuple[int, ...]) -> Mechanism:
    """So many engines on each body."""
    n, n_bodies = sum(engines_per_body), len(engines_per_body)
    return Mechanism(
        name=ENGINES,
        params=EngineParams,
        fill=lambda scenario, start: engine_params(scenario),
        reads=("vehicle.engines", "vehicle.propellant", "vehicle.mass", "integrator."),
        on_bodies=tuple(count > 0 for count in engines_per_body),
        n_states=ENGINE_SIZE * n + n_bodies,
        initial=engine_states,
        state_rates=lambda slot: _rates(n, n_bodies, slot),
        push=lambda slot: _push(n, slot),
        account=WORK_EXTERNAL,
        mass=lambda slot: _mass(n, slot),
        outflow=lambda slot: _outflow(n, slot),
        before_step=lambda slot: _flame_out(n, slot),
        events=lambda slot: (_flame_out_event(n, slot),),
        next_break=lambda slot: _next_break(n),
        error=lambda slot: _error(n, slot),
        check_commands=lambda slot: _check_commands(n),
        obey=lambda slot: _obey(n, slot),
        rounds_alike=True,
    )


@lru_cache
def _push(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.push`."""
    vector, offset = slot.vector, slot.offset

    @wp.func
    def push(p: wp.ref[EngineParams], y: wp.ref[vector], b: int, so_far: Wrench) -> Wrench:
        out = so_far
        i = int(0)
        while i < wp.static(n):
            if p.body[i] == b:
                force = p.direction_B[i] * number(y[offset + i * ENGINE_SIZE + ENGINE_THRUST])
                out.force += force
                out.torque_B += wp.cross(p.position_B[i], force)
            i += 1
        return out

    return push


@lru_cache
def _mass(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.mass`: what is left of a body when its tanks are drained alike."""
    vector, burnt = slot.vector, slot.offset + ENGINE_SIZE * n

    @wp.func
    def mass(
        p: wp.ref[EngineParams], y: wp.ref[vector], b: int, full: wp.float64, inertia: wp.mat33d
    ) -> MassProperties:
        return drained(full, inertia, number(y[burnt + b]), p.tank_center_B[b], p.tank_spread[b])

    return mass


@lru_cache
def _outflow(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.outflow`: what all engines of a body burn."""
    vector, offset = slot.vector, slot.offset

    @wp.func
    def outflow(p: wp.ref[EngineParams], y: wp.ref[vector], b: int) -> MassFlow:
        out = MassFlow()
        i = int(0)
        while i < wp.static(n):
            if p.body[i] == b:
                out.rate += p.flow[i] * number(y[offset + i * ENGINE_SIZE + ENGINE_THRUST])
            i += 1
        out.place_B = p.tank_center_B[b]
        out.spread = p.tank_spread[b]
        return out

    return outflow


@lru_cache
def _rates(n: int, n_bodies: int, slot: StateSlot) -> Any:
    """See `Mechanism.state_rates`: of thrusts and of the propellant burnt."""
    vector, offset, burnt = slot.vector, slot.offset, slot.offset + ENGINE_SIZE * n

    @wp.func(inline=False)  # called between steps and in stages
    def rates(
        dy: wp.ref[vector], p: wp.ref[EngineParams], y: wp.ref[vector], t: wp.float64, t_branch: wp.float64
    ):  # fmt: skip
        for b in range(wp.static(n_bodies)):
            dy[burnt + b] = wp.float64(0.0)
        i = int(0)
        while i < wp.static(n):
            o = offset + i * ENGINE_SIZE
            thrust = number(y[o + ENGINE_THRUST])
            commanded = p.gain[i] * number(y[o + ENGINE_COMMAND])
            if t_branch > p.fail_time[i]:
                commanded = wp.float64(0.0)
            dy[o + ENGINE_THRUST] = (commanded - thrust) * p.lag_inverse[i]
            tank = burnt + p.body[i]
            dy[tank] = number(dy[tank]) + p.flow[i] * thrust
            i += 1

    return rates


@lru_cache
def _flame_out(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.before_step`: takes the thrust of engines whose tanks are empty."""
    vector, offset, burnt = slot.vector, slot.offset, slot.offset + ENGINE_SIZE * n

    @wp.func
    def starve(y: wp.ref[vector], p: wp.ref[EngineParams]):
        i = int(0)
        while i < wp.static(n):
            b = p.body[i]
            if number(y[burnt + b]) >= p.propellant[b]:
                y[offset + i * ENGINE_SIZE + ENGINE_THRUST] = wp.float64(0.0)
                y[offset + i * ENGINE_SIZE + ENGINE_COMMAND] = wp.float64(0.0)
            i += 1

    return starve


@lru_cache
def _flame_out_event(n: int, slot: StateSlot) -> LocatedEvent:
    """When a tank runs empty: its engines go out at once."""
    vector, offset, burnt = slot.vector, slot.offset, slot.offset + ENGINE_SIZE * n

    @wp.func
    def left(
        i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[EngineParams]
    ) -> wp.float64:  # fmt: skip
        """Propellant [kg] for engine i; one that neither pushes nor is told to needs none."""
        o = offset + i * ENGINE_SIZE
        if number(y[o + ENGINE_THRUST]) == wp.float64(0.0) and number(y[o + ENGINE_COMMAND]) == wp.float64(0.0):
            return wp.float64(1.0)
        b = p.body[i]
        return p.propellant[b] - number(y[burnt + b])

    @wp.func
    def go_out(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[EngineParams]):
        y[offset + i * ENGINE_SIZE + ENGINE_THRUST] = wp.float64(0.0)
        y[offset + i * ENGINE_SIZE + ENGINE_COMMAND] = wp.float64(0.0)

    return LocatedEvent("flame-out", n, left, go_out)


@lru_cache
def _next_break(n: int) -> Any:
    """See `Mechanism.next_break`: when an engine fails."""

    @wp.func
    def next_break(p: wp.ref[EngineParams], t: wp.float64) -> wp.float64:
        out = wp.float64(1.0e300)
        for i in range(wp.static(n)):
            if p.fail_time[i] > t:
                out = wp.min(out, p.fail_time[i])
        return out

    return next_break


@lru_cache
def _error(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.error`: thrust is measured against the largest, propellant against the vehicle's mass."""
    vector, offset, burnt = slot.vector, slot.offset, slot.offset + ENGINE_SIZE * n

    @wp.func
    def worst(p: wp.ref[EngineParams], y: wp.ref[vector], error: wp.ref[vector], step: StepParams) -> wp.float64:
        out = wp.float64(0.0)
        for i in range(wp.static(n)):
            b = p.body[i]
            out = wp.max(out, wp.abs(error[offset + i * ENGINE_SIZE + ENGINE_THRUST]) / p.thrust_max[i])
            out = wp.max(out, wp.abs(number(error[burnt + b])) / p.vehicle_mass[b])
        return out

    return worst


@lru_cache
def _check_commands(n: int) -> Any:
    """See `Mechanism.check_commands`: throttles are numbers, zero or between the least and the largest."""

    @wp.func
    def check(p: wp.ref[EngineParams], commands: Commands, run: int):
        i = int(0)
        while i < wp.static(n):
            share = commands.throttle[i, run]
            least = p.thrust_min[i] / p.thrust_max[i] - RANGE_SLACK
            if not wp.isfinite(share):
                commands.fault[run] = FAULT_NAN
                commands.fault_engine[run] = i
            elif share != wp.float64(0.0) and (share < least or share > wp.float64(1.0) + RANGE_SLACK):
                commands.fault[run] = FAULT_RANGE
                commands.fault_engine[run] = i
            i += 1

    return check


@lru_cache
def _obey(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.obey`: throttles become thrusts that are commanded."""
    vector, offset = slot.vector, slot.offset

    @wp.func
    def obey(y: wp.ref[vector], p: wp.ref[EngineParams], t: wp.float64, commands: Commands, run: int):
        i = int(0)
        while i < wp.static(n):
            y[offset + i * ENGINE_SIZE + ENGINE_COMMAND] = commands.throttle[i, run] * p.thrust_max[i]
            i += 1

    return obey


def engine_states(scenario: Scenario) -> np.ndarray:
    """Thrusts and commands [N] at time zero, one engine after the other, and nothing burnt."""
    engines = [engine for vehicle in scenario.vehicles for engine in vehicle.engines]
    thrusts = np.zeros((len(engines), ENGINE_SIZE))
    thrusts[:, ENGINE_THRUST] = [engine.thrust for engine in engines]
    thrusts[:, ENGINE_COMMAND] = [engine.thrust / (1.0 + engine.bias) for engine in engines]
    return np.concatenate([thrusts.ravel(), np.zeros(len(scenario.vehicles))])


def engine_params(scenario: Scenario) -> Draft:
    """`EngineParams` of a scenario's engines and of its vehicles' tanks."""
    p, vehicles = Draft(EngineParams), scenario.vehicles
    pairs = [(b, engine) for b, vehicle in enumerate(vehicles) for engine in vehicle.engines]
    engines = [engine for _, engine in pairs]
    p.body = [b for b, _ in pairs]
    p.position_B = [engine.position for engine in engines]
    p.direction_B = [engine.direction for engine in engines]
    p.thrust_min, p.thrust_max = [e.thrust_min for e in engines], [e.thrust_max for e in engines]
    p.lag_inverse = [1.0 / engine.lag for engine in engines]
    p.gain = [1.0 + engine.bias for engine in engines]
    p.flow = [1.0 / (engine.isp * STANDARD_GRAVITY) for engine in engines]
    p.fail_time = [end_of_step_at(scenario, engine.fail_time) for engine in engines]
    tanks = [vehicle.propellant for vehicle in vehicles]
    p.propellant = [0.0 if tank is None else tank.mass for tank in tanks]
    p.tank_center_B = [np.zeros(3) if tank is None else tank.center for tank in tanks]
    p.tank_spread = np.array([np.zeros((3, 3)) if tank is None else tank.spread for tank in tanks])
    p.vehicle_mass = [vehicle.mass for vehicle in vehicles]
    return p
