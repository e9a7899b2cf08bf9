"""What a terrain file holds, in numbers: size, holes, winding, slopes."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from planetfall.analysis.terrain.slope_tally import Slopes, SlopeTally
from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.readers.meshes.winding import Winding, winding
from planetfall.world.terrain.readers.rasters.raster import Raster

_SURROUNDS = 0.9
"""Share of all directions that a surface has to cover, seen from its middle, to be a body; assumed."""
_GAPES = 0.1
"""Share of its area that a surface with cracks may lack to be a body: its normals then add up to no more; assumed."""
_FLAT = 0.25
"""A closed part that is lower than this share of its width is a block of ground, not a body; assumed."""


@dataclass(frozen=True)
class RasterFacts:
    """A map of heights.

    Attributes:
        n_rows: Rows of nodes.
        n_columns: Columns of nodes.
        n_holes: Nodes without data.
        n_facets: Facets that have ground: two to a cell, but for those with a node without data.
        spacing: Distance of nodes, east and north [m].
        x: East coordinates of the outermost nodes, from the site [m].
        y: North coordinates of the same [m].
        heights: Lowest and highest [m].
        slopes: Of the facets against the vertical, by plan area; None where there is no facet.
    """

    n_rows: int
    n_columns: int
    n_holes: int
    n_facets: int
    spacing: tuple[float, float]
    x: tuple[float, float]
    y: tuple[float, float]
    heights: tuple[float, float]
    slopes: Slopes | None

    @property
    def n_missing_facets(self) -> int:
        """Facets that a node without data makes a hole."""
        return 2 * (self.n_rows - 1) * (self.n_columns - 1) - self.n_facets


@dataclass(frozen=True)
class FacetPlanes:
    """The planes of one of the two facets of each cell, [row, column]; NaN where a node has no data.

    `slope_x`, `slope_y` [-] to the east and north, `middle` [m] the height of the facet's centroid.
    """

    slope_x: np.ndarray
    slope_y: np.ndarray
    middle: np.ndarray

    @property
    def angle(self) -> np.ndarray:
        """Slope against the horizontal [rad]."""
        return np.arctan(np.hypot(self.slope_x, self.slope_y))


def sentences(notes: Iterable[str]) -> tuple[str, ...]:
    """Notes with a capital letter and a full stop; a name that has capitals inside, such as glTF, keeps its own."""
    return tuple(_begun(note) + ("" if note.endswith(".") else ".") for note in notes)


def _begun(note: str) -> str:
    word = note.partition(" ")[0]
    return note[:1].upper() + note[1:] if word.islower() else note


def facet_planes(raster: Raster) -> Iterator[FacetPlanes]:
    """The south-eastern facets of all cells, then the north-western ones: as the engine cuts them."""
    h, dx, dy = raster.heights, raster.spacing_x, raster.spacing_y
    sw, se, nw, ne = h[:-1, :-1], h[:-1, 1:], h[1:, :-1], h[1:, 1:]
    yield FacetPlanes((se - sw) / dx, (ne - se) / dy, (sw + se + ne) / 3.0)
    yield FacetPlanes((ne - nw) / dx, (nw - sw) / dy, (sw + nw + ne) / 3.0)


def raster_facts(strips: Iterable[Raster]) -> RasterFacts:
    """Counts a map that comes in strips from south to north, each beginning with the row that the last ended with."""
    tally, first = SlopeTally(), None
    n_rows, n_holes, n_facets, lowest, highest = 0, 0, 0, math.inf, -math.inf
    for strip in strips:
        fresh = strip.heights if first is None else strip.heights[1:]
        first = strip if first is None else first
        n_rows += len(fresh)
        n_holes += int(np.count_nonzero(np.isnan(fresh)))
        lowest = min(lowest, float(np.fmin.reduce(fresh, axis=None, initial=math.inf)))
        highest = max(highest, float(np.fmax.reduce(fresh, axis=None, initial=-math.inf)))
        for planes in facet_planes(strip):
            angles = planes.angle.ravel()
            n_facets += int(np.count_nonzero(~np.isnan(angles)))
            tally.add(angles)
    if first is None:
        raise ValueError("a map without rows")
    n_columns = first.heights.shape[1]
    spacing = (first.spacing_x, first.spacing_y)
    x = (first.x_first, first.x_first + (n_columns - 1) * spacing[0])
    y = (first.y_first, first.y_first + (n_rows - 1) * spacing[1])
    return RasterFacts(n_rows, n_columns, n_holes, n_facets, spacing, x, y, (lowest, highest), tally.result())


@dataclass(frozen=True)
class MeshFacts:
    """A triangle mesh.

    Attributes:
        n_vertices: Vertices.
        n_facets: Facets.
        bounds: Lowest and highest coordinates [m], [2, 3].
        edges: Shortest, median and longest side of a facet [m].
        winding: Orientation and connection.
        is_body: Whether it is taken for a body that surrounds its centre, rather than for ground seen from above.
        centre: Of volume for a body, of area for other meshes [m].
        radii: Least and largest distance of a vertex from the centre [m].
        surrounds: Share of all directions that the surface covers seen from its middle; negative inside out.
        slopes: Of a body, between normal and radius, by area. Of other meshes against the vertical, by plan area of
            the facets that face up; None where none does.
    """

    n_vertices: int
    n_facets: int
    bounds: np.ndarray
    edges: tuple[float, float, float]
    winding: Winding
    is_body: bool
    centre: np.ndarray
    radii: tuple[float, float]
    surrounds: float
    slopes: Slopes | None

    @property
    def is_inverted(self) -> bool:
        """Whether the normals enter the ground on the whole."""
        if self.winding.volume is not None:
            return self.winding.volume < 0.0
        if self.is_body:
            return self.surrounds < 0.0
        return self.winding.upward_share < 0.5

    @property
    def n_holes(self) -> int:
        """Rims inside the surface: all of a body's, and of sheets those beyond the outer one of each."""
        n_open = 0 if self.is_body else self.winding.n_bodies - self.winding.n_closed_bodies
        return max(self.winding.n_boundary_loops - n_open, 0)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know: sentences."""
        w, notes = self.winding, []
        if self.is_inverted:
            notes.append(
                "the winding is inside out: normals point into the ground, and contact would be on the wrong side; "
                f"orientation = '{'outward' if self.is_body else 'up'}' turns it"
            )
        if not w.is_consistent:
            notes.append(
                f"{w.n_reversed_edges} edges join facets that are wound against each other or overlap; orientation = "
                f"'{'outward' if self.is_body else 'up'}' makes the winding consistent where possible"
            )
        if self.is_body and not w.is_closed:
            notes.append(
                f"the body is not closed: {w.n_boundary_edges} open edges on {w.n_boundary_loops} rims; vertices that "
                "should be one may differ in their last digits"
            )
        if w.n_repeated_facets:
            notes.append(f"{w.n_repeated_facets} facets have the corners of an earlier one")
        if w.n_branching_edges:
            notes.append(f"{w.n_branching_edges} edges have more than two facets")
        return tuple(notes)


def mesh_facts(mesh: MeshData, view: Literal["auto", "map", "body"] = "auto") -> MeshFacts:
    """Measures a mesh.

    Args:
        mesh: The mesh, its equal vertices merged.
        view: "body": slopes against the radius from its centre; "map": against the vertical; "auto": a body where a
            surface, closed or with cracks, surrounds its middle and is not flat.
    """
    if view not in ("auto", "map", "body"):
        raise InputError("view", f"{view!r}", "'auto', 'map' or 'body'")
    found = winding(mesh)
    corners = mesh.vertices[mesh.facets]
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = 0.5 * np.linalg.norm(doubled, axis=1)
    middle = (area @ corners.mean(axis=1)) / area.sum()
    surrounds = float(_solid_angles(corners - middle).sum()) / (4.0 * math.pi)
    is_body = _is_body(mesh, found, surrounds, doubled) if view == "auto" else view == "body"
    centre = _centre_of_volume(corners, middle) if is_body else middle
    tally = SlopeTally()
    tally.add(facet_slopes(mesh, centre if is_body else None), area if is_body else np.maximum(doubled[:, 2], 0.0))
    radii = np.linalg.norm(mesh.vertices - centre, axis=1)
    lengths = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    return MeshFacts(
        n_vertices=len(mesh.vertices),
        n_facets=len(mesh.facets),
        bounds=mesh.bounds,
        edges=(float(lengths.min()), float(np.median(lengths)), float(lengths.max())),
        winding=found,
        is_body=is_body,
        centre=centre,
        radii=(float(radii.min()), float(radii.max())),
        surrounds=surrounds,
        slopes=tally.result(),
    )


def _is_body(mesh: MeshData, found: Winding, surrounds: float, doubled: np.ndarray) -> bool:
    """Whether a mesh surrounds its middle and is not flat; `doubled` are the normals with twice the facets' areas."""
    size = np.ptp(mesh.bounds, axis=0)
    if size[2] < _FLAT * max(size[0], size[1]):
        return False
    gapes = float(np.linalg.norm(doubled.sum(axis=0)) / np.linalg.norm(doubled, axis=1).sum())
    return (found.is_closed and found.n_bodies == 1) or (abs(surrounds) > _SURROUNDS and gapes < _GAPES)


