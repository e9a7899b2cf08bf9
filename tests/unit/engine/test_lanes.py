"""Threads of a GPU: who shares a warp, and how many steps a launch has."""

import numpy as np

from planetfall.engine.lanes import FEWEST_STEPS, MOST_STEPS, WARP, spread, steps_of_launch


def test_runs_with_like_work_are_neighbours() -> None:
    """Every live run once, in the order of its work, and no gaps while there are more runs than threads."""
    work = np.array([3, 0, 2, 9, 1, 2])
    live = np.array([0, 1, 2, 4, 5], dtype=np.int32)
    assert spread(live, work, 4).tolist() == [1, 4, 2, 5, 0]


def test_few_runs_have_a_warp_for_themselves() -> None:
    """With threads to spare every so many have a run, down to one in a warp; the others have none."""
    live = np.arange(10, dtype=np.int32)
    lanes = spread(live, np.zeros(10), 85)
    assert len(lanes) == 80 and np.array_equal(lanes[::8], live) and np.all(np.delete(lanes, np.s_[::8]) == -1)
    assert len(spread(live, np.zeros(10), 100_000)) == 10 * WARP


def test_launches_of_few_runs_are_longer() -> None:
    """Within bounds."""
    assert steps_of_launch(1) == MOST_STEPS
    assert steps_of_launch(20_000) == 250
    assert steps_of_launch(10**6) == FEWEST_STEPS
