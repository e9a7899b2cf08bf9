"""The cheapest way over a traversability map: places and headings are nodes, moves and turns between them are edges.

A rover that stands at a place with a heading may go on to the next place that way, if it stands there with the same
heading, or turn to one of the two next headings on the spot. A turn counts as the way of the outermost wheel.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.ndimage import minimum_filter, uniform_filter
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from planetfall.errors import InputError
from planetfall.rover.model import RoverModel
from planetfall.rover.traversability.traverse import MapScores

MOVES = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""Steps in rows and columns of a map, clockwise from north."""
GOALS = ("energy", "time", "margin")
"""What a route is chosen by: least work of motors that drive, least time, largest least margin."""
LEAST_FORCE = 1e-4
"""Force over weight that every way costs, so that of ways without climb the shortest is taken (assumed)."""
MARGIN_STEP = 1e-3
"""How finely margins are told apart."""


def move_headings(dx: float, dy: float) -> np.ndarray:
    """Headings [deg], clockwise from north, of the eight moves on a map with nodes dx and dy apart [m]."""
    rows, columns = np.transpose(MOVES)
    return np.degrees(np.arctan2(columns * dx, rows * dy)) % 360.0


def place_margins(found: MapScores) -> np.ndarray:
    """How far a place is from what stops the rover, 1 on flat ground and 0 where it fails, [heading, row, column].

    The least of the stability margin, of what is left of the grip (along the rims, and with the lateral forces), and
    of what is left of the torque, there and at the eight places around: a route goes between them as well. On `bekker`
    soil lateral forces stop no rover, and a place may have a margin below 0.
    """
    layers = found.layers
    used = [1.0 - layers[name] for name in ("slip_ratio", "friction_used", "saturation")]
    left = [layers["stability_margin"], *used]
    own = np.where(found.verdict == 0, np.min(left, axis=0), 0.0)
    return minimum_filter(own, (1, 3, 3), mode="nearest")


