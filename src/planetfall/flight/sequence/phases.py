"""A flight as phases: rows of a table with a guidance law, triggers that end the phase, and commands that begin it.

At most one phase ends at a call; the first of its triggers that fires (`phase_triggers`) says why and where to.
"""

import warp as wp

from planetfall.flight.allocation import has_bit
from planetfall.flight.commands import Commands
from planetfall.flight.guidance.model import GuidanceNumbers
from planetfall.flight.navigation.estimate import Estimate
from planetfall.flight.navigation.memory import (
    N_LAW,
    N_TRIGGER,
    SLOT_INTEGRAL,
    SLOT_JUMP,
    SLOT_LAW,
    SLOT_SINCE,
    SLOT_TRIGGER,
)
from planetfall.flight.readings import Readings
from planetfall.flight.sequence.phase_triggers import CAUSE, TO, TriggerCodes, TriggerNumbers, fires, holds

CAUSE_START = wp.constant(0)
"""The first phase's cause."""

PhaseCodes = wp.types.vector(length=7, dtype=wp.int32)
LAW, FIRST_TRIGGER, N_TRIGGERS, ARMS, RESETS, STRIDE, IS_COARSE = (wp.constant(i) for i in range(7))
"""Of a phase: number of its law, its triggers, whether it arms the detector, and resets the integral; ticks from one
call to the next; whether its step is too long for contact."""
PhaseNumbers = wp.types.vector(length=5, dtype=wp.float64)
MASS, BLEND, COS_TILT, CARRIED_MASS, STEP = (wp.constant(i) for i in range(5))
"""Of a phase: known mass [kg], NaN for that of the memory; time of the hand-over [s]; cosine of the largest tilt; mass
[kg] that is flown beside that of the memory; step of the integrator [s]."""


@wp.struct
class SequenceParams:
    """Arrays [phase] of codes, numbers, guidance, bits of engines, tethers and switches; arrays [trigger]."""

    codes: wp.array(dtype=PhaseCodes)
    numbers: wp.array(dtype=PhaseNumbers)
    guidance: wp.array(dtype=GuidanceNumbers)
    engines: wp.array(dtype=wp.uint64)
    release: wp.array(dtype=wp.uint64)
    cut: wp.array(dtype=wp.uint64)
    switches: wp.array(dtype=wp.uint64)
    trigger_numbers: wp.array(dtype=TriggerNumbers)
    trigger_codes: wp.array(dtype=TriggerCodes)


@wp.func
def begin_phase(s: wp.ref[SequenceParams], phase: int, cause: int, commands: Commands, t: wp.float64, run: int):
    """Goes into a phase, and commands what begins with it."""
    commands.phase[run] = phase
    commands.cause[run] = cause
    commands.memory[SLOT_SINCE, run] = t
    for k in range(N_LAW):
        commands.memory[SLOT_LAW + k, run] = wp.float64(wp.nan)
    for k in range(N_TRIGGER):
        commands.memory[SLOT_TRIGGER + k, run] = wp.float64(wp.nan)
    commands.memory[SLOT_JUMP, run] = wp.float64(wp.nan)
    i = int(0)
    while i < commands.cut.shape[0]:
        if has_bit(s.release[phase], i):
            commands.release[i, run] = 1
        if has_bit(s.cut[phase], i):
            commands.cut[i, run] = 1
        i += 1
    i = int(0)
    while i < commands.switches.shape[0]:
        if has_bit(s.switches[phase], i):
            commands.switches[i, run] = 1
        i += 1
    codes = s.codes[phase]
    commands.stride[run] = codes[STRIDE]
    commands.coarse[run] = codes[IS_COARSE]
    commands.step[run] = s.numbers[phase][STEP]
    if codes[ARMS] == 1:
        commands.armed[run] = 1
    if codes[RESETS] == 1:
        commands.memory[SLOT_INTEGRAL, run] = wp.float64(0.0)


@wp.func
def follow_sequence(
    s: wp.ref[SequenceParams], now: Estimate, readings: Readings, landed: wp.float64, commands: Commands,
    t: wp.float64, run: int,
):  # fmt: skip
    """Goes on to the phase that a trigger leads to, if one fires."""
    if wp.isnan(commands.memory[SLOT_SINCE, run]):
        begin_phase(s, 0, CAUSE_START, commands, t, run)
    codes = s.codes[commands.phase[run]]
    elapsed = t - commands.memory[SLOT_SINCE, run]
    to_go = commands.memory[SLOT_LAW, run] - t
    next_phase = int(-1)
    cause = int(0)
    i = int(0)
    while i < codes[N_TRIGGERS]:
        n = s.trigger_numbers[codes[FIRST_TRIGGER] + i]
        c = s.trigger_codes[codes[FIRST_TRIGGER] + i]
        is_held = holds(n, c, now, elapsed, to_go, readings, landed, run)
        if fires(n, is_held, SLOT_TRIGGER + i, commands.memory, t, run) and next_phase < 0:
            next_phase = c[TO]
            cause = c[CAUSE]
        i += 1
    if next_phase >= 0:
        begin_phase(s, next_phase, cause, commands, t, run)
