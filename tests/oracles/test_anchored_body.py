"""The oracle of the anchor law checked by itself: damped springs, statics, its own account, its order, and symmetry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oracles import closed_forms as cf
from oracles.anchored_body import KINETIC, NONE, STATIC, AnchoredBody, History, simulate
from support.fitted import order

POINT = AnchoredBody(
    mass=10.0,
    inertia=np.diag([1.0, 2.0, 2.5]),
    points=np.zeros((1, 3)),
    normal=np.array([0.0, 0.0, 1.0]),
    gravity=np.array([0.0, 0.0, -5.0]),
    stiffness=4000.0,
    damping=20.0,
    friction_static=0.7,
    friction_kinetic=0.4,
)
TABLE = replace(
    POINT, points=np.array([[x, y, -0.4] for x in (-0.5, 0.5) for y in (-0.6, 0.6)]), stiffness=2500.0, damping=15.0
)
REST = np.zeros(3)


def dropped(body: AnchoredBody, position: list[float], velocity: list[float], step: float, n: int) -> History:
    return simulate(body, np.array(position), np.array(velocity), np.eye(3), REST, step, n)


def test_in_the_ground_it_is_a_damped_spring() -> None:
    """From the rest depth with a small kick; RK4 is off by (w h)^4/120 a radian: 1e-8 of the swing of 2.5 mm."""
    depth, kick, step = 10.0 * 5.0 / 4000.0, 0.05, 2e-3
    found = dropped(POINT, [0.0, 0.0, -depth], [0.0, 0.0, kick], step, 200)
    height, speed = cf.damped_spring(np.array(found.time), -depth, kick, 10.0, 4000.0, 20.0, 5.0)
    wander = (20.0 * step) ** 4 / 120.0 * 20.0 * 0.4
    np.testing.assert_allclose(np.array(found.position)[:, 2], height, atol=wander * kick / 20.0)
    np.testing.assert_allclose(np.array(found.velocity)[:, 2], speed, atol=wander * kick)


def test_sideways_it_is_a_damped_spring_too_until_it_breaks() -> None:
    depth = 10.0 * 5.0 / 4000.0
    gentle = dropped(POINT, [0.0, 0.0, -depth], [0.1, 0.0, 0.0], 2e-3, 200)
    along, _ = cf.damped_spring(np.array(gentle.time), 0.0, 0.1, 10.0, 4000.0, 20.0)
    np.testing.assert_allclose(np.array(gentle.position)[:, 0], along, atol=(20.0 * 2e-3) ** 4 / 120.0 * 8.0 * 0.005)
    assert set(np.array(gentle.mode).ravel()) == {STATIC}
    hard = dropped(POINT, [0.0, 0.0, -depth], [0.6, 0.0, 0.0], 2e-3, 50)
    assert set(np.array(hard.mode).ravel()) == {STATIC, KINETIC}
    sliding = np.array(hard.mode)[:, 0] == KINETIC
    np.testing.assert_allclose(np.array(hard.force)[sliding, 0, 0], -0.4 * 50.0, rtol=1e-9)


def test_a_bounce_loses_what_the_closed_form_says() -> None:
    """Touchdown is found up to a step late: an impulse of up to (k g h + c) v h of m v is misplaced."""
    body, step, v = replace(POINT, gravity=np.zeros(3)), 5e-4, 1.0
    found = dropped(body, [0.0, 0.0, 0.01], [0.0, 0.0, -v], step, 400)
    ratio = 20.0 / (2.0 * np.sqrt(4000.0 * 10.0))
    leaving = found.velocity[-1][2]
    assert found.mode[-1][0] == NONE
    assert leaving == pytest.approx(cf.restitution_clamped(ratio) * v, abs=2.0 * 20.0 * step / 10.0 * v)


@pytest.mark.parametrize("rule", ["hold", "leash", "drag", "velocity"])
def test_its_account_closes(rule: str) -> None:
    """A table dropped askew: (w h)^4 on smooth arcs, w = 40 rad/s; the clamp's kinks at lift-off add their square."""
    body = replace(TABLE, rule=rule)
    attitude = np.linalg.qr(np.eye(3) + 0.1 * np.array([[0, -1, 2], [1, 0, -1], [-2, 1, 0]]))[0]
    attitude *= np.sign(np.diag(attitude))
    start = (np.array([0.0, 0.0, 0.55]), np.array([0.8, 0.3, -0.8]), attitude, np.array([0.3, -0.2, 0.5]))
    errors = []
    for step in (2e-3, 1e-3):
        found = simulate(body, *start, step, round(0.4 / step))
        held = np.array(found.energy) - np.array(found.damped) - np.array(found.other)
        errors.append(np.abs(held - held[0]).max())
        assert {NONE, STATIC, KINETIC} == set(np.array(found.mode).ravel())
    turned_over = abs(found.damped[-1]) + abs(found.other[-1])
    assert errors[0] < (40.0 * 2e-3) ** 2 * turned_over
    assert errors[1] < errors[0]


def test_attitude_stays_a_rotation_and_momentum_is_kept_in_flight() -> None:
    body = replace(TABLE, gravity=np.zeros(3))
    found = simulate(body, np.array([0.0, 0.0, 5.0]), REST, np.eye(3), np.array([1.0, -2.0, 0.5]), 2e-3, 200)
    last = found.attitude[-1]
    np.testing.assert_allclose(last @ last.T, np.eye(3), atol=1e-11)  # (w h)^5/120 a step, w = 2.3 rad/s
    np.testing.assert_allclose(last @ body.inertia @ last.T @ found.spin[-1], [1.0, -4.0, 1.25], atol=1e-11)


def test_it_has_order_four_while_nothing_changes_its_mode() -> None:
    def end(step: float) -> np.ndarray:
        return dropped(TABLE, [0.0, 0.0, 0.4 - 0.005], [0.01, 0.02, 0.01], step, round(0.24 / step)).position[-1]

    steps = 8e-3 / 2.0 ** np.arange(3)
    reference = end(steps[-1] / 4)
    errors = [np.linalg.norm(end(step) - reference) for step in steps]
    assert order(steps, errors) == pytest.approx(4.0, abs=0.15)


def test_a_symmetric_table_is_pushed_without_turning() -> None:
    body = replace(TABLE, push=lambda t: np.array([120.0 * t, 0.0, 0.0]))
    found = dropped(body, [0.0, 0.0, 0.395], [0.0, 0.0, 0.0], 2e-3, 200)
    modes = np.array(found.mode)
    np.testing.assert_array_equal(modes[:, 0], modes[:, 1])
    np.testing.assert_array_equal(modes[:, 2], modes[:, 3])
    assert KINETIC in modes[:, 0]
    np.testing.assert_allclose(np.array(found.position)[:, 1], 0.0, atol=1e-14)
