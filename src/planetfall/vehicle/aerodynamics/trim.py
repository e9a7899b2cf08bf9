"""Coefficients over arrays of Mach numbers and directions, and the angle at which a vehicle is trimmed.

A vehicle whose centre of mass is off its axis turns until the moment about that centre vanishes. Of a body of
revolution with its reference point at the nose, the centre of pressure x_cp behind it and the centre of mass at x_cm
behind it and z_cm off the axis, that is where z_cm C_A = (x_cp - x_cm) C_N.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.compute.draft import Draft
from planetfall.errors import InputError
from planetfall.vehicle.aerodynamics.model import AeroModel

N_SAMPLES = 181
"""Angles at which a sign change of the moment is looked for, between those that are asked for."""


@lru_cache
def _kernel(model: AeroModel) -> Any:
    params, coefficients = model.params, model.coefficients

    @wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
    def evaluate(
        p: params, mach: wp.array(dtype=wp.float64), direction_A: wp.array(dtype=wp.vec3d),
        force_out: wp.array(dtype=wp.vec3d), moment_out: wp.array(dtype=wp.vec3d),
    ):  # fmt: skip
        i = wp.tid()
        found = coefficients(p, mach[i], direction_A[i])
        force_out[i] = found.force
        moment_out[i] = found.moment

    return evaluate


def coefficients_at(
    model: AeroModel, params: Draft, mach: np.ndarray, direction_A: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Force [n, 3] [-] and moment [n, 3] [m] coefficients at Mach numbers [n] and directions of flight [n, 3]."""
    start_warp()
    n = len(mach)
    force, moment = (wp.zeros(n, dtype=wp.vec3d, device="cpu") for _ in range(2))
    inputs = [
        params.on_device("cpu"),
        wp.array(mach, dtype=wp.float64, device="cpu"),
        wp.array(direction_A, dtype=wp.vec3d, device="cpu"),
    ]
    wp.launch(_kernel(model), n, inputs=inputs, outputs=[force, moment], device="cpu")
    return force.numpy(), moment.numpy()


def directions_at(alpha: np.ndarray, beta: np.ndarray | float = 0.0) -> np.ndarray:
    """Directions of flight [n, 3] at angles of attack and sideslip [n] [rad], aerodynamic axes."""
    alpha, beta = np.broadcast_arrays(alpha, beta)
    return np.stack([np.cos(alpha) * np.cos(beta), np.sin(beta), np.sin(alpha) * np.cos(beta)], axis=-1)


def pitching_moment(model: AeroModel, params: Draft, mach: float, alpha: np.ndarray, point_A: np.ndarray) -> np.ndarray:
    """Moment [n] [m], per q S, about the centre of mass, nose up, at angles of attack [n] [rad].

    Args:
        model: The model of coefficients.
        params: Its parameters.
        mach: Mach number.
        alpha: Angles of attack [rad], without sideslip.
        point_A: The reference point [m] from the centre of mass, aerodynamic axes.
    """
    force, moment = coefficients_at(model, params, np.full(len(alpha), mach), directions_at(alpha))
    return (moment + np.cross(point_A, force))[:, 1]


def trim_angle(
    model: AeroModel, params: Draft, mach: float, point_A: np.ndarray, within: tuple[float, float] = (-0.7, 0.7)
) -> float:
    """The angle of attack [rad] nearest to zero at which the moment vanishes and turns the vehicle back.

    Raises:
        InputError: There is none within the limits given [rad].
    """
    angles = np.linspace(*within, N_SAMPLES)
    moments = pitching_moment(model, params, mach, angles, point_A)
    falls = np.flatnonzero((moments[:-1] > 0.0) & (moments[1:] <= 0.0))
    if not falls.size:
        low, high = np.degrees(within)
        raise InputError(
            "vehicle.aerodynamics.reference_point",
            f"at Mach {mach:g} no angle of attack between {low:.3g} and {high:.3g} deg is a stable trim",
            "a centre of mass ahead of the centre of pressure",
            "move vehicle.aerodynamics.reference_point, which is given from the centre of mass in metres of this "
            "vehicle's size; one that comes from a vehicle of another diameter is scaled with the diameter",
        )
    i = falls[np.argmin(np.abs(angles[falls]))]
    from scipy.optimize import brentq  # here, or every run would wait for it

    def moment(alpha: float) -> float:
        return float(pitching_moment(model, params, mach, np.array([alpha]), point_A)[0])

    found: Any = brentq(moment, angles[i], angles[i + 1], xtol=1e-14)
    return float(found)
