"""Figures of a distance field."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import planetfall
from planetfall.report.ground.distance_figures import draw_octaves, draw_section, round_step
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.world.terrain.ground import make_surface


def test_a_section_and_octaves_are_drawn(tmp_path: Path) -> None:
    """Of a ball, whose field is quickly made."""
    values = planetfall.load("cube-67p").to_dict()
    values["terrain"] = {"model": "sdf", "shape": "sphere", "half_sizes": [100.0] * 3, "resolution": 10.0}
    ball = make_surface(scenario_from_dict(values), "cpu")
    drawn = [
        draw_section(ball, 150.0, 120.0, tmp_path),
        draw_octaves({"a": ball, "b": ball}, np.array([0.0, 0.0, 100.0]), 30.0, tmp_path),
    ]
    assert [path.name for path in drawn] == ["section.png", "octaves.png"]
    assert all(path.stat().st_size > 10_000 for path in drawn)


@pytest.mark.parametrize(("least", "step"), [(1.0, 1.0), (1.01, 2.0), (46.6, 50.0), (0.021, 0.025), (51.0, 100.0)])
def test_shades_are_round_numbers_apart(least: float, step: float) -> None:
    assert round_step(least) == pytest.approx(step, rel=1e-12)
