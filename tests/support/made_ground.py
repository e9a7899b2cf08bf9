"""Grounds made by the tests: grids of heights and the meshes of the same facets."""

from dataclasses import replace

import numpy as np
import trimesh

from planetfall.world.terrain.readers.meshes.mesh_data import MeshData, clean_mesh
from planetfall.world.terrain.readers.rasters.raster import PixelWindow, Raster, RasterSite


def tilted_grid(normal: np.ndarray, n: int, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """Node coordinates [n] [m], the same along both axes, and heights [n, n] of the plane through the origin."""
    along = (np.arange(n) - n // 2) * spacing
    x, y = np.meshgrid(along, along)
    return along, -(normal[0] * x + normal[1] * y) / normal[2]


def grid_mesh(along: np.ndarray, heights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [m] and facets of a grid, cut from south-west to north-east like the elevation maps."""
    x, y = np.meshgrid(along, along)
    vertices = np.column_stack([x.ravel(), y.ravel(), heights.ravel()])
    index = np.arange(heights.size).reshape(heights.shape)
    sw, se, ne, nw = (part.ravel() for part in (index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]))
    # facet 2 k is the lower, 2 k + 1 the upper one of cell k, as in `world.terrain.dem.dem`
    lower, upper = np.column_stack([sw, se, ne]), np.column_stack([sw, ne, nw])
    return vertices, np.stack([lower, upper], axis=1).reshape(-1, 3)


def brute_gaps(vertices: np.ndarray, facets: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Signed distance [m] to the nearest facet, over every facet; of equally near ones the squarest gives the side."""
    corners = vertices[facets]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    found = np.empty(len(points))
    for k, point in enumerate(points):
        nearest = trimesh.triangles.closest_point(corners, np.broadcast_to(point, (len(corners), 3)))
        squared = np.sum((point - nearest) ** 2, axis=1)
        heights = np.sum((point - corners[:, 0]) * normals, axis=1)
        tied = np.flatnonzero(squared <= squared.min() * (1 + 1e-9) + 1e-300)
        side = np.sign(heights[tied[np.argmax(np.abs(heights[tied]))]])
        found[k] = side * np.sqrt(squared.min())
    return found


def brute_ranges(vertices: np.ndarray, facets: np.ndarray, origins: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Range [m] to the first front face, over every facet; NaN where there is none."""
    a = vertices[facets[:, 0]]
    e1, e2 = vertices[facets[:, 1]] - a, vertices[facets[:, 2]] - a
    normals = np.cross(e1, e2)
    d11, d12, d22 = (np.sum(p * q, axis=1) for p, q in ((e1, e1), (e1, e2), (e2, e2)))
    found = np.full(len(origins), np.nan)
    for k, (origin, direction) in enumerate(zip(origins, directions, strict=True)):
        closing = normals @ direction
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.sum((a - origin) * normals, axis=1) / closing
            q = origin + t[:, None] * direction - a
            q1, q2 = np.sum(q * e1, axis=1), np.sum(q * e2, axis=1)
            v, w = (d22 * q1 - d12 * q2) / (d11 * d22 - d12**2), (d11 * q2 - d12 * q1) / (d11 * d22 - d12**2)
        hit = (closing < 0) & (t >= 0) & (v >= -1e-12) & (w >= -1e-12) & (v + w <= 1 + 1e-12)
        if hit.any():
            found[k] = t[hit].min()
    return found


def made_raster(heights: np.ndarray, spacing: tuple[float, float] = (1.0, 1.0), start=(0.0, 0.0)) -> Raster:
    """A map of heights [row to the north, column to the east] [m] whose south-western node is at `start`."""
    return Raster(
        heights=heights,
        x_first=start[0],
        y_first=start[1],
        spacing_x=spacing[0],
        spacing_y=spacing[1],
        crs=None,
        source="made here",
        n_holes=int(np.count_nonzero(np.isnan(heights))),
        window=PixelWindow(0, 0, *heights.shape),
        site=RasterSite(0.0, 0.0, 0.0, 0.0),
    )


def cut_in_strips(raster: Raster, n_rows: int) -> list[Raster]:
    """A map in strips from south to north of so many new rows each; each begins with the last row of the one before."""
    strips = []
    for first in range(0, len(raster.heights), n_rows):
        start = max(first - 1, 0)
        heights = raster.heights[start : first + n_rows]
        strips.append(replace(raster, heights=heights, y_first=raster.y_first + start * raster.spacing_y))
    return strips


def made_mesh(vertices: np.ndarray, facets: np.ndarray) -> MeshData:
    """A mesh as the readers give it, of float64 coordinates."""
    return clean_mesh("made here", np.asarray(vertices, dtype=float), np.asarray(facets), "made here")
