"""Building a signed distance field from anything that knows its distances, and putting it on a device."""

import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.world.cache import Entry, cached, content_key
from planetfall.world.preparations import telling
from planetfall.world.terrain.mesh.build import MeshOutline
from planetfall.world.terrain.noise.build import Noise, noise_params, noise_statistics
from planetfall.world.terrain.outline import Outline
from planetfall.world.terrain.sdf.cell import BRICK, SdfGrid, SdfParams
from planetfall.world.terrain.sdf.errors import measured_gaps
from planetfall.world.terrain.sdf.mesh_distance import CHUNK, MeshDistance, sample_box
from planetfall.world.terrain.sdf.sdf import HALF_DIAGONAL, TERRAIN_SDF, TERRAIN_SDF_NOISE
from planetfall.world.terrain.sdf.size import BAND, check_bricks, check_size
from planetfall.world.terrain.surface import Surface

VERSION = 2
"""Of what is built: to be raised with every change that moves a bit of it."""


class Distance(Protocol):
    """Something that knows exact signed distances, d > 0 inside.

    `bounds` [2, 3] [m]: the body lies within; `sample` and `at` as `MeshDistance` has them.
    """

    bounds: np.ndarray
    device: str

    def sample(self, origin_S: np.ndarray, spacing: float, bases: np.ndarray) -> np.ndarray:
        """Signed distances at the nodes of bricks."""
        ...

    def at(self, positions_S: np.ndarray) -> np.ndarray:
        """Signed distances at points."""
        ...


class UnionDistance:
    """What is solid in either of two bodies: the greater distance, exact outside, a lower bound of the depth inside."""

    def __init__(self, one: Distance, other: Distance) -> None:
        """Both on one device."""
        both = np.array([one.bounds, other.bounds])
        self.bounds, self.device = np.array([both[:, 0].min(axis=0), both[:, 1].max(axis=0)]), one.device
        self.parts = (one, other)

    def sample(self, origin_S: np.ndarray, spacing: float, bases: np.ndarray) -> np.ndarray:
        """Signed distances at the nodes of bricks."""
        return np.maximum(*(part.sample(origin_S, spacing, bases) for part in self.parts))

    def at(self, positions_S: np.ndarray) -> np.ndarray:
        """Signed distances at points."""
        return np.maximum(*(part.at(positions_S) for part in self.parts))


@dataclass(frozen=True)
class Layout:
    """Where a field lies.

    Attributes:
        origin: First node [m], surface frame.
        spacing: Of fine nodes [m].
        cells: Coarse cells along each axis.
        band: How far from the surface there are bricks [m].
        body: Lowest and highest coordinates of the body, noise included [2, 3] [m].
    """

    origin: np.ndarray
    spacing: float
    cells: tuple[int, int, int]
    band: float
    body: np.ndarray

    @property
    def reach(self) -> float:
        """How far noise can move the surface [m]."""
        return self.band - BAND * self.spacing


def layout_about(bounds: np.ndarray, spacing: float, reach: float = 0.0) -> Layout:
    """A box about a body, with room for noise of a height of up to `reach` [m]."""
    coarse = BRICK * spacing
    band = BAND * spacing + reach
    margin = band + spacing
    cells = np.ceil((bounds[1] - bounds[0] + 2.0 * margin) / coarse)
    origin = 0.5 * (bounds[0] + bounds[1]) - 0.5 * cells * coarse
    # the interpolated surface can leave the body's own box by half a diagonal of a cell
    body = bounds + np.outer([-1.0, 1.0], np.full(3, reach + spacing))
    return Layout(origin, spacing, (int(cells[0]), int(cells[1]), int(cells[2])), band, body)


def build_field(source: Distance, layout: Layout) -> Entry:
    """Coarse nodes, bricks near the surface, and where they are."""
    begun = time.perf_counter()
    check_size(source.at, source.bounds, layout.reach, layout.spacing)
    n_x, n_y, n_z = layout.cells
    coarse = sample_box(source, layout.origin, BRICK * layout.spacing, (n_x + 1, n_y + 1, n_z + 1))
    cells = _cells_near(source, layout, coarse)
    check_bricks(len(cells), source.at, source.bounds, layout.reach, layout.spacing)
    bricks = np.empty((len(cells), BRICK + 1, BRICK + 1, BRICK + 1), dtype=np.float32)
    tell = telling(f"measuring distances to the ground at {bricks.size} nodes")
    for start in range(0, len(cells), CHUNK):
        tell(start / len(cells))
        part = slice(start, start + CHUNK)
        bricks[part] = source.sample(layout.origin, layout.spacing, cells[part] * BRICK)
    tell(1.0)
    brick_at = np.full(layout.cells, -1, dtype=np.int32)
    brick_at[tuple(cells.T)] = np.arange(len(cells), dtype=np.int32)
    facts = {
        **measured_gaps(source, layout.origin, layout.spacing, cells, bricks),
        "bricks": len(cells),
        "slope_bound": _steepest(bricks, layout.spacing),
        "build_s": round(time.perf_counter() - begun, 3),
    }
    return Entry({"coarse": coarse, "brick_at": brick_at, "bricks": bricks}, facts)


