"""What a wheel-soil law is to the force balance.

A law says, for a wheel that carries the load N, how much gross traction H the ground can give, and how much rolling
resistance R it takes. The motor makes the gross traction, T + R, of which the net traction T reaches the rover. A wheel
holds while |T + R| <= H. Both are given as tangents at N, which is all that a linear program needs; a law that is not
linear is asked again at the load that came out, until it stays.
"""

from dataclasses import dataclass
from typing import Any

import warp as wp


@wp.struct
class Grip:
    """Tangents at a load: traction = `hold` + `hold_per_load` N, resistance = `drag` + `drag_per_load` N.

    `hold`, `drag` in newton, the others per newton of load.
    """

    hold: wp.float64
    hold_per_load: wp.float64
    drag: wp.float64
    drag_per_load: wp.float64


@dataclass(frozen=True)
class SoilLaw:
    """A wheel-soil law as the kernels take it.

    Attributes:
        name: Name in scenario files; also part of the kernel cache key.
        params: `@wp.struct` class that holds every number of the law.
        grip: `@wp.func (params, x [m], y [m], load [N]) -> Grip`, at a place of the surface frame.
        sinkage: `@wp.func (params, load [N]) -> depth [m]`.
        slip: `@wp.func (params, load [N], gross traction [N]) -> slip [-]` at which the ground gives that traction.
        is_linear: Whether the tangents are the same for every load.
    """

    name: str
    params: Any
    grip: Any
    sinkage: Any
    slip: Any
    is_linear: bool
