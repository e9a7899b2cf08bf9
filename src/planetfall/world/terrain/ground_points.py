"""The ground that belongs to places anywhere over it: its nearest point, and how it is inclined there.

On a whole body, a mesh and a plane it is the point nearest to the place, and its normal is along the line to the place:
on an edge or a corner one between those of the facets that meet there. On a map, whose ground is asked for by columns,
it is the point straight below with its facet's normal.

A distance field has roughness, and its cells round off edges. Which point is nearest is decided by the shape that it
was built from, exactly and from any distance; the ground is met on the line to it. Nearer than the field can lie from
that shape (noise, and half a cell's diagonal) the normal is the field's own, as contact has it. Beyond twice that it is
along the line, and roughness is overlooked; in between one goes over into the other.
"""

from dataclasses import dataclass

import numpy as np

from planetfall.world.terrain.model import GROUND_OK
from planetfall.world.terrain.outline import Feet, Outline
from planetfall.world.terrain.surface import Surface


@dataclass(frozen=True)
class GroundPoints:
    """Ground of n places.

    Attributes:
        points_S: [n, 3] [m], surface frame; NaN where there is no ground.
        normals_S: [n, 3] outward unit normals of the ground there; NaN where there is none.
        reliefs: [n] height over the points [m] up to which the normals overlook roughness.
    """

    points_S: np.ndarray
    normals_S: np.ndarray
    reliefs: np.ndarray

    @property
    def is_ground(self) -> np.ndarray:
        """[n] whether there is ground: not off a map, over a hole, or beside the border of a sheet."""
        return ~np.isnan(self.points_S[:, 0])


def ground_points(surface: Surface, places_S: np.ndarray) -> GroundPoints:
    """The ground of places [n, 3] [m]."""
    places = np.ascontiguousarray(np.atleast_2d(places_S), dtype=np.float64)
    if surface.parts:
        return _nearest_part(surface.parts, places)
    if surface.outline is None:
        return _asked(surface, places)
    return _on_outline(surface, surface.outline, places)


def _nearest_part(parts: tuple[Surface, ...], places: np.ndarray) -> GroundPoints:
    """Of several terrains the nearest one; the first alone decides where there is ground at all."""
    found = [ground_points(part, places) for part in parts]
    distances = np.array([np.linalg.norm(places - part.points_S, axis=1) for part in found])
    nearest = np.argmin(np.where(np.isnan(distances), np.inf, distances), axis=0), np.arange(len(places))
    points, normals, reliefs = (
        np.array([getattr(part, name) for part in found])[nearest] for name in ("points_S", "normals_S", "reliefs")
    )
    return _known(points, normals, found[0].is_ground, reliefs)


def _asked(surface: Surface, places: np.ndarray) -> GroundPoints:
    """Where a terrain's own answer is exact everywhere: a plane by its normal, a map straight below."""
    gaps, normals, statuses = surface.columns.ask(places)
    ways = normals
    if surface.model.column is not None:  # the gap is measured across the facet, and the facet is met along z
        gaps, ways = gaps / normals[:, 2], np.array([[0.0, 0.0, 1.0]])
    return _known(places - ways * gaps[:, None], normals, statuses == int(GROUND_OK))


def _on_outline(surface: Surface, outline: Outline, places: np.ndarray) -> GroundPoints:
    """The foot on the outline where that is the ground, else where the line to it meets the ground."""
    feet = outline.feet(places)
    if outline.margin == 0.0:
        return _known(feet.points_S, feet.outward_S, feet.is_ground)
    points, is_ground = _met(surface, feet, places, 2.0 * outline.margin)
    gradients = surface.ask(np.where(is_ground[:, None], points, feet.points_S))[1]
    own = gradients / np.linalg.norm(gradients, axis=1)[:, None]
    share = np.clip(2.0 - feet.heights / outline.margin, 0.0, 1.0)[:, None]
    normals = share * own + (1.0 - share) * feet.outward_S
    normals = normals / np.linalg.norm(normals, axis=1)[:, None]
    return _known(points, normals, is_ground, 2.0 * outline.margin * (1.0 - share[:, 0]))


def _met(surface: Surface, feet: Feet, places: np.ndarray, top: float) -> tuple[np.ndarray, np.ndarray]:
    """Where the lines from the feet to their places [n, 3] [m] come out of the ground, and whether they do.

    Above `top` [m] there is none. Where a place is lower, it is met from there, so as not to come through what hangs
    over it; a place inside the ground is below its own.
    """
    gaps = surface.ask(places)[0]
    is_low = (gaps > 0.0) & (feet.heights > 0.0) & (feet.heights < top)
    starts = feet.points_S + feet.outward_S * np.where(is_low, feet.heights, top)[:, None]
    ranges, _ = surface.cast(starts, -feet.outward_S, 2.0 * top)
    # the field closes holes that its shape may have
    return starts - feet.outward_S * ranges[:, None], np.isfinite(ranges) & np.isfinite(places).all(axis=1)


def _known(
    points: np.ndarray, normals: np.ndarray, is_ground: np.ndarray, reliefs: np.ndarray | None = None
) -> GroundPoints:
    is_known = is_ground[:, None]
    overlooked = np.zeros(len(points)) if reliefs is None else reliefs
    return GroundPoints(np.where(is_known, points, np.nan), np.where(is_known, normals, np.nan), overlooked)
