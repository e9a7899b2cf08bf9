"""A manipulator of three joints on the rover's body: where its tip and its masses are."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planetfall.scenario.tables.rover import RoverArm


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
