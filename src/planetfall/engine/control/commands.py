"""Flight software between steps: when a controller is called, and how its commands enter the state.

A controller with the rate f is called at the instants k/f, each of them the end of a step, with the readings taken up
to then. Its commands are held until others come: throttles and the status of tethers are numbers of the state whose
rates are zero. With a fixed step they act from the end of the next step on, with the adaptive method, whose steps mean
nothing to a computer on board, at the instant of the call. It does not matter where a command was made: a compiled
controller writes it in the kernel; for one in Python the kernel stops, with a fixed step after the step that follows
the call, and takes up the command when it is launched again.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.body.environment import gravity_at, surroundings
from planetfall.engine.mechanisms.chain import all_mechanisms
from planetfall.engine.structure.assembly import Assembly
from planetfall.flight.commands import FAULT_NONE, FLIGHT_NUMBERS, MAX_TRANSITIONS, Commands
from planetfall.flight.readings import Sensing
from planetfall.vehicle.flight_triggers import airflow

TICK_SLACK = wp.constant(wp.float64(1.0 - 1e-9))
"""Of an instant: neither n * step nor k / rate is exact."""


@wp.func
def is_due(t: wp.float64, period: wp.float64, tick: wp.int32) -> wp.bool:
    """Whether the instant of a call has come."""
    return t >= wp.float64(tick) * period * TICK_SLACK


@lru_cache
def phase_log(assembly: Assembly) -> Any:
    """`@wp.func (y, params, commands, run)`: logs the phase where it differs from the last one; the first one always.

    With it go its cause and, of the vehicle that is flown, the numbers of `FLIGHT_NUMBERS`.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    has_air, gravity, around = assembly.air.fill is not None, gravity_at(assembly), surroundings(assembly)

    @wp.func
    def log_flight(y: wp.ref[vector], p: wp.ref[params], commands: Commands, n: int, run: int):
        state = body_state(y, p.flown_body)
        commands.log_flight[n, 0, run] = wp.length(state.velocity)
        for i in range(1, wp.static(len(FLIGHT_NUMBERS))):
            commands.log_flight[n, i, run] = wp.float64(wp.nan)
        if wp.static(has_air):
            environment = around(p, state.position, gravity(p, state.position))
            flow = airflow(state.velocity, environment)
            commands.log_flight[n, 1, run] = environment.altitude
            commands.log_flight[n, 2, run] = flow.mach
            commands.log_flight[n, 3, run] = flow.pressure
            commands.log_flight[n, 4, run] = environment.density

    @wp.func(inline=False)
    def log(y: wp.ref[vector], p: wp.ref[params], commands: Commands, run: int):
        n = commands.log_count[run]
        if n > 0:
            if commands.log_phase[n - 1, run] == commands.phase[run]:
                return
        if n < wp.static(MAX_TRANSITIONS):
            commands.log_time[n, run] = commands.called[run]
            commands.log_phase[n, run] = commands.phase[run]
            commands.log_cause[n, run] = commands.cause[run]
            commands.log_count[run] = n + 1
            log_flight(y, p, commands, n, run)

    return log


@lru_cache
def obey(assembly: Assembly) -> Any:
    """`@wp.func (t, y, params, commands, run)`: takes up the commands that wait; a bad one sets the run's fault."""
    params, lay = assembly.params, assembly.layout
    vector = lay.vector
    check, take_up = all_mechanisms(assembly, "check_commands"), all_mechanisms(assembly, "obey")
    n_switches, log_phase = len(assembly.switches), phase_log(assembly)
    places = wp.types.vector(length=max(n_switches, 1), dtype=wp.int32)(
        [number for _, number in assembly.switches] or [0]
    )

    # not inlined: it is called at few of the steps, and code that fits the instruction cache runs faster
    @wp.func(inline=False)
    def follow(t: wp.float64, y: wp.ref[vector], p: wp.ref[params], commands: Commands, run: int):
        commands.pending[run] = 0
        check(p.mechanisms, commands, run)
        if commands.fault[run] != FAULT_NONE:  # what cannot be obeyed is not obeyed in part
            return
        take_up(y, p.mechanisms, t, commands, run)
        i = int(0)
        while i < wp.static(n_switches):
            if commands.switches[i, run] == 1:
                y[places[i]] = wp.float64(1.0)
            i += 1
        log_phase(y, p, commands, run)

    return follow


@lru_cache
def controller_call(assembly: Assembly) -> Any:
    """`@wp.func (t, params, sensing, commands, run) -> 1 if the kernel has to wait after this step, else 0`."""
    params, steer = assembly.params, assembly.flight.steer
    is_compiled = steer is not None

    @wp.func(inline=False)
    def call_now(t: wp.float64, p: wp.ref[params], sensing: wp.ref[Sensing], commands: Commands, run: int) -> wp.int32:
        commands.called[run] = t
        commands.pending[run] = 1
        if wp.static(is_compiled):
            steer(p.flight, sensing.readings, sensing.memory.landed[run], commands, t, run)
            commands.tick[run] += commands.stride[run]
            sensing.waits[run] = wp.where(commands.stride[run] > 1, 1, 0)
            return 0
        commands.tick[run] += 1
        return 1

    @wp.func
    def call_if_due(
        t: wp.float64, p: wp.ref[params], sensing: wp.ref[Sensing], commands: Commands, run: int
    ) -> wp.int32:
        if is_due(t, p.control_period, commands.tick[run]):
            return call_now(t, p, sensing, commands, run)
        return 0

    return call_if_due


@lru_cache
def next_call(assembly: Assembly) -> Any:
    """`@wp.func (t, params, commands, run) -> first instant after t [s] at which the controller is called`."""
    params = assembly.params

    @wp.func
    def instant(t: wp.float64, p: wp.ref[params], commands: Commands, run: int) -> wp.float64:
        tick = commands.tick[run]
        if is_due(t, p.control_period, tick):
            tick += 1
        return wp.float64(tick) * p.control_period

    return instant
