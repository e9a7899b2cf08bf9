"""How far a vehicle still is over the height at which its descent ends, for all methods."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.event import LocatedEvent
from planetfall.world.planet import altitude

REACHED = wp.constant(wp.float64(1.0e-6))
"""How close to the height a step has to end [m]."""


@lru_cache
def height_left(assembly: Assembly) -> Any:
    """`@wp.func (y, params) -> height [m]` of the first body over `outcome.stop_altitude`."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body

    @wp.func
    def left(y: wp.ref[vector], p: wp.ref[params]) -> wp.float64:
        return altitude(p.end.planet, body_state(y, 0).position).altitude - p.end.stop_altitude

    return left


@lru_cache
def descent_event(assembly: Assembly) -> LocatedEvent:
    """The end of a descent: a step ends there; that the run does, too, is for `solver.termination` to say."""
    params, vector, left = assembly.params, assembly.layout.vector, height_left(assembly)

    @wp.func(inline=False)
    def margin(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]) -> wp.float64:
        return left(y, p)

    @wp.func
    def pass_on(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]):
        return

    return LocatedEvent("end of the descent", 1, margin, pass_on)
