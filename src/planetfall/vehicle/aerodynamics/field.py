"""From a vehicle's table of aerodynamics to what a kernel takes."""

import numpy as np

from planetfall.compute.draft import Draft
from planetfall.errors import InputError
from planetfall.scenario.tables.vehicle.aerodynamics import (
    AerodynamicsDrag,
    AerodynamicsNewtonian,
    AerodynamicsTable,
)
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.vehicle.aerodynamics.air_force import AeroBody, TrimParams
from planetfall.vehicle.aerodynamics.coefficient_table import (
    AERO_TABLE_SIDED,
    AERO_TABLE_SYMMETRIC,
    SidedTableParams,
    SymmetricTableParams,
)
from planetfall.vehicle.aerodynamics.drag_coefficient import AERO_DRAG, DragParams
from planetfall.vehicle.aerodynamics.facets import AERO_FACETS, facets_params
from planetfall.vehicle.aerodynamics.model import AeroModel
from planetfall.vehicle.aerodynamics.pressure import PressureParams
from planetfall.vehicle.aerodynamics.sphere_cone import AERO_SPHERE_CONE, sphere_cone_params
from planetfall.vehicle.aerodynamics.table_file import read_coefficients
from planetfall.vehicle.aerodynamics.trim import coefficients_at, directions_at, trim_angle

HYPERSONIC = 20.0
"""Mach number at which the trim angle of a Newtonian body is found; it is the same at all others."""


def in_each_configuration(vehicle: Vehicle) -> tuple[Vehicle, ...]:
    """The vehicle with the aerodynamics of each of its configurations, and last with those that hold otherwise."""
    others = (vehicle.model_copy(update={"aerodynamics": found.aerodynamics}) for found in vehicle.configurations)
    return (*others, vehicle)


def aero_model(vehicle: Vehicle) -> AeroModel:
    """The model of coefficients of a vehicle that has one."""
    table = vehicle.aerodynamics
    if isinstance(table, AerodynamicsDrag):
        return AERO_DRAG
    if isinstance(table, AerodynamicsNewtonian):
        return AERO_SPHERE_CONE if table.shape == "sphere-cone" else AERO_FACETS
    assert isinstance(table, AerodynamicsTable)
    return AERO_TABLE_SYMMETRIC if read_coefficients(table.file).beta is None else AERO_TABLE_SIDED


def coefficient_params(vehicle: Vehicle) -> Draft:
    """The parameters of `aero_model(vehicle)`."""
    table = vehicle.aerodynamics
    if isinstance(table, AerodynamicsDrag):
        out = Draft(DragParams)
        out.mach, out.drag = table.mach or (0.0,), table.drag_coefficient
        return out
    if isinstance(table, AerodynamicsTable):
        return _table_params(table)
    assert isinstance(table, AerodynamicsNewtonian)
    pressure = Draft(PressureParams)
    pressure.gamma = table.heat_ratio or 0.0
    pressure.mach, pressure.coefficient = table.mach or (0.0,), table.pressure_coefficient or (1.0,)
    if table.shape == "sphere-cone":
        assert table.half_angle_deg is not None and table.nose_radius is not None
        return sphere_cone_params(np.radians(table.half_angle_deg), table.nose_radius, table.diameter / 2, pressure)
    return facets_params(_facets(vehicle), table.reference_area, pressure)


def _table_params(table: AerodynamicsTable) -> Draft:
    found = read_coefficients(table.file)
    if found.beta is None:
        out = Draft(SymmetricTableParams)
        out.length = table.lengths[1]
    else:
        out = Draft(SidedTableParams)
        out.beta, out.lengths = found.beta, table.lengths
    out.mach, out.alpha, out.entries = found.mach, found.alpha, found.entries.ravel()
    return out


