"""What a run prints of its slide: along what it was measured, and uphill only of what goes along a slope."""

from __future__ import annotations

from typing import Any

import pytest

import planetfall
from planetfall.cli.landing.run import print_summary


@pytest.fixture(scope="module")
def summary() -> dict[str, Any]:
    return planetfall.run(planetfall.load("sink-flat").with_values({"scenario.duration": 0.5})).summary


@pytest.mark.parametrize(
    ("along", "whole", "after"),
    [
        (
            "steepest descent",
            "2.00 m down the slope from release to the stop, fall and bounces included",
            "-0.0100 m (negative: uphill)",
        ),
        (
            "horizontal",
            "2.00 m from release to the stop, straight and horizontal",
            "-0.0100 m along the line from release to the stop (negative: back)",
        ),
        (None, "2.00 m", "-0.0100 m"),  # of a folder that was written before this was told
    ],
)
def test_a_negative_slide_is_uphill_on_a_slope_only(
    summary: dict[str, Any], along: str | None, whole: str, after: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {**summary, "slide_distance_m": 2.0, "slide_after_last_bounce_m": -0.01, "slide_along": along}
    if along is None:
        del given["slide_along"]
    print_summary(given, "", 0.5)
    lines = capsys.readouterr().out.splitlines()
    assert f"  {'Slide distance':<29}{whole}" in lines
    assert f"  {'Slide after the last bounce':<29}{after}" in lines


def test_straight_on_a_whole_body(summary: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    given = {"slide_distance_m": 2.0, "slide_after_last_bounce_m": 0.01, "slide_along": "straight"}
    print_summary({**summary, **given}, "", 0.5)
    said = capsys.readouterr().out
    assert "2.00 m from release to the stop, straight, fall and bounces included\n" in said
    assert "0.0100 m, straight\n" in said


def test_a_box_on_level_ground_is_measured_horizontally(summary: dict[str, Any]) -> None:
    assert summary["slide_along"] == "horizontal"
