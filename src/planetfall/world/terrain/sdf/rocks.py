"""Boulders on a whole body: how many, how large, and where; faceted bodies, half sunk in its surface.

Their number follows a power law, as counted on asteroids: N(>D) = density (D/reference)^-exponent per area. Places are
uniform over the surface; boulders may touch and overlap, since the field takes the union of what is solid.
"""

from dataclasses import dataclass

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.procedural.draw import Stream, poisson_count, uniforms
from planetfall.world.terrain.procedural.rock_shapes import N_PATTERNS, rock_patterns
from planetfall.world.terrain.procedural.rocks import LONGEST

MAX_BOULDERS = 50_000
"""Boulders of a body (assumed): some two million facets."""

Mesh = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Boulders:
    """The law of boulders.

    Attributes:
        density: Number larger than `reference` per area [1/m^2].
        reference: Diameter that the density refers to [m].
        exponent: Of the cumulative law [-].
        smallest: Smallest diameter [m].
        largest: Largest diameter [m].
        height_ratio: Height above the ground over diameter [-].
        buried: Fraction of a body's height that is below the ground [-].
        seed: Of all draws.
    """

    density: float
    reference: float
    exponent: float
    smallest: float
    largest: float
    height_ratio: float = 0.5
    buried: float = 0.5
    seed: int = 0

    def number(self, diameter: np.ndarray | float) -> np.ndarray:
        """Number larger than `diameter` [m] per area [1/m^2], as if the law had no largest."""
        return self.density * (np.asarray(diameter, float) / self.reference) ** -self.exponent


def boulder_diameters(law: Boulders, u: np.ndarray) -> np.ndarray:
    """Diameters [m] of uniform numbers: the inverse of the law between its smallest and its largest."""
    high, low = law.number(law.smallest), law.number(law.largest)
    found = law.reference * ((high - u * (high - low)) / law.density) ** (-1.0 / law.exponent)
    return np.clip(found, law.smallest, law.largest)  # ends to the last bit


def scatter_boulders(vertices: np.ndarray, facets: np.ndarray, law: Boulders) -> Mesh:
    """Boulders on a closed mesh, as one mesh of closed bodies.

    Args:
        vertices: Of the body [vertex, 3] [m].
        facets: [facet, 3] vertex indices, counter-clockwise seen from outside.
        law: Number and sizes.

    Raises:
        InputError: There would be too many.
    """
    corners = np.asarray(vertices, float)[facets]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    doubled = np.linalg.norm(normals, axis=1)
    mean = 0.5 * float(doubled.sum()) * float(law.number(law.smallest) - law.number(law.largest))
    if mean > MAX_BOULDERS:
        raise InputError(
            "terrain.rocks", f"the law asks for {mean:.3g} boulders", f"at most {MAX_BOULDERS}", "a larger diameter_min"
        )
    n = poisson_count(mean, float(uniforms(law.seed, Stream.rocks, 0, (1,))[0]))
    u = uniforms(law.seed, Stream.rocks, 1, (n, 7))
    share = np.cumsum(doubled) / doubled.sum()
    on = np.minimum(np.searchsorted(share, u[:, 0]), len(facets) - 1)
    a, b = 1.0 - np.sqrt(u[:, 1]), u[:, 2] * np.sqrt(u[:, 1])
    places = corners[on, 0] * (1.0 - a - b)[:, None] + corners[on, 1] * a[:, None] + corners[on, 2] * b[:, None]
    axes = _axes(normals[on] / doubled[on][:, None], 2.0 * np.pi * u[:, 3])
    stretch = np.sqrt(1.0 + (LONGEST - 1.0) * u[:, 4])
    return _bodies(law, places, axes, boulder_diameters(law, u[:, 5]), stretch, u[:, 6])


def _axes(up: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Axes [boulder, 3, 3], in columns: along, across, up; turned about up."""
    other = np.where(np.abs(up[:, :1]) < 0.6, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    x = np.cross(other, up)
    x /= np.linalg.norm(x, axis=1)[:, None]
    y = np.cross(up, x)
    c, s = np.cos(turn)[:, None], np.sin(turn)[:, None]
    return np.stack([c * x + s * y, c * y - s * x, up], axis=2)


def _bodies(
    law: Boulders, places: np.ndarray, axes: np.ndarray, diameters: np.ndarray, stretch: np.ndarray, pick: np.ndarray
) -> Mesh:
    """All boulders as one mesh."""
    patterns, every, triangles, first = rock_patterns(law.seed), [], [], 0
    for i, which in enumerate((pick * N_PATTERNS).astype(int)):
        corners, facets = patterns[which]
        x, y, z = corners.T
        rise = law.height_ratio * np.where(z > 0.0, z, z * law.buried / (1.0 - law.buried))
        local = diameters[i] * np.column_stack([x * stretch[i], y / stretch[i], rise])
        every.append(places[i] + local @ axes[i].T)
        triangles.append(facets + first)
        first += len(corners)
    if not every:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32)
    return np.concatenate(every), np.concatenate(triangles).astype(np.int32)
