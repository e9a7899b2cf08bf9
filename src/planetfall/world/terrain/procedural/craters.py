"""Craters: how many, how large, how old, and the relief that they make."""

from dataclasses import dataclass

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.tables.world.terrain_procedural import TerrainCraters
from planetfall.world.terrain.procedural.crater_profile import fresh_profile, samples, support, worn_profiles
from planetfall.world.terrain.procedural.draw import Stream, poisson_count, uniforms
from planetfall.world.terrain.procedural.grid import Grid

MAX_CRATERS = 200_000
CRATERS_AT_ONCE = 512


@dataclass(frozen=True)
class Craters:
    """What was placed, the youngest last; centres may lie beside the field where the ejecta reach it.

    Attributes:
        x: East coordinates of the centres [m].
        y: North coordinates [m].
        diameter: Rim to rim, when fresh [m].
        degradation: kappa t / R^2 of each one's diffusion [-]; 0 is fresh.
    """

    x: np.ndarray
    y: np.ndarray
    diameter: np.ndarray
    degradation: np.ndarray

    def __len__(self) -> int:
        return len(self.x)

    def kept(self, which: np.ndarray) -> "Craters":
        """Those of an index array or a mask."""
        return Craters(self.x[which], self.y[which], self.diameter[which], self.degradation[which])


def crater_number(table: TerrainCraters, diameter: np.ndarray | float) -> np.ndarray:
    """Cumulative number of craters larger than `diameter` [m], per area [1/m^2], before it is cut to the range."""
    return table.density * (np.asarray(diameter, dtype=np.float64) / table.reference_diameter) ** -table.exponent


def crater_diameters(table: TerrainCraters, u: np.ndarray) -> np.ndarray:
    """Diameters [m] of uniform numbers: the inverse of the law between its smallest and its largest."""
    low, high = (d**-table.exponent for d in (table.diameter_min, table.diameter_max))
    return (low - u * (low - high)) ** (-1.0 / table.exponent)


def draw_craters(table: TerrainCraters, seed: int, grid: Grid, pad: float) -> Craters:
    """Craters by the law, uniform over the field and the margin from which ejecta reach it, and those placed by hand.

    Args:
        table: The law.
        seed: Of the scenario.
        grid: The field.
        pad: Radius about the origin [m] that no drawn crater's crest may enter.

    Raises:
        InputError: The law asks for too many.
    """
    margin = 0.5 * table.diameter_max * support(table, table.degradation)
    half = grid.half + margin
    per_area = float(crater_number(table, table.diameter_min) - crater_number(table, table.diameter_max))
    mean = per_area * 4.0 * float(half[0] * half[1])
    if mean > MAX_CRATERS:
        raise InputError(
            "terrain.craters", f"the law asks for {mean:.3g} craters", f"at most {MAX_CRATERS}",
            "a larger diameter_min, or a smaller density",
        )  # fmt: skip
    count = poisson_count(mean, float(uniforms(seed, Stream.craters, 0, (1,))[0]))
    u = uniforms(seed, Stream.craters, 1, (count, 4))
    drawn = Craters(
        (2.0 * u[:, 0] - 1.0) * half[0],
        (2.0 * u[:, 1] - 1.0) * half[1],
        crater_diameters(table, u[:, 2]),
        table.degradation * u[:, 3],
    )
    is_clear = np.hypot(drawn.x, drawn.y) >= pad + 0.5 * drawn.diameter if pad > 0 else np.ones(count, dtype=bool)
    return _by_age(table, grid, drawn.kept(is_clear))


def _by_age(table: TerrainCraters, grid: Grid, drawn: Craters) -> Craters:
    """The drawn and the placed craters that reach the field, the oldest first; of one age, the larger first."""
    by_hand = np.array([(*c.position, c.diameter, c.degradation) for c in table.placed]).reshape(-1, 4)
    columns = (drawn.x, drawn.y, drawn.diameter, drawn.degradation)
    every = Craters(*(np.concatenate(pair) for pair in zip(columns, by_hand.T, strict=True)))
    reach = 0.5 * every.diameter * (table.ejecta_reach + 5.0 * np.sqrt(2.0 * every.degradation))
    reaches = (np.abs(every.x) < grid.half[0] + reach) & (np.abs(every.y) < grid.half[1] + reach)
    every = every.kept(reaches)
    return every.kept(np.lexsort((-every.diameter, -every.degradation * every.diameter**2)))


def crater_relief(table: TerrainCraters, craters: Craters, grid: Grid) -> np.ndarray:
    """Heights [row, column] [m] of all craters, made one after the other, each wiping out what lies inside its rim."""
    heights = np.zeros((grid.n_y, grid.n_x))
    s = samples(table)
    for first in range(0, len(craters), CRATERS_AT_ONCE):
        some = craters.kept(np.arange(first, min(first + CRATERS_AT_ONCE, len(craters))))
        is_worn = some.degradation > 0.0
        profiles = np.zeros((len(some), len(s)))
        if is_worn.any():
            profiles[is_worn] = worn_profiles(table, some.degradation[is_worn])
        for i in range(len(some)):
            radius = 0.5 * float(some.diameter[i])
            reach = radius * support(table, float(some.degradation[i]))
            window, east, north = grid.window(float(some.x[i]), float(some.y[i]), reach)
            if heights[window].size == 0:
                continue
            distance = np.hypot(east, north) / radius
            shape = np.interp(distance, s, profiles[i], right=0.0) if is_worn[i] else fresh_profile(table, distance)
            _wipe(heights[window], east, north, distance)
            heights[window] += 2.0 * radius * shape
    return heights


def _wipe(heights: np.ndarray, east: np.ndarray, north: np.ndarray, distance: np.ndarray) -> None:
    """Replaces older relief inside a rim (distance < 1) by its mean plane, fading out towards the crest, in place."""
    weight = np.maximum(1.0 - distance**2, 0.0)
    inside = weight > 0.0
    old, w = heights[inside], weight[inside]
    if not old.any():
        return
    x, y = (np.broadcast_to(part, heights.shape)[inside] for part in (east, north))
    columns = np.column_stack([np.ones(len(old)), x, y])
    root = np.sqrt(w)
    plane, *_ = np.linalg.lstsq(columns * root[:, None], old * root, rcond=None)
    heights[inside] += w * (columns @ plane - old)
