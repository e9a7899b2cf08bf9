"""The adaptive kernel: error control, event location, long strides in free flight.

Only accepted steps are counted, and the step size and slope are kept between chunks, so that results do not depend on
how a run is cut into chunks.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.assembly import Assembly
from planetfall.engine.batch import EVENT_STEP_REFUSED, structs
from planetfall.engine.dopri5 import dopri5, error_norm
from planetfall.engine.dynamics import derivative
from planetfall.engine.recorder import recorder
from planetfall.engine.switches import N_SAMPLES, NO_SWITCH, SAMPLE_WIDTH, first_switch, hermite
from planetfall.engine.watch import RUNNING, look_at_points, watch
from planetfall.outcome import Outcome

STEP_REFUSED = wp.constant(int(Outcome.step_refused))
MAX_ATTEMPTS = 100
"""Trials of one step before the run is given up; a touchdown takes about ten."""


@lru_cache
def accepted_step(assembly: Assembly) -> Any:
    """`@wp.func (t, y, k1, h_limit, params, batch, run) -> Accepted`: tries until a step meets tolerance and events."""
    params, vector = assembly.params, assembly.layout.vector
    batch_type, _ = structs(assembly)
    pair, norm, find = dopri5(assembly), error_norm(assembly), first_switch(assembly)
    trial_step, trial_type = pair.trial, pair.trial_type

    @wp.struct
    class Accepted:
        trial: trial_type
        h: wp.float64  # step taken [s]; 0 when it was given up
        is_switch: wp.int32  # 1 when the step ends just past a switch of modes

    @wp.func
    def accept(
        t: wp.float64, y: vector, k1: vector, h_limit: wp.float64, p: params, batch: batch_type, run: int
    ) -> Accepted:
        out = Accepted()
        attempt = int(0)
        wanted = batch.try_step[run]
        h = wp.min(wanted, h_limit)
        while attempt < wp.static(MAX_ATTEMPTS):
            attempt += 1
            out.trial = trial_step(t, h, y, k1, p, batch.monitors.modes, run)
            error = norm(p.step, h, y, out.trial.error)
            factor = wp.clamp(
                wp.float64(0.9) * wp.pow(wp.max(error, wp.float64(1.0e-10)), wp.float64(-0.2)),
                wp.float64(0.1),
                wp.float64(5.0),
            )
            if error > wp.float64(1.0):
                h = h * wp.min(factor, wp.float64(0.9))
                wanted = h
            else:
                theta = find(h, y, k1, out.trial, p, batch, run)
                if theta == NO_SWITCH or (wp.float64(1.0) - theta) * h <= p.step.location:
                    if h >= wanted:
                        wanted = wp.min(h * factor, p.step.step)
                    batch.try_step[run] = wanted
                    out.h = h
                    if theta != NO_SWITCH:
                        out.is_switch = 1
                    return out
                # aim just past the switch, so that the next trial brackets it closely
                h = theta * h + wp.float64(0.5) * p.step.location
        return out

    return accept, Accepted


@lru_cache
def between_steps(assembly: Assembly) -> Any:
    """`@wp.func (t, y, k1, h, trial, params, batch, record, run)`: peaks and frames inside an accepted step.

    A frame on a tick of the record is a step of its own from the step's start, so that it has the method's accuracy and
    leaves the trajectory alone.
    """
    params, vector, is_recorded = assembly.params, assembly.layout.vector, assembly.is_recorded
    n_slots = 1 + assembly.n_points
    batch_type, record_type = structs(assembly)
    pair, at, look = dopri5(assembly), hermite(vector), look_at_points(assembly)
    trial_step, trial_type = pair.trial, pair.trial_type
    note_frame, normalise = recorder(assembly).frame, assembly.layout.normalise

    @wp.func
    def note(
        t: wp.float64, y: vector, k1: vector, h: wp.float64, trial: trial_type, p: params, batch: batch_type,
        record: record_type, run: int,
    ):  # fmt: skip
        for i in range(1, wp.static(N_SAMPLES)):
            s = wp.float64(i) * SAMPLE_WIDTH
            sample = normalise(at(s, h, y, k1, trial.y, trial.slope))
            look(t + s * h, sample, p, batch.monitors, record, run, 0)
        if wp.static(is_recorded):
            tick = record.tick[run]
            instant = wp.float64(tick) * record.interval
            while instant < t + h:
                side = trial_step(t, instant - t, y, k1, p, batch.monitors.modes, run)
                note_frame(record, batch.monitors, tick * wp.static(n_slots), run, instant, side.y)
                tick += 1
                instant = wp.float64(tick) * record.interval
            record.tick[run] = tick

    return note


@lru_cache
def adaptive_kernel(assembly: Assembly) -> Any:
    """Advances every live run by at most `max_steps` accepted steps."""
    params, is_recorded = assembly.params, assembly.is_recorded
    batch_type, record_type = structs(assembly)
    rate = derivative(assembly)
    next_break = assembly.force_set.next_break
    accept, _ = accepted_step(assembly)
    note_between, note_event = between_steps(assembly), recorder(assembly).event
    status_after, status_at_end = watch(assembly)

    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def advance(
        batch: batch_type, p: params, record: record_type, live: wp.array(dtype=wp.int32), max_steps: int, max_events: int
    ):
        run = live[wp.tid()]
        y = batch.state[run]
        t = batch.time[run]
        k1 = batch.slope[run]
        has_slope = batch.has_slope[run]
        n = batch.steps[run]
        status = RUNNING
        last = n + max_steps
        while n < last and status == RUNNING:
            t_break = wp.min(next_break(p.forces, t), p.step.duration)
            h_limit = t_break - t
            if has_slope == 0:
                k1 = rate(t, t + wp.min(batch.try_step[run], h_limit) * wp.float64(0.5), y, p, batch.monitors.modes, run)
            taken = accept(t, y, k1, h_limit, p, batch, run)
            if taken.h == wp.float64(0.0):
                status = STEP_REFUSED
                note_event(record, run, t, EVENT_STEP_REFUSED, -1, batch.try_step[run])
            else:
                note_between(t, y, k1, taken.h, taken.trial, p, batch, record, run)
                has_slope = 1
                if taken.h == h_limit:
                    t = t_break
                    has_slope = 0
                else:
                    t = t + taken.h
                if taken.is_switch == 1:
                    has_slope = 0
                y = taken.trial.y
                k1 = taken.trial.slope
                n += 1
                status = status_after(t, y, p, batch.monitors, record, run)
            if wp.static(is_recorded):
                if record.event_count[run] > max_events:
                    last = n
            if status == RUNNING and t >= p.step.duration:
                status = status_at_end(t, y, p, batch.monitors, record, run)
        batch.state[run] = y
        batch.time[run] = t
        batch.slope[run] = k1
        batch.has_slope[run] = has_slope
        batch.steps[run] = n
        batch.status[run] = status

    return advance
