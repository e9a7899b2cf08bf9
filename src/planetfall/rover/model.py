"""A rover made ready for the kernels: checked geometry, mass properties with the manipulator, parameter struct."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import inf, radians
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.device import start_warp
from planetfall.errors import InputError
from planetfall.rover.kinematics.linkage import Side, side_of
from planetfall.rover.params import LinkParams, mat22d, mat62d, vec6d, vec6i
from planetfall.rover.statics.balance import BodyParams
from planetfall.rover.statics.margins import PolygonParams, flat_margins_kernel
from planetfall.scenario.tables.rover import Rover, RoverArm


@dataclass(frozen=True)
class ArmPose:
    """The arm in one pose, body frame, from the middle of the differential's axis.

    Attributes:
        joints_B: Shoulder, elbow and tip [m], [3, 3].
        mass: Links and payload [kg].
        moment_B: Mass times position, summed [kg m].
        tip_force_B: Force on the tip [N].
    """

    joints_B: np.ndarray
    mass: float
    moment_B: np.ndarray
    tip_force_B: np.ndarray


def arm_pose(arm: RoverArm) -> ArmPose:
    """Forward kinematics of the arm: azimuth about the up axis, then two pitches in one vertical plane of the body."""
    azimuth, shoulder, elbow = np.radians(arm.joints_deg)
    out = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
    up = np.array([0.0, 0.0, 1.0])
    joints = [np.asarray(arm.base, float)]
    for length, pitch in zip(arm.lengths, (shoulder, shoulder + elbow), strict=True):
        joints.append(joints[-1] + length * (np.cos(pitch) * out + np.sin(pitch) * up))
    middles = [(a + b) / 2 for a, b in pairwise(joints)]
    moment = sum(m * p for m, p in zip(arm.masses, middles, strict=True)) + arm.payload * joints[-1]
    return ArmPose(
        np.array(joints), sum(arm.masses) + arm.payload, np.asarray(moment), np.asarray(arm.tip_force, float)
    )


SIDES = ("right", "left")
WHEELS = ("rear", "middle", "front")
WHEEL_NAMES = tuple(f"{wheel} {side}" for side in SIDES for wheel in WHEELS)
"""Names of the wheels in the order of every result."""
ALIKE = 1e-9
"""Relative difference of lengths [1] below which they count as equal: wheels may touch."""


@dataclass(frozen=True)
class RoverModel:
    """A rover whose geometry has been checked.

    Attributes:
        table: The scenario's table.
        sides: Right and left mechanism on flat ground.
        arm: The manipulator's pose, if there is one.
    """

    table: Rover
    sides: tuple[Side, Side]
    arm: ArmPose | None

    @property
    def mass(self) -> float:
        """Mass with the payload, and with the manipulator and what it holds [kg]."""
        return self.table.mass + self.table.payload + (self.arm.mass if self.arm else 0.0)

    @property
    def center_of_mass_B(self) -> np.ndarray:
        """Centre of all that mass [m], from the middle of the differential's axis, body frame."""
        moment = self.table.mass * np.asarray(self.table.center_of_mass)
        moment = moment + self.table.payload * np.asarray(self.table.payload_position)
        return (moment + (self.arm.moment_B if self.arm else 0.0)) / self.mass

    @property
    def order(self) -> np.ndarray:
        """Index in the kernels' order (rocker, inner, outer) of each wheel in the order of results."""
        one = (0, 1, 2) if self.table.bogie == "front" else (2, 1, 0)
        return np.array([3 * side + k for side in range(2) for k in one])

    @cached_property
    def links(self) -> Any:
        """The mechanism as the kernels take it."""
        start_warp()
        wheels = self.table.wheels
        params = LinkParams()
        params.pivot = mat22d(*np.ravel([side.pivot for side in self.sides]))
        params.arm = mat62d(*np.ravel([[side.rocker, side.inner, side.outer] for side in self.sides]))
        params.aside = vec6d(*self.aside[np.argsort(self.order)])
        params.radius = wheels.radius
        params.half_width = wheels.width / 2 if wheels.contact == "wide" else 0.0
        for name in ("bogie_stop", "rocker_stop"):
            limit = getattr(self.table, f"{name}_deg")
            setattr(params, name, inf if limit is None else radians(limit))
        return params

    def body(self, gravity: float) -> Any:
        """What the body carries, as the kernels take it, under a gravity [m/s^2]."""
        start_warp()
        params = BodyParams()
        params.weight, params.center = self.mass * gravity, wp.vec3d(*self.center_of_mass_B)
        if self.arm is not None:
            params.tip, params.tip_force = wp.vec3d(*self.arm.joints_B[2]), wp.vec3d(*self.arm.tip_force_B)
        return params

    @cached_property
    def polygon(self) -> Any:
        """Corners of the support polygon: a middle wheel is one where it stands outside of its neighbours' line."""
        start_warp()
        rear, middle, front = self.table.wheels.offset
        along = [side.pivot[0] + side.inner[0] for side in self.sides]
        ring = []
        for i, turn in ((0, 1), (1, -1)):
            at = {w: self.order[3 * i + k] for k, w in enumerate(WHEELS)}
            ends = sorted((self.sides[i].rocker[0], self.sides[i].pivot[0] + self.sides[i].outer[0]))
            line = np.interp(along[i], ends, (rear, front))
            names = ("rear", "middle", "front") if middle > line + 1e-9 * self.table.track else ("rear", "front")
            ring += [at[name] for name in names[::turn]]
        params = PolygonParams()
        params.corner, params.n_corners = vec6i(*ring, *[0] * (6 - len(ring))), len(ring)
        params.ahead = 1.0 if self.table.bogie == "front" else -1.0
        return params

    @cached_property
    def flat_margins(self) -> tuple[float, float]:
        """Stability and unloading angle [rad] on flat ground under the weight alone."""
        start_warp()
        out = wp.zeros(2, dtype=wp.float64, device="cpu")
        inputs = [self.links, self.polygon, self.body(gravity=1.0)]
        wp.launch(flat_margins_kernel, 1, inputs=inputs, outputs=[out], device="cpu")
        stability, unloading = out.numpy()
        return float(stability), float(unloading)

    @property
    def aside(self) -> np.ndarray:
        """How far left of the middle plane each wheel stands [m], in the order of results."""
        outward = self.table.track / 2 + np.asarray(self.table.wheels.offset)
        return np.concatenate([-outward, outward])

    @property
    def footprint(self) -> tuple[float, float, float]:
        """How far the rims reach behind and ahead of the middle wheels' axle, and half the rover's width [m]."""
        side, radius = self.sides[0], self.table.wheels.radius
        middle = side.pivot[0] + side.inner[0]
        ends = sorted((side.rocker[0], side.pivot[0] + side.outer[0]))
        half = float(np.abs(self.aside).max()) + (self.table.wheels.width or 0.7 * radius) / 2
        return middle - ends[0] + radius, ends[1] - middle + radius, half

    @property
    def length(self) -> float:
        """From the rear wheel's rim to the front one's [m]."""
        behind, ahead, _ = self.footprint
        return behind + ahead


