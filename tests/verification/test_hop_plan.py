"""The planner of hops: momentum along up x heading, the best of what it tried, the same when run again, its luck."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.stats import ks_2samp

import planetfall
from planetfall.analysis.hop.hop_plan import HopErrors, HopPlan, plan_hop
from planetfall.analysis.hop.hop_target import hop_target
from planetfall.analysis.hop.hopper import Hopper, Hops
from planetfall.engine.build import build
from planetfall.engine.run import run_batch
from planetfall.errors import InputError
from planetfall.outcome import Outcome

TARGET = np.array([9.0, 6.0, 0.0])
AIM = np.array([9.0, 6.0, 0.15])  # where the centre of mass is to rest: the cube stands on a face, at the start too
J = 1.5e-3  # kg m^2, of each of three rotors along x, y, z
quick = partial(plan_hop, n_momenta=3, n_headings=3, rounds=1, errors=HopErrors(n=2))


@pytest.fixture(scope="module")
def plan() -> HopPlan:
    """Twelve hops in two rounds are enough to look at the planner."""
    return plan_hop(planetfall.load("hedgehog-hop"), TARGET, n_momenta=4, n_headings=3, rounds=2)


def test_a_plan_leads_where_it_says(plan: HopPlan) -> None:
    """Its best is the best of what was tried, and is the same to the bit in a run of the scenario's own duration."""
    scenario = planetfall.load("hedgehog-hop")
    assert plan.tried.n == 24
    misses = np.linalg.norm(plan.tried.rest - AIM, axis=1)
    assert plan.miss == pytest.approx(np.nanmin(misses), rel=1e-14)
    assert plan.miss < 0.5 * plan.target.distance
    again = planetfall.run(plan.applied_to(scenario).with_values({"record.interval": 100.0}))
    np.testing.assert_array_equal(again.data.position.values[-1, 0], plan.rest)


def test_what_errors_cost_is_what_an_independent_batch_finds(plan: HopPlan) -> None:
    """200 hops with 1 % and 1 deg, made here by hand with other draws: one distribution (Kolmogorov-Smirnov, p > 0.01).

    The plan itself is luck: half of them miss by 1.9 times as much, and the quantiles are those of the sample.
    """
    model, rng = build(planetfall.load("hedgehog-hop"), is_recorded=False), np.random.default_rng(77)
    momentum = plan.momentum * rng.normal(1.0, 0.01, 200)
    bearing = np.arctan2(TARGET[1], TARGET[0]) + plan.heading + np.radians(rng.normal(0.0, 1.0, 200))
    speeds = momentum[:, None] / J * np.column_stack([-np.sin(bearing), np.cos(bearing), np.zeros(200)])
    found = run_batch(model, np.hstack([np.tile(model.initial_state, (200, 1)), speeds]))
    assert np.all(found.status == Outcome.settled) and plan.repeated.n_at_rest == plan.repeated.n == 200
    by_hand, told = (np.linalg.norm(rest - AIM, axis=1) for rest in (found.state[:, :3], plan.repeated.rest))
    assert float(np.asarray(ks_2samp(by_hand, told))[1]) > 0.01
    assert plan.missed_by(0.5) == np.sort(told)[99] and plan.missed_by(0.9) == np.sort(told)[179]
    assert plan.missed_by(0.5) > 1.5 * plan.miss


def test_without_errors_every_hop_is_the_plan() -> None:
    plan = quick(planetfall.load("hedgehog-hop"), TARGET, errors=HopErrors(0.0, 0.0, n=3))
    np.testing.assert_array_equal(plan.repeated.rest, np.tile(plan.rest, (3, 1)))
    assert plan.missed_by(0.5) == plan.missed_by(0.9) == plan.miss


