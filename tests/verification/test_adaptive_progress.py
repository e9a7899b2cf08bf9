"""An adaptive run comes to its end: slow points do not stop it, and one that gets nowhere is given up with advice."""

from __future__ import annotations

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_batch
from planetfall.engine.solver.stall import LEAST_SHARE, WINDOW
from planetfall.outcome import Outcome
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.simulate import run
from support.block_scene import assert_same_bits
from support.plain_box import slow_box
from support.stalling import DURATION, ended_in_chunks, ended_in_waves, stalling_blocks


def test_a_slow_box_comes_to_its_end() -> None:
    """It ends as the fixed step has it, in some thousand steps, and its energy account closes to the tolerance.

    Over rocking and sliding of half an hour the two stay together to 1e-4 of the energy that is lost.
    """
    adaptive = run(scenario_from_dict(slow_box())).summary
    fixed = {"integrator": {"method": "rk4", "step": 5e-3, "accept_step": True}}
    expected = run(scenario_from_dict(slow_box() | fixed)).summary
    assert adaptive["end_s"] == slow_box()["scenario"]["duration"]
    assert adaptive["outcome"] == expected["outcome"]
    assert adaptive["steps"] < 5000
    lost = adaptive["energy_start_J"] - adaptive["energy_end_J"]
    assert adaptive["energy_end_J"] == pytest.approx(expected["energy_end_J"], abs=1e-4 * lost)
    assert adaptive["energy_closure_J"] < 1e-8 * lost
    assert adaptive["energy_rise_J"] < 1e-8 * lost


FOR_EVER = 2e9
"""[s]: a window of steps has to lead 2000 s ahead."""


def hopeless(**values: object) -> planetfall.Scenario:
    """A cube whose friction sets in below 1e-9 m/s and hardly lets it rest, over 63 years."""
    long = {"scenario.duration": FOR_EVER, "record.interval": 1e5, "integrator.max_step": FOR_EVER}
    return planetfall.load("cube-phobos").with_values(
        {"contact.slip_speed": 1e-9, "gravity.acceleration": 1.0, **long, **values}
    )


def test_a_run_that_gets_nowhere_is_given_up_with_advice() -> None:
    """Alone: within two windows of steps, with an event, and advice that helps."""
    trajectory = run(hopeless())
    summary = trajectory.summary
    assert summary["outcome"] == "step_refused"
    assert summary["steps"] <= 2 * WINDOW
    assert summary["steps"] % WINDOW == 0
    assert trajectory.events[-1].kind == "step_refused"
    for words in ("slip_speed", "integrator.tolerance", "'rk4'"):
        assert words in summary["outcome_sentence"]
    assert run(hopeless(**{"contact.slip_speed": 3e-4})).summary["outcome"] == "settled"


def test_in_a_batch_it_does_not_hold_up_the_others() -> None:
    """One that never lands goes on to its end beside it; chunks have no say."""
    model = build(hopeless(), is_recorded=False)
    states = np.tile(model.initial_state, (2, 1))
    states[1, 5], states[1, 10:13] = FOR_EVER, 0.0  # up, and not back within the duration
    once, chunked = (run_batch(model, states, chunk_steps=steps, threads=1) for steps in (None, 777))
    assert [Outcome(status).name for status in once.status] == ["step_refused", "timed_out"]
    assert once.time[1] == FOR_EVER
    assert_same_bits(chunked, once)


def test_progress_is_judged_alike_in_waves() -> None:
    """With steps that were taken already, so that few are left: at the same one, in the same bits."""
    expected = ended_in_chunks(stalling_blocks("cpu"), 7)
    assert np.all(expected.status == Outcome.step_refused)
    assert np.all(expected.steps == WINDOW)
    assert np.all(expected.time < float(LEAST_SHARE) * DURATION)
    assert_same_bits(ended_in_waves(stalling_blocks("cpu")), expected)
