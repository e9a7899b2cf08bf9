"""What baking a gravity field costs in accuracy, measured."""

import numpy as np

from planetfall.world.gravity.on_device import GravityField
from planetfall.world.gravity.polyhedron.build import ask_polyhedron

N_SAMPLES = 2000
"""Points at which the error is measured: on the surface, near it and around the body."""
SEED = 1


def measured_errors(
    baked: GravityField, exact: GravityField, vertices: np.ndarray, facets: np.ndarray, spacing: float, last: np.ndarray
) -> dict[str, float]:
    """Errors of a baked acceleration against the exact one, relative to the mean gravity on the surface.

    On the surface: at random places of random facets, where vehicles rest; with the mean error of the magnitude, for a
    bias does not average out. Near it: up to two cells out from there, along the normal. Beyond: around the body's
    bounding box, out to twice the last box, denser toward the body, relative to the gravity there.

    Args:
        baked: The field that is judged.
        exact: Of the same body.
        vertices: Of it [vertex, 3] [m].
        facets: [facet, 3].
        spacing: Of the finest nodes [m].
        last: Lowest and highest coordinates [2, 3] [m] of the last box.
    """
    rng = np.random.default_rng(SEED)
    surface, normals = surface_places(vertices, facets, N_SAMPLES, rng)
    near = surface + normals * rng.uniform(0.0, 2.0 * spacing, (N_SAMPLES, 1))
    around = last.mean(axis=0) + np.ptp(last, axis=0) * rng.uniform(-1.0, 1.0, (N_SAMPLES, 3)) ** 3
    is_beside = np.any((around < vertices.min(axis=0)) | (around > vertices.max(axis=0)), axis=1)

    errors: dict[str, float] = {}
    mean = np.nan
    for name, points in {"surface": surface, "near": near, "beyond": around[is_beside]}.items():
        found, true = baked.acceleration(points), ask_polyhedron(exact, points).acceleration
        gravity = np.linalg.norm(true, axis=1)
        if name == "surface":
            mean = gravity.mean()
            errors["error_surface_mean"] = float((np.linalg.norm(found, axis=1) - gravity).mean() / mean)
        error = np.linalg.norm(found - true, axis=1) / (gravity if name == "beyond" else mean)
        errors[f"error_{name}_rms"] = float(np.sqrt(np.mean(error**2)))
        errors[f"error_{name}_max"] = float(error.max())
    return errors


def surface_places(
    vertices: np.ndarray, facets: np.ndarray, n: int, rng: np.random.Generator | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Random places of a mesh, and the unit normals there, both [n, 3]: any area as likely as another of its size."""
    rng = np.random.default_rng(SEED) if rng is None else rng
    corners = vertices[facets]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    chosen = rng.choice(len(facets), n, p=areas / areas.sum())
    places = np.einsum("nc,nci->ni", rng.dirichlet([1.0, 1.0, 1.0], n), corners[chosen])
    return places, normals[chosen] / areas[chosen][:, None]
