"""The load of a flight: what an accelerometer senses of the air, on the vehicle and on its canopies."""

import numpy as np
import pytest

import planetfall
from planetfall import Scenario
from support.falling_probe import ADAPTIVE, MAIN, METHODS, RK4, falling_probe

IMU = {"kind": "imu", "name": "imu", "rate": 500.0}
EARTH_GRAVITY = 9.80665
LIMIT = {"limits.load": {"of": "peak_g", "max": 9.0}, "limits.any_time": {"of": "g_load", "max": 9.0}}


def steep(integrator, **values) -> Scenario:
    """A light probe, whose canopy decelerates it more than its own drag does."""
    return falling_probe(integrator, **{"record.interval": 0.5, "vehicle.mass": 300.0, "sensors": [IMU], **values})


@METHODS
def test_the_load_is_what_an_accelerometer_senses(integrator):
    """Falling straight, without a wind, ground or engines: to rounding at the frames on which it was sampled.

    The largest sample of 500 a second is within 2 ms of the peak, before which the load grows by no more than
    3/tau of itself in a filling time of 0.35 s: 2 %.
    """
    landing = planetfall.run(steep(integrator))
    data, found = landing.data, landing.summary
    sensed = np.linalg.norm(data.imu_specific_force.values, axis=1) / EARTH_GRAVITY
    times = data[data.imu_specific_force.dims[0]].values
    at, of_samples = np.nonzero(np.abs(data.time.values[:, None] - times) < 1e-12)
    assert len(at) > 20
    np.testing.assert_allclose(data.g_load.values[at, 0], sensed[of_samples], rtol=1e-9)
    assert found["peak_g"] == pytest.approx(sensed.max(), rel=0.02)
    assert found["peak_g"] > 9.0 > found["peak_entry_g"] > 0.0


@METHODS
def test_the_record_reaches_the_peaks_of_the_summary(integrator):
    """Frames are half a second apart, and the canopy is full 0.35 s after its lines are stretched."""
    landing = planetfall.run(steep(integrator))
    data, found = landing.data, landing.summary
    assert float(data.parachute_load.max()) == pytest.approx(found["parachute"]["peak_load_N"], rel=1e-12)
    assert float(data.g_load.max()) == pytest.approx(found["peak_g"], rel=1e-9)
    assert float(data.time[int(data.g_load.argmax("time")[0])]) == found["peak_g_s"]
    # before the canopy opens the probe's own drag has a smooth peak: a parabola finds it between two steps
    assert float(data.dynamic_pressure.max()) == pytest.approx(found["peak_dynamic_pressure_Pa"], rel=1e-4)


def test_a_record_does_not_change_the_run():
    """Frames of peaks are copies of the state: with 10 times the interval the end has the same bits."""
    ends = [planetfall.run(steep(ADAPTIVE, **{"record.interval": every})) for every in (0.5, 5.0)]
    for name in ("peak_g", "peak_entry_g", "end_s"):
        assert ends[0].summary[name] == ends[1].summary[name]
    for name in ("position", "velocity"):
        np.testing.assert_array_equal(ends[0].data[name].values[-1], ends[1].data[name].values[-1])


def test_without_its_parachute_both_peaks_are_the_same():
    """A vehicle alone: the force of the air on it is all there is."""
    found = planetfall.run(steep(RK4, **{"vehicle.parachutes": []})).summary
    assert found["peak_g"] == pytest.approx(found["peak_entry_g"], rel=1e-14)
    assert found["peak_g_s"] == found["peak_entry_g_s"]


def test_limits_on_the_load_count_the_canopy(tmp_path):
    """Of a run and of a campaign's rows, whether the limit is on the number or on the variable."""
    scenario = steep(ADAPTIVE, **LIMIT)
    limits = planetfall.run(scenario).summary["limits"]
    assert {name: limit["kept"] for name, limit in limits.items()} == {"load": False, "any_time": False}
    assert limits["load"]["largest"] == limits["any_time"]["largest"]
    drawn = {"dispersions.vehicle.mass": {"distribution": "uniform", "low": 299.0, "high": 301.0}}
    table = planetfall.montecarlo(scenario.with_values(drawn), n=3, seed=1, out=tmp_path / "mc").data
    assert not table["out.kept.load"].values.any() and not table["out.kept.any_time"].values.any()
    np.testing.assert_array_equal(table["out.largest_g_load"].values, table["out.peak_g"].values)


def test_the_load_of_two_canopies_is_that_of_both():
    """A drogue that is let go when the main canopy is fired: no peak is made up where it leaves."""
    drogue = {**MAIN, "name": "drogue", "diameter": 6.0, "release": {"after": 3.0}}
    main = {**MAIN, "deploy": {"after": 3.0, "armed_after": "drogue"}}
    landing = planetfall.run(steep(ADAPTIVE, **{"vehicle.parachutes": [drogue, main]}))
    assert float(landing.data.g_load.max()) == pytest.approx(landing.summary["peak_g"], rel=1e-6)
