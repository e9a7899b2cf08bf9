"""Falls from space to a map of some kilometres on a sphere that does not turn: Kepler's closed form, to the touch."""

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall import Trajectory

SITE = {"latitude_deg": 10.0, "longitude_deg": 30.0, "height": -2000.0}
RADIUS = 3.4e6
GM = 4.2828e13


def fallen(start: dict[str, Any]) -> Trajectory:
    """A fall from rest, upright, over a disc of 5 km."""
    scenario = planetfall.load("msl-drop").with_values(
        {
            "target": {"name": "ball", "gm": GM, "radius": RADIUS, "site": SITE},
            "gravity": {"model": "point"},
            "terrain": {"model": "plane", "radius": 5000.0},
            "initial": start,
            "integrator": {"method": "adaptive"},
            "scenario.duration": 280.0,
            "record.interval": 10.0,
        }
    )
    return planetfall.run(scenario)


def fall_time(high: float, low: float) -> float:
    """Time [s] of a radial fall from rest between distances from the centre [m]: Kepler's degenerate ellipse."""
    x = low / high
    return float(np.sqrt(high**3 / (2 * GM)) * (np.arccos(np.sqrt(x)) + np.sqrt(x * (1 - x))))


def lowest(run: Trajectory) -> float:
    """How far [m] the lowest point of the upright vehicle is below its centre of mass."""
    return float((run.scenario.vehicle.tips @ [0.0, 0.0, -1.0]).max())


def test_a_fall_beside_the_map_ends_at_the_altitude_of_its_edge() -> None:
    """The touch is located to 1e-11 s; path and time are good to the tolerance of 1e-9, some 1e-4 m: 1e-7 s at 900 m/s.

    The vehicle is upright where it starts, and each corner has a vertical of its own: 1e-5 s leave room for that.
    """
    run = fallen({"altitude": 125e3, "latitude_deg": 12.0, "longitude_deg": 31.0})
    assert run.summary["outcome"] == "off_map"
    radius = float(np.linalg.norm(run.data.position.values[-1, 0] - run.scenario.target.center_S))
    assert radius == pytest.approx(RADIUS + SITE["height"] + lowest(run), abs=0.01)
    assert run.summary["end_s"] == pytest.approx(fall_time(RADIUS + 125e3, radius), abs=1e-5)


def test_a_fall_onto_the_map_touches_it() -> None:
    """From 60 km it is far, 14 km over the map it is queried, and it touches when the closed form says so."""
    run = fallen({"altitude": 60e3, "latitude_deg": 10.0, "longitude_deg": 30.0})
    ground = RADIUS + SITE["height"] + lowest(run)
    assert min(run.summary["first_touch_s"]) == pytest.approx(fall_time(RADIUS + 60e3, ground), abs=1e-7)


def test_what_is_discarded_may_come_down_beside_the_map() -> None:
    """It stays where it hits, as on the map, at the altitude of its edge; the vehicle that is judged lands on."""
    aside = {"altitude": -1800.0, "latitude_deg": 10.2, "longitude_deg": 30.0}
    scenario = planetfall.load("msl-drop").with_values(
        {
            "target": {"name": "ball", "gm": GM, "radius": RADIUS, "site": SITE},
            "gravity": {"model": "point"},
            "terrain": {"model": "plane", "radius": 5000.0},
            "initial": {"height": 1.5, "euler_ned_deg": [0.0, -90.0, 90.0]},
            "companions": [{"vehicle": {"name": "block"}, "initial": aside}],
            "outcome": {"rest_of": "vehicle", "crash_speed": 10.0},
            "integrator": {"method": "adaptive"},
            "scenario.duration": 14.0,
            "record.interval": 1.0,
        }
    )
    run = planetfall.run(scenario)
    assert run.summary["outcome"] == "settled"
    hit = next(event for event in run.events if event.kind == "crash")
    lower = fall_time(RADIUS - 1800.0, RADIUS + SITE["height"])
    assert hit.time == pytest.approx(lower, rel=0.01)  # its feet are some decimetres below its centre of mass
    assert run.data.time.values[-1] == 14.0
    end = run.data.position.values[-1, 1] - scenario.target.center_S
    assert np.linalg.norm(end) == pytest.approx(RADIUS + SITE["height"], abs=1.0)
