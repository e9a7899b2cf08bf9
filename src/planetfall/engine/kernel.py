"""The kernel that advances a batch: one thread per live run, all with the same parameters or each with its own.

Parameters are kilobytes. On a GPU those that all runs share are best given to the kernel as they are: what it reads of
them then comes from a memory for constants. But where a function is not inlined it has to be given an address, and each
thread would make a copy to have one. Such kernels, and those whose runs differ, read them from an array.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.device import HOST, kernel_cache
from planetfall.compute.parts_by_name import PartsByName
from planetfall.engine.build import Model
from planetfall.engine.state.batch import structs
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.code_plan import KERNEL_OPTIONS
from planetfall.world.preparations import ESTIMATE, telling

LARGE_BLOCK, MIDDLE_BLOCK, SMALL_BLOCK, LEAST_BLOCK = 256, 128, 64, 32
"""Threads to a block on a GPU; the first two are what kernels with little and with much to keep are bounded to."""
ADVANCE: PartsByName[Any] = PartsByName(
    {
        "rk4": "planetfall.engine.solver.rk4:rk4_advance",
        "adaptive": "planetfall.engine.solver.adaptive:adaptive_advance",
    }
)
"""By method: the function that makes the one that advances a run."""


@lru_cache
def kernel_of(assembly: Assembly, has_per_run_parameters: bool = False, block: int = LARGE_BLOCK) -> Any:
    """The integrating kernel of an assembly; compiled when first launched, then cached on disk by Warp.

    With `has_per_run_parameters`, or where functions are not inlined, it takes an array of parameter structs, [run] or
    of one for all, in place of one struct. `block`: threads to a block on a GPU; with the least, a thread has all
    registers that it can use.
    """
    options = {**KERNEL_OPTIONS, "launch_bounds": launch_bounds(assembly, block)}
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    advance_run = ADVANCE[assembly.method](assembly)

    if has_per_run_parameters or assembly.plan.calls_functions:

        @wp.kernel(**options)
        def advance_each(
            batch: batch_type, run_params: wp.array(dtype=params), record: record_type, live: wp.array(dtype=wp.int32),
            max_steps: int, max_events: int,
        ):  # fmt: skip
            run = live[wp.tid()]
            advance_run(batch, run_params[wp.min(run, run_params.shape[0] - 1)], record, run, max_steps, max_events)

        return advance_each

    @wp.kernel(**options)
    def advance(
        batch: batch_type, p: params, record: record_type, live: wp.array(dtype=wp.int32), max_steps: int,
        max_events: int,
    ):  # fmt: skip
        advance_run(batch, p, record, live[wp.tid()], max_steps, max_events)

    return advance


def launch_bounds(assembly: Assembly, block: int) -> tuple[int, int]:
    """Threads to a block at most and blocks to a multiprocessor at least, from which registers per thread follow.

    With a fixed step 128 registers: more warps in flight outweigh the spills. Where there is a view of the ground to
    keep, and in an adaptive step, a thread takes all: the spills of more warps would outgrow the cache. Over a map with
    the nearest facet 168: of a step in flight, a quarter went into spills.
    """
    if block <= LEAST_BLOCK:
        return LEAST_BLOCK, 1
    if assembly.terrain.is_register_bound and not assembly.is_mode_locked:
        return MIDDLE_BLOCK, 3
    return (LARGE_BLOCK, 2) if assembly.terrain.view is None and not assembly.is_mode_locked else (MIDDLE_BLOCK, 2)


def block_size(assembly: Assembly, n_runs: int, n_multiprocessors: int) -> int:
    """Threads to a block on a GPU: fewer than usual where whole blocks would leave some multiprocessors idle.

    A run is one thread, so that 10,000 runs in blocks of 256 use 40 of an H200's 132 multiprocessors. A large kernel
    waits for its instructions, for each warp on its own: it gains from warps that are spread as widely as they can be.
    """
    if n_runs >= LARGE_BLOCK * n_multiprocessors:
        return launch_bounds(assembly, LARGE_BLOCK)[0]
    return LEAST_BLOCK if assembly.plan.is_large else SMALL_BLOCK


def block_of(model: Model, n_runs: int) -> int:
    """Threads to a block for a batch on a model's device; on a CPU there are no blocks, and it does not matter."""
    device = wp.get_device(model.device)
    return block_size(model.assembly, n_runs, device.sm_count) if device.is_cuda else LARGE_BLOCK


def load_kernel(kernel: Any, device: str, block: int) -> None:
    """Compiles a kernel for a device, unless that was done before; whoever listens is told what takes so long."""
    reckoned = "2 to 20 s" if device == HOST else "10 to 90 s"  # seen: a box, and a whole landing
    tell = telling(f"compiling, once for scenarios of this kind{ESTIMATE}{reckoned}")
    tell(0.0)
    try:
        with kernel_cache():
            wp.load_module(kernel.module, device=device, **({} if device == HOST else {"block_dim": block}))
    finally:
        tell(1.0)


def shared_params(model: Model) -> Any:
    """A model's parameters as the kernel takes them for a batch whose runs share them."""
    if not model.assembly.plan.calls_functions:
        return model.params
    return wp.array([model.params], dtype=model.assembly.params, device=model.device)
