"""From a scenario's sensors and detector to what the kernel takes: models, places in the arrays, filled structs."""

from dataclasses import dataclass
from zlib import crc32

import numpy as np

from planetfall.compute.draft import Draft
from planetfall.errors import InputError
from planetfall.flight.detector import DETECTOR_NONE, DETECTOR_STILLNESS, DetectorModel
from planetfall.flight.sensors.altimeter import ALTIMETER
from planetfall.flight.sensors.imu import IMU
from planetfall.flight.sensors.model import SensorModel, SensorSetup, suite_params
from planetfall.flight.sensors.navigator import NAVIGATOR
from planetfall.flight.sensors.switch import switch
from planetfall.flight.sensors.velocimeter import velocimeter
from planetfall.flight.triggers import TRIGGER_SWITCH, TRIGGER_THROTTLE
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.flight.detector import DetectorStillness, DetectorThrottle
from planetfall.scenario.tables.flight.sensors import (
    Sensor,
    SensorAltimeter,
    SensorImu,
    SensorNavigator,
    SensorSwitch,
    SensorVelocimeter,
)

PLAIN_SENSORS = {"altimeter": ALTIMETER, "imu": IMU, "navigator": NAVIGATOR}
"""Kinds whose code does not depend on how many beams or points they have; another kind is a KeyError, not an IMU."""
MAX_SAMPLES = 2**31 - 2
"""Samples of one sensor that a 32-bit counter holds."""


@dataclass(frozen=True)
class ReadingPlace:
    """Where the readings of one sensor lie in the arrays of `flight.readings`.

    Attributes:
        index: Of the sensor.
        channel: Its first channel.
        sample: Its first sample.
        row: Its first row.
        n_channels: Numbers of one reading.
        n_samples: Samples that fit, at least one more than are taken.
    """

    index: int
    channel: int
    sample: int
    row: int
    n_channels: int
    n_samples: int


def sensor_model(sensor: Sensor) -> SensorModel:
    """The kind of sensor that a table asks for."""
    if isinstance(sensor, SensorVelocimeter):
        return velocimeter(len(sensor.beams))
    if isinstance(sensor, SensorSwitch):
        return switch(len(sensor.points))
    return PLAIN_SENSORS[sensor.kind]


def sensor_models(scenario: Scenario) -> tuple[SensorModel, ...]:
    """The kinds of all sensors, in order."""
    return tuple(sensor_model(sensor) for sensor in scenario.sensors)


def detector_model(scenario: Scenario) -> DetectorModel:
    """The detector that a scenario asks for."""
    if scenario.detector is None:
        return DETECTOR_NONE
    models = (DETECTOR_STILLNESS, TRIGGER_THROTTLE, TRIGGER_SWITCH)
    return next(model for model in models if model.kind == scenario.detector.kind)


def places(scenario: Scenario) -> list[ReadingPlace]:
    """Where each sensor's readings lie."""
    out: list[ReadingPlace] = []
    channel = sample = row = 0
    for i, sensor in enumerate(scenario.sensors):
        n_channels = sensor_model(sensor).n_channels
        n_samples = int(scenario.scenario.duration * sensor.rate * (1 + 1e-9)) + 2
        out.append(ReadingPlace(i, channel, sample, row, n_channels, n_samples))
        channel, sample, row = channel + n_channels, sample + n_samples, row + n_samples * n_channels
    return out


def check_sensors(scenario: Scenario) -> None:
    """Refuses rates that a fixed step or a counter cannot follow, and names whose noise would be the same."""
    method, duration, streams = scenario.integrator, scenario.scenario.duration, {}
    for i, sensor in enumerate(scenario.sensors):
        if method.method == "rk4" and sensor.rate * method.step > 1 + 1e-9:
            raise InputError(
                f"sensors.{i}.rate",
                f"{sensor.rate:g} Hz is faster than the steps of {method.step:g} s, between which readings are taken",
                f"allowed: up to {1 / method.step:g} Hz",
                f"use an integrator.step of at most 1/{sensor.rate:g} s"
                + (", or integrator.method = 'adaptive'" if scenario.runs_adaptively else ""),
            )
        if sensor.rate * duration > MAX_SAMPLES:
            raise InputError(
                f"sensors.{i}.rate",
                f"{sensor.rate:g} Hz over {duration:g} s is more samples than can be counted",
                f"allowed: up to {MAX_SAMPLES / duration:.3g} Hz for this duration",
            )
        other = streams.setdefault(crc32(sensor.name.encode()), sensor.name)
        if other != sensor.name:
            raise InputError(f"sensors.{i}.name", f"{sensor.name} would have the noise of {other}", advice="rename it")


