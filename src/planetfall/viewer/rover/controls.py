"""What of a rover and its ground may be changed while it drives: keys, words, units, and ranges for sliders.

Ranges are taken from the rover itself. They bound the sliders, not the values: what is allowed is decided by the rules
of the scenario, whatever a page sends.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, log10
from typing import Any

from planetfall.errors import InputError
from planetfall.rover.kinematics.linkage import links_of, side_of
from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.tables.rover import LinkagePoints, Rover

LINKS = {
    "rocker_wheel": "l1, rocker's wheel",
    "rocker_pivot": "l2, bogie's pivot",
    "bogie_inner": "l3, middle wheel",
    "bogie_outer": "l4, outer wheel",
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
        value: What it is at the start of the drive.
    """

    key: str
    group: str
    label: str
    unit: str
    low: float
    high: float
    step: float
    value: float


def controls_of(scenario: DriveScenario) -> list[Control]:
    """Everything that a page may change of a drive, with ranges from the rover at its start."""
    tables = {"rover": scenario.rover, "soil": scenario.soil}
    return [_control(*row, value_at(tables, row[0])) for row in _rows(scenario)]


def _rows(scenario: DriveScenario) -> list[tuple[str, str, str, str, float, float]]:
    """Key, group, label, unit, and about which range, of every control."""
    rover, wheels = scenario.rover, scenario.rover.wheels
    side = side_of(rover.linkage, rover.bogie, "rover.linkage")
    base = abs(side.pivot[0] + side.outer[0] - side.rocker[0])
    forward, _, up = rover.center_of_mass
    out = [
        ("rover.mass", "load", "mass", "kg", 0.5 * rover.mass, 2 * rover.mass),
        ("rover.payload", "load", "payload, on the body", "kg", 0.0, max(rover.mass, 2 * rover.payload)),
    ]
    if rover.arm is not None:
        high = max(0.5 * rover.mass, 2 * rover.arm.payload)
        out.append(("rover.arm.payload", "load", "payload, in the arm", "kg", 0.0, high))
    out += [
        ("rover.center_of_mass.0", "load", "its centre, forward", "m", forward - base / 4, forward + base / 4),
        ("rover.center_of_mass.2", "load", "its centre, up", "m", up - base / 4, up + base / 2),
    ]
    out += _soil_rows(scenario)
    for table, where in _linkages(rover):
        right_side = side_of(getattr(rover, table), rover.bogie, f"rover.{table}")
        for (name, label), length in zip(LINKS.items(), right_side.lengths, strict=True):
            key = f"rover.{table}.{name}"
            out.append((key, "links", f"{label}{where}", "m", 0.6 * length, 1.4 * length))
    return [
        *out,
        ("rover.track", "links", "track", "m", 0.6 * rover.track, 1.4 * rover.track),
        ("rover.wheels.radius", "wheels", "radius", "m", 0.6 * wheels.radius, 1.4 * wheels.radius),
        ("rover.wheels.torque_max", "wheels", "largest torque", "N m", 0.05 * wheels.torque_max,
                 2 * wheels.torque_max),
        ("rover.speed", "wheels", "speed", "m/s", 0.2 * rover.speed, 5 * rover.speed),
    ]  # fmt: skip


def control_values(scenario: DriveScenario, controls: list[Control]) -> list[dict[str, float]]:
    """What the controls stand at in each stretch of a drive, by key."""
    out = []
    for _, rover, soil in scenario.stretches():
        tables = {"rover": rover, "soil": soil}
        out.append({control.key: value_at(tables, control.key) for control in controls})
    return out


def changed_values(rover: Rover, key: str, value: float) -> dict[str, Any]:
    """What has to be set for a control to stand at a value: keys and values of the scenario.

    A link of a rover that is given by its joints turns it into one that is given by its links.
    """
    for table in ("linkage", "linkage_left"):
        name, given = key.removeprefix(f"rover.{table}."), getattr(rover, table)
        if name in LINKS and name != key and isinstance(given, LinkagePoints):
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
        raise InputError(key[:60], "cannot be changed while the rover drives", f"one of {known}")


def _soil_rows(scenario: DriveScenario) -> list[tuple[str, str, str, str, float, float]]:
    soil = scenario.soil
    if soil.law == "bekker":
        return [
            ("soil.friction_angle_deg", "ground", "friction angle", "deg", 10.0, 50.0),
            ("soil.cohesion", "ground", "cohesion", "Pa", 0.0, max(3 * soil.cohesion, 1000.0)),
        ]
    if isinstance(soil.friction, str):  # a map: there is no one number to move
        return []
    return [("soil.friction", "ground", "friction mu", "", 0.05, max(1.5, 1.5 * soil.friction))]


def _linkages(rover: Rover) -> list[tuple[str, str]]:
    """Tables of links, and what to call them."""
    return [("linkage", "")] if rover.linkage_left is None else [("linkage", ", right"), ("linkage_left", ", left")]


def value_at(tables: Mapping[str, Any], key: str) -> float:
    """What a control stands at for a `rover` and a `soil`."""
    rover: Rover = tables["rover"]
    for table in ("linkage", "linkage_left"):
        name, given = key.removeprefix(f"rover.{table}."), getattr(rover, table)
        if name in LINKS and name != key and isinstance(given, LinkagePoints):
            lengths = side_of(given, rover.bogie, f"rover.{table}").lengths
            return dict(zip(LINKS, lengths, strict=True))[name]
    first, *parts = key.split(".")
    node: Any = tables[first]
    for part in parts:
        node = node[int(part)] if part.isdecimal() else getattr(node, part)
    return float(node)


def _control(key: str, group: str, label: str, unit: str, low: float, high: float, value: float) -> Control:
    """A control whose range is widened to whole steps of 1, 2 or 5 times a power of ten."""
    wanted = (high - low) / SLIDER_STEPS
    power = 10.0 ** floor(log10(wanted))
    step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= wanted * 0.999)
    lowest = max(round(low / step) * step, step) if low > 0 else round(low / step) * step
    digits = max(0, -floor(log10(step)))
    highest = round(round(high / step) * step, digits)
    return Control(key, group, label, unit, round(lowest, digits), highest, step, value)
