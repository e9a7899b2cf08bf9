"""From a scenario's tables to the numbers that a kernel takes, and what is refused on the way."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_recorded
from planetfall.flight.sensors.mount import channel_errors, places
from planetfall.scenario.tables.flight.sensors import RESERVED
from support.sensed_block import ALTIMETER, IMU, VELOCIMETER, sensed_block


def test_places_follow_each_other_without_gap_or_overlap() -> None:
    scenario = sensed_block("rk4", [ALTIMETER, VELOCIMETER, IMU], scenario__duration=2.0)
    where = places(scenario)
    assert [place.n_channels for place in where] == [1, 3, 6]
    for before, after in pairwise(where):
        assert after.index == before.index + 1
        assert after.channel == before.channel + before.n_channels
        assert after.sample == before.sample + before.n_samples
        assert after.row == before.row + before.n_samples * before.n_channels
    for place, sensor in zip(where, scenario.sensors, strict=True):
        assert place.n_samples > 2.0 * sensor.rate + 1


def test_noise_density_becomes_a_standard_deviation_per_sample() -> None:
    """Density times the root of the rate: the integral over t then has density times the root of t."""
    imu = {
        **IMU, "rate": 400.0, "accelerometer_noise": 2e-3, "gyroscope_noise": 5e-5,
        "accelerometer_bias": [0.1, 0.2, 0.3], "gyroscope_bias": [0.01, 0.02, 0.03],
    }  # fmt: skip
    errors = channel_errors(sensed_block("rk4", [imu]).sensors[0])
    np.testing.assert_allclose(errors[:, 0], [0.1, 0.2, 0.3, 0.01, 0.02, 0.03], rtol=0.0)
    np.testing.assert_allclose(errors[:, 1], [0.04] * 3 + [1e-3] * 3, rtol=1e-15)
    beams = channel_errors(sensed_block("rk4", [{**VELOCIMETER, "bias": 0.2, "noise": 0.3}]).sensors[0])
    np.testing.assert_array_equal(beams, [[0.2, 0.3]] * 3)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"sensors.0.rate": 501.0}, r"sensors\.0\.rate: 501 Hz is faster than the steps of 0\.002 s.*at most 500 Hz"),
        ({"scenario.duration": 1e4, "sensors.0.rate": 5e5, "integrator": {"method": "adaptive"}}, "can be counted"),
    ],
)
def test_rates_that_cannot_be_followed_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(planetfall.InputError, match=message):
        build(sensed_block("rk4", [ALTIMETER]).with_values(values))


def test_a_rate_of_one_sample_a_step_is_allowed() -> None:
    run = run_recorded(build(sensed_block("rk4", [{**ALTIMETER, "rate": 500.0}], scenario__duration=0.1)))
    np.testing.assert_array_equal(run.samples["altimeter"].time, np.arange(51) * 2e-3)


def test_more_samples_than_memory_are_refused_with_the_sensor_at_fault() -> None:
    values = {"scenario.duration": 1e5, "record.interval": 1e3, "integrator": {"method": "adaptive"}}
    scenario = sensed_block("rk4", [ALTIMETER, {**IMU, "rate": 2e3}]).with_values(values)
    with pytest.raises(planetfall.InputError, match=r"sensors\.1\.rate: 2000 Hz.*GiB.*lower the rates"):
        run_recorded(build(scenario))


def test_names_of_the_results_are_no_sensors_to_take() -> None:
    data = planetfall.run(planetfall.load("msl-drop").with_values({"scenario.duration": 0.01})).data
    assert {str(name) for name in (*data.variables, *data.dims)} <= RESERVED


@pytest.mark.parametrize("name", ["velocity", "time", "contact_force"])
def test_a_sensor_named_like_a_result_is_refused(name: str) -> None:
    with pytest.raises(planetfall.InputError, match=rf"sensors\.0\.name: {name} is taken by the results"):
        sensed_block("rk4", [{**ALTIMETER, "name": name}])


@pytest.mark.parametrize(
    ("first", "second"),
    [("altimeter", "altimeter"), ("imu_specific_force", "imu"), ("time_b", "b"), ("c_status", "c")],
)
def test_two_sensors_cannot_write_under_one_name(first: str, second: str) -> None:
    other = {**IMU, "name": second} if second == "imu" else {**ALTIMETER, "name": second}
    with pytest.raises(planetfall.InputError, match=r"sensors\.1\.name: \w+ is taken by sensor"):
        sensed_block("rk4", [{**ALTIMETER, "name": first}, other])


@pytest.mark.parametrize("name", ["", "2nd", "a b", "ä", "a.b"])
def test_names_are_those_that_files_can_carry(name: str) -> None:
    with pytest.raises(planetfall.InputError, match=r"sensors\.0\.name"):
        sensed_block("rk4", [{**ALTIMETER, "name": name}])


DETECTOR = {"kind": "altimeter-velocity", "altimeter": "altimeter", "range_below": 0.4}


@pytest.mark.parametrize(
    ("detector", "message"),
    [
        ({"kind": "altimeter-velocity"}, r"detector\.altimeter: the detector reads no sensor"),
        (
            {**DETECTOR, "altimeter": "radar"},
            r"detector\.altimeter: no altimeter is called 'radar'; there is altimeter",
        ),
        ({**DETECTOR, "imu": "altimeter"}, r"detector\.imu: no imu is called 'altimeter'; there are none"),
        ({**DETECTOR, "range_below": None}, r"detector\.range_below: missing"),
        ({**DETECTOR, "hold": -1.0}, r"detector\.hold"),
    ],
)
def test_detector_needs_its_sensors(detector: dict[str, Any], message: str) -> None:
    with pytest.raises(planetfall.InputError, match=message):
        sensed_block("rk4", [ALTIMETER], detector={k: v for k, v in detector.items() if v is not None})


@pytest.mark.parametrize("run_index", [-1, 2**32])
def test_run_indices_that_cannot_key_the_noise_are_refused(run_index: int) -> None:
    model = build(sensed_block("rk4", [ALTIMETER], scenario__duration=0.01))
    with pytest.raises(planetfall.InputError, match="run_indices"):
        run_recorded(model, run_index=run_index)


def test_errors_of_an_item_speak_of_its_own_kind() -> None:
    """The same key has another unit in another kind of sensor."""
    with pytest.raises(planetfall.InputError, match=r"sensors\.1\.noise: is -1\.0 m/s; it must be"):
        sensed_block("rk4", [ALTIMETER, {**VELOCIMETER, "noise": -1.0}])
    with pytest.raises(planetfall.InputError, match=r"sensors\.0\.beams: unknown key; did you mean sensors\.0\.beam\?"):
        sensed_block("rk4", [{**ALTIMETER, "beams": [[0.0, 0.0, -1.0]]}])
    with pytest.raises(planetfall.InputError, match=r"sensors\.0\.kind: unknown 'radar'"):
        sensed_block("rk4", [{**ALTIMETER, "kind": "radar"}])


def test_values_given_are_left_as_they_were() -> None:
    """A path that reaches into a list set in the same call changes the scenario, not the caller's list."""
    given = [dict(ALTIMETER)]
    planetfall.load("sink-flat").with_values({"sensors": given, "sensors.0.rate": 7.0})
    assert given == [ALTIMETER]
