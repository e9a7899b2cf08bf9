"""A rocker-bogie rover from a URDF: its mechanism by the tree of its joints, its mass, wheels and torques by its links.

A rocker is what hangs on a joint with a lateral axis and holds three wheels; of these, the two that hang together on
one further lateral joint make the bogie. A wheel is a lateral joint with no other below it. All joints stand at zero,
which must be the pose on flat ground; x points forward. Limits of the joints of rockers and bogies are their stops.
What a file does not say is a gap, and is named.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

from planetfall.errors import InputError

MAX_BYTES = 16 * 2**20
"""Largest file that is read: joints take kilobytes."""
MAX_JOINTS = 2000
"""Largest number of joints: Perseverance with all its tools has 114."""
LARGEST = 1e30
"""No length, mass, angle or torque is larger, in whatever unit: squares and their products stay finite."""
MAX_DEPTH = 100
"""Longest chain of joints."""
MAX_TORQUE = 1e9
"""Limit of effort [N m] from which on a joint counts as one without: exporters write the largest number there is."""
LATERAL = 0.999
"""Cosine of the largest angle between a lateral joint's axis and y."""
ALIKE = 1e-3
"""Largest difference [m] of wheels, and of their heights, that count as alike: turns are written as 1.5708."""


@dataclass(frozen=True)
class RoverFile:
    """What a URDF says of a rover.

    Attributes:
        values: Keys of a rover's table, nested as in TOML.
        gaps: Keys that a rover needs and the file does not give, each with the reason.
        notes: What was made of limits that are not those of a stop, and of efforts that differ, in sentences by key.
        inertia_B: About the centre of mass [kg m^2], body frame (x forward, y left, z up), [3, 3]; none without masses.
            A drive is quasi-static and has no use for it.
    """

    values: dict[str, Any]
    gaps: dict[str, str]
    notes: dict[str, str]
    inertia_B: np.ndarray | None


@dataclass
class _Joint:
    """A joint at its place in the root's frame, the link that hangs on it, limits of effort [N m] and angle [rad]."""

    name: str
    child: str
    position: np.ndarray
    turn: Rotation
    axis: np.ndarray | None
    effort: float
    limits: tuple[float, float]
    children: list["_Joint"] = field(default_factory=list)

    @property
    def is_lateral(self) -> bool:
        return self.axis is not None and abs(self.axis[1]) > LATERAL

    def below(self) -> Iterator["_Joint"]:
        """Every joint that hangs on this one."""
        for child in self.children:
            yield child
            yield from child.below()

    @property
    def wheels(self) -> list["_Joint"]:
        """Lateral joints below with none further below."""
        return [joint for joint in self.below() if joint.is_lateral and not any(j.is_lateral for j in joint.below())]


def read_rover_urdf(path: str | Path) -> RoverFile:
    """A rover from its URDF.

    Raises:
        InputError: The file cannot be read, or its joints are not those of a rocker-bogie.
    """
    root = _root(path)
    joints, roots = _joints(root, path)
    right, left, up = _sides(joints, path)
    wheels, values = [*right["wheels"], *left["wheels"]], _mechanism(right, left, path)
    links = {link.get("name", ""): link for link in root.iter("link")}
    middle = (right["rocker"].position + left["rocker"].position) / 2
    flip = np.diag([1.0, up, up])  # where z points down, y points right
    frames = {joint.child: (joint.position, joint.turn) for joint in joints}
    frames |= {name: (np.zeros(3), Rotation.identity()) for name in roots}
    mass, center, inertia = _mass(links, frames, path)
    gaps: dict[str, str] = {}
    if mass == 0:
        gaps |= {key: "its links weigh nothing" for key in ("mass", "center_of_mass")}
    else:
        values |= {"mass": mass, "center_of_mass": [round(float(v), 12) for v in flip @ (center - middle)]}
    for key, found, reason in (_round_wheels(links, wheels, path), _torque(wheels)):
        values["wheels"] |= found
        gaps |= {} if found else {key: reason}
    values["name"] = root.get("name") or Path(path).stem
    notes: dict[str, str] = {}
    for key, stop, note in (_rocker_stop(right["rocker"], left["rocker"]), _bogie_stop(right["pivot"], left["pivot"])):
        values |= {} if stop is None else {key: stop}
        notes |= {key: note} if note else {}
    efforts = [wheel.effort for wheel in wheels]
    if "torque_max" in values["wheels"] and max(efforts) > min(efforts):
        notes["wheels.torque_max"] = (
            f"the efforts of its wheels differ, {min(efforts):g} to {max(efforts):g} N m; the least is that of all"
        )
    return RoverFile(values, gaps, notes, flip @ inertia @ flip if mass > 0 else None)