@dataclass(frozen=True)
class RouteGraph:
    """Nodes are places with headings, by their index in [heading, row, column]; edges are moves and turns.

    Attributes:
        shape: Headings, rows and columns.
        tail: Node at which an edge begins, [e].
        head: Node at which it ends, [e].
        length: [m], [e].
        work: Of the motors that drive [J], [e].
        margin: The less of the margins at both ends, [e].
    """

    shape: tuple[int, int, int]
    tail: np.ndarray
    head: np.ndarray
    length: np.ndarray
    work: np.ndarray
    margin: np.ndarray

    def best(self, goal: str, start: np.ndarray, end: np.ndarray) -> np.ndarray | None:
        """Nodes of the best route from one of some nodes to one of others; none where there is no way."""
        if goal != "margin":
            return self._cheapest(self.work if goal == "energy" else self.length, start, end)
        return self._safest(start, end)

    def without(self, edges: np.ndarray) -> "RouteGraph":
        """The graph without some edges, by index."""
        kept = np.ones(len(self.tail), dtype=bool)
        kept[edges] = False
        return RouteGraph(
            self.shape, self.tail[kept], self.head[kept], self.length[kept], self.work[kept], self.margin[kept]
        )

    def edges_along(self, nodes: np.ndarray) -> np.ndarray:
        """Indices of the edges between neighbouring nodes of a route."""
        keys, wanted = self.tail * np.prod(self.shape) + self.head, nodes[:-1] * np.prod(self.shape) + nodes[1:]
        order = np.argsort(keys, kind="stable")
        return order[np.searchsorted(keys[order], wanted)]

    def _safest(self, start: np.ndarray, end: np.ndarray) -> np.ndarray | None:
        """The shortest of the routes whose least margin is as large as it can be, by halving over margins."""
        best = self._cheapest(self.length, start, end)
        if best is None:
            return None
        low = int(np.floor(self.margin.min(initial=0.0) / MARGIN_STEP))
        high = int(np.ceil(self.margin.max(initial=0.0) / MARGIN_STEP)) + 1
        while high - low > 1:
            middle = (low + high) // 2
            route = self.without(np.flatnonzero(self.margin < middle * MARGIN_STEP)).best("time", start, end)
            if route is None:
                high = middle
            else:
                low, best = middle, route
        return best

    def _cheapest(self, cost: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray | None:
        """Dijkstra's algorithm from all starts at once."""
        n = int(np.prod(self.shape))
        graph = csr_matrix((cost, (self.tail, self.head)), shape=(n, n))
        reached, before, _ = dijkstra(graph, indices=start, min_only=True, return_predecessors=True)
        last = int(end[np.argmin(reached[end])])
        if not np.isfinite(reached[last]):
            return None
        nodes = [last]
        while before[nodes[-1]] >= 0:
            nodes.append(int(before[nodes[-1]]))
        return np.array(nodes[::-1])


def route_graph(found: MapScores, gravity: float) -> RouteGraph:
    """The graph of a map that was scored at the headings of `move_headings`."""
    dx, dy = float(found.x[1] - found.x[0]), float(found.y[1] - found.y[0])
    headings = move_headings(dx, dy)
    if not np.allclose(found.headings_deg, headings):
        raise InputError("headings", f"{found.headings_deg} deg", f"those of the moves, {headings} deg")
    stands, shape = found.verdict == 0, found.verdict.shape
    index = np.arange(found.verdict.size).reshape(shape)
    tails, heads, lengths = [], [], []
    lever = _lever(found.rover)
    for k, (rows, columns) in enumerate(MOVES):
        ends = [index[k][_cut(sign * rows), _cut(sign * columns)] for sign in (-1, 1)]
        pairs = [(*ends, np.hypot(rows * dy, columns * dx))]
        for turned in ((k + 1) % 8, (k - 1) % 8):
            angle = abs((headings[turned] - headings[k] + 180.0) % 360.0 - 180.0)
            pairs.append((index[k], index[turned], np.radians(angle) * lever))
        for tail, head, length in pairs:
            both = stands.ravel()[tail] & stands.ravel()[head]
            tails.append(tail[both])
            heads.append(head[both])
            lengths.append(np.full(int(both.sum()), length))
    tail, head, length = (np.concatenate(parts) for parts in (tails, heads, lengths))
    force, margin = _mean_force(found, dx, dy).ravel(), place_margins(found).ravel()
    work = ((force[tail] + force[head]) / 2 + LEAST_FORCE * found.rover.mass * gravity) * length
    return RouteGraph((shape[0], shape[1], shape[2]), tail, head, length, work, np.minimum(margin[tail], margin[head]))


def _mean_force(found: MapScores, dx: float, dy: float) -> np.ndarray:
    """Driving force [N] averaged over the nodes around each where the rover stands, a wheel's diameter across or three.

    A route goes over the ground between its nodes as well: were it to count the force at its own nodes alone, the
    search would pick out those that happen to be easy.
    """
    across = 2 * found.rover.table.wheels.radius
    size: Any = [1, *(max(3, 2 * int(across / spacing / 2) + 1) for spacing in (dy, dx))]
    stands = found.verdict == 0
    total = uniform_filter(np.where(stands, found.layers["drive_force"], 0.0).astype(float), size, mode="nearest")
    share = uniform_filter(stands.astype(float), size, mode="nearest")
    return np.where(stands, total / np.maximum(share, 1e-9), np.inf)


def _cut(shift: int) -> slice:
    """Where a shifted copy of an axis overlaps the axis: from its second on for +1, up to its last but one for -1."""
    return slice(max(shift, 0), shift if shift < 0 else None)


def _lever(rover: RoverModel) -> float:
    """Distance of the outermost wheel from the rover's middle [m]."""
    behind, ahead, _ = rover.footprint
    reach = max(behind, ahead) - rover.table.wheels.radius
    return float(np.hypot(reach, np.abs(rover.aside).max()))
