"""Homogeneous ellipsoid with axes along those of the body-fixed frame: exact outside and inside.

With semi-axes a_i and the largest root k of sum x_i^2/(a_i^2 + k) = 1 (0 inside), A_i = a_i^2 + k, the acceleration is
g_i = -GM x_i R_D(A_j, A_k, A_i), and the potential U = -GM/2 sum (A_i - x_i^2) R_D(A_j, A_k, A_i), with Carlson's
symmetric integral R_D of the second kind (MacMillan1930, Sections 32 to 35; Carlson1995). For a sphere R_D is 1/r^3.
"""

import warp as wp

from planetfall.world.gravity.model import GravityModel

ROOT_ROUNDS = 30
"""Newton steps for the confocal ellipsoid at most: on 1/S, which is straight for a sphere, three to six are taken."""
DOUBLINGS = 7
"""Of Carlson's duplication: each makes differences of the arguments four times smaller, and the series that is left
errs by their sixth power, below 1e-16 after seven for any axes."""


@wp.struct
class EllipsoidParams:
    """Ellipsoid about `center` [m]: `gm` [m^3/s^2], squares of its semi-axes `squares` [m^2], surface frame."""

    center: wp.vec3d
    gm: wp.float64
    squares: wp.vec3d


@wp.func
def _confocal(squares: wp.vec3d, r: wp.vec3d) -> wp.float64:
    """The largest root k [m^2] of sum x^2/(a^2 + k) = 1; 0 inside. Newton's method rises to it from below."""
    zero, one = wp.float64(0.0), wp.float64(1.0)
    x2 = wp.cw_mul(r, r)
    k = wp.max(zero, x2[0] + x2[1] + x2[2] - wp.max(squares[0], wp.max(squares[1], squares[2])))
    is_going = int(1)
    n = int(0)
    while is_going == 1:
        a, b, c = squares[0] + k, squares[1] + k, squares[2] + k
        s = x2[0] / a + x2[1] / b + x2[2] / c
        t = x2[0] / (a * a) + x2[1] / (b * b) + x2[2] / (c * c)
        step = zero
        if s > one:
            step = s * (s - one) / t
        before = k
        k = k + step
        n += 1
        if k <= before or n >= wp.static(ROOT_ROUNDS):
            is_going = int(0)
    return k


@wp.func
def _series(x: wp.float64, y: wp.float64, z: wp.float64) -> wp.float64:
    """R_D(x, y, z) of arguments that differ little (Carlson1995, Eq. 2.20)."""
    mean = (x + y + wp.float64(3.0) * z) / wp.float64(5.0)
    u, v = (mean - x) / mean, (mean - y) / mean
    w = -(u + v) / wp.float64(3.0)
    uv, ww = u * v, w * w
    e2 = uv - wp.float64(6.0) * ww
    e3 = (wp.float64(3.0) * uv - wp.float64(8.0) * ww) * w
    e4 = wp.float64(3.0) * (uv - ww) * ww
    e5 = uv * ww * w
    total = (
        wp.float64(1.0)
        - wp.float64(3.0) / wp.float64(14.0) * e2
        + e3 / wp.float64(6.0)
        + wp.float64(9.0) / wp.float64(88.0) * e2 * e2
        - wp.float64(3.0) / wp.float64(22.0) * e4
        - wp.float64(9.0) / wp.float64(52.0) * e2 * e3
        + wp.float64(3.0) / wp.float64(26.0) * e5
    )
    return total / (mean * wp.sqrt(mean))


@wp.func
def carlson_rd(arguments: wp.vec3d) -> wp.vec3d:
    """R_D(y, z, x), R_D(z, x, y), R_D(x, y, z): they share one sequence of duplications."""
    x, y, z = arguments[0], arguments[1], arguments[2]
    share = wp.float64(1.0)
    total = wp.vec3d()
    for _ in range(wp.static(DOUBLINGS)):
        p, q, r = wp.sqrt(x), wp.sqrt(y), wp.sqrt(z)
        step = p * q + q * r + r * p
        total = total + wp.vec3d(share / (p * (x + step)), share / (q * (y + step)), share / (r * (z + step)))
        share = share * wp.float64(0.25)
        x = wp.float64(0.25) * (x + step)
        y = wp.float64(0.25) * (y + step)
        z = wp.float64(0.25) * (z + step)
    left = wp.vec3d(_series(y, z, x), _series(z, x, y), _series(x, y, z))
    return wp.float64(3.0) * total + share * left


@wp.func
def _arguments(field: EllipsoidParams, r: wp.vec3d) -> wp.vec3d:
    k = _confocal(field.squares, r)
    return field.squares + wp.vec3d(k, k, k)


@wp.func
def ellipsoid_acceleration(field: EllipsoidParams, position: wp.vec3d) -> wp.vec3d:
    """Acceleration [m/s^2] at a position [m] of the surface frame."""
    r = position - field.center
    return wp.cw_mul(r, carlson_rd(_arguments(field, r))) * (-wp.float64(field.gm))


@wp.func
def ellipsoid_potential(field: EllipsoidParams, position: wp.vec3d) -> wp.float64:
    """Potential [m^2/s^2], zero at infinity."""
    r = position - field.center
    arguments = _arguments(field, r)
    parts = wp.cw_mul(arguments - wp.cw_mul(r, r), carlson_rd(arguments))
    return -wp.float64(0.5) * wp.float64(field.gm) * (parts[0] + parts[1] + parts[2])


GRAVITY_ELLIPSOID = GravityModel("ellipsoid", EllipsoidParams, ellipsoid_acceleration, ellipsoid_potential)
