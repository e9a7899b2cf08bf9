"""Amplitudes of noise with regions of their own: balls, as a grid fine enough for the smallest of them.

The grid spans the regions alone. Its rim has the amplitude of all the rest, or lies where no surface can be, and beyond
it the amplitude is that of the rim. So one small region takes little memory on any body; far apart they take most.
"""

from dataclasses import dataclass
from math import prod

import numpy as np

from planetfall.errors import InputError

STEPS_PER_RADIUS = 6.0
"""Steps of the grid along the radius of the smallest region: its amplitude is exact in its inner half, and its area
right to 1.5 %, wherever the nodes lie (measured)."""
STEPS_ALONG = 64
"""Fewest steps along the longest extent of the body (assumed)."""
MAX_BYTES = 512 << 20
"""Of the grid, in float64 (assumed)."""
EDGE = 0.2
"""Share of a radius over which the change is spread."""

Three = tuple[float, float, float]


@dataclass(frozen=True)
class Region:
    """A ball: its `center` [3] [m], `radius` [m], and `amplitude` [m] inside; later ones lie over earlier ones."""

    center: np.ndarray
    radius: float
    amplitude: float


def region_amplitudes(bounds: np.ndarray, base: float, regions: list[Region]) -> tuple[np.ndarray, Three, Three]:
    """A grid of amplitudes, its origin and its spacing, as `Noise` takes them.

    Args:
        bounds: Lowest and highest coordinates that the surface can have [2, 3] [m].
        base: Amplitude outside all regions [m].
        regions: At least one.

    Raises:
        InputError: A region does not come near the body, or the smallest is too small for how far apart they are.
    """
    box, radii = _box_of(bounds, regions), [region.radius for region in regions]
    size, coarsest = box[1] - box[0], float(np.ptp(bounds, axis=0).max()) / STEPS_ALONG
    spacing = min(coarsest, min(radii) / STEPS_PER_RADIUS)
    if _bytes(size, spacing) > MAX_BYTES:
        raise _too_small(int(np.argmin(radii)), min(radii), size, spacing)
    cells = np.maximum(np.ceil(size / spacing), 1.0).astype(int)
    steps = size / cells
    axes = [box[0][k] + steps[k] * np.arange(cells[k] + 1) for k in range(3)]
    grid = np.full(cells + 1, float(base))
    for region in regions:
        _lay(region, axes, grid)
    return grid, _three(box[0]), _three(steps)


def _box_of(bounds: np.ndarray, regions: list[Region]) -> np.ndarray:
    """What the regions have of the bounds, in one box [2, 3] [m]."""
    sides = np.array([-1.0, 1.0])[:, None]
    balls = np.array([np.asarray(region.center) + region.radius * sides for region in regions])
    for i, ball in enumerate(balls):
        if np.any(ball[1] <= bounds[0]) or np.any(ball[0] >= bounds[1]):
            raise InputError(
                f"terrain.noise.regions.{i}", f"a ball of {regions[i].radius:g} m about {ball.mean(axis=0).tolist()} m "
                "does not reach the body",
                f"a ball that reaches it, from {bounds[0].tolist()} to {bounds[1].tolist()} m",
            )  # fmt: skip
    low, high = balls[:, 0].min(axis=0), balls[:, 1].max(axis=0)
    return np.array([np.maximum(low, bounds[0]), np.minimum(high, bounds[1])])


def _lay(region: Region, axes: list[np.ndarray], grid: np.ndarray) -> None:
    """Lays a region over what the grid has so far; nodes out of its reach are not looked at."""
    center, radius = region.center, region.radius
    part = tuple(slice(*np.searchsorted(axis, [center[k] - radius, center[k] + radius])) for k, axis in enumerate(axes))
    x, y, z = np.ix_(*(axis[some] - center[k] for k, (axis, some) in enumerate(zip(axes, part, strict=True))))
    t = np.clip((radius - np.sqrt(x * x + y * y + z * z)) / (EDGE * radius), 0.0, 1.0)
    grid[part] += t * t * (3.0 - 2.0 * t) * (region.amplitude - grid[part])


def _three(vector: np.ndarray) -> Three:
    x, y, z = vector.tolist()
    return x, y, z


def _bytes(size: np.ndarray, spacing: float) -> float:
    return 8.0 * prod((np.ceil(size / spacing) + 1.0).tolist())


def _too_small(index: int, radius: float, size: np.ndarray, spacing: float) -> InputError:
    least = radius
    while _bytes(size + 2.0 * (least - radius), least / STEPS_PER_RADIUS) > MAX_BYTES:  # wider, it spans more itself
        least *= 1.01
    least = float(f"{1.01 * least:.3g}")
    return InputError(
        f"terrain.noise.regions.{index}.radius",
        f"{radius:g} m takes {float(f'{_bytes(size, spacing) / 2**30:.3g}'):,g} GiB for amplitudes over the "
        f"{' x '.join(f'{side:.3g}' for side in size)} m that all regions span",
        f"at most {MAX_BYTES / 2**30:.3g} GiB", f"give at least {least:g} m, or regions closer together",
    )  # fmt: skip
