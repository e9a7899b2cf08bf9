"""Numbers and figures of a campaign's page, on ground that is far from height zero."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import planetfall
from planetfall.record.ensemble import Ensemble
from planetfall.report.campaign.ensemble_figures import draw_sensitivity
from planetfall.report.page.ensemble_page import ensemble_page


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Ensemble:
    """Blocks that are dropped 4.5 km below zero, onto a slope, so that they end within a metre in height."""
    scenario = planetfall.load("sink-flat").with_values(
        {
            "scenario.duration": 0.5,
            "terrain": {"model": "plane", "slope_deg": 10.0, "point": [0.0, 0.0, -4500.0]},
            "dispersions": {"initial.position": {"distribution": "multivariate-normal", "sigma": [2.0, 2.0, 0.0]}},
        }
    )
    return planetfall.montecarlo(scenario, n=8, out=tmp_path_factory.mktemp("deep") / "campaign")


def test_heights_far_from_zero_have_the_digits_of_their_spread(deep: Ensemble) -> None:
    z = deep.data.z_m.values
    row = re.search(r"z at the end \[m\](.*?)</tr>", ensemble_page(deep))
    assert row is not None
    cells = [cell for cell in re.split(r"<[^>]+>", row[1]) if cell]
    low, high = (float(part) for part in cells[2].split(" to "))
    assert abs(float(cells[1]) - z.mean()) < 0.1 * z.std()
    assert high - low > 0.5 * z.std()
    assert abs(float(cells[-1]) - z.max()) < 0.1 * z.std()


def test_an_input_that_never_varied_is_not_in_the_figure(deep: Ensemble, tmp_path: Path) -> None:
    """Its correlation is not known, and would be drawn as from -1 to 1."""
    assert np.ptp(deep.data["in.initial.position.2"].values) == 0.0
    drawn = draw_sensitivity(deep, tmp_path).with_suffix(".svg").read_text(encoding="utf-8")
    assert "<!-- initial.position.0 -->" in drawn and "<!-- initial.position.2 -->" not in drawn
