"""A terrain from a scenario's table: the plain, what is laid on it in turn, and last the tilt."""

from dataclasses import dataclass

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.tables.world.terrain_procedural import TerrainProcedural
from planetfall.world.terrain.procedural.craters import Craters, crater_relief, draw_craters
from planetfall.world.terrain.procedural.grid import Grid, grid_of
from planetfall.world.terrain.procedural.hills import Hills, draw_hills, hill_relief
from planetfall.world.terrain.procedural.rock_shapes import RockMesh, rock_mesh
from planetfall.world.terrain.procedural.rocks import Rocks, draw_rocks, rock_relief
from planetfall.world.terrain.procedural.roughness import roughness


@dataclass(frozen=True)
class GeneratedTerrain:
    """Made ground, surface frame L, whose origin is the middle of the field.

    Attributes:
        heights: Of the nodes [row, column] [m], float64; row to the north, column to the east.
        x_first: East coordinate of column 0 [m].
        y_first: North coordinate of row 0 [m].
        spacing: Distance of neighbouring nodes [m].
        craters: What was placed.
        hills: What was placed.
        rocks: What was placed.
        rock_mesh: The rocks as closed bodies; None where there are none, or where they are part of the heights.
        source: Name and seed, for people.
    """

    heights: np.ndarray
    x_first: float
    y_first: float
    spacing: float
    craters: Craters
    hills: Hills
    rocks: Rocks
    rock_mesh: RockMesh | None
    source: str

    @property
    def x(self) -> np.ndarray:
        """East coordinates of the columns [m]."""
        return self.x_first + self.spacing * np.arange(self.heights.shape[1])

    @property
    def y(self) -> np.ndarray:
        """North coordinates of the rows [m]."""
        return self.y_first + self.spacing * np.arange(self.heights.shape[0])

    def rms_slope(self, baseline: float) -> float:
        """Root mean square slope [m/m] along the grid's axes over a distance [m], of whole cells (Shepard2001)."""
        n = max(1, round(baseline / self.spacing))
        if n >= min(self.heights.shape):
            raise InputError("baseline", f"{baseline:g} m does not fit into the field", "less than its shorter side")
        north, east = self.heights[n:] - self.heights[:-n], self.heights[:, n:] - self.heights[:, :-n]
        square = (float(np.sum(north**2)) + float(np.sum(east**2))) / (north.size + east.size)
        return float(np.sqrt(square)) / (n * self.spacing)


def generate(table: TerrainProcedural) -> GeneratedTerrain:
    """Makes the ground that a table describes; the same table gives the same bits.

    The tilt is added last, as the height of a plane: relief is sheared, not turned, so that a tilted field keeps its
    map and its heights above the plane are measured vertically. Rocks are sheared with it.

    Raises:
        InputError: The field has too many nodes, craters, hills or rocks, or the rocks find no room.
    """
    grid = grid_of(table)
    craters = draw_craters(table.craters, table.seed, grid, table.flat_radius)
    hills = draw_hills(table.hills, table.seed, grid, table.flat_radius)
    rocks = draw_rocks(table.rocks, table.seed, grid, table.flat_radius)
    heights = roughness(table.noise, table.seed, grid)
    heights += crater_relief(table.craters, craters, grid)
    heights += hill_relief(hills, grid)
    _flatten(heights, grid, table.flat_radius)
    mesh = None
    if table.rocks.shape == "dem":
        heights += rock_relief(rocks, grid)
    elif len(rocks):
        mesh = rock_mesh(rocks, table.rocks.buried, grid.height_at(heights, rocks.x, rocks.y), table.seed)
        mesh.vertices[:, 2] -= mesh.vertices[:, :2] @ table.downhill
    east, north = table.downhill
    heights -= east * grid.x[None, :] + north * grid.y[:, None]
    first = -grid.half
    source = f"procedural {table.name}, seed {table.seed}"
    return GeneratedTerrain(
        heights, float(first[0]), float(first[1]), grid.spacing, craters, hills, rocks, mesh, source
    )


def _flatten(heights: np.ndarray, grid: Grid, radius: float) -> None:
    """Takes the relief out of a pad about the origin, in place; it returns smoothly from one radius to two."""
    if radius == 0.0:
        return
    window, east, north = grid.window(0.0, 0.0, 2.0 * radius)
    t = np.clip(np.hypot(east, north) / radius - 1.0, 0.0, 1.0)
    heights[window] *= t * t * (3.0 - 2.0 * t)
