"""`polyhedral-gravity` solves the same problem by line integrals (Tsoulis 2012): both are exact, rounding remains."""

from __future__ import annotations

import numpy as np
import pytest

from planetfall.world.gravity.polyhedron.build import polyhedron_field

DENSITY = 2670.0


def assert_peer_agrees(vertices: np.ndarray, facets: np.ndarray, n: int) -> None:
    """Potential and acceleration to 1e-9 at points around the body and, every other one, about its middle.

    The peer's own check of the facets' sense fails for bodies of some size in metres; it is left out.
    """
    peer = pytest.importorskip("polyhedral_gravity", reason="polyhedral-gravity is not installed (extra bench)")
    points = np.random.default_rng(2).normal(size=(n, 3)) * np.ptp(vertices, axis=0).max()
    points[1::2] *= 0.2
    unchecked = peer.PolyhedronIntegrity.DISABLE
    body = peer.Polyhedron((vertices, facets), density=DENSITY, integrity_check=unchecked)
    expected = peer.evaluate(polyhedron=body, computation_points=points, parallel=False)
    potential, acceleration = polyhedron_field(vertices, facets, "cpu", density=DENSITY).at(points)
    np.testing.assert_allclose(potential, [-row[0] for row in expected], rtol=1e-9)
    pull = np.array([row[1] for row in expected])
    off = np.linalg.norm(acceleration - pull, axis=1)
    assert np.all(off < 1e-9 * np.linalg.norm(pull, axis=1))
