"""The vibration that an IMU feels, against the undamped oscillator, and the trade that the Morpheus paper describes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import planetfall
from planetfall.analysis.run.vibration import vibration_trade
from planetfall.report.run.vibration import draw_vibration, vibration_figure
from support.sensed_block import IMU

GRAVITY = 3.7132
BASE = planetfall.load("sink-flat").with_values(
    {"sensors": [{**IMU, "rate": 100.0}], "scenario.duration": 4.0, "record.interval": 1.0, "initial.height": 0.3}
)
SINKS, STEPS = [1e-5, 1e-4, 1e-2], [1e-2, 1e-3]


def test_undamped_bounce_in_the_ground() -> None:
    """Released half its sink h too high, never leaving the ground: the amplitude of acceleration is g/2, for every h.

    Over five periods of 2 pi sqrt(h/g), rms g/sqrt(8). A window that misses a period's end by one sample in n is off by
    1/n; RK4 damps (w h)^6/144 a step: nothing here.
    """
    sink = 0.02
    period = 2.0 * np.pi * np.sqrt(sink / GRAVITY)
    values = {"contact.damping_ratio": 0.0, "initial.height": 0.2 - sink / 2.0}
    trade = vibration_trade(BASE.with_values(values), [sink], [1e-3, 2e-3], window=5.0 * period)
    np.testing.assert_allclose(trade.landing, GRAVITY / np.sqrt(8.0), rtol=1.0 / (500.0 * period))
    np.testing.assert_allclose(trade.standing, GRAVITY / np.sqrt(8.0), rtol=1.0 / (500.0 * period))


@pytest.fixture(scope="module")
def trade() -> object:
    return vibration_trade(BASE, SINKS, STEPS)


def test_the_papers_trade(trade) -> None:
    """Too small a sink shakes the vehicle for ever with a long step; a shorter step cures it; a larger sink as well."""
    assert trade.landing.shape == (3, 2)
    assert trade.lost[0, 0] or trade.standing[0, 0] > GRAVITY
    assert not trade.lost[1:].any()
    assert trade.standing[0, 1] < 1e-6
    assert trade.standing[2, 0] < 1e-6
    np.testing.assert_allclose(trade.landing[2, 0], trade.landing[2, 1], rtol=0.5)


def test_figure_is_drawn(trade, tmp_path: Path) -> None:
    """Also with cells in which it does not stand, and with nothing but such cells."""
    assert draw_vibration(trade, tmp_path).stat().st_size > 10_000
    assert (tmp_path / "vibration.svg").is_file()
    lost = type(trade)(**{**vars(trade), "landing": trade.landing * np.nan, "standing": trade.landing * np.nan,
                          "lost": np.ones((3, 2), dtype=bool)})  # fmt: skip
    assert draw_vibration(lost, tmp_path).is_file()


def test_it_needs_an_imu(tmp_path: Path) -> None:
    with pytest.raises(planetfall.InputError, match="no IMU to feel vibration"):
        vibration_figure(planetfall.load("sink-flat"), SINKS, STEPS, tmp_path)
    with pytest.raises(planetfall.InputError, match="no IMU is called 'gyro'; expected one of imu"):
        vibration_figure(BASE, SINKS, STEPS, tmp_path, imu="gyro")