def _sides(joints: list[_Joint], path: str | Path) -> tuple[dict[str, Any], dict[str, Any], float]:
    """The right and the left side, and +1 where z points up in the file, -1 where it points down."""
    rockers = [joint for joint in joints if joint.is_lateral and len(joint.wheels) == 3]
    if len(rockers) != 2:
        _check_axes(joints, path)
        raise InputError(
            str(path), f"{len(rockers)} joints with a lateral axis hold three wheels", "two, the rockers",
            "the URDF of a rover with rockers and bogies is needed, lateral axes along y",
        )  # fmt: skip
    up = -1.0 if rockers[0].wheels[0].position[2] > rockers[0].position[2] else 1.0
    # x forward; where z points down, y points right
    rockers.sort(key=lambda joint: up * joint.position[1])
    right, left = (_side(rocker, up, str(path)) for rocker in rockers)
    return right, left, up


def _check_axes(joints: list[_Joint], path: str | Path) -> None:
    """Refuses wheels that turn about x: that is also the axis of a joint that gives none."""
    ends = [joint for joint in joints if joint.axis is not None and all(j.axis is None for j in joint.below())]
    forward = [joint.name for joint in ends if joint.axis is not None and abs(joint.axis[0]) > LATERAL]
    if len(forward) > 2:
        raise InputError(
            str(path), f"the axes of {len(forward)} wheel joints ({', '.join(forward[:3])}, ...) point forward (x)",
            "axes that point sideways (y), about which wheels roll",
            'write <axis xyz="0 1 0"/> into them; a joint without <axis> has x',
        )  # fmt: skip


def _rocker_stop(right: _Joint, left: _Joint) -> tuple[str, float | None, str]:
    """How far rockers turn against the body: the differential turns one up by as much as the other down."""
    (low, high), (left_low, left_high) = _turn(right), _turn(left)
    return _stop("rocker_stop_deg", [(max(low, -left_high), min(high, -left_low))], (right, left))


def _bogie_stop(right: _Joint, left: _Joint) -> tuple[str, float | None, str]:
    """How far bogies turn against their rockers."""
    return _stop("bogie_stop_deg", [_turn(right), _turn(left)], (right, left))


def _turn(joint: _Joint) -> tuple[float, float]:
    """Limits [rad] about y, from those about the joint's own axis."""
    low, high = joint.limits
    return (low, high) if joint.axis is None or joint.axis[1] > 0 else (-high, -low)


def _stop(key: str, ranges: list[tuple[float, float]], joints: tuple[_Joint, _Joint]) -> tuple[str, float | None, str]:
    """The largest angle [deg] that is inside all ranges [rad] both ways; a half turn and more is no stop."""
    low, high = max(pair[0] for pair in ranges), min(pair[1] for pair in ranges)
    names = " and ".join(joint.name for joint in joints)
    if not low < 0.0 < high:
        return key, None, (
            f"limits of {names} do not allow both ways from zero, the pose on flat ground: no stop is read from them "
            f"(rover.{key} gives one)"
        )  # fmt: skip
    least = min(-low, high)
    if least >= np.pi:
        return key, None, ""
    stop = round(float(np.degrees(least)), 12)
    if all(abs(side - least) <= 1e-9 for pair in ranges for side in (-pair[0], pair[1])):
        return key, stop, ""
    note = f"limits of {names} are not the same both ways; the narrowest, {stop:.4g} deg, is the stop both ways"
    return key, stop, note