def rover_model(table: Rover) -> RoverModel:
    """Checks a rover's geometry and makes it ready."""
    right = side_of(table.linkage, table.bogie, "rover.linkage")
    left = right
    if table.linkage_left is not None:
        left = side_of(table.linkage_left, table.bogie, "rover.linkage_left")
    for side in (right, left):
        _check_overlap(table, side)
    return RoverModel(table, (right, left), arm_pose(table.arm) if table.arm else None)


def _check_overlap(table: Rover, side: Side) -> None:
    """Refuses wheels that are too large to stand one behind the other, unless they stand beside each other."""
    wheels, ends = table.wheels, sorted((side.rocker[0], side.pivot[0] + side.outer[0]))
    along = (ends[0], side.pivot[0] + side.inner[0], ends[1])
    for i, j in ((0, 1), (1, 2)):
        apart, beside = along[j] - along[i], abs(wheels.offset[j] - wheels.offset[i])
        if 2 * wheels.radius > apart * (1 + ALIKE) and (beside == 0 or beside < wheels.width * (1 - ALIKE)):
            raise InputError(
                "rover.wheels.radius", f"{wheels.radius:g} m; the {WHEELS[i]} and the {WHEELS[j]} wheel would overlap",
                f"at most {apart / 2:g} m, half the distance of their centres",
                "give the radius, not the diameter, in metres",
            )  # fmt: skip
