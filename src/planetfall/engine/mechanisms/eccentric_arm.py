"""Energy of eccentric arms in a trajectory; `free_motion` has how a body moves whose arm swings."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.mechanisms.mass_properties import arm_of
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState
from planetfall.vehicle.mass import MassProperties


@lru_cache
def arm_energy(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, body index, state, properties, spin_B) -> (kinetic, centrifugal)` [J] that an arm adds."""
    params, arm_at = assembly.params, arm_of(assembly, i_body)

    @wp.func
    def energy(
        p: wp.ref[params], b: int, state: BodyState, properties: wp.ref[MassProperties], spin_B: wp.vec3d
    ) -> wp.vec2d:
        arm = arm_at(p, b, state, properties)
        w = state.omega_B
        s = state.arm_speed
        half = wp.float64(0.5)
        kinetic = half * wp.dot(w, arm.shift * w) + s * wp.dot(w, arm.offset) + half * arm.resistance * s * s
        return wp.vec2d(kinetic, -half * wp.dot(spin_B, arm.shift * spin_B))

    return energy
