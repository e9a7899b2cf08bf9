"""How large a distance field would be, reckoned before anything of it is built.

Coarse nodes fill a box, and are counted. Bricks fill the coarse cells near the surface: the volume V(r) of all that is
within r of it, over that of a cell. V is found from exact distances at a few thousand places; below their spacing it
grows like r, twice the area of the surface times r.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np

from planetfall.errors import InputError
from planetfall.world.terrain.sdf.cell import BRICK

BAND = 2.0
"""Fine cells on either side of the surface, and of what noise can reach, that have bricks."""
BRICK_BYTES = (BRICK + 1) ** 3 * 4
"""Of the nodes of a brick, in float32."""
COARSE_BYTES = 8
"""Of a coarse cell: a node in float32, and where its brick is."""
MAX_BRICKS = 4 << 30
"""Bytes of bricks (assumed)."""
MAX_COARSE = 1 << 30
"""Bytes of coarse cells (assumed); to build them takes twice that for a while."""
PROBES_ALONG = 32
"""Places along each side of the box at which distances are asked."""
DOUBT = 1.25
"""By which reckoned bricks may be wrong; up to it they are counted before they are refused."""

Distances = Callable[[np.ndarray], np.ndarray]
"""Signed distances [n] [m] at places [n, 3] [m]."""


@dataclass(frozen=True)
class FieldSize:
    """What the memory of a field takes, for any distance of its nodes.

    Attributes:
        sides: Of the body's box [3] [m].
        reach: How far noise can move the surface [m].
        near: V(r) [m^3] of a distance r [m].
    """

    sides: np.ndarray
    reach: float
    near: Callable[[float], float]

    def coarse(self, spacing: float) -> float:
        """Bytes of coarse cells of a field with nodes `spacing` [m] apart."""
        margin = (BAND + 1.0) * spacing + self.reach
        return COARSE_BYTES * prod(np.ceil((self.sides + 2.0 * margin) / (BRICK * spacing)).tolist())

    def bricks(self, spacing: float) -> float:
        """Bytes of bricks, about: of cells whose middle the surface is within the band and half a diagonal of."""
        side = BRICK * spacing
        return BRICK_BYTES * self.near(self.reach + BAND * spacing + 0.5 * np.sqrt(3.0) * side) / side**3

    def fits(self, spacing: float) -> bool:
        """Whether such a field may be built."""
        return self.coarse(spacing) <= MAX_COARSE and self.bricks(spacing) <= MAX_BRICKS

    def finest(self, spacing: float) -> float:
        """The smallest distance of nodes [m] that fits, to a percent, above one that does not."""
        low, high = spacing, max(float(self.sides.max()), 2.0 * spacing)
        while high > 1.01 * low:
            middle = float(np.sqrt(low) * np.sqrt(high))
            low, high = (low, middle) if self.fits(middle) else (middle, high)
        return high


def check_size(at: Distances, bounds: np.ndarray, reach: float, spacing: float) -> None:
    """Refuses a field that would not fit, before it is built; where all of its box would fit, nothing is asked."""
    plain = FieldSize(bounds[1] - bounds[0], reach, lambda r: 0.0)
    if plain.coarse(spacing) / COARSE_BYTES * BRICK_BYTES <= MAX_BRICKS:
        return
    size = _measured(at, bounds, reach)
    if size.coarse(spacing) > MAX_COARSE or size.bricks(spacing) > DOUBT * MAX_BRICKS:
        raise _too_fine(size, spacing, size.bricks(spacing))


def check_bricks(n_bricks: int, at: Distances, bounds: np.ndarray, reach: float, spacing: float) -> None:
    """Refuses more bricks than fit, once they are counted."""
    if n_bricks * BRICK_BYTES > MAX_BRICKS:
        raise _too_fine(_measured(at, bounds, reach), spacing, n_bricks * BRICK_BYTES)


def _measured(at: Distances, bounds: np.ndarray, reach: float) -> FieldSize:
    sides = bounds[1] - bounds[0]
    margin = reach + float(sides.max()) / PROBES_ALONG
    return FieldSize(sides, reach, volume_near(at, bounds + np.outer([-1.0, 1.0], np.full(3, margin))))


def volume_near(at: Callable[[np.ndarray], np.ndarray], box: np.ndarray) -> Callable[[float], float]:
    """V(r) [m^3] of a body in a box [2, 3] [m], from its distances `at` places."""
    sides = box[1] - box[0]
    axes = [(np.arange(PROBES_ALONG) + 0.5) / PROBES_ALONG * side for side in sides]
    places = box[0] + np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    distances, shortest = np.abs(at(places)), float(sides.max()) / PROBES_ALONG

    def near(r: float) -> float:
        counted = max(r, shortest)
        return float(np.mean(distances <= counted) * np.prod(sides)) * r / counted

    return near


def _too_fine(size: FieldSize, spacing: float, bricks: float) -> InputError:
    coarse, finest = size.coarse(spacing), _rounded_up(size.finest(spacing))
    return InputError(
        "terrain.resolution",
        f"{spacing:g} m takes {_gib(bricks)} for nodes near the surface and {_gib(coarse)} for coarse ones",
        f"at most {_gib(MAX_BRICKS)} and {_gib(MAX_COARSE)}", f"use terrain.resolution = {finest:g}",
    )  # fmt: skip


def _gib(size: float) -> str:
    return f"{float(f'{size / 2**30:.3g}'):,g} GiB"


def _rounded_up(value: float) -> float:
    """To two digits."""
    scale = 10.0 ** (np.floor(np.log10(value)) - 1)
    return float(f"{np.ceil(value / scale) * scale:.2g}")
