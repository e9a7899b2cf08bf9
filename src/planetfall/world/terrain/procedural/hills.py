"""Hills: round mounds with a cosine profile."""

from dataclasses import dataclass

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.tables.world.terrain_procedural import TerrainHills
from planetfall.world.terrain.procedural.draw import Stream, poisson_count, uniforms
from planetfall.world.terrain.procedural.grid import Grid

MAX_HILLS = 200_000


@dataclass(frozen=True)
class Hills:
    """What was placed; centres may lie beside the field where the foot reaches it.

    Attributes:
        x: East coordinates of the tops [m].
        y: North coordinates [m].
        height: Tops above the plain [m].
        width: Diameters of the bases [m].
    """

    x: np.ndarray
    y: np.ndarray
    height: np.ndarray
    width: np.ndarray

    def __len__(self) -> int:
        return len(self.x)

    def kept(self, which: np.ndarray) -> "Hills":
        """Those of an index array or a mask."""
        return Hills(self.x[which], self.y[which], self.height[which], self.width[which])


def draw_hills(table: TerrainHills, seed: int, grid: Grid, pad: float) -> Hills:
    """Hills uniform over the field and the margin from which a foot reaches it, and those placed by hand.

    Args:
        table: Their statistics.
        seed: Of the scenario.
        grid: The field.
        pad: Radius about the origin [m] that no drawn hill's foot may enter.

    Raises:
        InputError: There would be too many.
    """
    half = grid.half + 0.5 * table.width[1]
    mean = table.density * 4.0 * float(half[0] * half[1])
    if mean > MAX_HILLS:
        raise InputError("terrain.hills.density", f"{mean:.3g} hills", f"at most {MAX_HILLS}", "a smaller density")
    count = poisson_count(mean, float(uniforms(seed, Stream.hills, 0, (1,))[0]))
    u = uniforms(seed, Stream.hills, 1, (count, 4))
    drawn = Hills(
        (2.0 * u[:, 0] - 1.0) * half[0],
        (2.0 * u[:, 1] - 1.0) * half[1],
        table.height[0] + u[:, 2] * (table.height[1] - table.height[0]),
        table.width[0] + u[:, 3] * (table.width[1] - table.width[0]),
    )
    if pad > 0:
        drawn = drawn.kept(np.hypot(drawn.x, drawn.y) >= pad + 0.5 * drawn.width)
    by_hand = np.array([(*h.position, h.height, h.width) for h in table.placed]).reshape(-1, 4)
    columns = (drawn.x, drawn.y, drawn.height, drawn.width)
    every = Hills(*(np.concatenate(pair) for pair in zip(columns, by_hand.T, strict=True)))
    return every.kept(
        (np.abs(every.x) < grid.half[0] + 0.5 * every.width) & (np.abs(every.y) < grid.half[1] + 0.5 * every.width)
    )


def hill_relief(hills: Hills, grid: Grid) -> np.ndarray:
    """Heights [row, column] [m] of all hills: height (1 + cos(2 pi r / width)) / 2 each, added up."""
    heights = np.zeros((grid.n_y, grid.n_x))
    for x, y, height, width in zip(hills.x, hills.y, hills.height, hills.width, strict=True):
        window, east, north = grid.window(float(x), float(y), 0.5 * float(width))
        turn = np.minimum(2.0 * np.pi * np.hypot(east, north) / width, np.pi)
        heights[window] += 0.5 * height * (1.0 + np.cos(turn))
    return heights
