"""Attitudes on the host, in NumPy: quaternions x y z w, and the one place where north-east-down becomes ours."""

import numpy as np


def quaternion_from_euler_ned(yaw_pitch_roll: np.ndarray) -> np.ndarray:
    """Quaternion from body to L (east, north, up), from 3-2-1 angles [rad] of north-east-down to body."""
    yaw, pitch, roll = yaw_pitch_roll / 2
    ned_from_body = quaternion_product(
        quaternion_product(np.array([0, 0, np.sin(yaw), np.cos(yaw)]), np.array([0, np.sin(pitch), 0, np.cos(pitch)])),
        np.array([np.sin(roll), 0, 0, np.cos(roll)]),
    )
    # east, north, up from north, east, down: half a turn about the horizontal line between north and east
    enu_from_ned = np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])
    return quaternion_product(enu_from_ned, ned_from_body)


def rotation_matrix(quaternion: np.ndarray) -> np.ndarray:
    """Matrices [..., 3, 3] that take body components to surface components, of unit quaternions [..., 4]."""
    x, y, z, w = np.moveaxis(np.asarray(quaternion, dtype=float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternion_from_matrix(matrix: np.ndarray) -> np.ndarray:
    """Unit quaternion of a rotation matrix (3, 3): the inverse of `rotation_matrix`, without a weak spot."""
    m, trace = np.asarray(matrix, dtype=float), float(np.trace(matrix))
    squares = np.array([*(1.0 + 2.0 * np.diag(m) - trace), 1.0 + trace])  # four times the squares of x y z w
    k = int(np.argmax(squares))
    sums = np.array(
        [
            [squares[0], m[1, 0] + m[0, 1], m[2, 0] + m[0, 2], m[2, 1] - m[1, 2]],
            [m[1, 0] + m[0, 1], squares[1], m[2, 1] + m[1, 2], m[0, 2] - m[2, 0]],
            [m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], squares[2], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], squares[3]],
        ]
    )
    return sums[k] / np.linalg.norm(sums[k])


def quaternion_product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The rotation q, then p."""
    vector = p[3] * q[:3] + q[3] * p[:3] + np.cross(p[:3], q[:3])
    return np.append(vector, p[3] * q[3] - p[:3] @ q[:3])


def quaternions_turning(start: np.ndarray, omega: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Attitudes [n, 4] at times [n] [s] of a frame that turns with `omega` [rad/s], its own components."""
    half = 0.5 * np.asarray(times, dtype=float)[:, None]
    rate = float(np.linalg.norm(omega))
    axis = np.asarray(omega) / (rate or 1.0)
    turns = np.hstack([np.sin(rate * half) * axis, np.cos(rate * half)])
    # a product is linear in its second factor
    return turns @ np.array([quaternion_product(np.asarray(start, dtype=float), unit) for unit in np.eye(4)])
