"""A hop to a place: flywheel speed and heading by search over a batch of simulated hops (after Pavone2013).

Braked rotors leave the vehicle with their angular momentum H. Along the horizontal axis up x heading it turns the
vehicle over the edge that lies ahead. Pinned at an arm l, the hop starts with v = l H/(I + m l^2), and in the range
v^2 sin(2 theta)/g of its first arc the momentum for a distance d is of the order of

    H_0 = (I + m l^2)/l sqrt(g d)

What bounces and tumbles add is found by running hops of many momenta and headings to rest, in rounds, each about the
best of the round before.
"""

from dataclasses import dataclass

import numpy as np

from planetfall.engine.build import Model, build
from planetfall.engine.run import run_batch
from planetfall.errors import InputError
from planetfall.outcome import Outcome
from planetfall.scenario.attitude import rotation_matrix
from planetfall.scenario.scenario import Scenario
from planetfall.world.gravity.field import acceleration_at

MOMENTA = (0.3, 1.4)
"""Range of momenta that are looked at, over H_0 (assumed): bounces add up to twice the first arc."""
HEADINGS = np.radians(60.0)
"""How far to either side of the target's bearing headings are looked at [rad] (assumed)."""


@dataclass(frozen=True)
class Hops:
    """Hops that were tried.

    Attributes:
        momentum: [n] [N m s].
        heading: [n] [rad] from the target's bearing, counter-clockwise seen from above.
        rest: [n, 3] [m] where each came to rest, surface frame; NaN where it did not.
    """

    momentum: np.ndarray
    heading: np.ndarray
    rest: np.ndarray


@dataclass(frozen=True)
class HopPlan:
    """The hop that ended nearest to the target.

    Attributes:
        wheel_speeds: Speeds of the flywheels at time zero [rad/s], in the order of the scenario.
        momentum: Angular momentum that they hold together [N m s].
        heading: From the target's bearing [rad], counter-clockwise seen from above.
        rest: Where it comes to rest [m], surface frame.
        miss: Distance from there to the target [m].
        spread: Median miss of the plan's neighbours in the last round [m]: how much a small error of speed costs.
        tried: All hops of all rounds.
    """

    wheel_speeds: np.ndarray
    momentum: float
    heading: float
    rest: np.ndarray
    miss: float
    spread: float
    tried: Hops

    def applied_to(self, scenario: Scenario) -> Scenario:
        """The scenario with this hop."""
        speeds = {f"vehicle.flywheels.{i}.speed": float(speed) for i, speed in enumerate(self.wheel_speeds)}
        return scenario.with_values(speeds)


def plan_hop(
    scenario: Scenario, target_S: np.ndarray, *, n_momenta: int = 14, n_headings: int = 14, rounds: int = 3,
    device: str = "cpu",
) -> HopPlan:  # fmt: skip
    """Searches for the flywheel speeds with which the vehicle comes to rest nearest to a place.

    Args:
        scenario: A vehicle at rest on the ground, with flywheels that are braked.
        target_S: Where it shall come to rest [m], surface frame.
        n_momenta: Momenta per round.
        n_headings: Headings per round.
        rounds: Each looks closer than the one before.
        device: Where the batches run.
    """
    model = build(scenario, device, is_recorded=False)
    up, bearing, distance = _way(scenario, model, np.asarray(target_S, dtype=float))
    axes = _held_by_wheels(scenario, model)
    middle, half = np.mean(MOMENTA) * _first_guess(scenario, model, distance), np.ptp(MOMENTA) / 2.0 / np.mean(MOMENTA)
    turn, width, tried = 0.0, HEADINGS, []
    for _ in range(rounds):
        momenta = middle * np.linspace(1.0 - half, 1.0 + half, n_momenta)
        headings = turn + np.linspace(-width, width, n_headings)
        momentum, heading = np.array(np.meshgrid(momenta, headings, indexing="ij")).reshape(2, -1)
        tried.append(Hops(momentum, heading, _rest_places(model, axes, up, bearing, momentum, heading)))
        best = _nearest(tried, target_S)
        middle, turn = best.momentum[0], best.heading[0]
        half, width = 2.0 * half / n_momenta, 2.0 * width / n_headings
    everything, best = _joined(tried), _nearest(tried, target_S)
    speeds = _wheel_speeds(axes, up, bearing, best.momentum, best.heading)[0]
    last = np.linalg.norm(tried[-1].rest - target_S, axis=1)
    near = (np.abs(tried[-1].momentum / middle - 1.0) < half) & (np.abs(tried[-1].heading - turn) < width)
    return HopPlan(
        speeds, float(best.momentum[0]), float(best.heading[0]), best.rest[0],
        float(np.linalg.norm(best.rest[0] - target_S)), float(np.nanmedian(last[near])), everything,
    )  # fmt: skip


