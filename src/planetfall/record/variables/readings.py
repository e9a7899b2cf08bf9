"""Readings of the sensors as variables of a dataset, each sensor with its own times."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from planetfall.engine.state.result import Samples
from planetfall.record.variables.attributes import variable
from planetfall.scenario.tables.flight.sensors import (
    Sensor,
    SensorAltimeter,
    SensorImu,
    SensorNavigator,
    SensorSwitch,
    SensorVelocimeter,
)

SWITCH_MEANING = "1 closed, 0 open"
"""Of the readings of switches."""
NO_RETURN = 1
"""Status of a beam without return; 0 is a reading."""


def reading_variables(sensors: tuple[Sensor, ...], samples: dict[str, Samples]) -> dict[str, xr.Variable]:
    """All readings, under the names that the scenario gives, and the times and beams that they belong to."""
    out: dict[str, xr.Variable] = {}
    for sensor in sensors:
        taken, time = samples[sensor.name], f"time_{sensor.name}"
        out[time] = variable(time, taken.time, "s", f"times of the readings of {sensor.name}")
        if type(sensor) not in VARIABLES:
            raise TypeError(f"{type(sensor).__name__}: readings of this kind have no variables; enter it in VARIABLES")
        out |= VARIABLES[type(sensor)](sensor, time, taken.value)
    return out


def _switches(sensor: SensorSwitch, time: str, values: np.ndarray) -> dict[str, xr.Variable]:
    points = f"point_{sensor.name}"
    on = f"contact points that the switches of {sensor.name} are on"
    return {
        sensor.name: variable((time, points), values.astype(np.int8), "1", SWITCH_MEANING),
        points: variable(points, np.array(sensor.points), "1", on),
    }


def _imu(sensor: SensorImu, time: str, values: np.ndarray) -> dict[str, xr.Variable]:
    force, rate = sensor.variables
    return {
        force: variable((time, "axis"), values[:, :3], "m/s^2", "specific force", "B"),
        rate: variable((time, "axis"), values[:, 3:], "rad/s", "angular rate against the stars", "B"),
    }


def _navigator(sensor: SensorNavigator, time: str, values: np.ndarray) -> dict[str, xr.Variable]:
    place, speed, attitude = sensor.variables
    return {
        place: variable((time, "axis"), values[:, :3], "m", "position as estimated by navigation", "S"),
        speed: variable((time, "axis"), values[:, 3:6], "m/s", "velocity as estimated by navigation", "S"),
        attitude: variable((time, "quat"), values[:, 6:], "1", "attitude as estimated by navigation, x y z w", "S"),
    }


def _beams(sensor: SensorAltimeter | SensorVelocimeter, time: str, values: np.ndarray) -> dict[str, xr.Variable]:
    reading, status = sensor.variables
    if isinstance(sensor, SensorAltimeter):
        dims, values, unit, meaning = (time,), values[:, 0], "m", "range along the beam"
    else:
        dims, unit = (time, f"beam_{sensor.name}"), "m/s"
        doppler = "speed against the ground along the beam, negative approaching"
        meaning = doppler if sensor.signal == "doppler" else "rate of the range along the beam"
    lost = np.where(np.isnan(values), NO_RETURN, 0).astype(np.int8)
    return {
        reading: variable(dims, values, unit, meaning),
        status: variable(dims, lost, "1", f"0 reading, {NO_RETURN} no return"),
    }


VARIABLES: dict[type, Callable[[Any, str, np.ndarray], dict[str, xr.Variable]]] = {
    SensorAltimeter: _beams,
    SensorVelocimeter: _beams,
    SensorImu: _imu,
    SensorNavigator: _navigator,
    SensorSwitch: _switches,
}
"""By the table of a sensor: its variables, from their time's name and the values [sample, channel]."""


def register_readings(table: type, unit: str, meaning: str) -> None:
    """Enters readings of a sensor of the user's own: one variable, all channels in the same unit."""

    def variables(sensor: Any, time: str, values: np.ndarray) -> dict[str, xr.Variable]:
        if values.shape[1] == 1:
            return {sensor.name: variable((time,), values[:, 0], unit, meaning)}
        return {sensor.name: variable((time, f"channel_{sensor.name}"), values, unit, meaning)}

    VARIABLES[table] = variables
