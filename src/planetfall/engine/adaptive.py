"""The adaptive kernel: error control, event location, long strides in free flight.

Only accepted steps are counted, and the step size is kept between chunks, so that results do not depend on how a run is
cut into chunks.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.assembly import Assembly
from planetfall.engine.batch import EVENT_STEP_REFUSED, structs
from planetfall.engine.dopri5 import dopri5, error_norm
from planetfall.engine.dynamics import look_at
from planetfall.engine.momentum import next_break
from planetfall.engine.recorder import recorder
from planetfall.engine.sensing import TIME_SLACK, sense
from planetfall.engine.switches import N_SAMPLES, NO_SWITCH, SAMPLE_WIDTH, first_switch, hermite
from planetfall.engine.watch import DIVERGED, RUNNING, watch
from planetfall.outcome import Outcome

STEP_REFUSED = wp.constant(int(Outcome.step_refused))
ROUNDINGS = wp.constant(wp.float64(16 * 2.0**-52))
"""How closely a place is known, relative to its distance from the origin: nearer than this nothing is located."""
MAX_ATTEMPTS = 100
"""Trials of one step before the run is given up; a touchdown takes about ten."""


@wp.func
def step_factor(error: wp.float64) -> wp.float64:
    """By how much to change the step: 0.9 error^(-3/16), from a tenth to five times.

    The exponent is a little below 1/5 and takes four square roots: they are exact to the last bit on every device, as a
    power is not, so that a run takes the same steps on a CPU and on a GPU.
    """
    eighth = wp.sqrt(wp.sqrt(wp.sqrt(wp.max(error, wp.float64(1.0e-10)))))
    return wp.clamp(wp.float64(0.9) / (eighth * wp.sqrt(eighth)), wp.float64(0.1), wp.float64(5.0))


@lru_cache
def locating(assembly: Assembly) -> Any:
    """`@wp.func (y, slope, wanted step, params) -> how closely a switch is bracketed [s]`.

    At least the time in which the first body moves by some roundings of its position: in less, far from the origin, a
    slow vehicle would not move at all, and stand before the same edge of the ground for ever. At most a tenth of the
    step that the errors allow.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body

    @wp.func
    def closeness(y: vector, slope: vector, wanted: wp.float64, p: params) -> wp.float64:
        state = body_state(y, 0)
        blur = ROUNDINGS * wp.length(state.position)
        pace = wp.length(state.velocity) + wp.length(state.omega_B) * p.step.length
        push = wp.length(wp.vec3d(slope[3], slope[4], slope[5]))
        turn = wp.length(wp.vec3d(slope[10], slope[11], slope[12]))
        gained = wp.sqrt(wp.float64(2.0) * blur * (push + turn * p.step.length))
        if blur > (pace + gained) * p.step.location:
            allowed = wp.max(wp.float64(0.1) * wanted, p.step.location)
            return allowed if blur > (pace + gained) * allowed else blur / (pace + gained)
        return p.step.location

    return closeness


@lru_cache
def accepted_step(assembly: Assembly) -> Any:
    """`@wp.func (t, y, k1, t_break, params, batch, run) -> Accepted`: tries until a step meets tolerance and events."""
    params, vector = assembly.params, assembly.layout.vector
    batch_type, _ = structs(assembly)
    pair, norm, find = dopri5(assembly), error_norm(assembly), first_switch(assembly)
    trial_step, trial_type, closeness = pair.trial, pair.trial_type, locating(assembly)

    @wp.struct
    class Accepted:
        trial: trial_type
        h: wp.float64  # step taken [s]; 0 when it was given up

    @wp.func
    def accept(
        t: wp.float64, y: vector, k1: vector, t_break: wp.float64, p: params, batch: batch_type, run: int
    ) -> Accepted:
        out = Accepted()
        attempt = int(0)
        wanted = batch.try_step[run]
        h = wp.min(wanted, t_break - t)
        branch = (t + t_break) * wp.float64(0.5)
        location = closeness(y, k1, wanted, p)
        while attempt < wp.static(MAX_ATTEMPTS):
            attempt += 1
            out.trial = trial_step(t, h, branch, y, k1, p, batch.monitors.memory, run)
            error = norm(p.step, h, y, out.trial.error)
            factor = step_factor(error)
            if error > wp.float64(1.0):
                h = h * wp.min(factor, wp.float64(0.9))
                wanted = h
            else:
                theta = find(h, location, y, k1, out.trial, p, batch, run)
                if theta == NO_SWITCH or (wp.float64(1.0) - theta) * h <= location:
                    if h >= wanted:
                        wanted = wp.min(h * factor, p.step.step)
                    batch.try_step[run] = wanted
                    out.h = h
                    return out
                # aim just past the switch, so that the next trial brackets it closely
                h = theta * h + wp.float64(0.5) * location
        return out

    return accept


