"""What is told of a touchdown: which way is down there, and how far it is from the site."""

import numpy as np
import pytest

import planetfall
from planetfall.analysis.run.touchdown import far_from_site, plumb_line
from planetfall.scenario.tables.world.geodesy import level_axes


@pytest.mark.parametrize("km", [0.0, 93.0])
def test_down_is_along_the_plumb_line_of_the_place(km):
    """Across the ellipsoid to 0.03 deg: J2 and the turning explain 94 % of Mars's flattening of 1/170.

    Without the turning they would be 0.11 deg apart at 20 deg of latitude; 93 km off, the vertical of the site is 1.57.
    """
    scenario = planetfall.load("insight-edl").with_values({"target.site.latitude_deg": 20.0})
    target = scenario.target
    place = np.array([0.0, km * 1e3, 0.0])
    at_P = target.R_SP.T @ (place - target.center_S)
    latitude, longitude, _ = target.ellipsoid.geodetic(at_P)
    up = target.R_SP @ level_axes(float(latitude), float(longitude))[2]
    off = np.degrees(np.arccos(np.clip(-up @ plumb_line(scenario, place), -1.0, 1.0)))
    assert off < 0.03
    assert np.degrees(np.arccos(np.clip(up[2], -1.0, 1.0))) == pytest.approx(km / 3390.0 * 180 / np.pi, abs=0.02)


def test_a_landing_far_from_its_site_is_remarked_on():
    """With flight software alone, and only where it touched; d^2/2R of 93 km is 1.3 km."""
    scenario = planetfall.load("insight-edl")
    told = {"touchdown_s": 350.0, "miss_m": 93.3e3}
    sentence = far_from_site(scenario, told)["far_from_site"]
    assert "93.3 km from target.site" in sentence and "1.6 deg" in sentence and "1.3 km" in sentence
    assert far_from_site(scenario, {**told, "miss_m": 19e3}) == {}
    assert far_from_site(scenario, {**told, "touchdown_s": None}) == {}
    assert far_from_site(planetfall.load("mars-entry-ballistic"), told) == {}
