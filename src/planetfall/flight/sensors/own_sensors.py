"""Sensors and landing detectors of the user's own: records that name a model, its table and how it is filled in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from planetfall.compute.draft import Draft, draft_of
from planetfall.errors import InputError
from planetfall.flight.detectors.detector import DetectorModel
from planetfall.flight.detectors.kinds import DETECTOR_KINDS, DetectorKind
from planetfall.flight.sensors.kinds import SENSOR_KINDS, SensorKind
from planetfall.flight.sensors.model import SensorModel
from planetfall.flight.sensors.mount import places
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.table import Table


class SensorTable(Table):
    """What the table of a sensor of the user's own is derived from: `kind`, `name`, `body` and `rate`, then its own."""

    @property
    def variables(self) -> tuple[str, ...]:
        """Names under which its readings are stored."""
        return (str(getattr(self, "name", "")),)


@dataclass(frozen=True)
class SensorPart:
    """A sensor of the user's own, selected by `kind` in `[[sensors]]`.

    Attributes:
        table: Its keys, a `SensorTable`.
        model: Number of channels, struct and `read`; its kind.
        fill: `(table) -> values` by member of the struct.
        unit: SI, of all channels.
        meaning: Of the readings, for their `long_name`.
        errors: `(table) -> [channel, 2]` bias and standard deviation of one sample; None: it makes none.
    """

    table: type[SensorTable]
    model: SensorModel
    fill: Callable[[Any], Mapping[str, Any]]
    unit: str
    meaning: str
    errors: Callable[[Any], np.ndarray] | None = None

    @property
    def name(self) -> str:
        """The `kind`."""
        return self.model.kind


@dataclass(frozen=True)
class DetectorPart:
    """A landing detector of the user's own, selected by `detector.kind`.

    Attributes:
        table: Its keys, `kind: Literal["..."]` first.
        model: Struct and `declares`; its kind.
        fill: `(scenario, channels) -> values` by member of the struct; `scenario.detector` is the table, and `channels`
            says by the name of a sensor which is its first channel in `readings.value`.
    """

    table: type[Table]
    model: DetectorModel
    fill: Callable[[Scenario, dict[str, int]], Mapping[str, Any]]

    @property
    def name(self) -> str:
        """The `kind`."""
        return self.model.kind


def register_sensor(part: SensorPart) -> None:
    """Enters a sensor among those that are built in."""
    where = f"sensor {part.name!r}"
    if not issubclass(part.table, SensorTable):
        raise InputError(where, f"its table {part.table.__name__} is no SensorTable")
    if not callable(part.model.read) or not callable(part.fill):
        raise InputError(where, "lacks read or fill", "all parts that SensorPart and SensorModel list")

    def fill(scenario: Scenario, table: Any, params: Draft) -> None:
        for name, value in draft_of(part.model.params, part.fill(table), where).values.items():
            setattr(params, name, value)

    def errors(table: Any) -> np.ndarray:
        n = part.model.n_channels
        found = np.zeros((n, 2)) if part.errors is None else np.asarray(part.errors(table), dtype=float)
        if found.shape != (n, 2) or not np.isfinite(found).all():
            raise InputError(where, f"its errors are {found.tolist()}", f"bias and deviation of {n} channels, finite")
        return found

    SENSOR_KINDS[part.table] = SensorKind(lambda table: part.model, fill, errors)


def register_detector(part: DetectorPart) -> None:
    """Enters a detector among those that are built in."""
    where = f"detector {part.name!r}"
    if not hasattr(part.model.declares, "input_types") or not callable(part.fill):
        raise InputError(where, "lacks declares, a @wp.func, or the function fill")

    def fill(scenario: Scenario, table: Any, params: Draft, gravity: float) -> None:
        first = {sensor.name: place.channel for sensor, place in zip(scenario.sensors, places(scenario), strict=True)}
        for name, value in draft_of(part.model.params, part.fill(scenario, first), where).values.items():
            setattr(params, name, value)

    DETECTOR_KINDS[part.table] = DetectorKind(part.model, fill)
