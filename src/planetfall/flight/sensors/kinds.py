"""Every kind of sensor: from its table to its model, its numbers and its errors.

A table that is not registered here, or a kind that misses a part, is refused by name. What a record calls its readings
is in `record.variables.readings`.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from planetfall.compute.draft import Draft
from planetfall.flight.sensors.altimeter import ALTIMETER
from planetfall.flight.sensors.beam import least_cosine
from planetfall.flight.sensors.imu import IMU
from planetfall.flight.sensors.model import SensorModel
from planetfall.flight.sensors.navigator import NAVIGATOR
from planetfall.flight.sensors.switch import switch
from planetfall.flight.sensors.velocimeter import velocimeter
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.flight.sensors import (
    Sensor,
    SensorAltimeter,
    SensorImu,
    SensorNavigator,
    SensorSwitch,
    SensorVelocimeter,
)


@dataclass(frozen=True)
class SensorKind:
    """A kind of sensor.

    Attributes:
        model: `(table) -> SensorModel`.
        fill: `(scenario, table, draft)`: writes the numbers of the model's struct.
        errors: `(table) -> [channel, 2]` bias and standard deviation of one sample, in the channels' units.
    """

    model: Callable[[Any], SensorModel]
    fill: Callable[[Scenario, Any, Draft], None]
    errors: Callable[[Any], np.ndarray]

    def __post_init__(self) -> None:
        """Refuses a kind that misses a part."""
        for part in fields(self):
            if not callable(getattr(self, part.name)):
                raise TypeError(f"a kind of sensor has no function {part.name}; give it")


def kind_of(sensor: Sensor) -> SensorKind:
    """What is registered for a table.

    Raises:
        TypeError: Nothing is.
    """
    if type(sensor) not in SENSOR_KINDS:
        known = ", ".join(table.__name__ for table in SENSOR_KINDS)
        raise TypeError(
            f"{type(sensor).__name__}: no kind of sensor is registered for this table; there are {known}; enter it in "
            "SENSOR_KINDS"
        )
    return SENSOR_KINDS[type(sensor)]


def _fill_altimeter(scenario: Scenario, sensor: SensorAltimeter, params: Draft) -> None:
    params.position_B, params.beam_B, params.range_max = sensor.position, sensor.beam, sensor.range_max
    params.least_cosine = least_cosine(sensor.incidence_max_deg)


def _fill_velocimeter(scenario: Scenario, sensor: SensorVelocimeter, params: Draft) -> None:
    params.position_B, params.beams_B = sensor.position, sensor.beams
    params.range_max, params.is_doppler = sensor.range_max, int(sensor.signal == "doppler")
    params.least_cosine = least_cosine(sensor.incidence_max_deg)


def _fill_imu(scenario: Scenario, sensor: SensorImu, params: Draft) -> None:
    params.position_B = sensor.position


def _fill_switch(scenario: Scenario, sensor: SensorSwitch, params: Draft) -> None:
    params.points, params.threshold = scenario.switch_points(sensor), sensor.threshold


def _fill_navigator(scenario: Scenario, sensor: SensorNavigator, params: Draft) -> None:
    params.rotation = np.radians(sensor.attitude_error_deg)
    half = 0.5 * params.rotation
    params.error = [*half, float(np.sqrt(1.0 - half @ half))]
    params.velocity_error = sensor.velocity_error


def _navigator_errors(sensor: SensorNavigator) -> np.ndarray:
    biases = [*sensor.position_error, *sensor.velocity_error, 0.0, 0.0, 0.0, 0.0]
    return np.column_stack([biases, np.zeros(len(biases))])


def _imu_errors(sensor: SensorImu) -> np.ndarray:
    """White noise of density N, sampled at the rate f, has the standard deviation N sqrt(f).

    Then the sum of the samples times 1/f, the integral, has N sqrt(t).
    """
    root = np.sqrt(sensor.rate)
    biases = [*sensor.accelerometer_bias, *sensor.gyroscope_bias]
    return np.column_stack([biases, np.repeat([sensor.accelerometer_noise, sensor.gyroscope_noise], 3) * root])


SENSOR_KINDS: dict[type, SensorKind] = {
    SensorAltimeter: SensorKind(
        lambda sensor: ALTIMETER, _fill_altimeter, lambda sensor: np.array([[sensor.bias, sensor.noise]])
    ),
    SensorVelocimeter: SensorKind(
        lambda sensor: velocimeter(len(sensor.beams)),
        _fill_velocimeter,
        lambda sensor: np.array([[sensor.bias, sensor.noise]] * len(sensor.beams)),
    ),
    SensorImu: SensorKind(lambda sensor: IMU, _fill_imu, _imu_errors),
    SensorNavigator: SensorKind(lambda sensor: NAVIGATOR, _fill_navigator, _navigator_errors),
    SensorSwitch: SensorKind(
        lambda sensor: switch(len(sensor.points)), _fill_switch, lambda sensor: np.zeros((len(sensor.points), 2))
    ),
}
"""By the table of a scenario."""
