"""A trial step with a warp for each run, from the trial itself to the search for mode changes.

Where runs are few, most of a round goes by between kernels, and waiting for the slowest run in each. Here the threads
of a warp try the step together (see `contact.lanes`), query the points at its end and in its middle, a thread each, and
the first one does what is done by one. What it writes the others read after they have waited for each other.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.contact.lanes import place_in_warp, threads_of, wait_for_warp
from planetfall.engine.gpu.batched_queries import queries_struct, querying_one
from planetfall.engine.gpu.split_events import finding_mode_change, listing_candidates
from planetfall.engine.gpu.split_method import TAKE, TRY, split_struct, trying_again
from planetfall.engine.gpu.split_steps import keeping_trial
from planetfall.engine.gpu.work_queues import WARP, line_up
from planetfall.engine.solver.adaptive import attempting
from planetfall.engine.solver.dopri5 import trial_struct
from planetfall.engine.solver.events.point_scan import AT_END, AT_MIDDLE
from planetfall.engine.state.batch import structs
from planetfall.engine.structure.assembly import Assembly


@lru_cache
def trying_whole(assembly: Assembly) -> Any:
    """`@wp.func (batch, params, common, record, split, run, parity)` of all threads of a warp, as in `split_steps`."""
    params, vector, (batch_type, record_type) = assembly.params, assembly.layout.vector, structs(assembly)
    split_type, trial_type, queries_type = split_struct(vector), trial_struct(vector), queries_struct(vector)
    try_out, keep_trial = attempting(assembly, is_shared=True).try_out, keeping_trial(assembly)
    try_again, list_candidates, find_mode_change = (
        trying_again(assembly),
        listing_candidates(assembly),
        finding_mode_change(assembly),
    )
    query_one = querying_one(assembly)

    @wp.func
    def query_all(batch: batch_type, common: wp.ref[params], queries: queries_type, run: int, n: int, where: int):
        place = place_in_warp()
        while place < n:
            query_one(batch, common, queries, run, place, where)
            place += threads_of(WARP)

    @wp.func
    def attempt(
        batch: batch_type, p: wp.ref[params], common: wp.ref[params], record: record_type, split: split_type, run: int,
        parity: int,
    ):  # fmt: skip
        is_first = place_in_warp() == 0
        aim = split.aim[run]
        aim.attempts += 1
        y = batch.state[run]
        slope = split.slope[run]
        trial = trial_type()
        wait_for_warp()  # the first thread writes down the aim that all have to read
        is_good = try_out(batch.time[run], y, slope, split.t_break[run], aim, trial, p, common, batch, run)
        if is_good == 0:
            if is_first:
                try_again(TRY, aim, batch, split, run, parity)
            return
        if is_first:
            keep_trial(aim, y, slope, trial, common, batch, split, run)
        wait_for_warp()
        query_all(batch, common, split.queries, run, batch.n_listed[run], AT_END)
        wait_for_warp()
        if is_first:
            if list_candidates(batch, split, run) == 0:
                line_up(split.queues, TAKE + parity, run, split.loaded[run])
        wait_for_warp()
        n = batch.n_candidates[run]
        if n > 0:
            query_all(batch, common, split.queries, run, n, AT_MIDDLE)
            wait_for_warp()
            if is_first:
                find_mode_change(batch, p, common, record, split, run, parity)

    return attempt
