"""A hop to a place: flywheel speed and heading by search over a batch of simulated hops (after Pavone2013).

Braked rotors leave the vehicle with their angular momentum H. Along the horizontal axis up x heading it turns the
vehicle over the edge that lies ahead. Pinned at an arm l, the hop starts with v = l H/(I + m l^2), and in the range
v^2 sin(2 theta)/g of its first arc the momentum for a distance d is of the order of

    H_0 = (I + m l^2)/l sqrt(g d)

What bounces and tumbles add is found by running hops of many momenta and headings to rest, in rounds, each about the
best of the round before. The best of many tumbling hops is also a lucky one: how often it succeeds is found by running
it again with the errors of a real vehicle.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planetfall.analysis.hop.hop_target import HopTarget, hop_target
from planetfall.analysis.hop.hopper import Hopper, Hops, Progress, check_wheels_can_hop
from planetfall.engine.build import build
from planetfall.engine.checks.flywheels import brake_steps
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario

MOMENTA = (0.3, 1.4)
"""Range of momenta that are looked at, over H_0 (assumed): bounces add up to twice the first arc."""
HEADINGS = np.radians(60.0)
"""How far to either side of the target's bearing headings are looked at [rad] (assumed)."""
ARCS = 20.0
"""Simulated time of a hop, over that of an arc of the target's distance (assumed; hops take 2 to 5)."""
NEAR = 0.1
"""Miss that counts as reached, as a share of the way, where nothing else is said (assumed)."""
CANDIDATES, N_REPEATED = 30, 24
"""Hops among which the one that errors spoil least is chosen, and how often each is repeated for that (assumed)."""
MOST_BRAKE_STEPS = 1e6
"""Steps that the brakes of one hop may cost, of which hundreds are run (assumed)."""


@dataclass(frozen=True)
class HopErrors:
    """How well a vehicle carries out a hop, as standard deviations of normal distributions (defaults assumed).

    Attributes:
        speed: Of the speed of all flywheels together, as a share of it [-].
        heading: [rad].
        n: How many hops with such errors are run.
        seed: Of their draws.
    """

    speed: float = 0.01
    heading: float = float(np.radians(1.0))
    n: int = 200
    seed: int = 0


@dataclass(frozen=True)
class HopPlan:
    """A hop to a target: the nearest of all that were tried, or of the near ones the one that errors spoil least.

    Attributes:
        target: What was asked for.
        wheel_speeds: Speeds of the flywheels at time zero [rad/s], in the order of the scenario.
        momentum: Angular momentum that the braked ones hold together [N m s].
        heading: From the target's bearing [rad], counter-clockwise seen from above.
        rest: Where it comes to rest [m], surface frame.
        miss: Distance from there to the target [m], between centres of mass.
        within: Miss that counts as reached [m].
        is_at_limit: Whether a flywheel is as fast as it may be.
        tried: All hops of all rounds.
        errors: With which the plan was run again.
        repeated: The plan with these errors.
    """

    target: HopTarget
    wheel_speeds: np.ndarray
    momentum: float
    heading: float
    rest: np.ndarray
    miss: float
    within: float
    is_at_limit: bool
    tried: Hops
    errors: HopErrors
    repeated: Hops

    @property
    def is_reached(self) -> bool:
        """Whether it comes near enough."""
        return self.miss <= self.within

    def missed_by(self, share: float) -> float:
        """Distance [m] from the target within which a share of the hops with errors rest; infinite if fewer rest."""
        misses = self.target.misses(self.repeated.rest)
        return float(np.quantile(misses, share, method="inverted_cdf"))

    def applied_to(self, scenario: Scenario) -> Scenario:
        """The scenario with this hop."""
        speeds = {f"vehicle.flywheels.{i}.speed": float(speed) for i, speed in enumerate(self.wheel_speeds)}
        return scenario.with_values(speeds)


