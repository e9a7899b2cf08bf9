"""From a scenario to what the kernel takes: assembly, parameters on a device, initial state. All checking is here."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from planetfall.compute.device import check_device
from planetfall.contact.laws import contact_law
from planetfall.engine.checks.contact_step import check_step
from planetfall.engine.checks.flight_start import check_air, check_descent, flight_notes, map_notes, switch_notes
from planetfall.engine.checks.flywheels import check_wheels, wheel_notes
from planetfall.engine.checks.initial_penetration import (
    StartDepth,
    check_outside,
    points_missing,
    points_overhead,
    start_aside,
    start_depth,
)
from planetfall.engine.checks.line_of_sight import check_sight
from planetfall.engine.checks.mechanism_steps import check_arm_step, check_tether_step
from planetfall.engine.checks.outer_form import form_notes
from planetfall.engine.checks.rest_hold import short_hold
from planetfall.engine.initial_state import after_bodies, body_states
from planetfall.engine.mechanisms.registry import mechanisms_of
from planetfall.engine.parameters import make_params
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.mechanism import check_mechanisms
from planetfall.flight.mount_flight import check_flight, flight_model
from planetfall.flight.sensors.mount import check_sensors, detector_model, sensor_models
from planetfall.scenario.configurations import configuring, point_conditions
from planetfall.scenario.scenario import Scenario
from planetfall.world.air import air_model, end_of_air
from planetfall.world.gravity.field import gravity_field, gravity_model
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.surface import Surface


@dataclass(frozen=True)
class Model:
    """A scenario made ready for a device.

    Attributes:
        scenario: What it was made from.
        assembly: The choice of models that the kernel is compiled from.
        params: Filled parameter struct, with its arrays on `device`.
        initial_state: States of all bodies at time zero, shape (13 * bodies,).
        surface: The terrain, for queries from the host; keeps alive what `params` points to.
        device: Warp device name.
        depths: Of vehicles that start deeper in the ground than their weight explains; empty where it was not checked.
    """

    scenario: Scenario
    assembly: Assembly
    params: Any
    initial_state: np.ndarray
    surface: Surface
    device: str
    depths: tuple[StartDepth, ...] = ()

    @property
    def gravity_facts(self) -> dict[str, Any]:
        """What is known of the gravity field, for people."""
        return gravity_field(self.scenario, self.device).facts

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said of the files of ground and gravity, of odd starts and costly brakes, a sentence each."""
        files = dict.fromkeys([*self.surface.facts.get("notes", ()), *self.gravity_facts.get("notes", ())])
        flights = [
            *flight_notes(self.scenario, self.initial_state[:13]),
            *map_notes(self.scenario, self.surface, self.initial_state[:3]),
            *switch_notes(self.scenario),
        ]
        starts = zip(self.scenario.solos, self.initial_state.reshape(-1, 13), self.scenario.carriers, strict=True)
        aside = [
            note
            for solo, state, carrier in starts
            for note in (
                start_aside(solo, state, self.surface),
                points_overhead(solo, state) if carrier < 0 else None,  # what is carried comes down as its carrier does
                points_missing(solo),
                short_hold(solo, state, self.surface) if solo.vehicle is self.scenario.vehicle else None,
                *form_notes(solo.vehicle),
            )
            if note
        ]
        return (*files, *aside, *(found.sentence for found in self.depths), *wheel_notes(self.scenario), *flights)


def build(
    scenario: Scenario,
    device: str = "cpu",
    *,
    is_recorded: bool = True,
    surface: Surface | None = None,
    is_checked: bool = True,
) -> Model:
    """Checks a scenario and puts it on a device; a `surface` made by hand takes the place of the scenario's terrain.

    With `is_checked` false, what could only be wrong with the scenario as a whole is let pass: a run of a campaign is
    repeated as it was run.
    """
    check_device(device)
    surface = surface or make_surface(scenario, device)
    assembly = assemble(scenario, surface, is_recorded)
    states = body_states(scenario, surface)
    depths: tuple[StartDepth, ...] = ()
    if is_checked:
        check_start(scenario, states, surface)
        check_air(scenario, states)
        check_descent(scenario, states)
        check_mechanisms(assembly.mechanisms, scenario)
        check_sensors(scenario)
        check_flight(scenario)
        depths = start_depths(scenario, states, surface)
    state = states.ravel()
    return Model(scenario, assembly, make_params(scenario, assembly, state, surface), state, surface, device, depths)


def check_start(scenario: Scenario, states: np.ndarray, surface: Surface) -> None:
    """Refuses too long a step for a scenario whose bodies start in `states` [body, 13], and blind or buried starts."""
    for solo, state in zip(scenario.solos, states, strict=True):
        check_outside(solo, state, surface)
        check_step(solo, state, surface)
        check_sight(solo, state, surface)
    check_tether_step(scenario, states)
    check_wheels(scenario)
    check_arm_step(scenario)


def start_depths(scenario: Scenario, states: np.ndarray, surface: Surface) -> tuple[StartDepth, ...]:
    """Of the vehicles in `states` [body, 13] that start deeper in the ground than their weight explains."""
    found = (start_depth(solo, state, surface) for solo, state in zip(scenario.solos, states, strict=True))
    return tuple(one for one in found if one is not None)


def assemble(scenario: Scenario, surface: Surface, is_recorded: bool) -> Assembly:
    """The choice of models that a scenario asks for."""
    inertias = np.array([matrix for vehicle in scenario.vehicles for matrix in (vehicle.inertia, vehicle.free_inertia)])
    return Assembly(
        gravity=gravity_model(scenario),
        terrain=surface.model,
        law=contact_law(scenario, surface.model.has_unit_normals),
        points_per_body=tuple(len(vehicle.points) for vehicle in scenario.vehicles),
        has_spin=scenario.target.spin_rate != 0.0,
        has_diagonal_inertia=bool(np.all(inertias[:, ~np.eye(3, dtype=bool)] == 0.0)),
        method=scenario.integrator.method,
        is_recorded=is_recorded,
        mechanisms=mechanisms_of(scenario),
        air=air_model(scenario),
        sensors=sensor_models(scenario),
        detector=detector_model(scenario),
        flight=flight_model(scenario),
        has_end_altitude=_has_end_altitude(scenario),
        may_crash=scenario.outcome.crash_speed is not None,
        configured_by=configuring(scenario),
        point_conditions=point_conditions(scenario),
    )


def _has_end_altitude(scenario: Scenario) -> bool:
    """Whether a height ends the run: that of a descent, of a climb, or the end of the air that is known."""
    rules = scenario.outcome
    given = rules.stop_altitude is not None or rules.skip_altitude is not None
    return given or bool(np.isfinite(end_of_air(scenario)))


def states_of(model: Model, initial_states: np.ndarray) -> np.ndarray:
    """Initial states [run, 13 * bodies] widened by what follows the bodies, and work integrals where there are some.

    Those that are wider have all that follows the bodies in them already; what needs no widening is not copied.
    """
    lay = model.assembly.layout
    if initial_states.shape[1] == lay.size:
        return initial_states
    states = np.zeros((len(initial_states), lay.size))
    states[:, lay.mechanism_offset(0) : lay.work_offset] = after_bodies(model.scenario)
    states[:, : initial_states.shape[1]] = initial_states
    return states
