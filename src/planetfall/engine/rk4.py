"""The classical Runge-Kutta method of order 4 with a fixed step, as the papers use it.

Contact is judged in every stage, so the order is 4 on smooth arcs and about 1 through a touchdown. The last step of a
run is cut to end on `duration`.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import ContactMemory
from planetfall.engine.assembly import Assembly
from planetfall.engine.batch import EVENT_CONTROLLER_ERROR, structs
from planetfall.engine.dynamics import derivative, look_at
from planetfall.engine.layout_sizes import WORK_ANCHOR
from planetfall.engine.lines import cut_lines
from planetfall.engine.nearness import strayed, use_up
from planetfall.engine.propulsion import flame_out
from planetfall.engine.recorder import recorder
from planetfall.engine.sensing import sense
from planetfall.engine.steering import ask, obey
from planetfall.engine.watch import CONTROLLER_ERROR, DIVERGED, RUNNING, watch
from planetfall.flight.commands import FAULT_NONE

TIME_SLACK = wp.constant(wp.float64(1.0e-9))
"""Fractions of a step that do not count when instants are compared: n * step is not exact."""


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    asm volatile("barrier.sync 0;");
#endif
    """
)
def wait_for_block():
    """Threads of a block that are still at work go on together: they share what the instruction cache holds."""
    ...


@lru_cache
def rk4_step(assembly: Assembly) -> Any:
    """`@wp.func (t, h, y, slope, params, memory, run)`: takes y on by h; `slope`, that at the start, is used up."""
    params, lay, rate = assembly.params, assembly.layout, derivative(assembly)
    vector, normalise, stride = lay.vector, lay.normalise, lay.stride
    passes_over, stray, has_view = assembly.passes_over, strayed(assembly), assembly.terrain.view is not None

    @wp.func
    def step(
        t: wp.float64, h: wp.float64, y: wp.ref[vector], slope: wp.ref[vector], p: wp.ref[params],
        memory: ContactMemory, run: int,
    ):  # fmt: skip
        half = h * wp.float64(0.5)
        mid = t + half
        k = slope
        then = vector()
        seen = memory
        reach = half
        weight = wp.float64(2.0)
        stage = int(0)
        while stage < 3:  # a loop, not three calls: code that fits the instruction cache runs faster
            if wp.static(has_view):
                wait_for_block()
            if stage == 2:
                reach = h
                weight = wp.float64(1.0)
            if wp.static(passes_over):
                seen.strayed = stray(p, y, k, reach)
            stride(then, y, k, reach)
            rate(k, t + reach, mid, then, p, seen, run)
            stride(slope, slope, k, weight)
            stage += 1
        stride(y, y, slope, h / wp.float64(6.0))
        normalise(y)

    return step


@lru_cache
def rk4_advance(assembly: Assembly) -> Any:
    """`@wp.func (batch, params, record, run, max_steps, max_events)`: looks at a run's state and steps on."""
    params, is_recorded, n_slots = assembly.params, assembly.is_recorded, 1 + assembly.n_points
    books, booking = assembly.books, assembly.layout.work_offset + WORK_ANCHOR
    batch_type, record_type = structs(assembly)
    look_now, step = look_at(assembly), rk4_step(assembly)
    status_now, note_frame = watch(assembly), recorder(assembly).frame
    has_sensors, take_samples = bool(assembly.sensors), sense(assembly)
    has_tethers, cut = assembly.n_tethers > 0, cut_lines(assembly)
    is_flown, ask_controller, take_commands = assembly.flight.is_flown, ask(assembly), obey(assembly)
    has_engines, starve, body_state = assembly.n_engines > 0, flame_out(assembly), assembly.layout.body
    note_event = recorder(assembly).event
    keeps_list, use_room, n_bodies = assembly.keeps_list, use_up(assembly), assembly.n_bodies
    has_view = assembly.terrain.view is not None

    @wp.func
    def advance(batch: batch_type, p: wp.ref[params], record: record_type, run: int, max_steps: int, max_events: int):
        y = batch.state[run]
        t = batch.time[run]
        n = batch.steps[run]
        status = RUNNING
        last = n + max_steps
        if wp.static(keeps_list):  # what changed between launches may have come nearer
            for b in range(wp.static(n_bodies)):
                batch.monitors.memory.room[b, run] = wp.float64(0.0)
        while n < last and status == RUNNING:
            if wp.static(has_view):
                wait_for_block()
            tick = wp.int32(-1)
            if wp.static(is_recorded):
                if t >= wp.float64(record.tick[run]) * record.interval - TIME_SLACK * p.step.step:
                    tick = wp.int32(t / record.interval + TIME_SLACK)
                    record.tick[run] = tick + 1
            h = p.step.step
            t_next = wp.float64(n + 1) * h
            if t_next > p.step.duration - TIME_SLACK * h:
                t_next = p.step.duration
                h = t_next - t
            if wp.static(is_flown):
                if batch.commands.pending[run] == 1:
                    take_commands(t, y, p, batch.commands, run)
            if wp.static(has_engines):
                starve(y, p)
            look = look_now(t, t + h * wp.float64(0.5), y, p, batch.monitors, record, run, 1)
            if wp.static(books):
                y[booking] += look.booked
            status = status_now(t, y, p, batch.monitors, record, run, look)
            if wp.static(is_flown):
                if status == RUNNING and batch.commands.fault[run] != FAULT_NONE:
                    note_event(record, run, t, EVENT_CONTROLLER_ERROR, -1, t, body_state(y, 0).position)
                    status = CONTROLLER_ERROR
            if wp.static(has_sensors):
                if status != DIVERGED:
                    take_samples(t, y, look.slope, p, batch.sensing, record, run)
            if wp.static(is_flown):
                if status == RUNNING:
                    if ask_controller(t, p, batch.sensing, batch.commands, run) == 1:
                        last = n + 1
            if tick >= 0:
                note_frame(record, batch.monitors, tick * wp.static(n_slots), run, t, y)
            if wp.static(is_recorded):
                if record.event_count[run] > max_events:
                    last = n + 1
            if status == RUNNING:
                if wp.static(has_tethers):
                    cut(t, y, p)
                if wp.static(keeps_list):
                    before = y
                    step(t, h, y, look.slope, p, batch.monitors.memory, run)
                    use_room(p, before, y, batch.monitors.memory, run)
                else:
                    step(t, h, y, look.slope, p, batch.monitors.memory, run)
                t = t_next
                n += 1
        batch.state[run] = y
        batch.time[run] = t
        batch.steps[run] = n
        batch.status[run] = status

    return advance
