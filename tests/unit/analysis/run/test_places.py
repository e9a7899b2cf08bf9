"""Where a run ended, and how far from its first touch, against what the record says."""

from __future__ import annotations

import re

import numpy as np
import pytest

import planetfall
from planetfall.cli.landing.run import print_summary


def test_a_drop_ends_where_its_last_frame_is(capsys: pytest.CaptureFixture[str]) -> None:
    run = planetfall.run(planetfall.load("msl-drop"))
    last = run.data.position.values[-1, 0]
    assert run.summary["end_position_m"] == last.tolist()
    assert "end_latitude_deg" not in run.summary  # a site has no longitude
    touch = min(event.time for event in run.events if event.kind == "touch")
    frames = np.stack([np.interp(touch, run.data.time, run.data.position.values[:, 0, i]) for i in range(3)])
    # the first touch lies between two frames: bent by less than g T^2 / 8 with frames 0.01 s apart
    assert run.summary["first_touch_to_end_m"] == pytest.approx(np.linalg.norm(last - frames), abs=1e-3)
    assert run.summary["first_touch_to_end_m"] < run.summary["slide_distance_m"]  # which counts the fall
    print_summary(run.summary, "", 10.0)
    said = capsys.readouterr().out
    assert "Place at the end             [3.55, " in said
    assert (
        "m down the slope from release to the stop, fall and bounces included" in said
        and "First touch to the end" in said
    )


def test_a_place_on_a_high_map_is_told_as_exactly_as_the_way_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    """The same drop 4.5 km lower ends 4.5 km lower, to the hundredth of a metre that is told of the other two."""
    plane = {"terrain.point": [0.0, 0.0, -4500.0], "initial.position": [0.0, 0.0, -4500.0], "scenario.duration": 2.0}
    summary = planetfall.run(planetfall.load("sink-flat").with_values(plane)).summary
    print_summary(summary, "", 2.0)
    place = re.search(r"Place at the end +\[(.*)\] m", capsys.readouterr().out)
    assert place is not None
    z = place[1].split(", ")[2]
    way = max(abs(summary["first_touch_to_end_m"]), abs(summary["slide_distance_m"]))
    assert abs(float(z) - summary["end_position_m"][2]) <= 0.005 * way


def test_on_a_whole_body_the_place_has_latitude_and_longitude() -> None:
    cube = planetfall.load("minerva-67p").with_values({"scenario.duration": 20.0, "terrain.resolution": 60.0})
    summary = planetfall.run(cube).summary
    place = np.array(summary["end_position_m"])
    latitude, longitude = np.radians([summary["end_latitude_deg"], summary["end_longitude_deg"]])
    line = [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    np.testing.assert_allclose(place / np.linalg.norm(place), line, atol=1e-12)


def test_a_slide_over_level_ground_is_measured_along_its_way_whatever_the_gravity() -> None:
    """A box thrown east at 45 degrees of latitude: J2, and the turning that gravitation lacks, are no slope.

    Gravitation leans from the plane's normal by 0.1 deg to the north or south; along that line the box went nowhere.
    """
    scenario = planetfall.load("sink-flat").with_values(
        {
            "target": {"name": "mars", "site": {"latitude_deg": 45.0, "longitude_deg": 0.0}},
            "gravity": {"model": "j2"},
            "initial.velocity": [1.0, 0.0, 0.0],
        }
    )
    run = planetfall.run(scenario)
    stop = [event for event in run.events if event.kind == "slow"][-1]
    way = np.array(stop.position)[:2] - run.data.position.values[0, 0, :2]
    assert way[0] > 0.05
    assert run.summary["slide_distance_m"] == pytest.approx(np.linalg.norm(way), rel=1e-5)  # the lean's cosine
