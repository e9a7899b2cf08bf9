"""Drag alone: a coefficient over Mach, against the direction of flight, and a fixed ratio of lift to drag in trim."""

import warp as wp

from planetfall.vehicle.aerodynamics.model import AeroCoefficients, AeroModel
from planetfall.vehicle.aerodynamics.pchip import tabled


@wp.struct
class DragParams:
    """`drag` coefficient at each `mach`; one node where it is constant."""

    mach: wp.array(dtype=wp.float64)
    drag: wp.array(dtype=wp.float64)


@wp.func
def drag_coefficients(params: wp.ref[DragParams], mach: wp.float64, direction_A: wp.vec3d) -> AeroCoefficients:
    """Coefficients of drag alone, whatever the attitude."""
    out = AeroCoefficients()
    out.force = direction_A * (-tabled(params.mach, params.drag, mach))
    return out


AERO_DRAG = AeroModel("drag", DragParams, drag_coefficients)