def mount_sensors(scenario: Scenario) -> Draft:
    """All sensors as one struct, first sensor outermost."""
    models, kept = sensor_models(scenario), places(scenario)
    nested = Draft(suite_params(()))
    for i in reversed(range(len(models))):
        outer = Draft(suite_params(models[i:]))
        outer.setup = _setup(scenario, scenario.sensors[i], kept[i])
        outer.sensor = _sensor_params(scenario, scenario.sensors[i], models[i])
        outer.tail = nested
        nested = outer
    return nested


def mount_detector(scenario: Scenario, gravity: float) -> Draft:
    """The detector's parameters; `gravity` [m/s^2] at the start counts where the scenario gives none."""
    table, params = scenario.detector, Draft(detector_model(scenario).params)
    if table is None:
        return params
    if isinstance(table, DetectorThrottle):
        params.thrust_max = [engine.thrust_max for vehicle in scenario.vehicles for engine in vehicle.engines]
        params.filter_rate, params.usual_rate = 1.0 / table.filter_time, 1.0 / table.usual_time
        params.ratio, params.hold = table.ratio, table.hold
        return params
    first = {sensor.name: place for sensor, place in zip(scenario.sensors, places(scenario), strict=True)}
    if not isinstance(table, DetectorStillness):
        place = first[table.switch]
        params.channel, params.n_switches = place.channel, place.n_channels
        params.count, params.hold = table.count, table.hold
        return params
    for kind in ("altimeter", "velocimeter", "imu"):
        name = getattr(table, kind)
        setattr(params, kind, -1 if name is None else first[name].channel)
    params.n_beams = 0 if table.velocimeter is None else first[table.velocimeter].n_channels
    params.range_below = table.range_below or 0.0
    params.speed_below, params.hold = table.speed_below, table.hold
    params.gravity = table.gravity or gravity
    params.force_band = table.force_band * params.gravity
    return params


def channel_errors(sensor: Sensor) -> np.ndarray:
    """Bias and standard deviation of one sample, [channel, 2], in the channels' units.

    White noise of density N, sampled at the rate f, has the standard deviation N sqrt(f): then the sum of the samples
    times 1/f, the integral, has N sqrt(t).
    """
    if isinstance(sensor, SensorImu):
        root = np.sqrt(sensor.rate)
        biases = [*sensor.accelerometer_bias, *sensor.gyroscope_bias]
        return np.column_stack([biases, np.repeat([sensor.accelerometer_noise, sensor.gyroscope_noise], 3) * root])
    n_channels = sensor_model(sensor).n_channels
    if isinstance(sensor, SensorSwitch):
        return np.zeros((n_channels, 2))
    if isinstance(sensor, SensorNavigator):
        return np.column_stack([[*sensor.position_error, *sensor.velocity_error, *[0.0] * 4], np.zeros(n_channels)])
    return np.array([[sensor.bias, sensor.noise]] * n_channels)


def _setup(scenario: Scenario, sensor: Sensor, place: ReadingPlace) -> Draft:
    setup = Draft(SensorSetup)
    setup.rate, setup.stream = sensor.rate, crc32(sensor.name.encode())
    setup.body, setup.errors = scenario.body_index(sensor.body), channel_errors(sensor)
    setup.index, setup.channel = place.index, place.channel
    setup.sample, setup.row = place.sample, place.row
    return setup


def _sensor_params(scenario: Scenario, sensor: Sensor, model: SensorModel) -> Draft:
    params = Draft(model.params)
    if isinstance(sensor, SensorSwitch):
        params.points, params.threshold = scenario.switch_points(sensor), sensor.threshold
        return params
    if isinstance(sensor, SensorNavigator):
        half = 0.5 * np.radians(sensor.attitude_error_deg)
        params.error = [*half, float(np.sqrt(1.0 - half @ half))]
        return params
    params.position_B = sensor.position
    if isinstance(sensor, SensorAltimeter):
        params.beam_B, params.range_max = sensor.beam, sensor.range_max
    if isinstance(sensor, SensorVelocimeter):
        params.beams_B = sensor.beams
        params.range_max, params.is_doppler = sensor.range_max, int(sensor.signal == "doppler")
    return params
