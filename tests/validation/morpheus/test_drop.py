"""The vertical drop of Cordova2014 (Section IV.B, Figures 6 and 7): one point with six lines of sight, from 20 + 1.3 m.

Closed form of one bounce: from touchdown on, m x'' = -k x - c x' - m g (a damped spring about its rest depth m g/k)
until the ground would have to pull, k x + c x' = 0; from there on a throw. `bounce` finds deepest point, largest force
and the speed at which the point leaves the surface by root finding on that.

The paper prints no number of this test but the 21.3 m at which the vehicle settles, which is where it was dropped from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

import planetfall
from oracles import closed_forms as cf
from planetfall.engine.build import build
from planetfall.engine.run import run_batch, run_recorded
from planetfall.outcome import Outcome
from planetfall.record.trajectory import Trajectory
from support.morpheus import DAMPING, GRAVITY, MASS, STIFFNESS, UPRIGHT, push, standing

STEP = 5e-4  # [s]
FALL = 21.3  # [m]


@dataclass(frozen=True)
class Bounce:
    """Deepest point [m] below the surface, largest normal force [N], speed at which it leaves the surface [m/s]."""

    depth: float
    peak: float
    leaving: float


def bounce(speed: float, n_springs: int = 1) -> Bounce:
    """Of the whole mass on n points that touch down at a speed [m/s]."""
    k, c = n_springs * STIFFNESS, n_springs * DAMPING
    quarter = 0.5 * math.pi / math.sqrt(k / MASS)

    def at(t: float) -> tuple[float, float]:
        x, v = cf.damped_spring(t, 0.0, -speed, MASS, k, c, GRAVITY)
        return float(x), float(v)

    def force(t: float) -> float:
        x, v = at(t)
        return -k * x - c * v

    turn = brentq(lambda t: at(t)[1], 0.1 * quarter, 2.0 * quarter, xtol=1e-15)
    free = brentq(force, turn, turn + 1.5 * quarter, xtol=1e-15)
    peak = minimize_scalar(
        lambda t: -force(t), bounds=(0.0, turn + quarter), method="bounded", options={"xatol": 1e-12}
    )
    x, v = at(free)
    return Bounce(-at(turn)[0], -float(peak.fun) / n_springs, math.sqrt(v**2 + 2.0 * GRAVITY * x))


def test_without_gravity_the_closed_form_is_the_restitution() -> None:
    """Fast enough, weight does not matter: e of the clamped spring-damper, to m g/(k x) of it."""
    ratio = DAMPING / (2.0 * math.sqrt(STIFFNESS * MASS))
    assert bounce(1e5).leaving / 1e5 == pytest.approx(cf.restitution_clamped(ratio), rel=1e-4)


@lru_cache
def dropped() -> Trajectory:
    """The built-in scenario, nothing changed."""
    return planetfall.run(planetfall.load("morpheus-drop"))


def test_it_arrives_with_the_speed_of_the_fall() -> None:
    """20.4 m/s. The event has the speed at the end of its step, up to g h more; its time is reckoned back linearly."""
    touch = next(event for event in dropped().events if event.kind == "touch")
    speed = math.sqrt(2.0 * GRAVITY * FALL)
    assert speed == pytest.approx(20.4, abs=0.05)
    assert 0.0 <= -touch.value - speed <= GRAVITY * STEP
    assert touch.time == pytest.approx(math.sqrt(2.0 * FALL / GRAVITY), abs=GRAVITY * STEP**2 / speed)


def test_only_the_line_of_sight_that_looks_down_touches() -> None:
    """As long as the body stays aligned, one of six; the paper's Figure 7."""
    modes = dropped().data.contact_mode.values
    assert modes[:, 1].any()
    assert not np.delete(modes, 1, axis=1).any()


def test_every_bounce_is_the_closed_form_of_its_own_touchdown() -> None:
    """Contact is found up to a step late. The impulse missed by then is at most (c + k h) v h, of m v: 1e-3."""
    events = [event for event in dropped().events if event.kind in ("touch", "lift_off")]
    assert len(events) > 16
    missed = (DAMPING + STIFFNESS * STEP) * STEP / MASS
    for touch, leave in zip(events[0:16:2], events[1:16:2], strict=True):
        late = GRAVITY * STEP  # and the end of the step of either event is this much faster or slower
        expected = bounce(-touch.value).leaving
        assert leave.value == pytest.approx(expected, rel=missed, abs=late)


def test_it_rests_where_one_spring_carries_it_all() -> None:
    """m g/k: 8 cm, four times the sink that the spring was made for, and what the swing since the last touch leaves."""
    run = dropped()
    assert run.summary["outcome"] == "settled"
    last = [event for event in run.events if event.kind == "touch"][-1]
    swing = 0.08 - last.value / math.sqrt(STIFFNESS / MASS)
    left = swing * math.exp(-0.5 * DAMPING / MASS * (run.summary["end_s"] - last.time))
    assert left < 1e-7
    assert run.data.position.values[-1, 0, 2] == pytest.approx(-0.08, abs=left)
    assert run.summary["final_normal_force_N"][1] == pytest.approx(MASS * GRAVITY, abs=2.0 * STIFFNESS * left)