def _mechanism(right: dict[str, Any], left: dict[str, Any], path: str | Path) -> dict[str, Any]:
    """Bogie, track, linkages and offsets of the wheels."""
    if right["bogie"] != left["bogie"]:
        raise InputError(str(path), "one bogie is in front and the other aft", "both at the same end")
    middle = (left["aside"].mean() + right["aside"].mean()) / 2
    outward = [middle - right["aside"], left["aside"] - middle]
    if not np.allclose(*outward, rtol=0, atol=ALIKE):
        raise InputError(str(path), "the wheels of the two sides stand at different distances", "within 1 mm")
    track = 2 * float(np.mean([outward[0][[0, 2]], outward[1][[0, 2]]]))
    values: dict[str, Any] = {"bogie": right["bogie"], "track": track, "linkage": right["points"]}
    if left["points"] != right["points"]:
        values["linkage_left"] = left["points"]
    offset = np.mean(outward, axis=0) - track / 2
    return {**values, "wheels": {"offset": [round(float(v), 12) for v in offset]}}


def _mass(
    links: dict[str, ElementTree.Element], frames: dict[str, tuple[np.ndarray, Rotation]], path: str | Path
) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], centre of mass [m] and inertia about it [kg m^2] of all links, in the frame of the root."""
    masses, centers, inertias = [], [], []
    for name, link in links.items():
        inertial = link.find("inertial")
        if inertial is None or name not in frames:
            continue
        position, turn = frames[name]
        offset, rpy = (_numbers(inertial.find("origin"), key, path) for key in ("xyz", "rpy"))
        masses.append(_number(inertial.find("mass"), "value", path))
        if masses[-1] < 0:
            raise InputError(str(path), f"link {name} has a mass of {masses[-1]:g} kg", "zero or more")
        centers.append(position + turn.apply(offset))
        R = (turn * Rotation.from_euler("xyz", rpy)).as_matrix()
        inertias.append(R @ _tensor(inertial.find("inertia"), path) @ R.T)
    total = float(np.sum(masses))
    if total == 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    center = np.average(centers, axis=0, weights=masses)
    steiner = [m * (d @ d * np.eye(3) - np.outer(d, d)) for m, d in zip(masses, centers - center, strict=True)]
    return total, center, np.sum(inertias, axis=0) + np.sum(steiner, axis=0)


def _tensor(element: ElementTree.Element | None, path: str | Path) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = (_number(element, f"i{key}", path) for key in ("xx", "xy", "xz", "yy", "yz", "zz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _round_wheels(
    links: dict[str, ElementTree.Element], wheels: list[_Joint], path: str | Path
) -> tuple[str, dict[str, float], str]:
    """Radius and width of the wheels, where all six have a cylinder or a sphere."""
    key, found = "wheels.radius", []
    for wheel in wheels:
        link = links.get(wheel.child)
        shapes = [] if link is None else [*link.iterfind("collision/geometry/*"), *link.iterfind("visual/geometry/*")]
        round_ones = [shape for shape in shapes if shape.tag in ("cylinder", "sphere")]
        if not round_ones:
            kinds = " and ".join(sorted({shape.tag for shape in shapes})) or "nothing"
            return key, {}, f"the wheel on {wheel.name} is made of {kinds}, not of a cylinder or a sphere"
        is_cylinder = round_ones[0].tag == "cylinder"
        radius = _number(round_ones[0], "radius", path)
        found.append((radius, _number(round_ones[0], "length", path) if is_cylinder else 0.0))
    if np.ptp(found, axis=0).max() > ALIKE:
        raise InputError(str(path), "its wheels differ in radius or width", "all alike, within 1 mm")
    radius, width = (round(float(v), 12) for v in np.mean(found, axis=0))
    return key, {"radius": radius, "width": width} if radius > 0 else {}, "its wheels have a radius of 0 m"


def _torque(wheels: list[_Joint]) -> tuple[str, dict[str, float], str]:
    """The weakest motor of the wheels, by the limits of their joints."""
    least = min(wheel.effort for wheel in wheels)
    reason = f"the joints of its wheels have no limit of effort between 0 and {MAX_TORQUE:g} N m"
    return "wheels.torque_max", {"torque_max": least} if 0 < least < MAX_TORQUE else {}, reason


def _side(rocker: _Joint, up: float, where: str) -> dict[str, Any]:
    """One side: which end the bogie is at, its points, and how far left its wheels stand."""
    wheels = sorted(rocker.wheels, key=lambda joint: joint.position[0])
    pivots = [joint for joint in rocker.below() if joint.is_lateral and len(joint.wheels) == 2]
    if len(pivots) != 1:
        raise InputError(where, f"below {rocker.name} {len(pivots)} joints hold two wheels", "one, the bogie's pivot")
    on_bogie = [any(wheel is held for held in pivots[0].wheels) for wheel in wheels]
    if on_bogie not in ([False, True, True], [True, True, False]):
        raise InputError(where, f"the bogie {pivots[0].name} holds the outer wheels", "the middle and one other")
    place = lambda joint: (round(float(joint.position[0]), 12), round(float(up * joint.position[2]), 12))  # noqa: E731
    names = ("rear", "middle", "front")
    points = {"form": "points", "axis": place(rocker), "pivot": place(pivots[0])}
    points |= {name: place(wheel) for name, wheel in zip(names, wheels, strict=True)}
    heights = [points[name][1] for name in names]
    if 0 < np.ptp(heights) <= ALIKE:
        points |= {name: (points[name][0], round(float(np.mean(heights)), 12)) for name in names}
    aside = np.array([up * wheel.position[1] for wheel in wheels])
    bogie = "front" if on_bogie[2] else "rear"
    return {
        "rocker": rocker, "pivot": pivots[0], "wheels": wheels, "bogie": bogie, "points": points, "aside": aside,
    }  # fmt: skip


def _joints(root: ElementTree.Element, path: str | Path) -> tuple[list[_Joint], list[str]]:
    """All joints of a file in the frame of its root, with every joint at zero; and the links that hang on none."""
    given = _by_parent(root, path)
    children = {_link(element, "child") for elements in given.values() for element in elements}
    roots, found = sorted(set(given) - children), []

    def hang(link: str, position: np.ndarray, turn: Rotation, depth: int) -> list[_Joint]:
        if depth > MAX_DEPTH:
            raise InputError(str(path), f"has a chain of more than {MAX_DEPTH} joints", "fewer")
        hanging = []
        for element in given.get(link, []):
            offset, rpy = (_numbers(element.find("origin"), key, path) for key in ("xyz", "rpy"))
            at, there = position + turn.apply(offset), turn * Rotation.from_euler("xyz", rpy)
            child, axis, limit = _link(element, "child"), _axis(element, there, path), element.find("limit")
            effort = 0.0 if limit is None or limit.get("effort") is None else _number(limit, "effort", path, np.inf)
            joint = _Joint(element.get("name", "?"), child, at, there, axis, effort, _limits(element, path))
            joint.children = hang(child, at, there, depth + 1)
            found.append(joint)
            hanging.append(joint)
        return hanging

    for name in roots:
        hang(name, np.zeros(3), Rotation.identity(), 0)
    if len(found) < len(children):
        raise InputError(
            str(path), "its joints form a loop", "a tree, in which every link has at most one parent joint"
        )
    return found, roots


def _limits(joint: ElementTree.Element, path: str | Path) -> tuple[float, float]:
    """Limits of a joint's angle [rad]; infinite for a joint that turns on, and where the file gives none."""
    limit = joint.find("limit")
    if joint.get("type") != "revolute" or limit is None or limit.get("lower", limit.get("upper")) is None:
        return -np.inf, np.inf
    return _number(limit, "lower", path, np.inf), _number(limit, "upper", path, np.inf)


