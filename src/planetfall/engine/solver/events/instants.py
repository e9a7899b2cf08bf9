"""The instants at which the forces of mechanisms are not smooth: those known beforehand, and those to be located."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.mechanisms.chain import all_mechanisms, events_of_mechanisms
from planetfall.engine.solver.between_steps import after_step_of_bodies, margin_of_bodies
from planetfall.engine.solver.events.descent import descent_event
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.event import LocatedEvent


@lru_cache
def next_break(assembly: Assembly) -> Any:
    """`@wp.func (params, t) -> first instant after t [s] at which a mechanism's force has a kink or a jump`."""
    params, mechanisms_break = assembly.params, all_mechanisms(assembly, "next_break")

    @wp.func
    def first(p: wp.ref[params], t: wp.float64) -> wp.float64:
        return mechanisms_break(p.mechanisms, t)

    return first


@lru_cache
def mechanism_events(assembly: Assembly) -> tuple[LocatedEvent, ...]:
    """The events of an assembly's mechanisms, in the order in which they are put into effect at an instant."""
    own = events_of_mechanisms(assembly)
    margins = (margin_event(assembly),) if any(m.margin is not None for m in assembly.mechanisms) else ()
    descent = (descent_event(assembly),) if assembly.has_end_altitude else ()
    return (*own, *margins, *descent)


@lru_cache
def margin_event(assembly: Assembly) -> LocatedEvent:
    """What mechanisms do between steps, as an event of each body: its margin is used up."""
    params, vector, change = assembly.params, assembly.layout.vector, after_step_of_bodies(assembly)

    @wp.func
    def act(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]):
        change(y, p, t)

    return LocatedEvent("what mechanisms do between steps", assembly.n_bodies, margin_of_bodies(assembly), act)
