"""The state of bodies inside an adaptive step, from states and slopes at its ends alone.

A cubic through velocities and accelerations, as `dopri5.hermite` takes it, is a hundred thousand times further off than
the ends of the step, and a peak of force read from it is as well. What a contact point feels hangs on positions,
directions and their rates, and of these the ends know two derivatives: a polynomial of fifth degree takes them all.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.solver.dopri5 import hermite
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.vehicle.body import turning_quaternion


@wp.func
def quintic(s: wp.float64, ends: wp.vec2d, rates: wp.vec2d, bends: wp.vec2d) -> wp.vec2d:
    """Value and slope at s of the polynomial with these values, slopes and second slopes at 0 and 1."""
    half = wp.float64(0.5)
    rise = ends[1] - ends[0] - rates[0] - half * bends[0]
    turn = rates[1] - rates[0] - bends[0]
    bend = half * (bends[1] - bends[0])
    third = wp.float64(10.0) * rise - wp.float64(4.0) * turn + bend
    fourth = wp.float64(7.0) * turn - wp.float64(15.0) * rise - wp.float64(2.0) * bend
    fifth = wp.float64(6.0) * rise - wp.float64(3.0) * turn + bend
    value = ends[0] + s * (rates[0] + s * (half * bends[0] + s * (third + s * (fourth + s * fifth))))
    slope = rates[0] + s * (
        bends[0] + s * (wp.float64(3.0) * third + s * (wp.float64(4.0) * fourth + s * wp.float64(5.0) * fifth))
    )
    return wp.vec2d(value, slope)


@lru_cache
def state_inside(assembly: Assembly) -> Any:
    """`@wp.func (s, h, y0, k0, y1, k1) -> state at the part s of a step of length h`, of states and slopes at its ends.

    Its error in positions and directions is of sixth order in the step, in their rates of fifth. Numbers of mechanisms
    are those of the cubic.
    """
    vector, normalise, n_bodies = assembly.layout.vector, assembly.layout.normalise, assembly.n_bodies
    at = hermite(vector, is_inlined=True)

    @wp.func
    def bend_of(y: wp.ref[vector], k: wp.ref[vector], o: int) -> wp.vec4d:
        """The second derivative of a body's quaternion."""
        q = wp.vec4d(y[o + 6], y[o + 7], y[o + 8], y[o + 9])
        rate = wp.vec4d(k[o + 6], k[o + 7], k[o + 8], k[o + 9])
        half = wp.float64(0.5)
        turn = wp.vec3d(y[o + 10], y[o + 11], y[o + 12]) * half
        return turning_quaternion(rate, turn) + turning_quaternion(q, wp.vec3d(k[o + 10], k[o + 11], k[o + 12]) * half)

    @wp.func(inline=False)  # called from several places
    def inside(
        s: wp.float64, h: wp.float64, y0: wp.ref[vector], k0: wp.ref[vector], y1: wp.ref[vector], k1: wp.ref[vector]
    ) -> vector:
        out = at(s, h, y0, k0, y1, k1)
        hh = h * h
        for b in range(wp.static(n_bodies)):
            o = b * BODY_SIZE
            for i in range(3):
                found = quintic(
                    s,
                    wp.vec2d(y0[o + i], y1[o + i]),
                    wp.vec2d(k0[o + i], k1[o + i]) * h,
                    wp.vec2d(k0[o + 3 + i], k1[o + 3 + i]) * hh,
                )
                out[o + i] = found[0]
                out[o + 3 + i] = found[1] / h
            bend0 = bend_of(y0, k0, o)
            bend1 = bend_of(y1, k1, o)
            q = wp.vec4d()
            rate = wp.vec4d()
            for i in range(4):
                found = quintic(
                    s,
                    wp.vec2d(y0[o + 6 + i], y1[o + 6 + i]),
                    wp.vec2d(k0[o + 6 + i], k1[o + 6 + i]) * h,
                    wp.vec2d(bend0[i], bend1[i]) * hh,
                )
                q[i] = found[0]
                rate[i] = found[1]
                out[o + 6 + i] = found[0]
            double = wp.float64(2.0) / (h * wp.dot(q, q))  # omega = 2 q* q'
            out[o + 10] = double * (q[3] * rate[0] - q[0] * rate[3] - q[1] * rate[2] + q[2] * rate[1])
            out[o + 11] = double * (q[3] * rate[1] - q[1] * rate[3] - q[2] * rate[0] + q[0] * rate[2])
            out[o + 12] = double * (q[3] * rate[2] - q[2] * rate[3] - q[0] * rate[1] + q[1] * rate[0])
        normalise(out)
        return out

    return inside
