"""The classical Runge-Kutta method of order 4 with a fixed step, as the papers use it.

Contact is judged in every stage, so the order is 4 on smooth arcs and about 1 through a touchdown. The last step of a
run is cut to end on `duration`.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import ContactMemory
from planetfall.engine.contact.broad_phase import stage_travel, use_up
from planetfall.engine.control.commands import controller_call, is_due, next_call, obey
from planetfall.engine.control.sensor_sampling import sense
from planetfall.engine.mechanisms.chain import all_mechanisms
from planetfall.engine.motion.equations import derivative
from planetfall.engine.motion.evaluation import monitored_rates, slope_at
from planetfall.engine.solver.end_altitude import step_to_altitude
from planetfall.engine.solver.energy_rise import energy_monitor
from planetfall.engine.solver.events.mechanism_events import after_step_of_bodies
from planetfall.engine.solver.stall import STEP_REFUSED
from planetfall.engine.solver.termination import CONTROLLER_ERROR, DIVERGED, RUNNING, termination
from planetfall.engine.state.batch import EVENT_CONTROLLER_ERROR, EVENT_STEP_REFUSED, evaluation_struct, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.flight.commands import FAULT_NONE

OBEY_FIRST = wp.constant(2)
"""Between steps: the controller was called, and its commands are taken up before the next step."""
TIME_SLACK = wp.constant(wp.float64(1.0e-9))
"""Fractions of a step that do not count when instants are compared: n * step is not exact."""


@lru_cache
def rk4_advance(assembly: Assembly) -> Any:
    """`@wp.func (batch, params, record, run, max_steps, max_events)`: evaluates a run's state and steps on."""
    params, is_recorded = assembly.params, assembly.is_recorded
    batch_type, record_type = structs(assembly)
    evaluate_and_step = one_code(assembly) if assembly.plan.monitors_in_stages else two_codes(assembly)
    is_flown, take_commands = assembly.flight.is_flown, obey(assembly)
    change_before_step = all_mechanisms(assembly, "before_step")
    changes, change_after_step = assembly.changes_after_steps, after_step_of_bodies(assembly)
    has_steps, call_after = assembly.flight.has_steps, next_call(assembly)
    keeps_list, n_bodies, has_end_altitude = (
        assembly.plan.monitors_in_stages,
        assembly.n_bodies,
        assembly.has_end_altitude,
    )

    @wp.func
    def advance(
        batch: wp.ref[batch_type],
        p: wp.ref[params],
        record: wp.ref[record_type],
        run: int,
        max_steps: int,
        max_events: int,
    ):
        y = batch.state[run]
        t = batch.time[run]
        n = batch.steps[run]
        status = RUNNING
        last = n + max_steps
        if wp.static(keeps_list):  # what changed between launches may have come nearer
            for b in range(wp.static(n_bodies)):
                batch.monitors.memory.clearance[b, run] = wp.float64(0.0)
        while n < last and status == RUNNING:
            tick = wp.int32(-1)
            if wp.static(is_recorded):
                if t >= wp.float64(record.tick[run]) * record.interval - TIME_SLACK * p.step.step:
                    tick = wp.int32(t / record.interval + TIME_SLACK)
                    record.tick[run] = tick + 1
            h = p.step.step
            t_next = wp.float64(n + 1) * h
            if wp.static(has_steps):  # steps of the phase, the last of which ends on the next call of the controller
                h = wp.min(h, batch.commands.step[run])
                t_next = wp.min(t + h, call_after(t, p, batch.commands, run))
                if call_after(t, p, batch.commands, run) - t_next < TIME_SLACK * h:
                    t_next = call_after(t, p, batch.commands, run)
                h = t_next - t
            if t_next > p.step.duration - TIME_SLACK * h:
                t_next = p.step.duration
                h = t_next - t
            if wp.static(is_flown):
                if batch.commands.pending[run] == 1:
                    take_commands(t, y, p, batch.commands, run)
            change_before_step(y, p.mechanisms)
            if wp.static(changes):
                change_after_step(y, p, t)
            done = evaluate_and_step(t, h, y, p, batch, record, run, tick, max_events)
            status = done[0]
            if done[1] == 1:
                last = n + 1
            if status == RUNNING and done[1] != OBEY_FIRST:
                if wp.static(has_end_altitude):  # a step that ends a descent is shorter
                    t_next = t_next - (h - batch.try_step[run])
                t = t_next
                n += 1
        batch.state[run] = y
        batch.time[run] = t
        batch.steps[run] = n
        batch.status[run] = status

    return advance


