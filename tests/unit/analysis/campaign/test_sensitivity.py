"""What outputs hang on, against functions whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from planetfall import InputError
from planetfall.analysis.campaign.sensitivity import rank_correlations, sobol_indices
from planetfall.campaign.inputs.draws import Draws
from support.dispersed import sliding_point

SWING = {"distribution": "uniform", "low": -np.pi, "high": np.pi}


def test_sobol_indices_of_ishigami() -> None:
    """sin x + 7 sin^2 y + 0.1 z^4 sin x (Ishigami1990) has known indices; 2,048 points know them to about 0.01, and
    0.02 is allowed."""
    pytest.importorskip("SALib")
    keys = [f"initial.velocity.{i}" for i in range(3)]
    draws = Draws(sliding_point(dispersions=dict.fromkeys(keys, SWING)), 5 * 2048, 1, "saltelli")
    draws.check()
    x, y, z = (draws.values(0, draws.n)[key] for key in keys)
    found = sobol_indices(np.sin(x) + 7.0 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x), keys)
    a, b, fourth, eighth = 7.0, 0.1, np.pi**4, np.pi**8
    variance = a**2 / 8 + b * fourth / 5 + b**2 * eighth / 18 + 0.5
    alone = [0.5 * (1 + b * fourth / 5) ** 2 / variance, a**2 / 8 / variance, 0.0]
    together = b**2 * eighth * (1 / 18 - 1 / 50) / variance
    totals = [alone[0] + together, alone[1], together]
    for key, first, total in zip(keys, alone, totals, strict=True):
        assert abs(found[key].first.value - first) < 0.02
        assert abs(found[key].total.value - total) < 0.02


def test_sobol_indices_need_every_run() -> None:
    pytest.importorskip("SALib")
    with pytest.raises(InputError, match="2 of 40 runs have no such output"):
        sobol_indices(np.r_[np.full(2, np.nan), np.ones(38)], ["a", "b"])
    with pytest.raises(InputError, match="41 runs are not whole blocks of 4"):
        sobol_indices(np.ones(41), ["a", "b"])


def rows(**columns: np.ndarray) -> xr.Dataset:
    return xr.Dataset({name.replace("__", "."): ("run", values) for name, values in columns.items()})


def test_rank_correlations_see_order_not_size() -> None:
    rng = np.random.Generator(np.random.Philox(key=7))
    a, b = rng.normal(size=2000), rng.normal(size=2000)
    found = rank_correlations(rows(in__a=a, in__b=b, in__c=np.ones(2000), y=np.exp(3 * a)), "y")
    assert next(iter(found)) == "in.a"
    assert found["in.a"].value == pytest.approx(1.0, abs=1e-12)
    assert found["in.b"].low < 0.0 < found["in.b"].high
    assert np.isnan(found["in.c"].value)


def test_rank_correlation_intervals_cover() -> None:
    """Of 400 samples of 100 pairs with correlation 0.6 (by rank 6/pi asin 0.3), 95 % within 5 sigma of the count."""
    rng = np.random.Generator(np.random.Philox(key=9))
    truth, hits = 6 / np.pi * np.arcsin(0.3), 0
    for _ in range(400):
        a, b = rng.normal(size=(2, 100))
        found = rank_correlations(rows(in__a=a, y=0.6 * a + 0.8 * b), "y")["in.a"]
        hits += found.low <= truth <= found.high
    assert abs(hits - 380) < 5 * np.sqrt(400 * 0.95 * 0.05)


def test_runs_without_the_output_do_not_count() -> None:
    a = np.arange(100.0)
    y = np.where(a < 50, np.nan, -a)
    found = rank_correlations(rows(in__a=a, y=y), "y")["in.a"]
    assert found.value == pytest.approx(-1.0, abs=1e-12)
    assert found.n == 50
