"""The static-to-kinetic test of Cordova2014 (Section IV.A, Figures 2 to 5), and the closed forms behind it.

The paper prints 24.3 s and 32.0 s for the two breaks, to 0.05 s, and 7750 N for the push at the first, to about 5 N.
The vehicle's mass and stance are calibrated on these three numbers, so meeting them shows that the calibration still
holds, not more; the closed forms, the other rules and the plane are what is tested.

Closed forms, for a rigid body pushed slowly at its centre of mass (x = H/b): all legs carry the same share of the
push, F/4, while the load of the southern ones falls to (W - F x)/4, so they break at F1 = mu_s W/(1 + mu_s x). They
then give mu_k of their load and the northern ones hold up to mu_s of theirs, so that all break at
F2 = (mu_s + mu_k)/2 W/(1 - (mu_s - mu_k)/2 x).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_recorded
from planetfall.engine.state.result import RecordedRun
from support.morpheus import (
    HALF_STANCE,
    HEIGHT,
    KINETIC,
    MU_K,
    MU_S,
    NORTH_LEGS,
    SOUTH_LEGS,
    STIFFNESS,
    WEIGHT,
    Pushed,
    first_time,
    push,
    standing,
)
from support.paper_numbers import morpheus

FRAME = 0.01  # [s], interval of the built-in record: how finely breaks are seen


@lru_cache
def four_facets() -> Pushed:
    """The built-in scenario, nothing changed."""
    return Pushed(planetfall.run(planetfall.load("morpheus-static-kinetic")))


@lru_cache
def level(rule: str = "leash", step: float = 5e-4) -> Pushed:
    """The same on an exact plane; rule `velocity` is too stiff for RK4 only while slower than its slip speed."""
    return Pushed(
        planetfall.run(standing(contact__anchor_rule=rule, integrator__step=step, integrator__accept_step=True))
    )


def test_friction_follows_the_push_until_the_first_break() -> None:
    """Within 0.1 %, required, from 3 s on: what is left is the vehicle's swing under the start of the ramp."""
    for run in (four_facets(), level()):
        between = (run.time > 3.0) & (np.arange(len(run.time)) < run.first)
        np.testing.assert_allclose(run.friction[between], run.push[between], rtol=1e-3)


def test_numbers_of_the_paper_are_met() -> None:
    """24.3 and 32.0 s within 0.1 s, required. Off the apex by 0.1 m, leg 3 breaks 0.08 s before leg 2."""
    for run in (four_facets(), level()):
        assert [number for number in morpheus(run) if not number.is_met] == []


def test_the_dip() -> None:
    """Symmetric legs dip by about 30 %, one after the other by less."""
    for run, dip in ((four_facets(), 0.17), (level(), 0.29)):
        after = (run.time > run.time[run.first]) & (run.time < run.time[run.first] + 0.5)
        assert 1.0 - run.friction[after].min() / run.push[run.first] == pytest.approx(dip, abs=0.02)


def test_it_leans_as_far_as_the_springs_give() -> None:
    """0.23 degrees at the first break: the legs' change of load F x/4 over k, over b."""
    sink = 7750.0 * HEIGHT / HALF_STANCE / 4.0 / STIFFNESS
    for run in (four_facets(), level()):
        # what the weight adds on its lean is x^2 sink/H, 1 % of it
        assert run.lean_deg[run.first - 1] == pytest.approx(np.degrees(sink / HALF_STANCE), rel=0.015)


def test_then_it_slides_at_mu_k_times_the_weight() -> None:
    """On a plane to what is left of the swing; on facets of slope 1.6e-4 to the change of load as it crosses them."""
    for run, tolerance in ((four_facets(), 6e-4), (level(), 5e-5)):
        sliding = run.time > 33.5
        assert (run.modes[sliding] == KINETIC).all()
        np.testing.assert_allclose(run.friction[sliding], MU_K * WEIGHT, rtol=tolerance)


def test_only_the_four_facets_turn_it() -> None:
    """The paper's surface turns it by 0.057 degrees when one leg goes before the other; a plane, not to rounding.

    Where the vehicle stands exactly over the apex, its four facets are mirror images, and so is the motion.
    """
    assert np.abs(four_facets().heading_deg).max() == pytest.approx(0.057, abs=0.005)
    assert np.abs(level().heading_deg).max() < 1e-12
    values = {"initial.position": [0.0, 0.0, 1.28]}
    on_apex = Pushed(planetfall.run(planetfall.load("morpheus-static-kinetic").with_values(values)))
    assert np.abs(on_apex.heading_deg).max() < 1e-11
    np.testing.assert_allclose(on_apex.breaks[[0, 1]], on_apex.breaks[[3, 2]], atol=1e-9)


