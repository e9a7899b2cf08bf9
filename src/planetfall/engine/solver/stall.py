"""Whether an adaptive run still gets anywhere: one that does not is given up instead of holding up all others."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.checks.contact_step import MAX_STEPS
from planetfall.engine.solver.termination import RUNNING
from planetfall.engine.state.batch import EVENT_STEP_REFUSED, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.outcome import Outcome

STEP_REFUSED = wp.constant(int(Outcome.step_refused))
WINDOW = 100_000
"""Accepted steps, in a row, over which progress is judged (assumed): far more than any impact takes."""
LEAST_SHARE = wp.constant(wp.float64(1.0e-6))
"""Of the duration, that a run has to get ahead in so many steps (assumed): slower, it would need 1e11 of them."""
CREEP_SHARE = wp.constant(wp.float64(0.05))
"""The same for a run that does not even get ahead by the time sqrt(L/g) in which its vehicle tips over (assumed)."""


@lru_cache
def progress_judge(assembly: Assembly) -> Any:
    """`@wp.func (t, steps, y, status, params, batch, record, run) -> status`, step_refused where a run has stalled.

    After every evaluation. It counts accepted steps alone, and may be called twice at the same one, so that neither
    chunks nor a change of device have a say.
    """
    params, vector, (batch_type, record_type) = assembly.params, assembly.layout.vector, structs(assembly)
    note_event = recorder(assembly).event

    @wp.func
    def judge(
        t: wp.float64, n: int, y: wp.ref[vector], status: wp.int32, p: wp.ref[params], batch: wp.ref[batch_type],
        record: wp.ref[record_type], run: int,
    ) -> wp.int32:  # fmt: skip
        place = n % wp.static(WINDOW)
        if place == 1:
            batch.window_start[run] = t
        if place > 0 or n == 0 or status != RUNNING:
            return status
        share = wp.min(CREEP_SHARE * p.step.duration, p.step.length / p.step.speed)
        least = wp.max(LEAST_SHARE * p.step.duration, share)
        if n < wp.static(MAX_STEPS) and t - batch.window_start[run] >= least:
            return status
        note_event(record, run, t, EVENT_STEP_REFUSED, -1, batch.try_step[run], wp.vec3d(y[0], y[1], y[2]))
        return STEP_REFUSED

    return judge
