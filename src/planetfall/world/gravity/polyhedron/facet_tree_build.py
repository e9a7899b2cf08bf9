"""Sorting a polyhedron's facets into clusters, and the series of each."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import comb, factorial, prod
from typing import Any

import numpy as np
import warp as wp
from scipy.special import roots_jacobi, roots_legendre

from planetfall.world.gravity.polyhedron.facet_tree import N_COEFFICIENTS, ORDER, Cluster, FacetTree, TreeFacet

LEAF = 12
"""Facets of a leaf, at most."""
_U, _OF_U = roots_jacobi(ORDER // 2, 1.0, 0.0)
_V, _OF_V = roots_legendre(ORDER // 2)
_ALONG, _ACROSS = (0.5 * (1.0 + root).ravel() for root in np.meshgrid(_U, _V, indexing="ij"))
CORNER_SHARES = np.stack([_ALONG, (1.0 - _ALONG) * _ACROSS, (1.0 - _ALONG) * (1.0 - _ACROSS)], axis=-1)
"""Places in a triangle, by the shares of its corners: Gauss' along a median times Gauss' across (Stroud1971).

Their weighted sum is exact for polynomials of degree ORDER - 1.
"""
WEIGHTS = np.outer(_OF_U, _OF_V).ravel() / 4.0
"""Of those places, over the area."""
BINOMIALS = np.array([[comb(row, column) for column in range(ORDER)] for row in range(ORDER)], dtype=float)
EXPONENTS = np.maximum(np.subtract.outer(np.arange(ORDER), np.arange(ORDER)), 0)
"""Of a shift, where the binomials are not zero."""


@dataclass(frozen=True)
class _Node:
    """A cluster of the facets from `first` to before `last`; whether it has none inside; which comes `after` it."""

    first: int
    last: int
    is_leaf: bool
    after: int


def facet_tree(vertices: np.ndarray, facets: np.ndarray, device: str) -> FacetTree:
    """The facets of a closed mesh in clusters, on a device.

    Args:
        vertices: [vertex, 3] [m].
        facets: [facet, 3] vertex indices, counter-clockwise seen from outside.
        device: Warp device.
    """
    corners = np.asarray(vertices, np.float64)[facets]
    nodes, order = _clusters(corners.mean(axis=1))
    corners = corners[order]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    doubled = np.linalg.norm(normals, axis=1)
    rows: Any = np.zeros(len(corners), dtype=TreeFacet.numpy_dtype())
    rows["a"], rows["b"], rows["c"] = corners.transpose(1, 0, 2)
    rows["normal"], rows["doubled"] = normals / doubled[:, None], doubled
    clusters: Any = np.zeros(len(nodes), dtype=Cluster.numpy_dtype())
    for row, node in zip(clusters, nodes, strict=True):
        own = corners[node.first : node.last]
        row["middle"] = 0.5 * (own.min(axis=(0, 1)) + own.max(axis=(0, 1)))
        row["radius"] = np.linalg.norm(own - row["middle"], axis=2).max()
        row["next"], row["first"], row["count"] = node.after, node.first, (node.last - node.first) * node.is_leaf
    moments = _moments(nodes, clusters["middle"], corners, normals)
    tree = FacetTree()
    tree.clusters = wp.array(clusters, dtype=Cluster, device=device)
    tree.series = wp.array(moments.reshape(len(nodes), -1) @ _series_of_moments(), dtype=wp.float64, device=device)
    tree.facets = wp.array(rows, dtype=TreeFacet, device=device)
    return tree


def _clusters(places: np.ndarray) -> tuple[list[_Node], np.ndarray]:
    """Clusters, each before the two halves of it, and the order in which the facets at `places` [facet, 3] lie."""
    order = np.arange(len(places))
    nodes: list[_Node] = []

    def split(first: int, last: int) -> None:
        at, is_leaf = len(nodes), last - first <= LEAF
        nodes.append(_Node(first, last, is_leaf, 0))
        if not is_leaf:
            own = order[first:last]
            along = places[own][:, np.argmax(np.ptp(places[own], axis=0))]
            middle = (last - first) // 2
            order[first:last] = own[np.argpartition(along, middle)]
            split(first, first + middle)
            split(first + middle, last)
        nodes[at] = _Node(first, last, is_leaf, len(nodes))

    split(0, len(places))
    return nodes, order


def _moments(nodes: list[_Node], middles: np.ndarray, corners: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Integrals of n_i x^a y^b z^c [cluster, a, b, c, i] of every cluster about its middle, up to ORDER - 1 each.

    Leaves by quadrature, exact up to that degree altogether, which is all that is used; the others from their halves.
    """
    out = np.empty((len(nodes), ORDER, ORDER, ORDER, 3))
    for i in range(len(nodes) - 1, -1, -1):  # what lies inside a cluster follows it
        node = nodes[i]
        if node.is_leaf:
            own = slice(node.first, node.last)
            places = np.einsum("qc,fck->fqk", CORNER_SHARES, corners[own] - middles[i]).reshape(-1, 3)
            x, y, z = (np.vander(places[:, k], ORDER, increasing=True) for k in range(3))
            weighted = (0.5 * WEIGHTS[None, :, None] * normals[own][:, None, :]).reshape(-1, 3)
            xy = (x[:, :, None] * y[:, None, :]).reshape(len(places), -1)
            zn = (z[:, :, None] * weighted[:, None, :]).reshape(len(places), -1)
            out[i] = (xy.T @ zn).reshape(ORDER, ORDER, ORDER, 3)
        else:
            first = i + 1
            halves = (first, nodes[first].after)
            out[i] = sum(_moved(out[half], middles[half] - middles[i]) for half in halves)
    return out


