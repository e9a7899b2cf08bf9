"""Which thread of a GPU takes which run of an adaptive method.

A warp of 32 threads does one after the other what its runs have to do, unless they do the same. So runs with like work
share a warp, and where there are threads to spare, fewer runs do. What comes out of a run depends on neither.
"""

from typing import Any

import numpy as np
import warp as wp

from planetfall.engine.kernel import LARGE_BLOCK, launch_bounds
from planetfall.engine.machine import Machine

WARP = 32
RUN_STEPS, FEWEST_STEPS, MOST_STEPS = 5_000_000, 50, 500
"""Of one launch. What runs have in common is not for long, and a thread whose run has ended waits for the others."""


def steps_of_launch(n_runs: int) -> int:
    """Steps of each run until runs are put together anew."""
    return int(np.clip(RUN_STEPS // n_runs, FEWEST_STEPS, MOST_STEPS))


def lanes_of(machine: Machine, live: np.ndarray) -> np.ndarray:
    """The live run that each thread of a launch takes, -1 for none."""
    threads, blocks = launch_bounds(machine.model.assembly, LARGE_BLOCK)
    return spread(live, work_of(machine), threads * blocks * wp.get_device(machine.model.device).sm_count)


def work_of(machine: Machine) -> np.ndarray:
    """What each run is about to do, as a number [run]: to leap, to fly low, to touch with one point, with more."""
    batch: Any = machine.batch
    if not machine.model.assembly.culls:
        return batch.monitors.memory.modes.numpy().astype(bool).sum(axis=0)
    touching, close = batch.monitors.memory.n_near.numpy()[0], batch.n_close.numpy()
    is_leaping = batch.monitors.way.numpy() > 0.0
    return np.where(is_leaping, -1, close + len(batch.close) * touching)


def spread(live: np.ndarray, work: np.ndarray, n_threads: int) -> np.ndarray:
    """Live runs by their work [run], on as few threads of each warp as will do: so many threads are at work at once."""
    stride = int(np.clip(n_threads // len(live), 1, WARP))
    lanes = np.full(len(live) * stride, -1, dtype=np.int32)
    lanes[::stride] = live[np.argsort(work[live], kind="stable")]
    return lanes
