"""Facets in clusters have the potential of the exact sum, to the order of their series."""

import numpy as np

from planetfall.world.gravity.grid.nodes import tree_potentials
from planetfall.world.gravity.polyhedron.build import polyhedron_field
from planetfall.world.gravity.polyhedron.facet_tree import OPENING, ORDER
from planetfall.world.gravity.polyhedron.facet_tree_build import facet_tree
from support.bodies import duck


def errors(vertices: np.ndarray, facets: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Of the potential for G rho = 1 at places, relative to its mean there."""
    exact = polyhedron_field(vertices, facets, "cpu", density=1000.0)
    exact.params.strength = 1.0
    true = exact.potential(places)
    return (tree_potentials(facet_tree(vertices, facets, "cpu"), places, "cpu") - true) / np.abs(true).mean()


def test_inside_and_near_it_is_the_exact_sum_to_what_the_opening_leaves() -> None:
    """A cluster is wrong by less than OPENING^ORDER = 2e-4 of its share, and dozens of either sign make the sum."""
    vertices, facets = duck()
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    places = np.random.default_rng(0).uniform(low - 0.5, high + 0.5, (300, 3))
    found = errors(vertices, facets, places)
    assert 1e-9 < np.abs(found).max() < OPENING**ORDER / np.sqrt(len(facets))


def test_on_vertices_edges_and_facets_it_is_finite_and_as_exact() -> None:
    vertices, facets = duck()
    corners = vertices[facets[:50]]
    places = np.concatenate([corners[:, 0], corners[:, :2].mean(axis=1), corners.mean(axis=1)])
    assert np.abs(errors(vertices, facets, places)).max() < OPENING**ORDER / np.sqrt(len(facets))


def test_far_away_the_error_falls_with_the_order_of_the_series() -> None:
    """The first term that is left out falls like D^-ORDER, the potential like 1/D: their ratio by 2^(ORDER - 1)."""
    vertices, facets = duck()
    middle, radius = vertices.mean(axis=0), np.ptp(vertices, axis=0).max()
    away = np.random.default_rng(1).normal(size=(200, 3))
    away *= radius / np.linalg.norm(away, axis=1)[:, None]
    near, far = (np.sqrt(np.mean(errors(vertices, facets, middle + k * away) ** 2)) for k in (4.0, 8.0))
    assert abs(np.log2(near / far) - (ORDER - 1)) < 0.3
