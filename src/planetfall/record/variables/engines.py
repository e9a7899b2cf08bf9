"""Histories of engines, propellant and phases as variables of a dataset."""

import numpy as np
import xarray as xr

from planetfall.engine.state.result import Transition
from planetfall.engine.structure.state_sizes import ENGINE_COMMAND, ENGINE_SIZE, ENGINE_THRUST, JOINT_SIZE
from planetfall.record.variables.attributes import history
from planetfall.scenario.scenario import Scenario


def engine_names(scenario: Scenario) -> list[str]:
    """In order; those of companions after their vehicle's name and a dot."""
    own, *others = scenario.vehicles
    named = [f"{vehicle.name}.{engine.name}" for vehicle in others for engine in vehicle.engines]
    return [engine.name for engine in own.engines] + named


def masses(scenario: Scenario, burnt: np.ndarray, n_frames: int) -> np.ndarray:
    """Of every body [frame, body] [kg], from what each has burnt [frame, body] [kg], which may be empty."""
    start = np.tile([vehicle.mass for vehicle in scenario.vehicles], (n_frames, 1))
    return start - burnt if burnt.size else start


def engine_variables(
    scenario: Scenario, states: np.ndarray, burnt: np.ndarray, swings: np.ndarray
) -> dict[str, xr.Variable]:
    """Thrust and throttle of each engine, propellant left and centre of mass of each body; `swings`: of the arms."""
    engines = [engine for vehicle in scenario.vehicles for engine in vehicle.engines]
    if not engines:
        return {}
    parts = states.reshape(len(states), -1, ENGINE_SIZE)
    largest = np.array([engine.thrust_max for engine in engines])
    tanks = [vehicle.propellant for vehicle in scenario.vehicles]
    full = np.array([0.0 if tank is None else tank.mass for tank in tanks])
    centers = np.array([np.zeros(3) if tank is None else tank.center for tank in tanks])
    mass = masses(scenario, burnt, len(burnt))
    shift = -(burnt / mass)[:, :, None] * centers
    swung = [(b, vehicle.arm) for b, vehicle in enumerate(scenario.vehicles) if vehicle.arm is not None]
    for i, (b, arm) in enumerate(swung):
        shift[:, b] += (arm.mass / mass[:, b])[:, None] * (arm.tips_at(swings[:, JOINT_SIZE * i]) - arm.tip)
    columns = {
        "thrust": ("N", "thrust", "", ("engine",), parts[:, :, ENGINE_THRUST]),
        "throttle": ("1", "thrust commanded over the largest", "", ("engine",), parts[:, :, ENGINE_COMMAND] / largest),
        "propellant": ("kg", "propellant left", "", ("body",), full - burnt),
        "center_of_mass": (
            "m", "centre of mass now, from where it was at the start (`position`)", "B", ("body", "axis"), shift,
        ),
    }  # fmt: skip
    return {
        name: history(unit, meaning, frame, dims, values)
        for name, (unit, meaning, frame, dims, values) in columns.items()
    }


def phase_variable(changes: tuple[Transition, ...], time: np.ndarray) -> dict[str, xr.Variable]:
    """Number of the phase that the controller was in, by order of appearance; their names are an attribute."""
    if not changes:
        return {}
    names = list(dict.fromkeys(change.phase for change in changes))
    index = np.searchsorted([change.time for change in changes], time, side="right") - 1
    values = np.array([names.index(changes[max(i, 0)].phase) for i in index], dtype=np.int8)
    phase = history("1", "phase of the controller", "", (), values)
    phase.attrs["phases"] = ", ".join(names)
    return {"phase": phase}
