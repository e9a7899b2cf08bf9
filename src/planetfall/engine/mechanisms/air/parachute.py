"""Parachutes as a mechanism: their triggers and how they pull on the bodies that they are on.

Each has PARACHUTE_SIZE numbers in the state: what it is (in its bag, fired, stretched, let go), since when, in which
time it fills, the largest dynamic pressure so far, for arming, conditions at which it was fired, its largest load,
what flight software has commanded, and its load when it was last looked at, -1 while it does not pull.
They change between steps alone.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.compute.in_place import number
from planetfall.engine.structure.mechanism import Mechanism, PeakNumber, RecordedVariable, ResultNumber, StateSlot
from planetfall.engine.structure.work_accounts import WorkAccount
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.vehicle.parachutes import Parachute
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.vehicle.parachute_force import (
    FIRED,
    FULL,
    PACKED,
    RELEASED,
    STRETCHED,
    ParachuteParams,
    pull_of,
)
from planetfall.vehicle.release_triggers import NEVER, airflow, may_fire, trigger_margin, trigger_params
from planetfall.world.environment import Environment

WORK_PARACHUTE = WorkAccount("work_parachute", "work of the parachutes on the vehicle", puts_in=True)
VARIABLES = (RecordedVariable("parachute_load", "N", "force of the parachutes on the vehicle"),)
STATUS, SINCE, FILLING, PRESSURE_SO_FAR, FIRED_AT, FIRED_MACH, FIRED_PRESSURE, FIRED_ALTITUDE, PEAK_LOAD = range(9)
IS_FIRE_COMMANDED, IS_RELEASE_COMMANDED, LOAD = 9, 10, 11
PARACHUTE_SIZE = 12
N_STATUS = wp.constant(wp.float64(8.0))
"""More than a parachute can be in, so that those of all canopies on a body make one number."""
SLOWEST = wp.constant(wp.float64(1.0))
"""Airspeed [m/s] below which a canopy fills no more slowly: a vehicle that hangs still would never fill it."""


RESULTS = {
    "deploy_s": ("s", "when it was fired; NaN if it was not"),
    "deploy_mach": ("1", "Mach number when it was fired"),
    "deploy_dynamic_pressure_Pa": ("Pa", "dynamic pressure when it was fired"),
    "deploy_altitude_m": ("m", "altitude when it was fired"),
    "filling_s": ("s", "from line stretch to the full canopy; NaN if its lines were not stretched"),
    "peak_load_N": ("N", "largest force, at the ends of steps; NaN if its lines were not stretched"),
    "released_s": ("s", "when it was let go; NaN if it was not"),
}
"""What is told of each parachute of a finished run, with unit and meaning."""


@wp.struct
class NoParachutes:
    """The end of the chain; a struct needs a member."""

    count: wp.int32


@lru_cache
def chained(n: int) -> Any:
    """`@wp.struct` class of n parachutes, head and tail: tables of drag have lengths of their own."""
    if n == 0:
        return NoParachutes
    rest = chained(n - 1)

    @wp.struct
    class ParachutesParams:
        head: ParachuteParams
        awaited: wp.int32  # index of the parachute after which it is armed, -1 for none
        tail: rest

    return ParachutesParams


def parachutes_of(scenario: Scenario) -> Mechanism | None:
    """The parachutes of all vehicles of a scenario; None where it has none."""
    names = tuple(parachute.name for _, parachute in mounted(scenario))
    return parachutes_mechanism(names, tuple(sorted({b for b, _ in mounted(scenario)}))) if names else None


def mounted(scenario: Scenario) -> list[tuple[int, Parachute]]:
    """Every parachute with the index of its body, in the order of the state."""
    return [(b, parachute) for b, vehicle in enumerate(scenario.vehicles) for parachute in vehicle.parachutes]


@lru_cache
def parachutes_mechanism(names: tuple[str, ...], bodies: tuple[int, ...]) -> Mechanism:
    """Parachutes with some names, in the order of the state, on some bodies."""
    n = len(names)
    return Mechanism(
        name="parachutes",
        params=chained(n),
        fill=lambda scenario, start: parachutes_params(scenario),
        reads=("vehicle.parachutes",),
        n_states=PARACHUTE_SIZE * n,
        initial=lambda scenario: np.tile([*[0.0] * LOAD, -1.0], n),
        wrench=lambda slot: _pull(n, 0, slot),
        account=WORK_PARACHUTE,
        switches=tuple(
            (f"{verb} {name}", i * PARACHUTE_SIZE + number)
            for i, name in enumerate(names)
            for verb, number in (("deploy", IS_FIRE_COMMANDED), ("release", IS_RELEASE_COMMANDED))
        ),
        margin=lambda slot: _margin(n, 0, slot),
        awaits=lambda slot: _awaits(n, 0, slot),
        after_step=lambda slot: _after_step(n, 0, slot),
        acts_on=bodies,
        variables=VARIABLES,
        observe=lambda slot: _observe(n, slot),
        results=tuple(
            ResultNumber(f"{place}.{own}", unit, meaning)
            for place in result_places(names)
            for own, (unit, meaning) in RESULTS.items()
        ),
        results_of=lambda numbers: _results(names, numbers),
        check=_check,
        peaks=tuple(PeakNumber(i * PARACHUTE_SIZE + LOAD, i * PARACHUTE_SIZE + PEAK_LOAD) for i in range(n)),
    )


def result_places(names: tuple[str, ...]) -> tuple[str, ...]:
    """Where each parachute stands in a summary: the last as `parachute`, those before it with their names."""
    return (*(f"parachute.{name}" for name in names[:-1]), "parachute")


def places_of_parachutes(scenario: Scenario) -> tuple[str, ...]:
    """Where the parachutes of a scenario stand in its summary, in the order of `mounted`."""
    names = tuple(parachute.name for _, parachute in mounted(scenario))
    return result_places(names) if names else ()


def _results(names: tuple[str, ...], numbers: np.ndarray) -> dict[str, np.ndarray]:
    """`RESULTS` of all parachutes from their numbers [run, PARACHUTE_SIZE * parachutes]."""
    out: dict[str, np.ndarray] = {}
    for i, place in enumerate(result_places(names)):
        own = numbers[:, i * PARACHUTE_SIZE : (i + 1) * PARACHUTE_SIZE]
        was_fired, was_stretched = own[:, STATUS] > PACKED, own[:, FILLING] > 0.0
        fired = dict(zip(list(RESULTS)[:4], (FIRED_AT, FIRED_MACH, FIRED_PRESSURE, FIRED_ALTITUDE), strict=True))
        out |= {f"{place}.{name}": np.where(was_fired, own[:, column], np.nan) for name, column in fired.items()}
        out[f"{place}.filling_s"] = np.where(was_stretched, own[:, FILLING], np.nan)
        out[f"{place}.peak_load_N"] = np.where(was_stretched, own[:, PEAK_LOAD], np.nan)
        out[f"{place}.released_s"] = np.where(own[:, STATUS] == RELEASED, own[:, SINCE], np.nan)
    return out


@lru_cache
def _pull(n: int, i: int, slot: StateSlot) -> Any:
    """`Mechanism.wrench` of the i-th parachute of n and those after it."""
    params, vector, o = chained(n - i), slot.vector, slot.offset + i * PARACHUTE_SIZE
    rest: Any = None if i + 1 == n else _pull(n, i + 1, slot)
    is_last = rest is None

    @wp.func
    def wrench(
        p: wp.ref[params], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ) -> Wrench:  # fmt: skip
        out = Wrench()
        status = y[wp.static(o + STATUS)]
        if p.head.body == b and (status == STRETCHED or status == FULL):
            since = y[wp.static(o + SINCE)]
            filling = y[wp.static(o + FILLING)]
            out = pull_of(p.head, state, environment, t - since, filling, status == FULL)
        if wp.static(not is_last):
            others = rest(p.tail, y, b, t, t_branch, state, environment)
            out.force += others.force
            out.torque_B += others.torque_B
        return out

    return wrench


@lru_cache
def _arming(slot: StateSlot) -> Any:
    """`@wp.func (y, awaited) -> time [s]` from which a trigger counts: 0, or when another parachute was fired."""
    vector, first = slot.vector, slot.offset

    @wp.func
    def armed_at(y: wp.ref[vector], awaited: int) -> wp.float64:
        if awaited < 0:
            return wp.float64(0.0)
        o = wp.static(first) + awaited * PARACHUTE_SIZE
        if number(y[o + STATUS]) == PACKED:
            return wp.float64(NEVER)
        return number(y[o + FIRED_AT])

    return armed_at


@lru_cache
def _awaits(n: int, i: int, slot: StateSlot) -> Any:
    """`Mechanism.awaits` of the i-th parachute of n and those after it: until one is full that nothing lets go."""
    params, vector, o = chained(n - i), slot.vector, slot.offset + i * PARACHUTE_SIZE
    rest: Any = None if i + 1 == n else _awaits(n, i + 1, slot)
    is_last = rest is None

    @wp.func
    def awaits(p: wp.ref[params], y: wp.ref[vector], b: int) -> int:
        status = y[wp.static(o + STATUS)]
        is_filling = status == FIRED or status == STRETCHED
        is_due = (status == PACKED and may_fire(p.head.deploys)) or (status == FULL and may_fire(p.head.lets_go))
        if p.head.body == b and (is_filling or is_due):
            return 1
        if wp.static(not is_last):
            return rest(p.tail, y, b)
        return 0

    return awaits


@lru_cache
def _margin(n: int, i: int, slot: StateSlot) -> Any:
    """`Mechanism.margin` of the i-th parachute of n and those after it: to its next change, or to the full canopy."""
    params, vector, o = chained(n - i), slot.vector, slot.offset + i * PARACHUTE_SIZE
    armed_at = _arming(slot)
    rest: Any = None if i + 1 == n else _margin(n, i + 1, slot)
    is_last = rest is None

    @wp.func
    def margin(
        p: wp.ref[params], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ) -> wp.float64:  # fmt: skip
        out = wp.float64(NEVER)
        status = y[wp.static(o + STATUS)]
        if p.head.body == b and status != RELEASED:
            flow = airflow(state.velocity, environment)
            if status == PACKED:
                start = armed_at(y, p.awaited)
                if y[wp.static(o + PRESSURE_SO_FAR)] < p.head.deploys.arming:
                    out = (p.head.deploys.arming - flow.pressure) / p.head.deploys.arming
                else:
                    out = trigger_margin(p.head.deploys, t - start, state, environment, flow)
            if status == FIRED:
                out = y[wp.static(o + SINCE)] + p.head.delay - t
            if status >= STRETCHED:
                out = trigger_margin(p.head.lets_go, t - y[wp.static(o + FIRED_AT)], state, environment, flow)
            if status == STRETCHED:
                out = wp.min(out, y[wp.static(o + SINCE)] + y[wp.static(o + FILLING)] - t)
        if wp.static(not is_last):
            out = wp.min(out, rest(p.tail, y, b, t, t_branch, state, environment))
        return out

    return margin


@lru_cache
def _after_step(n: int, i: int, slot: StateSlot) -> Any:
    """`Mechanism.after_step` of the i-th parachute of n and those after it: fires, stretches and lets go."""
    params, vector, o = chained(n - i), slot.vector, slot.offset + i * PARACHUTE_SIZE
    armed_at = _arming(slot)
    rest: Any = None if i + 1 == n else _after_step(n, i + 1, slot)
    is_last = rest is None

    @wp.func
    def after_step(
        y: wp.ref[vector], p: wp.ref[params], b: int, t: wp.float64, state: wp.ref[BodyState],
        environment: wp.ref[Environment],
    ):  # fmt: skip
        if p.head.body == b:
            flow = airflow(state.velocity, environment)
            reached = wp.max(y[wp.static(o + PRESSURE_SO_FAR)], flow.pressure)
            y[wp.static(o + PRESSURE_SO_FAR)] = reached
            is_commanded = y[wp.static(o + IS_FIRE_COMMANDED)] == wp.float64(1.0)
            if y[wp.static(o + STATUS)] == PACKED and (is_commanded or reached >= p.head.deploys.arming):
                start = armed_at(y, p.awaited)
                margin = trigger_margin(p.head.deploys, t - start, state, environment, flow)
                if is_commanded or margin <= wp.float64(0.0):
                    y[wp.static(o + STATUS)] = FIRED
                    y[wp.static(o + SINCE)] = t
                    y[wp.static(o + FIRED_AT)] = t
                    y[wp.static(o + FIRED_MACH)] = flow.mach
                    y[wp.static(o + FIRED_PRESSURE)] = flow.pressure
                    y[wp.static(o + FIRED_ALTITUDE)] = environment.altitude
            if y[wp.static(o + STATUS)] == FIRED:
                stretch = y[wp.static(o + SINCE)] + p.head.delay
                if t >= stretch:
                    y[wp.static(o + STATUS)] = STRETCHED
                    y[wp.static(o + SINCE)] = stretch
                    y[wp.static(o + FILLING)] = p.head.filling_length / wp.max(flow.speed, SLOWEST)
            status = y[wp.static(o + STATUS)]
            y[wp.static(o + LOAD)] = wp.float64(-1.0)
            if status == STRETCHED or status == FULL:
                since = y[wp.static(o + SINCE)]
                filling = y[wp.static(o + FILLING)]
                if t >= since + filling:
                    y[wp.static(o + STATUS)] = FULL
                is_full = y[wp.static(o + STATUS)] == FULL
                pull = pull_of(p.head, state, environment, t - since, filling, is_full)
                y[wp.static(o + LOAD)] = wp.length(pull.force)
                y[wp.static(o + PEAK_LOAD)] = wp.max(y[wp.static(o + PEAK_LOAD)], y[wp.static(o + LOAD)])
                environment.air_force += pull.force
                waited = t - y[wp.static(o + FIRED_AT)]
                margin = trigger_margin(p.head.lets_go, waited, state, environment, flow)
                if y[wp.static(o + IS_RELEASE_COMMANDED)] == wp.float64(1.0) or margin <= wp.float64(0.0):
                    y[wp.static(o + STATUS)] = RELEASED
                    y[wp.static(o + SINCE)] = t
            environment.canopies = N_STATUS * environment.canopies + y[wp.static(o + STATUS)]
        if wp.static(not is_last):
            rest(y, p.tail, b, t, state, environment)

    return after_step


@lru_cache
def _observe(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.observe`."""
    params, vector, pull = chained(n), slot.vector, _pull(n, 0, slot)

    @wp.func
    def observe(
        p: wp.ref[params], y: wp.ref[vector], b: int, t: wp.float64, state: wp.ref[BodyState],
        environment: wp.ref[Environment], values: wp.array2d(dtype=wp.float64), frame: int, column: int,
    ):  # fmt: skip
        force = pull(p, y, b, t, t, state, environment).force
        environment.air_force += force
        values[frame, column] = wp.length(force)

    return observe


