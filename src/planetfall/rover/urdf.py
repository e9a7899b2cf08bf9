"""The mechanism of a rocker-bogie rover from a URDF, by the tree of its joints.

A rocker is what hangs on a joint with a lateral axis and holds three wheels; of these, the two that hang together on
one further lateral joint make the bogie. A wheel is a lateral joint with no other below it. All joints stand at zero,
which must be the pose on flat ground. Mass, centre of mass, wheel radius and torques are not taken from the file.
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
LATERAL = 0.999
"""Cosine of the largest angle between a lateral joint's axis and y."""


@dataclass
class _Joint:
    """A joint at its place in the frame of the root, with what hangs on it."""

    name: str
    position: np.ndarray
    axis: np.ndarray | None
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


def rover_values(path: str | Path) -> dict[str, Any]:
    """Keys of a rover from its URDF, as `load_rover` takes them: bogie, track, linkage, linkage_left, wheels.offset.

    Raises:
        InputError: The file cannot be read, or its joints are not those of a rocker-bogie.
    """
    joints = _joints(path)
    rockers = [joint for joint in joints if joint.is_lateral and len(joint.wheels) == 3]
    if len(rockers) != 2:
        raise InputError(
            str(path), f"{len(rockers)} joints with a lateral axis hold three wheels", "two, the rockers",
            "the URDF of a rover with rockers and bogies is needed, lateral axes along y",
        )  # fmt: skip
    up = -1.0 if rockers[0].wheels[0].position[2] > rockers[0].position[2] else 1.0
    # x forward; where z points down, y points right
    rockers.sort(key=lambda joint: up * joint.position[1])
    right, left = (_side(rocker, up, str(path)) for rocker in rockers)
    if right["bogie"] != left["bogie"]:
        raise InputError(str(path), "one bogie is in front and the other aft", "both at the same end")
    middle = (left["aside"].mean() + right["aside"].mean()) / 2
    outward = [middle - right["aside"], left["aside"] - middle]
    if not np.allclose(*outward, rtol=0, atol=1e-3):
        raise InputError(str(path), "the wheels of the two sides stand at different distances", "within 1 mm")
    track = 2 * float(np.mean([outward[0][[0, 2]], outward[1][[0, 2]]]))
    values: dict[str, Any] = {"bogie": right["bogie"], "track": track, "linkage": right["points"]}
    if left["points"] != right["points"]:
        values["linkage_left"] = left["points"]
    offset = np.mean(outward, axis=0) - track / 2
    return {**values, "wheels.offset": [round(float(v), 12) for v in offset]}


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
    aside = np.array([up * wheel.position[1] for wheel in wheels])
    return {"bogie": "front" if on_bogie[2] else "rear", "points": points, "aside": aside}


def _joints(path: str | Path) -> list[_Joint]:
    """All joints of a file, placed in the frame of its root with every joint at zero."""
    given: dict[str, list[ElementTree.Element]] = {}
    children = set()
    for element in _root(path).iter("joint"):
        parent, child = element.find("parent"), element.find("child")
        if parent is None or child is None:
            continue  # a transmission or a mimic names joints too
        given.setdefault(parent.get("link", ""), []).append(element)
        children.add(child.get("link", ""))
    found: list[_Joint] = []

    def hang(link: str, position: np.ndarray, turn: Rotation, depth: int) -> list[_Joint]:
        if depth > 100:
            raise InputError(str(path), "the joints form a loop, or a chain of more than 100", "a tree")
        hanging = []
        for element in given.get(link, []):
            offset, rpy = (_numbers(element.find("origin"), key, path) for key in ("xyz", "rpy"))
            at, there = position + turn.apply(offset), turn * Rotation.from_euler("xyz", rpy)
            axis = None
            if element.get("type") in ("revolute", "continuous"):
                axis = there.apply(_numbers(element.find("axis"), "xyz", path, (1.0, 0.0, 0.0)))
                axis = axis / np.linalg.norm(axis)
            joint = _Joint(element.get("name", "?"), at, axis)
            child = element.find("child")
            joint.children = hang("" if child is None else child.get("link", ""), at, there, depth + 1)
            found.append(joint)
            hanging.append(joint)
        return hanging

    for root in sorted(set(given) - children):
        hang(root, np.zeros(3), Rotation.identity(), 0)
    return found


def _root(path: str | Path) -> ElementTree.Element:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error})", "a URDF file") from None
    if len(data) > MAX_BYTES or b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise InputError(str(path), "too large, or with declarations of its own", "a plain URDF of at most 16 MiB")
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise InputError(str(path), f"not XML: {error}", "a URDF file") from None
    if root.tag != "robot":
        raise InputError(str(path), f"the root is <{root.tag}>", "<robot>, as in a URDF")
    return root


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
    if values.shape != (3,) or not np.all(np.isfinite(values)):
        raise InputError(str(path), f"{key}={text!r}", "three numbers")
    return values
