"""The mechanisms of an assembly as one: each hook of the first, then that of the others, head and tail.

Warp leaves a function that `wp.static` picks by a loop's index out of the kernel's hash and would go on using a stale
kernel, so that the functions call each other instead.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.mechanisms.environment import environment_of
from planetfall.engine.structure.assembly import Assembly, StepParams
from planetfall.engine.structure.mechanism import StateSlot, chained_params
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.world.environment import Environment

FAR = wp.constant(wp.float64(1.0e300))
"""A time [s] beyond any run."""


def _slot(assembly: Assembly, i: int) -> StateSlot:
    lay, account = assembly.layout, assembly.mechanisms[i].account
    return StateSlot(lay.vector, lay.mechanism_offset(i), -1 if account is None else lay.work_index(account))


def _with_hook(assembly: Assembly, hook: str, i: int) -> int:
    """Index of the first mechanism from the i-th on that has a hook; their number if none has."""
    while i < len(assembly.mechanisms) and getattr(assembly.mechanisms[i], hook) is None:
        i += 1
    return i


@lru_cache
def wrench_of_mechanisms(assembly: Assembly, i: int = 0) -> Any:
    """`@wp.func (dy, chained params, y, body, t, t_branch, state, environment) -> Wrench` of the i-th and the others.

    Their powers are added to the accounts of work in `dy`.
    """
    vector, params = assembly.layout.vector, chained_params(assembly.mechanisms[i:])
    if _with_hook(assembly, "wrench", i) == len(assembly.mechanisms):

        @wp.func
        def nothing(
            dy: wp.ref[vector], p: wp.ref[params], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
            state: wp.ref[BodyState], environment: wp.ref[Environment],
        ) -> Wrench:  # fmt: skip
            return Wrench()

        return nothing
    mechanism, rest = assembly.mechanisms[i], wrench_of_mechanisms(assembly, i + 1)
    has_own = mechanism.wrench is not None
    own_wrench: Any = mechanism.function("wrench", _slot(assembly, i)) if has_own else None
    booking = assembly.layout.work_index(mechanism.account) if mechanism.account is not None else -1
    has_power = mechanism.power is not None
    own_power: Any = mechanism.function("power", _slot(assembly, i)) if has_power else None

    @wp.func
    def wrench(
        dy: wp.ref[vector], p: wp.ref[params], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ) -> Wrench:  # fmt: skip
        out = rest(dy, p.tail, y, b, t, t_branch, state, environment)
        if wp.static(has_own):
            own = own_wrench(p.head, y, b, t, t_branch, state, environment)
            out.force += own.force
            out.torque_B += own.torque_B
            if wp.static(booking >= 0 and has_power):
                dy[booking] += own_power(p.head, y, b, t, t_branch, state, environment)
            elif wp.static(booking >= 0):
                dy[booking] += wp.dot(own.force, state.velocity) + wp.dot(own.torque_B, state.omega_B)
        return out

    return wrench


@lru_cache
def rates_of_mechanisms(assembly: Assembly, i: int = 0) -> Any:
    """`@wp.func (dy, chained params, y, body, t, t_branch, state, environment)`: fills in the rates of their states."""
    vector, params = assembly.layout.vector, chained_params(assembly.mechanisms[i:])
    is_end = _with_hook(assembly, "rates", i) == len(assembly.mechanisms)
    has_own = not is_end and assembly.mechanisms[i].rates is not None
    rest: Any = None if is_end else rates_of_mechanisms(assembly, i + 1)
    own_rates: Any = assembly.mechanisms[i].function("rates", _slot(assembly, i)) if has_own else None

    @wp.func
    def rates(
        dy: wp.ref[vector], p: wp.ref[params], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ):  # fmt: skip
        if wp.static(has_own):
            own_rates(dy, p.head, y, b, t, t_branch, state, environment)
        if wp.static(not is_end):
            rest(dy, p.tail, y, b, t, t_branch, state, environment)

    return rates


@lru_cache
def inner_rates_of_mechanisms(assembly: Assembly, i: int = 0) -> Any:
    """`@wp.func (dy, chained params, y, body, t, t_branch, turning)`: rates of what turns in a body that turns."""
    vector, params = assembly.layout.vector, chained_params(assembly.mechanisms[i:])
    is_end = _with_hook(assembly, "inner_rates", i) == len(assembly.mechanisms)
    has_own = not is_end and assembly.mechanisms[i].inner_rates is not None
    rest: Any = None if is_end else inner_rates_of_mechanisms(assembly, i + 1)
    own_rates: Any = assembly.mechanisms[i].function("inner_rates", _slot(assembly, i)) if has_own else None

    @wp.func
    def rates(
        dy: wp.ref[vector], p: wp.ref[params], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        turning: wp.vec3d,
    ):  # fmt: skip
        if wp.static(has_own):
            own_rates(dy, p.head, y, b, t, t_branch, turning)
        if wp.static(not is_end):
            rest(dy, p.tail, y, b, t, t_branch, turning)

    return rates


@lru_cache
def momentum_of_mechanisms(assembly: Assembly, i: int = 0) -> Any:
    """`@wp.func (chained params, y, body) -> angular momentum [N m s]` that parts inside a body hold, body axes."""
    vector, params = assembly.layout.vector, chained_params(assembly.mechanisms[i:])
    is_end = _with_hook(assembly, "momentum", i) == len(assembly.mechanisms)
    has_own = not is_end and assembly.mechanisms[i].momentum is not None
    rest: Any = None if is_end else momentum_of_mechanisms(assembly, i + 1)
    own_momentum: Any = assembly.mechanisms[i].function("momentum", _slot(assembly, i)) if has_own else None

    @wp.func
    def momentum(p: wp.ref[params], y: wp.ref[vector], b: int) -> wp.vec3d:
        out = wp.vec3d()
        if wp.static(has_own):
            out += own_momentum(p.head, y, b)
        if wp.static(not is_end):
            out += rest(p.tail, y, b)
        return out

    return momentum


@lru_cache
def energy_of_mechanisms(assembly: Assembly, i: int = 0) -> Any:
    """`@wp.func (chained params, y, body, energy) -> energy [J]` with that of parts that turn in a body."""
    vector, params = assembly.layout.vector, chained_params(assembly.mechanisms[i:])
    is_end = _with_hook(assembly, "energy", i) == len(assembly.mechanisms)
    has_own = not is_end and assembly.mechanisms[i].energy is not None
    rest: Any = None if is_end else energy_of_mechanisms(assembly, i + 1)
    own_energy: Any = assembly.mechanisms[i].function("energy", _slot(assembly, i)) if has_own else None

    @wp.func
    def energy(p: wp.ref[params], y: wp.ref[vector], b: int, so_far: wp.float64) -> wp.float64:
        out = so_far
        if wp.static(has_own):
            out = own_energy(p.head, y, b, out)
        if wp.static(not is_end):
            out = rest(p.tail, y, b, out)
        return out

    return energy


@lru_cache
def stop_mechanisms(assembly: Assembly, i: int = 0) -> Any:
    """`@wp.func (numbers, chained params, body)`: sets to zero what moves in a body, in a state or in its rates."""
    vector, params = assembly.layout.vector, chained_params(assembly.mechanisms[i:])
    is_end = _with_hook(assembly, "stop", i) == len(assembly.mechanisms)
    has_own = not is_end and assembly.mechanisms[i].stop is not None
    rest: Any = None if is_end else stop_mechanisms(assembly, i + 1)
    own_stop: Any = assembly.mechanisms[i].function("stop", _slot(assembly, i)) if has_own else None

    @wp.func
    def stop(numbers: wp.ref[vector], p: wp.ref[params], b: int):
        if wp.static(has_own):
            own_stop(numbers, p.head, b)
        if wp.static(not is_end):
            rest(numbers, p.tail, b)

    return stop


@lru_cache
def after_step_of_mechanisms(assembly: Assembly, i: int = 0) -> Any:
    """`@wp.func (y, chained params, body, t, state, environment)`: what they do to their states between steps."""
    vector, params = assembly.layout.vector, chained_params(assembly.mechanisms[i:])
    is_end = _with_hook(assembly, "after_step", i) == len(assembly.mechanisms)
    has_own = not is_end and assembly.mechanisms[i].after_step is not None
    rest: Any = None if is_end else after_step_of_mechanisms(assembly, i + 1)
    own_change: Any = assembly.mechanisms[i].function("after_step", _slot(assembly, i)) if has_own else None

    @wp.func
    def after_step(
        y: wp.ref[vector], p: wp.ref[params], b: int, t: wp.float64, state: wp.ref[BodyState],
        environment: wp.ref[Environment],
    ):  # fmt: skip
        if wp.static(has_own):
            own_change(y, p.head, b, t, state, environment)
        if wp.static(not is_end):
            rest(y, p.tail, b, t, state, environment)

    return after_step


@lru_cache
def after_step_of_bodies(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (y, params, t)`: what the mechanisms of this body and those after it do between steps."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    environment_at, change = environment_of(assembly, i_body), after_step_of_mechanisms(assembly)
    is_last = i_body + 1 == assembly.n_bodies
    rest: Any = None if is_last else after_step_of_bodies(assembly, i_body + 1)

    @wp.func
    def after_step(y: wp.ref[vector], p: wp.ref[params], t: wp.float64):
        state = body_state(y, wp.static(i_body))
        environment = environment_at(p, y, state)
        change(y, p.mechanisms, wp.static(i_body), t, state, environment)
        if wp.static(not is_last):
            rest(y, p, t)

    return after_step


@lru_cache
def observe_mechanisms(assembly: Assembly, i: int = 0) -> Any:
    """`@wp.func (chained params, y, body, t, state, environment, values, frame, column)`: writes their variables.

    `column` is that of the body in the numbers of the i-th; those of the next one begin after all bodies of this.
    """
    vector, params = assembly.layout.vector, chained_params(assembly.mechanisms[i:])
    is_end = _with_hook(assembly, "observe", i) == len(assembly.mechanisms)
    has_own = not is_end and assembly.mechanisms[i].observe is not None
    rest: Any = None if is_end else observe_mechanisms(assembly, i + 1)
    own_observe: Any = assembly.mechanisms[i].function("observe", _slot(assembly, i)) if has_own else None
    n_columns, n_bodies = 0 if is_end else assembly.mechanisms[i].n_columns, assembly.n_bodies

    @wp.func
    def observe(
        p: wp.ref[params], y: wp.ref[vector], b: int, t: wp.float64, state: wp.ref[BodyState],
        environment: wp.ref[Environment], values: wp.array2d(dtype=wp.float64), frame: int, first: int,
    ):  # fmt: skip
        if wp.static(has_own):
            own_observe(p.head, y, b, t, state, environment, values, frame, first + b * n_columns)
        if wp.static(not is_end):
            rest(p.tail, y, b, t, state, environment, values, frame, first + n_bodies * n_columns)

    return observe


@lru_cache
def break_of_mechanisms(assembly: Assembly, i: int = 0) -> Any:
    """`@wp.func (chained params, t) -> first instant after t [s] at which one of them has a kink`."""
    params = chained_params(assembly.mechanisms[i:])
    is_end = _with_hook(assembly, "next_break", i) == len(assembly.mechanisms)
    has_own = not is_end and assembly.mechanisms[i].next_break is not None
    rest: Any = None if is_end else break_of_mechanisms(assembly, i + 1)
    own_break: Any = assembly.mechanisms[i].function("next_break", _slot(assembly, i)) if has_own else None

    @wp.func
    def next_break(p: wp.ref[params], t: wp.float64) -> wp.float64:
        out = wp.float64(FAR)
        if wp.static(has_own):
            out = wp.min(out, own_break(p.head, t))
        if wp.static(not is_end):
            out = wp.min(out, rest(p.tail, t))
        return out

    return next_break


@lru_cache
def margin_of_mechanisms(assembly: Assembly, i: int = 0) -> Any:
    """`@wp.func (chained params, y, body, t, t_branch, state, environment) -> smallest margin` of a body."""
    vector, params = assembly.layout.vector, chained_params(assembly.mechanisms[i:])
    is_end = _with_hook(assembly, "margin", i) == len(assembly.mechanisms)
    has_own = not is_end and assembly.mechanisms[i].margin is not None
    rest: Any = None if is_end else margin_of_mechanisms(assembly, i + 1)
    own_margin: Any = assembly.mechanisms[i].function("margin", _slot(assembly, i)) if has_own else None

    @wp.func
    def margin(
        p: wp.ref[params], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ) -> wp.float64:  # fmt: skip
        out = wp.float64(FAR)
        if wp.static(has_own):
            out = wp.min(out, own_margin(p.head, y, b, t, t_branch, state, environment))
        if wp.static(not is_end):
            out = wp.min(out, rest(p.tail, y, b, t, t_branch, state, environment))
        return out

    return margin


@lru_cache
def margin_of_bodies(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (body, t, t_branch, y, params) -> margin` of the mechanisms of a body, from this one on."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    environment_at, own = environment_of(assembly, i_body), margin_of_mechanisms(assembly)
    is_last = i_body + 1 == assembly.n_bodies
    rest: Any = None if is_last else margin_of_bodies(assembly, i_body + 1)

    @wp.func
    def margin(b: int, t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params]) -> wp.float64:
        if b == wp.static(i_body):
            state = body_state(y, wp.static(i_body))
            environment = environment_at(p, y, state)
            return own(p.mechanisms, y, wp.static(i_body), t, t_branch, state, environment)
        if wp.static(not is_last):
            return rest(b, t, t_branch, y, p)
        return wp.float64(FAR)

    return margin


@lru_cache
def error_of_mechanisms(assembly: Assembly, i: int = 0) -> Any:
    """`@wp.func (y, error, step) -> largest error of their states over its scale`."""
    vector = assembly.layout.vector
    is_end = _with_hook(assembly, "error", i) == len(assembly.mechanisms)
    has_own = not is_end and assembly.mechanisms[i].error is not None
    rest: Any = None if is_end else error_of_mechanisms(assembly, i + 1)
    own_error: Any = assembly.mechanisms[i].function("error", _slot(assembly, i)) if has_own else None

    @wp.func
    def worst(y: wp.ref[vector], error: wp.ref[vector], step: StepParams) -> wp.float64:
        out = wp.float64(0.0)
        if wp.static(has_own):
            out = wp.max(out, own_error(y, error, step))
        if wp.static(not is_end):
            out = wp.max(out, rest(y, error, step))
        return out

    return worst
