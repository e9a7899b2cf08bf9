"""The state of a body together with what its rotors hold and how its arm stands."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.mechanisms.chain import all_mechanisms
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState


@lru_cache
def inner_state(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, y, body index, state) -> state` with the momentum of the body's rotors and with its arm."""
    params, vector, has_rotors = assembly.params, assembly.layout.vector, assembly.has_rotors
    has_joint, joint = assembly.has_joint(i_body), assembly.joint_offset(i_body)
    momentum_of = all_mechanisms(assembly, "momentum")

    @wp.func
    def with_inner_parts(p: wp.ref[params], y: wp.ref[vector], b: int, state: BodyState) -> BodyState:
        out = state
        if wp.static(has_joint):
            out.arm_angle = y[joint]
            out.arm_speed = y[joint + 1]
        if wp.static(has_rotors):
            out.stored_B = momentum_of(p.mechanisms, y, b)
        return out

    return with_inner_parts
