"""What of a rover and its ground may be changed while it drives: keys, words, units, and ranges for sliders.

Ranges are taken from the rover itself. They bound the sliders, not the values: what is allowed is decided by the rules
of the scenario, whatever a page sends.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import floor, log10
from typing import Any

from planetfall.errors import InputError
from planetfall.rover.linkage import Side, links_of, side_of
from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.rover import LinkageLinks, Rover

LINKS = {
    "rocker_wheel": "l1: axis to the rocker's wheel",
    "rocker_pivot": "l2: axis to the bogie's pivot",
    "bogie_inner": "l3: pivot to the middle wheel",
    "bogie_outer": "l4: pivot to the outer wheel",
}
"""Link lengths in the order of `Side.lengths`."""
SLIDER_STEPS = 200
"""About so many steps has a slider."""


@dataclass(frozen=True)
class Control:
    """A number that a page may change.

    Attributes:
        key: Of the scenario.
        group: Under which heading it stands.
        label: What it is, in a few words.
        unit: Its unit.
        low: Where its slider begins.
        high: Where its slider ends.
        step: The slider's step.
    """

    key: str
    group: str
    label: str
    unit: str
    low: float
    high: float
    step: float


def controls_of(scenario: DriveScenario) -> list[Control]:
    """Everything that a page may change of a drive, with ranges from the rover at its start."""
    rover, wheels = scenario.rover, scenario.rover.wheels
    side = side_of(rover.linkage, rover.bogie, "rover.linkage")
    base = abs(side.pivot[0] + side.outer[0] - side.rocker[0])
    forward, _, up = rover.center_of_mass
    out = [
        _control("rover.mass", "load", "mass", "kg", 0.5 * rover.mass, 2 * rover.mass),
        _control("rover.payload", "load", "payload on the body", "kg", 0.0, max(rover.mass, 2 * rover.payload)),
    ]
    if rover.arm is not None:
        high = max(0.5 * rover.mass, 2 * rover.arm.payload)
        out.append(_control("rover.arm.payload", "load", "payload in the arm", "kg", 0.0, high))
    out += [
        _control("rover.center_of_mass.0", "load", "mass forward by", "m", forward - base / 4, forward + base / 4),
        _control("rover.center_of_mass.2", "load", "mass up by", "m", up - base / 4, up + base / 2),
    ]
    out += _soil_controls(scenario)
    for table, where in _linkages(rover):
        right_side = side_of(getattr(rover, table), rover.bogie, f"rover.{table}")
        for (name, label), length in zip(LINKS.items(), right_side.lengths, strict=True):
            key = f"rover.{table}.{name}"
            out.append(_control(key, "links", f"{label}{where}", "m", 0.6 * length, 1.4 * length))
    return [
        *out,
        _control("rover.track", "links", "track", "m", 0.6 * rover.track, 1.4 * rover.track),
        _control("rover.wheels.radius", "wheels", "radius", "m", 0.6 * wheels.radius, 1.4 * wheels.radius),
        _control("rover.wheels.torque_max", "wheels", "largest torque", "N m", 0.05 * wheels.torque_max,
                 2 * wheels.torque_max),
        _control("rover.speed", "wheels", "speed", "m/s", 0.2 * rover.speed, 5 * rover.speed),
    ]  # fmt: skip


def described_controls(scenario: DriveScenario) -> list[dict[str, Any]]:
    """The same for the page's header."""
    return [asdict(control) for control in controls_of(scenario)]


def control_values(scenario: DriveScenario, controls: list[Control]) -> list[dict[str, float]]:
    """What the controls stand at in each stretch of a drive, by key."""
    out = []
    for _, rover, soil in scenario.stretches():
        tables = {"rover": rover, "soil": soil}
        out.append({control.key: _value_at(tables, control.key) for control in controls})
    return out


def changed_values(rover: Rover, key: str, value: float) -> dict[str, Any]:
    """What has to be set for a control to stand at a value: keys and values of the scenario.

    A link of a rover that is given by its joints turns it into one that is given by its links.
    """
    for table in ("linkage", "linkage_left"):
        name, given = key.removeprefix(f"rover.{table}."), getattr(rover, table)
        if name in LINKS and name != key and given is not None and not isinstance(given, LinkageLinks):
            links = links_of(side_of(given, rover.bogie, f"rover.{table}"))
            return {f"rover.{table}": {**links.model_dump(mode="json"), name: value}}
    return {key: value}


def check_control(controls: list[Control], key: str) -> None:
    """Refuses keys that no control has.

    Raises:
        InputError: There is no such control.
    """
    if key not in {control.key for control in controls}:
        known = ", ".join(control.key for control in controls)
        raise InputError(key[:60], "cannot be changed while the rover drives", f"what can: {known}")


def _soil_controls(scenario: DriveScenario) -> list[Control]:
    soil = scenario.soil
    if soil.law == "bekker":
        return [
            _control("soil.friction_angle_deg", "ground", "friction angle", "deg", 10.0, 50.0),
            _control("soil.cohesion", "ground", "cohesion", "Pa", 0.0, max(3 * soil.cohesion, 1000.0)),
        ]
    if isinstance(soil.friction, str):  # a map: there is no one number to move
        return []
    return [_control("soil.friction", "ground", "friction mu", "-", 0.05, max(1.5, 1.5 * soil.friction))]


def _linkages(rover: Rover) -> list[tuple[str, str]]:
    """Tables of links, and what to call them."""
    return [("linkage", "")] if rover.linkage_left is None else [("linkage", ", right"), ("linkage_left", ", left")]


def _value_at(tables: Mapping[str, Any], key: str) -> float:
    rover: Rover = tables["rover"]
    for table in ("linkage", "linkage_left"):
        name, given = key.removeprefix(f"rover.{table}."), getattr(rover, table)
        if name in LINKS and name != key and given is not None:
            side: Side = side_of(given, rover.bogie, f"rover.{table}")
            return dict(zip(LINKS, side.lengths, strict=True))[name]
    first, *parts = key.split(".")
    node: Any = tables[first]
    for part in parts:
        node = node[int(part)] if part.isdecimal() else getattr(node, part)
    return float(node)


def _control(key: str, group: str, label: str, unit: str, low: float, high: float) -> Control:
    """A control whose range is widened to whole steps of 1, 2 or 5 times a power of ten."""
    wanted = (high - low) / SLIDER_STEPS
    power = 10.0 ** floor(log10(wanted))
    step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= wanted * 0.999)
    lowest = max(round(low / step) * step, step) if low > 0 else round(low / step) * step
    digits = max(0, -floor(log10(step)))
    return Control(key, group, label, unit, round(lowest, digits), round(round(high / step) * step, digits), step)
