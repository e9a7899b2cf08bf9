"""The air on one body as a mechanism: forces and moments, heating and its load, bank angle, and peaks of loads.

With `attitude = "free"` moments turn the body; with `"trim"` it is a point mass that points as it is trimmed: its
attitude is set between steps, its angular velocity stays zero. The velocity relative to the air is that of the centre
of mass less the wind; work is booked with the velocity relative to the turning planet.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.engine.mechanisms.air.aero_checks import check_aerodynamics
from planetfall.engine.mechanisms.air.bank_response import (
    bank_acceleration,
    commanded_bank,
    next_command,
)
from planetfall.engine.mechanisms.air.flight_condition import (
    AeroFunctions,
    aero_numbers,
    aero_params,
    in_present_configuration,
)
from planetfall.engine.mechanisms.air.flight_peaks import (
    extremes_at_start,
    extremes_clock,
    extremes_jump,
    extremes_keeper,
    extremes_of,
    n_extreme_states,
    peak_numbers,
)
from planetfall.engine.mechanisms.air.tracked import END, G_LOAD, LARGEST, LEAST, TRACKABLE, Tracked, tracked_of
from planetfall.engine.structure.mechanism import Mechanism, RecordedVariable, ResultNumber, StateSlot
from planetfall.engine.structure.run_params import StepParams
from planetfall.engine.structure.start import Start
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.engine.structure.work_accounts import WorkAccount
from planetfall.flight.commands import Commands
from planetfall.scenario.configurations import Condition, condition_of
from planetfall.scenario.scenario import Scenario
from planetfall.vehicle.aerodynamics.field import (
    aero_model,
    in_each_configuration,
)
from planetfall.vehicle.aerodynamics.heating import stagnation_heating
from planetfall.vehicle.aerodynamics.model import AeroModel
from planetfall.vehicle.body import BodyState, Wrench
from planetfall.world.environment import Environment

WORK_AERO = WorkAccount("work_aero", "work of the air on the vehicle", puts_in=True)
HEAT_LOAD, BANK, BANK_RATE, BANK_COMMAND = 0, 1, 2, 3
"""Places in the state: heat load [J/m^2], -1 where no nose radius is given; bank [rad], its rate, and what flight
software commands of it, where some does. Extremes follow, from `peaks_at` on.

