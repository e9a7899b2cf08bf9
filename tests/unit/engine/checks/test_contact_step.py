"""The longest stable RK4 step: closed forms, and blocks that stand still below it and shake themselves up above it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.engine.build import build
from planetfall.engine.checks.contact_step import REAL_LIMIT, StepLimit, spring_damper_limit, step_limit
from planetfall.engine.initial_state import initial_state
from planetfall.engine.run import run_batch
from planetfall.errors import InputError
from planetfall.outcome import Outcome
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.world.terrain.ground import make_surface
from support.block_scene import block

MASS, GRAVITY, SINK = 100.0, 3.7132, 0.01
INERTIA_PITCH, INERTIA_YAW = 100.0 * (1.0 + 0.16) / 12.0, 100.0 * 2.0 / 12.0  # of the block [kg m^2]
ARM = 0.5  # of each foot along each axis [m]
SPRING_EDGE = 2.0 * np.sqrt(2.0)  # where |1 + z + z^2/2 + z^3/6 + z^4/24| = 1 on the imaginary axis
REAL_EDGE = -brentq(lambda z: 1 + z / 2 + z**2 / 6 + z**3 / 24, -3.0, -2.0)  # the same on the real axis: 2.785
STIFFNESS = MASS / 4 * GRAVITY / SINK  # of each foot [N/m]
PITCH_RATE = np.sqrt(4 * STIFFNESS * ARM**2 / INERTIA_PITCH)  # the fastest mode along the normal [rad/s]
FRICTION = np.tan(np.radians(32.0))


def standing(**values: Any) -> planetfall.Scenario:
    """The block at its rest depth on level ground, with springs alone unless values say otherwise."""
    bare = {"contact__damping_ratio": 0.0, "contact__breakaway_angle_deg": 0.0, "contact__sliding_angle_deg": 0.0}
    place = {"terrain__slope_deg": 0.0, "initial__height": 0.2 - SINK, "contact__clamp": False}
    return block("rk4", **{**place, **bare, **values})


def limit(scenario: planetfall.Scenario) -> StepLimit:
    surface = make_surface(scenario, "cpu")
    return step_limit(scenario, initial_state(scenario, surface), surface)


def test_pure_spring() -> None:
    found = limit(standing())
    assert found.spring_damper == pytest.approx(SPRING_EDGE / PITCH_RATE, rel=1e-9)
    assert found.friction == np.inf
    assert found.step == found.spring_damper


@pytest.mark.parametrize("ratio", [20.0, 2000.0])
def test_pure_damper(ratio: float) -> None:
    """Overdamped, the faster root decides: C w/2 (1 + sqrt(1 - 4 K/(C^2 w))), w = 4 arm^2/I the inverse of its mass."""
    w = 4 * ARM**2 / INERTIA_PITCH
    damping = 2 * ratio * np.sqrt(MASS / 4 * STIFFNESS)
    rate = 0.5 * damping * w * (1 + np.sqrt(1 - 4 * STIFFNESS / (damping**2 * w)))
    assert limit(standing(contact__damping_ratio=ratio)).spring_damper == pytest.approx(REAL_EDGE / rate, rel=1e-9)


def sticky(v1: float = 1e-4) -> planetfall.Scenario:
    return standing(
        contact__damping_ratio=0.5, contact__breakaway_angle_deg=32.0, contact__sliding_angle_deg=32.0,
        contact__breakaway_speed=v1, contact__sliding_speed=2 * v1,
    )  # fmt: skip


def yaw_decay(v1: float) -> float:
    """Rate [1/s] at which friction under the block's weight stops its turning about the vertical, the fastest mode."""
    return FRICTION / v1 * MASS * GRAVITY * 2 * ARM**2 / INERTIA_YAW


@pytest.mark.parametrize("v1", [1e-4, 1e-3])
def test_pure_friction(v1: float) -> None:
    found = limit(sticky(v1))
    assert found.friction == pytest.approx(REAL_EDGE / yaw_decay(v1), rel=1e-9)
    assert found.impact_speed == 0.0


def test_impact_shortens_the_friction_limit() -> None:
    """A fall from higher up presses harder, and friction is stiffer under the load."""
    steps = [limit(standing_from(height)).friction for height in (0.2, 0.5, 2.0, 8.0)]
    assert all(later < earlier for earlier, later in pairwise(steps))


