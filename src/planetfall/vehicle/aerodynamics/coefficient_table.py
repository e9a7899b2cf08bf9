"""Tables of coefficients over Mach and angles, PCHIP in one variable after the other.

Of a body of revolution C_A, C_N and C_m over Mach and the total angle of attack; of others the force coefficients
along the aerodynamic axes (C_X forward, C_Y right, C_Z down) and the moment coefficients about them (C_l, C_m, C_n)
over Mach, alpha and beta. Entries lie in one array, coefficient by coefficient, each [mach, alpha] or [mach, alpha,
beta].
"""

import warp as wp

from planetfall.vehicle.aerodynamics.model import AeroCoefficients, AeroModel, symmetric_coefficients, total_angle
from planetfall.vehicle.aerodynamics.pchip import Window, pchip, window_of, window_row


@wp.struct
class SymmetricTableParams:
    """`entries`: C_A, C_N, C_m [coefficient, mach, alpha]; `alpha` [rad]; `length` [m] of C_m."""

    mach: wp.array(dtype=wp.float64)
    alpha: wp.array(dtype=wp.float64)
    entries: wp.array(dtype=wp.float64)
    length: wp.float64


@wp.struct
class SidedTableParams:
    """`entries`: C_X, C_Y, C_Z, C_l, C_m, C_n [coefficient, mach, alpha, beta]; angles [rad].

    `lengths` [m] of the moments about the aerodynamic axes: span, chord, span.
    """

    mach: wp.array(dtype=wp.float64)
    alpha: wp.array(dtype=wp.float64)
    beta: wp.array(dtype=wp.float64)
    entries: wp.array(dtype=wp.float64)
    lengths: wp.vec3d


@wp.func
def in_plane(
    entries: wp.array(dtype=wp.float64), start: int, n_rows: int, n_columns: int, rows: Window, columns: Window
) -> wp.float64:
    """A table [row, column] that begins at `start`, at the places of two windows."""
    along_rows = wp.vec4d()
    for i in range(4):
        row = start + window_row(rows, i, n_rows) * n_columns
        along_columns = wp.vec4d()
        for j in range(4):
            along_columns[j] = entries[row + window_row(columns, j, n_columns)]
        along_rows[i] = pchip(columns, along_columns)
    return pchip(rows, along_rows)


@wp.func
def symmetric_table_coefficients(
    params: wp.ref[SymmetricTableParams], mach: wp.float64, direction_A: wp.vec3d
) -> AeroCoefficients:
    """Coefficients of a body of revolution from its table."""
    flow = total_angle(direction_A)
    n_mach = params.mach.shape[0]
    n_alpha = params.alpha.shape[0]
    machs = window_of(params.mach, mach)
    alphas = window_of(params.alpha, wp.atan2(flow.sine, flow.cosine))
    found = wp.vec3d()
    for i in range(3):
        found[i] = in_plane(params.entries, i * n_mach * n_alpha, n_mach, n_alpha, machs, alphas)
    return symmetric_coefficients(flow, found[0], found[1], found[2] * params.length)


@wp.func
def sided_table_coefficients(
    params: wp.ref[SidedTableParams], mach: wp.float64, direction_A: wp.vec3d
) -> AeroCoefficients:
    """Coefficients of a body without axial symmetry from its table."""
    n_mach = params.mach.shape[0]
    n_alpha = params.alpha.shape[0]
    n_beta = params.beta.shape[0]
    machs = window_of(params.mach, mach)
    alphas = window_of(params.alpha, wp.atan2(direction_A[2], direction_A[0]))
    betas = window_of(params.beta, wp.asin(wp.clamp(direction_A[1], wp.float64(-1.0), wp.float64(1.0))))
    out = AeroCoefficients()
    for i in range(6):
        along_mach = wp.vec4d()
        for k in range(4):
            start = (i * n_mach + window_row(machs, k, n_mach)) * n_alpha * n_beta
            along_mach[k] = in_plane(params.entries, start, n_alpha, n_beta, alphas, betas)
        value = pchip(machs, along_mach)
        if i < 3:
            out.force[i] = value
        else:
            out.moment[i - 3] = value * params.lengths[i - 3]
    return out


AERO_TABLE_SYMMETRIC = AeroModel("symmetric table", SymmetricTableParams, symmetric_table_coefficients)
AERO_TABLE_SIDED = AeroModel("table over alpha and beta", SidedTableParams, sided_table_coefficients)
