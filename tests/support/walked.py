"""A terrain as one contact point of a run meets it, step after step, with what it keeps from one to the next."""

from typing import NamedTuple

import numpy as np
import warp as wp

from planetfall.world.terrain.surface import Surface


class Grounds(NamedTuple):
    """What a terrain says along a path [n]: gaps [m], outward normals, facets, statuses."""

    gaps: np.ndarray
    normals: np.ndarray
    facets: np.ndarray
    statuses: np.ndarray


def walked(surface: Surface, path: np.ndarray, n_points: int = 1, n_runs: int = 1) -> np.ndarray:
    """Gaps [n] [m] at positions [n, 3] [m] that the last point of the last run takes one after the other."""
    return grounds_along(surface, path, n_points, n_runs).gaps


def grounds_along(surface: Surface, path: np.ndarray, n_points: int = 1, n_runs: int = 1) -> Grounds:
    """All that the terrain says at positions that the last point of the last run takes one after the other."""
    params, gap = surface.model.params, surface.model.gap

    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def walk(
        terrain: params,
        path: wp.array(dtype=wp.vec3d),
        point: int,
        run: int,
        gaps_out: wp.array(dtype=wp.float64),
        normals_out: wp.array(dtype=wp.vec3d),
        facets_out: wp.array(dtype=wp.int32),
        statuses_out: wp.array(dtype=wp.int32),
    ):
        for i in range(path.shape[0]):
            ground = gap(terrain, path[i], point, run)
            gaps_out[i] = ground.gap
            normals_out[i] = ground.normal
            facets_out[i] = ground.facet
            statuses_out[i] = ground.status

    if surface.model.make_memory is not None:
        surface.model.make_memory(surface.params, n_points, n_runs, surface.device)
    outputs = [
        wp.zeros(len(path), dtype=dtype, device=surface.device) for dtype in (wp.float64, wp.vec3d, wp.int32, wp.int32)
    ]
    steps = wp.array(path, dtype=wp.vec3d, device=surface.device)
    inputs = [surface.params, steps, n_points - 1, n_runs - 1]
    wp.launch(walk, 1, inputs=inputs, outputs=outputs, device=surface.device)
    return Grounds(*(output.numpy() for output in outputs))


def asked(surface: Surface, path: np.ndarray) -> Grounds:
    """The same by questions of which each stands for itself."""
    gaps, normals, statuses = surface.ask(path)
    return Grounds(gaps, normals, surface.facets_at(path), statuses)


def wander(start: np.ndarray, n: int, size: float, rng: np.random.Generator) -> np.ndarray:
    """n positions [m] from a start: steps of all sizes from 1e-9 to 1 of a size, in runs of one size and direction."""
    n_runs = -(-n // 10)
    length = size * 10.0 ** rng.uniform(-9.0, 0.0, n_runs).repeat(10)[:n]
    heading = rng.normal(size=(n_runs, 3)).repeat(10, axis=0)[:n] + 0.3 * rng.normal(size=(n, 3))
    return start + np.cumsum(heading * length[:, None] / np.linalg.norm(heading, axis=1)[:, None], axis=0)