@pytest.mark.parametrize("depth", [0.05, 0.15])
def test_points_that_start_deep_in_the_ground_shorten_the_friction_limit(depth: float) -> None:
    """All four feet start deeper than they stand, so that each is loaded by K depth, whatever any impact does."""
    load = 4 * STIFFNESS * depth
    rate = yaw_decay(1e-4) * load / (MASS * GRAVITY)
    scenario = sticky().with_values({"initial.height": 0.2 - depth})
    assert limit(scenario).friction == pytest.approx(REAL_EDGE / rate, rel=1e-9)


def test_one_point_that_starts_in_the_ground_carries_its_load_alone() -> None:
    """On one corner, which slides as its own load and its own mobility have it."""
    tilted = sticky().with_values({"initial.attitude": list(roll_and_pitch(0.6, 0.6)), "initial.height": 0.3})
    surface = make_surface(tilted, "cpu")
    state = initial_state(tilted, surface)
    R_SB, vehicle = rotation_matrix(state[6:10]), tilted.vehicle
    arms = vehicle.tips - vehicle.hub.center
    gaps = (state[:3] + arms @ R_SB.T)[:, 2]
    assert (gaps < 0.0).sum() == 1
    lever = np.cross(arms[gaps.argmin()], np.eye(3))  # turning by a unit push along each axis of the body
    mobility = np.eye(3) / MASS + lever @ np.linalg.solve(np.asarray(vehicle.inertia), lever.T)
    across = np.eye(3) - np.outer(R_SB[2], R_SB[2])
    rate = FRICTION / 1e-4 * STIFFNESS * -gaps.min() * np.linalg.eigvalsh(across @ mobility @ across)[-1]
    assert limit(tilted).friction == pytest.approx(REAL_EDGE / rate, rel=1e-9)


def roll_and_pitch(roll: float, pitch: float) -> np.ndarray:
    """Attitude x, y, z, w."""
    return Rotation.from_euler("xy", [roll, pitch]).as_quat()


def standing_from(height: float) -> planetfall.Scenario:
    return block("rk4", terrain__slope_deg=0.0, initial__height=height)


def shaken(scenario: planetfall.Scenario, step: float, n_steps: int, axis: int, rate: float) -> tuple[float, int]:
    """Rate about an axis [rad/s] and outcome after some fixed steps from a small rate about it."""
    values = {"integrator.step": step, "integrator.accept_step": True, "scenario.duration": step * n_steps}
    model = build(scenario.with_values(values), is_recorded=False)
    state = model.initial_state.copy()
    state[10 + axis] = rate
    result = run_batch(model, state[None], threads=1)
    return abs(float(result.state[0, 10 + axis])), int(result.status[0])


def test_spring_is_stable_just_below_its_limit_and_not_above() -> None:
    """Per step RK4 multiplies an undamped mode by 0.87 at 0.98 of the limit, and by 1.4 at 1.05 of it.

    20 steps leave 6 % or make 900 times as much; from 1e-6 rad/s no foot comes near the surface, 10 mm above it.
    """
    scenario, edge = standing(), SPRING_EDGE / PITCH_RATE
    factor = [
        abs(sum((1j * z) ** k / f for k, f in enumerate([1, 1, 2, 6, 24])))
        for z in (0.98 * SPRING_EDGE, 1.05 * SPRING_EDGE)
    ]
    assert shaken(scenario, 0.98 * edge, 20, 1, 1e-6)[0] <= 2.0 * 1e-6 * factor[0] ** 20
    assert shaken(scenario, 1.05 * edge, 20, 1, 1e-6)[0] >= 0.1 * 1e-6 * factor[1] ** 20


def test_friction_is_stable_just_below_its_limit_and_not_above() -> None:
    """Below, the turning dies out; above, it grows until the flat part of the table bounds it, back and forth."""
    scenario, edge = sticky(), REAL_EDGE / yaw_decay(1e-4)
    start = 0.01 * 1e-4
    assert shaken(scenario, 0.95 * edge, 200, 2, start)[0] < 0.01 * start
    assert shaken(scenario, 1.2 * edge, 200, 2, start)[0] > 10.0 * start


def test_too_long_a_step_is_refused_with_the_step_to_use() -> None:
    scenario = standing_from(0.5).with_values({"integrator.step": 0.2, "integrator.accept_step": False})
    with pytest.raises(planetfall.InputError, match=r"integrator\.step: 0\.2 s is too long") as caught:
        build(scenario)
    advised = float(str(caught.value).split("integrator.step = ")[1].split(",")[0])
    assert 0.9 * limit(scenario).step < advised <= limit(scenario).step
    build(scenario.with_values({"integrator.step": advised}))


