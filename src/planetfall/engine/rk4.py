"""The classical Runge-Kutta method of order 4 with a fixed step, as the papers use it.

Contact is judged in every stage, so the order is 4 on smooth arcs and about 1 through a touchdown. The last step of a
run is cut to end on `duration`.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.assembly import Assembly
from planetfall.engine.batch import structs
from planetfall.engine.dynamics import derivative
from planetfall.engine.recorder import recorder
from planetfall.engine.watch import RUNNING, watch


@lru_cache
def rk4_step(assembly: Assembly) -> Any:
    """`@wp.func (t, h, y, params, modes, run) -> y(t + h)`."""
    params, vector, normalise = assembly.params, assembly.layout.vector, assembly.layout.normalise
    rate = derivative(assembly)

    @wp.func
    def step(
        t: wp.float64, h: wp.float64, y: vector, p: params, modes: wp.array2d(dtype=wp.int32), run: int
    ) -> vector:
        half = h * wp.float64(0.5)
        mid = t + half
        k1 = rate(t, mid, y, p, modes, run)
        k2 = rate(mid, mid, y + k1 * half, p, modes, run)
        k3 = rate(mid, mid, y + k2 * half, p, modes, run)
        k4 = rate(t + h, mid, y + k3 * h, p, modes, run)
        return normalise(y + (k1 + (k2 + k3) * wp.float64(2.0) + k4) * (h / wp.float64(6.0)))

    return step


@lru_cache
def rk4_kernel(assembly: Assembly) -> Any:
    """Advances every live run by at most `max_steps` steps."""
    params, is_recorded, n_slots = assembly.params, assembly.is_recorded, 1 + assembly.n_points
    batch_type, record_type = structs(assembly)
    step, note_frame = rk4_step(assembly), recorder(assembly).frame
    status_after, status_at_end = watch(assembly)

    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def advance(
        batch: batch_type, p: params, record: record_type, live: wp.array(dtype=wp.int32), max_steps: int, max_events: int
    ):
        run = live[wp.tid()]
        y = batch.state[run]
        t = batch.time[run]
        n = batch.steps[run]
        status = RUNNING
        last = n + max_steps
        while n < last and status == RUNNING:
            h = p.step.step
            t_next = wp.float64(n + 1) * h
            if t_next > p.step.duration - wp.float64(1.0e-9) * h:
                t_next = p.step.duration
                h = t_next - t
            y = step(t, h, y, p, batch.monitors.modes, run)
            t = t_next
            n += 1
            status = status_after(t, y, p, batch.monitors, record, run)
            if wp.static(is_recorded):
                tick = record.tick[run]
                if t >= wp.float64(tick) * record.interval - wp.float64(1.0e-9) * h:
                    tick = wp.int32(t / record.interval + wp.float64(1.0e-9))
                    note_frame(record, batch.monitors, tick * wp.static(n_slots), run, t, y)
                    record.tick[run] = tick + 1
                if record.event_count[run] > max_events:
                    last = n
            if status == RUNNING and t >= p.step.duration:
                status = status_at_end(t, y, p, batch.monitors, record, run)
        batch.state[run] = y
        batch.time[run] = t
        batch.steps[run] = n
        batch.status[run] = status

    return advance
