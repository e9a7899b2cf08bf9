"""A rocker-bogie rover written down a second time, from the words of Hacot1998: equations, virtual work, programs.

Nothing of the package's mechanics is used. Angles in radians, SI units; right side first, then left; wheels 1, 2, 3 of
a side are the one on the rocker, the inner and the outer one of the bogie.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Links:
    """Links of a rover whose bogie is in front, as Hacot1998 Figure 2: lengths [m], angles [rad], track [m]."""

    l1: float
    l2: float
    l3: float
    l4: float
    alpha: float
    beta: float
    gamma: float
    track: float


def seven_equations(links: Links, roll: float, pitch: float, theta: Array, z: Array) -> Array:
    """Residuals of equations (1) to (7) [rad, m], with the sign of (7) corrected.

    Args:
        links: The mechanism.
        roll: Theta, positive with the right side up.
        pitch: Phi.
        theta: Theta1 to Theta4.
        z: Heights of the wheel centres: 1r, 2r, 3r, 1l, 2l, 3l; (2) is the definition of the second.
    """
    t1, t2, t3, t4 = theta
    c, s = np.cos(roll), np.sin(roll)
    z1r, z2r, z3r, z1l, z2l, z3l = z
    l1, l2, l3, l4, a, b, w = links.l1, links.l2, links.l3, links.l4, links.alpha, links.beta, links.track
    right = l3 * np.sin(t2) + l2 * np.sin(t1 + a)
    return np.array(
        [
            pitch - ((t1 + t3) / 2 - links.gamma),
            0.0,
            z2r - z3r - c * (l3 * np.sin(t2) - l4 * np.sin(t2 + b)),
            z2r - z1r - c * (right - l1 * np.sin(t1)),
            z2r - z1l - (c * (right - l1 * np.sin(t3)) + w * s),
            z2r - z2l - (c * (right - l2 * np.sin(t3 + a) - l3 * np.sin(t4)) + w * s),
            z2r - z3l - (c * (right - l2 * np.sin(t3 + a) - l4 * np.sin(t4 + b)) + w * s),
        ]
    )


def rotation(axis: Array, angle: complex) -> NDArray[np.complex128]:
    """Rodrigues' rotation about a unit axis; the angle may be complex, for derivatives without differences."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=complex)
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


@dataclass(frozen=True)
class Standing:
    """A rover that stands somewhere: places in one frame [m], forces on it [N].

    Attributes:
        origin: Middle of the differential's axis.
        axes: Forward (horizontal), left (along the axles), up, as columns.
        pivots: Of the right and left bogie, [2, 3].
        contacts: Where the wheels touch: right 1, 2, 3, left 1, 2, 3, [6, 3].
        wheel_forces: On the wheels, [6, 3].
        body_points: Where loads act on the body, [k, 3].
        body_forces: Those loads, [k, 3].
    """

    origin: Array
    axes: Array
    pivots: Array
    contacts: Array
    wheel_forces: Array
    body_points: Array
    body_forces: Array

    def generalised_forces(self) -> Array:
        """Virtual work per virtual displacement of the nine coordinates.

        Three displacements along `axes` [N], three turns about them through `origin` [N m], the differential (right
        rocker nose up, left one nose down, the body half of the mean: still) and the two bogies, nose up [N m].
        """
        step = 1e-20
        forces = np.concatenate([self.wheel_forces, self.body_forces])
        out = np.empty(9)
        for k in range(9):
            q = np.zeros(9, dtype=complex)
            q[k] = 1j * step
            out[k] = np.sum(forces * self._places(q).imag) / step
        return out

    def _places(self, q: NDArray[np.complex128]) -> NDArray[np.complex128]:
        """Places at which forces act, after moving the nine coordinates."""
        turn = rotation(self.axes[:, 0], q[3]) @ rotation(self.axes[:, 1], q[4]) @ rotation(self.axes[:, 2], q[5])
        moved = lambda p: self.origin + self.axes @ q[:3] + turn @ (p - self.origin)  # noqa: E731
        nose_up = -self.axes[:, 1]
        places = []
        for side, sign in ((0, 1.0), (1, -1.0)):
            # the rocker turns about the axis, which passes through the origin along the left axis
            rocker = rotation(nose_up, sign * q[6])
            bogie = rotation(nose_up, q[7 + side])
            pivot = self.pivots[side]
            for wheel in range(3):
                p = self.contacts[3 * side + wheel].astype(complex)
                if wheel > 0:
                    p = pivot + bogie @ (p - pivot)
                places.append(moved(self.origin + rocker @ (p - self.origin)))
        places += [moved(p.astype(complex)) for p in self.body_points]
        return np.array(places)