@lru_cache
def between_steps(assembly: Assembly) -> Any:
    """`@wp.func (t, t_break, y, k1, h, trial, params, batch, record, run, loaded)`: peaks and frames inside a step.

    Without a `loaded` point a single body has no peaks to look for. A frame on a tick of the record is a step of its
    own from the step's start, so that it has the method's accuracy and leaves the trajectory alone.
    """
    params, vector, is_recorded = assembly.params, assembly.layout.vector, assembly.is_recorded
    n_slots, is_alone = 1 + assembly.n_points, assembly.n_bodies == 1
    batch_type, record_type = structs(assembly)
    pair, at, look = dopri5(assembly), hermite(vector), look_at(assembly)
    trial_step, trial_type = pair.trial, pair.trial_type
    note_frame, normalise = recorder(assembly).frame, assembly.layout.normalise

    @wp.func
    def note(
        t: wp.float64, t_break: wp.float64, y: vector, k1: vector, h: wp.float64, trial: trial_type, p: params,
        batch: batch_type, record: record_type, run: int, loaded: int,
    ):  # fmt: skip
        branch = (t + t_break) * wp.float64(0.5)
        i = int(1)
        if wp.static(is_alone):
            if loaded == 0:
                i = int(wp.static(N_SAMPLES))
        while i < wp.static(N_SAMPLES):
            s = wp.float64(i) * SAMPLE_WIDTH
            sample = normalise(at(s, h, y, k1, trial.y, trial.slope))
            look(t + s * h, branch, sample, p, batch.monitors, record, run, 0)
            i += 1
        if wp.static(is_recorded):
            tick = record.tick[run]
            instant = wp.float64(tick) * record.interval
            while instant < t + h:
                side = trial_step(t, instant - t, branch, y, k1, p, batch.monitors.memory, run)
                note_frame(record, batch.monitors, tick * wp.static(n_slots), run, instant, side.y)
                tick += 1
                instant = wp.float64(tick) * record.interval
            record.tick[run] = tick

    return note


@lru_cache
def samples_along(assembly: Assembly) -> Any:
    """`@wp.func (t, t_break, y, k1, h, params, batch, record, run)`: samples from t to before t + h, or at t if h = 0.

    Like a frame, a sample inside the step is a step of its own from its start.
    """
    params, vector = assembly.params, assembly.layout.vector
    batch_type, record_type = structs(assembly)
    trial_step, take_samples = dopri5(assembly).trial, sense(assembly)

    @wp.func(inline=False)  # called from two places
    def sample(
        t: wp.float64, t_break: wp.float64, y: vector, k1: vector, h: wp.float64, p: params, batch: batch_type,
        record: record_type, run: int,
    ):  # fmt: skip
        branch = (t + t_break) * wp.float64(0.5)
        due = batch.sensing.due[run]
        while due <= t * TIME_SLACK or due < t + h:
            instant = wp.max(due, t)
            y_then = y
            slope_then = k1
            if instant > t * TIME_SLACK:
                side = trial_step(t, instant - t, branch, y, k1, p, batch.monitors.memory, run)
                y_then = side.y
                slope_then = side.slope
            take_samples(instant, y_then, slope_then, p, batch.sensing, record, run)
            due = batch.sensing.due[run]

    return sample


@lru_cache
def adaptive_advance(assembly: Assembly) -> Any:
    """`@wp.func (batch, params, record, run, max_steps, max_events)`: looks at a run's state and steps on."""
    params, is_recorded = assembly.params, assembly.is_recorded
    batch_type, record_type = structs(assembly)
    look_now, status_now = look_at(assembly), watch(assembly)
    accept, first_break = accepted_step(assembly), next_break(assembly)
    note_between, note_event = between_steps(assembly), recorder(assembly).event
    has_sensors, sample_along = bool(assembly.sensors), samples_along(assembly)

    @wp.func
    def advance(batch: batch_type, p: params, record: record_type, run: int, max_steps: int, max_events: int):
        y = batch.state[run]
        t = batch.time[run]
        n = batch.steps[run]
        status = RUNNING
        last = n + max_steps
        while n < last and status == RUNNING:
            t_break = wp.min(first_break(p, t), p.step.duration)
            look = look_now(t, (t + t_break) * wp.float64(0.5), y, p, batch.monitors, record, run, 1)
            status = status_now(t, y, p, batch.monitors, record, run, look)
            if wp.static(is_recorded):
                if record.event_count[run] > max_events:
                    last = n + 1
            if status == RUNNING:
                taken = accept(t, y, look.slope, t_break, p, batch, run)
                if taken.h == wp.float64(0.0):
                    status = STEP_REFUSED
                    position = wp.vec3d(y[0], y[1], y[2])
                    note_event(record, run, t, EVENT_STEP_REFUSED, -1, batch.try_step[run], position)
                else:
                    note_between(t, t_break, y, look.slope, taken.h, taken.trial, p, batch, record, run, look.loaded)
                    if wp.static(has_sensors):
                        sample_along(t, t_break, y, look.slope, taken.h, p, batch, record, run)
                    y = taken.trial.y
                    n += 1
                    if taken.h == t_break - t:
                        t = t_break
                    else:
                        t = t + taken.h
            if wp.static(has_sensors):
                if status != RUNNING and status != DIVERGED:
                    sample_along(t, t_break, y, look.slope, wp.float64(0.0), p, batch, record, run)
        batch.state[run] = y
        batch.time[run] = t
        batch.steps[run] = n
        batch.status[run] = status

    return advance
