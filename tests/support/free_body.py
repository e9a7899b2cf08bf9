"""A rigid body that flies freely about a turning point mass: as a scenario, and by Kepler's and Jacobi's closed forms.

Gravity acts at the centre of mass, so path and attitude do not know of each other. The attitude follows from the
body rates, which are elliptic functions, by integrating the kinematics alone in the inertial frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import planetfall
from oracles.closed_forms import kepler_arc, rotating_view, torque_free_rates
from planetfall.record.trajectory import Trajectory

Array = np.ndarray
INERTIA = np.array([1.0, 2.0, 2.5])  # principal moments [kg m^2]


@dataclass(frozen=True)
class FreeBody:
    """A body about a target whose frame coincides with the inertial one at time zero.

    Attributes:
        gm: Of the target [m^3/s^2].
        spin: Angular velocity of the frame [rad/s], shape (3,).
        position: From the target's centre [m].
        velocity: Relative to the turning frame [m/s].
        attitude: From body to frame.
        rates: Body rates relative to the turning frame [rad/s].
    """

    gm: float
    spin: Array
    position: Array
    velocity: Array
    attitude: Rotation
    rates: Array

    @property
    def rates_inertial(self) -> Array:
        """Body rates against the stars at time zero [rad/s], body components."""
        return self.rates + self.attitude.inv().apply(self.spin)

    def scenario(self, duration: float, **values: Any) -> planetfall.Scenario:
        """The scene in the body-fixed frame P; without contact points. `values`: further keys, `__` for the dot."""
        rate = float(np.linalg.norm(self.spin))
        target = {
            "name": "point", "gm": self.gm, "frame": "P", "spin_rate": rate, "spin_axis": (self.spin / rate).tolist(),
        }  # fmt: skip
        return planetfall.load("free-top").with_values(
            {
                "scenario.duration": duration,
                "target": target,
                "gravity.model": "point",
                "terrain.point": [0.0, 0.0, -1e9],
                "vehicle.inertia": INERTIA.tolist(),
                "initial": {
                    "position": self.position.tolist(),
                    "velocity": self.velocity.tolist(),
                    "attitude": self.attitude.as_quat().tolist(),
                    "angular_velocity": self.rates.tolist(),
                },
                "integrator": {"method": "adaptive", "tolerance": 1e-12, "max_step": 1e9},
                "record.interval": duration,
                **{key.replace("__", "."): value for key, value in values.items()},
            }
        )

    def path(self, t: float) -> tuple[Array, Array]:
        """Position [m] and velocity [m/s] in the turning frame at t, in closed form."""
        inertial = kepler_arc(self.position, self.velocity + np.cross(self.spin, self.position), self.gm, t)
        return rotating_view(*inertial, self.spin, float(np.linalg.norm(self.spin)), t)

    def turning(self, t: float) -> tuple[Rotation, Array]:
        """Attitude in the turning frame, and body rates relative to it [rad/s], at t."""
        attitude = Rotation.from_rotvec(-self.spin * t) * turned(self.attitude, self.rates_inertial, t)
        rates = torque_free_rates(INERTIA, self.rates_inertial, t)
        return attitude, rates - attitude.inv().apply(self.spin)


def turned(start: Rotation, rates: Array, t: float) -> Rotation:
    """Inertial attitude at t of a free body with these rates at time zero: q' = q (omega, 0)/2, to 1e-13 a step."""

    def slope(instant: float, q: Array) -> Array:
        x, y, z = torque_free_rates(INERTIA, rates, instant)
        a, b, c, w = q
        return 0.5 * np.array(
            [w * x + b * z - c * y, w * y + c * x - a * z, w * z + a * y - b * x, -a * x - b * y - c * z]
        )

    solution = solve_ivp(slope, (0.0, t), start.as_quat(), method="DOP853", rtol=1e-13, atol=1e-14)
    return Rotation.from_quat(solution.y[:, -1])


def errors(body: FreeBody, run: Trajectory) -> Array:
    """Errors of the last frame: position and velocity relative to their size, attitude [rad], rates relative."""
    data = run.data.isel(time=-1, body=0)
    t = float(data.time)
    (position, velocity), (attitude, rates) = body.path(t), body.turning(t)
    return np.array(
        [
            np.linalg.norm(data.position.values - position) / np.linalg.norm(position),
            np.linalg.norm(data.velocity.values - velocity) / np.linalg.norm(velocity),
            (Rotation.from_quat(data.quaternion.values) * attitude.inv()).magnitude(),
            np.linalg.norm(data.angular_velocity.values - rates) / np.linalg.norm(rates),
        ]
    )