def plan_hop(
    scenario: Scenario, target_S: np.ndarray, *, n_momenta: int = 14, n_headings: int = 14, rounds: int = 3,
    errors: HopErrors = HopErrors(), within: float | None = None, is_robust: bool = False,  # noqa: B008
    device: str = "cpu", progress: Progress | None = None,
) -> HopPlan:  # fmt: skip
    """Searches for the flywheel speeds with which the vehicle comes to rest nearest to a place.

    Args:
        scenario: A vehicle at rest on the ground, with flywheels that are braked.
        target_S: Where it shall come to rest [m], surface frame: the ground over or under this place.
        n_momenta: Momenta per round.
        n_headings: Headings per round.
        rounds: Each looks closer than the one before.
        errors: Of the vehicle that carries out the plan.
        within: Miss that counts as reached [m]; a tenth of the way, or the vehicle's size, by default.
        is_robust: Of the hops that reach the target, take the one that errors spoil least; else the nearest.
        device: Where the batches run.
        progress: Called with the finished fraction.

    Raises:
        InputError: The vehicle cannot hop like this, the target is out of its reach, or no hop came to rest.
    """
    hopper = _hopper(scenario, np.asarray(target_S, dtype=float), device)
    within = max(NEAR * hopper.target.distance, hopper.size) if within is None else within
    tell = _in_parts(progress, rounds + 1 + is_robust)
    tried = _search(hopper, n_momenta, n_headings, rounds, tell)
    best = _steadiest(hopper, tried, within, errors, tell(rounds)) if is_robust else _nearest(tried, hopper)
    momentum, heading = tried.momentum[best], tried.heading[best]
    rng = np.random.default_rng(errors.seed)
    wrong = momentum * (1.0 + errors.speed * rng.standard_normal(errors.n))
    turned = heading + errors.heading * rng.standard_normal(errors.n)
    speeds = hopper.wheel_speeds(np.array([momentum]), np.array([heading]))[0]
    return HopPlan(
        target=hopper.target,
        wheel_speeds=speeds,
        momentum=float(momentum),
        heading=float(heading),
        rest=tried.rest[best],
        miss=float(hopper.target.misses(tried.rest[best : best + 1])[0]),
        within=within,
        is_at_limit=bool(momentum >= (1.0 - 1e-9) * hopper.largest_momenta(np.array([heading]))[0]),
        tried=tried,
        errors=errors,
        repeated=hopper.hops(wrong, turned, tell(rounds + is_robust)),
    )


def _hopper(scenario: Scenario, asked: np.ndarray, device: str) -> Hopper:
    """The vehicle and its target, with a duration that a hop to it cannot need more than."""
    check_wheels_can_hop(scenario)
    model = build(scenario, device, is_recorded=False)
    target = hop_target(model, asked)
    duration = min(scenario.scenario.duration, _longest(scenario, target))
    steps = brake_steps(scenario.vehicle, duration)
    if scenario.integrator.method == "adaptive" and steps > MOST_BRAKE_STEPS:
        raise InputError(
            "vehicle.flywheels", f"their brakes cost about {steps:.2g} steps in each of hundreds of hops",
            f"at most {MOST_BRAKE_STEPS:.0e}", "release the brakes with brake_end soon after the rotors stop",
        )  # fmt: skip
    shorter = build(
        scenario.with_values({"scenario.duration": duration}), device, is_recorded=False, surface=model.surface
    )
    return Hopper(shorter, target)


def _longest(scenario: Scenario, target: HopTarget) -> float:
    """Time [s] beyond which a hop to a target is not followed."""
    arc = np.sqrt(2.0 * target.distance / target.gravity)
    ends = [
        wheel.brake_time if wheel.brake_end is None else wheel.brake_end
        for wheel in scenario.vehicle.flywheels
        if wheel.brake_time is not None
    ]
    return float(max(ends) + ARCS * arc + ARCS * scenario.outcome.rest_hold)


