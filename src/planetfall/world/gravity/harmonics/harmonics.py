"""Spherical harmonics to any degree, fully normalised, without a pole.

U = -(GM/r) sum_n (R/r)^n sum_m A_nm(u) (C_nm r_m + S_nm i_m), with (s, t, u) the unit vector to the field point in the
field's own axes, r_m + i i_m = (s + i t)^m, and A_nm the derived Legendre functions P_nm/cos^m (Pines1973). They and
their derivatives follow from a recursion over the degree in each order (HolmesFeatherstone2002, Eqs. 11 to 13; the
order's power of the cosine is left in r_m and i_m). A column needs two numbers of memory, so a kernel can evaluate any
degree without scratch.

The series is that of the field outside the sphere that holds all mass. Inside it need not converge.
"""

import warp as wp

from planetfall.world.gravity.model import GravityModel


@wp.struct
class HarmonicsParams:
    """A harmonic field.

    `center` [m], surface frame; `R_PS`: takes surface components to the field's axes; `gm` [m^3/s^2]; `radius` R [m];
    `degree`, `order`: largest; `terms` [term]: recursion factors a, b and coefficients C, S, order by order, degree
    rising from the order; `diagonal` [order]: A_mm/A_(m-1)(m-1).
    """

    center: wp.vec3d
    R_PS: wp.mat33d
    gm: wp.float64
    radius: wp.float64
    degree: wp.int32
    order: wp.int32
    terms: wp.array(dtype=wp.vec4d)
    diagonal: wp.array(dtype=wp.float64)


@wp.struct
class HarmonicsSums:
    """Potential [m^2/s^2] and acceleration [m/s^2], surface frame."""

    potential: wp.float64
    acceleration: wp.vec3d


@wp.struct
class ColumnSums:
    """Sums over the degrees of one order: of A C and A S, of A' C and A' S, and of (n + m + 1) A C and S."""

    value: wp.vec2d
    slope: wp.vec2d
    fall: wp.vec2d


@wp.func
def column_sums(
    field: wp.ref[HarmonicsParams], m: int, first: int, top: wp.float64, u: wp.float64, q: wp.float64
) -> ColumnSums:
    """One order: degrees m to `degree`, from A_mm (R/r)^m = top; terms from index `first`."""
    out = ColumnSums()
    value = top
    slope = wp.float64(0.0)
    value_before = wp.float64(0.0)
    slope_before = wp.float64(0.0)
    n = int(m)
    while n <= field.degree:
        term = field.terms[first + n - m]
        if n > m:
            value_next = q * (term[0] * u * value - term[1] * q * value_before)
            slope_next = q * (term[0] * (value + u * slope) - term[1] * q * slope_before)
            value_before = value
            slope_before = slope
            value = value_next
            slope = slope_next
        coefficients = wp.vec2d(term[2], term[3])
        out.value += coefficients * value
        out.slope += coefficients * slope
        out.fall += coefficients * (value * wp.float64(n + m + 1))
        n += 1
    return out


@wp.func
def harmonics_sums(field: wp.ref[HarmonicsParams], position: wp.vec3d) -> HarmonicsSums:
    """Potential and acceleration together."""
    away = field.R_PS * (position - field.center)
    r = wp.length(away)
    unit = away / r
    q = wp.float64(field.radius) / r
    top = wp.float64(1.0)
    power = wp.vec2d(wp.float64(1.0), wp.float64(0.0))  # (s + i t)^m
    power_before = wp.vec2d()
    sum = wp.float64(0.0)
    pull = wp.vec3d()
    radial = wp.float64(0.0)
    first = int(0)
    m = int(0)
    while m <= field.order:
        if m > 0:
            top = top * q * field.diagonal[m]
            power_before = power
            power = wp.vec2d(
                power_before[0] * unit[0] - power_before[1] * unit[1],
                power_before[0] * unit[1] + power_before[1] * unit[0],
            )
        column = column_sums(field, m, first, top, unit[2], q)
        slope = wp.dot(column.slope, power)
        sum += wp.dot(column.value, power)
        radial -= wp.dot(column.fall, power) + unit[2] * slope
        pull += wp.vec3d(
            wp.float64(m) * wp.dot(column.value, power_before),
            wp.float64(m) * (column.value[1] * power_before[0] - column.value[0] * power_before[1]),
            slope,
        )
        first += field.degree - m + 1
        m += 1
    out = HarmonicsSums()
    gm = wp.float64(field.gm)
    out.potential = -gm / r * sum
    out.acceleration = wp.transpose(field.R_PS) * ((pull + unit * radial) * (gm / (r * r)))
    return out


@wp.func
def harmonics_acceleration(field: wp.ref[HarmonicsParams], position: wp.vec3d) -> wp.vec3d:
    """Acceleration [m/s^2] at a position [m] of the surface frame."""
    return harmonics_sums(field, position).acceleration


@wp.func
def harmonics_potential(field: wp.ref[HarmonicsParams], position: wp.vec3d) -> wp.float64:
    """Potential [m^2/s^2], zero at infinity."""
    return harmonics_sums(field, position).potential


GRAVITY_HARMONICS = GravityModel("harmonics", HarmonicsParams, harmonics_acceleration, harmonics_potential)