The bank angle at the start is a parameter, which runs of a campaign may have each its own: it is set at time zero.
"""
UNSET = wp.constant(wp.float64(1.0e6))
"""A bank angle [rad] that nobody commands: the command at the start is that of the start, until another comes."""
HEAT_SCALE = wp.constant(wp.float64(1.0e4))
"""Heat load [J/m^2] against which its error is measured beside its own size: a hundredth of what an entry brings."""
ENTRY_LOAD = "entry_load"
SAMPLED = (ENTRY_LOAD, *(name for name in TRACKABLE if name != G_LOAD))
"""What is sampled here, in order: the load without that of parachutes, and all of `TRACKABLE` but the load with it."""
Samples = wp.types.vector(length=len(SAMPLED), dtype=wp.float64)
"""A number for each of them."""
VARIABLES = (
    RecordedVariable("altitude", "m", "height over the target's ellipsoid"),
    RecordedVariable("air_density", "kg/m^3", "density of the air"),
    RecordedVariable("mach", "1", "Mach number, relative to the air"),
    RecordedVariable("dynamic_pressure", "Pa", "dynamic pressure, relative to the air"),
    RecordedVariable("heating", "W/m^2", "convective heating of the stagnation point, cold wall", is_of_free=True),
    RecordedVariable("heat_load", "J/m^2", "heating, summed up over time"),
    RecordedVariable("bank", "rad", "bank angle, 0 is lift up, positive to the right", is_of_free=True),
    RecordedVariable("bank_rate", "rad/s", "rate of the bank angle", is_of_free=True),
    RecordedVariable("aero_force", "N", "force of the air on the vehicle", "S", 3, is_of_free=True),
    RecordedVariable("aero_torque", "N m", "moment of the air about the centre of mass", "B", 3, is_of_free=True),
)
KEPT = (Tracked(ENTRY_LOAD, LARGEST), Tracked("heating", LARGEST), Tracked("dynamic_pressure", LARGEST))
"""Peaks that every flight keeps."""
RESULTS = (
    ResultNumber(
        "peak_entry_g",
        "1",
        "largest force of the air on the vehicle without its parachutes over mass, in Earth's standard gravity",
    ),
    ResultNumber("peak_entry_g_s", "s", "when that was"),
    ResultNumber(
        "peak_heating_W_m2", "W/m^2", "largest convective heating of the stagnation point; NaN without a nose radius"
    ),
    ResultNumber("peak_heating_s", "s", "when that was; NaN without a nose radius"),
    ResultNumber("heat_load_J_m2", "J/m^2", "heating, summed up over the run; NaN without a nose radius"),
    ResultNumber("peak_dynamic_pressure_Pa", "Pa", "largest dynamic pressure"),
    ResultNumber("peak_dynamic_pressure_s", "s", "when that was"),
)
"""Of the first vehicle, by which a run is judged."""
N_COLUMNS = sum(variable.size for variable in VARIABLES)


def aerodynamics_of(scenario: Scenario) -> tuple[Mechanism, ...]:
    """The aerodynamics of each vehicle that has some."""
    told = scenario.entering_body
    return tuple(
        aerodynamics(
            tuple(aero_model(found) for found in in_each_configuration(vehicle)),
            tuple(condition_of(scenario, found) for found in vehicle.configurations),
            vehicle.aerodynamics.attitude == "trim",
            i,
            tuple(one for one in tracked_of(scenario) if one.variable != G_LOAD) if i == told else (),
            i == told,
            i == told and scenario.is_bank_commanded,
        )
        for i, vehicle in enumerate(scenario.vehicles)
        if vehicle.aerodynamics is not None
    )


def peaks_at(is_commanded: bool) -> int:
    """Where the extremes begin in the state."""
    return BANK_COMMAND + int(is_commanded)


@lru_cache
def aerodynamics(
    models: tuple[AeroModel, ...], conditions: tuple[Condition, ...], is_trimmed: bool, i_body: int,
    tracked: tuple[Tracked, ...] = (), is_told: bool = False, is_commanded: bool = False,
) -> Mechanism:  # fmt: skip
    """The aerodynamics of the body with an index, by models of its coefficients.

    Each model but the last holds under the condition of its place, the last otherwise. `tracked`: what limits are on;
    `is_told`: whether its loads are results of the run; `is_commanded`: whether flight software commands its bank
    angle.
    """
    functions, is_followed = in_present_configuration(models, conditions, is_trimmed), is_told or is_trimmed
    params = aero_params(functions.params)
    kept = (*KEPT, *tracked) if is_followed else ()
    peaks = peaks_at(is_commanded)
    seen = peaks + (n_extreme_states(len(kept)) if is_followed else 0)  # place of what was attached, as last seen
    looks = is_followed and bool(conditions)
    n_states = seen + (1 if looks else 0)

    def fill(scenario: Scenario, start: Start) -> Draft:
        return aero_numbers(params, scenario, scenario.vehicles[i_body])

    def initial(scenario: Scenario) -> np.ndarray:
        tables = [found.aerodynamics for found in in_each_configuration(scenario.vehicles[i_body])]
        out = np.zeros(n_states)
        out[HEAT_LOAD] = -1.0 if all(table is None or table.nose_radius is None for table in tables) else 0.0
        if is_commanded:
            out[BANK_COMMAND] = float(UNSET)
        if is_followed:
            out[peaks:seen] = extremes_at_start(len(kept))
        return out

    def check(scenario: Scenario) -> None:
        check_aerodynamics(scenario, i_body)

    return Mechanism(
        name=f"aerodynamics of body {i_body}",
        params=params,
        fill=fill,
        reads=("vehicle.aerodynamics", "vehicle.configurations", "vehicle.shape", "target.name"),
        n_states=n_states,
        initial=initial,
        rates=lambda slot: aero_rates(functions, is_trimmed, i_body, slot, n_states, is_commanded),
        wrench=lambda slot: aero_wrench(functions, i_body, slot),
        account=WORK_AERO,
        held_body=i_body if is_trimmed else None,
        next_break=(lambda slot: bank_break(functions)) if is_trimmed else None,
        after_step=(
            lambda slot: aero_after_step(functions, is_trimmed, i_body, slot, kept, is_commanded, seen if looks else -1)
        )
        if is_followed
        else None,
        acts_on=(i_body,),
        error=lambda slot: aero_error(functions, slot),
        variables=VARIABLES,
        observe=lambda slot: aero_observe(functions, i_body, slot),
        results=(*RESULTS, *map(tracked_result, tracked)) if is_told else (),
        results_of=(lambda numbers: aero_results(numbers, tracked, peaks)) if is_told else None,
        check=check,
        obey=(lambda slot: bank_obey(functions, slot)) if is_commanded else None,
        peaks=peak_numbers(kept, peaks),
    )


@lru_cache
def aero_wrench(functions: AeroFunctions, i_body: int, slot: StateSlot) -> Any:
    """See `Mechanism.wrench`."""
    params, condition, vector, offset = aero_params(functions.params), functions.condition, slot.vector, slot.offset

    @wp.func
    def wrench(
        p: wp.ref[params], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ) -> Wrench:  # fmt: skip
        out = Wrench()
        if b == wp.static(i_body):
            found = condition(p.air, y[wp.static(offset + BANK)], state, environment)
            out.force = found.force
            out.torque_B = found.torque_B
        return out

    return wrench


@lru_cache
def aero_rates(
    functions: AeroFunctions, is_trimmed: bool, i_body: int, slot: StateSlot, n_states: int, is_commanded: bool
) -> Any:
    """See `Mechanism.rates`: heating, and the bank angle that follows its command."""
    params, nose_of, vector, offset = aero_params(functions.params), functions.nose, slot.vector, slot.offset

    @wp.func
    def rates(
        dy: wp.ref[vector], p: wp.ref[params], y: wp.ref[vector], b: int, t: wp.float64, t_branch: wp.float64,
        state: wp.ref[BodyState], environment: wp.ref[Environment],
    ):  # fmt: skip
        if b == wp.static(i_body):
            for i in range(wp.static(n_states)):
                dy[wp.static(offset) + i] = wp.float64(0.0)
            nose = nose_of(p.air, state)
            if nose[0] > wp.float64(0.0):
                speed = wp.length(state.velocity - environment.wind)
                heating = stagnation_heating(nose[1], nose[0], environment.density, speed)
                dy[wp.static(offset + HEAT_LOAD)] = heating
            if wp.static(is_trimmed):
                bank = y[wp.static(offset + BANK)]
                rate = y[wp.static(offset + BANK_RATE)]
                dy[wp.static(offset + BANK)] = rate
                if wp.static(is_commanded):
                    command = y[wp.static(offset + BANK_COMMAND)]
                    dy[wp.static(offset + BANK_RATE)] = bank_acceleration(p.bank, command, bank, rate)
                else:
                    dy[wp.static(offset + BANK_RATE)] = bank_acceleration(
                        p.bank, commanded_bank(p.bank, t_branch), bank, rate
                    )

    return rates


@lru_cache
def bank_break(functions: AeroFunctions) -> Any:
    """See `Mechanism.next_break`: the next command of a bank plan."""
    params = aero_params(functions.params)

    @wp.func
    def next_break(p: wp.ref[params], t: wp.float64) -> wp.float64:
        return next_command(p.bank, t)

    return next_break


@lru_cache
def bank_obey(functions: AeroFunctions, slot: StateSlot) -> Any:
    """See `Mechanism.obey`: the bank angle that flight software commands, once it has commanded one."""
    params, vector, offset = aero_params(functions.params), slot.vector, slot.offset

    @wp.func
    def obey(y: wp.ref[vector], p: wp.ref[params], t: wp.float64, commands: Commands, run: int):
        if wp.isfinite(commands.bank[run]):
            y[wp.static(offset + BANK_COMMAND)] = commands.bank[run]

    return obey


@lru_cache
def aero_after_step(
    functions: AeroFunctions, is_trimmed: bool, i_body: int, slot: StateSlot, kept: tuple[Tracked, ...],
    is_commanded: bool, seen: int,
) -> Any:  # fmt: skip
    """See `Mechanism.after_step`: extremes are located; a trimmed body is turned the way it points.

    `seen`: place in the state of what was attached at the last sample, -1 where the coefficients do not depend on it.
    """
    params, condition, vector, offset = aero_params(functions.params), functions.condition, slot.vector, slot.offset
    axes = functions.axes
    n_kept, o_body, extremes = len(kept), BODY_SIZE * i_body, StateSlot(vector, offset + peaks_at(is_commanded))
    keep, note_time = extremes_keeper(extremes, n_kept), extremes_clock(extremes, n_kept)
    begin_anew = extremes_jump(extremes, n_kept)
    indices = wp.types.vector(length=n_kept, dtype=wp.int32)
    columns = indices(*(SAMPLED.index(one.variable) for one in kept))
    signs = indices(*(-1 if one.kind == LEAST else 1 for one in kept))

    @wp.func
    def after_step(
        y: wp.ref[vector], p: wp.ref[params], b: int, t: wp.float64, state: wp.ref[BodyState],
        environment: wp.ref[Environment],
    ):  # fmt: skip
        if b == wp.static(i_body):
            if wp.static(is_trimmed):
                if t <= wp.float64(0.0):
                    y[wp.static(offset + BANK)] = p.bank.angles[0]
                    if wp.static(is_commanded):
                        if y[wp.static(offset + BANK_COMMAND)] == UNSET:
                            y[wp.static(offset + BANK_COMMAND)] = p.bank.angles[0]
            found = condition(p.air, y[wp.static(offset + BANK)], state, environment)
            samples = Samples()
            environment.air_force += found.force
            samples[0] = found.g_load
            samples[1] = environment.altitude
            samples[2] = environment.density
            samples[3] = found.mach
            samples[4] = found.q
            samples[5] = found.heating
            samples[6] = y[wp.static(offset + HEAT_LOAD)]
            samples[7] = y[wp.static(offset + BANK)]
            samples[8] = wp.length(state.velocity)
            has_jumped = bool(False)
            if wp.static(seen >= 0):
                has_jumped = y[wp.static(offset + seen)] != wp.float64(state.attached)
                y[wp.static(offset + seen)] = wp.float64(state.attached)
                begin_anew(y, has_jumped)
            for i in range(wp.static(n_kept)):
                keep(y, t, i, wp.float64(signs[i]), samples[columns[i]])
            note_time(y, t)
            if wp.static(seen >= 0):
                begin_anew(y, has_jumped)
            if wp.static(is_trimmed):
                right = wp.cross(found.down, found.nose)
                R_SA = wp.matrix_from_cols(found.nose, right, found.down)
                q = wp.quat_from_matrix(R_SA * wp.transpose(axes(p.air, state)))
                if wp.length_sq(found.nose) > wp.float64(0.0):
                    for i in range(4):
                        y[wp.static(o_body + 6) + i] = q[i]
                for i in range(3):
                    y[wp.static(o_body + 10) + i] = wp.float64(0.0)

    return after_step


@lru_cache
def aero_error(functions: AeroFunctions, slot: StateSlot) -> Any:
    """See `Mechanism.error`: of heat load and bank angle."""
    params, vector, offset = aero_params(functions.params), slot.vector, slot.offset

    @wp.func
    def worst(p: wp.ref[params], y: wp.ref[vector], error: wp.ref[vector], step: StepParams) -> wp.float64:
        heat = wp.abs(error[wp.static(offset + HEAT_LOAD)]) / (HEAT_SCALE + wp.abs(y[wp.static(offset + HEAT_LOAD)]))
        return wp.max(heat, wp.abs(error[wp.static(offset + BANK)]))

    return worst


@lru_cache
def aero_observe(functions: AeroFunctions, i_body: int, slot: StateSlot) -> Any:
    """See `Mechanism.observe`; bodies that are not its own get NaN."""
    params, condition, vector, offset = aero_params(functions.params), functions.condition, slot.vector, slot.offset
    nose_of = functions.nose

    @wp.func
    def observe(
        p: wp.ref[params], y: wp.ref[vector], b: int, t: wp.float64, state: wp.ref[BodyState],
        environment: wp.ref[Environment], values: wp.array2d(dtype=wp.float64), frame: int, column: int,
    ):  # fmt: skip
        if b == wp.static(i_body):
            found = condition(p.air, y[wp.static(offset + BANK)], state, environment)
            values[frame, column] = environment.altitude
            values[frame, column + 1] = environment.density
            values[frame, column + 2] = found.mach
            values[frame, column + 3] = found.q
            environment.air_force += found.force
            values[frame, column + 4] = found.heating
            values[frame, column + 5] = y[wp.static(offset + HEAT_LOAD)]
            if nose_of(p.air, state)[0] <= wp.float64(0.0):
                values[frame, column + 4] = wp.float64(wp.nan)
            if y[wp.static(offset + HEAT_LOAD)] < wp.float64(0.0):
                values[frame, column + 5] = wp.float64(wp.nan)
            values[frame, column + 6] = y[wp.static(offset + BANK)]
            values[frame, column + 7] = y[wp.static(offset + BANK_RATE)]
            for i in range(3):
                values[frame, column + 8 + i] = found.force[i]
                values[frame, column + 11 + i] = found.torque_B[i]
        else:
            for i in range(wp.static(N_COLUMNS)):
                values[frame, column + i] = wp.float64(wp.nan)

    return observe


def tracked_result(tracked: Tracked) -> ResultNumber:
    """A number that is kept because a limit is on it."""
    known = {variable.name: (variable.unit, variable.meaning) for variable in VARIABLES}
    unit, meaning = known.get(tracked.variable, ("m/s", "speed relative to the turning planet"))
    words = {LARGEST: "largest value of", LEAST: "least value of", END: "at the end:"}
    return ResultNumber(tracked.name, unit, f"{words[tracked.kind]} {meaning}")


def aero_results(
    numbers: np.ndarray, tracked: tuple[Tracked, ...] = (), first: int = BANK_COMMAND
) -> dict[str, np.ndarray]:
    """See `Mechanism.results_of`."""
    peaks, times, last = extremes_of(numbers[:, first:], len(KEPT) + len(tracked))
    when = np.where(peaks > 0.0, times, np.nan)
    is_heated = numbers[:, HEAT_LOAD] >= 0.0
    out = {
        "peak_entry_g": peaks[:, 0], "peak_entry_g_s": when[:, 0],
        "peak_heating_W_m2": np.where(is_heated, peaks[:, 1], np.nan), "peak_heating_s": when[:, 1],
        "heat_load_J_m2": np.where(is_heated, numbers[:, HEAT_LOAD], np.nan),
        "peak_dynamic_pressure_Pa": peaks[:, 2], "peak_dynamic_pressure_s": when[:, 2],
    }  # fmt: skip
    for i, one in enumerate(tracked, start=len(KEPT)):
        values = last[:, i] if one.kind == END else peaks[:, i]
        out[one.name] = np.where(is_heated, values, np.nan) if one.variable.startswith("heat") else values
    return out
