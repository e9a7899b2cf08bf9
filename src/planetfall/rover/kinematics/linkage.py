"""The mechanism of one side on flat ground: from links and angles, or from the places of its joints."""

from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, pi, radians, sin

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.tables.rover import LinkageLinks, LinkagePoints

LEVEL = 1e-9
"""How far wheel centres on flat ground may differ in height, relative to the size of the mechanism."""


@dataclass(frozen=True)
class Side:
    """One side of the rover on flat ground, x forward and z up [m].

    Attributes:
        pivot: From the differential's axis to the bogie's pivot.
        rocker: From the axis to the centre of the wheel on the rocker.
        inner: From the bogie's pivot to the centre of the middle wheel.
        outer: From the bogie's pivot to the centre of the wheel at the end.
    """

    pivot: tuple[float, float]
    rocker: tuple[float, float]
    inner: tuple[float, float]
    outer: tuple[float, float]

    @property
    def lengths(self) -> tuple[float, float, float, float]:
        """l1, l2, l3, l4 of Hacot1998 [m]."""
        l1, l2, l3, l4 = (hypot(*link) for link in (self.rocker, self.pivot, self.inner, self.outer))
        return l1, l2, l3, l4

    @property
    def angles(self) -> tuple[float, float, float, float]:
        """Angles gamma, alpha, flat Theta2 and beta of Hacot1998 [rad]; of the mirror image where the bogie is aft."""
        turn = 1.0 if self.outer[0] > self.inner[0] else -1.0
        t1, t2, t3, t4 = (atan2(z, turn * x) % (2 * pi) for x, z in (self.rocker, self.pivot, self.inner, self.outer))
        return t1, (t2 - t1) % (2 * pi), t3, (t4 - t3) % (2 * pi)


def side_of(linkage: LinkageLinks | LinkagePoints, bogie: str, where: str) -> Side:
    """One side from its table.

    Args:
        linkage: As in the scenario.
        bogie: "front" or "rear".
        where: Key of the table, for messages.
    """
    side = _from_links(linkage, where) if isinstance(linkage, LinkageLinks) else _from_points(linkage, bogie, where)
    if isinstance(linkage, LinkageLinks) and bogie == "rear":
        side = Side(*((-x, z) for x, z in (side.pivot, side.rocker, side.inner, side.outer)))
    _check_order(side, bogie, where)
    return side


def links_of(side: Side) -> LinkageLinks:
    """The links and angles of a side that is given by its joints; `side_of` takes them back to the same joints."""
    l1, l2, l3, l4 = side.lengths
    _, alpha, _, beta = side.angles
    return LinkageLinks(
        form="links", rocker_wheel=l1, rocker_pivot=l2, bogie_inner=l3, bogie_outer=l4,
        rocker_angle_deg=degrees(alpha), bogie_angle_deg=degrees(beta),
    )  # fmt: skip


def _from_links(links: LinkageLinks, where: str) -> Side:
    """The flat pose that links and angles leave: all three wheel centres at one height, the bogie ahead."""
    l1, l2, l3, l4 = links.rocker_wheel, links.rocker_pivot, links.bogie_inner, links.bogie_outer
    alpha, beta = radians(links.rocker_angle_deg), radians(links.bogie_angle_deg)
    # the vector from the end wheel to the middle one points straight back
    theta_2 = pi - atan2(-l4 * sin(beta), l3 - l4 * cos(beta))
    # the vector from the bogie's pivot to the rocker's wheel falls by what the bogie's wheels hang below it
    x, z = l1 - l2 * cos(alpha), -l2 * sin(alpha)
    span, fall = hypot(x, z), l3 * sin(theta_2)
    if abs(fall) > span:
        raise InputError(
            where, f"no flat pose: the bogie hangs {abs(fall):.6g} m below its pivot, the rocker spans {span:.6g} m",
            "a rocker whose wheel reaches the height of the bogie's wheels", "check lengths and angles",
        )  # fmt: skip
    theta_1 = pi - float(np.arcsin(fall / span)) - atan2(z, x)
    ray = lambda length, angle: (length * cos(angle), length * sin(angle))  # noqa: E731
    return Side(ray(l2, theta_1 + alpha), ray(l1, theta_1), ray(l3, theta_2), ray(l4, theta_2 + beta))


def _from_points(points: LinkagePoints, bogie: str, where: str) -> Side:
    wheels = {"rear": points.rear, "middle": points.middle, "front": points.front}
    size = hypot(points.front[0] - points.rear[0], points.axis[1] - points.rear[1])
    if np.ptp([z for _, z in wheels.values()]) > LEVEL * size:
        raise InputError(
            where,
            f"the wheel centres have the heights {', '.join(f'{name} {z:g}' for name, (_, z) in wheels.items())} m",
            "three equal heights: points are those of the rover on flat ground",
            "give these points; from a URDF they are read with all joints at zero",
        )  # fmt: skip
    rocker, outer = (points.rear, points.front) if bogie == "front" else (points.front, points.rear)
    away = lambda end, start: (end[0] - start[0], end[1] - start[1])  # noqa: E731
    return Side(
        away(points.pivot, points.axis), away(rocker, points.axis), away(points.middle, points.pivot),
        away(outer, points.pivot),
    )  # fmt: skip


def _check_order(side: Side, bogie: str, where: str) -> None:
    """Refuses mechanisms that cannot carry anything on flat ground."""
    ahead = 1.0 if bogie == "front" else -1.0
    inner, outer = ahead * side.inner[0], ahead * side.outer[0]
    if not inner < 0.0 < outer:
        raise InputError(
            where, f"the bogie's wheels stand {inner:g} and {outer:g} m from its pivot, towards its end of the rover",
            "the middle one on one side of the pivot, the other beyond it", "check the angle of the bogie",
        )  # fmt: skip
    rocker, pivot = ahead * side.rocker[0], ahead * side.pivot[0]
    if not rocker < 0.0 < pivot:
        raise InputError(
            where, f"towards the bogie, its pivot is {pivot:g} m and the rocker's wheel {rocker:g} m from the axis",
            "on opposite sides of the differential's axis", "check the angle of the rocker",
        )  # fmt: skip
    if rocker >= pivot + inner:
        raise InputError(
            where, "the wheel on the rocker does not stand outside of the middle wheel", "rear, middle, front"
        )