def _search(
    hopper: Hopper, n_momenta: int, n_headings: int, rounds: int, tell: Callable[[int], Progress | None]
) -> Hops:
    """All hops that were tried, in rounds about the best so far."""
    guess = _first_guess(hopper)
    _check_reach(hopper, guess)
    middle, half = np.mean(MOMENTA) * guess, np.ptp(MOMENTA) / 2.0 * guess
    turn, width, tried = 0.0, HEADINGS, []
    for i in range(rounds):
        headings = turn + np.linspace(-width, width, n_headings)
        most = hopper.largest_momenta(headings)
        low, high = np.minimum(middle - half, most), np.minimum(middle + half, most)
        momentum = np.linspace(low, high, n_momenta)
        tried.append(hopper.hops(momentum.ravel(), np.tile(headings, n_momenta), tell(i)))
        everything = Hops.joined(tried)
        best = _nearest(everything, hopper)
        middle, turn = everything.momentum[best], everything.heading[best]
        half, width = 2.0 * half / n_momenta, 2.0 * width / n_headings
    return Hops.joined(tried)


def _first_guess(hopper: Hopper) -> float:
    """H_0 [N m s]."""
    vehicle, target = hopper.model.scenario.vehicle, hopper.target
    arm = hopper.size
    pivot = float(np.linalg.eigvalsh(np.asarray(vehicle.inertia))[-1]) + vehicle.mass * arm**2
    return pivot / arm * float(np.sqrt(target.gravity * target.distance))


def _check_reach(hopper: Hopper, guess: float) -> None:
    """Refuses a target for which the flywheels cannot hold the least momentum that is looked at."""
    most = float(hopper.largest_momenta(np.linspace(-HEADINGS, HEADINGS, 61)).max())
    if most < MOMENTA[0] * guess:
        distance = hopper.target.distance * (most / (MOMENTA[0] * guess)) ** 2
        named = zip(hopper.model.scenario.vehicle.flywheels, hopper.fastest, strict=True)
        limits = ", ".join(f"{wheel.name} {speed:.4g}" for wheel, speed in named if wheel.is_braked)
        raise InputError(
            "target", f"it is {hopper.target.distance:.4g} m away, for which the flywheels would have to hold about "
            f"{guess:.3g} N m s; they hold at most {most:.3g} N m s (fastest [rad/s]: {limits}; by speed_max, and by "
            "what the brake stops until brake_end)",
            f"targets up to about {distance:.2g} m away", "choose a nearer one, or stronger brakes and faster rotors",
        )  # fmt: skip


def _nearest(hops: Hops, hopper: Hopper) -> int:
    """Which hop came to rest nearest to the target."""
    misses, duration = hopper.target.misses(hops.rest), hopper.model.scenario.scenario.duration
    if np.all(np.isinf(misses)):
        raise InputError(
            "target", f"none of {hops.n} hops came to rest in {duration:.4g} s ({hops.endings})",
            "a place where a hop can come to rest", "choose a nearer one, or a longer scenario.duration",
        )  # fmt: skip
    return int(np.argmin(misses))


def _steadiest(hopper: Hopper, tried: Hops, within: float, errors: HopErrors, progress: Progress | None) -> int:
    """Which of the hops that reach the target has the smallest median miss with errors, the same for all of them."""
    misses, first = hopper.target.misses(tried.rest), _nearest(tried, hopper)
    near = np.argsort(misses, kind="stable")[:CANDIDATES]
    near = near[misses[near] <= max(within, misses[first])]
    rng = np.random.default_rng([errors.seed, 1])  # not the draws with which the choice is judged
    wrong, turned = rng.standard_normal((2, N_REPEATED))
    momenta = tried.momentum[near, None] * (1.0 + errors.speed * wrong)
    headings = tried.heading[near, None] + errors.heading * turned
    repeated = hopper.hops(momenta.ravel(), headings.ravel(), progress)
    return int(near[np.argmin(np.median(hopper.target.misses(repeated.rest).reshape(momenta.shape), axis=1))])


def _in_parts(progress: Progress | None, n: int) -> Callable[[int], Progress | None]:
    """For each of n parts of the work, what tells how much of all of it is done."""
    if progress is None:
        return lambda part: None
    return lambda part: lambda share: progress((part + share) / n)
