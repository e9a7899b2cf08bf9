"""What the page of a campaign says was drawn, and of how many runs its comparisons are."""

from __future__ import annotations

import html
import re

import numpy as np

import planetfall
from planetfall.report.page.ensemble_page import ensemble_page
from support.dispersed import SPEED, SPREAD, sliding_point


def words_of(page: str) -> str:
    """The text of a page, without its viewer and pictures."""
    bare = re.sub(r"<(script|style)[\s\S]*?</\1>", "", page)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", bare)))


def test_the_middle_of_a_distribution_is_told_where_it_is_the_scenarios_own() -> None:
    """A page that is mailed has to say what was drawn without the scenario."""
    spread = {"distribution": "normal", "sigma": 0.01}
    scenario = sliding_point(
        cases={"a": 1.0, "b": 1.0},
        dispersions={
            "initial.velocity.0": {"distribution": "normal", "sigma": SPREAD},
            "vehicle.mass": {"distribution": "log-normal", "median": 12.0, "sigma_log": 0.1},
            "contact.rest_penetration": {"distribution": "triangular", "low": 0.005, "high": 0.02},
            "contact.damping_ratio": {"distribution": "cases", "when": {"a": spread}},
            "initial.angular_velocity": {"distribution": "multivariate-normal", "sigma": [0.1, 0.1, 0.1]},
        },
    )
    said = words_of(ensemble_page(planetfall.montecarlo(scenario, 8, 3))).partition("What was drawn")[2]
    own = scenario.contact.damping_ratio  # type: ignore[union-attr]
    assert f"initial.velocity.0 normal mean = {SPEED}, sigma = {SPREAD}" in said
    assert "vehicle.mass log-normal median = 12.0, sigma_log = 0.1" in said
    assert "contact.rest_penetration triangular low = 0.005, mode = 0.01, high = 0.02" in said
    assert f"contact.damping_ratio cases when = a: normal (mean {own}, sigma 0.01), otherwise = {own}" in said
    assert "initial.angular_velocity multivariate-normal mean = [0.0, 0.0, 0.0], sigma = [0.1, 0.1, 0.1]" in said


def test_a_comparison_says_how_many_runs_have_a_number() -> None:
    """Of the shorter campaign only some come to rest: their mean time to rest is not that of all its runs."""
    long, short = (planetfall.montecarlo(sliding_point(scenario__duration=t), 20, 3) for t in (2.0, 1.22))
    counts = [int(np.isfinite(one.data.rest_s.values).sum()) for one in (long, short)]
    assert counts[0] == 20
    assert 2 <= counts[1] < 20
    said = words_of(ensemble_page(long, {"short": short})).partition("Against short")[2]
    assert f"time to rest [s] {counts[1]} and 20 " in said
    assert "deepest penetration [m] 20 and 20 " in said
