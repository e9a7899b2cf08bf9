"""Every kind of landing detector: from its table to its model and its numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from planetfall.compute.draft import Draft
from planetfall.flight.detectors.detector import DETECTOR_STILLNESS, DetectorModel
from planetfall.flight.detectors.leg_switch import DETECTOR_LEG_SWITCH
from planetfall.flight.detectors.throttle import DETECTOR_THROTTLE
from planetfall.flight.sensors.mount import ReadingPlace, places
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.flight.detector import DetectorStillness, DetectorSwitch, DetectorThrottle


def detector_kind(table: Any) -> "DetectorKind":
    """What is registered for a table.

    Raises:
        TypeError: Nothing is.
    """
    if type(table) not in DETECTOR_KINDS:
        known = ", ".join(known.__name__ for known in DETECTOR_KINDS)
        raise TypeError(f"{type(table).__name__}: no detector is registered for this table; there are {known}")
    return DETECTOR_KINDS[type(table)]


def _first_places(scenario: Scenario) -> dict[str, ReadingPlace]:
    return {sensor.name: place for sensor, place in zip(scenario.sensors, places(scenario), strict=True)}


def _fill_throttle(scenario: Scenario, table: DetectorThrottle, params: Draft, gravity: float) -> None:
    params.thrust_max = [engine.thrust_max for vehicle in scenario.vehicles for engine in vehicle.engines]
    params.filter_rate, params.usual_rate = 1.0 / table.filter_time, 1.0 / table.usual_time
    params.ratio, params.hold = table.ratio, table.hold


def _fill_switches(scenario: Scenario, table: DetectorSwitch, params: Draft, gravity: float) -> None:
    place = _first_places(scenario)[table.switch]
    params.channel, params.n_switches = place.channel, place.n_channels
    params.count, params.hold = table.count, table.hold


def _fill_stillness(scenario: Scenario, table: DetectorStillness, params: Draft, gravity: float) -> None:
    first = _first_places(scenario)
    for kind in ("altimeter", "velocimeter", "imu"):
        name = getattr(table, kind)
        setattr(params, kind, -1 if name is None else first[name].channel)
    params.n_beams = 0 if table.velocimeter is None else first[table.velocimeter].n_channels
    params.range_below = table.range_below or 0.0
    params.speed_below, params.hold = table.speed_below, table.hold
    params.gravity = table.gravity or gravity
    params.force_band = table.force_band * params.gravity


@dataclass(frozen=True)
class DetectorKind:
    """A detector's model, and `fill(scenario, table, draft, gravity)`, which writes the numbers of its struct."""

    model: DetectorModel
    fill: Callable[[Scenario, Any, Draft, float], None]


DETECTOR_KINDS: dict[type, DetectorKind] = {
    DetectorStillness: DetectorKind(DETECTOR_STILLNESS, _fill_stillness),
    DetectorThrottle: DetectorKind(DETECTOR_THROTTLE, _fill_throttle),
    DetectorSwitch: DetectorKind(DETECTOR_LEG_SWITCH, _fill_switches),
}
"""By the table of a scenario."""
