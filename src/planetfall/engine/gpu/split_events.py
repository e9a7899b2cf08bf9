"""The search for switches in waves: what is made of the points' answers, and who has to be asked next.

The functions of kernels are as in `wave_steps`.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import MODE_APART
from planetfall.engine.gpu.batched_queries import CHECKS, MIDDLES, next_places, querying_for
from planetfall.engine.gpu.split_method import (
    CHECK,
    NARROW,
    SWITCH,
    TAKE,
    TRY,
    split_struct,
    trial_keeper,
    trying_again,
)
from planetfall.engine.gpu.work_queues import line_up
from planetfall.engine.solver.adaptive import attempting
from planetfall.engine.solver.dopri5 import hermite
from planetfall.engine.solver.events.candidates import N_BITS, lowest
from planetfall.engine.solver.events.mode_change import BRACKET, probing
from planetfall.engine.solver.events.point_scan import (
    MIDDLE,
    NO_EVENT,
    NO_PLACE,
    NOBODY,
    Scan,
    listed_mode,
    nothing_found,
    noting,
)
from planetfall.engine.solver.events.search_tasks import IS_OVER, PROBES, Search, checked, seek
from planetfall.engine.state.batch import structs
from planetfall.engine.structure.assembly import Assembly


@lru_cache
def going_inside(assembly: Assembly) -> Any:
    """`@wp.func (instant, batch, waves, run)`: keeps the state at a fraction of the trial step, for questions there."""
    batch_type, split_type = structs(assembly)[0], split_struct(assembly.layout.vector)
    at, kept_trial = hermite(assembly.layout.vector, is_inlined=True), trial_keeper(assembly)

    @wp.func
    def go_inside(instant: wp.float64, batch: batch_type, waves: split_type, run: int):
        y = batch.state[run]
        slope = waves.slope[run]
        trial = kept_trial(waves, run)
        waves.questions.inside[run] = at(instant, waves.aim[run].h, y, slope, trial.y, trial.slope)

    return go_inside


@lru_cache
def doubting(assembly: Assembly) -> Any:
    """`@wp.func (batch, waves, run) -> number of points in doubt`: they are listed, to be asked in the middle."""
    batch_type, split_type = structs(assembly)[0], split_struct(assembly.layout.vector)
    go_inside, keep, mode_of = going_inside(assembly), noting(assembly).keep, listed_mode(assembly)

    @wp.func
    def sifted(scan: wp.ref[Scan], batch: batch_type, waves: split_type, run: int):
        """Lists what is left; those that touch come first, as before."""
        off = int(NO_PLACE)
        for word in range(waves.questions.doubt.shape[1]):
            bits = waves.questions.doubt[run, word]
            strays = waves.questions.strays[run, word]
            while bits != wp.uint32(0):
                bit = lowest(bits)
                place = word * N_BITS + bit
                j = batch.near[place, run]
                is_off = int(strays >> wp.uint32(bit)) & 1
                if is_off == 1 and mode_of(batch, place, j, run) != MODE_APART:
                    if off == NO_PLACE:
                        off = scan.n
                    is_off = 0
                keep(scan, j, is_off, batch, run)
                bits = bits & (bits - wp.uint32(1))
        if scan.entered_2 == NO_PLACE:
            scan.entered_2 = off

    @wp.func
    def doubt(batch: batch_type, waves: split_type, run: int) -> wp.int32:
        scan = nothing_found()
        sifted(scan, batch, waves, run)
        batch.n_candidates[run] = scan.n
        if scan.n > 0:
            go_inside(MIDDLE, batch, waves, run)
            waves.questions.h[run] = waves.aim[run].h
            waves.questions.dips[0, run] = NO_EVENT
            waves.questions.dips[1, run] = NO_EVENT
            waves.questions.entered[run] = NO_PLACE
            waves.questions.off[run] = NOBODY
            waves.scan[run] = scan
        return scan.n

    return doubt


@lru_cache
def sifting(assembly: Assembly) -> Any:
    """What the points say at a trial's end: those that cannot have touched are done with, the others asked on."""
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    split_type = split_struct(assembly.layout.vector)
    doubt, query_for = doubting(assembly), querying_for(assembly)

    @wp.func
    def sift(
        batch: batch_type, p: wp.ref[params], common: wp.ref[params], record: record_type, waves: split_type, run: int,
        parity: int,
    ):  # fmt: skip
        n = doubt(batch, waves, run)
        if n == 0:
            line_up(waves.queues, TAKE + parity, run, waves.loaded[run])
        else:
            query_for(waves.questions.asked, next_places(waves.questions.count, MIDDLES + parity, n), run, n)
            line_up(waves.queues, SWITCH + parity, run, 0)

    return sift