def test_too_long_a_step_runs_where_it_is_accepted() -> None:
    build(standing_from(0.5).with_values({"integrator.step": 0.2, "integrator.accept_step": True}))


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"integrator.method": "adaptive"}, id="adaptive"),
        pytest.param({"vehicle.points": [], "integrator.step": 0.2, "integrator.accept_step": False}, id="no points"),
    ],
)
def test_there_is_no_limit_without_fixed_steps_in_contact(values: dict) -> None:
    build(standing_from(0.5).with_values(values))


@pytest.mark.parametrize("slope_deg", [0.0, 22.0])
@pytest.mark.parametrize("height", [0.5, 2.0])
def test_a_drop_at_the_limit_comes_to_rest(height: float, slope_deg: float) -> None:
    """The limit allows for the impact: steps just inside it neither diverge nor keep the block shaking."""
    values = {"terrain.slope_deg": slope_deg, "initial.height": height, "scenario.duration": 8.0}
    scenario = block("rk4").with_values(values)
    step = limit(scenario).step
    model = build(
        scenario.with_values({"integrator.step": 0.99 * step, "integrator.accept_step": False}), is_recorded=False
    )
    assert Outcome(int(run_batch(model, model.initial_state[None]).status[0])) is Outcome.settled


@pytest.mark.parametrize("damping", [1e20, 1e100, 1e200])
def test_the_limit_of_a_huge_damping_is_a_number(damping: float) -> None:
    """RK4 damps y' = -damping y up to its real limit over the damping."""
    assert spring_damper_limit(1e3, damping) == pytest.approx(REAL_LIMIT / damping, rel=1e-9)


def test_advice_offers_the_adaptive_method_only_where_it_is_accepted() -> None:
    steps, said = {"msl-drop": 0.05, "morpheus-drop-legs": 0.05}, {}
    for name, step in steps.items():
        with pytest.raises(InputError) as caught:
            planetfall.run(planetfall.load(name).with_values({"integrator.step": step}))
        said[name] = str(caught.value)
        accepted = True
        try:
            planetfall.load(name).with_values({"integrator.method": "adaptive"})
        except InputError:
            accepted = False
        assert "is too long for" in said[name]
        assert ("integrator.method = 'adaptive'" in said[name]) == accepted
    advised = float(said["msl-drop"].partition("use integrator.step = ")[2].partition(",")[0])
    scenario = planetfall.load("msl-drop").with_values({"integrator.step": advised, "scenario.duration": 0.7})
    assert planetfall.run(scenario).summary["end_s"] == pytest.approx(0.7)


def test_contact_that_no_step_gets_through_is_to_be_softened() -> None:
    """The adaptive method would be refused its steps there as well, and is not offered."""
    with pytest.raises(InputError, match="soften the contact: no step of 5e-09 s or longer is stable") as caught:
        planetfall.run(planetfall.load("msl-drop").with_values({"contact.damping_ratio": 1e20}))
    assert "adaptive" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "advice"),
    [
        ({"scenario.duration": 1e9, "record.interval": 1e4}, ("scenario.duration", 500000.0)),
        ({"integrator.step": 1e-12}, ("integrator.step", 5.5e-9)),
    ],
    ids=["a longer step is unstable", "a longer step is stable"],
)
def test_more_steps_than_are_counted(changes: dict[str, float], advice: tuple[str, float]) -> None:
    """2e9 steps of 0.25 ms take 5e5 s; a tenth more than 5 ns makes fewer of 10 s. What is advised is accepted."""
    scenario, (key, value) = planetfall.load("msl-drop").with_values(changes), advice
    with pytest.raises(InputError, match=rf"at most 2000000000; use {key} = {value:g}, or integrator") as caught:
        build(scenario, "cpu")
    assert caught.value.where == "integrator.step"
    build(scenario.with_values({key: value}), "cpu")
    build(scenario.with_values({"integrator": {"method": "adaptive", "tolerance": 1e-8}}), "cpu")


def test_points_beyond_the_edge_of_a_map_have_no_part_in_the_limit(tmp_path: Path) -> None:
    """A rover that starts with two wheels off the map gets the limit of the others, not a step of 1e-154 s."""
    np.save(tmp_path / "flat.npy", np.zeros((41, 41)))
    values = {
        "terrain.model": "dem", "terrain.file": str(tmp_path / "flat.npy"), "terrain.spacing": 0.5,
        "integrator.step": 0.05, "initial.position": [10.0, 0.0, 3.0],
    }  # fmt: skip
    with pytest.raises(InputError) as caught:
        planetfall.run(planetfall.load("msl-drop").with_values(values))
    found = str(caught.value)
    limit = float(found.partition("expected at most ")[2].partition(" s")[0])
    assert 1e-4 < limit < 0.05
