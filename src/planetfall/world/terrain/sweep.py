"""Many questions to a terrain at once: on all cores, and neighbours one after the other.

Neighbouring questions need the same part of the terrain, which is then still at hand. That is worth a factor of two on
a large mesh, and the answers are the same in any order.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import warp as wp

Map = Callable[[Callable[[slice], Any], Iterable[slice]], Iterable[Any]]

SLICES_PER_THREAD = 4
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
    answers = [wp.zeros(n, dtype=dtype, device="cpu").numpy() for dtype in dtypes]
    parts = _slices(n, SLICES_PER_THREAD * n_threads)

    def answer(part: slice, order: np.ndarray | None = None) -> None:
        which = part if order is None else order[part]
        rows = [wp.array(question[which], dtype=wp.vec3d, device="cpu", copy=False) for question in questions]
        found = [wp.empty(part.stop - part.start, dtype=dtype, device="cpu") for dtype in dtypes]
        wp.launch(kernel, part.stop - part.start, inputs=[params, *rows, *limits, *found], device="cpu")
        for whole, some in zip(answers, found, strict=True):
            whole[which] = some.numpy()

    if len(parts) < 2:  # to start a thread takes longer than a few answers
        list(map(answer, parts))
        return answers
    with ThreadPoolExecutor(n_threads) as pool:
        order = neighbour_order(*questions, each=pool.map)
        list(pool.map(lambda part: answer(part, order), parts))
    return answers


def neighbour_order(points: np.ndarray, directions: np.ndarray | None = None, *, each: Map = map) -> np.ndarray | None:
    """An order of points [n, 3] in which those of one cell of a grid follow each other; None if it is not worth it.

    Those that look another way, by octants of the grid's plane, come apart. `each` may map on several threads.
    """
    n, parts = len(points), _slices(len(points), 16)
    if n < MIN_SORTED:
        return None
    low = np.min(list(each(lambda part: points[part].min(axis=0), parts)), axis=0)
    sides = np.max(list(each(lambda part: points[part].max(axis=0), parts)), axis=0) - low
    if not np.all(np.isfinite(sides)):
        return None
    axes = [axis for axis in np.argsort(sides)[1:] if sides[axis] > 0]
    keys = np.zeros(n, dtype=np.uint16)  # sorted by counting, in a fraction of the time of longer keys

    def fill(part: slice) -> None:
        key = np.zeros(part.stop - part.start, dtype=np.uint16)
        if directions is not None and len(axes) == 2:
            x, y = (directions[part, axis] for axis in axes)
            key += (x > 0) * np.uint16(4) + (y > 0) * np.uint16(2) + (np.abs(x) > np.abs(y))
        for axis in axes:
            cell = (points[part, axis] - low[axis]) / sides[axis] * (N_CELLS - 1)
            key = key * np.uint16(N_CELLS) + cell.astype(np.uint16)
        keys[part] = key

    list(each(fill, parts))
    return np.argsort(keys, kind="stable")


def _slices(n: int, n_wanted: int) -> list[slice]:
    """The range of n cut into about equal slices, none of them too small to be worth it."""
    ends = np.linspace(0, n, max(1, min(n // MIN_SLICE, n_wanted)) + 1).astype(int)
    return [slice(int(start), int(end)) for start, end in pairwise(ends) if end > start]
