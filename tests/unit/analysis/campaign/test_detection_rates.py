"""Rates of a landing detector over a campaign's table, counted by hand, and the page about them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import planetfall
from planetfall.analysis.campaign.comparison import share_difference
from planetfall.analysis.campaign.detection_rates import detection_rates, summarise_rates, tip_over_by_slope
from planetfall.analysis.campaign.intervals import wilson
from planetfall.record.ensemble import Ensemble
from planetfall.report.campaign.detection_figures import draw_detection, draw_tip_over
from planetfall.report.page.detection_page import detection_section, detector_comparison

NAN = np.nan
ROWS = {
    # declared after contact; in flight; missed; never touched, not declared; not simulated; after contact, tipped
    "case": np.array(["plain", "gust", "plain", "plain", "gust", "gust"]),
    "out.contact_s": np.array([10.0, 11.0, 12.0, NAN, NAN, 10.0]),
    "out.delay_s": np.array([1.5, -2.0, NAN, NAN, NAN, 2.5]),
    "out.is_false": np.array([0.0, 1.0, 0.0, 0.0, NAN, 0.0]),
    "out.is_missed": np.array([0.0, 0.0, 1.0, 0.0, NAN, 0.0]),
    "out.overturn_s": np.array([NAN, 13.0, NAN, NAN, NAN, 14.0]),
    "out.slope_deg": np.array([1.0, 6.0, 2.4, 20.0, NAN, 7.0]),
}


def table() -> xr.Dataset:
    return xr.Dataset({name: ("run", values) for name, values in ROWS.items()}, {"run": np.arange(6)})


def test_rates_are_what_one_counts_by_hand() -> None:
    rates = detection_rates(table())
    assert list(rates) == ["all", "gust", "plain"]
    every, gust, plain = rates.values()
    assert (every.n, gust.n, plain.n) == (5, 2, 3)
    assert every.false == wilson(1, 5) and gust.false == wilson(1, 2) and plain.false == wilson(0, 3)
    assert every.missed == wilson(1, 4)  # of those that touched
    assert every.tipped == wilson(2, 4) and gust.tipped == wilson(2, 2)
    assert every.delays == pytest.approx((1.55, 2.0, 2.45)) and every.latest == 2.5  # true declarations alone
    assert np.isnan(detection_rates(table().isel(run=[2]))["all"].latest)


def test_without_cases_there_is_one_line() -> None:
    assert list(detection_rates(table().drop_vars("case"))) == ["all"]


def test_tip_overs_fall_into_classes_of_slope() -> None:
    found = tip_over_by_slope(table())
    assert {ends: (round(share.value * share.n), share.n) for ends, share in found.items()} == {
        (0.0, 2.5): (0, 2),
        (5.0, 7.5): (2, 2),
    }
    only = tip_over_by_slope(table(), kept=table().case.values == "plain")
    assert list(only) == [(0.0, 2.5)]


def test_the_summary_can_be_written() -> None:
    written = json.loads(json.dumps(summarise_rates(detection_rates(table())), allow_nan=False))
    assert written["gust"]["false"]["count"] == 1 and written["gust"]["tipped"]["n"] == 2
    assert written["plain"]["delay_s"]["0.5"] == 1.5


def test_a_difference_of_shares_is_newcombes() -> None:
    """Newcombe1998, Table II, first line: 56/70 less 48/80 is 0.2, by method 10 from 0.0524 to 0.3339."""
    found = share_difference(wilson(48, 80), wilson(56, 70))
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_page_and_figures_say_it(tmp_path: Path) -> None:
    ensemble = Ensemble(planetfall.load("msl-skycrane-dispersed"), table())
    section = detection_section(ensemble)
    assert "Detector throttle" in section and "gust" in section and "1 (9.45 to 90.55 %)" in section
    assert "5 to 7.5 deg" in section
    beside = detector_comparison(ensemble, {"other": ensemble})
    assert "this campaign" in beside and "other" in beside and "+0.00" in beside
    for path in (draw_detection(ensemble, tmp_path), draw_tip_over(ensemble, tmp_path)):
        assert path.stat().st_size > 10_000
    plain = Ensemble(ensemble.scenario, table().drop_vars(["out.delay_s"]))
    assert detection_section(plain) == "" and detector_comparison(ensemble, {"plain": plain}) == ""
