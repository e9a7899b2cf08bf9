"""How wrong the gaps of a distance field are at the surface it was made from, measured."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from planetfall.world.terrain.sdf.cell import BRICK

N_PLACES = 6000
"""Places near the surface that are looked at."""
SEED = 1


class _Source(Protocol):
    @property
    def at(self) -> Callable[[np.ndarray], np.ndarray]:
        """Exact signed distances at points."""
        ...


def measured_gaps(
    source: _Source, origin: np.ndarray, spacing: float, cells: np.ndarray, bricks: np.ndarray
) -> dict[str, float]:
    """Errors of the gap [m] against exact distances, at random places within half a cell of the surface.

    As many per area anywhere. The mean tells by how much contact comes late (a gap that is too large) or early.

    Args:
        source: Knows the exact distances.
        origin: Of the field [m].
        spacing: Of fine nodes [m].
        cells: Coarse cells [brick, 3] that have bricks.
        bricks: Stored distances [brick, 9, 9, 9] [m].
    """
    rng = np.random.default_rng(SEED)
    kept: list[np.ndarray] = []
    for _ in range(20):  # far from the surface there are bricks, too
        chosen = rng.integers(len(cells), size=4 * N_PLACES)
        within = rng.uniform(0.0, BRICK, (len(chosen), 3))
        value = interpolated(bricks[chosen], within)
        is_near = np.abs(value) < 1.5 * spacing
        kept.append(np.column_stack([cells[chosen] * BRICK + within, value])[is_near])
        if sum(map(len, kept)) >= N_PLACES:
            break
    found = np.concatenate(kept)[:N_PLACES]
    exact = source.at(origin + spacing * found[:, :3]) if len(found) else np.zeros(0)
    is_near = np.abs(exact) < 0.5 * spacing
    if not is_near.any():
        return {}
    error = exact[is_near] - found[is_near, 3]  # d > 0 inside, the gap is -d
    return {
        "error_gap_mean_m": float(error.mean()),
        "error_gap_rms_m": float(np.sqrt(np.mean(error**2))),
        "error_gap_max_m": float(np.abs(error).max()),
    }


def interpolated(bricks: np.ndarray, within: np.ndarray) -> np.ndarray:
    """Trilinear values of bricks [n, 9, 9, 9] at places [n, 3] in fine cells from their first node."""
    cell = np.minimum(np.floor(within).astype(int), BRICK - 1)
    part, row = within - cell, np.arange(len(bricks))
    total = np.zeros(len(bricks))
    for corner in np.ndindex(2, 2, 2):
        weight = np.prod(np.where(corner, part, 1.0 - part), axis=1)
        total += weight * bricks[(row, *(cell + corner).T)]
    return total
