"""Rocks by the law of Golombek and Rapp: how many, how large, and where.

The fraction of the area that rocks larger than D cover is F(>D) = k exp(-q D), with q = 1.79 + 0.152/k [1/m]
(GolombekRapp1997). Their number follows from dF = -(pi/4) D^2 dN.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import exp1

from planetfall.errors import InputError
from planetfall.scenario.tables.world.terrain_procedural import TerrainRocks
from planetfall.world.terrain.procedural.draw import Stream, poisson_count, uniforms
from planetfall.world.terrain.procedural.grid import Grid
from planetfall.world.terrain.procedural.rock_places import find_places

MAX_ROCKS = {"mesh": 100_000, "dem": 500_000}
LONGEST = 1.5
"""Greatest ratio of a rock's axes seen from above (assumed); each one's is uniform from 1 to this."""
CORNERS_OUT = 1.11
"""How far the corners of a rock's outline may stand beyond the ellipse of equal area."""


@dataclass(frozen=True)
class Rocks:
    """What was placed.

    Attributes:
        x: East coordinates of the centres [m].
        y: North coordinates [m].
        diameter: Of the circle of equal area, seen from above [m].
        height: Above the ground [m].
        elongation: Ratio of the long to the short axis seen from above [-].
        azimuth: Direction of the long axis, counter-clockwise from east [rad].
    """

    x: np.ndarray
    y: np.ndarray
    diameter: np.ndarray
    height: np.ndarray
    elongation: np.ndarray
    azimuth: np.ndarray

    def __len__(self) -> int:
        return len(self.x)

    def kept(self, which: np.ndarray) -> "Rocks":
        """Those of an index array or a mask."""
        columns = (self.x, self.y, self.diameter, self.height, self.elongation, self.azimuth)
        return Rocks(*(column[which] for column in columns))

    @property
    def long(self) -> np.ndarray:
        """Long half axis seen from above [m]."""
        return 0.5 * self.diameter * np.sqrt(self.elongation)

    @property
    def short(self) -> np.ndarray:
        """Short half axis seen from above [m]."""
        return 0.5 * self.diameter / np.sqrt(self.elongation)

    @property
    def reach(self) -> np.ndarray:
        """Radius of a circle that holds the outline [m]."""
        return CORNERS_OUT * self.long


def rock_decay(cover: float) -> float:
    """The decay q [1/m] of a cover k."""
    return 1.79 + 0.152 / cover


def rock_number(cover: float, diameter: np.ndarray | float) -> np.ndarray:
    """Number of rocks larger than `diameter` [m] per area [1/m^2]: (4 k q/pi) (exp(-q D)/D - q E1(q D))."""
    d, q = np.asarray(diameter, dtype=np.float64), rock_decay(cover)
    return 4.0 * cover * q / np.pi * (np.exp(-q * d) / d - q * exp1(q * d))


def rock_diameters(table: TerrainRocks, u: np.ndarray) -> np.ndarray:
    """Diameters [m] of uniform numbers: the inverse of the law between its smallest and its largest.

    Newton's method in log D from a table: the slope of N is known, -(4 k q/pi) exp(-q D)/D^2.
    """
    k, q = table.cover, rock_decay(table.cover)
    high, low = (float(rock_number(k, d)) for d in (table.diameter_min, table.diameter_max))
    wanted = high - u * (high - low)
    logs = np.linspace(np.log(table.diameter_min), np.log(table.diameter_max), 1025)
    log_d = np.interp(-wanted, -rock_number(k, np.exp(logs)), logs)
    for _ in range(4):
        d = np.exp(log_d)
        log_d = log_d + (rock_number(k, d) - wanted) / (4.0 * k * q / np.pi * np.exp(-q * d) / d)
    return np.clip(np.exp(log_d), table.diameter_min, table.diameter_max)  # ends to the last bit


def draw_rocks(table: TerrainRocks, seed: int, grid: Grid, pad: float) -> Rocks:
    """Rocks by the law, uniform over the field but clear of each other, and those placed by hand.

    Args:
        table: The law.
        seed: Of the scenario.
        grid: The field.
        pad: Radius about the origin [m] that no drawn rock may enter.

    Raises:
        InputError: There would be too many, or they find no room.
    """
    by_hand = np.array([(*rock.position, rock.diameter) for rock in table.placed]).reshape(-1, 3)
    for i, place in enumerate(by_hand):
        if np.any(np.abs(place[:2]) > grid.half):
            raise InputError(f"terrain.rocks.placed.{i}.position", f"{place[:2].tolist()} m lies beside the field")
    sizes = _sizes(table, seed, grid)
    u = uniforms(seed, Stream.rocks, 2, (len(sizes) + len(by_hand), 2))
    diameter = np.concatenate([by_hand[:, 2], sizes])
    rocks = Rocks(
        np.zeros(len(diameter)), np.zeros(len(diameter)), diameter, table.height_ratio * diameter,
        1.0 + (LONGEST - 1.0) * u[:, 0], 2.0 * np.pi * u[:, 1],
    )  # fmt: skip
    places = find_places(by_hand[:, :2], rocks.reach, grid.half, seed)
    rocks = replace(rocks, x=places[:, 0], y=places[:, 1])
    if pad == 0.0:
        return rocks
    is_kept = np.hypot(rocks.x, rocks.y) >= pad + rocks.reach
    is_kept[: len(by_hand)] = True
    return rocks.kept(is_kept)


def _sizes(table: TerrainRocks, seed: int, grid: Grid) -> np.ndarray:
    """Diameters [m] of the rocks to be placed, a Poisson number of them, the largest first."""
    if table.cover == 0.0:
        return np.zeros(0)
    area = 4.0 * float(grid.half[0] * grid.half[1])
    ends = rock_number(table.cover, np.array([table.diameter_min, table.diameter_max]))
    mean = area * float(ends[0] - ends[1])
    limit = MAX_ROCKS[table.shape]
    if mean > limit:
        raise InputError(
            "terrain.rocks", f"the law asks for {mean:.3g} rocks", f"at most {limit} with shape = {table.shape!r}",
            "a larger diameter_min, or a smaller field",
        )  # fmt: skip
    count = poisson_count(mean, float(uniforms(seed, Stream.rocks, 0, (1,))[0]))
    return np.sort(rock_diameters(table, uniforms(seed, Stream.rocks, 1, (count,))))[::-1]


def rock_relief(rocks: Rocks, grid: Grid) -> np.ndarray:
    """Heights [row, column] [m] of rocks as half ellipsoids that stand on the ground."""
    heights = np.zeros((grid.n_y, grid.n_x))
    long, short = rocks.long, rocks.short
    for i in range(len(rocks)):
        window, east, north = grid.window(float(rocks.x[i]), float(rocks.y[i]), float(long[i]))
        c, s = np.cos(rocks.azimuth[i]), np.sin(rocks.azimuth[i])
        squared = ((c * east + s * north) / long[i]) ** 2 + ((c * north - s * east) / short[i]) ** 2
        heights[window] += rocks.height[i] * np.sqrt(np.maximum(1.0 - squared, 0.0))
    return heights