def _facets(vehicle: Vehicle) -> np.ndarray:
    """Corners of a vehicle's shape [facet, 3, 3] [m], in aerodynamic axes from the reference point."""
    table, shape = vehicle.aerodynamics, vehicle.shape
    assert table is not None
    if shape is None:
        raise InputError(
            "vehicle.aerodynamics.shape", "'vehicle' takes the facets of vehicle.shape, and there is none",
            "a vehicle with a shape", "give vehicle.shape, or shape = 'sphere-cone'",
        )  # fmt: skip
    solid = shape.solid
    vertices = solid.vertices - np.asarray(shape.center_of_mass) - np.asarray(table.reference_point)
    corners = (vertices @ table.R_BA)[solid.facets]
    volume = float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])))
    return corners if volume > 0 else corners[:, ::-1]


def aero_body(vehicle: Vehicle) -> Draft:
    """What turns coefficients into forces on a vehicle."""
    table = vehicle.aerodynamics
    assert table is not None
    out = Draft(AeroBody)
    out.area, out.point_B, out.R_BA = table.reference_area, table.reference_point, table.R_BA
    out.damping = tuple(c * length**2 for c, length in zip(table.damping, table.lengths, strict=True))
    out.axial_factor, out.moment_factor = table.axial_factor, table.moment_factor
    # drag alone has no axis: one factor in all directions
    out.normal_factor = table.axial_factor if isinstance(table, AerodynamicsDrag) else table.normal_factor
    return out


def trim_params(vehicle: Vehicle) -> Draft:
    """The angle of attack that a vehicle holds, over Mach."""
    table = vehicle.aerodynamics
    assert table is not None
    out = Draft(TrimParams)
    out.lift_to_drag = table.lift_to_drag if isinstance(table, AerodynamicsDrag) else 0.0
    out.mach, out.alpha = trim_angles(vehicle)
    return out


def trim_angles(vehicle: Vehicle) -> tuple[np.ndarray, np.ndarray]:
    """Mach numbers and the total angles of attack [rad] at which a vehicle is trimmed there."""
    table = vehicle.aerodynamics
    assert table is not None
    if isinstance(table, AerodynamicsDrag) or table.attitude == "free":
        return np.zeros(1), np.zeros(1)
    if table.trim_mach:
        return np.asarray(table.trim_mach), np.radians(table.trim_angles_deg)
    if table.angle_of_attack_deg is not None:
        return np.zeros(1), np.radians([table.angle_of_attack_deg])
    mach = read_coefficients(table.file).mach if isinstance(table, AerodynamicsTable) else np.array([HYPERSONIC])
    model, params, point_A = aero_model(vehicle), coefficient_params(vehicle), table.R_BA.T @ table.reference_point
    return mach, np.abs([trim_angle(model, params, m, point_A) for m in mach])


def at_trim(vehicle: Vehicle, mach: np.ndarray, has_factors: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angle of attack [rad] that is held, drag coefficient and lift-to-drag ratio, each [n], at Mach numbers [n].

    `has_factors`: with the factors on the coefficients, which campaigns draw.
    """
    from scipy.interpolate import PchipInterpolator  # here, or every run would wait for it

    table = vehicle.aerodynamics
    assert table is not None
    known, angles = trim_angles(vehicle)
    alpha = np.full(len(mach), angles[0])
    if len(known) > 1:
        alpha = PchipInterpolator(known, angles)(np.clip(mach, known[0], known[-1]))
    force, _ = coefficients_at(aero_model(vehicle), coefficient_params(vehicle), mach, directions_at(alpha))
    if has_factors:
        body = aero_body(vehicle)
        force = force * [body.axial_factor, body.normal_factor, body.normal_factor]
    drag = -np.einsum("ij,ij->i", force, directions_at(alpha))
    lift = np.abs(force[:, 0] * np.sin(alpha) - force[:, 2] * np.cos(alpha))
    own = table.lift_to_drag if isinstance(table, AerodynamicsDrag) else 0.0
    with np.errstate(invalid="ignore", divide="ignore"):  # no drag, no ratio
        return alpha, drag, lift / drag + own