@lru_cache
def two_codes(assembly: Assembly) -> Any:
    """`@wp.func (t, h, y, params, batch, record, run, tick, max_events) -> (status, is_last)`, as `between_steps` says.

    Evaluates y and, if the run goes on, takes it on by h. The evaluation and the stages have code of their own: that of
    the stages is short, and a CPU vectorises it.
    """
    params, vector, (batch_type, record_type) = assembly.params, assembly.layout.vector, structs(assembly)
    evaluate_now, settle, rate = monitored_rates(assembly), between_steps(assembly), derivative(assembly)
    normalise, add_scaled = assembly.layout.normalise, assembly.layout.add_scaled
    passes_over, travel_of, has_end_altitude = (
        assembly.plan.passes_over,
        stage_travel(assembly),
        assembly.has_end_altitude,
    )

    @wp.func
    def step(
        t: wp.float64, h: wp.float64, y: wp.ref[vector], slope: wp.ref[vector], p: wp.ref[params],
        memory: wp.ref[ContactMemory], run: int,
    ):  # fmt: skip
        """Takes y on by h; `slope`, that at the start, is used up."""
        half = h * wp.float64(0.5)
        mid = t + half
        k = slope
        then = vector()
        memory_then = memory
        reach = half
        weight = wp.float64(2.0)
        stage = int(0)
        while stage < 3:  # a loop, not three calls: code that fits the instruction cache runs faster
            if stage == 2:
                reach = h
                weight = wp.float64(1.0)
            if wp.static(passes_over):
                memory_then.stage_travel = travel_of(p, y, k, reach)
            add_scaled(then, y, k, reach)
            rate(k, t + reach, mid, then, p, memory_then, run)
            add_scaled(slope, slope, k, weight)
            stage += 1
        add_scaled(y, y, slope, h / wp.float64(6.0))
        normalise(y)

    step_down = step_to_altitude(assembly, step)

    @wp.func
    def evaluate_and_step(
        t: wp.float64, h: wp.float64, y: wp.ref[vector], p: wp.ref[params], batch: wp.ref[batch_type],
        record: wp.ref[record_type], run: int, tick: wp.int32, max_events: int,
    ) -> wp.vec2i:  # fmt: skip
        evaluation = evaluate_now(t, t + h * wp.float64(0.5), y, p, batch.monitors, record, run)
        done = settle(t, y, p, batch, record, run, tick, max_events, evaluation)
        if done[0] == RUNNING and done[1] != OBEY_FIRST:
            if wp.static(has_end_altitude):
                batch.try_step[run] = step_down(t, h, y, evaluation.slope, p, batch.monitors.memory, run)
            else:
                step(t, h, y, evaluation.slope, p, batch.monitors.memory, run)
        return done

    return evaluate_and_step


@lru_cache
def one_code(assembly: Assembly) -> Any:
    """The same with one code: the evaluation is the first of four stages, that in which monitors are written.

    On a GPU, code that fits the instruction cache runs faster.
    """
    params, vector, (batch_type, record_type) = assembly.params, assembly.layout.vector, structs(assembly)
    find_slope, settle, evaluation_type = slope_at(assembly), between_steps(assembly), evaluation_struct(vector)
    normalise, add_scaled, travel_of = assembly.layout.normalise, assembly.layout.add_scaled, stage_travel(assembly)
    use_clearance, may_crash, has_end_altitude = use_up(assembly), assembly.may_crash, assembly.has_end_altitude

    @wp.func
    def evaluate_and_step(
        t: wp.float64, h: wp.float64, y: wp.ref[vector], p: wp.ref[params], batch: wp.ref[batch_type],
        record: wp.ref[record_type], run: int, tick: wp.int32, max_events: int,
    ) -> wp.vec2i:  # fmt: skip
        evaluation = evaluation_type()
        done = wp.vec2i(RUNNING, 0)
        then = y
        slope = vector()
        reach = wp.float64(0.0)
        far = wp.float64(0.0)
        stage = int(0)
        while stage < 4 and done[0] == RUNNING and done[1] != OBEY_FIRST:
            weight = wp.float64(1.0)
            if stage > 0:
                reach = h
                if stage < 3:
                    reach = h * wp.float64(0.5)
                    weight = wp.float64(2.0)
                far = travel_of(p, y, evaluation.slope, reach)
                add_scaled(then, y, evaluation.slope, reach)
            is_monitored = wp.where(stage == 0, 1, 0)
            find_slope(
                evaluation, t + reach, t + h * wp.float64(0.5), then, p, batch.monitors, record, run, far, is_monitored
            )
            add_scaled(slope, slope, evaluation.slope, weight)
            if is_monitored == 1:
                if wp.static(may_crash):
                    y = then  # what a crash has stopped
                done = settle(t, y, p, batch, record, run, tick, max_events, evaluation)
            stage += 1
        if done[0] == RUNNING and done[1] != OBEY_FIRST:
            then = y
            add_scaled(y, y, slope, h / wp.float64(6.0))
            normalise(y)
            use_clearance(p, then, y, batch.monitors.memory, run)
            if wp.static(has_end_altitude):  # over a field a descent ends with the step that passes its height
                batch.try_step[run] = h
        return done

    return evaluate_and_step


