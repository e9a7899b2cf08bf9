"""Figures of a landing from the interface: nothing is simulated, the record is a hand-made one."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray as xr

import planetfall
from planetfall.report.run.run_figures import _around_touchdown, over_the_ellipsoid


def landing() -> Any:
    """An arc of 12 degrees from 125 km down to the site, which is touched at 350 of 500 s."""
    scenario = planetfall.load("insight-edl")
    target, time = scenario.target, np.array([0.0, 300.0, 350.0, 351.0, 500.0])
    assert target.site is not None and target.R_SP is not None
    latitude = np.full(5, target.site_latitude)
    longitude = np.radians(target.site.longitude_deg - np.array([12.0, 1.0, 0.0, 0.0, 0.0]))
    height = np.array([125e3, 5e3, -2613.0, -2613.0, -2613.0])
    places = [
        target.R_SP @ target.ellipsoid.position(*one) + target.center_S
        for one in zip(latitude, longitude, height, strict=True)
    ]
    force = np.zeros((5, 1))
    force[2:] = [[9e3], [4e2], [4e2]]
    data = xr.Dataset(
        {
            "latitude": (("time", "body"), latitude[:, None]), "longitude": (("time", "body"), longitude[:, None]),
            "position": (("time", "body", "axis"), np.array(places)[:, None]),
            "contact_normal_force": (("time", "point"), force),
        },
        {"time": time},
    )  # fmt: skip
    return SimpleNamespace(scenario=scenario, data=data, summary={"rest_s": 351.0})


def test_a_long_track_is_over_the_ellipsoid():
    """In the tangent plane the start, 711 km away, would be 74 km lower: d^2/2R."""
    along, altitude = over_the_ellipsoid(landing())
    assert altitude == pytest.approx([125e3, 5e3, -2613.0, -2613.0, -2613.0], abs=1e-3)
    assert along[-1] == pytest.approx(np.radians(12.0) * 3396190.0, rel=4e-3)  # cos of 4.5 deg of latitude
    assert landing().data.position.values[0, 0, 2] < 55e3


def test_forces_are_shown_around_the_touchdown():
    """From a little before the first touch to two seconds after it, of 500 s."""
    shown = _around_touchdown(landing(), np.array([True]))
    assert shown is not None
    first, last = shown
    assert 349.0 < first < 350.0
    assert last == 352.0
