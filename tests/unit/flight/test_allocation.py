"""Sharing forces and moments among engines, in NumPy and in Warp."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from scipy.optimize import lsq_linear

import planetfall
from planetfall.compute.device import start_warp
from planetfall.flight.allocation import EngineSet, allocate, share_out, throttle_weights
from planetfall.flight.sequence.mount_sequence import engine_effects

wp.set_module_options({"enable_backward": False, "fuse_fp": False})
ARM = 1.365
STAGE = planetfall.load("msl-skycrane").companions[0].vehicle
EFFECT = engine_effects(STAGE.engines, ARM)
LOW, HIGH = np.full(8, 400.0), np.full(8, 3060.0)
FOUR = np.array([True, False, False, True, True, False, False, True])
WEIGHT = 1850.0 * 3.7132


@wp.kernel
def _allocate(
    engines: EngineSet, used: wp.uint64, wanted: wp.array(dtype=wp.vec4d),
    thrust_out: wp.array2d(dtype=wp.float64), missing_out: wp.array(dtype=wp.float64),
):  # fmt: skip
    run = wp.tid()
    missing_out[run] = allocate(engines, used, wanted[run], thrust_out, run)


def in_warp(
    used: np.ndarray, wanted: np.ndarray, effect: np.ndarray = EFFECT, low: np.ndarray = LOW, high: np.ndarray = HIGH
) -> tuple[np.ndarray, np.ndarray]:
    """Thrusts [n, engine] and what is missing [n], by the compiled function."""
    start_warp()
    engines = EngineSet()
    engines.effect = wp.array(effect, dtype=wp.vec4d, device="cpu")
    engines.weight = wp.array(throttle_weights(high), dtype=wp.float64, device="cpu")
    engines.low, engines.high = (wp.array(limit, dtype=wp.float64, device="cpu") for limit in (low, high))
    thrust = wp.zeros((len(low), len(wanted)), dtype=wp.float64, device="cpu")
    missing = wp.zeros(len(wanted), dtype=wp.float64, device="cpu")
    bits = int(sum(1 << i for i in np.flatnonzero(used)))
    inputs = [engines, wp.uint64(bits), wp.array(wanted, dtype=wp.vec4d, device="cpu")]
    wp.launch(_allocate, len(wanted), inputs=inputs, outputs=[thrust, missing], device="cpu")
    return thrust.numpy().T, missing.numpy()


def bridle_loads(n: int) -> np.ndarray:
    """Weight, and moments of a bridle pull of up to 3339 N that is off the axis by up to 5 cm, and of control."""
    rng = np.random.default_rng(2)
    pull, arm = rng.uniform(0.0, 3339.0, n), rng.uniform(-0.05, 0.05, (n, 2))
    moment = np.column_stack([arm[:, 1] * pull, -arm[:, 0] * pull, rng.uniform(-30.0, 30.0, n)])
    return np.column_stack([rng.uniform(0.6, 1.2, n) * WEIGHT, moment / ARM])


@pytest.mark.parametrize("used", [FOUR, np.ones(8, dtype=bool)], ids=["four", "eight"])
def test_force_and_moment_are_met_inside_the_limits(used: np.ndarray) -> None:
    """To 1e-9 of the force, with the off-axis load of the bridles; nothing is asked of engines that are not used."""
    for wanted in bridle_loads(200):
        thrust, missing = share_out(EFFECT, LOW, HIGH, used, wanted)
        assert np.linalg.norm(EFFECT.T @ thrust - wanted) < 1e-9 * wanted[0]
        assert missing < 1e-9 * wanted[0]
        assert np.all((thrust[used] >= LOW[used]) & (thrust[used] <= HIGH[used])) and np.all(thrust[~used] == 0.0)


def test_the_compiled_form_gives_the_same() -> None:
    wanted = np.vstack([bridle_loads(100), [[0.0, 0.0, 0.0, 0.0], [2e4, 0.0, 0.0, 0.0], [7e3, 3e3, -2e3, 500.0]]])
    for used in (FOUR, np.ones(8, dtype=bool), np.arange(8) < 3, np.zeros(8, dtype=bool)):
        thrust, missing = in_warp(used, wanted)
        for i, row in enumerate(wanted):
            expected, short = share_out(EFFECT, LOW, HIGH, used, row)
            assert thrust[i] == pytest.approx(expected, abs=1e-8)  # rounding of 1e4 N, times the inverse's condition
            assert missing[i] == pytest.approx(short, abs=1e-8)


def test_least_thrusts_are_those_of_least_square_sum() -> None:
    """Against the pseudo-inverse, with all eight and none at a limit."""
    wanted = np.array([2.0 * WEIGHT, 100.0, -50.0, 20.0])
    thrust, _ = share_out(EFFECT, LOW, HIGH, np.ones(8, dtype=bool), wanted)
    assert thrust == pytest.approx(np.linalg.pinv(EFFECT.T) @ wanted, rel=1e-12)


def test_small_thrusters_turn_what_a_main_engine_carries() -> None:
    """With a main engine of 27 kN and six thrusters of 445 N, weight and moments are met with small throttles.

    Without weights all would be told to give the same thrust, which takes the thrusters to their limits.
    """
    corners = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)]
    effect = np.array([[1.0, 0.0, 0.0, 0.0], *([0.9, y, -x, 0.0] for x, y in corners), [0, 0, 0, 1.0], [0, 0, 0, -1.0]])
    low, high = np.array([4700.0, *[0.0] * 6]), np.array([27000.0, *[445.0] * 6])
    wanted = np.array([13000.0, 120.0, -80.0, 40.0])
    thrust, missing = share_out(effect, low, high, np.ones(7, dtype=bool), wanted)
    assert missing < 1e-9 * wanted[0]
    assert thrust[1:].min() >= 0.0 and thrust[1:].max() < 0.3 * 445.0


def test_engines_are_let_go_from_their_limits_again() -> None:
    """Twelve thrusters that push one way only, of which four push down: what bounded least squares meets is met.

    Without it those that are left after the others were put at zero cannot turn the vehicle every way, and the inverse
    of their sum is none.
    """
    engines = planetfall.load("asteroid-descent").vehicle.engines
    effect, low, high = engine_effects(engines, 1.1), np.zeros(12), np.full(12, 20.0)
    rng, used = np.random.default_rng(1), np.ones(12, dtype=bool)
    sizes = rng.choice([0.05, 3.9, 40.0], 120), rng.choice([0.01, 0.5], 120)
    moments = rng.normal(size=(120, 3)) * sizes[1][:, None]
    wanted = np.column_stack([sizes[0] * rng.uniform(0.5, 1.5, 120), moments])
    thrust, missing = in_warp(used, wanted, effect, low, high)
    for i, row in enumerate(wanted):
        least = np.sqrt(2.0 * lsq_linear(effect.T, row, bounds=(low, high)).cost)
        assert missing[i] < least + 2e-3 * np.linalg.norm(row)
        assert missing[i] == pytest.approx(share_out(effect, low, high, used, row)[1], abs=1e-6)
    assert np.all((thrust >= 0.0) & (thrust <= 20.0))


def test_an_engine_at_its_limit_leaves_the_rest_to_the_others() -> None:
    """A moment that would take one of eight below its least thrust is met exactly by the other seven."""
    wanted = np.array([WEIGHT, 2600.0, 0.0, 0.0])
    assert np.min(np.linalg.pinv(EFFECT.T) @ wanted) < 400.0
    thrust, missing = share_out(EFFECT, LOW, HIGH, np.ones(8, dtype=bool), wanted)
    assert missing < 1e-9 * WEIGHT
    assert np.isclose(thrust, 400.0).any() and thrust.min() >= 400.0


@pytest.mark.parametrize("lost", range(8))
def test_seven_engines_meet_what_eight_do(lost: int) -> None:
    used = np.arange(8) != lost
    for wanted in bridle_loads(20):
        thrust, missing = share_out(EFFECT, LOW, HIGH, used, wanted)
        assert missing < 1e-9 * wanted[0] and thrust[lost] == 0.0


def test_nothing_wanted_is_the_least_that_they_can_give() -> None:
    thrust, missing = share_out(EFFECT, LOW, HIGH, FOUR, np.zeros(4))
    assert thrust[FOUR] == pytest.approx(400.0)
    assert missing == pytest.approx(4 * 400.0 * EFFECT[0, 0])


@pytest.mark.parametrize("wanted", [[2e4, 0, 0, 0], [7e3, 3e3, -2e3, 500.0], [500.0, 0, 900.0, 0]])
def test_what_cannot_be_met_is_met_as_well_as_can_be(wanted: list[float]) -> None:
    """Against bounded least squares by SciPy: what is missing is the least possible, within a newton."""
    from scipy.optimize import lsq_linear

    best = lsq_linear(EFFECT[FOUR].T, wanted, (LOW[FOUR], HIGH[FOUR]), tol=1e-14)
    _, missing = share_out(EFFECT, LOW, HIGH, FOUR, np.array(wanted))
    assert 0.0 <= missing - np.sqrt(2.0 * best.cost) + 1e-6 < 1.0


def test_three_of_four_say_what_they_cannot_give() -> None:
    """Force and moments are four; with one of the four engines lost something must be missing, and it is said."""
    used = FOUR & (np.arange(8) != 0)
    wanted = np.array([WEIGHT, 0.0, 0.0, 0.0])
    thrust, missing = share_out(EFFECT, LOW, HIGH, used, wanted)
    assert missing > 100.0
    assert missing == pytest.approx(float(np.linalg.norm(EFFECT.T @ thrust - wanted)))


def test_more_than_all_can_give_is_given_as_far_as_it_goes() -> None:
    thrust, missing = share_out(EFFECT, LOW, HIGH, FOUR, np.array([2e4, 0.0, 0.0, 0.0]))
    assert thrust[FOUR] == pytest.approx(3060.0)
    assert missing == pytest.approx(2e4 - 4 * 3060.0 * EFFECT[0, 0])