def _by_parent(root: ElementTree.Element, path: str | Path) -> dict[str, list[ElementTree.Element]]:
    """Joints by the link on which they sit; every link hangs on one at most."""
    given: dict[str, list[ElementTree.Element]] = {}
    held_by: dict[str, str] = {}
    for element in root.iter("joint"):
        if element.find("parent") is None or element.find("child") is None:
            continue  # a transmission or a mimic names joints too
        name, child = element.get("name", "?"), _link(element, "child")
        if child in held_by:
            raise InputError(
                str(path), f"link {child[:60]!r} has two parent joints, {held_by[child][:60]!r} and {name[:60]!r}",
                "a tree, in which every link has at most one parent joint",
            )  # fmt: skip
        held_by[child] = name
        if len(held_by) > MAX_JOINTS:
            raise InputError(str(path), f"has more than {MAX_JOINTS} joints", "a rover")
        given.setdefault(_link(element, "parent"), []).append(element)
    return given


def _link(joint: ElementTree.Element, end: str) -> str:
    """The name of the link at an end of a joint, "parent" or "child"."""
    element = joint.find(end)
    return "" if element is None else element.get("link", "")


def _axis(joint: ElementTree.Element, turn: Rotation, path: str | Path) -> np.ndarray | None:
    """Unit vector of a joint that turns, in the frame of the root; none for the others."""
    if joint.get("type") not in ("revolute", "continuous"):
        return None
    axis = turn.apply(_numbers(joint.find("axis"), "xyz", path, (1.0, 0.0, 0.0)))
    length = float(np.linalg.norm(axis))
    if not length > 0:
        raise InputError(str(path), f"joint {joint.get('name', '?')} has an axis of no length", "a direction")
    return axis / length


