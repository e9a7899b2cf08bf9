"""The load of a flight as a mechanism: the force of the air on a vehicle and on its canopies, over the mass it moves.

It is the part of the specific force that the air makes, which an accelerometer at the centre of mass senses while no
engine fires and nothing touches the ground. Aerodynamics and parachutes, which are before it in the chain, add their
forces to `Environment.air_force`. Its largest value is kept for the vehicle by which a flight is told; a canopy that
begins to fill, is full or is let go puts a kink into it, through which no parabola is laid.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.engine.mechanisms.air.flight_condition import EARTH_GRAVITY
from planetfall.engine.mechanisms.air.flight_peaks import (
    extremes_at_start,
    extremes_clock,
    extremes_jump,
    extremes_keeper,
    extremes_of,
    n_extreme_states,
    peak_numbers,
)
from planetfall.engine.mechanisms.air.tracked import END, G_LOAD, LARGEST, LEAST, Tracked, tracked_of
from planetfall.engine.structure.mechanism import Mechanism, RecordedVariable, ResultNumber, StateSlot
from planetfall.engine.structure.start import Start
from planetfall.scenario.scenario import Scenario
from planetfall.vehicle.body import BodyState
from planetfall.world.environment import Environment

MEANING = "force of the air on the vehicle and its parachutes over the mass that it moves, in Earth's standard gravity"
VARIABLES = (RecordedVariable(G_LOAD, "1", MEANING, is_of_free=True),)
KEPT = (Tracked(G_LOAD, LARGEST),)
RESULTS = (
    ResultNumber("peak_g", "1", f"largest {MEANING}"),
    ResultNumber("peak_g_s", "s", "when that was"),
)


@wp.struct
class AirLoadParams:
    """Nothing; a struct needs a member."""

    count: wp.int32


def air_load_of(scenario: Scenario) -> Mechanism:
    """Of all vehicles on which the air acts."""
    bodies = tuple(i for i, body in enumerate(scenario.vehicles) if body.aerodynamics is not None or body.parachutes)
    tracked = tuple(one for one in tracked_of(scenario) if one.variable == G_LOAD)
    return air_load(bodies, scenario.entering_body, tracked)


@lru_cache
def air_load(bodies: tuple[int, ...], told: int | None, tracked: tuple[Tracked, ...]) -> Mechanism:
    """Of some bodies; `told`: whose peaks are results of the run, with what is `tracked` for limits."""
    kept = (*KEPT, *tracked) if told is not None else ()
    seen = n_extreme_states(len(kept)) if kept else 0

    def initial(scenario: Scenario) -> np.ndarray:
        return np.append(extremes_at_start(len(kept)), [0.0, 0.0])

    return Mechanism(
        name="load of the air",
        params=AirLoadParams,
        fill=_fill,
        reads=(),
        n_states=seen + 2 if kept else 0,
        initial=initial if kept else None,
        after_step=(lambda slot: _after_step(int(told or 0), slot, kept, seen)) if kept else None,
        acts_on=(int(told),) if told is not None else (),
        variables=VARIABLES,
        observe=lambda slot: _observe(bodies, slot),
        results=(*RESULTS, *(ResultNumber(one.name, "1", _words(one)) for one in tracked)) if kept else (),
        results_of=(lambda numbers: _results(numbers, tracked)) if kept else None,
        peaks=peak_numbers(kept, 0),
    )


def _fill(scenario: Scenario, start: Start) -> Draft:
    return Draft(AirLoadParams)


@wp.func
def load_of(environment: wp.ref[Environment]) -> wp.float64:
    """Load [g] of a body in surroundings whose `air_force` is complete."""
    return wp.length(environment.air_force) / (environment.mass * EARTH_GRAVITY)


@lru_cache
def _after_step(i_body: int, slot: StateSlot, kept: tuple[Tracked, ...], seen: int) -> Any:
    """See `Mechanism.after_step`: extremes are located, but for kinks at which a step ends."""
    vector, o_attached, o_canopies = slot.vector, slot.offset + seen, slot.offset + seen + 1
    n_kept = len(kept)
    keep, note_time, begin_anew = (make(slot, n_kept) for make in (extremes_keeper, extremes_clock, extremes_jump))
    signs = wp.types.vector(length=n_kept, dtype=wp.int32)(*(-1 if one.kind == LEAST else 1 for one in kept))

    @wp.func
    def after_step(
        y: wp.ref[vector], p: wp.ref[AirLoadParams], b: int, t: wp.float64, state: wp.ref[BodyState],
        environment: wp.ref[Environment],
    ):  # fmt: skip
        if b == wp.static(i_body):
            load = load_of(environment)
            has_jumped = y[wp.static(o_attached)] != wp.float64(state.attached)
            has_jumped = has_jumped or y[wp.static(o_canopies)] != environment.canopies
            y[wp.static(o_attached)] = wp.float64(state.attached)
            y[wp.static(o_canopies)] = environment.canopies
            begin_anew(y, has_jumped)
            for i in range(wp.static(n_kept)):
                keep(y, t, i, wp.float64(signs[i]), load)
            note_time(y, t)
            begin_anew(y, has_jumped)

    return after_step


@lru_cache
def _observe(bodies: tuple[int, ...], slot: StateSlot) -> Any:
    """See `Mechanism.observe`; bodies on which no air acts get NaN."""
    n, vector = len(bodies), slot.vector
    indices = wp.types.vector(length=n, dtype=wp.int32)(*bodies)

    @wp.func
    def observe(
        p: wp.ref[AirLoadParams], y: wp.ref[vector], b: int, t: wp.float64, state: wp.ref[BodyState],
        environment: wp.ref[Environment], values: wp.array2d(dtype=wp.float64), frame: int, column: int,
    ):  # fmt: skip
        values[frame, column] = wp.float64(wp.nan)
        for i in range(wp.static(n)):
            if b == indices[i]:
                values[frame, column] = load_of(environment)

    return observe


def _words(one: Tracked) -> str:
    return {LARGEST: "largest", LEAST: "least", END: "at the end:"}[one.kind] + f" {MEANING}"


def _results(numbers: np.ndarray, tracked: tuple[Tracked, ...]) -> dict[str, np.ndarray]:
    """See `Mechanism.results_of`."""
    peaks, times, last = extremes_of(numbers, len(KEPT) + len(tracked))
    out = {"peak_g": peaks[:, 0], "peak_g_s": np.where(peaks[:, 0] > 0.0, times[:, 0], np.nan)}
    of_tracked = ((one, i) for i, one in enumerate(tracked, start=len(KEPT)))
    return out | {one.name: (last if one.kind == END else peaks)[:, i] for one, i in of_tracked}
