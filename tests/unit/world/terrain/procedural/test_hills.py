"""Hills: their profile, their ranges, their number."""

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.scenario.tables.world.terrain_procedural import PlacedHill, TerrainHills
from planetfall.world.terrain.procedural.grid import Grid
from planetfall.world.terrain.procedural.hills import draw_hills, hill_relief

GRID = Grid(201, 161, 0.5)  # 100 m x 80 m


def test_profile_is_a_cosine() -> None:
    """Top, half height at a quarter of the width, foot; steepest slope pi H / W there."""
    table = TerrainHills(placed=(PlacedHill(position=(5.0, -10.0), height=2.0, width=16.0),))
    relief = hill_relief(draw_hills(table, 0, GRID, 0.0), GRID)
    x, y = np.meshgrid(GRID.x, GRID.y)
    r = np.hypot(x - 5.0, y + 10.0)
    expected = np.where(r < 8.0, 1.0 + np.cos(np.pi * r / 8.0), 0.0)
    np.testing.assert_allclose(relief, expected, atol=1e-12)
    assert relief.max() == 2.0
    row = relief[60]  # through the top
    assert np.abs(np.diff(row)).max() / 0.5 == pytest.approx(np.pi * 2.0 / 16.0, rel=1e-2)


def test_numbers_and_ranges() -> None:
    """A Poisson number over the field and the margin of half the widest hill; sizes uniform."""
    table = TerrainHills(density=0.01, height=(0.5, 1.5), width=(4.0, 10.0))
    drawn = [draw_hills(table, seed, GRID, 0.0) for seed in range(20)]
    inside = sum(int(np.sum((np.abs(h.x) < 50.0) & (np.abs(h.y) < 40.0))) for h in drawn)
    assert abs(inside - 20 * 80.0) < 4.0 * np.sqrt(20 * 80.0)
    heights, widths = (np.concatenate([getattr(h, key) for h in drawn]) for key in ("height", "width"))
    assert np.all((heights >= 0.5) & (heights <= 1.5))
    assert np.all((widths >= 4.0) & (widths <= 10.0))
    assert abs(heights.mean() - 1.0) < 4.0 / np.sqrt(12 * len(heights))


def test_overlapping_hills_add_up_and_the_pad_stays_clear() -> None:
    hill = PlacedHill(position=(1.0, 2.0), height=1.0, width=8.0)
    one, two = (hill_relief(draw_hills(TerrainHills(placed=(hill,) * n), 0, GRID, 0.0), GRID) for n in (1, 2))
    np.testing.assert_allclose(two, 2.0 * one, atol=1e-15)
    drawn = draw_hills(TerrainHills(density=0.05), 0, GRID, 12.0)
    assert np.all(np.hypot(drawn.x, drawn.y) >= 12.0 + 0.5 * drawn.width)


def test_too_many_are_refused() -> None:
    with pytest.raises(InputError, match=r"terrain\.hills\.density: .* hills; expected at most 200000"):
        draw_hills(TerrainHills(density=1e4), 0, GRID, 0.0)
