"""An orbit about an oblate, turning planet with any axis: as a scenario, and its node as the stars see it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.record.trajectory import Trajectory

GM, RADIUS, SPIN_RATE = 4.282837e13, 3396190.0, 7.088218e-5  # Mars
PRINCIPAL = np.array([1.0, 2.0, 2.5])  # of the orbiter [kg m^2]
BODY_AXES = Rotation.from_rotvec([0.4, 0.3, -0.6])  # in which its inertia is written as a full matrix

UPRIGHT = Rotation.identity()


@dataclass(frozen=True)
class OblateOrbit:
    """Osculating elements at time zero, in the planet's equatorial system; at the ascending node.

    Attributes:
        j2: Oblateness.
        inclination: [rad].
        eccentricity: Perigee is at the ascending node.
        semi_major_axis: [m].
        tilt: From equatorial axes (z the planet's) to the inertial and the surface frame.
    """

    j2: float
    inclination: float = math.radians(50.0)
    eccentricity: float = 0.02
    semi_major_axis: float = 1.15 * RADIUS
    tilt: Rotation = UPRIGHT

    @property
    def period(self) -> float:
        """Of the osculating ellipse [s]."""
        return 2.0 * math.pi * math.sqrt(self.semi_major_axis**3 / GM)

    @property
    def axis(self) -> np.ndarray:
        """Of the planet, in surface components."""
        return self.tilt.apply([0.0, 0.0, 1.0])

    def scenario(self, duration: float, **values: Any) -> planetfall.Scenario:
        """The scene in frame P, which coincides with the inertial one at time zero; an orbiter with a full inertia."""
        radius = self.semi_major_axis * (1.0 - self.eccentricity)
        speed = math.sqrt(GM * (1.0 + self.eccentricity) / radius)
        position = self.tilt.apply([radius, 0.0, 0.0])
        velocity = self.tilt.apply([0.0, speed * math.cos(self.inclination), speed * math.sin(self.inclination)])
        seen = velocity - np.cross(SPIN_RATE * self.axis, position)
        inertia = BODY_AXES.as_matrix() @ np.diag(PRINCIPAL) @ BODY_AXES.as_matrix().T
        target = {
            "name": "oblate", "gm": GM, "radius": RADIUS, "j2": self.j2, "frame": "P", "spin_rate": SPIN_RATE,
            "spin_axis": self.axis.tolist(),
        }  # fmt: skip
        return planetfall.load("free-top").with_values(
            {
                "scenario.duration": duration,
                "target": target,
                "gravity.model": "j2",
                "terrain.point": [0.0, 0.0, -1e9],
                "vehicle.inertia": (0.5 * (inertia + inertia.T)).tolist(),
                "initial": {"position": position.tolist(), "velocity": seen.tolist()},
                "integrator": {"method": "adaptive", "tolerance": 1e-13, "max_step": 1e9},
                "record.interval": self.period,
                **{key.replace("__", "."): value for key, value in values.items()},
            }
        )

    def inertial(self, run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
        """Positions [m] and velocities [m/s] of every frame against the stars, in equatorial components."""
        data = run.data.isel(body=0)
        omega = SPIN_RATE * self.axis
        turn = Rotation.from_rotvec(np.outer(data.time.values, omega))
        position, velocity = data.position.values, data.velocity.values
        to_equator = self.tilt.inv()
        return (
            to_equator.apply(turn.apply(position)),
            to_equator.apply(turn.apply(velocity + np.cross(omega, position))),
        )

    def nodes(self, run: Trajectory) -> np.ndarray:
        """Longitude of the osculating ascending node at every frame [rad], unwrapped."""
        momentum = np.cross(*self.inertial(run))
        return np.unwrap(np.arctan2(momentum[:, 0], -momentum[:, 1]))
