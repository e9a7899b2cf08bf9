"""The nodes of a generated map about the origin of L."""

from dataclasses import dataclass

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.tables.world.terrain_procedural import TerrainProcedural
from planetfall.world.terrain.readers.source_file import MAX_PIXELS


@dataclass(frozen=True)
class Grid:
    """Nodes in rows to the north and columns to the east; the origin of L is the middle.

    Attributes:
        n_x: Number of columns.
        n_y: Number of rows.
        spacing: Distance of neighbouring nodes [m].
    """

    n_x: int
    n_y: int
    spacing: float

    @property
    def half(self) -> np.ndarray:
        """Half the sides of the field, east and north [m]."""
        return 0.5 * self.spacing * np.array([self.n_x - 1, self.n_y - 1])

    @property
    def x(self) -> np.ndarray:
        """East coordinates of the columns [m]."""
        return self._along(slice(0, self.n_x), self.n_x)

    @property
    def y(self) -> np.ndarray:
        """North coordinates of the rows [m]."""
        return self._along(slice(0, self.n_y), self.n_y)

    def window(self, x: float, y: float, radius: float) -> tuple[tuple[slice, slice], np.ndarray, np.ndarray]:
        """The nodes within a square about a place.

        Args:
            x: East [m].
            y: North [m].
            radius: Half the side of the square [m].

        Returns:
            Slices of rows and columns, and the nodes' offsets from the place [m]: east as a row, north as a column.
        """
        columns = self._span(x, radius, self.n_x)
        rows = self._span(y, radius, self.n_y)
        return (rows, columns), self._along(columns, self.n_x)[None, :] - x, self._along(rows, self.n_y)[:, None] - y

    def _along(self, part: slice, count: int) -> np.ndarray:
        return (np.arange(part.start, part.stop) - 0.5 * (count - 1)) * self.spacing

    def _span(self, middle: float, radius: float, count: int) -> slice:
        origin = 0.5 * (count - 1)
        first = int(np.ceil((middle - radius) / self.spacing + origin))
        last = int(np.floor((middle + radius) / self.spacing + origin))
        return slice(min(max(first, 0), count), min(max(last + 1, 0), count))

    def height_at(self, heights: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Heights [m] of the facets at places [m] in the field; cells are cut from south-west to north-east."""
        u = (np.asarray(x) + self.half[0]) / self.spacing
        v = (np.asarray(y) + self.half[1]) / self.spacing
        i = np.clip(np.floor(u).astype(int), 0, self.n_x - 2)
        j = np.clip(np.floor(v).astype(int), 0, self.n_y - 2)
        u, v = u - i, v - j
        sw, se, ne, nw = heights[j, i], heights[j, i + 1], heights[j + 1, i + 1], heights[j + 1, i]
        return np.where(u >= v, sw + (se - sw) * u + (ne - se) * v, sw + (nw - sw) * v + (ne - nw) * u)


def grid_of(table: TerrainProcedural) -> Grid:
    """The grid that a table asks for.

    Raises:
        InputError: It has more nodes than a map may have.
    """
    n_x, n_y = (round(side / table.resolution) + 1 for side in table.extent)
    if n_x * n_y > MAX_PIXELS:
        raise InputError(
            "terrain.resolution", f"{n_x} x {n_y} nodes {table.resolution:g} m apart, {n_x * n_y:.3g} in all",
            f"at most {MAX_PIXELS} nodes", "a coarser resolution, or a smaller extent",
        )  # fmt: skip
    return Grid(n_x, n_y, table.resolution)
