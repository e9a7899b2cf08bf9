"""The adaptive method in split kernels on a GPU: what many runs have to do next, they do together.

A thread that takes one run from step to step coasts, tries, searches for mode changes and writes results in turn. The
32 threads of a warp do so each at its own time, and those that do one thing wait while the others do another. Here each
of these things is a kernel of its own, for the runs that wait for it (see `work_queues`), or for all points whose
ground has to be queried (see `batched_queries`). A round of the kernels takes every run through one attempt at a step;
only one that searches for a mode change is late, by a round for each of its queries, and one that locates a peak, by
one. The functions are those of `solver.adaptive`, called in the same order, so that a run has the same bits.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.struct_arrays import allocate
from planetfall.engine.gpu.batched_queries import make_queries, queries_struct
from planetfall.engine.gpu.work_queues import Queues, line_up
from planetfall.engine.solver.dopri5 import trial_struct
from planetfall.engine.solver.events.mechanism_events import has_events
from planetfall.engine.solver.events.point_scan import Scan
from planetfall.engine.solver.events.search_tasks import EventSearch
from planetfall.engine.solver.stall import STEP_REFUSED
from planetfall.engine.solver.trial_step import MAX_ATTEMPTS, Aim
from planetfall.engine.state.batch import structs
from planetfall.engine.structure.assembly import Assembly

EVALUATE, COAST, TRY, SIFT, MODE_CHANGE, NARROW, CHECK, TAKE, LOCATE = (wp.constant(2 * i) for i in range(9))
"""What a run may wait for, each with two queues: of this round, and of the next one."""
N_QUEUES = 18


@lru_cache
def split_struct(vector: Any) -> Any:
    """What has to be known of each run between the kernels of a round."""
    queries_type = queries_struct(vector)

    @wp.struct
    class SplitState:
        queues: Queues
        queries: queries_type  # and the state at the trial's end
        slope: wp.array(dtype=vector)  # [run] at the step's start
        end_slope: wp.array(dtype=vector)  # [run] at the trial's end
        t_break: wp.array(dtype=wp.float64)  # [run] [s]
        loaded: wp.array(dtype=wp.int32)  # [run] points that touch
        aim: wp.array(dtype=Aim)  # [run]
        scan: wp.array(dtype=Scan)  # [run]
        search: wp.array(dtype=EventSearch)  # [run]

    return SplitState


def make_split_state(assembly: Assembly, n_runs: int, device: str) -> Any:
    """Arrays for a batch, but for the queues."""
    split = split_struct(assembly.layout.vector)()
    split.queries = make_queries(assembly, n_runs, device)
    allocate(split, n_runs, device, slope=0, end_slope=0, t_break=0, loaded=0, aim=0, scan=0, search=0)
    return split


def can_be_split(assembly: Assembly) -> bool:
    """Whether a batch may: of the adaptive method, with nothing to record or to decide along the way.

    Several points of a run are queried at once, so that neither the terrain nor the contact law may keep anything of
    one. The events of mechanisms are located in the one kernel alone. What may not go in split kernels goes in that.
    """
    is_plain = (
        assembly.is_mode_locked and not assembly.is_recorded and not assembly.sensors and not assembly.flight.is_flown
    )
    is_plain = is_plain and not assembly.changes_after_steps and not has_events(assembly)
    is_plain = is_plain and not (assembly.may_crash and assembly.n_bodies > 1)
    return (
        is_plain
        and assembly.terrain.make_memory is None
        and not assembly.law.is_anchored
        and not assembly.law.keeps_dent
    )


@lru_cache
def trial_keeper(assembly: Assembly) -> Any:
    """`@wp.func (split, run) -> Trial`, as it was kept, without the error."""
    split_type, trial_type = split_struct(assembly.layout.vector), trial_struct(assembly.layout.vector)

    @wp.func
    def kept(split: split_type, run: int) -> trial_type:
        trial = trial_type()
        trial.y = split.queries.end[run]
        trial.slope = split.end_slope[run]
        return trial

    return kept


@lru_cache
def touching_points(assembly: Assembly) -> Any:
    """`@wp.func (batch, run) -> number of points that stages query`, 0 where it is not known."""
    batch_type, culls = structs(assembly)[0], assembly.plan.culls

    @wp.func
    def touching(batch: wp.ref[batch_type], run: int) -> wp.int32:
        if wp.static(culls):
            return batch.monitors.memory.n_listed[0, run]
        else:
            return 0

    return touching


@lru_cache
def trying_again(assembly: Assembly) -> Any:
    """`@wp.func (queue, aim, batch, split, run, parity)`: another attempt at the step, or the run is given up."""
    batch_type, split_type = structs(assembly)[0], split_struct(assembly.layout.vector)
    touching = touching_points(assembly)

    @wp.func
    def try_again(queue: int, aim: Aim, batch: wp.ref[batch_type], split: split_type, run: int, parity: int):
        split.aim[run] = aim
        if aim.attempts == wp.static(MAX_ATTEMPTS):
            batch.status[run] = STEP_REFUSED
        else:
            line_up(split.queues, queue + 1 - parity, run, touching(batch, run))

    return try_again
