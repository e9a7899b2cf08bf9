"""The kernel that advances a batch: one thread per live run, all with the same parameters or each with its own.

Parameters are kilobytes. On a GPU those that all runs share are best given to the kernel as they are: what it reads of
them then comes from a memory for constants. But where a function is not inlined it has to be given an address, and each
thread would make a copy to have one. Such kernels, and those whose runs differ, read them from an array.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.adaptive import adaptive_advance
from planetfall.engine.assembly import KERNEL_OPTIONS, Assembly
from planetfall.engine.batch import structs
from planetfall.engine.build import Model
from planetfall.engine.rk4 import rk4_advance

ADVANCE = {"rk4": rk4_advance, "adaptive": adaptive_advance}


@lru_cache
def kernel_of(assembly: Assembly, has_own_params: bool = False) -> Any:
    """The integrating kernel of an assembly; compiled when first launched, then cached on disk by Warp.

    With `has_own_params`, or where functions are not inlined, it takes an array of parameter structs, [run] or of one
    for all, in place of one struct.
    """
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    advance_run = ADVANCE[assembly.method](assembly)

    if has_own_params or assembly.calls_functions:

        @wp.kernel(**KERNEL_OPTIONS)
        def advance_each(
            batch: batch_type, own: wp.array(dtype=params), record: record_type, live: wp.array(dtype=wp.int32),
            max_steps: int, max_events: int,
        ):  # fmt: skip
            run = live[wp.tid()]
            advance_run(batch, own[wp.min(run, own.shape[0] - 1)], record, run, max_steps, max_events)

        return advance_each

    @wp.kernel(**KERNEL_OPTIONS)
    def advance(
        batch: batch_type, p: params, record: record_type, live: wp.array(dtype=wp.int32), max_steps: int,
        max_events: int,
    ):  # fmt: skip
        run = live[wp.tid()]
        advance_run(batch, p, record, run, max_steps, max_events)

    return advance


def shared_params(model: Model) -> Any:
    """A model's parameters as the kernel takes them for a batch whose runs share them."""
    if not model.assembly.calls_functions:
        return model.params
    return wp.array([model.params], dtype=model.assembly.params, device=model.device)
