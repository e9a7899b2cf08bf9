"""Pictures of terrains: light from the upper left, colours of the bar, holes that are holes."""

from __future__ import annotations

import io

import matplotlib.image
import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.colors import Normalize

from planetfall.analysis.terrain.terrain_view import ABOVE, TerrainPicture
from planetfall.report.ground.terrain_map import LEVELS, Legend, draw_terrain, shaded


def view_of(normals: list[list[float]], level: float = 0.5) -> TerrainPicture:
    """A row of elements with normals of any length."""
    made = np.array([normals], dtype=float)
    made /= np.linalg.norm(made, axis=-1)[..., None]
    levels = np.where(np.isnan(made[..., 0]), np.nan, level)
    return TerrainPicture(ABOVE, (0.0, 4.0, 0.0, 1.0), levels, made, np.arccos(made[..., 2]))


def test_ground_that_leans_to_the_north_west_is_lit() -> None:
    colours = shaded(view_of([[-0.1, 0.1, 1.0], [0.0, 0.0, 1.0], [0.1, -0.1, 1.0]]), Normalize(0.0, 1.0))
    brightness = colours[0, :, :3].sum(axis=-1)
    assert brightness[0] > brightness[1] > brightness[2]
    assert (colours[..., 3] == 1.0).all()


@pytest.mark.parametrize("level", [0.0, 0.3, 1.0])
def test_level_ground_has_the_colour_of_the_bar(level: float) -> None:
    colours = shaded(view_of([[0.0, 0.0, 1.0], [0.3, 0.0, 1.0]], level), Normalize(0.0, 1.0))
    assert colours[0, 0] == pytest.approx(colormaps[LEVELS](level))


def test_no_ground_has_no_colour() -> None:
    colours = shaded(view_of([[0.0, 0.0, 1.0], [np.nan, np.nan, np.nan]]), Normalize(0.0, 1.0))
    assert colours[0, 1] == pytest.approx([0.0] * 4)


@pytest.mark.parametrize(("hole", "high"), [(0.0, 1.0), (0.5, 0.02), (0.5, 30.0), (1.0, 1.0)])
def test_any_view_can_be_drawn(hole: float, high: float) -> None:
    """With nothing to see, all alike, and in odd proportions."""
    level = np.zeros((20, 20))
    level[:, : int(20 * hole)] = np.nan
    normals = np.zeros((20, 20, 3))
    normals[..., 2] = 1.0
    normals[np.isnan(level)] = np.nan
    view = TerrainPicture(ABOVE, (-10.0, 10.0, 0.0, 20.0 * high), level, normals, 0.0 * level)
    words = Legend("a $ign", "height", "slope", (("east", "north"),), ("A note. " * 40,), north=0.5)
    picture = matplotlib.image.imread(io.BytesIO(draw_terrain([view], words)))
    assert picture.shape[1] == 1890
    assert 300 < picture.shape[0] < 1700
    relief = picture[:, :700, :3]  # without its colour bar
    is_level = (np.abs(relief - colormaps[LEVELS](0.5)[:3]) < 0.02).all(axis=-1)
    assert (is_level.sum() > 3000) == (hole < 1.0)