def _moved(moments: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Moments [a, b, c, i] about a point, of which the former one lies `shift` [m] away."""
    for axis in range(3):
        matrix = BINOMIALS * np.power(shift[axis], EXPONENTS)
        moments = np.moveaxis(np.tensordot(matrix, moments, (1, axis)), 0, axis)
    return moments


@lru_cache
def _series_of_moments() -> np.ndarray:
    """What takes moments [a, b, c, i] to the coefficients of all Q_m: [moment, coefficient].

    Term m of the series is the polynomial p_m(D) = int (n . D) (t . D)^(m-1) dS contracted with the derivatives of |D|:

        Q_m = (-1)^m/(m-1)! sum_j g_(m-j)/(2^j j!) Laplace^j p_m,    g_0 = 1, g_1 = 1, g_(k+1) = -(2 k - 1) g_k

    on the unit sphere, where (x^2 + y^2 + z^2)^j is one and makes all terms of degree m.
    """
    out = np.zeros((ORDER, ORDER, ORDER, 3, N_COEFFICIENTS))
    radial = [1.0, 1.0]
    for k in range(1, ORDER):
        radial.append(-(2.0 * k - 1.0) * radial[k])
    start = 0
    for m in range(1, ORDER + 1):
        places: dict[tuple[int, ...], int] = {(a, b, m - a - b): start + k for k, (a, b) in enumerate(_exponents(m))}
        for powers in product(range(m), repeat=3):
            if sum(powers) != m - 1:
                continue
            ways = factorial(m - 1) / prod(factorial(k) for k in powers)
            for i in range(3):
                a, b, c = (powers[axis] + (axis == i) for axis in range(3))
                for exponents, value in _on_sphere({(a, b, c): ways}, m, radial).items():
                    out[(*powers, i, places[exponents])] += (-1.0) ** m / factorial(m - 1) * value
        start += len(places)
    return out.reshape(-1, N_COEFFICIENTS)


def _exponents(degree: int) -> list[tuple[int, int]]:
    """Those of x and y in the monomials of a degree, in the order of the coefficients."""
    return [(a, b) for a in range(degree + 1) for b in range(degree - a + 1)]


Polynomial = dict[tuple[int, ...], float]
"""Coefficients by the exponents of x, y, z."""


def _on_sphere(polynomial: Polynomial, degree: int, radial: list[float]) -> Polynomial:
    """sum_j g_(m-j)/(2^j j!) (x^2 + y^2 + z^2)^j Laplace^j p of a homogeneous polynomial p of degree m."""
    out: Polynomial = {}
    for j in range(degree // 2 + 1):
        raised = polynomial
        for _ in range(j):
            raised = _combined(raised, lambda exponents, value: {_stepped(exponents, i, 2): value for i in range(3)})
        for exponents, value in raised.items():
            out[exponents] = out.get(exponents, 0.0) + radial[degree - j] / (2.0**j * factorial(j)) * value
        polynomial = _combined(polynomial, _second_derivatives)
    return out


def _second_derivatives(exponents: tuple[int, ...], value: float) -> Polynomial:
    return {_stepped(exponents, i, -2): value * k * (k - 1) for i, k in enumerate(exponents) if k >= 2}


def _stepped(exponents: tuple[int, ...], axis: int, by: int) -> tuple[int, ...]:
    return tuple(k + by * (i == axis) for i, k in enumerate(exponents))


def _combined(polynomial: Polynomial, each: Callable[[tuple[int, ...], float], Polynomial]) -> Polynomial:
    """The sum of what becomes of each monomial."""
    out: Polynomial = {}
    for exponents, value in polynomial.items():
        for changed, part in each(exponents, value).items():
            out[changed] = out.get(changed, 0.0) + part
    return out
