"""A route from one place to another that a rover can drive: searched over a map, then driven, and searched again.

The map knows the rover at its nodes and at eight headings only. So every route that is found is put to a drive, with
arcs at its corners; where the rover does not stand on the way, the nearest edge of the graph is taken out and the
search begins anew, until a route is driven to its end. Then corners are left out as long as that is better as driven.
Which is the best is asked of the routes of all searches, straightened by each goal: the best of all that were driven,
not of all that there are.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from planetfall.errors import InputError
from planetfall.rover.drive.drive import Drive, Stretch, drive
from planetfall.rover.drive.path import sample_path
from planetfall.rover.traversability.route_graph import GOALS, RouteGraph, move_headings, route_graph
from planetfall.rover.traversability.traverse import MapScores, score_map
from planetfall.world.terrain.surface import Surface

MOST_TRIES = 200
"""Routes that are driven at most."""
MOST_KEPT = 64
"""Drives that are kept while routes are straightened: each holds all its poses."""
COST_DIGITS = 6
"""Decimals [J, s, 1] to which costs are compared: of routes that differ by rounding alone the shorter is the better."""


@dataclass(frozen=True)
class Route:
    """A route that was driven to its end.

    Attributes:
        waypoints: [m], surface frame, [k, 2].
        corner_radius: Of the arcs at its waypoints [m].
        run: The drive.
        searched_by: What the search that found it went by.
        tries: How many routes were driven until one held.
        left_out: How many corners of the route that was found are left out.
    """

    waypoints: np.ndarray
    corner_radius: float
    run: Drive
    searched_by: str
    tries: int
    left_out: int = 0

    @property
    def energy(self) -> float:
        """Work of the motors that drive [J]."""
        return float(self.run.driving_work[-1].sum())

    @property
    def time(self) -> float:
        """Of the drive [s]."""
        return float(self.run.time[-1])

    @property
    def margins(self) -> dict[str, float]:
        """Least stability margin, grip left (along the rims, and with lateral forces) and torque left on the way."""
        worst = {name: float(self.run.of_forces(name).max()) for name in ("slip_ratio", "friction_used", "saturation")}
        return {
            "stability": float(self.run.of_forces("stability_margin").min()),
            "grip": 1.0 - max(worst["slip_ratio"], worst["friction_used"]),
            "torque": 1.0 - worst["saturation"],
        }

    @property
    def margin(self) -> float:
        """The least of `margins`."""
        return min(self.margins.values())

    def cost(self, by: str) -> tuple[float, float]:
        """What it costs by one of `route_graph.GOALS`, as driven, and its length [m]: the less the better."""
        cost = {"energy": lambda: self.energy, "time": lambda: self.time, "margin": lambda: -self.margin}[by]()
        return round(cost, COST_DIGITS), float(self.run.path.distance[-1])


def score_for_routes(
    surface: Surface, stretch: Stretch, gravity: float, every: int, goal: str = "least slip",
    threads: int | None = None, progress: Callable[[float], None] | None = None,
) -> MapScores:  # fmt: skip
    """Scores of a map at the headings of a route: to the eight neighbours of a node."""
    if surface.model.name != "dem":
        raise InputError("terrain.model", f"{surface.model.name!r} has no cells", "an elevation map ('dem')")
    headings = move_headings(surface.params.spacing_x, surface.params.spacing_y)
    return score_map(stretch.rover, surface, stretch.soil, gravity, headings, every, goal, threads, progress)


def find_route(
    surface: Surface, stretch: Stretch, gravity: float, found: MapScores, start: np.ndarray, end: np.ndarray,
    by: str = "energy", step: float = 0.05, corner_radius: float = 0.0, goal: str = "least slip",
) -> Route:  # fmt: skip
    """The best route between two places that the rover can drive.

    A route is searched by each of energy, time and margin as the map knows them, and its corners are left out where
    that makes it better as driven: the map's moves have eight headings only. By what it is better is again each of the
    three, as a quick route may need less than one that was straightened for its energy. The best of all these is taken.

    Args:
        surface: An elevation map.
        stretch: What drives on what.
        gravity: [m/s^2].
        found: From `score_for_routes`.
        start: (x, y) of the rover's middle [m], surface frame.
        end: The same.
        by: One of `route_graph.GOALS`.
        step: Distance of the poses that are looked at when a route is driven [m].
        corner_radius: Radius of the arcs at corners [m]; less where they would not fit between them.
        goal: How torques are chosen, as in `drive.drive`.

    Raises:
        InputError: The rover cannot stand at an end, or there is no way between them.
    """
    if by not in GOALS:
        raise InputError("by", f"unknown {by!r}", f"one of {', '.join(GOALS)}")
    graph = route_graph(found, gravity)
    nodes = [_nearest(found, place, word) for place, word in ((start, "start"), (end, "end"))]
    asked = _Asked(surface, stretch, gravity, found, np.asarray(start, float), np.asarray(end, float), step, goal)
    goals = (by, *(each for each in GOALS if each != by))
    routes = [asked.drivable(graph, nodes, each, corner_radius) for each in goals]
    straight = [asked.straightened(route, each, corner_radius) for route in routes for each in goals]
    return min(straight, key=lambda route: route.cost(by))


@dataclass(frozen=True)
class _Asked:
    """What stays the same from search to search."""

    surface: Surface
    stretch: Stretch
    gravity: float
    found: MapScores
    start: np.ndarray
    end: np.ndarray
    step: float
    goal: str
    runs: dict[bytes, Drive] = field(default_factory=dict)
    """The latest by waypoints: searches and goals meet the same ones."""

    def drivable(self, graph: RouteGraph, nodes: list[np.ndarray], by: str, corner_radius: float) -> Route:
        """The first route that can be driven to its end, with what failed taken out of the graph."""
        for tries in range(1, MOST_TRIES + 1):
            route = graph.best(by, *nodes)
            if route is None:
                raise self._no_way(tries - 1)
            places = _places(self.found, route)
            driven = self._driven(_corners(places, self.start, self.end), corner_radius, by, tries)
            if driven.run.stop is None:
                return driven
            graph = _without_nearest(graph, route, places, driven.run.path.xy[driven.run.stop])
        problem = f"none of {MOST_TRIES} routes can be driven to its end"
        raise InputError("route", problem, "a map as fine as its obstacles", "take more nodes of it: --every 1")

    def straightened(self, route: Route, by: str, corner_radius: float) -> Route:
        """The route without all its corners, or without each that makes it worse, as driven."""
        inner = range(1, len(route.waypoints) - 1)
        best = self._without(route, list(inner), by, corner_radius) if inner else route
        k = 1
        while k < len(best.waypoints) - 1:
            shorter = self._without(best, [k], by, corner_radius)
            k += shorter is best
            best = shorter
        return best

    def _without(self, route: Route, corners: list[int], by: str, corner_radius: float) -> Route:
        """The route without some of its corners, or as it is where it cannot be driven so, or is no better."""
        waypoints, left_out = np.delete(route.waypoints, corners, axis=0), route.left_out + len(corners)
        tried = self._driven(waypoints, corner_radius, route.searched_by, route.tries, left_out)
        return tried if tried.run.stop is None and tried.cost(by) < route.cost(by) else route

    def _driven(self, waypoints: np.ndarray, corner_radius: float, by: str, tries: int, left_out: int = 0) -> Route:
        radius = _fitting_radius(waypoints, corner_radius)
        key = waypoints.tobytes()
        if key not in self.runs:
            path = sample_path(waypoints, self.step, radius)
            if len(self.runs) >= MOST_KEPT:
                del self.runs[next(iter(self.runs))]
            self.runs[key] = drive(self.surface, path, [self.stretch], self.gravity, self.goal)
        return Route(waypoints, radius, self.runs[key], by, tries, left_out)

    def _no_way(self, n_failed: int) -> InputError:
        ends = " to ".join(f"({x:g}, {y:g})" for x, y in (self.start, self.end))
        failed = f" ({n_failed} were tried, and failed between nodes)" if n_failed else ""
        return InputError(
            "route", f"there is no route from {ends} m on which {self.found.rover.table.name} can stand{failed}",
            "connected ground", "choose other places, a finer map (--every), or look at planetfall rover map",
        )  # fmt: skip


def _nearest(found: MapScores, place: np.ndarray, word: str) -> np.ndarray:
    """Nodes at the place of a map nearest to a given one, at headings at which the rover stands."""
    x, y = (float(v) for v in place)
    if not (found.x[0] <= x <= found.x[-1] and found.y[0] <= y <= found.y[-1]):
        raise InputError(word, f"({x:g}, {y:g}) m is off the map", f"x {found.x[0]:g} to {found.x[-1]:g} m, "
                         f"y {found.y[0]:g} to {found.y[-1]:g} m")  # fmt: skip
    row, column = int(np.argmin(np.abs(found.y - y))), int(np.argmin(np.abs(found.x - x)))
    stands = np.flatnonzero(found.verdict[:, row, column] == 0)
    if not len(stands):
        raise InputError(
            word, f"{found.rover.table.name} cannot stand at any heading at ({found.x[column]:g}, {found.y[row]:g}) m",
            "a place where the rover can stand", "choose another, or look at planetfall rover map",
        )  # fmt: skip
    return np.ravel_multi_index((stands, np.full(len(stands), row), np.full(len(stands), column)), found.verdict.shape)


def _places(found: MapScores, route: np.ndarray) -> np.ndarray:
    """Places of nodes [m], [n, 2]."""
    _, rows, columns = np.unravel_index(route, found.verdict.shape)
    return np.column_stack([found.x[columns], found.y[rows]])


def _corners(places: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Waypoints of a route: where it turns, and its ends as they were asked for."""
    distinct = places[np.append(True, np.any(np.diff(places, axis=0) != 0, axis=1))]
    points = np.vstack([start, distinct[1:-1], end]) if len(distinct) > 1 else np.vstack([start, end])
    legs = np.diff(points, axis=0)
    cross = legs[:-1, 0] * legs[1:, 1] - legs[:-1, 1] * legs[1:, 0]
    lengths = np.linalg.norm(legs, axis=1)
    turns = np.abs(cross) > 1e-9 * lengths[:-1] * lengths[1:]
    return points[np.concatenate([[True], turns, [True]])]


def _fitting_radius(waypoints: np.ndarray, wanted: float) -> float:
    """The radius that is wanted, or the largest with which all arcs fit between the waypoints [m]."""
    legs = np.diff(waypoints, axis=0)
    lengths = np.linalg.norm(legs, axis=1)
    yaw = np.arctan2(legs[:, 1], legs[:, 0])
    cut = np.tan(np.abs((np.diff(yaw) + np.pi) % (2 * np.pi) - np.pi) / 2)
    needed = np.append(cut, 0.0) + np.append(0.0, cut)  # of each leg, per metre of radius
    room = np.min(lengths[needed > 0] / needed[needed > 0], initial=np.inf)
    return float(min(wanted, 0.999 * room))


def _without_nearest(graph: RouteGraph, route: np.ndarray, places: np.ndarray, failed: np.ndarray) -> RouteGraph:
    """The graph without the edge of a route nearest to where the rover did not stand, or all turns that are."""
    edges = graph.edges_along(route)
    middles = (places[:-1] + places[1:]) / 2
    distance = np.linalg.norm(middles - failed, axis=1)
    return graph.without(edges[distance <= distance.min() + 1e-9])
