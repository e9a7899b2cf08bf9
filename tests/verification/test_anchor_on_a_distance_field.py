"""The anchor law on a distance field: the plane that a point feels touches the ground below it.

A plane by the gradient where the point is, at depth d, shifts in proportion to d and to the way that the point goes, as
the gradient's length and direction change from place to place: it had to be renewed in every few milliseconds.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from planetfall.engine.build import Model, build
from planetfall.engine.solver.progress import WINDOW
from support.anchor_probes import found_footings
from support.landing_checks import run_landing
from support.random_landings import Setting, landing

DRAWN = Setting("anchor", "field", "turning", "j2", "adaptive", 5, is_diagonal=False)
"""Its landing 4 of seed 1 rolls over an ellipsoid for two hours, with points up to 13 cm deep."""


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


def test_the_plane_touches_the_ground() -> None:
    """The second step of Newton leaves a thousandth of what the first leaves; more where cells meet at a kink."""
    model, places = drawn(), deep_points()
    states = np.zeros((len(places), 13))
    states[:, :3] = places - np.asarray(model.scenario.vehicle.points[0].position)
    states[:, 9] = 1.0
    found, _ = found_footings(build(model.scenario, is_recorded=False, surface=model.surface), states)
    depths, gradients, _ = model.surface.ask(places)
    is_deep = depths < -5e-3
    assert is_deep.sum() > 100 and np.all(found["is_touching"][is_deep, 0] == 1)
    first = places - gradients * (depths / np.sum(gradients**2, axis=1))[:, None]
    once, twice = (model.surface.ask(feet[is_deep])[0] for feet in (first, found["place"][:, 0]))
    assert np.median(np.abs(twice / once)) < 1e-3
    assert np.abs(twice).max() < 0.05 * np.abs(once).max()


def test_a_long_way_takes_some_thousand_steps(tmp_path: Path) -> None:
    """It was given up after 200,000 steps, at an eighth of its duration."""
    found = run_landing(DRAWN, 1, 4, tmp_path)
    assert found.problems == () and found.touches > 0
    assert found.steps < 0.05 * WINDOW
