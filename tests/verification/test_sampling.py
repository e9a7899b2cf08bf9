"""When sensors are read and with what noise; and that reading them changes nothing else."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
import warp as wp

from planetfall.engine.build import Model, build
from planetfall.engine.run import run_batch, run_recorded
from planetfall.engine.state.result import RecordedRun
from planetfall.flight.sensors import kinds
from planetfall.flight.sensors.altimeter import ALTIMETER as ALTIMETER_MODEL
from planetfall.flight.sensors.altimeter import AltimeterParams
from planetfall.flight.sensors.model import Motion, channels
from support.block_scene import assert_same_bits, block, spread
from support.sensed_block import ALTIMETER, IMU, VELOCIMETER, sensed_block

BOTH = pytest.mark.parametrize("method", ["rk4", "adaptive"])
NOISY = [
    {**ALTIMETER, "noise": 0.02},
    {**VELOCIMETER, "noise": 0.03},
    {**IMU, "accelerometer_noise": 2e-3, "gyroscope_noise": 1e-4},
]
LANDING: dict[str, Any] = {
    "scenario__duration": 2.5, "terrain__slope_deg": 0.0, "initial__height": 0.4,
    "detector": {
        "kind": "altimeter-velocity", "altimeter": "altimeter", "velocimeter": "velocimeter", "imu": "imu",
        "range_below": 0.25, "hold": 0.2,
    },
}  # fmt: skip


@lru_cache
def model(method: str, is_recorded: bool) -> Model:
    """A noisy landing of a block, with its detector."""
    return build(sensed_block(method, NOISY, **LANDING), is_recorded=is_recorded)


def same_samples(found: RecordedRun, expected: RecordedRun) -> None:
    assert found.samples.keys() == expected.samples.keys()
    for name, samples in expected.samples.items():
        np.testing.assert_array_equal(found.samples[name].time, samples.time)
        np.testing.assert_array_equal(found.samples[name].value, samples.value)


@BOTH
def test_sensors_leave_the_trajectory_alone(method: str) -> None:
    """Bit for bit, history and end."""
    values = {key: value for key, value in LANDING.items() if key != "detector"}
    bare, sensed = run_recorded(build(block(method, **values))), run_recorded(model(method, True))
    np.testing.assert_array_equal(sensed.frames.time, bare.frames.time)
    np.testing.assert_array_equal(sensed.frames.state, bare.frames.state)
    assert_same_bits(replace(sensed.end, detected=bare.end.detected), bare.end)


def test_fixed_steps_sample_at_the_first_step_after_each_instant() -> None:
    """64 Hz on steps of 2 ms, on which of the multiples of 1/64 s only every sixteenth falls."""
    run = run_recorded(build(sensed_block("rk4", [{**ALTIMETER, "rate": 64.0}])))
    times = run.samples["altimeter"].time
    ticks = np.arange(65) / 64.0
    np.testing.assert_allclose(times, np.ceil(ticks / 2e-3 - 1e-9) * 2e-3, rtol=0.0, atol=1e-15)
    late = times - ticks
    np.testing.assert_allclose(late[::16], 0.0, rtol=0.0, atol=1e-15)
    assert late.max() > 1.5e-3


def test_the_adaptive_method_samples_at_the_instants_themselves() -> None:
    run = run_recorded(model("adaptive", True))
    for sensor in (ALTIMETER, VELOCIMETER, IMU):
        expected = np.arange(int(2.5 * sensor["rate"]) + 1) / sensor["rate"]
        np.testing.assert_array_equal(run.samples[sensor["name"]].time, expected)


@BOTH
@pytest.mark.parametrize("chunk", [1, 7, 100])
def test_samples_do_not_depend_on_chunks(method: str, chunk: int) -> None:
    whole, cut = run_recorded(model(method, True)), run_recorded(model(method, True), chunk_steps=chunk)
    same_samples(cut, whole)
    assert_same_bits(cut.end, whole.end)
    assert cut.events == whole.events


@BOTH
def test_a_run_has_its_own_noise_in_every_batch(method: str) -> None:
    """The instant of detection hangs on all the noise before it: in any order, in a shard, in chunks, on threads."""
    the_model = model(method, False)
    states = spread(the_model.initial_state, 12, 4)
    states[:, 2] = np.abs(states[:, 2]) + 0.1
    whole = run_batch(the_model, states)
    assert np.isfinite(whole.detected).sum() > 6
    order = np.random.default_rng(1).permutation(12)
    assert_same_bits(run_batch(the_model, states[order], run_indices=order), whole, order)
    shard = np.arange(5, 9)
    assert_same_bits(run_batch(the_model, states[shard], run_indices=shard, threads=1, chunk_steps=13), whole, shard)
    other = run_batch(the_model, states, run_indices=np.arange(12) + 100)
    np.testing.assert_array_equal(other.state, whole.state)
    assert (other.detected != whole.detected).sum() > 3


@BOTH
def test_one_run_of_a_campaign_can_be_repeated_with_its_history(method: str) -> None:
    the_model = model(method, False)
    states = np.tile(the_model.initial_state, (4, 1))
    batch = run_batch(the_model, states)
    for run_index in range(4):
        run = run_recorded(model(method, True), run_index=run_index)
        assert run.end.detected[0] == batch.detected[run_index]
        assert [event.time for event in run.events if event.kind == "landed"] == [batch.detected[run_index]]


FALL: dict[str, Any] = {
    "scenario__duration": 100.0, "record__interval": 10.0, "integrator__step": 5e-3, "initial__height": 1e6,
    "terrain__slope_deg": 0.0,
}  # fmt: skip
"""Long free fall over level ground: without noise the IMU reads zero."""


def fall(sensors: list[dict[str, Any]], run_index: int = 0, **values: Any) -> RecordedRun:
    return run_recorded(build(sensed_block("rk4", sensors, **{**FALL, **values})), run_index=run_index)


def test_imu_noise_has_the_density_asked_for() -> None:
    """Two-sided spectral density N^2, flat: the mean of n periodogram values of white noise is off by N^2/sqrt(n).

    And the integral of the noise walks as N sqrt(t): its variance over m windows is off by sqrt(2/m). Five of each.
    """
    density = {"accelerometer": 3e-3, "gyroscope": 2e-4}
    run = fall([ALTIMETER, VELOCIMETER, {**IMU, **{f"{name}_noise": value for name, value in density.items()}}])
    values = run.samples["imu"].value[1:]  # 20,000 samples at 200 Hz
    rate = IMU["rate"]
    for channels_of, asked in ((values[:, :3], density["accelerometer"]), (values[:, 3:], density["gyroscope"])):
        spectrum = (np.abs(np.fft.rfft(channels_of, axis=0)) ** 2 / (len(values) * rate))[1:-1].mean(axis=1)
        for band in np.array_split(spectrum, 8):
            assert abs(band.mean() / asked**2 - 1.0) < 5.0 / np.sqrt(3 * len(band))
        for span in (0.1, 1.0):
            n = int(span * rate)
            walks = channels_of[: len(values) // n * n].reshape(-1, n, 3).sum(axis=1) / rate
            assert abs(np.var(walks) / (asked**2 * span) - 1.0) < 5.0 * np.sqrt(2.0 / walks.size)


def test_channels_are_independent() -> None:
    """Correlations of 20,000 samples, five standard errors."""
    imu = {**IMU, "accelerometer_noise": 1.0, "gyroscope_noise": 1.0}
    correlation = np.corrcoef(fall([ALTIMETER, VELOCIMETER, imu]).samples["imu"].value.T)
    assert np.abs(correlation - np.eye(6)).max() < 5.0 / np.sqrt(20_000)


def test_bias_and_noise_of_a_beam() -> None:
    """Mean and standard deviation of what is added to the clean reading, five standard errors of 10,000 samples."""
    suite = [{**ALTIMETER, "range_max": 1e9}, {**VELOCIMETER, "range_max": 1e9}, IMU]
    noisy = [{**suite[0], "bias": 0.7, "noise": 0.05}, {**suite[1], "bias": -0.2, "noise": 0.01}, IMU]
    clean, found = fall(suite), fall(noisy)
    for name, bias, noise in (("altimeter", 0.7, 0.05), ("velocimeter", -0.2, 0.01)):
        added = found.samples[name].value - clean.samples[name].value
        n = added.size
        assert n >= 10_000
        assert abs(added.mean() - bias) < 5.0 * noise / np.sqrt(n)
        assert abs(added.std() / noise - 1.0) < 5.0 / np.sqrt(2 * n)


def test_noise_is_keyed_by_seed_run_and_name_and_by_nothing_else() -> None:
    """Another seed, run or name is other noise; other sensors beside it, or their order, are not."""
    imu = {**IMU, "accelerometer_noise": 1e-3, "gyroscope_noise": 1e-3}
    short = {"scenario__duration": 1.0}
    once = fall([ALTIMETER, VELOCIMETER, imu], 0, **short).samples["imu"].value
    np.testing.assert_array_equal(fall([imu, ALTIMETER], 0, **short).samples["imu"].value, once)
    other_seed = fall([ALTIMETER, VELOCIMETER, imu], 0, scenario__seed=1, **short).samples["imu"].value
    high_seed = fall([ALTIMETER, VELOCIMETER, imu], 0, scenario__seed=2**32, **short).samples["imu"].value
    other_run = fall([ALTIMETER, VELOCIMETER, imu], 1, **short).samples["imu"].value
    other_name = fall([ALTIMETER, VELOCIMETER, {**imu, "name": "imu_2"}], 0, **short).samples["imu_2"].value
    for other in (other_seed, high_seed, other_run, other_name):
        assert (other != once).all()
        assert abs(np.mean(other * once)) < 5.0 * np.var(once) / np.sqrt(once.size)


@lru_cache
def doubled(terrain: Any, gravity: Any) -> Any:
    """An altimeter that reads twice the range."""
    single, ground_params, field_params = ALTIMETER_MODEL.read(terrain, gravity), terrain.params, gravity.params
    values = channels(1)

    @wp.func
    def read(sensor: AltimeterParams, ground: ground_params, field: field_params, motion: Motion) -> values:
        return single(sensor, ground, field, motion) * wp.float64(2.0)

    return read


def test_a_changed_sensor_is_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Warp's cache must not serve the kernel of a sensor that reads something else."""
    scenario = sensed_block("rk4", [ALTIMETER], scenario__duration=0.01)
    plain = build(scenario)
    monkeypatch.setattr(kinds, "ALTIMETER", replace(ALTIMETER_MODEL, read=doubled))
    changed = build(scenario)
    once, twice = (run_recorded(which).samples["altimeter"].value for which in (plain, changed))
    np.testing.assert_array_equal(twice, 2.0 * once)
