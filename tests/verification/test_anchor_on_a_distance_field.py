"""The anchor law on a distance field: the plane that a point feels touches the ground that is nearest to it.

A plane at any other place of the ground, a distance l aside, rises or sinks by l s/R when the point slides by s over
ground of radius R: it had to be renewed in every few milliseconds. At the nearest place that is s^2/2R.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from planetfall.engine.build import Model, build
from planetfall.engine.solver.stall import WINDOW
from support.anchor_probes import found_footings
from support.landing_checks import run_landing
from support.random_landings import Setting, landing

DRAWN = Setting("anchor", "field", "turning", "j2", "adaptive", 5, is_diagonal=False)
"""Its landing 4 of seed 1 rolls over an ellipsoid for two hours, with points up to 13 cm deep."""
SLIDING = Setting("anchor", "field", "turning", "point", "adaptive")
"""Its landing 15 of seed 1 slides over noise of some decimetres, with points some centimetres deep."""


@lru_cache
def drawn() -> Model:
    with TemporaryDirectory() as folder:
        return landing(DRAWN, 1, 4, Path(folder))


def deep_points() -> np.ndarray:
    """Points 1 cm to 10 cm below the ellipsoid [m], all around it."""
    sizes = np.asarray(drawn().scenario.terrain.half_sizes)  # type: ignore[union-attr]  a distance field
    ways = np.random.default_rng(5).normal(size=(200, 3))
    onto = ways / np.linalg.norm(ways / sizes, axis=1, keepdims=True)
    normals = onto / np.square(sizes)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return onto - normals * np.geomspace(1e-2, 0.1, len(onto))[:, None]


def test_the_plane_touches_the_nearest_ground() -> None:
    """The point is straight over the place, to a thousandth of its depth d; the ground is there, to R (d/R)^2 of that.

    Of an ellipsoid of 5 m and more; twice that share, and more in some places, as cells of the field meet at kinks.
    """
    model, places = drawn(), deep_points()
    states = np.zeros((len(places), 13))
    states[:, :3] = places - np.asarray(model.scenario.vehicle.points[0].position)
    states[:, 9] = 1.0
    found, _ = found_footings(build(model.scenario, is_recorded=False, surface=model.surface), states)
    depths, _, _ = model.surface.ask(places)
    is_deep = depths < -5e-3
    assert is_deep.sum() > 100 and np.all(found["is_touching"][is_deep, 0] == 1)
    feet, normals = found["place"][is_deep, 0], found["normal"][is_deep, 0]
    ways = places[is_deep] - feet
    deep = np.linalg.norm(ways, axis=1)
    aside = np.linalg.norm(ways - normals * np.sum(ways * normals, axis=1)[:, None], axis=1)
    assert np.all(aside < 1e-12 + 1e-9 * deep)
    off, under, _ = model.surface.ask(feet)
    assert np.median(np.abs(off) / deep) < 1e-6
    turned = np.linalg.norm(np.cross(normals, under / np.linalg.norm(under, axis=1, keepdims=True)), axis=1)
    assert np.median(turned) < 1e-3


@pytest.mark.parametrize(
    ("setting", "number", "steps"), [(DRAWN, 4, 0.05), (SLIDING, 15, 0.3)], ids=["rolls", "slides"]
)
def test_a_long_way_takes_some_thousand_steps(setting: Setting, number: int, steps: float, tmp_path: Path) -> None:
    """Both were given up after 200,000 steps, at an eighth and a fifth of their duration."""
    found = run_landing(setting, 1, number, tmp_path)
    assert found.problems == () and found.touches > 0
    assert found.steps < steps * WINDOW
