"""The kernel that advances a batch: one thread per live run, all with the same parameters or each with its own."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.adaptive import adaptive_advance
from planetfall.engine.assembly import KERNEL_OPTIONS, Assembly
from planetfall.engine.batch import structs
from planetfall.engine.rk4 import rk4_advance

ADVANCE = {"rk4": rk4_advance, "adaptive": adaptive_advance}


@lru_cache
def kernel_of(assembly: Assembly, has_own_params: bool = False) -> Any:
    """The integrating kernel of an assembly; compiled when first launched, then cached on disk by Warp.

    With `has_own_params` it takes an array of parameter structs [run] in place of one struct.
    """
    params, (batch_type, record_type) = assembly.params, structs(assembly)
    advance_run = ADVANCE[assembly.method](assembly)

    if has_own_params:

        @wp.kernel(**KERNEL_OPTIONS)
        def advance_each(
            batch: batch_type, own: wp.array(dtype=params), record: record_type, live: wp.array(dtype=wp.int32),
            max_steps: int, max_events: int,
        ):  # fmt: skip
            run = live[wp.tid()]
            advance_run(batch, own[run], record, run, max_steps, max_events)

        return advance_each

    @wp.kernel(**KERNEL_OPTIONS)
    def advance(
        batch: batch_type, p: params, record: record_type, live: wp.array(dtype=wp.int32), max_steps: int,
        max_events: int,
    ):  # fmt: skip
        run = live[wp.tid()]
        advance_run(batch, p, record, run, max_steps, max_events)

    return advance
