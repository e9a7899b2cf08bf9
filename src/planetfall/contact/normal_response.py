"""What the ground answers along the normal, for one body: a law's coefficients, and what checks ask before a run.

The longest stable step, the load and depth of a first impact and the energy of a start in the ground depend on the law
alone. Each law says them in its own file; no check knows a law by its name.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from planetfall.scenario.tables.vehicle.vehicle import Vehicle

N_HALVINGS = 200


class Tangent(NamedTuple):
    """Slopes of the normal force of one point: `stiffness` over depth [N/m], `damping` over its rate [N s/m]."""

    stiffness: float
    damping: float


@dataclass(frozen=True)
class BodyOnGround:
    """What coefficients may follow from: `mass` [kg] of a body, its number of points, `gravity` [m/s^2] there."""

    mass: float
    n_points: int
    gravity: float


@dataclass(frozen=True)
class SlidingPoints:
    """Points that slide together, for the step limit of friction.

    `vehicle`; `n_points` of them; `load` [N] on all; `mobility` [1/kg], the largest inverse modal mass across the
    normal, of all of them.
    """

    vehicle: Vehicle
    n_points: int
    load: float
    mobility: float


@dataclass(frozen=True)
class NormalResponse(ABC):
    """Coefficients of a law for one body: numbers as fields, and what they mean for an impact.

    Fields whose names begin with `friction` are shown to users as they are, under their names.
    """

    @abstractmethod
    def tangent(self, depth: float, load: float) -> Tangent:
        """The steepest slopes up to a depth [m] and a load [N]: what a fixed step has to follow.

        The depth is that of one point which takes the impact alone, the load that of the whole impact with the weight.
        A damper that is not linear is steepest where it carries all of the load: 2 sqrt(Q load) for N = K d + Q d'^2.
        """

    @abstractmethod
    def stored(self, depth: float) -> float:
        """Elastic energy [J] that one point can give back from a depth [m]."""

    @abstractmethod
    def peak_load(self, speed: float, mass: float, n_points: int) -> float:
        """Peak normal force [N] of a mass [kg] that hits the ground with n points at once at a speed [m/s]."""

    @abstractmethod
    def rest_depth(self, load: float) -> float:
        """How deep [m] one point stands under a load [N] at rest."""

    @abstractmethod
    def shown(self) -> dict[str, float]:
        """Coefficients along the normal as `show` prints them, by name with symbol and unit."""

    @abstractmethod
    def summary(self) -> dict[str, float]:
        """The same as `summary.json` has them, by name with unit."""

    def impact_depth(self, speed: float, mass: float, n_points: int, weight: float) -> float:
        """Depth [m] that a mass [kg] reaches on n points under its weight [N], dampers left out: an upper bound.

        The deepest d with n stored(d) = m v^2/2 + W d, by halving.
        """

        def spare(depth: float) -> float:
            return n_points * self.stored(depth) - 0.5 * mass * speed**2 - weight * depth

        if speed == 0.0 and weight == 0.0:
            return 0.0
        low, high = 0.0, 1e-9
        while spare(high) <= 0.0:
            low, high = high, 2.0 * high
        for _ in range(N_HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if spare(middle) <= 0.0 else (low, middle)
        return high

    def load_at(self, depth: float) -> float:
        """Load [N] under which one point stands so deep [m]: the inverse of `rest_depth`, by halving."""
        low, high = 0.0, 1e-9
        while self.rest_depth(high) < depth:
            low, high = high, 2.0 * high
        for _ in range(N_HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.rest_depth(middle) < depth else (low, middle)
        return high

    @property
    def frictions(self) -> dict[str, float]:
        """The law's coefficients of friction, by name [-]."""
        return {part.name: getattr(self, part.name) for part in fields(self) if part.name.startswith("friction")}


@dataclass(frozen=True)
class SpringDamper(NormalResponse):
    """A linear ground: stiffness [N/m] and damping [N s/m] of each contact point."""

    stiffness: float
    damping: float

    def tangent(self, depth: float, load: float) -> Tangent:
        """The same everywhere."""
        return Tangent(self.stiffness, self.damping)

    def stored(self, depth: float) -> float:
        """K d^2/2."""
        return 0.5 * self.stiffness * depth**2

    def peak_load(self, speed: float, mass: float, n_points: int) -> float:
        """In closed form."""
        stiffness, damping = n_points * self.stiffness, n_points * self.damping
        ratio = damping / (2.0 * np.sqrt(stiffness * mass))
        if ratio >= 0.5:  # the damper's first push is the largest
            return damping * speed
        phase = np.arccos(ratio) - 2.0 * np.arcsin(ratio)
        return float(speed * np.sqrt(stiffness * mass) * np.exp(-ratio * phase / np.sqrt(1.0 - ratio**2)))

    def rest_depth(self, load: float) -> float:
        """W/K."""
        return load / self.stiffness

    def impact_depth(self, speed: float, mass: float, n_points: int, weight: float) -> float:
        """In closed form."""
        stiffness = n_points * self.stiffness
        sink = weight / stiffness
        return sink + float(np.hypot(speed * np.sqrt(mass / stiffness), sink))

    def shown(self) -> dict[str, float]:
        """K and C."""
        return {"stiffness K [N/m] per point": self.stiffness, "damping C [N s/m] per point": self.damping}

    def summary(self) -> dict[str, float]:
        """K and C."""
        return {"stiffness_N_m": self.stiffness, "damping_N_s_m": self.damping}


def spring_damper(share: float, gravity: float, rest_penetration: float, damping_ratio: float) -> tuple[float, float]:
    """K [N/m] and C [N s/m]: the spring that a share of the mass [kg] compresses by the rest penetration [m].

    Raiszadeh2012 Eqs. (10) and (11), Cordova2014 Eqs. (4) and (5).
    """
    stiffness = share * gravity / rest_penetration
    return stiffness, float(2.0 * damping_ratio * np.sqrt(share * stiffness))
