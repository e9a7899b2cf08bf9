"""A sensor, detector or force that nothing is registered for is refused by name, and so is one that misses a part."""

from __future__ import annotations

from typing import Any, Literal

import pytest

import planetfall
from planetfall.flight.sensors.imu import IMU
from planetfall.flight.sensors.kinds import SensorKind
from planetfall.flight.sensors.mount import channel_errors, detector_model, sensor_model
from planetfall.record.variables.readings import reading_variables
from planetfall.scenario.tables.flight.detector import DetectorThrottle
from planetfall.scenario.tables.flight.sensors import SensorImu
from planetfall.vehicle.forces import force_named


class SensorCompass(SensorImu):
    """A kind that nobody has registered."""

    kind: Literal["compass"] = "compass"  # type: ignore[assignment]


class DetectorByEar(DetectorThrottle):
    """Likewise."""

    kind: Literal["ear"] = "ear"  # type: ignore[assignment]


COMPASS: Any = SensorCompass(name="north", rate=1.0)


@pytest.mark.parametrize("asked", [sensor_model, channel_errors])
def test_an_unknown_sensor_is_no_imu(asked: Any) -> None:
    with pytest.raises(
        TypeError, match=r"SensorCompass: no kind of sensor is registered .* SensorAltimeter, .*SensorImu"
    ):
        asked(COMPASS)


def test_an_unknown_sensor_has_no_variables() -> None:
    import numpy as np

    from planetfall.engine.state.result import Samples

    with pytest.raises(TypeError, match="SensorCompass: readings of this kind have no variables"):
        reading_variables((COMPASS,), {"north": Samples(np.zeros(1), np.zeros((1, 6)))})


def test_an_unknown_detector_is_none_of_those_there_are() -> None:
    scenario = planetfall.load("sink-flat").model_copy(update={"detector": DetectorByEar()})
    with pytest.raises(TypeError, match=r"DetectorByEar: no detector is registered .* DetectorStillness"):
        detector_model(scenario)


def test_a_kind_of_sensor_that_misses_a_part_is_refused() -> None:
    missing: Any = None
    with pytest.raises(TypeError, match="no function errors; give it"):
        SensorKind(lambda sensor: IMU, lambda scenario, sensor, params: None, missing)


def test_an_unknown_force_is_refused() -> None:
    with pytest.raises(TypeError, match=r"force 'magnet': no function is registered .* push, thruster"):
        force_named("magnet")
