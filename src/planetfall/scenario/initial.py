"""`[initial]`: where the vehicle starts, how it points and moves."""

from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from planetfall.scenario.table import Table, UnitQuaternion, Vec3, choice, quantity


class Initial(Table):
    """State at time zero, relative to the surface frame."""

    position: Vec3 = quantity("m", "centre of mass, surface frame", (0.0, 0.0, 0.0))
    height: float | None = quantity("m", "lifts `position` this far from the ground under it", None, gt=0)
    height_along: Literal["vertical", "normal"] = choice("direction in which `height` is measured", "vertical")
    velocity: Vec3 = quantity("m/s", "of the centre of mass, surface frame", (0.0, 0.0, 0.0))
    attitude: UnitQuaternion | None = quantity("-", "quaternion x y z w from body to surface frame; level if not given", None)
    euler_ned_deg: Vec3 | None = quantity("deg", "yaw, pitch, roll from north-east-down to body, 3-2-1, in place of attitude", None)
    angular_velocity: Vec3 = quantity("rad/s", "relative to the surface frame, body components", (0.0, 0.0, 0.0))

    @model_validator(mode="after")
    def _one_attitude(self) -> Self:
        if self.attitude is not None and self.euler_ned_deg is not None:
            raise ValueError("attitude: give either attitude or euler_ned_deg, not both")
        return self

    @property
    def quaternion(self) -> np.ndarray:
        """Unit quaternion x y z w from body to surface frame."""
        if self.attitude is not None:
            return np.asarray(self.attitude)
        if self.euler_ned_deg is not None:
            return quaternion_from_euler_ned(np.radians(self.euler_ned_deg))
        return np.array([0.0, 0.0, 0.0, 1.0])


def quaternion_from_euler_ned(yaw_pitch_roll: np.ndarray) -> np.ndarray:
    """Quaternion x y z w from body to L (east, north, up), from the papers' 3-2-1 angles [rad] of north-east-down to body.

    The one place where a north-east-down attitude becomes ours.
    """
    cy, cp, cr = np.cos(yaw_pitch_roll)
    sy, sp, sr = np.sin(yaw_pitch_roll)
    ned_from_body = np.array(
        [
            [cp * cy, sr * sp * cy - cr * sy, cr * sp * cy + sr * sy],
            [cp * sy, sr * sp * sy + cr * cy, cr * sp * sy - sr * cy],
            [-sp, sr * cp, cr * cp],
        ]
    )
    enu_from_ned = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    return quaternion_from_matrix(enu_from_ned @ ned_from_body)


def quaternion_from_matrix(matrix: np.ndarray) -> np.ndarray:
    """Unit quaternion x y z w of a rotation matrix, with w >= 0."""
    m = matrix
    # the eigenvector of the largest eigenvalue (1) of this symmetric matrix is the quaternion; no case has to be singled out
    k = np.array(
        [
            [m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
            [0, m[1, 1] - m[0, 0] - m[2, 2], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
            [0, 0, m[2, 2] - m[0, 0] - m[1, 1], m[1, 0] - m[0, 1]],
            [0, 0, 0, m[0, 0] + m[1, 1] + m[2, 2]],
        ]
    )
    values, vectors = np.linalg.eigh(np.triu(k) + np.triu(k, 1).T)
    q = vectors[:, np.argmax(values)]
    return q if q[3] >= 0 else -q
