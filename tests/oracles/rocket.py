"""A rocket with a rotor in inertial space: seven equations about a point fixed in its body, solved as one system.

    [m, -m c~, 0; m c~, I_O, J a; 0, J a^T, J] (a_O, omega', s') = (F - m omega x (omega x c),
                                                                    L_O - omega x (I_O omega + J s a), tau)

Mass leaves its tanks with no more than the thrust. Gravity is that of a point mass, at the centre of mass C.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

Array = np.ndarray


@dataclass(frozen=True)
class Rocket:
    """Everything of it, SI, body axes from the reference point O."""

    mass: float
    inertia: Array
    tanks: Array
    engine_at: Array
    thrust: Array
    flow: float
    axis: Array
    rotor: float
    torque: float
    gm: float

    def left(self, burnt: float) -> tuple[float, Array, Array]:
        """Mass, centre of mass and inertia about O when something is burnt [kg]."""
        share = burnt / len(self.tanks)
        mass, first, about_o = self.mass, np.zeros(3), np.array(self.inertia, dtype=float)
        for r in self.tanks:
            mass -= share
            first -= share * r
            about_o -= share * (r @ r * np.eye(3) - np.outer(r, r))
        return mass, first / mass, about_o

    def rate(self, t: float, y: Array) -> Array:
        """Of position, velocity of O, quaternion, angular velocity, the rotor's speed and what is burnt."""
        R, w, s = Rotation.from_quat(y[6:10]).as_matrix(), y[10:13], y[13]
        mass, c, about_o = self.left(y[14])
        r = y[:3] + R @ c
        weight = mass * (R.T @ (-self.gm * r / np.linalg.norm(r) ** 3))
        spun = self.rotor * self.axis
        left = np.zeros((7, 7))
        left[:3, :3], left[:3, 3:6], left[3:6, :3] = mass * np.eye(3), -mass * skew(c), mass * skew(c)
        left[3:6, 3:6], left[3:6, 6], left[6, 3:6], left[6, 6] = about_o, spun, spun, self.rotor
        right = np.concatenate([
            self.thrust + weight - mass * np.cross(w, np.cross(w, c)),
            np.cross(self.engine_at, self.thrust) + np.cross(c, weight) - np.cross(w, about_o @ w + spun * s),
            [self.torque],
        ])  # fmt: skip
        found = np.linalg.solve(left, right)
        x, z = y[6:9], y[9]
        turn = 0.5 * np.concatenate([z * w + np.cross(x, w), [-x @ w]])
        return np.concatenate([y[3:6], R @ found[:3], turn, found[3:], [self.flow]])

    def flown(self, start: Array, duration: float) -> Array:
        """The state after a time [s], from one at time zero."""
        return solve_ivp(self.rate, (0.0, duration), start, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]


def skew(v: Array) -> Array:
    """The matrix of v x."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
