"""What mechanisms do between steps, body by body, and how far ahead the next of it is."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.body.environment import environment_of
from planetfall.engine.mechanisms.chain import FAR, all_mechanisms
from planetfall.engine.structure.assembly import Assembly


def _concerns(assembly: Assembly, hook: str, i_body: int) -> bool:
    """Whether a mechanism with a hook has something to do for a body."""
    owners = (mechanism for mechanism in assembly.mechanisms if getattr(mechanism, hook) is not None)
    return any(owner.acts_on is None or i_body in owner.acts_on for owner in owners)


@lru_cache
def after_step_of_bodies(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (y, params, t)`: what the mechanisms of this body and those after it do between steps."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    environment_at, change = environment_of(assembly, i_body), all_mechanisms(assembly, "after_step")
    is_last, is_changed = i_body + 1 == assembly.n_bodies, _concerns(assembly, "after_step", i_body)
    rest: Any = None if is_last else after_step_of_bodies(assembly, i_body + 1)

    @wp.func(inline=assembly.plan.inlining_of_bodies if i_body == 0 else None)
    def after_step(y: wp.ref[vector], p: wp.ref[params], t: wp.float64):
        if wp.static(is_changed):
            state = body_state(y, wp.static(i_body))
            environment = environment_at(p, y, state)
            change(y, p.mechanisms, wp.static(i_body), t, state, environment)
        if wp.static(not is_last):
            rest(y, p, t)

    return after_step


@lru_cache
def margin_of_bodies(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (body, t, t_branch, y, params) -> margin` of the mechanisms of a body, from this one on."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    environment_at, own = environment_of(assembly, i_body), all_mechanisms(assembly, "margin")
    is_last, is_awaited = i_body + 1 == assembly.n_bodies, _concerns(assembly, "margin", i_body)
    rest: Any = None if is_last else margin_of_bodies(assembly, i_body + 1)

    @wp.func(inline=assembly.plan.inlining_of_bodies if i_body == 0 else None)
    def margin(b: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]) -> wp.float64:
        if b == wp.static(i_body):
            if wp.static(is_awaited):
                state = body_state(y, wp.static(i_body))
                environment = environment_at(p, y, state)
                return own(p.mechanisms, y, wp.static(i_body), t, t_branch, state, environment)
            return wp.float64(FAR)
        if wp.static(not is_last):
            return rest(b, t, t_branch, y, p)
        return wp.float64(FAR)

    return margin
