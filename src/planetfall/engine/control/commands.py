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

from planetfall.compute.in_place import number
from planetfall.engine.mechanisms.tether import tether_at
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.state_sizes import (
    ENGINE_COMMAND,
    ENGINE_SIZE,
    TETHER_DAMPER,
    TETHER_SIZE,
    TETHER_STATUS,
)
from planetfall.flight.commands import FAULT_NAN, FAULT_NONE, FAULT_RANGE, MAX_TRANSITIONS, RANGE_SLACK, Commands
from planetfall.flight.readings import Sensing
from planetfall.vehicle.tethers import STATUS_CUT, STATUS_FREE, STATUS_HELD

TICK_SLACK = wp.constant(wp.float64(1.0 - 1e-9))
"""Of an instant: neither n * step nor k / rate is exact."""


@wp.func
def is_due(t: wp.float64, period: wp.float64, tick: wp.int32) -> wp.bool:
    """Whether the instant of a call has come."""
    return t >= wp.float64(tick) * period * TICK_SLACK


@wp.func
def log_phase(commands: Commands, run: int):
    """Logs the phase and its cause where it differs from the last one logged; the first one always."""
    n = commands.log_count[run]
    if n > 0:
        if commands.log_phase[n - 1, run] == commands.phase[run]:
            return
    if n < wp.static(MAX_TRANSITIONS):
        commands.log_time[n, run] = commands.called[run]
        commands.log_phase[n, run] = commands.phase[run]
        commands.log_cause[n, run] = commands.cause[run]
        commands.log_count[run] = n + 1


@lru_cache
def obey(assembly: Assembly) -> Any:
    """`@wp.func (t, y, params, commands, run)`: takes up the commands that wait; a bad one sets the run's fault."""
    params, lay = assembly.params, assembly.layout
    vector, engines, first_tether = lay.vector, lay.engine_offset, lay.tether_offset
    n_engines, n_tethers, tether_of = lay.n_engines, lay.n_tethers, tether_at(assembly)
    n_switches = len(assembly.switches)
    places = wp.types.vector(length=max(n_switches, 1), dtype=wp.int32)(
        [number for _, number in assembly.switches] or [0]
    )

    @wp.func
    def check(p: wp.ref[params], commands: Commands, run: int):
        i = int(0)
        while i < wp.static(n_engines):
            share = commands.throttle[i, run]
            least = p.engines.thrust_min[i] / p.engines.thrust_max[i] - RANGE_SLACK
            if not wp.isfinite(share):
                commands.fault[run] = FAULT_NAN
                commands.fault_engine[run] = i
            elif share != wp.float64(0.0) and (share < least or share > wp.float64(1.0) + RANGE_SLACK):
                commands.fault[run] = FAULT_RANGE
                commands.fault_engine[run] = i
            i += 1

    # not inlined: it is called at few of the steps, and code that fits the instruction cache runs faster
    @wp.func(inline=False)
    def follow(t: wp.float64, y: wp.ref[vector], p: wp.ref[params], commands: Commands, run: int):
        commands.pending[run] = 0
        check(p, commands, run)
        if commands.fault[run] != FAULT_NONE:  # what cannot be obeyed is not obeyed in part
            return
        i = int(0)
        while i < wp.static(n_engines):
            y[engines + i * ENGINE_SIZE + ENGINE_COMMAND] = commands.throttle[i, run] * p.engines.thrust_max[i]
            i += 1
        i = int(0)
        while i < wp.static(n_tethers):
            o = first_tether + i * TETHER_SIZE
            if commands.release[i, run] == 1 and number(y[o + TETHER_STATUS]) == STATUS_HELD:
                y[o + TETHER_STATUS] = STATUS_FREE
            if commands.cut[i, run] == 1 and number(y[o + TETHER_STATUS]) != STATUS_CUT:
                y[o + TETHER_DAMPER] = number(y[o + TETHER_DAMPER]) - tether_of(t, t, y, p, i).elastic
                y[o + TETHER_STATUS] = STATUS_CUT
            i += 1
        i = int(0)
        while i < wp.static(n_switches):
            if commands.switches[i, run] == 1:
                y[places[i]] = wp.float64(1.0)
            i += 1
        log_phase(commands, run)

    return follow


@lru_cache
def controller_call(assembly: Assembly) -> Any:
    """`@wp.func (t, params, sensing, commands, run) -> 1 if the kernel has to wait after this step, else 0`."""
    params, steer = assembly.params, assembly.flight.steer
    is_compiled = steer is not None

    @wp.func(inline=False)
    def call_now(t: wp.float64, p: wp.ref[params], sensing: Sensing, commands: Commands, run: int) -> wp.int32:
        commands.tick[run] += 1
        commands.called[run] = t
        commands.pending[run] = 1
        if wp.static(is_compiled):
            steer(p.flight, sensing.readings, sensing.memory.landed[run], commands, t, run)
            return 0
        return 1

    @wp.func
    def call_if_due(t: wp.float64, p: wp.ref[params], sensing: Sensing, commands: Commands, run: int) -> wp.int32:
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
