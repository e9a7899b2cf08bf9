"""A terrain as it is seen: level, normals and slopes on the grid of a picture, of maps and of meshes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from planetfall.analysis.terrain.terrain_facts import MeshFacts, facet_normals, facet_planes, facet_slopes
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.readers.meshes.mesh_data import MeshData
from planetfall.world.terrain.readers.rasters.raster import Raster
from planetfall.world.terrain.surface import Surface

PICTURE_SIZE = 800
"""Elements along the longer side of a picture: about as many as a panel of a figure has pixels."""
_RAYS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Eye:
    """A direction to look from: unit axes to the right of the picture, up in it, and towards the eye."""

    name: str
    right: tuple[float, float, float]
    up: tuple[float, float, float]
    towards: tuple[float, float, float]


ABOVE = Eye("from above", (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ABOUT = (
    Eye("from +x", (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),
    Eye("from +y", (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)),
    Eye("from +z", (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
)


@dataclass(frozen=True)
class TerrainPicture:
    """What an eye far away sees. Row 0 is the lowest of the picture; NaN where there is no ground.

    Attributes:
        eye: Where it looks from.
        extent: Left, right, bottom and top edge of the picture [m], along the eye's axes.
        level: Height, or distance from a body's centre [m], [row, column].
        normals: Outward unit normals in the eye's axes (right, up, towards), [row, column, 3].
        slopes: Slope [rad], [row, column].
        n_cells: Cells of a map along the side of an element, whose mean it shows; 1 for a mesh.
    """

    eye: Eye
    extent: tuple[float, float, float, float]
    level: np.ndarray
    normals: np.ndarray
    slopes: np.ndarray
    n_cells: int = 1


def raster_view(strips: Iterable[Raster], shape: tuple[int, int], size: int = PICTURE_SIZE) -> TerrainPicture:
    """A map from above. An element is the mean of its facets; where half of them or more are missing it is a hole.

    Args:
        strips: The map from south to north, each strip beginning with the row that the last ended with.
        shape: Rows and columns of nodes of the whole map.
        size: Largest number of elements along a side.
    """
    n_rows, n_columns = shape[0] - 1, shape[1] - 1
    n_cells = max(1, -(-max(n_rows, n_columns) // size))
    sums = np.zeros((5, -(-n_rows // n_cells), -(-n_columns // n_cells)))
    first: Raster | None = None
    i_row = 0
    for strip in strips:
        first = strip if first is None else first
        if len(strip.heights) > 1:
            _add_blocks(sums, strip, i_row, n_cells)
            i_row += len(strip.heights) - 1
    if first is None:
        raise ValueError("a map without rows")
    n_each = 2.0 * np.outer(_sizes(n_rows, n_cells), _sizes(n_columns, n_cells))
    means = np.where(sums[0] > 0.5 * n_each, sums[1:] / np.maximum(sums[0], 1.0), np.nan)
    level, slope_x, slope_y, slopes = means
    normals = np.stack([-slope_x, -slope_y, np.ones_like(level)], axis=-1)
    normals /= np.linalg.norm(normals, axis=-1)[..., None]
    left, bottom = first.x_first, first.y_first
    extent = (
        left,
        left + level.shape[1] * n_cells * first.spacing_x,
        bottom,
        bottom + level.shape[0] * n_cells * first.spacing_y,
    )
    return TerrainPicture(ABOVE, extent, level, normals, slopes, n_cells)


def _add_blocks(sums: np.ndarray, strip: Raster, i_row: int, n_cells: int) -> None:
    """Adds a strip whose first cells are those of row `i_row` to the sums of count, level, slopes and angle."""
    n_rows, n_columns = strip.heights.shape[0] - 1, strip.heights.shape[1] - 1
    blocks = (i_row + np.arange(n_rows)) // n_cells
    starts = np.flatnonzero(np.diff(blocks, prepend=-1))
    columns = np.arange(0, n_columns, n_cells)
    for planes in facet_planes(strip):
        angle = planes.angle
        is_ground = ~np.isnan(angle)
        for total, values in zip(sums, (is_ground, planes.middle, planes.slope_x, planes.slope_y, angle), strict=True):
            known = np.where(is_ground, values, 0.0)
            total[blocks[starts]] += np.add.reduceat(np.add.reduceat(known, starts, axis=0), columns, axis=1)


def _sizes(count: int, n_cells: int) -> np.ndarray:
    """Sizes of the blocks that a number of cells is cut into; the last may be smaller."""
    return np.diff(np.append(np.arange(0, count, n_cells), count))


def mesh_views(
    mesh: MeshData, facts: MeshFacts, size: int = PICTURE_SIZE, progress: Callable[[float], None] | None = None
) -> list[TerrainPicture]:
    """A mesh by rays, front faces only: a body from three sides, other meshes from above (the highest front face)."""
    surface = mesh_surface(mesh.vertices, mesh.facets, "cpu", reach=1.0)
    centre = facts.centre if facts.is_body else None
    slopes, normals = facet_slopes(mesh, centre), facet_normals(mesh)
    eyes, views = ABOUT if facts.is_body else (ABOVE,), []
    for i, eye in enumerate(eyes):
        rows, columns, extent = _grid(mesh, eye, size)
        points, facets = _seen(surface, mesh, eye, rows, columns, lambda done, i=i: _report(progress, i + done, eyes))
        is_hit = facets >= 0
        level = points[:, 2] if centre is None else np.linalg.norm(points - centre, axis=1)
        axes = np.array([eye.right, eye.up, eye.towards])
        shape = (len(rows), len(columns))
        views.append(
            TerrainPicture(
                eye,
                extent,
                np.where(is_hit, level, np.nan).reshape(shape),
                np.where(is_hit[:, None], normals[facets] @ axes.T, np.nan).reshape(*shape, 3),
                np.where(is_hit, slopes[facets], np.nan).reshape(shape),
            )
        )
    return views


def _report(progress: Callable[[float], None] | None, done: float, eyes: tuple[Eye, ...]) -> None:
    if progress is not None:
        progress(done / len(eyes))


def _grid(mesh: MeshData, eye: Eye, size: int) -> tuple[np.ndarray, np.ndarray, tuple[float, float, float, float]]:
    """Middles of the rows and columns of a picture that just holds a mesh [m], and its edges."""
    across, along = mesh.vertices @ np.array(eye.right), mesh.vertices @ np.array(eye.up)
    element = float(max(np.ptp(across), np.ptp(along))) / size
    columns, left, right = _elements(across, element)
    rows, bottom, top = _elements(along, element)
    return rows, columns, (left, right, bottom, top)


def _elements(coordinates: np.ndarray, element: float) -> tuple[np.ndarray, float, float]:
    """Middles of elements of about a size that just hold some coordinates [m], and the outermost edges."""
    middle, width = 0.5 * float(coordinates.min() + coordinates.max()), max(float(np.ptp(coordinates)), element)
    count = max(1, round(width / element))
    return middle + width * ((np.arange(count) + 0.5) / count - 0.5), middle - 0.5 * width, middle + 0.5 * width


def _seen(
    surface: Surface,
    mesh: MeshData,
    eye: Eye,
    rows: np.ndarray,
    columns: np.ndarray,
    progress: Callable[[float], None],
) -> tuple[np.ndarray, np.ndarray]:
    """Points [row * column, 3] [m] and facets that rays against the eye's direction meet first; facet -1 for none."""
    right, up, towards = (np.array(axis) for axis in (eye.right, eye.up, eye.towards))
    depths = mesh.vertices @ towards
    margin = 0.01 * float(np.ptp(mesh.bounds, axis=0).max())
    start, reach = float(depths.max()) + margin, float(np.ptp(depths)) + 2.0 * margin
    origins = rows[:, None, None] * up + columns[None, :, None] * right + start * towards
    origins = origins.reshape(-1, 3)
    ranges, facets = np.empty(len(origins)), np.empty(len(origins), dtype=np.int64)
    for first in range(0, len(origins), _RAYS_AT_ONCE):
        part = slice(first, first + _RAYS_AT_ONCE)
        directions = np.tile(-towards, (len(origins[part]), 1))
        ranges[part], facets[part] = surface.cast(origins[part], directions, reach)
        progress(min(1.0, (first + _RAYS_AT_ONCE) / len(origins)))
    return origins - ranges[:, None] * towards, facets
