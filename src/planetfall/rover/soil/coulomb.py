"""Dry friction on rigid ground: H = mu N, no resistance, no sinkage (Hacot1998). mu may vary from place to place."""

import numpy as np
import warp as wp

from planetfall.errors import InputError
from planetfall.rover.soil.model import Grip, SoilLaw
from planetfall.world.device import start_warp


@wp.struct
class CoulombParams:
    """Friction, place by place.

    `friction` [row, column]: coefficients, row to the north; the nearest node counts, beyond the map the one at its
    border; `x_first`, `y_first`: node (0, 0) [m], surface frame; `spacing` [m].
    """

    friction: wp.array2d(dtype=wp.float64)
    x_first: wp.float64
    y_first: wp.float64
    spacing: wp.float64


@wp.func
def coulomb_grip(law: CoulombParams, x: wp.float64, y: wp.float64, load: wp.float64) -> Grip:
    """The tangents are the lines themselves."""
    grip = Grip()
    i = wp.int32(wp.round((x - law.x_first) / law.spacing))
    j = wp.int32(wp.round((y - law.y_first) / law.spacing))
    i = wp.clamp(i, 0, law.friction.shape[1] - 1)
    j = wp.clamp(j, 0, law.friction.shape[0] - 1)
    grip.hold_per_load = law.friction[j, i]
    return grip


@wp.func
def coulomb_sinkage(law: CoulombParams, load: wp.float64) -> wp.float64:
    """Rigid ground."""
    return wp.float64(0.0)


@wp.func
def coulomb_slip(law: CoulombParams, load: wp.float64, gross: wp.float64) -> wp.float64:
    """A wheel that holds does not slip."""
    return wp.float64(0.0)


SOIL_COULOMB = SoilLaw("coulomb", CoulombParams, coulomb_grip, coulomb_sinkage, coulomb_slip, is_linear=True)


def coulomb_params(
    friction: float | np.ndarray, device: str, first: tuple[float, float] = (0.0, 0.0), spacing: float = 1.0
) -> CoulombParams:
    """Parameters for one coefficient everywhere, or for a map of them [row to the north, column to the east].

    Args:
        friction: mu [-], positive; a number or a map.
        device: Warp device.
        first: Place of node (0, 0) of the map [m], surface frame.
        spacing: Distance of the nodes [m].
    """
    values = np.atleast_2d(np.asarray(friction, dtype=np.float64))
    if values.ndim != 2 or not np.all(values > 0) or not np.all(np.isfinite(values)):
        bad = values[~(np.isfinite(values) & (values > 0))]
        shown = f"the coefficient {bad.flat[0]:g}" if bad.size else f"an array of {values.ndim} dimensions"
        raise InputError("soil.friction", shown, "a positive number, or a map of positive numbers")
    if not spacing > 0:
        raise InputError("soil.spacing", f"nodes {spacing:g} m apart", "a positive distance")
    start_warp()
    params = CoulombParams()
    params.friction = wp.array(values, dtype=wp.float64, device=device)
    (params.x_first, params.y_first), params.spacing = first, spacing
    return params