def _cells_near(source: Distance, layout: Layout, coarse: np.ndarray) -> np.ndarray:
    """Coarse cells [brick, 3] that the surface can come within the band of."""
    side = BRICK * layout.spacing
    nearest = np.abs(coarse)
    for axis in range(3):
        low = [slice(None)] * 3
        high = [slice(None)] * 3
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        nearest = np.minimum(nearest[tuple(low)], nearest[tuple(high)])
    # a point of the cell is at most half a diagonal from its nearest corner
    reach = layout.band + 0.5 * np.sqrt(3.0) * side
    candidates = np.argwhere(nearest <= reach * (1.0 + 1e-6))
    centers = layout.origin + (candidates + 0.5) * side
    return candidates[np.abs(source.at(centers)) <= reach]


def _steepest(bricks: np.ndarray, spacing: float) -> float:
    """A bound of the interpolant's gradient: the steepest edges of each cell, axis by axis."""
    largest = 0.0
    for start in range(0, len(bricks), CHUNK):
        part = bricks[start : start + CHUNK].astype(np.float64)
        squared: Any = 0.0
        for axis in (1, 2, 3):
            rate = np.abs(np.diff(part, axis=axis))
            for other in {1, 2, 3} - {axis}:
                low = [slice(None)] * 4
                high = [slice(None)] * 4
                low[other], high[other] = slice(None, -1), slice(1, None)
                rate = np.maximum(rate[tuple(low)], rate[tuple(high)])
            squared = squared + rate**2
        largest = max(largest, float(squared.max(initial=0.0)))
    return float(np.sqrt(largest)) / spacing


def sdf_surface(
    entry: Entry,
    layout: Layout,
    device: str,
    noise: Noise | None = None,
    outline: Outline | None = None,
    **facts: object,
) -> Surface:
    """A built field as a terrain on a device; noise of amplitude zero is none."""
    start_warp()
    params, grid = SdfParams(), SdfGrid()
    grid.origin, grid.spacing, grid.inverse = wp.vec3d(*layout.origin), layout.spacing, 1.0 / layout.spacing
    values = np.concatenate([entry.arrays[name].ravel() for name in ("coarse", "bricks")])
    grid.values = wp.array(values, dtype=wp.float32, device=device)
    grid.brick_at = wp.array(entry.arrays["brick_at"], dtype=wp.int32, device=device)
    grid.low, grid.high = wp.vec3d(*layout.body[0]), wp.vec3d(*layout.body[1])
    params.grid, params.grids = grid, wp.array([grid], dtype=SdfGrid, device=device)
    params.slope = entry.facts["slope_bound"]
    known: dict[str, Any] = {
        "spacing_m": layout.spacing,
        "box": [BRICK * n for n in layout.cells],
        "bytes": sum(int(array.nbytes) for array in entry.arrays.values()),
        **entry.facts,
    }
    model = TERRAIN_SDF
    if noise is not None and np.any(noise.amplitudes):
        model, params.noise = TERRAIN_SDF_NOISE, noise_params(noise, device)
        found = noise_statistics(noise)
        known |= {
            "noise_deviation_m": found.deviation,
            "noise_slope_deviation": found.slope_deviation,
            "noise_bound_m": found.bound,
            "noise_slope_bound": found.slope_bound,
        }
    size = BRICK * layout.spacing * np.array(layout.cells)
    box = np.array([layout.origin, layout.origin + size])
    return Surface(model, params, device, facts={**known, **facts}, n_facets=0, box=box, outline=outline)


def sdf_from_mesh(
    vertices_S: np.ndarray,
    facets: np.ndarray,
    device: str,
    *,
    spacing: float,
    noise: Noise | None = None,
    boulders: tuple[np.ndarray, np.ndarray] | None = None,
    **facts: object,
) -> Surface:
    """The signed distance field of a closed mesh, from the cache where it is there.

    Args:
        vertices_S: [vertex, 3] [m], surface frame.
        facets: [facet, 3] vertex indices, counter-clockwise seen from outside.
        device: Warp device.
        spacing: Of fine nodes [m].
        noise: Added to the distance.
        boulders: Vertices [m] and facets of further closed bodies, united with the mesh.
        facts: What is known of the shape, for people.
    """
    start_warp()
    vertices, facets = np.ascontiguousarray(vertices_S, np.float64), np.ascontiguousarray(facets, np.int32)
    rocks = (np.zeros((0, 3)), np.zeros((0, 3), np.int32)) if boulders is None else boulders
    every = np.vstack([vertices, rocks[0]])
    layout = layout_about(np.array([every.min(axis=0), every.max(axis=0)]), spacing, _reach(noise))
    kind = "cuda" if wp.get_device(device).is_cuda else "cpu"
    key = content_key(
        version=[VERSION, BRICK], device=kind, vertices=vertices, facets=facets, spacing=spacing, band=layout.band,
        origin=layout.origin, cells=layout.cells, rock_vertices=rocks[0], rock_facets=rocks[1],
    )  # fmt: skip

    def build() -> Entry:
        source: Distance = MeshDistance(vertices, facets, device)
        if len(rocks[1]):
            source = UnionDistance(source, MeshDistance(*rocks, device))
        return build_field(source, layout)

    # the boulders' facets inside the mesh, and the other way round, are never the nearest from outside
    outline = MeshOutline(every, np.vstack([facets, rocks[1] + len(vertices)]), ground_margin(noise, spacing))
    return sdf_surface(cached("sdf", key, build), layout, device, noise, outline, **facts)


def ground_margin(noise: Noise | None, spacing: float) -> float:
    """How far the zero of a field can lie from the shape it was built from [m]: noise, and half a cell's diagonal."""
    return _reach(noise) + float(HALF_DIAGONAL) * spacing


def _reach(noise: Noise | None) -> float:
    """How far noise can move the surface [m]."""
    return 0.0 if noise is None else noise_statistics(noise).bound