def test_line_of_sight_and_gap_find_the_same_ground_on_a_plane() -> None:
    """Upright at the first instant, both save the same places; later they only judge whether a leg is in the ground."""
    seen = Pushed(planetfall.run(standing(contact__detection="line-of-sight")))
    np.testing.assert_allclose(seen.breaks, level().breaks, atol=1e-9)
    np.testing.assert_allclose(seen.friction, level().friction, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("rule", ["hold", "leash"])
def test_hold_and_leash_break_alike(rule: str) -> None:
    """The leash is longer than what the legs slip between the two breaks."""
    run = level(rule)
    np.testing.assert_allclose(run.breaks[SOUTH_LEGS], 24.30, atol=FRAME)
    np.testing.assert_allclose(run.breaks[NORTH_LEGS], 32.01, atol=FRAME)


def test_drag_never_breaks_again() -> None:
    """An elastic-plastic point holds what it can and lets go of the rest: legs that broke take their share again."""
    run = level("drag")
    np.testing.assert_allclose(run.breaks[SOUTH_LEGS], 24.30, atol=FRAME)
    assert np.isnan(run.breaks[NORTH_LEGS]).all()
    assert (run.modes[-1] != KINETIC).all()
    assert run.friction[-1] == pytest.approx(run.push[-1], rel=1e-3)


def test_velocity_breaks_earlier() -> None:
    """At 31.10 s on a plane. The trial that the rule was first tried in had 31.4 s; nothing here is tuned to that."""
    for step in (5e-4, 2.5e-4):
        run = level("velocity", step)
        np.testing.assert_allclose(run.breaks[SOUTH_LEGS], 24.30, atol=FRAME)
        np.testing.assert_allclose(run.breaks[NORTH_LEGS], 31.10, atol=2 * FRAME)


def test_velocity_does_not_depend_on_a_very_short_step() -> None:
    """A point that breaks loose slowly must slide, even if a step is too short to bring it to the slip speed.

    Pushed at some 330 N/s the legs creep at 0.4 mm/s when they break; at a slip speed of 2 mm/s a step of 0.5 ms takes
    them beyond it at once, one of 20 us does not. Friction that fades in over 2 mm/s, out of some 50 mm/s, may differ.
    """
    ends = []
    for step in (5e-4, 1e-4, 2e-5):
        scenario = standing(
            contact__anchor_rule="velocity", contact__slip_speed=2e-3, contact__damping_ratio=0.7,
            forces=push([0.0, 1.0, 2.4], [0.0, 7400.0, 7860.0]), scenario__duration=2.4, integrator__step=step,
            integrator__accept_step=True,
        )  # fmt: skip
        run = run_recorded(build(scenario))
        assert (run.observed.mode[:, SOUTH_LEGS] == KINETIC).any(axis=0).all()
        ends.append(run.frames.state[-1, 1])
    np.testing.assert_allclose(ends, ends[-1], rtol=0.04)


@pytest.mark.parametrize("rule", ["hold", "leash", "drag"])
def test_half_a_millisecond_is_short_enough(rule: str) -> None:
    """Halving it moves no break by more than the interval of the record."""
    coarse, fine = level(rule), level(rule, 2.5e-4)
    np.testing.assert_allclose(coarse.breaks, fine.breaks, atol=FRAME)


# --- closed forms


def first_break(mu_s: float, x: float) -> float:
    """F1 [N]."""
    return WEIGHT * mu_s / (1.0 + mu_s * x)


def second_break(mu_s: float, mu_k: float, x: float) -> float:
    """F2 [N]."""
    return WEIGHT * 0.5 * (mu_s + mu_k) / (1.0 - 0.5 * (mu_s - mu_k) * x)


GRID = [
    (mu_s, ratio * mu_s, x)
    for mu_s in (0.5, 0.65, 0.8)
    for ratio in (0.5, 0.75)
    for x in (0.5, 0.75, 1.0)
    if second_break(mu_s, ratio * mu_s, x) > 1.1 * first_break(mu_s, x)
]
"""Where the second break is clearly beyond the first; else the swing after the first brings it about."""
STIFF_SINK = 0.002  # [m] a tenth of the paper's: closer to a rigid body
SLOW = 0.5  # [s] in which the push rises by a tenth about each break
FAST_FRAME = 1e-3  # [s]
SIGNS = ((1, 1), (1, -1), (-1, -1), (-1, 1))  # of the legs, to the east and to the north


def pushed_slowly(mu_s: float, mu_k: float, x: float, **values: object) -> tuple[RecordedRun, np.ndarray]:
    """A vehicle with H/b = x, well damped, pushed through both breaks; and the push at every frame [N]."""
    b = HEIGHT / x
    first, last = first_break(mu_s, x), second_break(mu_s, mu_k, x)
    times = [0.0, 0.6, 0.6 + SLOW, 1.0 + SLOW, 1.0 + 2.0 * SLOW]
    forces = [0.0, 0.95 * first, 1.05 * first, 0.95 * last, 1.05 * last]
    spread = {f"vehicle__points__{i}__position": [-HEIGHT, e * b, n * b] for i, (e, n) in enumerate(SIGNS)}
    scenario = standing(**{
        "contact__rest_penetration": STIFF_SINK, "contact__damping_ratio": 0.7, "contact__friction_static": mu_s,
        "contact__friction_kinetic": mu_k, "initial__position": [0.0, 0.0, HEIGHT - STIFF_SINK],
        "forces": push(times, forces), "scenario__duration": times[-1], "record__interval": FAST_FRAME,
        **spread, **values,
    })  # fmt: skip
    run = run_recorded(build(scenario))
    table = scenario.forces[0]
    return run, np.interp(run.frames.time, table.times, table.magnitudes)


@pytest.mark.parametrize(("mu_s", "mu_k", "x"), GRID)
def test_breaks_follow_the_closed_forms(mu_s: float, mu_k: float, x: float) -> None:
    """Within 1 %, required, and closer where it can be said how close.

    The legs' springs let the vehicle lean, which moves its weight by x^2 (F/W) sink, x^2 sink/H of the push's moment. A
    frame is a tenth of the push times 1 ms/0.5 s. What is left of the swing after the first break is of that size too.
    """
    run, force = pushed_slowly(mu_s, mu_k, x)
    breaks = np.interp(first_time(run.frames.time, run.observed.mode), run.frames.time, force)
    expected = np.array([second_break(mu_s, mu_k, x), first_break(mu_s, x)])
    tolerance = x**2 * STIFF_SINK / HEIGHT + 2.0 * 0.1 * FAST_FRAME / SLOW
    assert tolerance < 0.01
    np.testing.assert_allclose(breaks[NORTH_LEGS], expected[0], rtol=tolerance)
    np.testing.assert_allclose(breaks[SOUTH_LEGS], expected[1], rtol=tolerance)


def test_the_grid_is_a_grid() -> None:
    assert len(GRID) >= 15


def test_where_the_second_break_would_be_earlier_all_go_at_the_first() -> None:
    """mu_k = mu_s/4: what the southern legs lose is more than the northern ones can take."""
    mu_s, mu_k, x = 0.6, 0.15, 0.5
    assert second_break(mu_s, mu_k, x) < 0.95 * first_break(mu_s, x)
    first = first_break(mu_s, x)
    run, force = pushed_slowly(
        mu_s, mu_k, x, forces=push([0.0, 0.6, 1.1], [0.0, 0.95 * first, 1.05 * first]), scenario__duration=1.1
    )
    breaks = first_time(run.frames.time, run.observed.mode)
    np.testing.assert_allclose(np.interp(breaks[SOUTH_LEGS], run.frames.time, force), first, rtol=1e-3)
    assert (breaks[NORTH_LEGS] - breaks[SOUTH_LEGS] < 0.05).all()  # as fast as the springs pass the load on


@pytest.mark.parametrize("rule", ["hold", "leash", "drag", "velocity"])
def test_pushed_at_the_ground_all_legs_break_together(rule: str) -> None:
    """At mu_s W, to a frame of the ramp: a push in line with the friction has no moment and shifts no load."""
    limit = MU_S * WEIGHT
    forces = push([0.0, 0.6, 1.1], [0.0, 0.95 * limit, 1.05 * limit], point=[-HEIGHT, 0.0, 0.0])
    values = {"contact__anchor_rule": rule, "integrator__accept_step": True, "scenario__duration": 1.1}
    run, force = pushed_slowly(MU_S, MU_K, HEIGHT / HALF_STANCE, forces=forces, **values)
    breaks = first_time(run.frames.time, run.observed.mode)
    assert np.ptp(breaks) == 0.0
    np.testing.assert_allclose(np.interp(breaks, run.frames.time, force), limit, rtol=2.0 * 0.1 * FAST_FRAME / SLOW)
