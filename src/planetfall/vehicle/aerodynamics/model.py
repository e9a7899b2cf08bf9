"""What a model of aerodynamic coefficients is, and the axes in which coefficients are given.

Aerodynamic axes A: x out of the nose, y to the right, z down, at a reference point of the vehicle. `direction` is the
unit vector of the velocity relative to the air, in these axes: (1, 0, 0) flies nose first. With the dynamic pressure q
[Pa] and the reference area S [m^2]

    F = q S force        M = q S moment, about the reference point

`force` has no unit; `moment` [m] has the reference length in it. The total angle of attack is that between x and
`direction`; in the convention of aeroplanes alpha = atan2(w, u), beta = asin(v) with direction = (u, v, w).
"""

from dataclasses import dataclass
from typing import Any

import warp as wp


@wp.struct
class AeroCoefficients:
    """`force` [-] and `moment` [m] about the reference point, both in aerodynamic axes, per q S."""

    force: wp.vec3d
    moment: wp.vec3d


@dataclass(frozen=True)
class AeroModel:
    """A model of aerodynamic coefficients, as kernels are built from.

    Attributes:
        name: For messages and the kernel's cache.
        params: `@wp.struct` class with its numbers.
        coefficients: `@wp.func (params, mach, direction_A) -> AeroCoefficients`.
    """

    name: str
    params: Any
    coefficients: Any


@wp.struct
class TotalAngle:
    """Direction of flight about an axis of symmetry.

    `cosine` and `sine` of the total angle of attack (sine >= 0), and the unit vector `across`, which points from the
    axis to where the vehicle flies; zero along the axis.
    """

    cosine: wp.float64
    sine: wp.float64
    across: wp.vec3d


@wp.func
def total_angle(direction_A: wp.vec3d) -> TotalAngle:
    """The direction of flight, as a body of revolution feels it."""
    out = TotalAngle()
    out.cosine = direction_A[0]
    out.sine = wp.sqrt(direction_A[1] * direction_A[1] + direction_A[2] * direction_A[2])
    if out.sine > wp.float64(0.0):
        out.across = wp.vec3d(wp.float64(0.0), direction_A[1] / out.sine, direction_A[2] / out.sine)
    return out


@wp.func
def symmetric_coefficients(
    flow: TotalAngle, axial: wp.float64, normal: wp.float64, moment: wp.float64
) -> AeroCoefficients:
    """Coefficients of a body of revolution from C_A, C_N [-] and C_m times its length [m], restoring where negative."""
    out = AeroCoefficients()
    x_axis = wp.vec3d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0))
    out.force = x_axis * (-axial) - flow.across * normal
    out.moment = wp.cross(x_axis, flow.across) * (-moment)
    return out
