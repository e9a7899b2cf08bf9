"""What the air does to a body in its present configuration: by the coefficients of the one that holds.

Aerodynamics in which a body flies while others are attached to it, or once they are released, have a condition each;
where none holds, `vehicle.aerodynamics` does. Each has its own kind of coefficients, hence its own functions: they are
chained, and the first whose condition holds is called.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.draft import Draft
from planetfall.engine.mechanisms.air.bank_response import BankParams, bank_params
from planetfall.scenario.configurations import Condition
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.vehicle.aerodynamics.air_force import AeroBody, TrimParams, free_wrench, trimmed_load
from planetfall.vehicle.aerodynamics.field import (
    aero_body,
    coefficient_params,
    in_each_configuration,
    trim_params,
)
from planetfall.vehicle.aerodynamics.heating import heating_constant, stagnation_heating
from planetfall.vehicle.aerodynamics.model import AeroModel
from planetfall.vehicle.body import BodyState, counts_with
from planetfall.world.environment import Environment

EARTH_GRAVITY = wp.constant(wp.float64(9.80665))
"""Standard gravity, in which loads are counted [m/s^2]."""


@wp.struct
class FlightCondition:
    """What the air does at an instant.

    `force` [N], surface frame, and `torque_B` [N m]; `mach`, dynamic pressure `q` [Pa], `g_load` [g] by this
    force alone, `heating` [W/m^2]; of a trimmed vehicle the unit vectors `nose` and `down`, surface frame.
    """

    force: wp.vec3d
    torque_B: wp.vec3d
    mach: wp.float64
    q: wp.float64
    g_load: wp.float64
    heating: wp.float64
    nose: wp.vec3d
    down: wp.vec3d


@dataclass(frozen=True)
class AeroFunctions:
    """The numbers of a body's aerodynamics without its bank angle, and functions of them.

    `condition (params, bank, state, environment) -> FlightCondition`; `nose (params, state) -> (radius [m], heating
    constant [kg^0.5/m])`, 0 where heating is not computed; `axes (params, state) -> R_BA`.
    """

    params: Any
    condition: Any
    nose: Any
    axes: Any


@lru_cache
def in_one_configuration(model: AeroModel, is_trimmed: bool) -> AeroFunctions:
    """A body as long as it has the coefficients of a model, free or trimmed."""
    own, free, trimmed = model.params, free_wrench(model), trimmed_load(model)

    @wp.struct
    class ConfigurationParams:
        coefficients: own
        body: AeroBody
        trim: TrimParams
        nose_radius: wp.float64  # [m]; 0 where heating is not computed
        heating_constant: wp.float64  # [kg^0.5/m]

    @wp.func
    def condition(
        p: wp.ref[ConfigurationParams], bank: wp.float64, state: wp.ref[BodyState], environment: wp.ref[Environment]
    ) -> FlightCondition:
        out = FlightCondition()
        v_air = state.velocity - environment.wind
        speed = wp.length(v_air)
        out.mach = speed / environment.sound_speed
        out.q = wp.float64(0.5) * environment.density * speed * speed
        if wp.static(is_trimmed):
            load = trimmed(
                p.body, p.trim, p.coefficients, environment.density, out.mach, environment.up, v_air, bank
            )  # fmt: skip
            out.force = load.force
            out.nose = load.nose
            out.down = load.down
        else:
            wrench = free(
                p.body, p.coefficients, environment.density, out.mach, wp.transpose(state.R_SB) * v_air, state.omega_B
            )  # fmt: skip
            out.force = state.R_SB * wrench.force
            out.torque_B = wrench.torque_B
        out.g_load = wp.length(out.force) / (environment.mass * EARTH_GRAVITY)
        if p.nose_radius > wp.float64(0.0):
            out.heating = stagnation_heating(p.heating_constant, p.nose_radius, environment.density, speed)
        return out

    @wp.func
    def nose(p: wp.ref[ConfigurationParams], state: wp.ref[BodyState]) -> wp.vec2d:
        return wp.vec2d(p.nose_radius, p.heating_constant)

    @wp.func
    def axes(p: wp.ref[ConfigurationParams], state: wp.ref[BodyState]) -> wp.mat33d:
        return p.body.R_BA

    return AeroFunctions(ConfigurationParams, condition, nose, axes)


@lru_cache
def in_present_configuration(
    models: tuple[AeroModel, ...], conditions: tuple[Condition, ...], is_trimmed: bool
) -> AeroFunctions:
    """The same by the first model whose condition holds, else by the last one."""
    own = in_one_configuration(models[0], is_trimmed)
    if not conditions:
        return own
    rest, (on, off) = in_present_configuration(models[1:], conditions[1:], is_trimmed), conditions[0]
    own_params, own_condition, own_nose, own_axes = own.params, own.condition, own.nose, own.axes
    rest_params, rest_condition, rest_nose, rest_axes = rest.params, rest.condition, rest.nose, rest.axes

    @wp.struct
    class ConfigurationsParams:
        head: own_params
        tail: rest_params

    @wp.func
    def holds(state: wp.ref[BodyState]) -> bool:
        return counts_with(state.attached, wp.static(on), wp.static(off))

    @wp.func
    def condition(
        p: wp.ref[ConfigurationsParams], bank: wp.float64, state: wp.ref[BodyState], environment: wp.ref[Environment]
    ) -> FlightCondition:
        if holds(state):
            return own_condition(p.head, bank, state, environment)
        return rest_condition(p.tail, bank, state, environment)

    @wp.func
    def nose(p: wp.ref[ConfigurationsParams], state: wp.ref[BodyState]) -> wp.vec2d:
        if holds(state):
            return own_nose(p.head, state)
        return rest_nose(p.tail, state)

    @wp.func
    def axes(p: wp.ref[ConfigurationsParams], state: wp.ref[BodyState]) -> wp.mat33d:
        if holds(state):
            return own_axes(p.head, state)
        return rest_axes(p.tail, state)

    return AeroFunctions(ConfigurationsParams, condition, nose, axes)


@lru_cache
def aero_params(own: Any) -> Any:
    """`@wp.struct` class of a body's aerodynamics in all of its configurations, `air`, and of its bank angle."""

    @wp.struct
    class AerodynamicsParams:
        air: own
        bank: BankParams

    return AerodynamicsParams


def aero_numbers(struct: Any, scenario: Scenario, vehicle: Vehicle) -> Draft:
    """The numbers of a vehicle's aerodynamics, in a struct of `aero_params`."""
    assert vehicle.aerodynamics is not None
    out = Draft(struct)
    out.air = _air(struct.vars["air"].type, scenario, in_each_configuration(vehicle))
    out.bank = bank_params(vehicle.aerodynamics)
    return out


def _air(struct: Any, scenario: Scenario, vehicles: tuple[Vehicle, ...]) -> Draft:
    """The numbers of some configurations, nested once per condition."""
    out, vehicle = Draft(struct), vehicles[0]
    if len(vehicles) > 1:
        out.head = _air(struct.vars["head"].type, scenario, vehicles[:1])
        out.tail = _air(struct.vars["tail"].type, scenario, vehicles[1:])
        return out
    table = vehicle.aerodynamics
    assert table is not None
    out.coefficients, out.body, out.trim = coefficient_params(vehicle), aero_body(vehicle), trim_params(vehicle)
    if table.nose_radius is not None:
        out.nose_radius, out.heating_constant = table.nose_radius, heating_constant(table, scenario.target.name)
    return out
