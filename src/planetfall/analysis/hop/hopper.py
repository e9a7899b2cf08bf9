"""A vehicle that is about to hop: what its flywheels can hold, and where hops bring it."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planetfall.analysis.hop.hop_target import HopTarget
from planetfall.engine.build import Model
from planetfall.engine.checks.flywheels import bursting_speed
from planetfall.engine.run import run_batch
from planetfall.errors import InputError
from planetfall.outcome import Outcome
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.scenario.tables.vehicle.flywheel import Flywheel

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Hops:
    """Hops that were tried.

    Attributes:
        momentum: [n] [N m s].
        heading: [n] [rad] from the target's bearing, counter-clockwise seen from above.
        rest: [n, 3] [m] where each came to rest, surface frame; NaN where it did not.
        outcome: [n] how each ended.
    """

    momentum: np.ndarray
    heading: np.ndarray
    rest: np.ndarray
    outcome: np.ndarray

    @property
    def n(self) -> int:
        """How many."""
        return len(self.momentum)

    @property
    def n_at_rest(self) -> int:
        """How many came to rest."""
        return int(np.sum(np.isfinite(self.rest[:, 0])))

    @property
    def endings(self) -> str:
        """How they ended, in words, the most frequent first."""
        counted = Counter(Outcome(int(code)).name for code in self.outcome)
        return ", ".join(f"{name} {n}" for name, n in counted.most_common())

    @classmethod
    def joined(cls, parts: "list[Hops]") -> "Hops":
        """All of them as one."""
        names = ("momentum", "heading", "rest", "outcome")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@dataclass(frozen=True)
class Hopper:
    """A vehicle with braked flywheels at rest on the ground, and the target of its hop."""

    model: Model
    target: HopTarget

    @cached_property
    def held(self) -> np.ndarray:
        """Momentum per speed [3, wheel] [kg m^2] of the flywheels that are braked, surface components."""
        R_SB = rotation_matrix(self.model.initial_state[6:10])
        return R_SB @ np.array([wheel.inertia * np.asarray(wheel.axis) * wheel.is_braked for wheel in self._wheels]).T

    @property
    def size(self) -> float:
        """Farthest contact point from the centre of mass [m]."""
        return self.model.scenario.vehicle.extent

    @property
    def _wheels(self) -> tuple[Flywheel, ...]:
        return self.model.scenario.vehicle.flywheels

    @cached_property
    def fastest(self) -> np.ndarray:
        """Speeds [wheel] [rad/s] that a hop may ask for: no more than the brake can stop, and the rotor may have."""
        scenario = self.model.scenario
        return np.array([_fastest(scenario, wheel) for wheel in self._wheels])

    def wheel_speeds(self, momenta: np.ndarray, headings: np.ndarray) -> np.ndarray:
        """Smallest speeds [n, wheel] [rad/s] that hold each momentum along up x heading; the unbraked keep theirs."""
        up, bearing = self.target.up, self.target.bearing
        ahead = np.cos(headings)[:, None] * bearing + np.sin(headings)[:, None] * np.cross(up, bearing)
        wanted = momenta[:, None] * np.cross(up, ahead)
        speeds = wanted @ np.linalg.pinv(self.held).T
        if not np.allclose(speeds @ self.held.T, wanted, rtol=1e-9, atol=1e-12 * np.abs(wanted).max()):
            raise InputError(
                "vehicle.flywheels", "their axes cannot hold a horizontal momentum in every direction",
                "axes that span the horizontal plane", "add a flywheel across the others",
            )  # fmt: skip
        return np.where([wheel.is_braked for wheel in self._wheels], speeds, [wheel.speed for wheel in self._wheels])

    def largest_momenta(self, headings: np.ndarray) -> np.ndarray:
        """Momenta [n] [N m s] along each heading at which a first rotor is as fast as it may be."""
        speeds = np.abs(self.wheel_speeds(np.ones_like(headings), headings))
        braked = [wheel.is_braked for wheel in self._wheels]
        with np.errstate(divide="ignore"):
            return np.min((self.fastest / speeds)[:, braked], axis=1)

    def hops(self, momenta: np.ndarray, headings: np.ndarray, progress: Progress | None = None) -> Hops:
        """Runs hops to rest."""
        speeds = self.wheel_speeds(momenta, headings)
        starts = np.tile(self.model.initial_state, (len(speeds), 1))
        found = run_batch(self.model, np.hstack([starts, speeds]), progress=progress)
        came = np.isin(found.status, (Outcome.settled, Outcome.overturned))
        return Hops(momenta, headings, np.where(came[:, None], found.state[:, :3], np.nan), found.status)


def check_wheels_can_hop(scenario: Scenario) -> None:
    """Refuses vehicles whose flywheels give no momentum to a hop, or one that is not theirs at time zero."""
    wheels = scenario.vehicle.flywheels
    if not scenario.vehicle.points:
        raise InputError("vehicle.points", "there are none, so there is nothing to push off with", "at least one")
    if not any(wheel.is_braked for wheel in wheels):
        raise InputError(
            "vehicle.flywheels", "no flywheel is braked, so that none gives its momentum to a hop",
            "flywheels with brake_time and brake_torque", "see hedgehog-hop",
        )  # fmt: skip
    for i, wheel in enumerate(wheels):
        if wheel.is_braked and wheel.torques:
            raise InputError(
                f"vehicle.flywheels.{i}.torques", "a motor would change the speed at time zero that is looked for",
                "braked flywheels without a motor's table", "leave out times and torques for the search",
            )  # fmt: skip


def _fastest(scenario: Scenario, wheel: Flywheel) -> float:
    """Speed [rad/s] that a rotor may have at time zero, such that its brake stops it on a body that is held."""
    limits = [bursting_speed(scenario.vehicle, wheel)]
    if wheel.brake_time is not None:
        end = scenario.scenario.duration if wheel.brake_end is None else wheel.brake_end
        limits.append(wheel.brake_torque * max(end - wheel.brake_time, 0.0) / wheel.inertia)
    if wheel.speed_max is not None:
        limits.append(wheel.speed_max)
    return min(limits)
