"""`settle-sweep`: what restitution does to settling, and a vehicle that may lie on any face."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import planetfall
from planetfall.analysis.settling import settling_by
from planetfall.errors import InputError
from planetfall.report.settling_figure import draw_settling


def test_livelier_ground_lets_a_cube_settle_later(tmp_path: Path) -> None:
    """Over twelve throws at each end of the sweep.

    Between 0.2 and 0.8 the mean time to rest differs by half of it, some three standard errors.
    """
    scenario = planetfall.load("settle-sweep")
    ends = {"dispersions.contact.restitution": {"distribution": "grid", "steps": [0.2, 0.8]}}
    found = planetfall.montecarlo(scenario.with_values(ends), 24, 3, out=tmp_path / "x")
    low, high = settling_by(found.data, "contact.restitution")
    assert (low.value, high.value, low.n, high.n) == (0.2, 0.8, 12, 12)
    assert high.rest_s[1] > low.rest_s[1]
    assert high.distance_m[1] > low.distance_m[1]
    assert set(found.data.outcome.values) == {"settled"}
    drawn = draw_settling(found.data, "contact.restitution", tmp_path)
    assert drawn.stat().st_size > 10_000


def test_quartiles_are_those_of_each_step() -> None:
    values = np.array([1.0, 2.0, 1.0, 2.0, 1.0])
    data = xr.Dataset(
        {
            "in.contact.friction": ("run", values),
            "rest_s": ("run", [1.0, 10.0, 2.0, np.nan, 3.0]),
            "distance_m": ("run", [4.0, 5.0, 5.0, 5.0, 6.0]),
        }
    )
    one, two = settling_by(data, "contact.friction")
    assert one.rest_s == (1.5, 2.0, 2.5) and one.distance_m == (4.5, 5.0, 5.5)
    assert (two.n, two.n_at_rest, two.rest_s[1]) == (2, 1, 10.0)
    with pytest.raises(InputError, match=r"contact\.restitution.*contact\.friction"):
        settling_by(data, "contact.restitution")


def test_upside_down_is_no_overturn_at_180_degrees() -> None:
    start = {"position": [0.0, 0.0, 0.1], "attitude": [1.0, 0.0, 0.0, 0.0]}
    run = planetfall.run(planetfall.load("settle-sweep").with_values({"initial": start, "scenario.duration": 60.0}))
    assert run.summary["outcome"] == "settled"
