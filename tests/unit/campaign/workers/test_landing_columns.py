"""A campaign with a landing detector and cases: what its table, its summary and a replay say of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import planetfall
from planetfall.campaign.replay import replay
from planetfall.record.ensemble import Ensemble

N = 8
FAST = {
    "scenario.duration": 7.0,
    "integrator": {"method": "rk4", "step": 1e-3, "accept_step": True},
    "record.interval": 0.1,
}
"""As in `verification/test_landing_detector.py`."""


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ensemble]:
    """Sensed landings, some of which drift; only starts differ, so that they share one kernel with other tests."""
    drift = {"distribution": "cases", "when": {"drift": {"distribution": "uniform", "low": 0.2, "high": 0.3}}}
    scenario = planetfall.load("sensed-landing").with_values(
        {**FAST, "cases": {"straight": 1.0, "drift": 1.0}, "dispersions": {"initial.velocity.0": drift}}
    )
    folder = tmp_path_factory.mktemp("landings") / "campaign"
    return folder, planetfall.montecarlo(scenario, n=N, seed=2, out=folder, shard_size=5)


def test_every_row_says_its_case_and_what_the_detector_did(campaign: tuple[Path, Ensemble]) -> None:
    data = campaign[1].data
    assert set(data.case.values) == {"straight", "drift"}
    is_drift = data.case.values == "drift"
    drawn = data["in.initial.velocity.0"].values
    assert np.all((drawn[is_drift] >= 0.2) & (drawn[is_drift] <= 0.3)) and np.ptp(drawn[~is_drift]) == 0.0
    np.testing.assert_array_equal(data["out.contact_s"], data.first_touch_s)
    np.testing.assert_array_equal(data["out.delay_s"], data["out.detected_s"] - data["out.contact_s"])
    assert not data["out.is_false"].any() and not data["out.is_missed"].any()
    slope = campaign[1].scenario.terrain.slope_deg  # type: ignore[union-attr]  a plane
    np.testing.assert_allclose(data["out.slope_deg"], slope, rtol=0.0, atol=1e-9)


def test_the_summary_counts_by_case(campaign: tuple[Path, Ensemble]) -> None:
    rates = campaign[1].summary["detection"]
    assert rates["all"]["n"] == N == rates["straight"]["n"] + rates["drift"]["n"]
    assert rates["all"]["false"]["count"] == 0 and rates["all"]["latest_s"] > 0.5
    assert "out.is_false" not in campaign[1].summary["columns"]


def test_a_saved_table_is_read_back_with_its_cases(campaign: tuple[Path, Ensemble], tmp_path: Path) -> None:
    again = planetfall.open(campaign[1].save(tmp_path / "copy"))
    assert isinstance(again, Ensemble)
    np.testing.assert_array_equal(again.data.case, campaign[1].data.case)


def test_a_replay_equals_its_row_and_names_its_case(campaign: tuple[Path, Ensemble]) -> None:
    run = int(np.flatnonzero(campaign[1].data.case.values == "drift")[0])
    again = replay(campaign[0], run)
    assert again.summary["replay"]["case"] == "drift" and again.summary["replay"]["equals_its_row"]
