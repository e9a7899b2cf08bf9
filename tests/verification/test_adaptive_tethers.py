"""Tethers with the adaptive method: slack, taut, brakes, tapers and cuts are located, against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_batch
from support.tethered import body, hung, line, tethered

TOLERANCE = 1e-9
ADAPTIVE = {"method": "adaptive", "tolerance": TOLERANCE}
LOW, HIGH, STIFF = 2.0, 3.0, 100.0  # [kg], [kg], [N/m]
REDUCED = LOW * HIGH / (LOW + HIGH)
RATE = np.sqrt(STIFF / REDUCED)  # of two masses on one spring [rad/s]
LOAD, GRAVITY = 900.0, 3.7  # [kg], [m/s^2]


def apart(distance: float, speed: float, damping: float, **tables: Any) -> planetfall.Scenario:
    """Two masses along x on a line of 1 m, at a distance and with a speed of parting, in free space."""
    low = (body("low", LOW), {"velocity": [-speed * HIGH / (LOW + HIGH), 0.0, 0.0]})
    high = (body("high", HIGH), {"position": [distance, 0.0, 0.0], "velocity": [speed * LOW / (LOW + HIGH), 0.0, 0.0]})
    tether = line(length=1.0, stiffness=STIFF, damping=damping)
    return tethered(low, high, [tether], integrator=ADAPTIVE, **tables)


def snatch(damping: float) -> tuple[float, float]:
    """How long [s] a line stays taut that two masses come onto, and their speed then over that before (Kelvin-Voigt).

    T = -mu e'' vanishes when tan(w_d t) = 2 z w w_d/(z^2 w^2 - w_d^2).
    """
    ratio = damping / (2.0 * REDUCED * RATE)
    damped = RATE * np.sqrt(1.0 - ratio**2)
    end = np.arctan2(2.0 * ratio * RATE * damped, (ratio * RATE) ** 2 - damped**2) / damped
    left = np.exp(-ratio * RATE * end) * (np.cos(damped * end) - ratio * RATE / damped * np.sin(damped * end))
    return end, left


@pytest.mark.parametrize("damping", [0.0, 4.0])
def test_a_snatch_has_the_closed_forms_restitution(damping: float) -> None:
    """To the tolerance: some twenty steps, each within it, and instants located to 1e-11 s.

    With damping the tension jumps to c v where the line comes taut and vanishes while it is still stretched.
    """
    speed = 0.5
    run = planetfall.run(apart(0.98, speed, damping))
    back = np.diff(run.data.velocity.values[-1, :, 0])[0] / speed
    assert back == pytest.approx(snatch(damping)[1], abs=20 * TOLERANCE)
    assert run.data.tether_tension.values[-1, 0] == 0.0
    assert run.summary["steps"] < 100
    assert run.summary["energy_closure_J"] < 20 * TOLERANCE * REDUCED * speed**2
    assert run.summary["energy_rise_J"] <= run.summary["energy_rise_bound_J"]
    taut = 0.02 / speed + snatch(damping)[0]
    t = run.data.time.values
    tension = run.data.tether_tension.values[:, 0]
    assert np.all(tension[(t > 0.04 + 1e-9) & (t < taut - 1e-9)] > 0.0)
    assert np.all(tension[(t < 0.04 - 1e-9) | (t > taut + 1e-9)] == 0.0)


def test_a_line_that_comes_taut_for_a_moment_is_not_stepped_over() -> None:
    """Two masses that pass each other, so that the line is stretched by 0.1 mm at the farthest point of a swing.

    They part against a push of F each: e(t) is a parabola, over zero for 2 sqrt(2 e mu/F) = 9 ms of two seconds.
    """
    push, excess = 5.0, 1e-4
    speed = np.sqrt(2.0 * push / REDUCED * (1.0 - 0.2 + excess))  # relative, from 0.2 m to 1 m and a little more
    forces = [
        {"kind": "push", "body": name, "direction": [sign, 0.0, 0.0], "times": [0.0, 10.0], "magnitudes": [push] * 2}
        for name, sign in (("low", 1.0), ("high", -1.0))
    ]
    run = planetfall.run(apart(0.2, speed, 0.0, forces=forces, record={"interval": 1e-3}))
    assert run.data.tether_tension.values[:, 0].max() == pytest.approx(STIFF * excess, rel=0.05)
    assert run.summary["energy_closure_J"] < 1e-7 * REDUCED * speed**2


def test_a_brake_lowers_tapers_and_stops() -> None:
    """As with a fixed step: at every frame T = k e + c (l' - L') and L' = s (T - F0)/b solve each other.

    The load starts in free fall on a slack line, comes taut, pays out, tapers and hangs.
    """
    stiffness, damping, drag, hold = 6000.0, 1500.0, 1800.0, 600.0
    tether = line(
        length=0.2, stiffness=stiffness, damping=damping, brake_force=hold, brake_drag=drag, full_length=7.5,
        taper_length=0.5,
    )  # fmt: skip
    scenario = hung(
        LOAD, 1e9 * LOAD, GRAVITY, [tether], 0.15, scenario={"name": "test", "duration": 20.0}, integrator=ADAPTIVE
    )
    run = planetfall.run(scenario)
    data, weight = run.data, LOAD * GRAVITY
    rest, tension = data.tether_rest_length.values[:, 0], data.tether_tension.values[:, 0]
    stretch = data.tether_length.values[:, 0] - rest
    parting = data.velocity.values[:, 1, 2] - data.velocity.values[:, 0, 2]
    paying = np.maximum(tension - hold, 0.0) / drag * np.clip((7.5 - rest) / 0.5, 0.0, 1.0)
    taut = (stretch > 0) & (tension > 0)
    assert np.all(tension[~taut] == 0.0) and not taut[0]
    assert tension[taut] == pytest.approx((stiffness * stretch + damping * (parting - paying))[taut], rel=1e-9)
    assert 7.5 - 1e-3 < rest[-1] <= 7.5 and tension[-1] == pytest.approx(weight, rel=1e-3)
    assert run.summary["energy_closure_J"] < 1e-6 * weight * 7.5
    finer = planetfall.run(scenario.with_values({"integrator.tolerance": 1e-11}))
    assert np.abs(data.position.values[-1, 0] - finer.data.position.values[-1, 0]).max() < 100 * TOLERANCE


def test_a_cut_is_at_its_instant_and_a_table_has_its_kinks_there() -> None:
    """A load that hangs on a table that stands, then is let down at 0.5 m/s, then is cut: free fall from the cut on."""
    stiffness, cut = 60000.0, 0.70012345
    tether = line(stiffness=stiffness, damping=6000.0, times=[0.1, 0.3], lengths=[2.0, 2.1], cut_time=cut)
    drop = 2.0 + LOAD * GRAVITY / stiffness
    run = planetfall.run(
        hung(LOAD, 1e9 * LOAD, GRAVITY, [tether], drop, integrator=ADAPTIVE, record={"interval": 0.001})
    )
    data = run.data
    t, z = data.time.values, data.position.values[:, 0, 2]
    assert np.abs(z[t <= 0.1] + drop).max() < 1e-8
    after = t > cut
    assert np.all(data.tether_tension.values[after, 0] == 0.0) and np.all(data.tether_cut.values[after, 0] == 1)
    v = data.velocity.values[:, 0, 2]
    assert np.abs(v[after] - v[after][0] + GRAVITY * (t[after] - t[after][0])).max() < 1e-10
    assert run.summary["energy_closure_J"] < 1e-6 * LOAD * GRAVITY


def test_runs_of_a_batch_have_the_bits_that_they_have_alone() -> None:
    """Whatever the chunks and the neighbours."""
    model = build(apart(0.98, 0.5, 4.0), is_recorded=False)
    starts = np.repeat(model.initial_state[None], 4, axis=0)
    starts[:, 13 + 3] += [0.0, 0.3, -0.1, 0.7]
    batch = run_batch(model, starts)
    assert np.array_equal(batch.state, run_batch(model, starts, chunk_steps=3, threads=2).state)
    for i in (0, 3):
        assert np.array_equal(batch.state[i], run_batch(model, starts[i : i + 1]).state[0])
    recorded = planetfall.run(apart(0.98, 0.5, 4.0)).data.isel(time=-1)
    assert np.array_equal(batch.state[0, :3], recorded.position.values[0])