def parachutes_params(scenario: Scenario) -> Draft:
    """The numbers of all parachutes, innermost first."""
    all_of_them = mounted(scenario)
    names = [parachute.name for _, parachute in all_of_them]
    nested = Draft(chained(0))
    for i, (body, parachute) in reversed(list(enumerate(all_of_them))):
        outer = Draft(chained(len(names) - i))
        outer.head, outer.tail = _params(body, parachute), nested
        awaited = parachute.deploy.armed_after if parachute.deploy is not None else None
        outer.awaited = -1 if awaited is None else names.index(awaited)
        nested = outer
    return nested


def _params(body: int, parachute: Parachute) -> Draft:
    out = Draft(ParachuteParams)
    out.body, out.attachment_B, out.area = body, parachute.attachment, parachute.area
    out.delay, out.filling_length = parachute.delay, parachute.filling_diameters * parachute.diameter
    out.exponent, out.opening_factor = parachute.inflation_exponent, parachute.opening_factor
    out.settling, out.mach = parachute.settling, parachute.mach
    out.drag_coefficient = [parachute.drag_factor * value for value in parachute.drag_coefficient]
    out.deploys, out.lets_go = trigger_params(parachute.deploy), trigger_params(parachute.release)
    return out


def _check(scenario: Scenario) -> None:
    """Refuses parachutes without air, names that are taken, and triggers that wait for what there is not."""
    names = [parachute.name for _, parachute in mounted(scenario)]
    if scenario.atmosphere.model == "none":
        raise InputError(
            "atmosphere", f"parachute {names[0]!r} needs air, and there is none",
            "an atmosphere", "add [atmosphere], or leave vehicle.parachutes out",
        )  # fmt: skip
    for i, (_, parachute) in enumerate(mounted(scenario)):
        if names.index(parachute.name) != i:
            raise InputError("vehicle.parachutes", f"{parachute.name!r} is taken", advice="give it another name")
        awaited = parachute.deploy.armed_after if parachute.deploy is not None else None
        if awaited is not None and (awaited not in names or awaited == parachute.name):
            raise InputError(
                f"vehicle.parachutes.{i}.deploy.armed_after", f"no other parachute is called {awaited!r}",
                f"one of {', '.join(names)}",
            )  # fmt: skip
