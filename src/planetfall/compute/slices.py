"""One launch over all cores of a CPU: Warp runs a launch on one thread there, so it is cut into slices."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import warp as wp

SLICES_PER_CORE = 8
"""Slices that a core gets, so that uneven ones even out."""


def launch_in_slices(
    kernel: Any,
    n: int,
    inputs: list[Any],
    outputs: list[Any],
    device: str,
    tell: Callable[[float], None] | None = None,
) -> None:
    """Launches a kernel over n items whose first index is `wp.tid() + first`.

    `first` is the kernel's parameter after the inputs. What an item computes does not depend on the slice it is in.

    Args:
        kernel: The kernel.
        n: Number of items.
        inputs: Its parameters before `first`.
        outputs: Its parameters after `first`.
        device: Warp device; on CUDA there is one slice.
        tell: Told the share that is done, 0 to 1.
    """
    if n == 0:
        return
    if wp.get_device(device).is_cuda:
        wp.launch(kernel, n, inputs=[*inputs, 0], outputs=outputs, device=device)
        wp.synchronize_device(device)
        return
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    n_slices = min(n, n_cores * SLICES_PER_CORE)
    bounds = [n * i // n_slices for i in range(n_slices + 1)]

    def one(i: int) -> None:
        first, count = bounds[i], bounds[i + 1] - bounds[i]
        wp.launch(kernel, count, inputs=[*inputs, first], outputs=outputs, device=device)

    if n_slices == 1:
        one(0)
        return
    wp.load_module(kernel.module, device=device)  # once, before every thread compiles it for itself
    with ThreadPoolExecutor(n_cores) as pool:
        for done, _ in enumerate(pool.map(one, range(n_slices)), start=1):
            if tell is not None:
                tell(done / n_slices)
