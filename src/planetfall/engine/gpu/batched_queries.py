"""Terrain queries of many runs in one list: a GPU answers them all at once.

One run touches with one point, the next flies low and has forty points to query. If each run did its own, one after the
other, all would wait for the one with most; in the list every query is one thread's, whosever it is.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.struct_arrays import allocate
from planetfall.contact.model import MODE_APART
from planetfall.engine.solver.events.broad_phase_adaptive import N_BITS
from planetfall.engine.solver.events.point_scan import (
    AT_CHECK,
    AT_END,
    AT_EVALUATION,
    AT_MIDDLE,
    AT_START,
    NO_EVENT,
    NO_PLACE,
    QueryAnswer,
    listed_mode,
    listed_point,
    lone_query,
    nothing_found,
    point_monitors,
)
from planetfall.engine.state.batch import structs
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.code_plan import KERNEL_OPTIONS
from planetfall.errors import InputError
from planetfall.world.terrain.model import Ground

ENDS, MIDDLES, EVALUATIONS, CHECKS = (wp.constant(2 * i) for i in range(4))
"""Lists of queries: at the ends of trials, in their middles, for evaluations of states that are no trial's end, and
where a mode change is searched for; two of each, as there are of queues, of which the second is for the next round."""
WHERE = (AT_END, AT_MIDDLE, AT_EVALUATION, AT_CHECK)
"""At which instant of a step the points of each list are queried."""
N_LISTS = 2 * len(WHERE)
BOUNDS = (128, 3)
"""Threads to a block at most and blocks to a multiprocessor at least."""


@lru_cache
def queries_struct(vector: Any) -> Any:
    """The lists, and where the answers go: not each of them, but what they come to for the run."""

    @wp.struct
    class Queries:
        count: wp.array(dtype=wp.int32)  # [list] how many there are
        entries: wp.array(dtype=wp.int32)  # [place in the list] run times number of points, plus place in its own list
        checks: wp.array(dtype=wp.int32)  # [place in the list] the same, of two lists that are made beside it, in turn
        candidate_bits: wp.array2d(
            dtype=wp.uint32
        )  # [run, word of bits] at a trial's end, each point that touches or may have
        off_mode_bits: wp.array2d(dtype=wp.uint32)  # [run, word of bits] and each that is off its mode there
        dips: wp.array2d(dtype=wp.float64)  # [half, run] as in `Scan`, after the trial's middle
        entered: wp.array(dtype=wp.int32)  # [run] last place of one that is apart and in the ground there, or NO_PLACE
        off: wp.array(dtype=wp.int32)  # [run] first of one that touches and is off its mode there, or NOBODY; in a
        # check, of any point that is off its mode
        h: wp.array(dtype=wp.float64)  # [run] the trial step [s]
        end: wp.array(dtype=vector)  # [run] state at its end
        inside: wp.array(dtype=vector)  # [run] and in its middle, or where a check is

    return Queries


def make_queries(assembly: Assembly, n_runs: int, device: str) -> Any:
    """Empty lists with space for every point of every run."""
    n_points = max(assembly.n_points, 1)
    most = (2**31 - 1) // (2 * n_points)
    if n_runs > most:
        raise InputError("n", f"{n_runs} runs at once", f"at most {most} of {n_points} points", "use smaller shards")
    out = queries_struct(assembly.layout.vector)()
    allocate(out, N_LISTS, device, count=0)
    out.entries = wp.empty(n_runs * n_points, dtype=wp.int32, device=device)
    out.checks = wp.empty(2 * n_runs * n_points, dtype=wp.int32, device=device)
    allocate(out, (n_runs, -(-n_points // int(N_BITS))), device, candidate_bits=0, off_mode_bits=0)
    allocate(out, (2, n_runs), device, dips=0)
    allocate(out, n_runs, device, entered=0, off=0, h=0, end=0, inside=0)
    return out


def list_of(queries: Any, row: int) -> Any:
    """Where the queries of a list lie."""
    capacity = queries.checks.shape[0] // 2
    return (
        queries.entries if row < CHECKS else queries.checks[(row - CHECKS) * capacity : (row - CHECKS + 1) * capacity]
    )


@wp.func_native(
    """
    #if defined(__CUDA_ARCH__)
    unsigned here = __activemask();
    unsigned lane = threadIdx.x & 31u;
    unsigned below = here & ((1u << lane) - 1u);
    int before = 0;
    int total = 0;
    #pragma unroll 1
    for (int bit = 0; __any_sync(here, n >> bit); bit++) {
        unsigned has = __ballot_sync(here, (n >> bit) & 1);
        before += __popc(has & below) << bit;
        total += __popc(has) << bit;
    }
    int leader = __ffs(here) - 1;
    int first = 0;
    if (lane == leader) first = atomicAdd(count.data + row, total);
    return __shfl_sync(here, first, leader) + before;
    #else
    int first = count.data[row];
    count.data[row] += n;
    return first;
    #endif
    """
)
def next_places(count: wp.array(dtype=wp.int32), row: int, n: int) -> int:  # pyright: ignore[reportReturnType]
    """Takes the next n >= 0 free places of a row; the lanes of a warp that come together do so with one access.

    They must all come for the same row.
    """
    ...


@lru_cache
def querying_for(assembly: Assembly) -> Any:
    """`@wp.func (entries, first, run, n)`: puts the n points of a run's own list into one, from a place on."""
    n_points = max(assembly.n_points, 1)

    @wp.func
    def query_for(entries: wp.array(dtype=wp.int32), first: int, run: int, n: int):
        for place in range(n):
            entries[first + place] = run * wp.static(n_points) + place

    return query_for