@lru_cache
def between_steps(assembly: Assembly) -> Any:
    """`@wp.func (t, y, params, batch, record, run, tick, max_events, evaluation) -> (status, is_last)` between steps.

    The energy account, the outcome, samples, commands and frames; is_last: whether the host is to be called
    before the step after this one, or OBEY_FIRST. Where phases have steps of their own, commands act at the instant of
    the call, as with the adaptive method.
    """
    params, vector, n_slots = assembly.params, assembly.layout.vector, 1 + assembly.n_points
    (batch_type, record_type), evaluation_type = structs(assembly), evaluation_struct(assembly.layout.vector)
    books, booking = assembly.books, assembly.booked_index
    status_now, note_frame, note_event = termination(assembly), recorder(assembly).frame, recorder(assembly).event
    has_sensors, take_samples = bool(assembly.sensors), sense(assembly)
    change_after_frame = all_mechanisms(assembly, "after_frame")
    is_flown, call_controller, is_recorded = assembly.flight.is_flown, controller_call(assembly), assembly.is_recorded
    body_state, note_energy = assembly.layout.body, energy_monitor(assembly)
    has_steps = assembly.flight.has_steps

    @wp.func
    def settle(
        t: wp.float64, y: wp.ref[vector], p: wp.ref[params], batch: wp.ref[batch_type], record: wp.ref[record_type],
        run: int, tick: wp.int32, max_events: int, evaluation: wp.ref[evaluation_type],
    ) -> wp.vec2i:  # fmt: skip
        is_last = wp.int32(0)
        if wp.static(books):
            y[booking] += evaluation.booked
        status = status_now(t, y, p, batch.monitors, record, run, evaluation)
        if status != DIVERGED:
            note_energy(t, y, p, batch.monitors.energy, run, evaluation, wp.float64(1.0))
        if wp.static(is_flown):
            if status == RUNNING and batch.commands.fault[run] != FAULT_NONE:
                note_event(record, run, t, EVENT_CONTROLLER_ERROR, -1, t, body_state(y, 0).position)
                status = CONTROLLER_ERROR
        if wp.static(has_steps):
            if status == RUNNING and batch.commands.coarse[run] == 1 and evaluation.loaded > 0:
                note_event(record, run, t, EVENT_STEP_REFUSED, -1, batch.commands.step[run], body_state(y, 0).position)
                status = STEP_REFUSED
        is_sampled = status != DIVERGED
        if wp.static(is_flown and has_sensors):
            if batch.sensing.waits[run] == 1 and not is_due(t, p.control_period, batch.commands.tick[run]):
                is_sampled = False
        if wp.static(has_sensors):
            if is_sampled:
                take_samples(t, y, evaluation.slope, p, batch.sensing, record, run)
        if wp.static(is_flown):
            if status == RUNNING:
                if wp.static(has_steps):
                    if is_due(t, p.control_period, batch.commands.tick[run]):
                        is_last = OBEY_FIRST
                        call_controller(t, p, batch.sensing, batch.commands, run)
                else:
                    is_last = call_controller(t, p, batch.sensing, batch.commands, run)
        if tick >= 0:
            note_frame(record, batch.monitors, tick * wp.static(n_slots), run, t, y)
        if wp.static(is_recorded):
            if record.event_count[run] > max_events and is_last != OBEY_FIRST:
                is_last = 1
        if status == RUNNING:
            change_after_frame(y, p.mechanisms, t)
        return wp.vec2i(status, is_last)

    return settle
