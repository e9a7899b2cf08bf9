"""The quadratic program of two unknowns against SciPy and a search over all corners."""

import itertools

import numpy as np

from planetfall.rover.statics.plane_program import N_BOUNDS
from support.rover_probes import shortest_points


def brute(bounds: np.ndarray) -> np.ndarray | None:
    """The shortest of all candidates: the origin, the foot on each border, each crossing of two; None if none holds."""
    a, b = bounds[:, :2], bounds[:, 2]
    candidates = [np.zeros(2)]
    candidates += [row * limit / (row @ row) for row, limit in zip(a, b, strict=True)]
    for i, j in itertools.combinations(range(len(a)), 2):
        if abs(np.linalg.det(a[[i, j]])) > 1e-12:
            candidates.append(np.linalg.solve(a[[i, j]], b[[i, j]]))
    kept = [x for x in candidates if np.all(a @ x <= b + 1e-10)]
    return min(kept, key=lambda x: float(x @ x)) if kept else None


def test_shortest_point_is_the_best_corner_foot_or_origin() -> None:
    """Random half-planes: the optimum of a convex program lies at one of finitely many candidates."""
    rng = np.random.default_rng(0)
    bounds = rng.normal(size=(400, N_BOUNDS, 3))
    bounds[:200, :, 2] += 1.0  # mostly feasible
    found = shortest_points(bounds, 1e-13)
    best = [brute(each) for each in bounds]
    is_feasible = np.array([x is not None for x in best])
    np.testing.assert_array_equal(found["is_feasible"] == 1, is_feasible)
    assert 50 < is_feasible.sum() < 350
    np.testing.assert_allclose(found["point"][is_feasible], [x for x in best if x is not None], atol=1e-9)


def test_half_planes_without_a_border() -> None:
    """0 <= limit holds everywhere or nowhere."""
    bounds = np.zeros((2, N_BOUNDS, 3))
    bounds[:, 0] = [1.0, 0.0, -2.0]
    bounds[1, 5, 2] = -1.0
    found = shortest_points(bounds, 0.0)
    np.testing.assert_allclose(found["point"][0], [-2.0, 0.0])
    assert list(found["is_feasible"]) == [1, 0]
