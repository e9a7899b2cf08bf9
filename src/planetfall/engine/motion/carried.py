"""The rates of vehicles that are attached: those of the places on their carriers where they are fixed."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import number
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.vehicle.attachment import ATTACHMENT_SIZE, carried_acceleration
from planetfall.vehicle.body import turning_quaternion


@lru_cache
def is_attached(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (y) -> bool`: whether a body is fixed to another now."""
    vector = assembly.layout.vector
    offset = assembly.attachment_offset(i_body) if assembly.is_attachable(i_body) else 0

    @wp.func
    def attached(y: wp.ref[vector]) -> bool:
        return y[wp.static(offset)] == wp.float64(1.0)

    return attached


@lru_cache
def carried_rates(assembly: Assembly) -> Any:
    """`@wp.func (dy, y, params)`: gives attached bodies the rates that those of their carriers make."""
    params, lay, n = assembly.params, assembly.layout, sum(carrier >= 0 for carrier in assembly.carriers)
    vector, body_state = lay.vector, lay.body
    first = (
        min(assembly.attachment_offset(i) for i in range(assembly.n_bodies) if assembly.is_attachable(i)) if n else 0
    )

    @wp.func
    def carry(dy: wp.ref[vector], y: wp.ref[vector], p: wp.ref[params]):
        i = int(0)
        while i < wp.static(n):
            if number(y[wp.static(first) + i * ATTACHMENT_SIZE]) == wp.float64(1.0):
                o = p.attachments.body[i] * BODY_SIZE
                c = p.attachments.carrier[i] * BODY_SIZE
                state = body_state(y, p.attachments.carrier[i])
                own = body_state(y, p.attachments.body[i])
                turning = wp.vec3d(number(dy[c + 10]), number(dy[c + 11]), number(dy[c + 12]))
                pushed = wp.vec3d(number(dy[c + 3]), number(dy[c + 4]), number(dy[c + 5]))
                acceleration = carried_acceleration(state, pushed, turning, p.attachments.place_B[i])
                turning = wp.transpose(p.attachments.turn[i]) * turning
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