def facet_normals(mesh: MeshData) -> np.ndarray:
    """Outward unit normals of the facets, [facet, 3]."""
    a, b, c = (mesh.vertices[mesh.facets[:, i]] for i in range(3))
    doubled = np.cross(b - a, c - a)
    return doubled / np.linalg.norm(doubled, axis=1)[:, None]


def facet_slopes(mesh: MeshData, centre: np.ndarray | None = None) -> np.ndarray:
    """Angle [rad] of each facet's normal against the vertical, or against the radius from a centre [m]."""
    up = np.array([0.0, 0.0, 1.0])
    if centre is not None:
        up = mesh.vertices[mesh.facets].mean(axis=1) - centre
        up = up / np.maximum(np.linalg.norm(up, axis=1), np.finfo(float).tiny)[:, None]
    normals = facet_normals(mesh)
    # the arc tangent keeps its digits where the cosine is flat, at level ground
    across = np.linalg.norm(np.cross(normals, up), axis=1)
    return np.arctan2(across, (normals * up).sum(axis=1))


def _solid_angles(corners: np.ndarray) -> np.ndarray:
    """Solid angle [sr] of each facet seen from the origin (VanOosterom1983), positive where its normal points away."""
    a, b, c = (corners[:, i] for i in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    triple = (a * np.cross(b, c)).sum(axis=1)
    dots = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
    return 2.0 * np.arctan2(triple, dots)


def _centre_of_volume(corners: np.ndarray, base: np.ndarray) -> np.ndarray:
    """Centre of the volume under the facets [m], from tetrahedra on a base point; the base where there is no volume."""
    local = corners - base
    volumes = (local[:, 0] * np.cross(local[:, 1], local[:, 2])).sum(axis=1)
    if abs(volumes.sum()) <= 1e-9 * np.abs(volumes).sum():
        return base
    return base + (volumes @ local.sum(axis=1)) / 4.0 / volumes.sum()
