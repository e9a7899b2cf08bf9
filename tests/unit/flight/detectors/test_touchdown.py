"""Detectors of a touchdown by themselves: they see throttles or switches and their own memory, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.flight.detectors.leg_switch import LegSwitchParams, switch_declares
from planetfall.flight.detectors.throttle import ThrottleParams, throttle_declares
from planetfall.flight.readings import DetectorMemory, Readings

wp.set_module_options({"enable_backward": False, "fuse_fp": False})
RATE = 64.0


@wp.kernel
def _throttle(
    detector: ThrottleParams, readings: Readings, memory: DetectorMemory, t: wp.float64, out: wp.array(dtype=wp.int32)
):
    out[0] = throttle_declares(detector, readings, memory, t, 0)


@wp.kernel
def _switch(
    detector: LegSwitchParams, readings: Readings, memory: DetectorMemory, t: wp.float64,
    out: wp.array(dtype=wp.int32),
):  # fmt: skip
    out[0] = switch_declares(detector, readings, memory, t, 0)


def column(values: Any) -> Any:
    return wp.array(np.asarray(values, dtype=float).reshape(-1, 1), dtype=wp.float64, device="cpu")


def declared(
    kernel: Any, detector: Any, shown: Callable[[float], dict[str, Any]], armed_from: float, until: float = 8.0
) -> list[float]:
    """When it declares, called at 64 Hz."""
    memory = DetectorMemory()
    for name in ("since", "landed", "called", "effort", "usual"):
        setattr(memory, name, wp.full(1, np.nan, dtype=wp.float64, device="cpu"))
    out, when = wp.zeros(1, dtype=wp.int32, device="cpu"), []
    for k in range(int(until * RATE)):
        t, readings = k / RATE, Readings()
        for name, value in shown(t).items():
            setattr(readings, name, column(value))
        readings.armed = wp.full(1, int(t >= armed_from), dtype=wp.int32, device="cpu")
        wp.launch(kernel, 1, inputs=[detector, readings, memory, wp.float64(t)], outputs=[out], device="cpu")
        when += [t] if out.numpy()[0] else []
    return when


def throttle_detector() -> ThrottleParams:
    start_warp()
    detector = ThrottleParams()
    detector.thrust_max = wp.array([1000.0, 3000.0], dtype=wp.float64, device="cpu")
    detector.filter_rate, detector.usual_rate, detector.ratio, detector.hold = 1 / 0.1, 1 / 2.0, 0.75, 1.0
    return detector


def effort(low_from: float, low_to: float = np.inf, low: float = 0.6) -> Callable[[float], dict[str, Any]]:
    """Both engines at half thrust, and at `low` of that for a while."""
    return lambda t: {"throttle": np.full(2, 0.5 * (low if low_from <= t < low_to else 1.0))}


def test_low_effort_is_declared_when_filter_and_hold_have_passed() -> None:
    """The filtered effort falls below 0.75 at tau ln(0.4/0.15) after the drop: then the hold, to the next sample."""
    (when,) = declared(_throttle, throttle_detector(), effort(4.0), armed_from=2.0)
    # the first sample that is low already counts a whole interval, as the filter is exact for a held input
    crossing = 4.0 - 1 / RATE + 0.1 * np.log(0.4 / 0.15)
    assert when == np.ceil(crossing * RATE) / RATE + 1.0


@pytest.mark.parametrize(
    ("shown", "armed_from"),
    [
        pytest.param(effort(4.0, 4.9), 2.0, id="a dip shorter than the hold"),
        pytest.param(effort(4.0, low=0.8), 2.0, id="not low enough"),
        pytest.param(effort(4.0), 9.0, id="not armed"),
        pytest.param(effort(0.0), 4.0, id="low from the start is usual"),
        pytest.param(lambda t: {"throttle": np.zeros(2)}, 2.0, id="engines off"),
    ],
)
def test_nothing_is_declared(shown: Callable[[float], dict[str, Any]], armed_from: float) -> None:
    assert declared(_throttle, throttle_detector(), shown, armed_from) == []


def test_switches_must_be_closed_together_for_the_hold() -> None:
    """Two of four, on channels 2 to 5; one alone, or two in turn with a break, are not enough."""
    start_warp()
    detector = LegSwitchParams()
    detector.channel, detector.n_switches, detector.count, detector.hold = 2, 4, 2, 0.25

    def shown(t: float) -> dict[str, Any]:
        closed = [t >= 1.0, 1.5 <= t < 1.7, 0.0, t >= 3.0]
        return {"value": [9.0, 9.0, *map(float, closed), 9.0]}

    assert declared(_switch, detector, shown, armed_from=0.5) == [3.25]
    assert declared(_switch, detector, shown, armed_from=3.5) == [3.75]
