"""Bodies whose signed distance is a formula: sphere, ellipsoid, box and half-space, d > 0 inside.

They check the field built from a mesh, and stand in for a mesh where the body is one of them.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.compute.slices import launch_in_slices
from planetfall.errors import InputError
from planetfall.world.cache import Entry
from planetfall.world.terrain.noise.build import Noise, noise_statistics
from planetfall.world.terrain.outline import Feet, feet_of
from planetfall.world.terrain.sdf.build import build_field, ground_margin, layout_about, sdf_surface
from planetfall.world.terrain.sdf.mesh_distance import NODES, BrickGrid, node_place
from planetfall.world.terrain.surface import Surface

STEP = 1e-5
"""Of differences of the distance, relative to the lengths over which it bends."""


@wp.struct
class AnalyticParams:
    """A body about `center` [m], surface frame, of half-sizes `half` [m]; a half-space has its normal in `half`."""

    center: wp.vec3d
    half: wp.vec3d


@wp.func
def sphere_distance(body: AnalyticParams, p: wp.vec3d) -> wp.float64:
    """Of a sphere with the radius half[0]."""
    return body.half[0] - wp.length(p)


@wp.func
def plane_distance(body: AnalyticParams, p: wp.vec3d) -> wp.float64:
    """Of the half-space below the plane with the unit normal `half`."""
    return -wp.dot(p, body.half)


@wp.func
def box_distance(body: AnalyticParams, p: wp.vec3d) -> wp.float64:
    """Of a box with edges along the axes."""
    zero = wp.float64(0.0)
    q = wp.vec3d(wp.abs(p[0]) - body.half[0], wp.abs(p[1]) - body.half[1], wp.abs(p[2]) - body.half[2])
    outside = wp.length(wp.vec3d(wp.max(q[0], zero), wp.max(q[1], zero), wp.max(q[2], zero)))
    return -outside - wp.min(wp.max(wp.max(q[0], q[1]), q[2]), zero)


@wp.func
def ellipsoid_excess(e: wp.vec3d, y: wp.vec3d, t: wp.float64) -> wp.float64:
    """The sum of (e_i y_i/(t + e_i^2))^2, less 1: it falls with t."""
    sum = -wp.float64(1.0)
    for i in range(3):
        if y[i] > wp.float64(0.0):
            ratio = e[i] * y[i] / (t + e[i] * e[i])
            sum += ratio * ratio
    return sum


@wp.func
def ellipsoid_distance(body: AnalyticParams, p: wp.vec3d) -> wp.float64:
    """Of an ellipsoid: the nearest point is e_i^2 y_i/(t + e_i^2) for the root t of `ellipsoid_excess` (Eberly2013).

    On the plane of symmetry across the shortest axis, near the middle, there is no such root: the nearest points then
    lie on both sides of the plane, at t = -e_min^2.
    """
    zero = wp.float64(0.0)
    e = body.half
    y = wp.vec3d(wp.abs(p[0]), wp.abs(p[1]), wp.abs(p[2]))
    least = int(0)
    for i in range(3):
        if e[i] < e[least]:
            least = i
    low = -e[least] * e[least]
    for i in range(3):
        low = wp.max(low, e[i] * y[i] - e[i] * e[i])
    high = wp.length(wp.cw_mul(e, y)) - e[least] * e[least]
    sign = -wp.float64(1.0)
    if ellipsoid_excess(e, y, zero) < zero:
        sign = wp.float64(1.0)
    near = wp.vec3d()
    if y[least] == zero and ellipsoid_excess(e, y, low) < zero:
        rest = wp.float64(1.0)
        for i in range(3):
            if y[i] > zero:
                near[i] = e[i] * e[i] * y[i] / (low + e[i] * e[i])
                rest -= near[i] * near[i] / (e[i] * e[i])
        near[least] = e[least] * wp.sqrt(wp.max(rest, zero))
        return sign * wp.length(near - y)
    n = int(0)
    while n < 100 and low < high:
        middle = (low + high) * wp.float64(0.5)
        if ellipsoid_excess(e, y, middle) > zero:
            low = middle
        else:
            high = middle
        n += 1
    t = (low + high) * wp.float64(0.5)
    for i in range(3):
        if y[i] > zero:
            near[i] = e[i] * e[i] * y[i] / (t + e[i] * e[i])
    return sign * wp.length(near - y)


_FORMULAS = {"sphere": sphere_distance, "ellipsoid": ellipsoid_distance, "box": box_distance, "plane": plane_distance}


@dataclass(frozen=True)
class AnalyticShape:
    """A body given by a formula.

    Attributes:
        name: `sphere`, `ellipsoid`, `box` or `plane` (a half-space).
        half: Half-sizes [m]: radius, semi-axes, half the edges; of a plane, its outward unit normal.
        center: Its middle, or a point of the plane [m], surface frame.
        extent: Half the side of the cube that a plane's field covers [m].
    """

    name: str
    half: tuple[float, float, float]
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    extent: float = 0.0

    @property
    def bounds(self) -> np.ndarray:
        """Lowest and highest coordinates [2, 3] [m]."""
        size = {"sphere": (self.half[0],) * 3, "plane": (self.extent,) * 3}.get(self.name, self.half)
        return np.array(self.center) + np.outer([-1.0, 1.0], size)


class AnalyticDistance:
    """Exact signed distances of a formula, as `sdf_build.Distance` asks for them."""

    def __init__(self, shape: AnalyticShape, device: str) -> None:
        """Checks the shape."""
        start_warp()
        if shape.name not in _FORMULAS:
            raise InputError("terrain.shape", f"no shape {shape.name!r}", f"one of {', '.join(_FORMULAS)}")
        if shape.name != "plane" and min(shape.half) <= 0.0:
            raise InputError("terrain.half_sizes", f"{shape.half} m", "> 0")
        if shape.name == "plane" and (abs(np.linalg.norm(shape.half) - 1.0) > 1e-9 or shape.extent <= 0.0):
            raise InputError("terrain.half_sizes", f"{shape.half}", "a unit normal, and an extent > 0 m")
        self.bounds, self.device, self.shape = shape.bounds, device, shape
        self.params = AnalyticParams()
        self.params.center, self.params.half = wp.vec3d(*shape.center), wp.vec3d(*shape.half)

    def sample(self, origin_S: np.ndarray, spacing: float, bases: np.ndarray) -> np.ndarray:
        """Signed distances [brick, 9, 9, 9] [m], float32, at nodes from `bases` [brick, 3] of a grid."""
        grid, n, size = BrickGrid(), len(bases), NODES**3
        grid.origin, grid.spacing = wp.vec3d(*origin_S), spacing
        grid.bases = wp.array(np.ascontiguousarray(bases, dtype=np.int32), dtype=wp.vec3i, device=self.device)
        values = wp.zeros((n, size), dtype=wp.float32, device=self.device)
        kernel = _brick_kernel(self.shape.name)
        launch_in_slices(kernel, n * size, [self.params, grid], [values], self.device)
        return values.numpy().reshape(n, NODES, NODES, NODES)

    def at(self, positions_S: np.ndarray) -> np.ndarray:
        """Exact signed distances [n] [m] at positions [n, 3] [m], in float64."""
        places = wp.array(np.atleast_2d(np.asarray(positions_S, float)), dtype=wp.vec3d, device=self.device)
        found = wp.zeros(len(places), dtype=wp.float64, device=self.device)
        launch_in_slices(_point_kernel(self.shape.name), len(places), [self.params, places], [found], self.device)
        return found.numpy()


@dataclass(frozen=True)
class AnalyticOutline:
    """A body given by a formula as an `Outline`, asked on the host.

    Attributes:
        shape: The body.
        margin: How far the ground can lie from it [m].
    """

    shape: AnalyticShape
    margin: float

    def feet(self, places_S: np.ndarray) -> Feet:
        """Nearest points to places [n, 3] [m]: down the gradient of the exact distance, taken by central differences.

        A distance bends over lengths of itself and of the body. Steps of `STEP` of these cost a sixth of the square of
        a step over the radius of curvature, and as much as `STEP` where the nearest point comes to an edge.
        """
        distance = AnalyticDistance(self.shape, "cpu")
        depths, size = distance.at(places_S), float(np.ptp(self.shape.bounds, axis=0).max())
        steps = STEP * (size + np.abs(depths))[:, None]
        moves = [steps * axis for axis in np.eye(3)]
        rises = np.column_stack([distance.at(places_S - move) - distance.at(places_S + move) for move in moves])
        outward = rises / np.linalg.norm(rises, axis=1)[:, None]
        return feet_of(places_S, places_S + outward * depths[:, None], outward, depths <= 0.0, np.isfinite(depths))


@lru_cache
def _brick_kernel(name: str) -> Any:
    distance = _FORMULAS[name]

    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def bricks(body: AnalyticParams, grid: BrickGrid, first: int, values_out: wp.array2d(dtype=wp.float32)):
        at = wp.tid() + first
        n = wp.static(NODES * NODES * NODES)
        p = node_place(grid, at // n, at % n)
        values_out[at // n, at % n] = wp.float32(distance(body, p - body.center))

    return bricks


@lru_cache
def _point_kernel(name: str) -> Any:
    distance = _FORMULAS[name]

    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def points(
        body: AnalyticParams, places: wp.array(dtype=wp.vec3d), first: int, distances_out: wp.array(dtype=wp.float64)
    ):
        i = wp.tid() + first
        distances_out[i] = distance(body, places[i] - body.center)

    return points


def sdf_from_shape(
    shape: AnalyticShape, device: str, *, spacing: float, noise: Noise | None = None, **facts: object
) -> Surface:
    """The field of a body given by a formula; quick to build, so not cached.

    Args:
        shape: The body.
        device: Warp device.
        spacing: Of fine nodes [m].
        noise: Added to the distance.
        facts: What is known of the shape, for people.
    """
    source = AnalyticDistance(shape, device)
    reach = 0.0 if noise is None else noise_statistics(noise).bound
    layout = layout_about(source.bounds, spacing, reach)
    entry: Entry = build_field(source, layout)
    outline = AnalyticOutline(shape, ground_margin(noise, spacing))
    return sdf_surface(entry, layout, device, noise, outline, shape=shape.name, **facts)
