"""Two rigid bodies joined by a hinge, by Newton and Euler with the hinge's forces as unknowns. Not the product's way.

The product eliminates the arm by Lagrange's equations about the common centre of mass. Here each body keeps its own
mass, centre and inertia; the accelerations of both and the five reactions of the hinge come from one linear system.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

from planetfall.scenario.tables.run.attitude import rotation_matrix


@dataclass(frozen=True)
class Hinged:
    """A hub and an arm; positions from the hub's centre of mass, in hub axes.

    Attributes:
        hub_mass: [kg].
        hub_inertia: About the hub's centre of mass [3, 3] [kg m^2].
        arm_mass: [kg].
        arm_axial: Inertia of the arm about its centre, along the hinge [kg m^2].
        arm_across: The same across the hinge [kg m^2].
        pivot: [3] [m].
        axis: Of the hinge, unit [3].
        reach: From the pivot to the arm's centre at angle zero [3] [m], across the axis.
    """

    hub_mass: float
    hub_inertia: np.ndarray
    arm_mass: float
    arm_axial: float
    arm_across: float
    pivot: np.ndarray
    axis: np.ndarray
    reach: np.ndarray

    @property
    def center(self) -> np.ndarray:
        """Common centre of mass at angle zero [3] [m]."""
        return self.arm_mass / (self.hub_mass + self.arm_mass) * (self.pivot + self.reach)

    @property
    def inertia(self) -> np.ndarray:
        """Of both about it [3, 3] [kg m^2]."""
        tip = self.pivot + self.reach - self.center
        return self.hub_inertia + self.hub_mass * _spread(self.center) + self.arm_mass * _spread(tip) + self.arm_inertia

    @property
    def arm_inertia(self) -> np.ndarray:
        """Of the arm about its own centre [3, 3], the same at every angle."""
        along = np.outer(self.axis, self.axis)
        return self.arm_axial * along + self.arm_across * (np.eye(3) - along)

    def place(self, angle: float) -> np.ndarray:
        """From the pivot to the arm's centre [3] [m], hub axes."""
        return self.reach * np.cos(angle) + np.cross(self.axis, self.reach) * np.sin(angle)


Loads = Callable[[float, np.ndarray], tuple[np.ndarray, np.ndarray, float]]
"""From time and state to force [N] on the hub and torque [N m] about its centre, hub axes, and the motor's torque."""


def accelerations(body: Hinged, state: np.ndarray, gravity: np.ndarray, loads: tuple) -> np.ndarray:
    """Hub's acceleration [3] and omega' [3] in hub axes, and the arm's relative s', of a state (15,).

    State: hub's centre [m] and velocity [m/s] in space, quaternion, omega in hub axes, angle, speed.
    """
    w, angle, s = state[10:13], state[13], state[14]
    g = rotation_matrix(state[6:10]).T @ gravity
    force, torque, motor = loads
    w_arm, rho = w + s * body.axis, body.place(angle)
    arm_inertia = body.arm_inertia
    e1 = np.cross(body.axis, np.eye(3)[np.argmin(np.abs(body.axis))])
    e1 /= np.linalg.norm(e1)
    e2 = np.cross(body.axis, e1)
    # unknowns: a_hub, w_hub', a_arm, w_arm' (hub axes, inertial rates), reaction force [3] and moments along e1, e2
    A, rhs = np.zeros((17, 17)), np.zeros(17)
    A[0:3, 0:3], A[0:3, 12:15] = body.hub_mass * np.eye(3), np.eye(3)
    rhs[0:3] = body.hub_mass * g + force
    A[3:6, 3:6], A[3:6, 12:15] = body.hub_inertia, _cross(body.pivot)
    A[3:6, 15], A[3:6, 16] = e1, e2
    rhs[3:6] = torque - motor * body.axis - np.cross(w, body.hub_inertia @ w)
    A[6:9, 6:9], A[6:9, 12:15] = body.arm_mass * np.eye(3), -np.eye(3)
    rhs[6:9] = body.arm_mass * g
    A[9:12, 9:12], A[9:12, 12:15] = arm_inertia, _cross(rho)
    A[9:12, 15], A[9:12, 16] = -e1, -e2
    rhs[9:12] = motor * body.axis - np.cross(w_arm, arm_inertia @ w_arm)
    # the pivot is one point: a_hub + w' x p + w x (w x p) = a_arm - w_arm' x rho - w_arm x (w_arm x rho)
    A[12:15, 0:3], A[12:15, 3:6] = np.eye(3), -_cross(body.pivot)
    A[12:15, 6:9], A[12:15, 9:12] = -np.eye(3), -_cross(rho)
    rhs[12:15] = -np.cross(w_arm, np.cross(w_arm, rho)) - np.cross(w, np.cross(w, body.pivot))
    # the relative turn stays along the axis: w_arm' - w' - w x s a has no part along e1, e2
    for k, e in enumerate((e1, e2)):
        A[15 + k, 9:12], A[15 + k, 3:6] = e, -e
        rhs[15 + k] = e @ np.cross(w, s * body.axis)
    x = np.linalg.solve(A, rhs)
    return np.concatenate([x[0:3], x[3:6], [body.axis @ (x[9:12] - x[3:6])]])


def fly(body: Hinged, start: np.ndarray, gravity: np.ndarray, loads: Loads, breaks: np.ndarray) -> np.ndarray:
    """The state at the last of the instants `breaks` [s], between which the loads are smooth."""

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        found = accelerations(body, y, gravity, loads(t, y))
        x, yy, z, w = y[6:10]
        wx, wy, wz = y[10:13]
        q_rate = 0.5 * np.array(
            [w * wx + yy * wz - z * wy, w * wy + z * wx - x * wz, w * wz + x * wy - yy * wx, -x * wx - yy * wy - z * wz]
        )
        acceleration = rotation_matrix(y[6:10] / np.linalg.norm(y[6:10])) @ found[:3]
        return np.concatenate([y[3:6], acceleration, q_rate, found[3:6], [y[14], found[6]]])

    y = start
    for t0, t1 in pairwise(breaks):
        y = solve_ivp(rate, (t0, t1), y, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return y


def _spread(r: np.ndarray) -> np.ndarray:
    return r @ r * np.eye(3) - np.outer(r, r)


def _cross(r: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
