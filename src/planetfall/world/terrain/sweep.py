"""Many questions to a terrain at once: on all cores, and neighbours one after the other.

Neighbouring questions need the same part of the terrain, which is then still at hand. That is worth a factor of two on a
large mesh, and the answers are the same in any order.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import warp as wp

SLICES_PER_THREAD = 2
MIN_SLICE = 1000
"""Questions for which another thread is worth its start."""
MIN_SORTED = 10_000
"""Questions that are worth sorting."""
N_CELLS = 64
"""Cells along each of the two longest sides of the box about the questions."""


def sweep(kernel: Any, params: Any, questions: list[np.ndarray], limits: list[float], dtypes: list[Any]) -> list[Any]:
    """Answers to n questions, each a row of the arrays [n, 3], by a kernel on a CPU.

    The kernel takes the terrain's params, the questions, the limits and one array of answers for each dtype.
    """
    wp.load_module(kernel.module, device="cpu")  # compiled here, once: threads would each compile for themselves
    n, n_threads = len(questions[0]), os.cpu_count() or 1
    answers = [wp.zeros(n, dtype=dtype, device="cpu") for dtype in dtypes]
    views = [answer.numpy() for answer in answers]
    if n == 0:
        return views

    def answer(part: slice) -> None:
        asked, found = [question[part] for question in questions], [answer[part] for answer in answers]
        order = neighbour_order(*asked)
        if order is not None:
            asked = [question[order] for question in asked]
            found = [wp.empty(len(order), dtype=dtype, device="cpu") for dtype in dtypes]
        rows = [wp.array(question, dtype=wp.vec3d, device="cpu", copy=False) for question in asked]
        wp.launch(kernel, len(asked[0]), inputs=[params, *rows, *limits, *found], device="cpu")
        if order is not None:
            for view, some in zip(views, found, strict=True):
                view[part][order] = some.numpy()

    n_slices = max(1, min(n // MIN_SLICE, SLICES_PER_THREAD * n_threads))
    ends = np.linspace(0, n, n_slices + 1).astype(int)
    parts = [slice(start, end) for start, end in zip(ends[:-1], ends[1:], strict=True)]
    if n_slices == 1:
        answer(parts[0])
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(answer, parts))
    return views


def neighbour_order(points: np.ndarray, directions: np.ndarray | None = None) -> np.ndarray | None:
    """An order of points [n, 3] in which those of one cell of a grid follow each other; None if it is not worth it.

    Those that look another way, by octants of the grid's plane, come apart.
    """
    n = len(points)
    low, high = points.min(axis=0, initial=np.inf), points.max(axis=0, initial=-np.inf)
    if n < MIN_SORTED or not np.all(np.isfinite(high - low)):
        return None
    key = np.zeros(n, dtype=np.uint16)  # sorted by counting, in a fraction of the time of longer keys
    first, second = np.argsort(high - low)[1:]
    if directions is not None:
        x, y = directions[:, first], directions[:, second]
        key += (x > 0).astype(np.uint16) * np.uint16(4) + (y > 0) * np.uint16(2) + (np.abs(x) > np.abs(y))
    for axis in (first, second):
        side = high[axis] - low[axis]
        if side > 0:
            cell = ((points[:, axis] - low[axis]) / side * (N_CELLS - 1)).astype(np.uint16)
            key = key * np.uint16(N_CELLS) + cell
    return np.argsort(key, kind="stable")
