"""Questions of many runs, where their contact points stand, in one list: a GPU answers them all at once.

One run touches with one point, the next flies low and has forty to ask for. If each asked its own, one after the other,
all would wait for the one that asks most; in the list every question is one thread's, whosever it is.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.contact.model import MODE_APART
from planetfall.engine.assembly import KERNEL_OPTIONS, Assembly
from planetfall.engine.batch import structs
from planetfall.engine.scanning import (
    AT_CHECK,
    AT_END,
    AT_LOOK,
    AT_MIDDLE,
    AT_START,
    Asked,
    listed_mode,
    listed_point,
    lone_asker,
    noting,
)
from planetfall.errors import InputError
from planetfall.world.terrain.model import Ground

ENDS, MIDDLES, LOOKS, CHECKS = (wp.constant(2 * i) for i in range(4))
"""Lists: at the ends of trials, in their middles, for looks at states that are no trial's end, and where a switch is
looked for; each for this round and the next one, as queues are."""
N_LISTS = 8
IS_NEAR, IS_OFF, TOUCHES, IS_UNSEEN = (wp.constant(2**i) for i in range(4))
"""Of a point at a trial's end: may have touched; is off its mode; touched before; has not been asked at the start."""
BOUNDS = (128, 3)
"""Threads to a block at most and blocks to a multiprocessor at least."""


@lru_cache
def questions_struct(vector: Any) -> Any:
    """The list, and where the answers go."""

    @wp.struct
    class Questions:
        count: wp.array(dtype=wp.int32)  # [list] how many there are
        asked: wp.array(dtype=wp.vec3i)  # [place in the list] run, place in its list of points, and where: AT_END, ...
        checks: wp.array(dtype=wp.vec3i)  # [place in the list] the same, of two lists that are made beside it, in turn
        answers: wp.array2d(dtype=Asked)  # [run, place in its list of points] in the middle of a trial
        said: wp.array2d(dtype=wp.int32)  # [the same] what it comes to at the end of a trial: sum of IS_NEAR, ...
        off: wp.array(dtype=wp.int32)  # [run] first place that a check finds off its mode, or NOBODY
        end: wp.array(dtype=vector)  # [run] state at the trial's end
        inside: wp.array(dtype=vector)  # [run] and in its middle, or where a check is

    return Questions


def make_questions(assembly: Assembly, n_runs: int, device: str) -> Any:
    """Empty lists with room for two questions to every point, and for one of a check."""
    vector, n_points = assembly.layout.vector, max(assembly.n_points, 1)
    most = (2**31 - 1) // (2 * n_points)
    if n_runs > most:
        raise InputError("n", f"{n_runs} runs at once", f"at most {most} of {n_points} points", "use smaller shards")
    out = questions_struct(vector)()
    out.count = wp.zeros(N_LISTS, dtype=wp.int32, device=device)
    out.asked = wp.empty(2 * n_runs * n_points, dtype=wp.vec3i, device=device)
    out.checks = wp.empty(2 * n_runs * n_points, dtype=wp.vec3i, device=device)
    out.said = wp.empty((n_runs, n_points), dtype=wp.int32, device=device)
    out.off = wp.empty(n_runs, dtype=wp.int32, device=device)
    out.answers = wp.empty((n_runs, n_points), dtype=Asked, device=device)
    out.end, out.inside = (wp.zeros(n_runs, dtype=vector, device=device) for _ in range(2))
    return out


def list_of(questions: Any, row: int) -> Any:
    """Where the questions of a list lie."""
    room = questions.checks.shape[0] // 2
    return questions.asked if row < CHECKS else questions.checks[(row - CHECKS) * room : (row - CHECKS + 1) * room]


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
    """Takes the next n free places of a row; the lanes of a warp that come together do so with one access."""
    ...


@wp.kernel(enable_backward=False)
def list_looks(
    runs: wp.array(dtype=wp.int32), n_asked: wp.array(dtype=wp.int32), count: wp.array(dtype=wp.int32),
    asked: wp.array(dtype=wp.vec3i),
):  # fmt: skip
    """Lists what runs have to ask for their first look; dim: number of runs."""
    run = runs[wp.tid()]
    n = n_asked[run]
    first = next_places(count, LOOKS, n)
    for place in range(n):
        asked[first + place] = wp.vec3i(run, place, AT_LOOK)


@lru_cache
def asking_kernel(assembly: Assembly) -> Any:
    """`@wp.kernel (batch, params of the runs, stride, questions, list, its number, threads)`: answers all of a list."""
    params, vector, batch_type = assembly.params, assembly.layout.vector, structs(assembly)[0]
    questions_type, ask, (note_end, _, is_unseen, note_start, _) = (
        questions_struct(vector), lone_asker(assembly), noting(assembly)
    )  # fmt: skip
    culls, looked_at, mode_of = assembly.culls, listed_point(assembly), listed_mode(assembly)

    @wp.func
    def said_at_end(j: int, mode: wp.int32, asked: Asked, batch: batch_type, run: int) -> wp.int32:
        off = wp.where(asked.is_off == 1, IS_OFF, 0)
        if mode != MODE_APART:
            return TOUCHES + off
        if note_end(j, asked, batch, run) == 0:
            return 0
        return IS_NEAR + off + wp.where(is_unseen(j, batch, run) == 1, IS_UNSEEN, 0)

    @wp.func
    def answer(
        batch: batch_type, p: wp.ref[params], questions: questions_type, run: int, place: int, where: int
    ):  # fmt: skip
        j = looked_at(batch, place, where, run)
        y = questions.inside[run]
        if where == AT_START or where == AT_LOOK:
            y = batch.state[run]
        elif where == AT_END:
            y = questions.end[run]
        mode = mode_of(batch, place, j, run)
        ground = Ground()
        asked = ask(ground, p, y, j, mode, run)
        if wp.static(culls):
            is_told = where == AT_END and (mode != MODE_APART or asked.gap <= wp.float64(0.0))
            if is_told or where == AT_LOOK:  # as `near_points` will have it asked in a look
                batch.monitors.ground[j, run] = ground
        if where == AT_END:
            questions.said[run, place] = said_at_end(j, mode, asked, batch, run)
        elif where == AT_START:
            note_start(j, asked, batch, run)
        elif where == AT_CHECK:
            if asked.is_off == 1:
                wp.atomic_min(questions.off, run, place)
        elif where == AT_MIDDLE:
            questions.answers[run, place] = asked

    @wp.kernel(**{**KERNEL_OPTIONS, "launch_bounds": BOUNDS})
    def ask_all(
        batch: batch_type, own: wp.array(dtype=params), stride: int, questions: questions_type,
        asked: wp.array(dtype=wp.vec3i), row: int, n_threads: int,
    ):  # fmt: skip
        k = wp.tid()
        n = questions.count[row]
        while k < n:
            q = asked[k]
            answer(batch, own[wp.min(q[0], own.shape[0] - 1) * stride], questions, q[0], q[1], q[2])
            k += n_threads

    return ask_all
