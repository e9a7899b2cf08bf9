"""Where an adaptive run creeps along a jump of the force, its tolerance is taken larger until it gets ahead again.

Below a ridge, and in the corner of ground and rock, the force jumps from one normal to another; friction that sets in
at a tiny speed does so where motion turns about. A point that each side
drives to the other goes along the jump (a sliding mode, Filippov1988). No smooth branch leads on there: each step that
crosses the jump errs by its share of it, so that steps are short in proportion to the tolerance. Their errors do not
add up, as the next crossing goes the other way, and what is left of them is of the size of one step's. So a tolerance
that is ten times larger takes such a piece in a tenth of the steps and costs little.

A slow run is told from one along a jump by trying: where motion is smooth a tolerance ten times larger gives steps that
are 1.6 times longer, and where it is stiff none that are. A thousand steps are tried; if they do not lead several times
as far as those before, the tolerance is as asked again.

A point that crosses a jump to and fro ever faster, before it goes along it, takes some sixteen steps from crossing to
crossing, and a tolerance ten times larger saves one of them: only one that is larger than the crossings themselves
pays. So each trial that did not pay is followed, after a pause, by one with a hundred times its tolerance, which has
to lead farther by what smooth motion would gain as well.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.solver.termination import RUNNING
from planetfall.engine.state.batch import EVENT_LOOSENED, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly

WINDOW = 1_000
"""Accepted steps, in a row, over which the pace is judged (assumed)."""
CREEP = wp.constant(wp.float64(1.0e-3))
"""Of the time sqrt(L/g) in which the vehicle tips over: a window that leads less far ahead is slow (assumed)."""
FAR_OFF = wp.constant(wp.float64(4.0))
"""A trial whose error is so many times the tolerance has met a jump that was not foreseen (assumed)."""
MANY = wp.constant(WINDOW // 2)
"""Such trials in a window that tell of a jump (assumed; found along jumps 870 to 1,380, and 211 at most elsewhere)."""
CREEP_BY_JUMP = wp.constant(wp.float64(0.1))
"""Of sqrt(L/g), where a window has that many of them, or a larger tolerance paid (assumed)."""
LOOSER = wp.constant(wp.float64(10.0))
"""Times which the tolerance is taken."""
LOOSEST = wp.constant(wp.float64(1.0e-5))
"""Tolerance that is not exceeded (assumed): of the vehicle's size, a hundredth of a millimetre to a metre."""
ROUNDED = wp.constant(wp.float64(1.0 + 1e-12))
"""Of a tolerance that is the loosest but for rounding."""
PAID = wp.constant(wp.float64(3.0))
"""Times as far that the next window has to lead (assumed): between the 1.6 of smooth motion and the 10 of a jump."""
BOLDER = wp.constant(wp.float64(100.0))
"""Times which the next trial takes the tolerance larger than one that did not pay (assumed)."""
SMOOTH = wp.constant(wp.float64(1.59))
"""Times as far that smooth motion gets with ten times the tolerance: 10^(1/5)."""
IS_OVER = wp.constant(wp.float64(100.0))
"""Times as far, beyond which the jump has been left (assumed)."""
PAUSE = wp.constant(wp.float64(20.0))
"""Windows after a trial that did not pay, without another, once the loosest tolerance was tried (assumed)."""
SHORT_PAUSE = wp.constant(wp.float64(5.0))
"""The same before a bolder trial (assumed): three fit well into a window of `solver.stall`."""
JUDGED = wp.constant(-1)
"""In place of a number of trials, between the judgement and the first step of the next window."""


@wp.func
def smooth_gain(times: wp.float64) -> wp.float64:
    """How many times as far smooth motion gets with so many times the tolerance, over what it gets with ten times."""
    gain = wp.float64(1.0)
    left = times / LOOSER
    while left > wp.float64(1.5):
        gain = gain * SMOOTH
        left = left / LOOSER
    return gain


@lru_cache
def pace_judge(assembly: Assembly) -> Any:
    """`@wp.func (t, steps, y, status, params, batch, record, run)`: loosens the tolerance of a run that creeps.

    After every evaluation; it may be called twice at the same step. It goes by steps and trials alone, so that neither
    chunks nor a change of device have a say. `pace_before` is how far the window led [s] after which the tolerance was
    last taken larger, 0 where it is as asked, and minus the windows left of a pause; `pace_reach` is how many times
    larger the next trial takes it.
    """
    params, vector, (batch_type, record_type) = assembly.params, assembly.layout.vector, structs(assembly)
    note_event = recorder(assembly).event

    @wp.func
    def tell(
        t: wp.float64, looseness: wp.float64, y: wp.ref[vector], p: wp.ref[params], batch: wp.ref[batch_type],
        record: wp.ref[record_type], run: int,
    ):  # fmt: skip
        if looseness > batch.loosest[run]:
            batch.loosest[run] = looseness
            note_event(record, run, t, EVENT_LOOSENED, -1, looseness * p.step.tolerance, wp.vec3d(y[0], y[1], y[2]))

    @wp.func
    def judge(
        t: wp.float64, n: int, y: wp.ref[vector], status: wp.int32, p: wp.ref[params], batch: wp.ref[batch_type],
        record: wp.ref[record_type], run: int,
    ):  # fmt: skip
        place = n % wp.static(WINDOW)
        zero = wp.float64(0.0)
        if place == 1:
            batch.pace_start[run] = t
            batch.n_far_off[run] = 0
        if place == 0 and n > 0 and status == RUNNING and batch.n_far_off[run] >= 0:
            led = t - batch.pace_start[run]
            before = batch.pace_before[run]
            looseness = batch.looseness[run]
            has_paid = before > zero and led >= PAID * before
            if has_paid:
                tell(t, looseness, y, p, batch, record, run)
            if before > zero and not has_paid:
                boldest = LOOSEST / p.step.tolerance
                before = wp.where(batch.pace_reach[run] < boldest, -SHORT_PAUSE, -PAUSE)
                batch.pace_reach[run] = wp.min(BOLDER * batch.pace_reach[run], boldest)
                looseness = wp.float64(1.0)
            elif before > zero and led > IS_OVER * before:
                batch.pace_reach[run] = LOOSER
                looseness = wp.float64(1.0)
                before = zero
            elif before < zero:
                before += wp.float64(1.0)
            is_along = before > zero
            share = wp.where(is_along or batch.n_far_off[run] >= MANY, CREEP_BY_JUMP, CREEP)
            is_slow = led * p.step.speed < share * p.step.length
            larger = wp.where(is_along, LOOSER * looseness, batch.pace_reach[run])
            if before >= zero and is_slow and larger * p.step.tolerance <= ROUNDED * LOOSEST:
                before = led * smooth_gain(larger / looseness)
                looseness = larger
                if looseness > LOOSER:
                    tell(t, looseness, y, p, batch, record, run)
            batch.looseness[run] = looseness
            batch.pace_before[run] = before
            batch.n_far_off[run] = JUDGED

    return judge
