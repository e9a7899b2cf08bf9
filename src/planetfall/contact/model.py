"""What a contact law is to the engine.

A law sees one contact point at a time, in the body's axes: where the ground is, how fast the point moves over it, and
the point's *mode*, a small integer that names the smooth branch of the law it is on. `mode` says which branch an
instantaneous state belongs to; `contact` evaluates one branch, smoothly continued beyond its border. An integrator that
locates events freezes the modes during a step; a fixed-step one asks for the mode in every stage.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import warp as wp

MODE_APART = wp.constant(0)
"""The mode that every law uses for a point that carries no load and is out of the ground."""

CONTACT_NONE = wp.constant(0)
CONTACT_STATIC = wp.constant(1)
CONTACT_KINETIC = wp.constant(2)


@wp.struct
class PointContact:
    """What the ground does to one contact point.

    `force` [N] on the vehicle, in the axes that the law was given; `normal_force` [N], positive away from the ground;
    `friction_force` magnitude [N]; `elastic` energy stored [J]; `damper_power` and `friction_power` [W], negative where
    energy leaves the vehicle.
    """

    force: wp.vec3d
    normal_force: wp.float64
    friction_force: wp.float64
    elastic: wp.float64
    damper_power: wp.float64
    friction_power: wp.float64


@dataclass(frozen=True)
class ContactLaw:
    """A contact law as the kernel builder takes it.

    Attributes:
        name: Name in scenario files; also part of the kernel cache key.
        params: Function from the number of bodies to the `@wp.struct` class that holds every number of the law.
        mode: Function from that struct class to `@wp.func (params, body, ground, velocity) -> mode`;
            MODE_APART wherever the gap is not negative.
        contact: Function from that struct class to
            `@wp.func (params, body, mode, ground, velocity) -> PointContact`.
        reported: `@wp.func (mode) -> 0 none | 1 static | 2 kinetic`, the modes in the terms of the result files.
    """

    name: str
    params: Callable[[int], Any]
    mode: Callable[[Any], Any]
    contact: Callable[[Any], Any]
    reported: Any
