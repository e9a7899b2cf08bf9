"""Force and moment of the air on a vehicle: free to turn, or trimmed at an angle of attack with a bank angle.

Speeds are relative to the air, which turns with the planet and drifts with the wind. Damping adds, about each
aerodynamic axis i, q S l_i^2/(2 V) C_i omega_i with the rate relative to the air.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.vehicle.aerodynamics.model import AeroCoefficients, AeroModel
from planetfall.vehicle.aerodynamics.pchip import tabled
from planetfall.vehicle.body import Wrench

STILL = wp.constant(wp.float64(1.0e-9))
"""Speed [m/s] below which air exerts no force: a direction cannot be told."""


@wp.struct
class AeroBody:
    """What turns coefficients into forces on a body.

    Reference `area` [m^2] and `point_B` [m] from the centre of mass; `R_BA` from aerodynamic to body axes; `damping`
    C_lp l^2, C_mq l^2, C_nr l^2 [m^2]; factors on axial force, on forces across the axis and on moments.
    """

    area: wp.float64
    point_B: wp.vec3d
    R_BA: wp.mat33d
    damping: wp.vec3d
    axial_factor: wp.float64
    normal_factor: wp.float64
    moment_factor: wp.float64


@wp.struct
class TrimParams:
    """The angle of attack that is held, `alpha` [rad] at each `mach`; `lift_to_drag` of drag alone, else 0."""

    mach: wp.array(dtype=wp.float64)
    alpha: wp.array(dtype=wp.float64)
    lift_to_drag: wp.float64


@wp.struct
class TrimmedLoad:
    """`force` [N], surface frame, of a trimmed vehicle, and how it points: unit vectors `nose` and `down`."""

    force: wp.vec3d
    nose: wp.vec3d
    down: wp.vec3d


@wp.func
def scaled(body: AeroBody, found: AeroCoefficients) -> AeroCoefficients:
    """Coefficients times the factors of the body."""
    out = AeroCoefficients()
    out.force = wp.vec3d(
        found.force[0] * body.axial_factor, found.force[1] * body.normal_factor, found.force[2] * body.normal_factor
    )
    out.moment = found.moment * body.moment_factor
    return out


@wp.func
def lift_direction(up: wp.vec3d, v_air: wp.vec3d, bank: wp.float64) -> wp.vec3d:
    """Unit vector of the lift at a bank angle [rad]: 0 is up, positive to the right seen from behind."""
    ahead = wp.normalize(v_air)
    n = wp.normalize(up - ahead * wp.dot(up, ahead))
    return n * wp.cos(bank) + wp.cross(ahead, n) * wp.sin(bank)


@lru_cache
def free_wrench(model: AeroModel) -> Any:
    """`@wp.func (body, model's params, density, mach, v_air_B, omega_B) -> Wrench`, force too in body components."""
    params, coefficients = model.params, model.coefficients

    @wp.func
    def wrench(
        body: wp.ref[AeroBody], p: wp.ref[params], density: wp.float64, mach: wp.float64, v_air_B: wp.vec3d,
        omega_B: wp.vec3d,
    ) -> Wrench:  # fmt: skip
        out = Wrench()
        speed = wp.length(v_air_B)
        if speed > STILL:
            R_AB = wp.transpose(body.R_BA)
            found = scaled(body, coefficients(p, mach, R_AB * v_air_B / speed))
            half = wp.float64(0.5)
            load = half * density * speed * speed * body.area
            damping = wp.cw_mul(body.damping, R_AB * omega_B) * (half * half * density * speed * body.area)
            out.force = body.R_BA * found.force * load
            out.torque_B = body.R_BA * (found.moment * load + damping) + wp.cross(body.point_B, out.force)
        return out

    return wrench


@lru_cache
def trimmed_load(model: AeroModel) -> Any:
    """`@wp.func (body, trim, model's params, density, mach, up, v_air, bank) -> TrimmedLoad`.

    A trimmed vehicle has no moment and points as its velocity does. Lift has the size of its coefficient and the
    direction of the bank angle: a blunt body, whose lift points away from its nose, flies nose down to fly lift up.
    """
    params, coefficients = model.params, model.coefficients

    @wp.func
    def load(
        body: wp.ref[AeroBody], trim: wp.ref[TrimParams], p: wp.ref[params], density: wp.float64, mach: wp.float64,
        up: wp.vec3d, v_air: wp.vec3d, bank: wp.float64,
    ) -> TrimmedLoad:  # fmt: skip
        out = TrimmedLoad()
        speed = wp.length(v_air)
        if speed > STILL:
            alpha = tabled(trim.mach, trim.alpha, mach)
            cosine = wp.cos(alpha)
            sine = wp.sin(alpha)
            direction = wp.vec3d(cosine, wp.float64(0.0), sine)
            found = scaled(body, coefficients(p, mach, direction))
            drag = -wp.dot(found.force, direction)
            lift = wp.dot(found.force, wp.vec3d(sine, wp.float64(0.0), -cosine))
            side = wp.float64(1.0)
            if lift < wp.float64(0.0):
                side = wp.float64(-1.0)
            lift = lift * side + drag * trim.lift_to_drag
            ahead = v_air / speed
            lifted = lift_direction(up, v_air, bank)
            q = wp.float64(0.5) * density * speed * speed
            out.force = (lifted * lift - ahead * drag) * (q * body.area)
            out.nose = ahead * cosine + lifted * (side * sine)
            out.down = ahead * sine - lifted * (side * cosine)
        return out

    return load
