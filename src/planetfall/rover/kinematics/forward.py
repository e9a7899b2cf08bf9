"""Where everything on a standing rover is: for drawing, for records, and to close the loop of the kinematics."""

from dataclasses import dataclass

import numpy as np

from planetfall.rover.kinematics.poses import Poses


@dataclass(frozen=True)
class Joints:
    """Places in the surface frame [m], for n poses; wheels in the order of `model.WHEEL_NAMES`.

    Attributes:
        axis_L: Ends of the differential's axis, right and left, [n, 2, 3].
        pivot_L: Pivots of the bogies, right and left, [n, 2, 3].
        wheel_L: Centres of the wheels, [n, 6, 3].
        contact_L: Where the wheels touch, [n, 6, 3].
        center_L: Centre of mass, manipulator included, [n, 3].
        arm_L: Shoulder, elbow and tip of the manipulator, [n, 3, 3]; none without one.
        R_LB: From the body frame to the surface frame, [n, 3, 3].
    """

    axis_L: np.ndarray
    pivot_L: np.ndarray
    wheel_L: np.ndarray
    contact_L: np.ndarray
    center_L: np.ndarray
    arm_L: np.ndarray | None
    R_LB: np.ndarray


def joints_of(poses: Poses) -> Joints:
    """Forward kinematics of poses: yaw, roll, then the turns in the sides' planes."""
    rover, n = poses.rover, len(poses)
    lean = lean_axes(poses.places[:, 2], poses.roll)
    turned = _turns(poses.joint_pitch)
    plane_wheel, plane_pivot = np.empty((n, 6, 2)), np.empty((n, 2, 2))
    for i, side in enumerate(rover.sides):
        rocker, bogie = turned[:, 2 * i], turned[:, 2 * i + 1]
        plane_pivot[:, i] = rocker @ np.asarray(side.pivot)
        in_kernel_order = np.stack(
            [
                rocker @ np.asarray(side.rocker),
                *(plane_pivot[:, i] + bogie @ np.asarray(arm) for arm in (side.inner, side.outer)),
            ],
            axis=1,
        )
        plane_wheel[:, 3 * i : 3 * i + 3] = in_kernel_order[:, rover.order[:3]]
    ends = np.array([-rover.table.track / 2, rover.table.track / 2])
    wheels = _along(lean, plane_wheel, np.broadcast_to(rover.aside, (n, 6)))
    anchor = np.concatenate([poses.places[:, :2], poses.raw["stance"]["ground"][:, 1, None]], axis=1)
    middle = anchor - wheels[:, 1]
    angle, off = poses.contact_angle, poses.raw["stance"]["off"][:, rover.order]
    rim = rover.table.wheels.radius * np.stack([np.sin(angle), -np.cos(angle)], axis=-1)
    R_LB = lean @ _pitched(poses.pitch)
    at = lambda points: middle[:, None] + points  # noqa: E731
    return Joints(
        axis_L=at(_along(lean, np.zeros((n, 2, 2)), np.broadcast_to(ends, (n, 2)))),
        pivot_L=at(_along(lean, plane_pivot, np.broadcast_to(ends, (n, 2)))),
        wheel_L=at(wheels),
        contact_L=at(_along(lean, plane_wheel + rim, rover.aside + off)),
        center_L=middle + R_LB @ rover.center_of_mass_B,
        arm_L=None if rover.arm is None else at(np.einsum("nij,kj->nki", R_LB, rover.arm.joints_B)),
        R_LB=R_LB,
    )


def lean_axes(yaw: np.ndarray, roll: np.ndarray) -> np.ndarray:
    """Leaning axes (forward, left, up) as columns, surface frame, [n, 3, 3]: yaw, then roll with the right side up."""
    c, s, cr, sr, zero = np.cos(yaw), np.sin(yaw), np.cos(roll), np.sin(roll), np.zeros_like(yaw)
    forward, left, up = np.array([c, s, zero]), np.array([-s * cr, c * cr, -sr]), np.array([-s * sr, c * sr, cr])
    return np.stack([forward.T, left.T, up.T], axis=-1)


def _turns(angles: np.ndarray) -> np.ndarray:
    """Rotations nose up in the (x, z) plane, [..., 2, 2]."""
    c, s = np.cos(angles), np.sin(angles)
    return np.stack([np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)], axis=-2)


def _pitched(pitch: np.ndarray) -> np.ndarray:
    """Rotation from the body frame to the leaning axes, [n, 3, 3]."""
    c, s, zero, one = np.cos(pitch), np.sin(pitch), np.zeros_like(pitch), np.ones_like(pitch)
    return np.stack([np.array([c, zero, s]).T, np.array([zero, one, zero]).T, np.array([-s, zero, c]).T], axis=-1)


def _along(lean: np.ndarray, plane: np.ndarray, aside: np.ndarray) -> np.ndarray:
    """Points (x, z) of side planes that stand `aside` to the left, as vectors of the surface frame."""
    return np.einsum("nij,nkj->nki", lean, np.stack([plane[..., 0], aside, plane[..., 1]], axis=-1))
