"""Queues of runs on a device: who waits for which part of a step, those with like work side by side.

A queue has buckets, by how many queries a run will have; the threads of a warp all take theirs from one bucket, so that
they do the same at the same time. In which order runs stand in a bucket depends on chance, and has no effect on any.
"""

from typing import Any

import numpy as np
import warp as wp

WARP = wp.constant(32)
N_BUCKETS = wp.constant(16)
SPREAD = wp.constant(8)
SINGLE = 8
"""Numbers below this have a bucket of their own, four larger ones share one, and the last has all that are left."""


@wp.struct
class Queues:
    """`count` [queue * N_BUCKETS + bucket]: how many runs wait there; `runs` [the same, place]: which."""

    count: wp.array(dtype=wp.int32)
    runs: wp.array2d(dtype=wp.int32)


@wp.func_native(
    """
    #if defined(__CUDA_ARCH__)
    unsigned alike = __match_any_sync(__activemask(), row);
    int lane = threadIdx.x & 31;
    int leader = __ffs(alike) - 1;
    int first = 0;
    if (lane == leader) first = atomicAdd(count.data + row, __popc(alike));
    first = __shfl_sync(alike, first, leader);
    return first + __popc(alike & ((1u << lane) - 1u));
    #else
    return count.data[row]++;
    #endif
    """
)
def next_place(count: wp.array(dtype=wp.int32), row: int) -> int:  # pyright: ignore[reportReturnType]
    """Takes the next free place of a row; the lanes of a warp that come together take theirs with one access."""
    ...


@wp.func
def line_up(queues: Queues, queue: int, run: int, work: int):
    """Puts a run into a queue, into the bucket for so much work; the one for most comes first."""
    bucket = wp.min(work, wp.static(SINGLE) + (work - wp.static(SINGLE)) // 4)
    if work < wp.static(SINGLE):
        bucket = work
    row = queue * N_BUCKETS + N_BUCKETS - 1 - wp.min(bucket, N_BUCKETS - 1)
    queues.runs[row, next_place(queues.count, row)] = run


@wp.func_native(
    f"""
    enum {{ N_BUCKETS = {int(N_BUCKETS)}, WARP = {int(WARP)} }};
    const int* waiting = queues.count.data + queue * N_BUCKETS;
    int n[N_BUCKETS];
    #pragma unroll
    for (int bucket = 0; bucket < N_BUCKETS; bucket++) n[bucket] = waiting[bucket];
    int place = thread;
    int row = -1;
    #pragma unroll
    for (int bucket = 0; bucket < N_BUCKETS; bucket++) {{
        if (row >= 0) continue;
        if (place >= 0 && place < n[bucket]) row = bucket;
        else place -= (n[bucket] + WARP - 1) / WARP * WARP;
    }}
    return row < 0 ? -1 : queues.runs.data[(size_t)(queue * N_BUCKETS + row) * queues.runs.shape[1] + place];
    """
)
def run_of(queues: Queues, queue: int, thread: int) -> wp.int32:  # pyright: ignore[reportReturnType]
    """The run of a queue that a thread takes, -1 for none: every bucket begins with a warp.

    All counts are read before any is used, so that a GPU waits for them once.
    """
    ...


@wp.func
def spread_run_of(queues: Queues, queue: int, thread: int, n_threads: int) -> wp.int32:
    """The same, but where runs are few, only every eighth thread takes one.

    A warp waits for the one of its runs that has most to do: with fewer of them it waits less. Where there are more
    runs than that, warps that are half idle take more from other kernels than they gain.
    """
    n_taken = int(0)
    for row in range(queue * N_BUCKETS, queue * N_BUCKETS + N_BUCKETS):
        n_taken += (queues.count[row] + WARP - 1) // WARP * WARP
    stride = wp.where(SPREAD * n_taken <= n_threads, SPREAD, 1)
    if thread % stride > 0:
        return -1
    return run_of(queues, queue, thread // stride)


@wp.kernel(enable_backward=False)
def empty(queues: Queues, parity: int, count: wp.array(dtype=wp.int32)):
    """Empties every other queue, and every other list of another kind; dim: number of queues / 2 * N_BUCKETS."""
    i = wp.tid()
    queues.count[(i // N_BUCKETS * 2 + parity) * N_BUCKETS + i % N_BUCKETS] = 0
    if 2 * i < count.shape[0]:
        count[2 * i + parity] = 0


def make_queues(n_queues: int, runs: np.ndarray, device: str) -> Queues:
    """Queues, each with space for all of some runs in any of its buckets; they all wait in the first one."""
    queues = Queues()
    count = np.zeros(n_queues * int(N_BUCKETS), dtype=np.int32)
    count[0] = len(runs)
    queues.count = wp.array(count, device=device)
    places: Any = wp.empty((len(count), len(runs)), dtype=wp.int32, device=device)
    places[:1].assign(runs.astype(np.int32)[None, :])
    queues.runs = places
    return queues
