"""The landing detector over some hundred landings: none missed, none early, and how late."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import planetfall
from planetfall.analysis.campaign.detection import detection
from planetfall.engine.build import Model, build
from planetfall.engine.run import run_batch, run_recorded
from planetfall.engine.state.result import BatchResult

N = 300
FAST = {
    "scenario.duration": 7.0,
    "integrator": {"method": "rk4", "step": 1e-3, "accept_step": True},
    "record.interval": 0.1,
}
"""The built-in landing with longer steps: RK4 stays stable at the speeds that the thruster leaves."""


@lru_cache
def model(is_recorded: bool) -> Model:
    return build(planetfall.load("sensed-landing").with_values(FAST), is_recorded=is_recorded)


def dispersed(n: int) -> np.ndarray:
    """Starts about the scenario's own: 0.3 m in height, 0.1 m/s, 1 degree, 1 degree/s."""
    rng = np.random.default_rng(20)
    states = np.tile(model(False).initial_state, (n, 1))
    states[:, 2] += rng.uniform(-0.3, 0.3, n)
    states[:, 3:6] += rng.normal(scale=0.1, size=(n, 3))
    states[:, 6:8] += rng.normal(scale=0.01, size=(n, 2))
    states[:, 6:10] /= np.linalg.norm(states[:, 6:10], axis=1)[:, None]
    states[:, 10:13] += rng.normal(scale=0.02, size=(n, 3))
    return states


@pytest.fixture(scope="module")
def landings() -> BatchResult:
    return run_batch(model(False), dispersed(N))


def test_none_is_missed_and_none_is_early(landings: BatchResult) -> None:
    found = detection(landings)
    assert (found.n_early, found.n_missed) == (0, 0)
    assert np.isfinite(found.delay).all()


def test_no_declaration_sooner_than_the_hold_after_touch(landings: BatchResult) -> None:
    """In flight the IMU reads one g on the thruster, but at 1 m/s the velocimeter says no."""
    assert detection(landings).delay.min() >= 0.5


def test_declared_within_the_hold_and_two_slow_samples_of_rest(landings: BatchResult) -> None:
    """At rest all readings are still within their noise: speed limit 10 sigma, force band 70 sigma, range 10 sigma.

    What is declared then is declared hold = 0.5 s after the last slow sensor (20 Hz) has looked, and the truth's
    own stillness (1 mm/s) is stricter than the detector's (0.1 m/s), so it may come first, but never much later.
    """
    late = landings.detected - landings.rest
    assert np.isfinite(late).all()
    assert late.max() <= 0.5 + 2.0 / 20.0


def test_delays_are_those_of_the_readings_and_nothing_else() -> None:
    """A recorded run's own samples, judged again in NumPy, give the declared instant."""
    run = run_recorded(model(True))
    samples = run.samples
    instants = np.unique(np.concatenate([taken.time for taken in samples.values()]))

    def latest(name: str, t: float) -> np.ndarray:
        return samples[name].value[np.searchsorted(samples[name].time, t, side="right") - 1]

    since = np.nan
    for t in instants:
        force = np.linalg.norm(latest("imu", t)[:3])
        still = (
            latest("altimeter", t)[0] <= 0.25
            and np.all(np.abs(latest("velocimeter", t)) <= 0.1)
            and abs(force - 3.7132) <= 0.37132
        )
        since = np.nan if not still else since if np.isfinite(since) else t
        if t - since >= 0.5 - 1e-9:
            break
    assert run.end.detected[0] == t
    landed = [event for event in run.events if event.kind == "landed"]
    assert [event.time for event in landed] == [t]
    at = np.argmin(np.abs(run.frames.time - t))
    np.testing.assert_allclose(landed[0].position, run.frames.state[at, :3], rtol=0.0, atol=1e-3)


def test_on_the_imu_alone_hovering_is_taken_for_standing() -> None:
    """Why the detector reads more than an IMU: on the thruster's one g it declares after the hold, in the air."""
    values = {"detector": {"kind": "altimeter-velocity", "imu": "imu", "hold": 0.5}}
    scenario = planetfall.load("sensed-landing").with_values({**FAST, **values})
    result = run_batch(build(scenario, is_recorded=False), dispersed(20))
    found = detection(result)
    assert found.n_early == 20
    np.testing.assert_allclose(result.detected, 0.5, rtol=0.0, atol=1e-12)
    assert found.quantile(1.0) < 0.0


def test_delay_counts_early_and_missed_landings() -> None:
    """By hand: declared after touch; before; without touch; touched but not declared; neither."""
    nan = np.nan
    touch = np.array([[1.0, 2.0], [1.0, nan], [nan, nan], [3.0, 1.0], [nan, nan]])
    declared = np.array([4.0, 0.5, 2.0, nan, nan])
    blank = np.zeros(5)
    result = BatchResult(
        time=blank, state=np.zeros((5, 13)), status=blank, steps=blank, first_touch=touch, peak=touch, touches=touch,
        penetration=blank, rest=blank, overturn=blank, detected=declared, crash=blank, energy_rise=blank,
        energy_rise_bound=blank,
    )  # fmt: skip
    found = detection(result)
    np.testing.assert_array_equal(found.delay, [3.0, -0.5, nan, nan, nan])
    assert (found.n_early, found.n_missed) == (2, 1)
    assert found.quantile(0.5) == 1.25
    assert np.isnan(detection(BatchResult(**{**vars(result), "detected": np.full(5, nan)})).quantile(0.5))