@lru_cache
def evaluation_kernel(assembly: Assembly) -> Any:
    """`@wp.kernel (runs, n_queried, count, entries)`: lists the queries of first evaluations; dim: number of runs."""
    query_for = querying_for(assembly)

    @wp.kernel(enable_backward=False, module="unique")
    def list_evaluations(
        runs: wp.array(dtype=wp.int32), n_queried: wp.array(dtype=wp.int32), count: wp.array(dtype=wp.int32),
        entries: wp.array(dtype=wp.int32),
    ):  # fmt: skip
        run = runs[wp.tid()]
        n = n_queried[run]
        query_for(entries, next_places(count, EVALUATIONS, n), run, n)

    return list_evaluations


@lru_cache
def answering(assembly: Assembly) -> Any:
    """`@wp.func (point, place, mode, where, answer, queries, batch, run)`: what a run makes of a point's answer.

    By operations whose order does not matter, for answers come in any: bits that are set, least and largest numbers.
    """
    batch_type, queries_type = structs(assembly)[0], queries_struct(assembly.layout.vector)
    note_end, _, _, note_start, note_middle = point_monitors(assembly)

    @wp.func
    def at_end(
        j: int, place: int, mode: wp.int32, answer: QueryAnswer, queries: queries_type, batch: wp.ref[batch_type],
        run: int,
    ):  # fmt: skip
        is_kept = int(1)
        if mode == MODE_APART:
            is_kept = note_end(j, answer, batch, run)
        if is_kept == 1:
            bit = wp.uint32(1) << wp.uint32(place % N_BITS)
            wp.atomic_or(queries.candidate_bits, run, place // N_BITS, bit)
            if answer.is_off == 1:
                wp.atomic_or(queries.off_mode_bits, run, place // N_BITS, bit)

    @wp.func
    def at_middle(
        j: int, place: int, mode: wp.int32, answer: QueryAnswer, queries: queries_type, batch: wp.ref[batch_type],
        run: int,
    ):  # fmt: skip
        if mode == MODE_APART:
            scan = nothing_found()
            note_middle(scan, place, j, answer, queries.h[run], batch, run)
            if scan.entered_1 != NO_PLACE:
                wp.atomic_max(queries.entered, run, place)
            if scan.dip_1 != NO_EVENT:
                wp.atomic_min(queries.dips, 0, run, scan.dip_1)
            if scan.dip_2 != NO_EVENT:
                wp.atomic_min(queries.dips, 1, run, scan.dip_2)
        elif answer.is_off == 1:
            wp.atomic_min(queries.off, run, place)

    @wp.func
    def answered(
        j: int, place: int, mode: wp.int32, where: int, answer: QueryAnswer, queries: queries_type,
        batch: wp.ref[batch_type], run: int,
    ):  # fmt: skip
        if where == AT_END:
            at_end(j, place, mode, answer, queries, batch, run)
        elif where == AT_START:
            note_start(j, answer, batch, run)
        elif where == AT_MIDDLE:
            at_middle(j, place, mode, answer, queries, batch, run)
        elif where == AT_CHECK:
            if answer.is_off == 1:
                wp.atomic_min(queries.off, run, place)

    return answered


@lru_cache
def querying_one(assembly: Assembly) -> Any:
    """`@wp.func (batch, params, queries, run, place, where)`: queries the ground for a point of a run's own list.

    What its answer comes to is kept for the run, and so is the ground of a point that the next evaluation needs. A
    point that is queried in the middle of a step, and has not been at its start, is queried there before.
    """
    params, vector, batch_type = assembly.params, assembly.layout.vector, structs(assembly)[0]
    queries_type, query, answered = queries_struct(vector), lone_query(assembly), answering(assembly)
    culls, point_of, mode_of = assembly.plan.culls, listed_point(assembly), listed_mode(assembly)
    is_unseen = point_monitors(assembly).is_unseen

    @wp.func
    def query_one(
        batch: wp.ref[batch_type], p: wp.ref[params], queries: queries_type, run: int, place: int, queried_where: int
    ):  # fmt: skip
        j = point_of(batch, place, queried_where, run)
        mode = mode_of(batch, place, j, run)
        where = int(queried_where)
        if queried_where == AT_MIDDLE and mode == MODE_APART:
            if is_unseen(j, batch, run) == 1:
                where = AT_START
        while where >= 0:
            y = queries.inside[run]  # AT_MIDDLE and AT_CHECK
            if where == AT_START or where == AT_EVALUATION:
                y = batch.state[run]
            elif where == AT_END:
                y = queries.end[run]
            ground = Ground()
            answer = query(ground, p, y, j, mode, run)
            if wp.static(culls):
                is_needed = where == AT_END and (mode != MODE_APART or answer.gap <= wp.float64(0.0))
                if is_needed or where == AT_EVALUATION:  # as the broad phase lists it for the next one
                    batch.monitors.ground[j, run] = ground
            answered(j, place, mode, where, answer, queries, batch, run)
            where = wp.where(where == AT_START, int(AT_MIDDLE), -1)

    return query_one


@lru_cache
def query_kernel(assembly: Assembly) -> Any:
    """`@wp.kernel (batch, params of the runs, stride, queries, list, its number, where, threads)`: answers a list."""
    params, batch_type, n_points = assembly.params, structs(assembly)[0], max(assembly.n_points, 1)
    queries_type, query_one = queries_struct(assembly.layout.vector), querying_one(assembly)

    @wp.kernel(**{**KERNEL_OPTIONS, "launch_bounds": BOUNDS})
    def query_all(
        batch: batch_type, run_params: wp.array(dtype=params), stride: int, queries: queries_type,
        entries: wp.array(dtype=wp.int32), row: int, where: int, n_threads: int,
    ):  # fmt: skip
        k = wp.tid()
        n = queries.count[row]
        while k < n:
            run = entries[k] // wp.static(n_points)
            place = entries[k] % wp.static(n_points)
            query_one(batch, run_params[wp.min(run, run_params.shape[0] - 1) * stride], queries, run, place, where)
            k += n_threads

    return query_all
