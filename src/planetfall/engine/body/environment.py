"""The surroundings of a body in a trajectory: gravity and, for its mechanisms, all of its environment."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.body.mass_properties import center_state, mass_properties
from planetfall.engine.structure.assembly import Assembly
from planetfall.vehicle.body import BodyState
from planetfall.world.environment import Environment


@lru_cache
def gravity_at(assembly: Assembly) -> Any:
    """`@wp.func (params, position_S) -> acceleration [m/s^2]`."""
    params, gravity = assembly.params, assembly.gravity.acceleration

    @wp.func(inline=assembly.plan.inlining_of_fields)
    def acceleration_at(p: wp.ref[params], position: wp.vec3d) -> wp.vec3d:
        return gravity(p.gravity, position)

    return acceleration_at


@lru_cache
def surroundings(assembly: Assembly) -> Any:
    """`@wp.func (params, position_S [m], gravity [m/s^2] there) -> Environment`."""
    params, has_air, fill_air = assembly.params, assembly.air.fill is not None, assembly.air.fill

    @wp.func
    def around(p: wp.ref[params], position: wp.vec3d, gravity: wp.vec3d) -> Environment:
        out = Environment()
        out.gravity = gravity
        out.frame_omega = p.frame.omega
        out.center = p.frame.center
        if wp.static(has_air):
            fill_air(p.air, position, out)
        return out

    return around


@lru_cache
def environment_of(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, y, state) -> Environment` of a body, for what is evaluated between steps."""
    params, vector, around = assembly.params, assembly.layout.vector, surroundings(assembly)
    gravity, center = gravity_at(assembly), center_state(assembly, i_body)
    properties_of = mass_properties(assembly, i_body)

    @wp.func
    def environment(p: wp.ref[params], y: wp.ref[vector], state: wp.ref[BodyState]) -> Environment:
        properties = properties_of(p, y, wp.static(i_body))
        middle = center(p, wp.static(i_body), state, properties)
        out = around(p, middle.position, gravity(p, middle.position))
        out.mass = properties.mass
        return out

    return environment
