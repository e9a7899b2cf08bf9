"""How far a vehicle slid, from events whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from planetfall.analysis.run.slide import slide
from planetfall.engine.state.result import RunEvent

SLOPE = np.radians(30.0)
NORMAL = np.array([np.sin(SLOPE), 0.0, np.cos(SLOPE)])
DOWNHILL = np.array([np.cos(SLOPE), 0.0, -np.sin(SLOPE)])
ACROSS, UP = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
START = np.array([5.0, -3.0, 2.0])
ROUNDING = 1e-14


def event(kind: str, time: float, way: float, point: int = -1, aside: float = 0.0, height: float = 0.0) -> RunEvent:
    """Something that happens after `way` [m] down the slope."""
    position = START + way * DOWNHILL + aside * ACROSS + height * NORMAL
    return RunEvent(time, kind, point, 0.0, tuple(position.tolist()))


def test_from_release_to_the_stop() -> None:
    events = [
        event("fast", 0.1, 0.0),
        event("touch", 0.2, 0.1, 0),
        event("slow", 1.5, 2.5),
        event("time_out", 9.0, 2.6),
    ]
    found = slide(START, NORMAL, -UP, events)
    assert found.stop == 1.5
    assert found.distance == pytest.approx(2.5, abs=ROUNDING)
    assert found.after_last_bounce == pytest.approx(2.4, abs=ROUNDING)


def test_only_the_last_stop_counts() -> None:
    """A vehicle that is slow for a moment, at the top of a bounce or before it is hit again, has not stopped."""
    events = [event("fast", 0.1, 0.0), event("slow", 1.0, 1.0), event("fast", 1.1, 1.1), event("slow", 2.0, 3.0)]
    found = slide(START, NORMAL, -UP, events)
    assert (found.stop, found.distance) == (2.0, pytest.approx(3.0, abs=ROUNDING))


def test_still_fast_at_the_end_is_no_stop() -> None:
    events = [event("fast", 0.1, 0.0), event("slow", 1.0, 1.0), event("fast", 1.1, 1.1), event("time_out", 2.0, 3.0)]
    found = slide(START, NORMAL, -UP, events)
    assert np.isnan([found.stop, found.distance, found.after_last_bounce]).all()


@pytest.mark.parametrize("events", [[], [event("off_map", 0.0, 0.0)]])
def test_never_fast_stops_at_once(events: list[RunEvent]) -> None:
    found = slide(START, NORMAL, -UP, events)
    assert (found.stop, found.distance, found.after_last_bounce) == (0.0, 0.0, 0.0)


def test_last_bounce_is_the_last_touch_out_of_flight() -> None:
    """A point that lifts while another stays on the ground is no bounce of the vehicle."""
    story = [
        ("fast", 0.0, -1), ("touch", 0.1, 0), ("touch", 0.2, 1), ("lift_off", 0.3, 0), ("lift_off", 0.4, 1),
        ("touch", 1.0, 1), ("touch", 1.1, 0), ("lift_off", 1.2, 1), ("touch", 1.5, 1), ("slow", 2.0, -1),
    ]  # fmt: skip
    events = [event(kind, time, time, point) for kind, time, point in story]
    assert slide(START, NORMAL, -UP, events).after_last_bounce == pytest.approx(1.0, abs=ROUNDING)


def test_only_travel_down_the_line_of_descent_counts() -> None:
    events = [event("fast", 0.0, 0.0), event("slow", 1.0, 2.0, aside=7.0, height=-3.0)]
    assert slide(START, NORMAL, -UP, events).distance == pytest.approx(2.0, abs=ROUNDING)


def test_uphill_is_negative() -> None:
    events = [event("fast", 0.0, 0.0), event("slow", 1.0, -2.0)]
    assert slide(START, NORMAL, -UP, events).distance == pytest.approx(-2.0, abs=ROUNDING)


def test_level_ground_counts_along_the_way_travelled() -> None:
    """Wherever that leads; the fall does not count."""
    landed, stopped = START + np.array([0.3, 0.4, -2.0]), START + np.array([1.2, 1.6, -2.0])
    events = [
        RunEvent(0.0, "fast", -1, 0.0, tuple(START)), RunEvent(1.0, "touch", 0, 0.0, tuple(landed)),
        RunEvent(2.0, "slow", -1, 0.0, tuple(stopped)),
    ]  # fmt: skip
    found = slide(START, UP, -UP, events)
    assert found.distance == pytest.approx(2.0, abs=ROUNDING)
    assert found.after_last_bounce == pytest.approx(1.5, abs=ROUNDING)


def test_what_it_is_measured_along() -> None:
    moving, still = [event("fast", 0.0, 0.0)], [event("fast", 0.0, 0.0), event("slow", 1.0, 1.0)]
    for events in (moving, still):
        found = [slide(START, normal, -UP, events).along for normal in (NORMAL, UP, None)]
        assert found == ["steepest descent", "horizontal", "straight"]


@pytest.mark.parametrize("turn_deg", [20.0, 90.0, 180.0])
def test_on_a_whole_body_distances_are_straight(turn_deg: float) -> None:
    """Chords of a circle of 100 m. Across gravity at the release, the far side would be no distance at all."""

    def place(angle: float) -> np.ndarray:
        return 100.0 * np.array([np.cos(angle), np.sin(angle), 0.0])

    turn, last = np.radians([turn_deg, 5.0])
    story = [("fast", 0.0, -1, 0.0), ("touch", 1.0, 0, turn - last), ("slow", 2.0, -1, turn)]
    events = [RunEvent(time, kind, point, 0.0, tuple(place(angle))) for kind, time, point, angle in story]
    found = slide(place(0.0), None, np.array([-1.0, 0.0, 0.0]), events)
    assert found.distance == pytest.approx(200.0 * np.sin(turn / 2), rel=1e-12)
    assert found.after_last_bounce == pytest.approx(200.0 * np.sin(last / 2), rel=1e-12)


def test_small_hops_after_the_stop_give_no_negative_slide() -> None:
    """Hops slower than V1 come after the stop; the last bounce that matters is the last before it."""
    events = [
        event("fast", 0.0, 0.0), event("touch", 0.5, 0.5, 0), event("slow", 2.0, 2.0), event("lift_off", 2.9, 2.1, 0),
        event("touch", 3.0, 2.2, 0),
    ]  # fmt: skip
    assert slide(START, NORMAL, -UP, events).after_last_bounce == pytest.approx(1.5, abs=ROUNDING)
