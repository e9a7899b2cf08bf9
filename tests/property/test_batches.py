"""A run is the same to the last bit: alone or in a batch, in any order, chunks and threads, recorded or not."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetfall.engine.build import build
from planetfall.engine.run import run_batch, run_recorded
from planetfall.engine.state.result import BatchResult
from support.block_scene import METHODS, assert_same_bits, block, block_model, spread
from support.few import few

BOTH = pytest.mark.parametrize("method", list(METHODS))
N_RUNS = 64


def starts(method: str) -> np.ndarray:
    return spread(block_model(method).initial_state, N_RUNS, seed=7)


@lru_cache
def alone(method: str) -> BatchResult:
    """Every start as a batch of its own, in one chunk, on one thread; put together."""
    model = block_model(method)
    ends = [run_batch(model, state[None], threads=1, chunk_steps=10**9) for state in starts(method)]
    return BatchResult(**{name: np.concatenate([vars(end)[name] for end in ends]) for name in vars(ends[0])})


@BOTH
def test_the_starts_are_worth_comparing(method: str) -> None:
    """They touch, bounce, tilt and come to rest, each in its own way."""
    ends = alone(method)
    assert len(np.unique(ends.state, axis=0)) == N_RUNS
    assert len(np.unique(ends.status)) >= 2
    assert np.isfinite(ends.first_touch).mean() > 0.5
    assert ends.touches.max() >= 2


@BOTH
@few(12)
@given(data=st.data())
def test_batch_is_single(method: str, data: st.DataObject) -> None:
    n = data.draw(st.sampled_from([1, 3, 17, 64]), label="batch size")
    order = np.array(data.draw(st.permutations(range(N_RUNS)), label="order")[:n])
    chunk = data.draw(st.sampled_from([1, 7, 100, 10**9, None]), label="chunk")
    threads = data.draw(st.sampled_from([1, 2, 4]), label="threads")
    found = run_batch(block_model(method), starts(method)[order], threads=threads, chunk_steps=chunk)
    assert_same_bits(found, alone(method), order)


@BOTH
@pytest.mark.parametrize("chunk", [1, 7, 100])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_chunks_and_threads_leave_no_trace(method: str, chunk: int, threads: int) -> None:
    found = run_batch(block_model(method), starts(method)[:17], threads=threads, chunk_steps=chunk)
    assert_same_bits(found, alone(method), slice(17))


@BOTH
def test_a_run_may_stand_in_a_batch_twice(method: str) -> None:
    twice = np.concatenate([starts(method)[:5], starts(method)[:5]])
    assert_same_bits(run_batch(block_model(method), twice), alone(method), np.tile(np.arange(5), 2))


@BOTH
@few(6)
@given(seed=st.integers(0, 2**32 - 1), chunk=st.sampled_from([1, 7, 100, None]))
def test_recording_only_looks(method: str, seed: int, chunk: int | None) -> None:
    """The recorded kernel integrates work as well; the motion has the same bits."""
    state = spread(block_model(method).initial_state, 1, seed)[0]
    start = {
        "initial": {
            "position": state[:3].tolist(), "velocity": state[3:6].tolist(), "attitude": state[6:10].tolist(),
            "angular_velocity": state[10:13].tolist(),
        }
    }  # fmt: skip
    scenario = block(method).with_values(start)
    model = build(scenario, is_recorded=False)
    recorded = run_recorded(build(scenario), chunk_steps=chunk)
    assert_same_bits(recorded.end, run_batch(model, model.initial_state[None]))


@BOTH
@few(8)
@given(interval=st.floats(1e-3, 3.0), seed=st.integers(0, 100))
def test_the_interval_of_the_record_leaves_no_trace(method: str, interval: float, seed: int) -> None:
    """Neither in the end of a run nor in its events."""
    rates = np.random.default_rng(seed).normal(size=3).tolist()
    scenario = block(method, initial__angular_velocity=rates)
    fine, coarse = (run_recorded(build(scenario.with_values({"record.interval": value}))) for value in (0.01, interval))
    assert_same_bits(coarse.end, fine.end)
    assert coarse.events == fine.events
