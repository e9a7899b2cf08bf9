"""A terrain as one contact point of a run meets it, step after step, with what it keeps from one to the next."""

import numpy as np
import warp as wp

from planetfall.world.terrain.surface import Surface


def walked(surface: Surface, path: np.ndarray, n_points: int = 1, n_runs: int = 1) -> np.ndarray:
    """Gaps [n] [m] at positions [n, 3] [m] that the last point of the last run takes one after the other."""
    params, gap = surface.model.params, surface.model.gap

    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def walk(
        terrain: params, path: wp.array(dtype=wp.vec3d), point: int, run: int, gaps_out: wp.array(dtype=wp.float64)
    ):
        for i in range(path.shape[0]):
            ground = gap(terrain, path[i], point, run)
            gaps_out[i] = ground.gap

    if surface.model.make_room is not None:
        surface.model.make_room(surface.params, n_points, n_runs, surface.device)
    gaps = wp.zeros(len(path), dtype=wp.float64, device=surface.device)
    steps = wp.array(path, dtype=wp.vec3d, device=surface.device)
    inputs = [surface.params, steps, n_points - 1, n_runs - 1]
    wp.launch(walk, 1, inputs=inputs, outputs=[gaps], device=surface.device)
    return gaps.numpy()
