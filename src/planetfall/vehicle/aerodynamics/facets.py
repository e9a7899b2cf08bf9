"""Modified Newtonian coefficients of a closed mesh of triangles.

A facet that faces the flow carries the pressure Cp (n.d)^2 at its centroid, one that faces away carries none; so with
areas A_i, reference area S and centroids r_i from the reference point

    force = -sum Cp (n_i.d)^2 n_i A_i/S        moment = sum r_i x (force of facet i)

Occlusion is not modelled: a facet that faces the flow behind another part of the vehicle is taken as lit.
"""

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.vehicle.aerodynamics.model import AeroCoefficients, AeroModel
from planetfall.vehicle.aerodynamics.pressure import PressureParams, pressure_coefficient


@wp.struct
class FacetsParams:
    """`normals`: outward, unit; `centers` [m] from the reference point; `shares`: areas over the reference area."""

    normals: wp.array(dtype=wp.vec3d)
    centers: wp.array(dtype=wp.vec3d)
    shares: wp.array(dtype=wp.float64)
    pressure: PressureParams


@wp.func
def facets_coefficients(mesh: wp.ref[FacetsParams], mach: wp.float64, direction_A: wp.vec3d) -> AeroCoefficients:
    """Sum over the facets that face the flow."""
    out = AeroCoefficients()
    i = int(0)
    while i < mesh.shares.shape[0]:
        facing = wp.dot(mesh.normals[i], direction_A)
        if facing > wp.float64(0.0):
            force = mesh.normals[i] * (-facing * facing * mesh.shares[i])
            out.force += force
            out.moment += wp.cross(mesh.centers[i], force)
        i += 1
    cp = pressure_coefficient(mesh.pressure, mach)
    out.force = out.force * cp
    out.moment = out.moment * cp
    return out


AERO_FACETS = AeroModel("facets", FacetsParams, facets_coefficients)


def facets_params(corners: np.ndarray, area: float, pressure: Draft) -> Draft:
    """Parameters of a closed mesh.

    Args:
        corners: Of its facets [facet, 3, 3] [m], anticlockwise seen from outside, in aerodynamic axes from the
            reference point.
        area: Reference area [m^2].
        pressure: What the forms are multiplied by.
    """
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    doubled = np.linalg.norm(across, axis=1)
    is_real = doubled > 0.0
    out = Draft(FacetsParams)
    out.normals = across[is_real] / doubled[is_real, None]
    out.centers = corners[is_real].mean(axis=1)
    out.shares = 0.5 * doubled[is_real] / area
    out.pressure = pressure
    return out