@pytest.mark.parametrize(("name", "n_springs", "height"), [("morpheus-drop", 1, 0.0), ("morpheus-drop-legs", 4, 1.3)])
def test_touching_on_a_step_leaves_nothing_but_the_method(name: str, n_springs: int, height: float) -> None:
    """Dropped so that a step ends 1e-9 m below the surface, depth, force and rebound are the closed form's.

    On the smooth arc RK4 is off by (w h)^4/120 a radian, 1e-9 for four springs; where the force ends, a kink inside a
    step, its error is (k v/m) h^2 of a speed. The largest force is seen at step ends: (w h/2)^2/2 lower.
    """
    n_fall = round(math.sqrt(2.0 * 20.0 / GRAVITY) / STEP)
    fall = 0.5 * GRAVITY * (n_fall * STEP) ** 2 - 1e-9
    scenario = planetfall.load(name).with_values(
        {"initial.height": height + fall, "scenario.duration": 2.6, "contact.ray_offset": 2.5, "record.interval": 0.1}
    )
    run = run_recorded(build(scenario))
    speed = GRAVITY * n_fall * STEP
    expected = bounce(speed, n_springs)
    omega = math.sqrt(n_springs * STIFFNESS / MASS)
    assert run.end.penetration[0] == pytest.approx(expected.depth, rel=(omega * STEP / 2.0) ** 2)
    assert run.end.peak.max() == pytest.approx(expected.peak, rel=(omega * STEP / 2.0) ** 2)
    leave = next(event for event in run.events if event.kind == "lift_off")
    kink = n_springs * STIFFNESS * speed / MASS * STEP**2
    assert 0.0 <= expected.leaving - leave.value + kink <= GRAVITY * STEP + 2.0 * kink


def test_six_lines_of_sight_move_like_one() -> None:
    """The other five find nothing, and nothing added to a force leaves its bits alone."""
    values = {"scenario.duration": 12.0}
    six = planetfall.load("morpheus-drop").with_values(values)
    one = six.with_values({"vehicle.points": [six.vehicle.points[1].model_dump()]})
    ends = []
    for scenario in (six, one):
        model = build(scenario, is_recorded=False)
        ends.append(run_batch(model, model.initial_state[None]))
    np.testing.assert_array_equal(ends[0].state, ends[1].state)
    np.testing.assert_array_equal(ends[0].peak[:, 1], ends[1].peak[:, 0])
    assert ends[0].touches[0, 1] >= 3


# --- the limit of the printed method


def test_the_printed_offset_is_an_error_that_names_it() -> None:
    """0.8 m before the point, where it goes 1.8 m deep."""
    scenario = planetfall.load("morpheus-drop").with_values({"contact.ray_offset": 0.8})
    with pytest.raises(
        planetfall.InputError, match=r"^contact\.ray_offset: 0\.8 m is too short .* limit of the printed"
    ):
        planetfall.run(scenario)
    assert dropped().summary["max_penetration_m"] > 1.7


def test_a_push_that_no_estimate_sees_ends_as_sunk() -> None:
    """Pressed down with 40 times its weight, the legs lose the ground 0.8 m deep; it does not fall through."""
    forces = push([0.0, 1.0], [6e5, 6e5])
    forces[0]["direction"] = [0.0, 0.0, -1.0]
    run = planetfall.run(standing(contact__detection="line-of-sight", forces=forces, scenario__duration=2.0))
    assert run.summary["outcome"] == "sunk"
    assert "line" in run.summary["outcome_sentence"]
    assert run.events[-1].kind == "sunk"
    speed = float(np.linalg.norm(run.data.velocity.values[-1, 0]))
    assert 0.8 <= run.data.contact_gap.values[-1, 0] * -1.0 <= 0.8 + speed * STEP


def test_states_that_were_never_checked_end_as_sunk() -> None:
    """A batch starts where it is told to: from ten metres the printed offset holds, from forty it does not."""
    scenario = planetfall.load("morpheus-drop").with_values(
        {"contact.ray_offset": 1.4, "initial.height": 10.0, "scenario.duration": 60.0}
    )
    model = build(scenario, is_recorded=False)
    states = np.tile(model.initial_state, (3, 1))
    states[:, 2] = [10.0, 40.0, -1.5]
    end = run_batch(model, states)
    assert [Outcome(int(status)) for status in end.status] == [Outcome.settled, Outcome.sunk, Outcome.sunk]
    assert end.state[1, 2] > -1.4 - 30.0 * STEP
    assert end.time[2] == 0.0


def test_an_overturned_vehicle_whose_points_look_away_ends_as_sunk() -> None:
    """On its back no line of sight of the built-in vehicle finds the ground; by the gap it lies on its tanks."""
    flipped = [float(q) for q in (UPRIGHT.from_rotvec([np.pi, 0.0, 0.0]) * UPRIGHT).as_quat()]
    values = {"initial.attitude": flipped, "initial.height": 2.0, "scenario.duration": 5.0, "contact.ray_offset": 2.0}
    legs = planetfall.load("morpheus-drop-legs").with_values(values)
    lying = planetfall.run(legs)
    assert lying.summary["outcome"] == "overturned"
    seen = planetfall.run(legs.with_values({"contact.detection": "line-of-sight"}))
    assert seen.summary["outcome"] == "sunk"
    fallen = math.sqrt(2.0 * GRAVITY * 1.3)
    assert 0.0 <= 0.7 - seen.data.position.values[-1, 0, 2] <= fallen * STEP


def test_a_tumbling_point_is_held_by_whichever_line_of_sight_looks_down() -> None:
    """The paper: at every moment between one and three of the six directions meet the plane."""
    values = {
        "initial.angular_velocity": [0.0, 0.3, 0.2],
        "initial.velocity": [1.0, 0.0, 0.0],
        "scenario.duration": 12.0,
    }
    run = planetfall.run(planetfall.load("morpheus-drop").with_values(values))
    assert run.summary["outcome"] != "sunk"
    touched = (run.data.contact_mode.values != 0).sum(axis=1)
    in_ground = run.data.contact_gap.values[:, 0] < 0
    assert set(touched[in_ground]) == {1, 2, 3}
    assert run.data.position.values[:, 0, 2].min() > -2.2
