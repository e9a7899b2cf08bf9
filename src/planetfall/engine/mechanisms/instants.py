"""The instants at which the forces of mechanisms are not smooth: those known beforehand, and those to be located."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.mechanisms.chain import after_step_of_bodies, break_of_mechanisms, margin_of_bodies
from planetfall.engine.mechanisms.descent import descent_event
from planetfall.engine.mechanisms.propulsion import engine_break, flame_out_event
from planetfall.engine.mechanisms.tether import tether_break, tether_events
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.event import LocatedEvent
from planetfall.vehicle.arms import arm_break


@lru_cache
def next_break(assembly: Assembly) -> Any:
    """`@wp.func (params, t) -> first instant after t [s] at which a mechanism's force has a kink or a jump`."""
    params, mechanisms_break = assembly.params, break_of_mechanisms(assembly)
    n_swung, n_tethers, n_engines = len(assembly.arms), assembly.n_tethers, assembly.n_engines

    @wp.func
    def first(p: wp.ref[params], t: wp.float64) -> wp.float64:
        out = mechanisms_break(p.mechanisms, t)
        for b in range(wp.static(n_swung)):
            out = wp.min(out, arm_break(p.arms, b, t))
        for i in range(wp.static(n_tethers)):
            out = wp.min(out, tether_break(p.tethers, i, t))
        for i in range(wp.static(n_engines)):
            out = wp.min(out, engine_break(p.engines, i, t))
        return out

    return first


@lru_cache
def mechanism_events(assembly: Assembly) -> tuple[LocatedEvent, ...]:
    """The events of an assembly's mechanisms, in the order in which they are put into effect at an instant."""
    engines = (flame_out_event(assembly),) if assembly.n_engines else ()
    tethers = tether_events(assembly) if assembly.n_tethers else ()
    margins = (margin_event(assembly),) if any(m.margin is not None for m in assembly.mechanisms) else ()
    descent = (descent_event(assembly),) if assembly.has_end_altitude else ()
    return (*engines, *tethers, *margins, *descent)


@lru_cache
def margin_event(assembly: Assembly) -> LocatedEvent:
    """What mechanisms do between steps, as an event of each body: its margin is used up."""
    params, vector, change = assembly.params, assembly.layout.vector, after_step_of_bodies(assembly)

    @wp.func
    def act(i: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]):
        change(y, p, t)

    return LocatedEvent("what mechanisms do between steps", assembly.n_bodies, margin_of_bodies(assembly), act)
