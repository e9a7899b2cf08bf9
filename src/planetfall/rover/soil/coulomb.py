"""Dry friction on rigid ground: H = mu N, no resistance, no sinkage (Hacot1998). mu may vary from place to place."""

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.errors import InputError
from planetfall.rover.soil.model import Grip, SoilLaw
from planetfall.scenario.tables.rover import SoilCoulomb


@wp.struct
class CoulombParams:
    """Friction, place by place.

    `friction` [row, column]: coefficients, row to the north; the nearest node counts, beyond the map the one at its
    border; `first`: node (0, 0) [m], surface frame; `spacing` [m], east and north.
    """

    friction: wp.array2d(dtype=wp.float64)
    first: wp.vec2d
    spacing: wp.vec2d


@wp.func
def coulomb_grip(law: CoulombParams, x: wp.float64, y: wp.float64, load: wp.float64) -> Grip:
    """The tangents are the lines themselves."""
    grip = Grip()
    # clamped as numbers: far beyond the map an index would leave 32 bits
    column = wp.clamp((x - law.first[0]) / law.spacing[0], wp.float64(0.0), wp.float64(law.friction.shape[1] - 1))
    row = wp.clamp((y - law.first[1]) / law.spacing[1], wp.float64(0.0), wp.float64(law.friction.shape[0] - 1))
    i = wp.int32(wp.round(column))
    j = wp.int32(wp.round(row))
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
    friction: float | np.ndarray,
    device: str,
    first: tuple[float, float] = (0.0, 0.0),
    spacing: tuple[float, float] = (1.0, 1.0),
) -> CoulombParams:
    """Parameters for one coefficient everywhere, or for a map of them [row to the north, column to the east].

    Args:
        friction: mu [-], positive; a number or a map.
        device: Warp device.
        first: Place of node (0, 0) of the map [m], surface frame.
        spacing: Distance of the nodes [m], east and north.
    """
    values = np.atleast_2d(np.asarray(friction, dtype=np.float64))
    if values.ndim != 2 or not np.all(values > 0) or not np.all(np.isfinite(values)):
        bad = values[~(np.isfinite(values) & (values > 0))]
        shown = f"the coefficient {bad.flat[0]:g}" if bad.size else f"an array of {values.ndim} dimensions"
        raise InputError("soil.friction", shown, "a positive number, or a map of positive numbers")
    if not min(spacing) > 0:
        raise InputError("soil.spacing", f"nodes {min(spacing):g} m apart", "a positive distance")
    start_warp()
    params = CoulombParams()
    params.friction = wp.array(values, dtype=wp.float64, device=device)
    params.first, params.spacing = wp.vec2d(*first), wp.vec2d(*spacing)
    return params


def coulomb_of(table: SoilCoulomb, device: str) -> CoulombParams:
    """Parameters of a table: one coefficient, or a map of them from a file."""
    if not isinstance(table.friction, str):
        return coulomb_params(table.friction, device)
    from planetfall.world.terrain.readers.load import load_terrain_file
    from planetfall.world.terrain.readers.rasters.raster import Raster, RasterReading

    reading = RasterReading(spacing=table.spacing, height_scale=1.0)
    found = load_terrain_file(table.friction, raster=reading)
    if not isinstance(found, Raster):
        raise InputError("soil.friction", f"{table.friction} is a mesh", "a map of coefficients")
    if found.n_holes:
        raise InputError(
            "soil.friction", f"{found.n_holes} nodes of {table.friction} have no value", "a value everywhere"
        )
    return coulomb_params(found.heights, device, (found.x_first, found.y_first), (found.spacing_x, found.spacing_y))
