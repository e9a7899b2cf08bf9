"""A run from 125 km to a map of some kilometres: it falls as over a sphere, and ends where it comes down."""

import numpy as np
import pytest

import planetfall

SITE = {"latitude_deg": 10.0, "longitude_deg": 30.0, "height": -2000.0}
RADIUS = 3.4e6
GM = 4.2828e13


def test_a_fall_beside_the_map_ends_at_the_altitude_of_its_edge() -> None:
    """Straight down from rest over a sphere that does not turn: the time of a radial fall, Kepler's closed form.

    Time to fall from r0 to r: sqrt(r0^3/2GM) (acos(sqrt(x)) + sqrt(x (1 - x))), x = r/r0. The touch is located to
    1e-11 s, path and time to the tolerance of 1e-9: 1e-4 m of 1.25e5 m; at 900 m/s that is 1e-7 s.
    """
    start = {"altitude": 125e3, "latitude_deg": 12.0, "longitude_deg": 31.0}
    scenario = planetfall.load("msl-drop").with_values(
        {
            "target": {"name": "ball", "gm": GM, "radius": RADIUS, "site": SITE},
            "gravity": {"model": "point"},
            "terrain": {"model": "plane", "radius": 5000.0},
            "initial": start,
            "integrator": {"method": "adaptive"},
            "scenario.duration": 600.0,
            "record.interval": 10.0,
        }
    )
    run = planetfall.run(scenario)
    assert run.summary["outcome"] == "off_map"
    position = run.data.position.values[-1, 0]
    lowest = scenario.vehicle.tips @ -np.array([0.0, 0.0, 1.0])  # level at the start
    radius = float(np.linalg.norm(position - scenario.target.center_S))
    assert radius == pytest.approx(RADIUS + SITE["height"] + lowest.max(), abs=0.01)
    x = radius / (RADIUS + 125e3)
    fall = np.sqrt((RADIUS + 125e3) ** 3 / (2 * GM)) * (np.arccos(np.sqrt(x)) + np.sqrt(x * (1 - x)))
    assert run.summary["end_s"] == pytest.approx(fall, abs=1e-5)