@lru_cache
def going_on_with(assembly: Assembly) -> Any:
    """`@wp.func (search, batch, waves, run, parity, parity of checks)`: lines a run up for what its search has to do.

    Or, if that is over, for the step to be taken or tried again, to end at the switch.
    """
    batch_type, split_type = structs(assembly)[0], split_struct(assembly.layout.vector)
    go_inside, try_again, is_close = going_inside(assembly), trying_again(assembly), attempting(assembly).is_close
    query_for = querying_for(assembly)

    @wp.func
    def check(instant: wp.float64, batch: batch_type, waves: split_type, run: int, parity: int):
        go_inside(instant, batch, waves, run)
        waves.questions.off[run] = NOBODY
        n = batch.n_candidates[run]
        first = next_places(waves.questions.count, CHECKS + parity, n)
        first += parity * (waves.questions.checks.shape[0] // 2)
        query_for(waves.questions.checks, first, run, n)
        line_up(waves.queues, CHECK + parity, run, 0)

    @wp.func
    def go_on(
        search: wp.ref[Search], batch: batch_type, waves: split_type, run: int, parity: int, checked_in: int
    ):  # fmt: skip
        if search.task == IS_OVER:
            aim = waves.aim[run]
            if is_close(search.high, aim) == 1:
                line_up(waves.queues, TAKE + parity, run, waves.loaded[run])
            else:
                try_again(TRY, aim, batch, waves, run, parity)
            return
        waves.search[run] = search
        if search.task == PROBES:
            line_up(waves.queues, NARROW + 1 - parity, run, 0)
        else:
            check(search.instant, batch, waves, run, checked_in)

    return go_on


@wp.func
def place_of(off: wp.int32) -> wp.int32:
    """A place, or NO_PLACE for NOBODY, which is what the least of no places is."""
    return wp.where(off == NOBODY, NO_PLACE, off)


@lru_cache
def switching(assembly: Assembly) -> Any:
    """What the points say inside a trial step: it is taken, unless there may be a switch, which is looked for."""
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    split_type, go_on = split_struct(assembly.layout.vector), going_on_with(assembly)

    @wp.func
    def switch(
        batch: batch_type, p: wp.ref[params], common: wp.ref[params], record: record_type, waves: split_type, run: int,
        parity: int,
    ):  # fmt: skip
        scan = waves.scan[run]
        scan.dip_1 = waves.questions.dips[0, run]
        scan.dip_2 = waves.questions.dips[1, run]
        scan.entered_1 = waves.questions.entered[run]
        if scan.entered_1 == NO_PLACE:
            scan.entered_1 = place_of(waves.questions.off[run])
        search = Search()
        seek(search, scan, 1)
        if search.task != IS_OVER:
            waves.scan[run] = scan
        go_on(search, batch, waves, run, parity, 1 - parity)

    return switch


@lru_cache
def narrowing_down(assembly: Assembly) -> Any:
    """The instant at which a point switches."""
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    split_type, kept_trial = split_struct(assembly.layout.vector), trial_keeper(assembly)
    probe, go_on = probing(assembly), going_on_with(assembly)

    @wp.func
    def narrow(
        batch: batch_type, p: wp.ref[params], common: wp.ref[params], record: record_type, waves: split_type, run: int,
        parity: int,
    ):  # fmt: skip
        aim = waves.aim[run]
        y = batch.state[run]
        slope = waves.slope[run]
        trial = kept_trial(waves, run)
        search = waves.search[run]
        modes = batch.monitors.memory.modes
        probe(search, BRACKET * aim.location, aim.h, y, slope, trial, common, modes, batch.candidates, run)
        go_on(search, batch, waves, run, parity, parity)

    return narrow


@lru_cache
def judging(assembly: Assembly) -> Any:
    """What a check of all points says."""
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    split_type, go_on = split_struct(assembly.layout.vector), going_on_with(assembly)

    @wp.func
    def judge(
        batch: batch_type, p: wp.ref[params], common: wp.ref[params], record: record_type, waves: split_type, run: int,
        parity: int,
    ):  # fmt: skip
        search = waves.search[run]
        scan = waves.scan[run]
        off = waves.questions.off[run]
        checked(search, scan, place_of(off), 1)
        go_on(search, batch, waves, run, parity, 1 - parity)

    return judge
