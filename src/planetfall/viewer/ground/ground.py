"""The ground as triangles for a picture: exact where the vehicle touched it, coarser further away."""

from dataclasses import dataclass

import numpy as np

from planetfall.errors import PlanetfallError
from planetfall.world.terrain.model import GROUND_OK
from planetfall.world.terrain.surface import Surface

BUDGET = 150_000
"""Triangles that a browser without a graphics card still turns about with ease."""
LINES = 50
"""Lines of one spacing to each side of the middle."""
LET_DOWN = 10
"""Times that vertices are moved by their gaps onto ground that is only asked (assumed)."""
ON_GROUND = 1e-3
"""Of what is shown: a vertex this near to the ground lies on it."""
PLACES = 4000
"""Most places at which detail is wanted; of more, some of those that lie close together are left out."""


@dataclass(frozen=True)
class Detail:
    """Where a picture of the ground has to be exact.

    Attributes:
        places: [place, 3] [m], surface frame: where contact points were when they touched.
        radius: About each of them the ground is drawn as the simulation has it [m].
        extent: Size of what is shown [m]: unbounded ground is drawn this far about the places.
    """

    places: np.ndarray
    radius: float
    extent: float

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Distance [m] of points [n, 3] to the nearest place."""
        from scipy.spatial import KDTree  # here, or every figure of a run would wait for it

        return KDTree(self.places).query(points)[0]


@dataclass(frozen=True)
class Triangles:
    """Triangles, counter-clockwise seen from outside: `vertices` [vertex, 3] [m], `facets` [facet, 3]."""

    vertices: np.ndarray
    facets: np.ndarray

    def joined(self, other: "Triangles") -> "Triangles":
        """Both together."""
        return Triangles(
            np.concatenate([self.vertices, other.vertices]),
            np.concatenate([self.facets, other.facets + len(self.vertices)]),
        )


def spread_out(places: np.ndarray, spacing: float, most: int = PLACES) -> np.ndarray:
    """Some of the places [n, 3], so that each left out has one within about `spacing` [m], and at most `most`."""
    while True:
        _, first = np.unique(np.floor(places / spacing).astype(np.int64), axis=0, return_index=True)
        if len(first) <= most:
            return places[np.sort(first)]
        spacing *= 1.5


def drawn_ground(surface: Surface, detail: Detail, budget: int = BUDGET) -> Triangles:
    """Triangles of a terrain; of combined terrains, of all parts; of a map on a planet, of the map."""
    surface = surface.alone
    if surface.parts:
        shares = [min(part.n_facets or budget, budget) for part in surface.parts]
        drawn = [
            drawn_ground(part, detail, max(1000, budget * share // sum(shares)))
            for part, share in zip(surface.parts, shares, strict=True)
        ]
        out = drawn[0]
        for part in drawn[1:]:
            out = out.joined(part)
        return out
    name, params = surface.model.name, surface.params
    if name in ("plane", "disc"):
        return plane_triangles(np.array(params.point), np.array(params.normal), float(params.radius), detail)
    if name == "ellipsoid":
        return _round_ground(surface, detail)
    if name.startswith("dem"):
        from planetfall.viewer.ground.map import map_triangles

        origin, spacing = np.array(params.origin), (float(params.spacing_x), float(params.spacing_y))
        return map_triangles(params.heights.numpy(), origin, spacing, detail, budget)
    if name.startswith("mesh"):
        from planetfall.viewer.ground.mesh import mesh_triangles

        return mesh_triangles(surface, detail, budget)
    if name.startswith("sdf"):
        from planetfall.viewer.ground.field import field_triangles

        return field_triangles(surface, detail, budget)
    return _asked_ground(surface, detail)


def _asked_ground(surface: Surface, detail: Detail) -> Triangles:
    """Ground of which nothing is known but its answers: rings, let down along gaps until they lie on it.

    What does not come to lie on it, beyond an edge or over a hole, is left out.
    """
    flat = _round_ground(surface, detail)
    vertices = flat.vertices
    for _ in range(LET_DOWN):
        gaps, normals, statuses = surface.ask(vertices)
        vertices = vertices - gaps[:, None] * normals / np.sum(normals**2, axis=1, keepdims=True)
    gaps, _, statuses = surface.ask(vertices)
    lies = (np.abs(gaps) < ON_GROUND * detail.extent) & (statuses == int(GROUND_OK)) & np.isfinite(vertices).all(axis=1)
    facets = flat.facets[lies[flat.facets].all(axis=1)]
    if not len(facets):
        raise PlanetfallError(f"terrain.model {surface.model.name!r}: no ground was found about the track to draw")
    return Triangles(np.where(np.isfinite(vertices), vertices, 0.0), facets)


def _round_ground(surface: Surface, detail: Detail) -> Triangles:
    """Rings as on the plane that touches the ground below the places, let down onto the ground."""
    middle = detail.places.mean(axis=0)
    gap, normal, _ = surface.ground_at(middle)
    flat = plane_triangles(middle - gap * normal, normal, np.inf, detail)
    gaps, normals, _ = surface.ask(flat.vertices)
    return Triangles(flat.vertices - gaps[:, None] * normals, flat.facets)


def plane_triangles(point: np.ndarray, normal: np.ndarray, radius: float, detail: Detail) -> Triangles:
    """Rings about the middle of the places, so that coordinates near it are small; a disc ends at its radius [m]."""
    n_sectors, n_rings = 72, 24
    middle = detail.places.mean(axis=0)
    centre = middle - normal * ((middle - point) @ normal)
    far = detail.extent
    if np.isfinite(radius):
        centre, far = point, radius
    across = np.cross(normal, [0.0, 1.0, 0.0] if abs(normal[1]) < 0.9 else [1.0, 0.0, 0.0])
    across /= np.linalg.norm(across)
    along = np.cross(normal, across)
    angles = 2 * np.pi * np.arange(n_sectors) / n_sectors
    rim = np.cos(angles)[:, None] * across + np.sin(angles)[:, None] * along
    radii = far * (np.arange(1, n_rings + 1) / n_rings) ** 2
    vertices = np.concatenate([[centre], (centre + radii[:, None, None] * rim).reshape(-1, 3)])
    step = np.arange(n_sectors)
    after = (step + 1) % n_sectors
    facets = [np.column_stack([np.zeros(n_sectors, int), 1 + step, 1 + after])]
    for ring in range(n_rings - 1):
        inner, outer = 1 + ring * n_sectors, 1 + (ring + 1) * n_sectors
        facets.append(np.column_stack([inner + step, outer + step, outer + after]))
        facets.append(np.column_stack([inner + step, outer + after, inner + after]))
    return Triangles(vertices, np.concatenate(facets))


def plane_grid(surface: Surface, centre: np.ndarray, detail: Detail) -> list[tuple[float, np.ndarray]]:
    """Lines on a plane by their spacing [m], each level ten times as wide: [line, end, 3] [m], surface frame.

    The finest suits the vehicle and surrounds `centre`, the coarsest covers what is shown; a disc has none beyond its
    rim.
    """
    params, out = surface.params, []
    point, normal = np.array(params.point), np.array(params.normal)
    far = min(0.65 * detail.extent, float(params.radius) / np.sqrt(2.0))
    step = 10.0 ** np.round(np.log10(detail.radius))
    while True:
        n = int(min(far // step, LINES))
        if n > 0:
            out.append((step, plane_lines(point, normal, centre, step, n)))
        if n < LINES:
            return out
        step *= 10.0


def plane_lines(point: np.ndarray, normal: np.ndarray, centre: np.ndarray, step: float, n: int) -> np.ndarray:
    """2 n + 1 lines [line, end, 3] [m] each way on a plane: whole multiples of `step` [m] along two axes."""
    u, v, w = np.argsort(np.abs(normal), kind="stable")
    middle = np.round(centre / step) * step
    ends = np.empty((2, 2 * n + 1, 2, 3))
    for lines, (across, along) in zip(ends, ((u, v), (v, u)), strict=True):
        lines[..., across] = middle[across] + step * np.arange(-n, n + 1)[:, None]
        lines[..., along] = middle[along] + step * np.array([-n, n])
    ends[..., w] = point[w] - ((ends[..., [u, v]] - point[[u, v]]) @ normal[[u, v]]) / normal[w]
    return ends.reshape(-1, 2, 3)
