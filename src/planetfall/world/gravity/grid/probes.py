"""How wrong a grid of gravity will be, and how long it takes to bake, found before it is baked.

Around a few places of the surface the very nodes that the grid will have are computed, and a spline is put through
them. What nodes farther away add to it falls by 3.7 from each to the next, so that five on either side tell the error
there to a thousandth of itself. Half of the places are where the ground bends most over two nodes, for there the error
is largest.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planetfall.errors import InputError
from planetfall.world.gravity.grid.errors import surface_places
from planetfall.world.gravity.grid.nodes import continued_potentials_at, tree_potentials
from planetfall.world.gravity.on_device import GravityField
from planetfall.world.gravity.polyhedron.build import ask_polyhedron
from planetfall.world.gravity.polyhedron.facet_tree import FacetTree
from planetfall.world.terrain.sdf.mesh_distance import MeshDistance

N_PROBES = 24
"""Places that are looked at where the ground bends most, and as many anywhere."""
N_BENT = 500
"""Places among which those are looked for."""
PATCH = 10
"""Nodes along each side of the cube about a place."""
N_TIMED = 5
"""Timings of which the middle one counts: a machine with other work may stop one for many times what it takes."""
TRIES = 8
"""Resolutions that are tried for an advice, at most."""


@dataclass(frozen=True)
class Probes:
    """A body whose gravity is to be baked.

    Attributes:
        tree: Its facets, for potentials.
        distance: To its surface.
        exact: Its field, for G rho = 1.
        vertices: [vertex, 3] [m].
        facets: [facet, 3].
    """

    tree: FacetTree
    distance: MeshDistance
    exact: GravityField
    vertices: np.ndarray
    facets: np.ndarray

    def error(self, origin: np.ndarray, spacing: float) -> float:
        """Largest error of the acceleration at the probes, relative to their mean gravity.

        Args:
            origin: A node of the grid [m].
            spacing: Of its nodes [m].
        """
        places = self._places(spacing)
        true = ask_polyhedron(self.exact, places).acceleration
        mean = np.linalg.norm(true, axis=1).mean()
        return float(np.linalg.norm(self._splined(places, origin, spacing) - true, axis=1).max() / mean)

    def seconds_per_node(self, nodes: np.ndarray) -> float:
        """What the potential of a node takes, on the average over some [node, 3] [m] that are drawn from all."""
        tree_potentials(self.tree, nodes[:1], self.distance.device)  # compiled before it is timed
        taken = []
        for part in np.array_split(nodes, N_TIMED):
            begun = time.perf_counter()
            tree_potentials(self.tree, part, self.distance.device)
            taken.append((time.perf_counter() - begun) / len(part))
        return float(np.median(taken))

    def _places(self, spacing: float) -> np.ndarray:
        """On the surface [place, 3] [m]."""
        places, normals = surface_places(self.vertices, self.facets, N_BENT)
        along = np.cross(normals, np.roll(normals, 1, axis=1) + np.array([0.1, 0.2, 0.3]))
        along *= spacing / np.linalg.norm(along, axis=1)[:, None]
        across = np.cross(normals, along)
        beside = np.concatenate([places + step for step in (along, -along, across, -across)])
        bend = np.abs(self.distance.at(beside)).reshape(4, -1).max(axis=0)
        return np.concatenate([places[np.argsort(bend)[-N_PROBES:]], places[:N_PROBES]])

    def _splined(self, places: np.ndarray, origin: np.ndarray, spacing: float) -> np.ndarray:
        """Acceleration [place, 3] of splines through the nodes about each place."""
        u = (places - origin) / spacing
        base = np.floor(u) - (PATCH // 2 - 1)
        steps = np.stack(np.meshgrid(*[np.arange(PATCH)] * 3, indexing="ij"), -1)
        nodes = origin + spacing * (base[:, None, None, None, :] + steps)
        values = continued_potentials_at(self.tree, self.distance, nodes.reshape(-1, 3))
        values = values.reshape(len(places), PATCH, PATCH, PATCH)
        weights, slopes = _patch_weights(u - base)
        found = np.empty_like(places)
        for axis in range(3):
            own = [slopes[:, k] if k == axis else weights[:, k] for k in range(3)]
            found[:, axis] = -np.einsum("nijk,ni,nj,nk->n", values, *own) / spacing
        return found


def _patch_weights(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the values at PATCH nodes weigh in the spline through them, and in its slope: both [place, 3, PATCH].

    At u [place, 3] in nodes from the first.
    """
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(np.arange(PATCH), np.eye(PATCH))  # not a knot, as the grid's
    return spline(u), spline(u, 1)


def tried_spacing(
    probes: Probes, origin_of: Callable[[float], np.ndarray], spacing: float, error: float, bound: float, least: float
) -> float | None:
    """A finer spacing [m], of two digits, with which the probes' error keeps the bound; none where none was found.

    Args:
        probes: The body.
        origin_of: A node of the grid of a spacing.
        spacing: Which makes the error.
        error: That is beyond the bound.
        bound: To be kept.
        least: The finest that may be baked [m].
    """
    for _ in range(TRIES):
        spacing = float(f"{spacing * min(max(0.7 * bound / error, 0.3), 0.8):.2g}")
        if spacing < least:
            return None
        error = probes.error(origin_of(spacing), spacing)
        if error <= 0.7 * bound:  # room for places that were not looked at
            return spacing
    return None


def too_coarse(spacing: float, error: float, bound: float, finer: float | None, facts: str = "") -> InputError:
    """What is said of a grid that is too coarse: the finer one was looked at."""
    advice = f"gravity.resolution = {finer:g}, with which the error keeps the bound, or " if finer is not None else ""
    return InputError(
        "gravity.resolution",
        f"{spacing:g} m makes the acceleration wrong by up to {error:.2g} of the surface's{facts}",
        f"gravity.error_bound = {bound:g}", f"use {advice}gravity.model = 'polyhedron'",
    )  # fmt: skip
