"""The split kernels of a round: each takes the runs that wait for it."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.gpu.batched_queries import query_kernel
from planetfall.engine.gpu.split_events import finding_mode_change, judging, narrowing_down, sifting
from planetfall.engine.gpu.split_method import (
    CHECK,
    COAST,
    EVALUATE,
    LOCATE,
    MODE_CHANGE,
    NARROW,
    SIFT,
    TAKE,
    TRY,
    split_struct,
)
from planetfall.engine.gpu.split_steps import coasting, evaluating, locating, taking, trying
from planetfall.engine.gpu.work_queues import run_of, spread_run_of
from planetfall.engine.state.batch import structs
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.code_plan import KERNEL_OPTIONS

BOUNDS = (128, 2)
"""Threads to a block at most and blocks to a multiprocessor at least."""
LIGHT = (128, 4)
"""The same for kernels that go through lists: with more of them at once, they wait less for memory."""


@dataclass(frozen=True)
class Kernels:
    """Of one assembly; `query` as in `batched_queries`, the others take the runs that wait in the queue of a parity.

    Those are `@wp.kernel (batch, params of the runs, stride, record, split, parity, threads at work at once)`.
    """

    evaluate: Any
    coast: Any
    attempt: Any
    sift: Any
    find_mode_change: Any
    narrow: Any
    judge: Any
    take: Any
    locate: Any
    query: Any

    @property
    def all(self) -> list[Any]:
        """Those that there are."""
        return [kernel for kernel in vars(self).values() if kernel is not None]


@lru_cache
def kernels_of(whole: Assembly) -> Kernels:
    """The kernels of an assembly."""
    assembly = replace(whole, is_split=True)
    return Kernels(
        evaluate=_kernel(assembly, EVALUATE, evaluating(assembly)),
        coast=_kernel(assembly, COAST, coasting(assembly), is_spread=True) if assembly.plan.coasts else None,
        attempt=_kernel(assembly, TRY, trying(assembly)),
        sift=_kernel(assembly, SIFT, sifting(assembly), bounds=LIGHT),
        find_mode_change=_kernel(assembly, MODE_CHANGE, finding_mode_change(assembly), bounds=LIGHT),
        narrow=_kernel(assembly, NARROW, narrowing_down(assembly), is_spread=True),
        judge=_kernel(assembly, CHECK, judging(assembly), bounds=LIGHT),
        take=_kernel(assembly, TAKE, taking(assembly)),
        locate=_kernel(assembly, LOCATE, locating(assembly), is_spread=True),
        query=query_kernel(assembly),
    )


def _kernel(
    assembly: Assembly, waits_for: Any, function: Any, bounds: tuple[int, int] = BOUNDS, is_spread: bool = False
) -> Any:
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    split_type, queue = split_struct(assembly.layout.vector), int(waits_for)

    @wp.kernel(**{**KERNEL_OPTIONS, "launch_bounds": bounds})
    def take_runs(
        batch: batch_type, run_params: wp.array(dtype=params), stride: int, record: record_type, split: split_type,
        parity: int, n_threads: int,
    ):  # fmt: skip
        run = int(-1)
        if wp.static(is_spread):
            run = spread_run_of(split.queues, wp.static(queue) + parity, wp.tid(), n_threads)
        else:
            run = run_of(split.queues, wp.static(queue) + parity, wp.tid())
        if run >= 0:
            row = wp.min(run, run_params.shape[0] - 1)
            function(batch, run_params[row], run_params[row * stride], record, split, run, parity)

    return take_runs