def side_program(
    contact: Array, normal: Array, tangent: Array, pivot: Array, forward: float, lift: float, nose_up: float
) -> tuple[Array, Array]:
    """Equations (12)-(15) of one side as E (N, T) = e, for contacts (x, z) from the differential's axis.

    Args:
        contact: Contacts of rocker wheel, inner and outer bogie wheel, [3, 2].
        normal: Unit vectors towards the wheels' centres, [3, 2].
        tangent: Unit vectors of traction, [3, 2].
        pivot: Of the bogie.
        forward: Force that the side has to make forward.
        lift: Force that it has to carry.
        nose_up: Moment of the body on the side.
    """
    cross = lambda p, f: p[..., 0] * f[..., 1] - p[..., 1] * f[..., 0]  # noqa: E731
    rows = []
    for vectors in (normal, tangent):
        on_bogie = cross(contact - pivot, vectors) * np.array([0.0, 1.0, 1.0])
        rows.append(np.array([vectors[:, 0], vectors[:, 1], cross(contact, vectors), on_bogie]))
    return np.hstack(rows), np.array([forward, lift, -nose_up, 0.0])


def least_worst_ratio(equations: Array, right: Array, friction: Array, motor: float, tolerance: float = 1e-12) -> float:
    """Least s with |T| <= s mu N, |T| <= motor and N >= 0, by halving over linear programs; infinite where none exists.

    Each program minimises the violation v of |T| - s mu N <= v, so that its sign decides.
    """

    def violation(s: float) -> float:
        eye = np.eye(3)
        rows = [np.hstack([-s * friction * eye, sign * eye, -np.ones((3, 1))]) for sign in (1.0, -1.0)]
        found = linprog(
            [0.0] * 6 + [1.0], A_ub=np.vstack(rows), b_ub=np.zeros(6), A_eq=np.hstack([equations, np.zeros((4, 1))]),
            b_eq=right, bounds=[(0, None)] * 3 + [(-motor, motor)] * 3 + [(None, None)], method="highs",
        )  # fmt: skip
        return found.fun if found.status == 0 else np.inf

    low, high = 0.0, 1.0
    scale = float(np.abs(right).max())
    while violation(high) > 1e-10 * scale:
        low, high = high, 4 * high
        if high > 1e4:
            return np.inf
    while high - low > tolerance * high:
        middle = (low + high) / 2
        low, high = (middle, high) if violation(middle) > 0 else (low, middle)
    return high


def least_squares_traction(equations: Array, right: Array, friction: Array, motor: float) -> Array:
    """(N, T) with the least sum of T squared under |T| <= mu N, |T| <= motor and N >= 0, by SLSQP; NaN where none."""
    eye = np.eye(3)
    rows = np.vstack([np.hstack([friction * eye, sign * eye]) for sign in (1.0, -1.0)])
    scale = float(np.abs(right).max())
    start = np.linalg.lstsq(equations, right, rcond=None)[0]
    found = minimize(
        lambda x: float(np.sum((x[3:] / scale) ** 2)), start,
        jac=lambda x: np.concatenate([np.zeros(3), 2 * x[3:] / scale**2]), method="SLSQP",
        bounds=[(0, None)] * 3 + [(-motor, motor)] * 3,
        constraints=[
            {"type": "eq", "fun": lambda x: (equations @ x - right) / scale, "jac": lambda x: equations / scale},
            {"type": "ineq", "fun": lambda x: rows @ x / scale, "jac": lambda x: rows / scale},
        ],
        options={"ftol": 1e-15, "maxiter": 300},
    )  # fmt: skip
    return found.x if found.success else np.full(6, np.nan)
