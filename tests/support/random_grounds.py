"""Random ground of every kind for random landings, in sizes of the vehicle, as `[terrain]` tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

from support.made_ground import grid_mesh
from support.mesh_queries import ball

STEEPEST = 86.0
"""Of all facets of a map or a mesh, at most [deg]."""
N = 36
"""Nodes of maps along each side; meshes have two thirds of them."""
BODY = 10.0
"""Radius of whole bodies [m], about."""


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def steepest(along: np.ndarray, heights: np.ndarray) -> float:
    """Slope [m/m] of the steepest facet of a grid."""
    vertices, facets = grid_mesh(along, heights)
    a, b, c = (vertices[facets[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    return float((np.linalg.norm(normals[:, :2], axis=1) / normals[:, 2]).max())


def rough_grid(rng: np.random.Generator, n: int, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates [n] and heights [n, n] [m] of nodes; the steepest facet has 5 to 86 degrees, half of them over 60."""
    along = (np.arange(n) - n // 2) * size * log_uniform(rng, 0.2, 1.0)
    heights = rng.normal(size=(n, n))
    if rng.random() < 0.5:  # smoother: hills of several cells
        heights = sum(np.roll(heights, (i, j), (0, 1)) for i in range(3) for j in range(3))
    angle = rng.uniform(60.0, STEEPEST) if rng.random() < 0.5 else rng.uniform(5.0, 60.0)
    return along, heights * (np.tan(np.radians(angle)) / steepest(along, heights))


def plane(rng: np.random.Generator, size: float, folder: Path) -> dict[str, Any]:
    return {"model": "plane", "slope_deg": float(rng.uniform(0.0, 45.0)), "aspect_deg": float(rng.uniform(0.0, 360.0))}


def elevation_map(rng: np.random.Generator, size: float, folder: Path) -> dict[str, Any]:
    """Heights are kept in a file of the folder."""
    along, heights = rough_grid(rng, N, size)
    file = folder / f"map-{rng.integers(2**62):x}.npy"
    np.save(file, heights)
    return {"model": "dem", "file": str(file), "spacing": float(along[1] - along[0]), "height_scale": 1.0}


def rough_mesh(rng: np.random.Generator, size: float) -> dict[str, Any]:
    """A grid as a mesh, and half of them sheared, so that steep facets hang over; a shear leaves nothing crossed."""
    vertices, facets = grid_mesh(*rough_grid(rng, 2 * N // 3, 1.5 * size))
    vertices[:, 0] += vertices[:, 2] * (rng.uniform(-0.5, 0.5) if rng.random() < 0.5 else 0.0)
    return {"model": "mesh", "vertices": vertices.tolist(), "facets": facets.tolist()}


def mesh(rng: np.random.Generator, size: float, folder: Path) -> dict[str, Any]:
    return rough_mesh(rng, size)


def rock(rng: np.random.Generator, size: float) -> dict[str, Any]:
    """An ellipsoid of 320 facets about the middle of the ground."""
    stretched = ball().vertices * rng.uniform(0.3, 1.5, 3) * size
    middle = np.append(rng.uniform(-3.0, 3.0, 2), 0.0) * size
    return {"model": "mesh", "vertices": (stretched + middle).tolist(), "facets": ball().facets.tolist()}


def made(rng: np.random.Generator, size: float, folder: Path) -> dict[str, Any]:
    """Noise, and rocks that are bodies of their own, one of them where the vehicle comes down."""
    return {
        "model": "procedural", "extent": [16.0 * size, 16.0 * size], "resolution": 0.25 * size,
        "seed": int(rng.integers(2**31)), "slope_deg": float(rng.uniform(0.0, 25.0)),
        "noise": {"amplitude": rng.uniform(0.02, 0.5) * size, "wavelength": 8.0 * size, "octaves": 4},
        "rocks": {
            "cover": 0.1, "diameter_min": 0.4 * size, "diameter_max": 1.5 * size,
            "placed": [{"position": [float(x) for x in rng.uniform(-size, size, 2)], "diameter": size}],
        },
    }  # fmt: skip


def combined(rng: np.random.Generator, size: float, folder: Path) -> dict[str, Any]:
    """A map with rocks on it: a union of solids."""
    return elevation_map(rng, size, folder) | {"added": [rock(rng, size), rock(rng, size)]}


def distance_field(rng: np.random.Generator, size: float, folder: Path) -> dict[str, Any]:
    """A whole body, one of a few, as building one takes long; all with some noise, so that one kernel serves them."""
    which = int(rng.integers(4))
    shape = ("sphere", "ellipsoid", "box", "ellipsoid")[which]
    sizes = ([BODY] * 3, [1.3 * BODY, BODY, 0.8 * BODY], [BODY, 0.9 * BODY, 0.8 * BODY], [BODY, BODY, 0.7 * BODY])
    noise = {"amplitude": (0.005, 0.03, 0.1, 0.2)[which], "wavelength": 3.0, "octaves": 3, "seed": which}
    return {"model": "sdf", "shape": shape, "half_sizes": sizes[which], "resolution": BODY / 16, "noise": noise}


def whole_mesh(rng: np.random.Generator, size: float, folder: Path) -> dict[str, Any]:
    """A rough whole body of 80 facets, in a file, from which its gravity can be found, too."""
    shape, rough = trimesh.creation.icosphere(1), rng.uniform(0.0, 0.1)
    radii = BODY * rng.uniform(0.7, 1.3, 3) * (1.0 + rough * rng.uniform(-1.0, 1.0, (len(shape.vertices), 1)))
    file = folder / f"body-{rng.integers(2**62):x}.ply"
    trimesh.Trimesh(shape.vertices * radii, shape.faces, process=False).export(file)
    return {"model": "mesh", "file": str(file)}


Maker = Callable[[np.random.Generator, float, Path], dict[str, Any]]
GROUNDS: dict[str, Maker] = {
    "plane": plane, "map": elevation_map, "mesh": mesh, "made": made, "combined": combined,
    "field": distance_field, "whole mesh": whole_mesh,
}  # fmt: skip
BODIES = ("field", "whole mesh")
"""Those that are a whole body about the origin."""
