"""Thinning a record loses no peak and changes nothing: the rover's drop recorded every 1 ms to every 1 s.

Everything is compared bit for bit: recording only looks.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import planetfall
from planetfall.record.trajectory import Trajectory

INTERVALS = [0.001, 0.01, 0.1, 1.0]  # [s]
METHODS = ["rk4", "adaptive"]
TOLERANCE = 1e-9


@lru_cache
def dropped(method: str, interval: float) -> Trajectory:
    """The built-in drop by either method."""
    values: dict[str, float | str] = {"record.interval": interval}
    if method == "adaptive":
        values |= {"integrator.method": "adaptive", "integrator.tolerance": TOLERANCE}
    return planetfall.run(planetfall.load("msl-drop").with_values(values))


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("method", METHODS)
def test_every_peak_is_on_record(method: str, interval: float) -> None:
    """The largest recorded force of each wheel is its peak in the summary.

    By error control the peak is that of a step's interpolant, and its frame a step of its own: equal to the tolerance.
    """
    run = dropped(method, interval)
    recorded = run.data.contact_normal_force.values.max(axis=0)
    allowed = TOLERANCE if method == "adaptive" else 0.0
    np.testing.assert_allclose(recorded, run.summary["peak_normal_force_N"], rtol=allowed)
    assert recorded.min() > 1e4


@pytest.mark.parametrize("interval", INTERVALS[1:])
def test_every_intervals_peak_is_on_record(interval: float) -> None:
    """At 1 ms every step of RK4 is on record: its maximum over each interval is that of the thinned record.

    Frames on a tick belong to the interval that they begin; the last instant has none of its own.
    """
    full, thin = dropped("rk4", INTERVALS[0]).data, dropped("rk4", interval).data
    n_intervals = round(10.0 / interval)
    peaks = np.zeros((2, n_intervals, 4))
    for i_record, data in enumerate((full, thin)):
        index = np.floor(data.time.values / interval + 1e-9).astype(int)
        for i in range(n_intervals):
            peaks[i_record, i] = data.contact_normal_force.values[index == i].max(axis=0)
    assert np.count_nonzero(peaks[1]) > n_intervals
    np.testing.assert_array_equal(peaks[1], peaks[0])


@pytest.mark.parametrize("interval", INTERVALS[1:])
@pytest.mark.parametrize("method", METHODS)
def test_histories_agree_at_common_times(method: str, interval: float) -> None:
    """All variables at all instants that both records hold."""
    fine, coarse = dropped(method, INTERVALS[0]).data, dropped(method, interval).data
    common, i_fine, i_coarse = np.intersect1d(fine.time.values, coarse.time.values, return_indices=True)
    assert len(common) >= round(10.0 / interval)
    for name in fine.data_vars:
        if "time" in fine[name].dims:
            np.testing.assert_array_equal(coarse[name].values[i_coarse], fine[name].values[i_fine], err_msg=str(name))


@pytest.mark.parametrize("interval", INTERVALS[1:])
@pytest.mark.parametrize("method", METHODS)
def test_events_do_not_depend_on_the_record(method: str, interval: float) -> None:
    """Same instants, kinds, points and values."""
    assert dropped(method, interval).events == dropped(method, INTERVALS[0]).events


@pytest.mark.parametrize("method", METHODS)
def test_thin_records_are_small(method: str) -> None:
    """At most one frame per interval and one per wheel in it, and the end."""
    for interval in INTERVALS:
        assert len(dropped(method, interval).data.time) <= round(10.0 / interval) * 5 + 1
