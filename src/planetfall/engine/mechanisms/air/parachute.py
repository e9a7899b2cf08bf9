"""Parachutes as a mechanism: their triggers and how they pull on the bodies that they are on.

Each has PARACHUTE_SIZE numbers in the state: what it is (in its bag, fired, stretched, let go), since when, in which
time it fills, the largest dynamic pressure so far, for arming, conditions at which it was fired, its largest load,
what flight software has commanded, and its load when it was last looked at, -1 while it does not pull.
They change between steps alone.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft, chained_draft, chained_params
from planetfall.compute.in_place import number
from planetfall.engine.mechanisms.chain import hook_of_parts
from planetfall.engine.structure.mechanism import Mechanism, PeakNumber, RecordedVariable, ResultNumber, StateSlot
from planetfall.engine.structure.work_accounts import WorkAccount
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.vehicle.parachutes import Parachute
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.vehicle.flight_triggers import NEVER, airflow, may_fire, trigger_margin, trigger_params
from planetfall.vehicle.parachute_force import (
    FIRED,
    FULL,
    PACKED,
    RELEASED,
    STRETCHED,
    ParachuteParams,
    pull_of,
)
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
        params=chained_params((ParachuteParams,) * n),
        fill=lambda scenario, start: parachutes_params(scenario),
        reads=("vehicle.parachutes",),
        n_states=PARACHUTE_SIZE * n,
        initial=lambda scenario: np.tile([*[0.0] * LOAD, -1.0], n),
        wrench=lambda slot: _of_all("wrench", _pull, n, slot),
        account=WORK_PARACHUTE,
        switches=tuple(
            (f"{verb} {name}", i * PARACHUTE_SIZE + number)
            for i, name in enumerate(names)
            for verb, number in (("deploy", IS_FIRE_COMMANDED), ("release", IS_RELEASE_COMMANDED))
        ),
        margin=lambda slot: _of_all("margin", _margin, n, slot),
        awaits=lambda slot: _of_all("awaits", _awaits, n, slot),
        after_step=lambda slot: _of_all("after_step", _after_step, n, slot),
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
def _of_all(hook: str, of_one: Callable[[int, StateSlot], Any], n: int, slot: StateSlot) -> Any:
    """A hook of n parachutes."""
    return hook_of_parts(hook, [of_one(i, slot) for i in range(n)], chained_params((ParachuteParams,) * n), slot)


@lru_cache
def _pull(i: int, slot: StateSlot) -> Any:
    """`Mechanism.wrench` of the i-th parachute."""
    vector, o = slot.vector, slot.offset + i * PARACHUTE_SIZE

    @wp.func
    def wrench(
        p: wp.ref[ParachuteParams], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ) -> Wrench:  # fmt: skip
        out = Wrench()
        status = y[wp.static(o + STATUS)]
        if p.body == b and (status == STRETCHED or status == FULL):
            since = y[wp.static(o + SINCE)]
            filling = y[wp.static(o + FILLING)]
            out = pull_of(p, state, environment, t - since, filling, status == FULL)
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
def _awaits(i: int, slot: StateSlot) -> Any:
    """`Mechanism.awaits` of the i-th parachute: until it is full and nothing lets it go."""
    vector, o = slot.vector, slot.offset + i * PARACHUTE_SIZE

    @wp.func
    def awaits(p: wp.ref[ParachuteParams], y: wp.ref[vector], b: int) -> int:
        status = y[wp.static(o + STATUS)]
        is_filling = status == FIRED or status == STRETCHED
        is_due = (status == PACKED and may_fire(p.deploys)) or (status == FULL and may_fire(p.lets_go))
        return wp.where(p.body == b and (is_filling or is_due), 1, 0)

    return awaits


@lru_cache
def _margin(i: int, slot: StateSlot) -> Any:
    """`Mechanism.margin` of the i-th parachute: to its next change, or to the full canopy."""
    vector, o, armed_at = slot.vector, slot.offset + i * PARACHUTE_SIZE, _arming(slot)

    @wp.func
    def margin(
        p: wp.ref[ParachuteParams], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ) -> wp.float64:  # fmt: skip
        out = wp.float64(NEVER)
        status = y[wp.static(o + STATUS)]
        if p.body == b and status != RELEASED:
            flow = airflow(state.velocity, environment)
            if status == PACKED:
                start = armed_at(y, p.awaited)
                if y[wp.static(o + PRESSURE_SO_FAR)] < p.deploys.arming:
                    out = (p.deploys.arming - flow.pressure) / p.deploys.arming
                else:
                    out = trigger_margin(p.deploys, t - start, state, environment, flow)
            if status == FIRED:
                out = y[wp.static(o + SINCE)] + p.delay - t
            if status >= STRETCHED:
                out = trigger_margin(p.lets_go, t - y[wp.static(o + FIRED_AT)], state, environment, flow)
            if status == STRETCHED:
                out = wp.min(out, y[wp.static(o + SINCE)] + y[wp.static(o + FILLING)] - t)
        return out

    return margin


@lru_cache
def _after_step(i: int, slot: StateSlot) -> Any:
    """`Mechanism.after_step` of the i-th parachute: fires, stretches and lets go."""
    vector, o, armed_at = slot.vector, slot.offset + i * PARACHUTE_SIZE, _arming(slot)

    @wp.func
    def after_step(
        y: wp.ref[vector], p: wp.ref[ParachuteParams], b: int, t: wp.float64, state: wp.ref[BodyState],
        environment: wp.ref[Environment],
    ):  # fmt: skip
        if p.body == b:
            flow = airflow(state.velocity, environment)
            reached = wp.max(y[wp.static(o + PRESSURE_SO_FAR)], flow.pressure)
            y[wp.static(o + PRESSURE_SO_FAR)] = reached
            is_commanded = y[wp.static(o + IS_FIRE_COMMANDED)] == wp.float64(1.0)
            if y[wp.static(o + STATUS)] == PACKED and (is_commanded or reached >= p.deploys.arming):
                start = armed_at(y, p.awaited)
                margin = trigger_margin(p.deploys, t - start, state, environment, flow)
                if is_commanded or margin <= wp.float64(0.0):
                    y[wp.static(o + STATUS)] = FIRED
                    y[wp.static(o + SINCE)] = t
                    y[wp.static(o + FIRED_AT)] = t
                    y[wp.static(o + FIRED_MACH)] = flow.mach
                    y[wp.static(o + FIRED_PRESSURE)] = flow.pressure
                    y[wp.static(o + FIRED_ALTITUDE)] = environment.altitude
            if y[wp.static(o + STATUS)] == FIRED:
                stretch = y[wp.static(o + SINCE)] + p.delay
                if t >= stretch:
                    y[wp.static(o + STATUS)] = STRETCHED
                    y[wp.static(o + SINCE)] = stretch
                    y[wp.static(o + FILLING)] = p.filling_length / wp.max(flow.speed, SLOWEST)
            status = y[wp.static(o + STATUS)]
            y[wp.static(o + LOAD)] = wp.float64(-1.0)
            if status == STRETCHED or status == FULL:
                since = y[wp.static(o + SINCE)]
                filling = y[wp.static(o + FILLING)]
                if t >= since + filling:
                    y[wp.static(o + STATUS)] = FULL
                is_full = y[wp.static(o + STATUS)] == FULL
                pull = pull_of(p, state, environment, t - since, filling, is_full)
                y[wp.static(o + LOAD)] = wp.length(pull.force)
                y[wp.static(o + PEAK_LOAD)] = wp.max(y[wp.static(o + PEAK_LOAD)], y[wp.static(o + LOAD)])
                environment.air_force += pull.force
                waited = t - y[wp.static(o + FIRED_AT)]
                margin = trigger_margin(p.lets_go, waited, state, environment, flow)
                if y[wp.static(o + IS_RELEASE_COMMANDED)] == wp.float64(1.0) or margin <= wp.float64(0.0):
                    y[wp.static(o + STATUS)] = RELEASED
                    y[wp.static(o + SINCE)] = t
            environment.canopies = N_STATUS * environment.canopies + y[wp.static(o + STATUS)]

    return after_step


@lru_cache
def _observe(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.observe`."""
    params, vector = chained_params((ParachuteParams,) * n), slot.vector
    pull = _of_all("wrench", _pull, n, slot)

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
    """The numbers of all parachutes."""
    names = [parachute.name for _, parachute in mounted(scenario)]
    return chained_draft([_params(body, parachute, names) for body, parachute in mounted(scenario)])


def _params(body: int, parachute: Parachute, names: list[str]) -> Draft:
    out = Draft(ParachuteParams)
    out.body, out.attachment_B, out.area = body, parachute.attachment, parachute.area
    out.delay, out.filling_length = parachute.delay, parachute.filling_diameters * parachute.diameter
    out.exponent, out.opening_factor = parachute.inflation_exponent, parachute.opening_factor
    out.settling, out.mach = parachute.settling, parachute.mach
    out.drag_coefficient = [parachute.drag_factor * value for value in parachute.drag_coefficient]
    out.deploys, out.lets_go = trigger_params(parachute.deploy), trigger_params(parachute.release)
    awaited = parachute.deploy.armed_after if parachute.deploy is not None else None
    out.awaited = -1 if awaited is None else names.index(awaited)
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
