"""Winding numbers: the sum of exact solid angles, and what they must be on and off a surface."""

import numpy as np
import pytest

from planetfall.world.shape.made_shapes import COARSE, FINE, made_shape
from planetfall.world.shape.winding_number import windings_at, windings_on
from support.bodies import Mesh, ball, cube, duck

DIPOLES = 0.05
"""What dipoles may be off: (r/d)^2 of a group two radii away is 0.25, most of which cancels; measured 0.043."""


def solid_angles(mesh: Mesh, places: np.ndarray) -> np.ndarray:
    """Winding numbers by the sum over all facets (VanOosterom1983), in NumPy."""
    a, b, c = ((mesh[0][mesh[1][:, i]][None] - places[:, None]) for i in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=2) for x in (a, b, c))
    volume = np.einsum("pfi,pfi->pf", a, np.cross(b, c))
    below = la * lb * lc + (a * b).sum(2) * lc + (b * c).sum(2) * la + (c * a).sum(2) * lb
    return np.arctan2(volume, below).sum(axis=1) / (2.0 * np.pi)


def test_against_the_sum_over_all_facets() -> None:
    """An open mesh, so that the numbers are no whole ones."""
    vertices, facets = duck()
    half = vertices, facets[vertices[facets].mean(axis=1)[:, 2] < 0.2]
    places = np.random.default_rng(2).uniform(-3.0, 3.0, (300, 3))
    exact = solid_angles(half, places)
    assert 0.2 < np.ptp(exact) < 1.0
    np.testing.assert_allclose(windings_at(*half, places), exact, atol=DIPOLES)


def test_few_facets_are_summed_exactly() -> None:
    """A cube from within: all are near. Far from the origin rounding is that of the coordinates, 1e6 of them."""
    vertices, facets = cube()
    for shift in (0.0, 1e6):
        places = shift + np.array([[0.0, 0.0, 0.0], [0.9, 0.8, -0.3], [1.5, 0.0, 0.0]])
        np.testing.assert_allclose(windings_at(vertices + shift, facets, places), [1.0, 1.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("thickness", [1.0, 1e-3, 1e-6])
def test_thin_plates_and_sharp_edges_have_two_sides(thickness: float) -> None:
    """A lens that is thinner than any place beside its facets could be told in single precision."""
    vertices, facets = ball(100.0, 3)
    lens = vertices * np.array([1.0, 1.0, thickness / 100.0])
    np.testing.assert_allclose(windings_on(lens, facets), 0.5, atol=DIPOLES)


def test_made_shapes_have_two_sides() -> None:
    for subdivisions in (COARSE, FINE):
        mesh = made_shape("bilobed-comet", subdivisions)
        np.testing.assert_allclose(windings_on(mesh.vertices, mesh.facets), 0.5, atol=DIPOLES)


def test_what_is_wrong_has_other_numbers() -> None:
    """Doubled 1, inside another 3/2, a shell wound inward in empty space -1/2."""
    vertices, facets = ball(100.0, 2)
    n = len(facets)
    double = np.vstack([facets, facets])
    np.testing.assert_allclose(windings_on(vertices, double), 1.0, atol=2 * DIPOLES)
    both = np.vstack([vertices, 0.5 * vertices])
    nested = windings_on(both, np.vstack([facets, facets + len(vertices)]))
    np.testing.assert_allclose(nested[:n], 0.5, atol=2 * DIPOLES)
    np.testing.assert_allclose(nested[n:], 1.5, atol=2 * DIPOLES)
    np.testing.assert_allclose(windings_on(vertices, facets[:, ::-1]), -0.5, atol=DIPOLES)
