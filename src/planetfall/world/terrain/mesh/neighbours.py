"""What lies around the facets of a mesh: neighbours across edges, pseudonormals of vertices, borders."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from planetfall.world.terrain.mesh.mesh import BORDER_HOLE, BORDER_OUTER


@dataclass(frozen=True)
class MeshNeighbours:
    """The edges of a mesh.

    Side h of facet h // 3 runs from its corner h % 3 to the next one; corners are numbered alike.

    Attributes:
        vertices: [vertex, 3] [m].
        facets: [facet, 3] vertex indices, counter-clockwise seen from outside.
    """

    vertices: np.ndarray
    facets: np.ndarray

    @cached_property
    def _sides(self) -> np.ndarray:
        """[side, 2] vertices that each runs from and to."""
        return self.facets[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2).astype(np.int64)

    @cached_property
    def _edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sides in an order in which those of one edge follow each other, where each edge begins, how many it has."""
        keys = self._sides.min(axis=1) * len(self.vertices) + self._sides.max(axis=1)
        order = np.argsort(keys, kind="stable")
        first = np.flatnonzero(np.diff(keys[order], prepend=-1))
        return order, first, np.diff(first, append=len(order))

    @cached_property
    def mates(self) -> np.ndarray:
        """[side] the side of another facet that runs back along it; -1 where there is none, or several may be meant."""
        order, first, counts = self._edges
        one, other = order[first[counts == 2]], order[first[counts == 2] + 1]
        is_pair = self._sides[one, 0] == self._sides[other, 1]
        mates = np.full(len(order), -1)
        mates[one[is_pair]], mates[other[is_pair]] = other[is_pair], one[is_pair]
        return mates

    @property
    def beside(self) -> np.ndarray:
        """[facet, 3] the facet across each side; -1 where there is none, or several may be meant."""
        return np.where(self.mates < 0, -1, self.mates // 3).reshape(-1, 3)

    def round_vertices(self) -> np.ndarray:
        """[vertex] whether its facets go around it once, each over an edge to the next: no border, no second body."""
        sides = np.flatnonzero(self.mates >= 0)
        links = np.ones(len(sides)), (sides, _following(self.mates[sides]))
        n_corners = self.facets.size
        _, fan = connected_components(coo_array(links, shape=(n_corners, n_corners)), directed=False)
        corner_vertex = self.facets.ravel()
        vertex_of_fan = np.zeros(fan.max() + 1, dtype=np.int64)
        vertex_of_fan[fan] = corner_vertex
        is_round = np.bincount(vertex_of_fan, minlength=len(self.vertices)) == 1
        is_round[self._sides[self.mates < 0].ravel()] = False
        return is_round

    def pseudonormals(self, normals: np.ndarray) -> np.ndarray:
        """[vertex, 3] sums of facets' unit normals [facet, 3], each times its angle there (Baerentzen2005)."""
        out = np.zeros((len(self.vertices), 3))
        for k in range(3):
            here, one, other = (self.vertices[self.facets[:, (k + i) % 3]] for i in range(3))
            across = np.linalg.norm(np.cross(one - here, other - here), axis=1)
            angles = np.arctan2(across, np.sum((one - here) * (other - here), axis=1))
            for axis in range(3):
                weights = angles * normals[:, axis]
                out[:, axis] += np.bincount(self.facets[:, k], weights=weights, minlength=len(self.vertices))
        return out

    def border_codes(self) -> np.ndarray:
        """[facet, 7] BORDER_* by feature (face, edges ab bc ca, vertices a b c): what lies beyond it.

        An edge that only one facet has is a border. The connected border with the largest extent is the outer one; the
        others surround holes.
        """
        order, first, counts = self._edges
        codes = np.zeros((len(self.facets), 7), dtype=np.int32)
        sides = np.sort(order[first[counts == 1]])
        if not len(sides):
            return codes
        start, end = self._sides[sides].T
        n = len(self.vertices)
        _, component = connected_components(
            coo_array((np.ones(len(start)), (start, end)), shape=(n, n)), directed=False
        )
        on_border = np.zeros(n, dtype=bool)
        on_border[start] = on_border[end] = True
        labels = np.unique(component[on_border])
        extent = [np.ptp(self.vertices[on_border & (component == label)], axis=0).max() for label in labels]
        outer = labels[int(np.argmax(extent))]
        code_of_vertex = np.where(on_border, np.where(component == outer, BORDER_OUTER, BORDER_HOLE), 0)
        codes[sides // 3, 1 + sides % 3] = code_of_vertex[start]
        codes[:, 4:7] = code_of_vertex[self.facets]
        return codes


def _following(sides: np.ndarray) -> np.ndarray:
    """The next side of the same facet, or the next corner."""
    return sides - sides % 3 + (sides % 3 + 1) % 3