class _NoDoctype(ElementTree.TreeBuilder):
    """Refuses declarations, which can name other files and entities without end, in whatever encoding."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise InputError(f"<!DOCTYPE {name[:60]}>", "is a declaration of its own", "a plain URDF without one")


def _root(path: str | Path) -> ElementTree.Element:
    file = Path(path).expanduser()
    try:
        if file.exists() and not file.is_file():
            raise InputError(str(path), "is no file", "a URDF file")
        if file.stat().st_size > MAX_BYTES:
            raise InputError(str(path), "is too large", "a URDF of at most 16 MiB")
        data = file.read_bytes()
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror or error})", "a URDF file") from None
    try:
        root = ElementTree.fromstring(data, parser=ElementTree.XMLParser(target=_NoDoctype()))
    except InputError as error:
        raise InputError(str(path), f"{error.where} {error.problem}", "a plain URDF without one") from None
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise InputError(str(path), f"not XML: {error}", "a URDF file") from None
    if b"xacro" in data[:4096] and any("xacro" in element.tag for element in root.iter()):
        raise InputError(str(path), "holds xacro macros", "a plain URDF", f"expand them: xacro {path} > rover.urdf")
    if root.tag != "robot":
        raise InputError(str(path), f"the root is <{root.tag[:60]}>", "<robot>, as in a URDF")
    return root


def _number(element: ElementTree.Element | None, key: str, path: str | Path, largest: float = LARGEST) -> float:
    text = None if element is None else element.get(key)
    try:
        value = float(text or "0")
    except ValueError:
        value = np.nan
    if not abs(value) <= largest:
        raise InputError(str(path), f"{key}={str(text)[:60]!r}", f"a number, at most {LARGEST:g}")
    return value


def _numbers(
    element: ElementTree.Element | None, key: str, path: str | Path, default: tuple[float, ...] = (0.0, 0.0, 0.0)
) -> np.ndarray:
    text = None if element is None else element.get(key)
    if text is None:
        return np.array(default)
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.zeros(0)
    if values.shape != (3,) or not np.all(np.abs(values) <= LARGEST):
        raise InputError(str(path), f"{key}={text[:60]!r}", f"three numbers, at most {LARGEST:g}")
    return values
