"""How a rigid body turns on which no torque acts, by power series in time.

With W the angular velocity relative to inertial space and L = I W, both in body axes, q from body to surface frame and
Omega the surface frame's own rate, in its axes:

    W' = I^-1 (L x W)          q' = (q W - Omega q)/2

Both right-hand sides are products, so that each coefficient of the series is a sum over those before it.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.body.mass_properties import body_inertia
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import rotation

N_TERMS = 12
"""Order of the series."""
PIECE = wp.constant(wp.float64(2.0))
"""Longest piece [rad]: the last term of a steady turn is then (2/2)^12/12! = 2e-9."""
MAX_PIECES = wp.constant(10_000)
"""Pieces of one turn before it is given up: some thousand revolutions."""
STANDING = wp.constant(wp.float64(1.0e-300))
"""Keeps the time that nothing takes from being a quotient of zeros."""


@wp.struct
class Turned:
    """Attitude `q` and `omega_B` [rad/s] relative to the surface frame; `is_done`: 0 where the turn was given up."""

    q: wp.quatd
    omega_B: wp.vec3d
    is_done: wp.int32


@wp.func
def twelfth_power(t: wp.float64) -> wp.float64:
    """By products alone, which have the same bits everywhere."""
    cube = t * t * t
    sixth = cube * cube
    return sixth * sixth


@lru_cache
def free_turning(assembly: Assembly) -> Any:
    """`@wp.func (time [s], q, omega_B, params) -> Turned` of the first body, each piece to the method's tolerance."""
    params, has_spin, size = assembly.params, assembly.has_spin, N_TERMS + 1
    expand, length_of_piece = turning_series(assembly), piece_chooser(assembly)

    @wp.func
    def turned(time: wp.float64, q: wp.quatd, omega_B: wp.vec3d, p: wp.ref[params]) -> Turned:
        rates = wp.zeros(shape=(wp.static(size),), dtype=wp.vec3d)
        momenta = wp.zeros(shape=(wp.static(size),), dtype=wp.vec3d)
        attitudes = wp.zeros(shape=(wp.static(size),), dtype=wp.quatd)
        spin = wp.vec3d()
        if wp.static(has_spin):
            spin = p.frame.omega
        attitudes[0] = q
        rates[0] = omega_B + wp.transpose(rotation(q)) * spin
        left = wp.float64(time)
        pieces = int(0)
        while left > wp.float64(0.0) and pieces < MAX_PIECES:
            pieces += 1
            expand(rates, momenta, attitudes, spin, p)
            dt = length_of_piece(left, rates, attitudes, spin, p)
            go_on(rates, attitudes, dt)
            left = left - dt
        out = Turned()
        out.q = attitudes[0]
        out.omega_B = rates[0] - wp.transpose(rotation(attitudes[0])) * spin
        if left <= wp.float64(0.0):
            out.is_done = 1
        return out

    return turned


@lru_cache
def turning_series(assembly: Assembly) -> Any:
    """`@wp.func (rates, momenta, attitudes, spin, params)`: fills in the series of W, L and q after W's and q's firsts.

    `spin`: Omega [rad/s], surface axes.
    """
    params, (inertia_apply, inertia_solve) = assembly.params, body_inertia(assembly)

    @wp.func
    def expand(
        rates: wp.array(dtype=wp.vec3d), momenta: wp.array(dtype=wp.vec3d), attitudes: wp.array(dtype=wp.quatd),
        spin: wp.vec3d, p: wp.ref[params],
    ):  # fmt: skip
        frame = wp.quatd(spin[0], spin[1], spin[2], wp.float64(0.0))
        momenta[0] = inertia_apply(p, 0, rates[0])
        n = int(0)
        while n < wp.static(N_TERMS):
            torque = wp.vec3d()
            turn = frame * attitudes[n] * wp.float64(-1.0)
            m = int(0)
            while m <= n:
                w = rates[n - m]
                torque += wp.cross(momenta[m], w)
                turn += attitudes[m] * wp.quatd(w[0], w[1], w[2], wp.float64(0.0))
                m += 1
            share = wp.float64(1.0) / wp.float64(n + 1)
            rates[n + 1] = inertia_solve(p, 0, torque) * share
            momenta[n + 1] = inertia_apply(p, 0, rates[n + 1])
            attitudes[n + 1] = turn * (wp.float64(0.5) * share)
            n += 1

    return expand


@lru_cache
def piece_chooser(assembly: Assembly) -> Any:
    """`@wp.func (left, rates, attitudes, spin, params) -> time [s]` for which the series hold, of what is `left` [s].

    They hold where the last term of neither, over the pace of the turn, is more than the tolerance.
    """
    params = assembly.params

    @wp.func
    def length_of_piece(
        left: wp.float64, rates: wp.array(dtype=wp.vec3d), attitudes: wp.array(dtype=wp.quatd), spin: wp.vec3d,
        p: wp.ref[params],
    ) -> wp.float64:  # fmt: skip
        pace = wp.length(rates[0]) + wp.length(spin)
        last = wp.length(rates[wp.static(N_TERMS)]) / (p.step.speed / p.step.length + pace)
        last = wp.max(last, wp.length(attitudes[wp.static(N_TERMS)]))
        dt = wp.min(left, PIECE / wp.max(pace, STANDING))
        while last * twelfth_power(dt) > p.step.tolerance:
            dt = dt * wp.float64(0.5)
        return dt

    return length_of_piece


@wp.func
def go_on(rates: wp.array(dtype=wp.vec3d), attitudes: wp.array(dtype=wp.quatd), dt: wp.float64):
    """Sums the series at a time [s]: where they end is where the next ones begin."""
    w = rates[wp.static(N_TERMS)]
    q = attitudes[wp.static(N_TERMS)]
    k = int(wp.static(N_TERMS - 1))
    while k >= 0:
        w = w * dt + rates[k]
        q = q * dt + attitudes[k]
        k -= 1
    rates[0] = w
    attitudes[0] = wp.normalize(q)
