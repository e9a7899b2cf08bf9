"""A CUDA device gives the bits of a CPU, where every operation of a run is rounded alike (`Assembly.rounds_alike`).

Batches of one run, of one more than a warp, and of one more than 33 of them, so that waves have full and broken ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import warp as wp

import planetfall
from planetfall.compute.device import start_warp
from planetfall.engine.build import build
from planetfall.engine.gpu.cpu_offload import can_hand_over
from planetfall.engine.run import run_batch
from planetfall.outcome import Outcome
from support.block_scene import assert_same_bits, block
from support.hoppers import hopper
from support.stalling import ended_in_chunks, ended_in_waves, stalling_blocks

start_warp()
CUDA = "cuda:0"
pytestmark = pytest.mark.skipif(not wp.is_cuda_available(), reason="there is no CUDA device on this machine")
SIZES = (1, 33, 1057)


def two_blocks() -> planetfall.Scenario:
    """A block that falls on a slope, and a heavier one beside it, by error control."""
    one = block("adaptive")
    other = {**one.to_dict()["vehicle"], "name": "other", "mass": 3.0 * one.vehicle.mass}
    beside = {"position": [8.0, 0.0, 2.0], "velocity": [0.0, 0.3, 0.0]}
    return one.with_values({"companions": [{"vehicle": other, "initial": beside}]})


SCENARIOS: dict[str, Callable[[], planetfall.Scenario]] = {
    "hopper": lambda: hopper().scenario,
    "two bodies": two_blocks,
}


def starts(state: np.ndarray, n: int) -> np.ndarray:
    """About a state [run, number], which comes first: the first body with other velocities and rates."""
    drawn = np.random.default_rng(n).normal(size=(n, 6))
    drawn[0] = 0.0
    states = np.tile(state, (n, 1))
    states[:, 3:6] += 0.02 * drawn[:, :3]
    states[:, 10:13] += 0.1 * drawn[:, 3:]
    return states


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", SCENARIOS)
def test_a_batch_on_a_card_has_the_bits_of_a_processor(kind: str, n: int) -> None:
    """With the host's cores at work on the last runs, and with the card alone."""
    scenario = SCENARIOS[kind]()
    here, there = (build(scenario, device, is_recorded=False) for device in ("cpu", CUDA))
    assert can_hand_over(here)
    states = starts(here.initial_state, n)
    expected = run_batch(here, states)
    assert expected.touches.sum() > 0
    assert_same_bits(run_batch(there, states), expected)
    assert_same_bits(run_batch(there, states, hand_over_at=0), expected)


def test_a_campaign_on_a_card_has_the_rows_of_a_processor() -> None:
    """With parameters of their own, run by run."""
    scenario = planetfall.load("settle-sweep")
    here, there = (planetfall.montecarlo(scenario, 132, 1, device=device).data for device in ("cpu", CUDA))
    assert here.drop_attrs().identical(there.drop_attrs())


def test_a_run_that_gets_nowhere_is_given_up_on_a_card_too() -> None:
    """At the same step, in the same bits, by a thread for each run and in waves."""
    expected = ended_in_chunks(stalling_blocks("cpu"), 7)
    assert np.all(expected.status == Outcome.step_refused)
    assert_same_bits(ended_in_chunks(stalling_blocks(CUDA), 7), expected)
    assert_same_bits(ended_in_waves(stalling_blocks(CUDA)), expected)