def test_a_robust_plan_is_the_one_that_errors_spoil_least(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a law of hops made up here: the middle momentum hits, but 1 % of it costs 10 m; all others miss by 0.5 m.

    The median of |N(0, 1)| is 0.6745, so that half of the hops at the nearest miss by less than 6.7 m; 200 draws tell
    that to 0.8 m (twice the standard error of a median of 200, 1/(2 f sqrt(n)) with f = 0.635 there).
    """

    arm = 0.15 * np.sqrt(3.0)
    middle = 0.85 * (0.075 + 5.0 * arm**2) / arm * np.sqrt(2e-4 * np.hypot(9.0, 6.0))  # of 0.3 to 1.4 H_0

    def made_up(hopper: Hopper, momenta: np.ndarray, headings: np.ndarray, progress: object = None) -> Hops:
        off = np.where(np.abs(momenta / middle - 1.0) < 0.2, 1000.0 * (momenta / middle - 1.0), 0.5)
        return Hops(momenta, headings, AIM + off[:, None] * np.eye(3)[0], np.full(len(momenta), Outcome.settled))

    monkeypatch.setattr(Hopper, "hops", made_up)
    search = partial(quick, planetfall.load("hedgehog-hop"), TARGET, errors=HopErrors())
    nearest, steady, strict = search(), search(within=1.0, is_robust=True), search(within=0.1, is_robust=True)
    assert nearest.miss < 1e-9 and nearest.is_reached
    assert nearest.missed_by(0.5) == pytest.approx(6.745, abs=0.8)
    assert steady.miss == steady.missed_by(0.9) == pytest.approx(0.5) and steady.is_reached
    assert strict.momentum == nearest.momentum  # only the hit is so near
    assert search(within=0.0).within == 0.0 and search().within == pytest.approx(0.1 * np.hypot(9.0, 6.0))


def test_hops_that_never_rest_count_as_far_away(plan: HopPlan) -> None:
    """Of four hops with errors, two of which came to rest, half miss by some distance, 90 % by any."""
    some = plan.repeated
    rest = np.vstack([AIM + 3.0 * np.eye(3)[0], AIM + np.eye(3)[1], np.full((2, 3), np.nan)])
    hops = type(some)(some.momentum[:4], some.heading[:4], rest, some.outcome[:4])
    told = HopPlan(**{**vars(plan), "repeated": hops})
    assert told.missed_by(0.5) == 3.0
    assert told.missed_by(0.9) == np.inf


def test_momentum_of_the_wheels_is_horizontal_and_across_the_heading(plan: HopPlan) -> None:
    """Of three rotors of 1.5e-3 kg m^2 along x, y, z: H = J s, perpendicular to up and to where it goes."""
    held = J * plan.wheel_speeds
    assert np.linalg.norm(held) == pytest.approx(plan.momentum, rel=1e-12)
    bearing = np.arctan2(TARGET[1], TARGET[0]) + plan.heading
    np.testing.assert_allclose(held / plan.momentum, [-np.sin(bearing), np.cos(bearing), 0.0], atol=1e-12)
    assert plan.rest[:2] @ TARGET[:2] > 0.0  # it went that way


def test_a_target_in_the_air_is_the_ground_under_it() -> None:
    """On a slope of 20 deg, gravity vertical: straight below, and the cube on a face stands 0.15/cos 20 above it."""
    standing = 0.15 / np.cos(np.radians(20.0))
    slope = planetfall.load("hedgehog-hop").with_values(
        {"terrain.slope_deg": 20.0, "initial.position": [0.0, 0.0, standing]}
    )
    normal = build(slope, is_recorded=False).surface.ground_at(np.zeros(3))[1]
    height = -(normal[:2] @ [9.0, 6.0]) / normal[2]
    target = hop_target(build(slope, is_recorded=False), np.array([9.0, 6.0, 40.0]))
    np.testing.assert_allclose(target.ground, [9.0, 6.0, height], atol=1e-12)
    assert target.off_ground == pytest.approx(40.0 - height, rel=1e-12)
    np.testing.assert_allclose(target.aim - target.ground, [0.0, 0.0, standing], atol=1e-12)
    assert target.distance == pytest.approx(np.hypot(9.0, 6.0), rel=1e-12)


def test_no_hop_asks_for_more_than_flywheels_may() -> None:
    """15 rad/s at most: along x and y together they hold 0.032 N m s, where 0.06 would be the first guess."""
    limits = {f"vehicle.flywheels.{i}.speed_max": 15.0 for i in range(3)}
    scenario = planetfall.load("hedgehog-hop").with_values({**limits, "vehicle.flywheels.1.speed": 0.0})
    plan = quick(scenario, TARGET)
    assert plan.tried.momentum.max() <= 15.0 * J * np.sqrt(2.0) * (1 + 1e-12)
    assert np.abs(plan.wheel_speeds).max() <= 15.0 * (1 + 1e-12)
    plan.applied_to(scenario)  # a scenario that is not refused
    with pytest.raises(InputError, match=r"they hold at most 0.00\d+ N m s \(fastest \[rad/s\]: x 3, y 3, z 3;"):
        quick(scenario.with_values({key: 3.0 for key in limits}), TARGET)


def test_a_target_far_beyond_reach_is_refused_at_once() -> None:
    """The brakes stop 0.6 N m 0.5 s/J = 200 rad/s, no more: two rotors 0.42 N m s, where 22 are needed."""
    with pytest.raises(InputError, match=r"target: it is 1e\+06 m away, .* about 22.5 N m s; they hold at most 0.4"):
        quick(planetfall.load("hedgehog-hop"), np.array([1e6, 0.0, 0.0]))


def test_flywheels_that_are_not_braked_keep_their_speed() -> None:
    wheels = [wheel.model_dump(exclude_none=True) for wheel in planetfall.load("hedgehog-hop").vehicle.flywheels]
    wheels[2] = {"name": "bias", "axis": [0.0, 0.0, 1.0], "inertia": J, "speed": 7.0}
    plan = quick(planetfall.load("hedgehog-hop").with_values({"vehicle.flywheels": wheels}), TARGET)
    assert plan.wheel_speeds[2] == 7.0


def test_what_cannot_be_planned_is_refused() -> None:
    scenario = planetfall.load("hedgehog-hop")
    with pytest.raises(InputError, match=r"no flywheel is braked"):
        plan_hop(planetfall.load("hedgehog-hop").with_values({"vehicle": {"name": "cube"}}), TARGET)
    with pytest.raises(InputError, match=r"vehicle\.points: there are none"):
        plan_hop(scenario.with_values({"vehicle.points": []}), TARGET)
    with pytest.raises(InputError, match=r"farther than the vehicle's own size"):
        plan_hop(scenario, np.array([0.1, 0.0, 0.15]))
    with pytest.raises(InputError, match=r"without gravity"):
        plan_hop(scenario.with_values({"gravity": {"model": "none"}}), TARGET)
    with pytest.raises(InputError, match=r"none of 9 hops came to rest in 3 s \(timed_out 9\)"):
        quick(scenario.with_values({"scenario.duration": 3.0}), TARGET)
    with pytest.raises(InputError, match=r"flywheels.1.torques: a motor would change the speed"):
        quick(
            scenario.with_values({"vehicle.flywheels.1.times": [0.0, 1.0], "vehicle.flywheels.1.torques": [0.0, 0.1]}),
            TARGET,
        )
    wheels = [wheel.model_dump(exclude={"brake_end"}, exclude_none=True) for wheel in scenario.vehicle.flywheels]
    with pytest.raises(InputError, match=r"their brakes cost about .* release the brakes with brake_end"):
        quick(scenario.with_values({"vehicle.flywheels": wheels}), TARGET)
