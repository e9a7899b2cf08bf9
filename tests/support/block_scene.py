"""The built-in block on four feet over a plane, as models and states of a batch. Scenes share one kernel a method.

Kernels of the block serve the rover too: what counts is four points, uniform gravity, a plane, a diagonal inertia.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

import planetfall
from planetfall.engine.build import Model, build
from planetfall.engine.state.result import BatchResult

METHODS: dict[str, dict[str, Any]] = {
    "rk4": {"integrator.method": "rk4", "integrator.step": 2e-3, "integrator.accept_step": True},
    "adaptive": {"integrator.method": "adaptive", "integrator.tolerance": 1e-8},
}
"""Fixed steps that are stable here even where the cautious limit would refuse them, and error control."""


def block(method: str = "rk4", **values: Any) -> planetfall.Scenario:
    """The block half a metre over a gentle slope. `values`: further keys, `__` for the dot."""
    return planetfall.load("sink-flat").with_values(
        {
            "scenario.duration": 1.0,
            "terrain.slope_deg": 12.0,
            "initial.height": 0.5,
            **METHODS[method],
            **{key.replace("__", "."): value for key, value in values.items()},
        }
    )


@lru_cache
def block_model(method: str, is_recorded: bool = False) -> Model:
    """The block's scene on the CPU."""
    return build(block(method), is_recorded=is_recorded)


def spread(state: np.ndarray, n: int, seed: int) -> np.ndarray:
    """n starts about a state, shape (n, 13): in height, attitude, velocity and rates; some in the ground already."""
    rng = np.random.default_rng(seed)
    states = np.tile(state, (n, 1))
    states[:, 2] += rng.uniform(-0.4, 0.3, n)
    states[:, 3:6] += rng.normal(scale=0.5, size=(n, 3))
    turned = states[:, 6:10] + rng.normal(scale=0.1, size=(n, 4))
    states[:, 6:10] = turned / np.linalg.norm(turned, axis=1)[:, None]
    states[:, 10:13] += rng.normal(scale=0.7, size=(n, 3))
    return states


RECORDED_ALONE = ("beyond_peak", "beyond_depth")
"""What is known of recorded runs alone."""


def assert_same_bits(found: BatchResult, expected: BatchResult, runs: Any = slice(None)) -> None:
    """Every number of some runs of a batch equals that of the expected ones; NaN equals NaN."""
    for name, values in vars(expected).items():
        if name in RECORDED_ALONE:
            continue
        np.testing.assert_array_equal(getattr(found, name), values[runs], err_msg=name, strict=True)