def _way(scenario: Scenario, model: Model, target: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Up and the horizontal bearing of the target, unit vectors, and its distance along it [m]."""
    start = model.initial_state[:3]
    gravity = acceleration_at(scenario, start)
    if not np.any(gravity):
        raise InputError("gravity.model", "without gravity no hop comes down", "a field that pulls the vehicle down")
    up = -gravity / np.linalg.norm(gravity)
    along = target - start
    along = along - up * (up @ along)
    distance = float(np.linalg.norm(along))
    if not np.isfinite(distance) or distance < model.params.step.length:
        raise InputError(
            "target", f"{target.tolist()} m is {distance:.3g} m away", "farther than the vehicle's own size"
        )
    return up, along / distance, distance


def _held_by_wheels(scenario: Scenario, model: Model) -> np.ndarray:
    """Momentum per speed [3, wheel] [kg m^2] of the flywheels that are braked, surface components."""
    wheels = scenario.vehicle.flywheels
    if not any(wheel.brake_time is not None and wheel.brake_torque > 0.0 for wheel in wheels):
        raise InputError(
            "vehicle.flywheels", "no flywheel is braked, so that none gives its momentum to a hop",
            "flywheels with brake_time and brake_torque", "see hedgehog-hop",
        )  # fmt: skip
    R_SB = rotation_matrix(model.initial_state[6:10])
    held = [wheel.inertia * np.asarray(wheel.axis) * (wheel.brake_time is not None) for wheel in wheels]
    return R_SB @ np.array(held).T


def _first_guess(scenario: Scenario, model: Model, distance: float) -> float:
    """H_0 [N m s] for a distance [m]."""
    vehicle = scenario.vehicle
    arm = float(np.max(np.linalg.norm(vehicle.tips, axis=1)))
    pivot = float(np.linalg.eigvalsh(np.asarray(vehicle.inertia))[-1]) + vehicle.mass * arm**2
    gravity = float(np.linalg.norm(acceleration_at(scenario, model.initial_state[:3])))
    return pivot / arm * np.sqrt(gravity * distance)


def _wheel_speeds(
    axes: np.ndarray, up: np.ndarray, bearing: np.ndarray, momenta: np.ndarray, headings: np.ndarray
) -> np.ndarray:
    """Smallest speeds [n, wheel] [rad/s] that hold each momentum along up x heading."""
    left = np.cross(up, bearing)
    ahead = np.cos(headings)[:, None] * bearing + np.sin(headings)[:, None] * left
    wanted = momenta[:, None] * np.cross(up, ahead)
    speeds = wanted @ np.linalg.pinv(axes).T
    if not np.allclose(speeds @ axes.T, wanted, rtol=1e-9, atol=1e-12 * np.abs(wanted).max()):
        raise InputError(
            "vehicle.flywheels", "their axes cannot hold a horizontal momentum in every direction",
            "axes that span the horizontal plane", "add a flywheel across the others",
        )  # fmt: skip
    return speeds


def _rest_places(
    model: Model, axes: np.ndarray, up: np.ndarray, bearing: np.ndarray, momenta: np.ndarray, headings: np.ndarray
) -> np.ndarray:
    """Where each hop comes to rest [n, 3] [m]; NaN where it does not."""
    speeds = _wheel_speeds(axes, up, bearing, momenta, headings)
    found = run_batch(model, np.hstack([np.tile(model.initial_state, (len(speeds), 1)), speeds]))
    came = np.isin(found.status, (Outcome.settled, Outcome.overturned))
    return np.where(came[:, None], found.state[:, :3], np.nan)


def _joined(rounds: list[Hops]) -> Hops:
    """All rounds as one."""
    return Hops(*(np.concatenate([getattr(hops, name) for hops in rounds]) for name in ("momentum", "heading", "rest")))


def _nearest(rounds: list[Hops], target: np.ndarray) -> Hops:
    """The one hop that came to rest nearest to the target."""
    hops = _joined(rounds)
    miss = np.linalg.norm(hops.rest - target, axis=1)
    if np.all(np.isnan(miss)):
        raise InputError(
            "scenario.duration", "none of the hops came to rest", "time enough for a hop and its bounces",
            "make it longer, or the target nearer",
        )  # fmt: skip
    i = int(np.nanargmin(miss))
    return Hops(hops.momentum[i : i + 1], hops.heading[i : i + 1], hops.rest[i : i + 1])
