"""Begin and end of a step in split kernels: the evaluation, the trial or coast, and what is kept of a taken step.

All functions of a kernel are `@wp.func (batch, params, common, record, split, run, parity)`: `common` as in
`solver.adaptive`, `parity` of the round, by which its queues and lists are known.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.gpu.batched_queries import ENDS, next_places, querying_for
from planetfall.engine.gpu.split_method import (
    COAST,
    EVALUATE,
    LOCATE,
    SIFT,
    TRY,
    split_struct,
    touching_points,
    trying_again,
)
from planetfall.engine.gpu.work_queues import line_up
from planetfall.engine.mechanisms.chain import all_mechanisms
from planetfall.engine.motion.evaluation import monitored_rates
from planetfall.engine.solver.adaptive import between_steps
from planetfall.engine.solver.coast import coasts
from planetfall.engine.solver.dopri5 import trial_struct
from planetfall.engine.solver.energy_rise import energy_monitor
from planetfall.engine.solver.events.broad_phase_adaptive import broad_phase_lister
from planetfall.engine.solver.stall import progress_judge
from planetfall.engine.solver.termination import DIVERGED, RUNNING, termination
from planetfall.engine.solver.tolerance_relaxation import pace_judge
from planetfall.engine.solver.trial_step import Aim, attempting, first_aim, tried_coast
from planetfall.engine.state.batch import structs
from planetfall.engine.structure.assembly import Assembly


@lru_cache
def evaluating(assembly: Assembly) -> Any:
    """An evaluation between two steps; the next step is tried in the next round."""
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    split_type, touching = split_struct(assembly.layout.vector), touching_points(assembly)
    evaluate_now, status_now = monitored_rates(assembly, assembly.plan.culls), termination(assembly)
    first_break = all_mechanisms(assembly, "next_break")
    begin, judge_progress, is_coasting = first_aim(assembly), progress_judge(assembly), assembly.plan.coasts
    note_energy, judge_pace = energy_monitor(assembly), pace_judge(assembly)
    free_path: Any = coasts(assembly).path if is_coasting else None

    @wp.func
    def evaluate(
        batch: wp.ref[batch_type], p: wp.ref[params], common: wp.ref[params], record: wp.ref[record_type],
        split: split_type, run: int, parity: int,
    ):  # fmt: skip
        y = batch.state[run]
        t = batch.time[run]
        t_break = wp.min(first_break(p.mechanisms, t), p.step.duration)
        if wp.static(is_coasting):
            batch.monitors.path[run] = free_path(common, y, batch.try_step[run], batch.monitors.memory, run)
        found = evaluate_now(t, (t + t_break) * wp.float64(0.5), y, common, batch.monitors, record, run)
        status = status_now(t, y, common, batch.monitors, record, run, found)
        status = judge_progress(t, batch.steps[run], y, status, p, batch, record, run)
        batch.status[run] = status
        if status != DIVERGED:
            note_energy(t, y, p, batch.monitors.energy, run, found, batch.looseness[run])
        judge_pace(t, batch.steps[run], y, status, p, batch, record, run)
        if status == RUNNING:
            split.t_break[run] = t_break
            split.slope[run] = found.slope
            split.loaded[run] = found.loaded
            split.aim[run] = begin(t, y, found.slope, t_break, p, batch, run)
            queue = int(TRY)
            if wp.static(is_coasting):
                if batch.monitors.path[run] > wp.float64(0.0):
                    queue = int(COAST)
            line_up(split.queues, queue + 1 - parity, run, touching(batch, run))

    return evaluate


@lru_cache
def going_on(assembly: Assembly) -> Any:
    """`@wp.func (h, batch, split, run)`: the step of length h is taken; the next one begins with an evaluation."""
    batch_type, split_type = structs(assembly)[0], split_struct(assembly.layout.vector)

    @wp.func
    def go_on(h: wp.float64, batch: wp.ref[batch_type], split: split_type, run: int):
        batch.state[run] = split.queries.end[run]
        batch.steps[run] = batch.steps[run] + 1
        t = batch.time[run]
        t_break = split.t_break[run]
        batch.time[run] = wp.where(h == t_break - t, t_break, t + h)

    return go_on


@lru_cache
def coasting(assembly: Assembly) -> Any:
    """A coast of a run in free flight."""
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    split_type, trial_type = split_struct(assembly.layout.vector), trial_struct(assembly.layout.vector)
    try_coast, go_on, try_again = tried_coast(assembly), going_on(assembly), trying_again(assembly)

    @wp.func
    def coast(
        batch: wp.ref[batch_type], p: wp.ref[params], common: wp.ref[params], record: wp.ref[record_type],
        split: split_type, run: int, parity: int,
    ):  # fmt: skip
        aim = split.aim[run]
        aim.attempts += 1
        y = batch.state[run]
        slope = split.slope[run]
        trial = trial_type()
        if try_coast(batch.time[run], y, slope, split.t_break[run], aim, trial, p, batch, run) == 1:
            split.queries.end[run] = trial.y
            go_on(aim.h, batch, split, run)
            line_up(split.queues, EVALUATE + parity, run, 0)
        else:
            try_again(COAST, aim, batch, split, run, parity)

    return coast


@lru_cache
def keeping_trial(assembly: Assembly) -> Any:
    """`@wp.func (aim, y, slope, trial, common, batch, split, run)`: keeps a trial step that is accurate enough.

    And which points have to be queried at its end.
    """
    params, vector, batch_type = assembly.params, assembly.layout.vector, structs(assembly)[0]
    split_type, trial_type, list_broad_phase = split_struct(vector), trial_struct(vector), broad_phase_lister(assembly)

    @wp.func
    def keep_trial(
        aim: Aim, y: wp.ref[vector], slope: wp.ref[vector], trial: wp.ref[trial_type], common: wp.ref[params],
        batch: wp.ref[batch_type], split: split_type, run: int,
    ):  # fmt: skip
        list_broad_phase(aim.h, y, slope, trial, common, batch, run)
        split.aim[run] = aim
        split.queries.end[run] = trial.y
        split.end_slope[run] = trial.slope
        for word in range(split.queries.candidate_bits.shape[1]):
            split.queries.candidate_bits[run, word] = wp.uint32(0)
            split.queries.off_mode_bits[run, word] = wp.uint32(0)

    return keep_trial


@lru_cache
def trying(assembly: Assembly) -> Any:
    """A trial step; if accurate enough, queries at its end."""
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    split_type, trial_type = split_struct(assembly.layout.vector), trial_struct(assembly.layout.vector)
    try_out, keep_trial = attempting(assembly).try_out, keeping_trial(assembly)
    try_again, query_for = trying_again(assembly), querying_for(assembly)

    @wp.func
    def attempt(
        batch: wp.ref[batch_type], p: wp.ref[params], common: wp.ref[params], record: wp.ref[record_type],
        split: split_type, run: int, parity: int,
    ):  # fmt: skip
        aim = split.aim[run]
        aim.attempts += 1
        y = batch.state[run]
        slope = split.slope[run]
        trial = trial_type()
        is_good = try_out(batch.time[run], y, slope, split.t_break[run], aim, trial, p, common, batch, run)
        if is_good == 1:
            keep_trial(aim, y, slope, trial, common, batch, split, run)
            n = batch.n_listed[run]
            query_for(split.queries.entries, next_places(split.queries.count, ENDS + parity, n), run, n)
            line_up(split.queues, SIFT + parity, run, n)
        else:
            try_again(TRY, aim, batch, split, run, parity)

    return attempt


@lru_cache
def taking(assembly: Assembly) -> Any:
    """A step that is taken, with the evaluation at its end, unless there are peaks inside it to be located."""
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    split_type, accept = split_struct(assembly.layout.vector), attempting(assembly).accept
    has_peaks, go_on, evaluate = between_steps(assembly, is_asked=True), going_on(assembly), evaluating(assembly)

    @wp.func
    def take(
        batch: wp.ref[batch_type], p: wp.ref[params], common: wp.ref[params], record: wp.ref[record_type],
        split: split_type, run: int, parity: int,
    ):  # fmt: skip
        aim = split.aim[run]
        if has_peaks(
            batch.time[run], split.t_break[run], aim.h, batch.state[run], split.slope[run], split.queries.end[run],
            split.end_slope[run], common, batch, record, run, split.loaded[run],
        ):  # fmt: skip
            line_up(split.queues, LOCATE + 1 - parity, run, 0)
            return
        accept(aim, p, batch, run)
        go_on(aim.h, batch, split, run)
        evaluate(batch, p, common, record, split, run, parity)

    return take


@lru_cache
def locating(assembly: Assembly) -> Any:
    """A step with peaks inside it, which take long to be located and are few; then it is taken."""
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    split_type, accept = split_struct(assembly.layout.vector), attempting(assembly).accept
    note_between, go_on = between_steps(assembly), going_on(assembly)

    @wp.func
    def locate(
        batch: wp.ref[batch_type], p: wp.ref[params], common: wp.ref[params], record: wp.ref[record_type],
        split: split_type, run: int, parity: int,
    ):  # fmt: skip
        aim = split.aim[run]
        note_between(
            batch.time[run], split.t_break[run], aim.h, batch.state[run], split.slope[run], split.queries.end[run],
            split.end_slope[run], common, batch, record, run, split.loaded[run],
        )  # fmt: skip
        accept(aim, p, batch, run)
        go_on(aim.h, batch, split, run)
        line_up(split.queues, EVALUATE + parity, run, split.loaded[run])

    return locate
