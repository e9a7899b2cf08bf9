"""How vehicles move that are attached, and their carriers with them.

An attached vehicle has the rates of the place on its carrier where it is fixed; the carrier has the mass of both.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import number
from planetfall.engine.structure.mechanism import StateSlot
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.vehicle.attachment import ATTACHMENT_SIZE, AttachmentParams, carried_acceleration
from planetfall.vehicle.body import turning_quaternion
from planetfall.vehicle.mass import MassProperties, without


@lru_cache
def carrier_now(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.carrier`, of `n` vehicles that start attached."""
    vector, first = slot.vector, slot.offset

    @wp.func
    def carrier(p: wp.ref[AttachmentParams], y: wp.ref[vector], b: int) -> int:
        out = int(-1)
        i = int(0)
        while i < wp.static(n):
            if p.body[i] == b and number(y[wp.static(first) + i * ATTACHMENT_SIZE]) == wp.float64(1.0):
                out = p.carrier[i]
            i += 1
        return out

    return carrier


@lru_cache
def carried_mass(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.carried`."""
    vector, first = slot.vector, slot.offset

    @wp.func
    def add(p: wp.ref[AttachmentParams], y: wp.ref[vector], b: int, own: MassProperties) -> MassProperties:
        out = own
        i = int(0)
        while i < wp.static(n):
            is_on = number(y[wp.static(first) + i * ATTACHMENT_SIZE]) == wp.float64(1.0)
            if is_on and p.carrier[i] == b:
                out = without(out, -p.mass[i], p.place_B[i], p.spread[i])
            i += 1
        return out

    return add


@lru_cache
def carried_rates(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.carried_rates`."""
    vector, first, body_state = slot.vector, slot.offset, slot.body

    @wp.func
    def carry(dy: wp.ref[vector], p: wp.ref[AttachmentParams], y: wp.ref[vector]):
        i = int(0)
        while i < wp.static(n):
            if number(y[wp.static(first) + i * ATTACHMENT_SIZE]) == wp.float64(1.0):
                o = p.body[i] * BODY_SIZE
                c = p.carrier[i] * BODY_SIZE
                state = body_state(y, p.carrier[i])
                own = body_state(y, p.body[i])
                turning = wp.vec3d(number(dy[c + 10]), number(dy[c + 11]), number(dy[c + 12]))
                pushed = wp.vec3d(number(dy[c + 3]), number(dy[c + 4]), number(dy[c + 5]))
                acceleration = carried_acceleration(state, pushed, turning, p.place_B[i])
                turning = wp.transpose(p.turn[i]) * turning
                q = wp.vec4d(number(y[o + 6]), number(y[o + 7]), number(y[o + 8]), number(y[o + 9]))
                q_rate = turning_quaternion(q, own.omega_B * wp.float64(0.5))
                for k in range(3):
                    dy[o + k] = own.velocity[k]
                    dy[o + 3 + k] = acceleration[k]
                    dy[o + 10 + k] = turning[k]
                for k in range(4):
                    dy[o + 6 + k] = q_rate[k]
            i += 1

    return carry
