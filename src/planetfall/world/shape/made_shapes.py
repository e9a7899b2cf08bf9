"""Shapes of whole bodies that are made by a formula: what a scenario can stand on without any file.

`bilobed-comet` is a stand-in for 67P: two ellipsoids blended into each other over a neck, with roughness of all sizes
from a kilometre down, scaled to the volume that 67P has (its mass over its density). The lobes' sizes are those of
Sierks2015 by order of magnitude; nothing in it is a place on the real comet.
"""

from functools import lru_cache

import numpy as np

from planetfall.scenario.tables.world.shape_words import MADE_SHAPES
from planetfall.world.shape.mass_properties import shape_properties
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData

FINE, COARSE = 5, 3
"""Subdivisions of an icosahedron: 20,480 facets for the ground, 1,280 for its gravity."""
VOLUME = 18.7e9
"""Of the comet [m^3]: GM of 666.2 m^3/s^2 at 533 kg/m^3."""
LOBES = (
    (np.array([-1.05, 0.0, 0.0]), np.array([1.90, 1.75, 1.25])),
    (np.array([1.28, 0.15, 0.25]), np.array([1.38, 1.25, 1.10])),
)
"""Middle and semi-axes of each lobe, before scaling [km]; both hold the origin, so each ray from it leaves once."""
BLEND = 0.05
"""How far the lobes melt into each other at the neck, in units of their own distance functions (assumed)."""
ROUGHNESS, WAVES, SEED = 0.018, 96, 67
"""Root mean square of the roughness over the radius, number of waves, and the seed of their draw (assumed)."""


def is_made(name: str) -> bool:
    """Whether a name stands for a made shape."""
    return name in MADE_SHAPES


@lru_cache(maxsize=4)
def made_shape(name: str, subdivisions: int = FINE) -> MeshData:
    """A made shape about its centre of mass, along its principal axes, the largest moment about z.

    Coarser ones have their vertices on the finest one's surface and are moved as it is, so that ground and gravity
    belong to one body.
    """
    assert name in MADE_SHAPES
    vertices, facets = _comet(FINE)
    found = shape_properties(vertices, facets)
    scale = float((VOLUME / found.volume) ** (1.0 / 3.0))
    if subdivisions != FINE:
        vertices, facets = _comet(subdivisions)
    moved = scale * (vertices - found.center_of_mass) @ found.axes.T
    step = float(np.spacing(np.abs(moved).max()))
    return MeshData(np.ascontiguousarray(moved), facets, f"{name}, {len(facets)} facets (made)", step)


def _comet(subdivisions: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [km] and facets of the comet before it is scaled and moved."""
    from trimesh.creation import icosphere

    ball = icosphere(subdivisions, 1.0)
    directions = np.asarray(ball.vertices, dtype=np.float64)
    radii = _radius(directions)
    return directions * (radii * (1.0 + _roughness(directions * radii[:, None])))[:, None], np.asarray(
        ball.faces, dtype=np.int32
    )


def _radius(directions: np.ndarray) -> np.ndarray:
    """Where each ray from the origin leaves the blended lobes [km], by halving."""
    low, high = np.zeros(len(directions)), np.full(len(directions), 4.0)
    for _ in range(60):
        middle = 0.5 * (low + high)
        is_inside = _blended(directions * middle[:, None]) < 0.0
        low, high = np.where(is_inside, middle, low), np.where(is_inside, high, middle)
    return 0.5 * (low + high)


def _blended(points: np.ndarray) -> np.ndarray:
    """Negative inside: the smooth minimum of both lobes' |x/a| - 1."""
    one, other = (np.linalg.norm((points - middle) / half, axis=1) - 1.0 for middle, half in LOBES)
    least = np.minimum(one, other)
    return least - BLEND * np.log(np.exp((least - one) / BLEND) + np.exp((least - other) / BLEND))


def _roughness(points: np.ndarray) -> np.ndarray:
    """Relative change of the radius: waves of wavelengths from 2 km to 0.25 km, heights like their wavelengths."""
    rng = np.random.default_rng(SEED)
    wavelength = 2.0 * 0.125 ** (np.arange(WAVES) / (WAVES - 1))
    axes = rng.normal(size=(WAVES, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    phases = rng.uniform(0.0, 2.0 * np.pi, WAVES)
    heights = wavelength * ROUGHNESS / np.sqrt(0.5 * np.sum(wavelength**2))
    return np.cos(points @ (axes * (2.0 * np.pi / wavelength)[:, None]).T + phases) @ heights
