"""The state of a body together with what its rotors hold and how its arm stands."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.mechanisms.chain import momentum_of_mechanisms
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState


@lru_cache
def inner_state(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, y, body index, state) -> state` with the momentum of the body's rotors and with its arm."""
    params, vector, has_rotors = assembly.params, assembly.layout.vector, assembly.has_rotors
    has_arm_here, arm, momentum_of = (
        assembly.has_arm(i_body),
        assembly.arm_offset(i_body),
        momentum_of_mechanisms(assembly),
    )

    @wp.func
    def with_inner_parts(p: wp.ref[params], y: wp.ref[vector], b: int, state: BodyState) -> BodyState:
        out = state
        if wp.static(has_arm_here):
            out.arm_angle = y[arm]
            out.arm_speed = y[arm + 1]
        if wp.static(has_rotors):
            out.stored_B = momentum_of(p.mechanisms, y, b)
        return out

    return with_inner_parts
