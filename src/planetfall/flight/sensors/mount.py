"""From a scenario's sensors and detector to what the kernel takes: models, places in the arrays, filled structs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from planetfall.compute.draft import Draft, chained_draft
from planetfall.errors import InputError
from planetfall.flight.detectors.detector import DETECTOR_NONE, DetectorModel
from planetfall.flight.sensors.model import SensorModel, SensorSetup, mounted_params
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.flight.sensors import Sensor

if TYPE_CHECKING:
    from planetfall.flight.detectors.kinds import DetectorKind
    from planetfall.flight.sensors.kinds import SensorKind

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
        memory: First of the numbers that it keeps from sample to sample.
    """

    index: int
    channel: int
    sample: int
    row: int
    n_channels: int
    n_samples: int
    memory: int


def _kind_of(sensor: Sensor) -> "SensorKind":
    """What is registered for a table of a sensor."""
    from planetfall.flight.sensors.kinds import kind_of  # here, or runs without sensors would wait for it

    return kind_of(sensor)


def _detector_kind(scenario: Scenario) -> "DetectorKind":
    """What is registered for the table of the scenario's detector."""
    from planetfall.flight.detectors.kinds import detector_kind  # here, or runs without one would wait for it

    return detector_kind(scenario.detector)


def sensor_model(sensor: Sensor) -> SensorModel:
    """The kind of sensor that a table asks for."""
    return _kind_of(sensor).model(sensor)


def sensor_models(scenario: Scenario) -> tuple[SensorModel, ...]:
    """The kinds of all sensors, in order."""
    return tuple(sensor_model(sensor) for sensor in scenario.sensors)


def detector_model(scenario: Scenario) -> DetectorModel:
    """The detector that a scenario asks for."""
    return DETECTOR_NONE if scenario.detector is None else _detector_kind(scenario).model


def places(scenario: Scenario) -> list[ReadingPlace]:
    """Where each sensor's readings lie."""
    out: list[ReadingPlace] = []
    channel = sample = row = memory = 0
    for i, sensor in enumerate(scenario.sensors):
        model = sensor_model(sensor)
        n_channels = model.n_channels
        n_samples = int(scenario.scenario.duration * sensor.rate * (1 + 1e-9)) + 2
        out.append(ReadingPlace(i, channel, sample, row, n_channels, n_samples, memory))
        channel, sample, row = channel + n_channels, sample + n_samples, row + n_samples * n_channels
        memory += model.n_memory
    return out


def _step_while_sampled(scenario: Scenario) -> float:
    """The longest fixed step [s] at whose ends sensors take samples at their own rate."""
    method, sequence = scenario.integrator, None if scenario.flight is None else scenario.flight.sequence
    if method.method != "rk4":
        return 0.0
    if sequence is None:
        return method.step
    own = [phase for phase in sequence.phases if phase.rate is None]  # in others they wait for the controller
    return max((method.step if phase.step is None else phase.step for phase in own), default=method.step)


def check_sensors(scenario: Scenario) -> None:
    """Refuses rates that a fixed step or a counter cannot follow, and names whose noise would be the same."""
    method, duration, streams = scenario.integrator, scenario.scenario.duration, {}
    for i, sensor in enumerate(scenario.sensors):
        step = _step_while_sampled(scenario)
        if method.method == "rk4" and sensor.rate * step > 1 + 1e-9:
            raise InputError(
                f"sensors.{i}.rate",
                f"{sensor.rate:g} Hz is faster than the steps of {step:g} s, between which readings are taken",
                f"at most {1 / step:g} Hz",
                f"use an integrator.step of at most 1/{sensor.rate:g} s"
                + (", or integrator.method = 'adaptive'" if scenario.runs_adaptively else ""),
            )
        if sensor.rate * duration > MAX_SAMPLES:
            raise InputError(
                f"sensors.{i}.rate",
                f"{sensor.rate:g} Hz over {duration:g} s is more samples than can be counted",
                f"at most {MAX_SAMPLES / duration:.3g} Hz for this duration",
            )
        other = streams.setdefault(crc32(sensor.name.encode()), sensor.name)
        if other != sensor.name:
            raise InputError(f"sensors.{i}.name", f"{sensor.name} would have the noise of {other}", advice="rename it")


def mount_sensors(scenario: Scenario) -> Draft:
    """All sensors as one struct, first sensor outermost."""
    drafts = []
    for sensor, model, place in zip(scenario.sensors, sensor_models(scenario), places(scenario), strict=True):
        draft = Draft(mounted_params(model.params))
        draft.setup, draft.sensor = _setup(scenario, sensor, place), _sensor_params(scenario, sensor, model)
        drafts.append(draft)
    return chained_draft(drafts)


def mount_detector(scenario: Scenario, gravity: float) -> Draft:
    """The detector's parameters; `gravity` [m/s^2] at the start counts where the scenario gives none."""
    params = Draft(detector_model(scenario).params)
    if scenario.detector is not None:
        _detector_kind(scenario).fill(scenario, scenario.detector, params, gravity)
    return params


def channel_errors(sensor: Sensor) -> np.ndarray:
    """Bias and standard deviation of one sample, [channel, 2], in the channels' units."""
    return _kind_of(sensor).errors(sensor)


def _setup(scenario: Scenario, sensor: Sensor, place: ReadingPlace) -> Draft:
    setup = Draft(SensorSetup)
    setup.rate, setup.stream = sensor.rate, crc32(sensor.name.encode())
    setup.body, setup.errors = scenario.body_index(sensor.body), channel_errors(sensor)
    setup.index, setup.channel = place.index, place.channel
    setup.sample, setup.row, setup.memory = place.sample, place.row, place.memory
    return setup


def _sensor_params(scenario: Scenario, sensor: Sensor, model: SensorModel) -> Draft:
    params = Draft(model.params)
    _kind_of(sensor).fill(scenario, sensor, params)
    return params
