"""The locator of mechanisms' events: where a parabola is lowest, which is where a number may dip below zero."""

from __future__ import annotations

import numpy as np
import warp as wp

from planetfall.engine.solver.events.mechanism_events import lowest_of_three


@wp.kernel(module="unique", enable_backward=False)
def lowest(samples: wp.array(dtype=wp.vec3d), theta_out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    theta_out[i] = lowest_of_three(samples[i][0], samples[i][1], samples[i][2])


def found(samples: np.ndarray) -> np.ndarray:
    theta = wp.zeros(len(samples), dtype=wp.float64, device="cpu")
    wp.launch(lowest, len(samples), [wp.array(samples, dtype=wp.vec3d, device="cpu"), theta], device="cpu")
    return theta.numpy()


def test_the_lowest_place_of_a_parabola() -> None:
    """Exact for any parabola with its vertex inside the step; an end for one that bends down or falls all the way."""
    rng = np.random.default_rng(5)
    vertex, bend, level = rng.uniform(0.01, 0.99, 200), rng.uniform(0.1, 10.0, 200), rng.normal(size=200)
    at = np.array([0.0, 0.5, 1.0])
    inside = level[:, None] + bend[:, None] * (at - vertex[:, None]) ** 2
    assert np.abs(found(inside) - vertex).max() < 1e-11  # rounding of 10, over a bend of 0.1
    beyond = level[:, None] + bend[:, None] * (at - (vertex[:, None] + 1.0)) ** 2
    assert np.all(found(beyond) == 1.0)
    before = level[:, None] + bend[:, None] * (at + vertex[:, None]) ** 2
    assert np.all(found(before) == 0.0)
    arched = level[:, None] - bend[:, None] * (at - vertex[:, None]) ** 2
    assert np.all(found(arched) == np.where(arched[:, 2] < arched[:, 0], 1.0, 0.0))
