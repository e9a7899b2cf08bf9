"""The search for mode changes in split kernels: what is made of the points' answers, and which are queried next.

The functions of kernels are as in `split_steps`.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import MODE_APART
from planetfall.engine.gpu.batched_queries import CHECKS, MIDDLES, next_places, querying_for
from planetfall.engine.gpu.split_method import (
    CHECK,
    MODE_CHANGE,
    NARROW,
    TAKE,
    TRY,
    split_struct,
    trial_keeper,
    trying_again,
)
from planetfall.engine.gpu.work_queues import line_up
from planetfall.engine.solver.dopri5 import hermite
from planetfall.engine.solver.events.broad_phase_adaptive import N_BITS, lowest
from planetfall.engine.solver.events.contact_events import BRACKET, probing
from planetfall.engine.solver.events.point_scan import (
    MIDDLE,
    NO_EVENT,
    NO_PLACE,
    NOBODY,
    Scan,
    listed_mode,
    nothing_found,
    point_monitors,
)
from planetfall.engine.solver.events.search_tasks import IS_OVER, PROBES, EventSearch, checked, seek
from planetfall.engine.solver.trial_step import attempting
from planetfall.engine.state.batch import structs
from planetfall.engine.structure.assembly import Assembly


@lru_cache
def going_inside(assembly: Assembly) -> Any:
    """`@wp.func (instant, batch, split, run)`: keeps the state at a fraction of the trial step, for queries there."""
    batch_type, split_type = structs(assembly)[0], split_struct(assembly.layout.vector)
    at, kept_trial = hermite(assembly.layout.vector, is_inlined=True), trial_keeper(assembly)

    @wp.func
    def go_inside(instant: wp.float64, batch: wp.ref[batch_type], split: split_type, run: int):
        y = batch.state[run]
        slope = split.slope[run]
        trial = kept_trial(split, run)
        split.queries.inside[run] = at(instant, split.aim[run].h, y, slope, trial.y, trial.slope)

    return go_inside


@lru_cache
def listing_candidates(assembly: Assembly) -> Any:
    """`@wp.func (batch, split, run) -> number of candidates`: they are listed, to be queried in the middle."""
    batch_type, split_type = structs(assembly)[0], split_struct(assembly.layout.vector)
    go_inside, keep, mode_of = going_inside(assembly), point_monitors(assembly).keep, listed_mode(assembly)

    @wp.func
    def sifted(scan: wp.ref[Scan], batch: wp.ref[batch_type], split: split_type, run: int):
        """Lists the candidates; those that touch come first, as before."""
        off = int(NO_PLACE)
        for word in range(split.queries.candidate_bits.shape[1]):
            bits = split.queries.candidate_bits[run, word]
            off_mode_bits = split.queries.off_mode_bits[run, word]
            while bits != wp.uint32(0):
                bit = lowest(bits)
                place = word * N_BITS + bit
                j = batch.listed[place, run]
                is_off = int(off_mode_bits >> wp.uint32(bit)) & 1
                if is_off == 1 and mode_of(batch, place, j, run) != MODE_APART:
                    if off == NO_PLACE:
                        off = scan.n
                    is_off = 0
                keep(scan, j, is_off, batch, run)
                bits = bits & (bits - wp.uint32(1))
        if scan.entered_2 == NO_PLACE:
            scan.entered_2 = off

    @wp.func
    def list_candidates(batch: wp.ref[batch_type], split: split_type, run: int) -> wp.int32:
        scan = nothing_found()
        sifted(scan, batch, split, run)
        batch.n_candidates[run] = scan.n
        if scan.n > 0:
            go_inside(MIDDLE, batch, split, run)
            split.queries.h[run] = split.aim[run].h
            split.queries.dips[0, run] = NO_EVENT
            split.queries.dips[1, run] = NO_EVENT
            split.queries.entered[run] = NO_PLACE
            split.queries.off[run] = NOBODY
            split.scan[run] = scan
        return scan.n

    return list_candidates


@lru_cache
def sifting(assembly: Assembly) -> Any:
    """What the points' answers at a trial's end mean: only those that can have touched stay candidates."""
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    split_type = split_struct(assembly.layout.vector)
    list_candidates, query_for = listing_candidates(assembly), querying_for(assembly)

    @wp.func
    def sift(
        batch: wp.ref[batch_type], p: wp.ref[params], common: wp.ref[params], record: wp.ref[record_type],
        split: split_type, run: int, parity: int,
    ):  # fmt: skip
        n = list_candidates(batch, split, run)
        if n == 0:
            line_up(split.queues, TAKE + parity, run, split.loaded[run])
        else:
            query_for(split.queries.entries, next_places(split.queries.count, MIDDLES + parity, n), run, n)
            line_up(split.queues, MODE_CHANGE + parity, run, 0)

    return sift


@lru_cache
def going_on_with(assembly: Assembly) -> Any:
    """`@wp.func (search, batch, split, run, parity, parity of checks)`: queues a run for what its search needs next.

    Or, if that is over, for the step to be taken or tried again, to end at the mode change.
    """
    batch_type, split_type = structs(assembly)[0], split_struct(assembly.layout.vector)
    go_inside, try_again, is_close = going_inside(assembly), trying_again(assembly), attempting(assembly).is_close
    query_for = querying_for(assembly)

    @wp.func
    def check(instant: wp.float64, batch: wp.ref[batch_type], split: split_type, run: int, parity: int):
        go_inside(instant, batch, split, run)
        split.queries.off[run] = NOBODY
        n = batch.n_candidates[run]
        first = next_places(split.queries.count, CHECKS + parity, n)
        first += parity * (split.queries.checks.shape[0] // 2)
        query_for(split.queries.checks, first, run, n)
        line_up(split.queues, CHECK + parity, run, 0)

    @wp.func
    def go_on(
        search: wp.ref[EventSearch], batch: wp.ref[batch_type], split: split_type, run: int, parity: int,
        checked_in: int,
    ):  # fmt: skip
        if search.task == IS_OVER:
            aim = split.aim[run]
            if is_close(search.high, aim) == 1:
                line_up(split.queues, TAKE + parity, run, split.loaded[run])
            else:
                try_again(TRY, aim, batch, split, run, parity)
            return
        split.search[run] = search
        if search.task == PROBES:
            line_up(split.queues, NARROW + 1 - parity, run, 0)
        else:
            check(search.instant, batch, split, run, checked_in)

    return go_on


@wp.func
def place_of(off: wp.int32) -> wp.int32:
    """A place, or NO_PLACE for NOBODY, which is what the least of no places is."""
    return wp.where(off == NOBODY, NO_PLACE, off)


@lru_cache
def finding_mode_change(assembly: Assembly) -> Any:
    """What the answers inside a trial step mean: it is taken, unless there may be a mode change to search for."""
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    split_type, go_on = split_struct(assembly.layout.vector), going_on_with(assembly)

    @wp.func
    def find_mode_change(
        batch: wp.ref[batch_type], p: wp.ref[params], common: wp.ref[params], record: wp.ref[record_type],
        split: split_type, run: int, parity: int,
    ):  # fmt: skip
        scan = split.scan[run]
        scan.dip_1 = split.queries.dips[0, run]
        scan.dip_2 = split.queries.dips[1, run]
        scan.entered_1 = split.queries.entered[run]
        if scan.entered_1 == NO_PLACE:
            scan.entered_1 = place_of(split.queries.off[run])
        search = EventSearch()
        seek(search, scan, 1)
        if search.task != IS_OVER:
            split.scan[run] = scan
        go_on(search, batch, split, run, parity, 1 - parity)

    return find_mode_change


@lru_cache
def narrowing_down(assembly: Assembly) -> Any:
    """The instant at which a point changes its mode."""
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    split_type, kept_trial = split_struct(assembly.layout.vector), trial_keeper(assembly)
    probe, go_on = probing(assembly), going_on_with(assembly)

    @wp.func
    def narrow(
        batch: wp.ref[batch_type], p: wp.ref[params], common: wp.ref[params], record: wp.ref[record_type],
        split: split_type, run: int, parity: int,
    ):  # fmt: skip
        aim = split.aim[run]
        y = batch.state[run]
        slope = split.slope[run]
        trial = kept_trial(split, run)
        search = split.search[run]
        memory = batch.monitors.memory
        probe(search, BRACKET * aim.location, aim.h, y, slope, trial, common, memory, batch.candidates, run)
        go_on(search, batch, split, run, parity, parity)

    return narrow


@lru_cache
def judging(assembly: Assembly) -> Any:
    """What a check of all points means."""
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    split_type, go_on = split_struct(assembly.layout.vector), going_on_with(assembly)

    @wp.func
    def judge(
        batch: wp.ref[batch_type], p: wp.ref[params], common: wp.ref[params], record: wp.ref[record_type],
        split: split_type, run: int, parity: int,
    ):  # fmt: skip
        search = split.search[run]
        scan = split.scan[run]
        off = split.queries.off[run]
        checked(search, scan, place_of(off), 1)
        go_on(search, batch, split, run, parity, 1 - parity)

    return judge
