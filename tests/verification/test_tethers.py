"""Tethers: closed forms of springs, snatches, hanging loads, reels and cuts; conservation; an independent oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import planetfall
from planetfall.engine.build import build
from planetfall.engine.checks.mechanism_steps import tether_step_limit
from planetfall.engine.run import run_batch
from planetfall.errors import InputError
from planetfall.scenario.tables.run.attitude import rotation_matrix
from support.tethered import body, hung, line, momenta, tethered

STEP = 1e-3  # [s]
LOW, HIGH, STIFF = 2.0, 3.0, 100.0  # [kg], [kg], [N/m]
REDUCED = LOW * HIGH / (LOW + HIGH)
RATE = np.sqrt(STIFF / REDUCED)  # of two masses on one spring [rad/s]


def apart(distance: float, speed: float = 0.0, **keys: Any) -> planetfall.Scenario:
    """Two masses along x on a line of 1 m, at a distance and with a speed of parting, in free space."""
    low = (body("low", LOW), {"velocity": [-speed * HIGH / (LOW + HIGH), 0.0, 0.0]})
    high = (body("high", HIGH), {"position": [distance, 0.0, 0.0], "velocity": [speed * LOW / (LOW + HIGH), 0.0, 0.0]})
    duration = keys.pop("duration", 1.0)
    tether = line(**{"length": 1.0, "stiffness": STIFF, **keys})
    return tethered(low, high, [tether], scenario={"name": "test", "duration": duration})


def test_two_masses_on_a_spring_until_it_goes_slack() -> None:
    """A quarter period of sqrt(k/mu), then straight on at the speed reached.

    RK4 judges slackness in its stages: in the one step that holds the instant the force is wrong by up to k v h, which
    leaves an error of speed of k v h^2/mu and as much times t of length.
    """
    stretch = 0.1
    run = planetfall.run(apart(1.0 + stretch))
    t, length = run.data.time.values, run.data.tether_length.values[:, 0]
    slack = 0.5 * np.pi / RATE
    speed = stretch * RATE
    expected = np.where(t < slack, stretch * np.cos(RATE * t), -speed * (t - slack)) + 1.0
    assert np.abs(length - np.abs(expected)).max() < STIFF * speed * STEP**2 / REDUCED
    tension = run.data.tether_tension.values[:, 0]
    assert tension[0] == pytest.approx(STIFF * stretch, rel=1e-14)
    assert np.all(tension[t > slack + STEP] == 0.0) and np.all(tension[t < slack - STEP] > 0.0)
    assert run.summary["energy_closure_J"] < STIFF * speed**2 * STEP**2


@pytest.mark.parametrize("damping", [0.0, 4.0])
def test_snatch_gives_back_what_the_damper_leaves(damping: float) -> None:
    """Kelvin-Voigt from slack to slack: T = -mu e'' vanishes when tan(w_d t) = 2 z w w_d/(z^2 w^2 - w_d^2).

    The tension jumps by c v when the line goes taut, somewhere in a step: the speed is off by c v h/mu at most, the
    stiffness adds what it does in the test above.
    """
    speed = 0.5
    run = planetfall.run(apart(0.98, speed, damping=damping))
    ratio = damping / (2.0 * REDUCED * RATE)
    damped = RATE * np.sqrt(1.0 - ratio**2)
    end = np.arctan2(2.0 * ratio * RATE * damped, (ratio * RATE) ** 2 - damped**2) / damped
    left = np.exp(-ratio * RATE * end) * (np.cos(damped * end) - ratio * RATE / damped * np.sin(damped * end))
    back = np.diff(run.data.velocity.values[-1, :, 0])[0] / speed
    assert run.data.tether_tension.values[-1, 0] == 0.0
    assert back == pytest.approx(left, abs=(damping + STIFF * STEP) * STEP / REDUCED)
    assert run.summary["energy_closure_J"] < (damping + STIFF * STEP) * speed**2 * STEP
    if damping:
        assert back > -0.8  # the damper has a part in it
        work = run.data.tether_damper_work.values[:, 0]
        assert work[-1] == pytest.approx(-0.5 * REDUCED * speed**2 * (1 - left**2), rel=2e-3)


INERTIAS = np.array([[2.0, 3.0, 4.0], [5.0, 4.0, 3.0]])  # [kg m^2]
ENDS = [[[0.4, 0.1, 0.5], [0.0, -0.3, -0.6]], [[-0.4, 0.2, 0.5], [0.3, 0.3, -0.6]]]
STARTS = (
    {"position": [0.3, -0.2, 0.1], "velocity": [0.3, 0.2, -0.5], "angular_velocity": [0.3, -0.8, 0.5]},
    {"position": [0.1, 0.4, 3.5], "velocity": [-0.2, 0.1, 0.9], "angular_velocity": [-0.6, 0.4, 0.7],
     "attitude": [0.2, -0.4, 0.4, 0.8]},
)  # fmt: skip


def tumbling(length: float, duration: float, step: float, **keys: Any) -> planetfall.Scenario:
    """Two bodies with offset attachments and spin on two lines."""
    tethers = [
        line(f"line {i}", points, length=length, stiffness=900.0, **{"damping": 3.0, **keys})
        for i, points in enumerate(ENDS)
    ]
    return tethered(
        (body("low", 8.0, INERTIAS[0].tolist()), STARTS[0]),
        (body("high", 12.0, INERTIAS[1].tolist()), STARTS[1]),
        tethers,
        scenario={"name": "test", "duration": duration},
        integrator={"method": "rk4", "step": step},
    )


def test_momentum_stays_through_slack_and_snatch() -> None:
    """The ends of a line pull with one force along one line: both momenta stay, to 1e-12 of their size a second.

    Linear momentum by rounding alone; angular momentum is no linear function of the state, so RK4 keeps it to its own
    error, which this step has brought below that.
    """
    run = planetfall.run(tumbling(2.6, 4.0, 1e-4))
    linear, angular = momenta(run.data, INERTIAS)
    tension = run.data.tether_tension.values
    assert np.all((tension == 0.0).any(axis=0)) and np.all(tension.max(axis=0) > 50.0)
    assert np.abs(linear - linear[0]).max() < 4.0 * 1e-12 * np.linalg.norm(linear[0])
    assert np.abs(angular - angular[0]).max() < 4.0 * 1e-12 * np.linalg.norm(angular[0])


def oracle_rates(_: float, y: np.ndarray) -> np.ndarray:
    """Of both bodies, taut lines of 1.5 m; written anew with matrices and finite rotations."""
    out, forces, torques = np.zeros(26), np.zeros((2, 3)), np.zeros((2, 3))
    turned = [rotation_matrix(y[13 * b + 6 : 13 * b + 10]) for b in (0, 1)]
    for ends in ENDS:
        arms = [turned[b] @ ends[b] for b in (0, 1)]
        places = [y[13 * b : 13 * b + 3] + arms[b] for b in (0, 1)]
        speeds = [
            y[13 * b + 3 : 13 * b + 6] + np.cross(turned[b] @ y[13 * b + 10 : 13 * b + 13], arms[b]) for b in (0, 1)
        ]
        gap = places[1] - places[0]
        length = np.sqrt(gap @ gap)
        tension = 900.0 * (length - 1.5) + 3.0 * (gap @ (speeds[1] - speeds[0])) / length
        assert tension > 0.0
        for b, sign in ((0, 1.0), (1, -1.0)):
            forces[b] += sign * tension * gap / length
            torques[b] += sign * np.cross(arms[b], tension * gap / length)
    for b, mass in ((0, 8.0), (1, 12.0)):
        o, w = 13 * b, y[13 * b + 10 : 13 * b + 13]
        x, yy, z, q = y[o + 6 : o + 10]
        out[o : o + 3], out[o + 3 : o + 6] = y[o + 3 : o + 6], forces[b] / mass
        out[o + 6 : o + 9] = 0.5 * (q * w + np.cross([x, yy, z], w))
        out[o + 9] = -0.5 * np.dot([x, yy, z], w)
        out[o + 10 : o + 13] = (turned[b].T @ torques[b] - np.cross(w, INERTIAS[b] * w)) / INERTIAS[b]
    return out


def test_two_bodies_on_two_lines_against_scipy() -> None:
    """60 ms of taut, damped, tumbling motion, half a swing of the slow modes; RK4 at 1e-4 s, DOP853 at 1e-12.

    The fastest mode has w h of 5e-3 at most, so the 600 steps leave (w h)^4 w t/120 of 2e-11.
    """
    scenario = tumbling(1.5, 0.06, 1e-4)
    model = build(scenario, is_recorded=False)
    end = run_batch(model, model.initial_state[None]).state[0]
    start = model.initial_state.copy()
    told = solve_ivp(oracle_rates, (0.0, 0.06), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    assert np.abs(end - told).max() < 1e-10
    assert np.abs(told - start).max() > 1.0  # something has happened


GRAVITY, LOAD, SUPPORT = 3.71, 900.0, 950.0


def test_a_hanging_load_bounces_at_its_frequency_and_rests_at_its_weight() -> None:
    """e = W/k + A exp(-z w t) cos(w_d t) (+ the damper's sine): taut throughout, so RK4's (w h)^4 w t/120 = 2e-11."""
    stiffness, damping, stretch = 6000.0, 300.0, 0.3
    reduced = LOAD * SUPPORT / (LOAD + SUPPORT)
    scenario = hung(
        LOAD, SUPPORT, GRAVITY, [line(length=7.5, stiffness=stiffness, damping=damping)], 7.5 + stretch,
        scenario={"name": "test", "duration": 8.0},
    )  # fmt: skip
    data = planetfall.run(scenario).data
    t, rate = data.time.values, np.sqrt(stiffness / reduced)
    ratio = damping / (2.0 * reduced * rate)
    damped, rest = rate * np.sqrt(1 - ratio**2), LOAD * GRAVITY / stiffness
    decay = np.exp(-ratio * rate * t) * (np.cos(damped * t) + ratio * rate / damped * np.sin(damped * t))
    assert np.abs(data.tether_length.values[:, 0] - 7.5 - rest - (stretch - rest) * decay).max() < 1e-9
    still = hung(LOAD, SUPPORT, GRAVITY, [line(length=7.5, stiffness=stiffness, damping=damping)], 7.5 + rest)
    held = planetfall.run(still).data
    assert np.abs(held.tether_tension.values - LOAD * GRAVITY).max() < 1e-8


def test_three_bridles_share_the_weight() -> None:
    """To one confluence: vertical parts of the tensions sum to the weight, each T = W/(3 cos a), at rest."""
    radius, length, stiffness = 0.5, 7.5, 20000.0
    corners = [[radius * np.cos(a), radius * np.sin(a), 0.4] for a in np.radians([90.0, 210.0, 330.0])]
    bridles = [
        line(f"bridle {i}", [corner, [0.0, 0.0, -0.3]], length=length, stiffness=stiffness, damping=8000.0)
        for i, corner in enumerate(corners)
    ]
    scenario = hung(
        LOAD, SUPPORT, GRAVITY, bridles, np.sqrt(length**2 - radius**2) + 0.7 + 0.05,
        scenario={"name": "test", "duration": 8.0},
    )  # fmt: skip
    end = planetfall.run(scenario).data.isel(time=-1)
    tension, reach = end.tether_tension.values, end.tether_length.values
    cosine = np.sqrt(1.0 - (radius / reach) ** 2)
    assert np.abs(end.velocity.values).max() < 1e-9
    assert tension @ cosine == pytest.approx(LOAD * GRAVITY, rel=1e-9)
    assert tension == pytest.approx(LOAD * GRAVITY / (3.0 * cosine), rel=1e-9)


def test_a_load_swings_with_the_period_of_its_mode() -> None:
    """Line and body are a double pendulum: M = m [[l^2, l d], [l d, r^2 + d^2]], K = m g diag(l, d), small angles.

    Amplitude 1e-4 rad: the stretch is second order; the support, 1e7 times heavier, moves 1e-7; its force is constant.
    """
    inertia, below, length = 500.0, 0.8, 3.0
    stiffness = 5e7
    rope = length + LOAD * GRAVITY / stiffness
    masses = LOAD * np.array([[rope**2, rope * below], [rope * below, inertia / LOAD + below**2]])
    squares, shapes = np.linalg.eig(np.linalg.solve(masses, LOAD * GRAVITY * np.diag([rope, below])))
    slow = int(np.argmin(squares))
    angle, tilt = 1e-4 * shapes[:, slow] / np.abs(shapes[:, slow]).max()
    scenario = hung(
        LOAD, 1e7 * LOAD, GRAVITY,
        [line(points=[[0.0, 0.0, below], [0.0, 0.0, 0.0]], length=length, stiffness=stiffness)], 1.0,
        vehicle=body("low", LOAD, [inertia] * 3),
        initial={
            "position": [rope * np.sin(angle) + below * np.sin(tilt), 0.0,
                         -rope * np.cos(angle) - below * np.cos(tilt)],
            "attitude": [0.0, -np.sin(0.5 * tilt), 0.0, np.cos(0.5 * tilt)],
        },
        scenario={"name": "test", "duration": 6.0},
    )  # fmt: skip
    data = planetfall.run(scenario).data
    swing = data.position.values[:, 0, 0] - data.position.values[:, 1, 0]
    assert np.abs(swing / swing[0] - np.cos(np.sqrt(squares[slow]) * data.time.values)).max() < 1e-5


def test_after_the_cut_the_load_falls_freely_and_the_account_closes() -> None:
    """Cut at the step's end nearest to cut_time; what the spring held goes to the damper's account."""
    stiffness, cut = 6000.0, 0.5002
    rest = LOAD * GRAVITY / stiffness
    tether = line(length=7.5, stiffness=stiffness, damping=300.0, cut_time=cut)
    run = planetfall.run(hung(LOAD, SUPPORT, GRAVITY, [tether], 7.5 + rest, record={"interval": 0.001}))
    data = run.data
    t, fallen = data.time.values, -(data.position.values[:, 0, 2] + 7.5 + rest)
    after = np.maximum(t - 0.5, 0.0)
    assert np.abs(fallen - 0.5 * GRAVITY * after**2).max() < 1e-10
    assert np.all(data.tether_tension.values[t > 0.5 + 1e-6] == 0.0)
    assert data.tether_cut.values[:, 0].tolist() == (t > 0.5 + 1e-6).tolist()
    assert np.abs(data.tether_tension.values[t <= 0.5] - LOAD * GRAVITY).max() < 1e-8
    assert data.tether_damper_work.values[-1, 0] == pytest.approx(-0.5 * stiffness * rest**2, rel=1e-9)
    assert run.summary["energy_closure_J"] < 1e-9 * np.abs(data.energy_kinetic.values).max()


def test_a_brake_lowers_the_load_and_stops_at_the_full_length() -> None:
    """Steady speed (T - F0)/b at T = W; the last line runs out exponentially.

    Stretch and speed approach it as exp(-s t), s = (k/b + c/m)/(2 (1 + c/b)) = 1.36 /s, the real part of their modes.

    The support, 1e9 times heavier, stands still. T is one solution of spring, damper and brake: at every frame
    T = k e + c (l' - L') with L' = (T - F0)/b.
    """
    stiffness, damping, drag, hold = 6000.0, 1500.0, 1800.0, 600.0
    tether = line(
        length=0.2, stiffness=stiffness, damping=damping, brake_force=hold, brake_drag=drag, full_length=7.5,
        taper_length=0.5,
    )  # fmt: skip
    run = planetfall.run(hung(LOAD, 1e9 * LOAD, GRAVITY, [tether], 0.2, scenario={"name": "test", "duration": 20.0}))
    data, weight = run.data, LOAD * GRAVITY
    rest, t = data.tether_rest_length.values[:, 0], data.time.values
    steady = (t > 3.5) & (t < 4.3)
    assert rest[steady].max() < 7.0  # before the taper
    fading = (stiffness / drag + damping / LOAD) / (2.0 * (1.0 + damping / drag))
    error = np.gradient(rest, t) - (weight - hold) / drag
    assert np.all(np.abs(error[steady]) < 2.0 * (weight - hold) / drag * np.exp(-fading * t[steady]))
    tension = data.tether_tension.values[:, 0]
    stretch = data.tether_length.values[:, 0] - rest
    parting = data.velocity.values[:, 1, 2] - data.velocity.values[:, 0, 2]
    paying = np.maximum(tension - hold, 0.0) / drag * np.clip((7.5 - rest) / 0.5, 0.0, 1.0)
    taut = (stretch > 0) & (tension > 0)
    assert tension[taut] == pytest.approx((stiffness * stretch + damping * (parting - paying))[taut], rel=1e-9)
    assert 7.5 - 1e-3 < rest[-1] <= 7.5
    assert tension[-1] == pytest.approx(weight, rel=1e-3)
    assert run.summary["energy_closure_J"] < 1e-6 * weight * 7.5


def test_a_table_pays_out_and_winds_in() -> None:
    """The load follows the rest length; the reel's work is -integral of T dL and raises the load when it winds in."""
    tether = line(stiffness=60000.0, damping=6000.0, times=[1.0, 3.0, 5.0], lengths=[2.0, 3.0, 1.5])
    drop = 2.0 + LOAD * GRAVITY / 60000.0
    scenario = hung(
        LOAD, 1e9 * LOAD, GRAVITY, [tether], drop, scenario={"name": "test", "duration": 9.0},
        record={"interval": STEP},
    )  # fmt: skip
    run = planetfall.run(scenario)
    data, weight = run.data, LOAD * GRAVITY
    rest, tension = data.tether_rest_length.values[:, 0], data.tether_tension.values[:, 0]
    lowered = data.position.values[:, 1, 2] - data.position.values[:, 0, 2]
    assert lowered[-1] == pytest.approx(1.5 + weight / 60000.0, abs=1e-6)
    assert rest[np.searchsorted(data.time.values, 2.0)] == pytest.approx(2.5, abs=1e-12)
    reel, damper = data.tether_reel_work.values[-1, 0], data.tether_damper_work.values[-1, 0]
    jumps = 6000.0 * np.abs([0.5, -1.25, 0.75])  # of the tension where the table has kinks
    assert reel == pytest.approx(-np.trapezoid(tension, rest), abs=STEP * 0.75 * jumps.sum())
    assert reel + damper == pytest.approx(0.5 * weight, rel=1e-5)  # from rest to rest, half a metre higher
    assert run.summary["energy_closure_J"] < 1e-5 * weight
    assert run.summary["energy_rise_J"] < 1e-5 * weight  # what the reel gave is no rise


def test_the_step_limit_is_that_of_two_masses_on_a_spring() -> None:
    """RK4 is stable on the imaginary axis up to 2 sqrt(2)."""
    scenario = apart(1.1)
    states = build(scenario).initial_state.reshape(2, 13)
    assert tether_step_limit(scenario, states) == pytest.approx(2.0 * np.sqrt(2.0) / RATE, rel=1e-6)
    slow = scenario.with_values({"integrator.step": 0.4})
    with pytest.raises(
        InputError, match=r"integrator.step: 0.4 s is too long for the stiffness .* of the tethers"
    ) as said:
        build(slow)
    assert "integrator.method = 'adaptive'" in str(said.value)  # tethers have events, which it locates
    build(slow.with_values({"integrator.accept_step": True}))


def test_ends_of_a_batch_are_those_of_the_recorded_run() -> None:
    """To the bit, whatever the chunks."""
    scenario = tumbling(2.6, 0.5, 1e-3)
    model = build(scenario, is_recorded=False)
    starts = np.repeat(model.initial_state[None], 3, axis=0)
    batch = run_batch(model, starts).state
    data = planetfall.run(scenario).data.isel(time=-1)
    recorded = np.concatenate(
        [data.position.values, data.velocity.values, data.quaternion.values, data.angular_velocity.values], axis=1
    ).ravel()
    assert batch.shape == (3, 26)
    assert np.array_equal(batch, run_batch(model, starts, chunk_steps=7).state)
    assert all(np.array_equal(row, recorded) for row in batch)
