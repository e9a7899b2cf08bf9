"""The ray offset that a scenario needs: refused with the offset to use, whichever way the vehicle comes down."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.engine.build import build
from planetfall.engine.checks.line_of_sight import expected_impact
from planetfall.engine.initial_state import initial_state
from planetfall.world.terrain.ground import make_surface

MASS, GRAVITY = 1552.8, 9.80665
STIFFNESS = MASS / 4.0 * GRAVITY / 0.02
UPRIGHT = Rotation.from_quat([-0.5, -0.5, -0.5, 0.5])


def scenario(name: str = "morpheus-drop", **values: Any) -> planetfall.Scenario:
    """With the printed offset. `values`: further keys, `__` for the dot."""
    given = {key.replace("__", "."): value for key, value in values.items()}
    return planetfall.load(name).with_values({"contact.detection": "line-of-sight", "contact.ray_offset": 0.8, **given})


def expected(given: planetfall.Scenario) -> tuple[float, float, np.ndarray]:
    surface = make_surface(given, "cpu")
    return expected_impact(given, initial_state(given, surface), surface)


def undamped_depth(speed: float, n_springs: int) -> float:
    """Where k x^2/2 = m v^2/2 + m g x [m]: energy, for n springs without dampers."""
    k = n_springs * STIFFNESS
    roots = np.roots([0.5 * k, -MASS * GRAVITY, -0.5 * MASS * speed**2])
    return float(roots.max())


def test_the_printed_offset_is_refused_for_the_printed_drop() -> None:
    """By name, with the depth that energy gives and an offset that is then accepted."""
    with pytest.raises(planetfall.InputError, match=r"^contact\.ray_offset: 0\.8 m is too short") as caught:
        build(scenario())
    speed = np.sqrt(2.0 * GRAVITY * 21.3)
    depth = undamped_depth(float(speed), 1)
    assert f"{speed:.3g} m/s, {depth:.3g} m" in str(caught.value)
    advised = float(str(caught.value).split("contact.ray_offset = ")[1].split(",")[0])
    assert depth < advised < 1.2 * depth
    build(scenario(contact__ray_offset=advised))


def test_by_the_gap_there_is_no_such_limit() -> None:
    build(scenario(contact__detection="gap"))


@pytest.mark.parametrize("height", [0.5, 5.0, 20.0])
def test_depth_is_that_of_energy(height: float) -> None:
    """An upper bound: the dampers are left out. The legs share the load, the tanks look elsewhere."""
    speed, depth, lands = expected(scenario("morpheus-drop-legs", initial__height=1.3 + height))
    assert speed == pytest.approx(np.sqrt(2.0 * GRAVITY * height), rel=1e-12)
    assert depth == pytest.approx(undamped_depth(speed, 4), rel=1e-12)
    np.testing.assert_array_equal(lands, [True] * 4 + [False] * 4)


def test_initial_velocity_and_turning_count() -> None:
    falling, _, _ = expected(scenario(initial__velocity=[0.0, 0.0, -3.0], initial__height=5.0))
    assert falling == pytest.approx(np.sqrt(9.0 + 2.0 * GRAVITY * 5.0), rel=1e-12)
    legs = scenario("morpheus-drop-legs", initial__height=5.0, initial__angular_velocity=[0.0, 2.0, 0.0])
    turning, _, _ = expected(legs)
    assert turning == pytest.approx(np.sqrt(2.0 * GRAVITY * 3.7) + 2.0 * np.sqrt(1.3**2 + 2.0 * 1.837**2), rel=1e-12)


@pytest.mark.parametrize("angle_deg", [0.0, 30.0, 50.0])
def test_a_slanted_ray_needs_a_longer_offset(angle_deg: float) -> None:
    """Its start is the offset times the cosine over the point."""
    turned = (Rotation.from_rotvec([np.radians(angle_deg), 0.0, 0.0]) * UPRIGHT).as_quat().tolist()
    points = [{"name": "foot", "position": [0.0, 0.0, 0.0], "line_of_sight": [-1.0, 0.0, 0.0]}]
    values = {"vehicle__points": points, "initial__attitude": turned, "initial__height": 1.0}
    _, depth, lands = expected(scenario(**values))
    assert lands.all()
    needed = depth / np.cos(np.radians(angle_deg))
    build(scenario(**values, contact__ray_offset=1.001 * needed))
    with pytest.raises(planetfall.InputError, match=r"^contact\.ray_offset"):
        build(scenario(**values, contact__ray_offset=0.999 * needed))


def test_a_cushion_adds_to_the_reach() -> None:
    points = [{"name": "foot", "position": [0.0, 0.0, 0.0], "line_of_sight": [-1.0, 0.0, 0.0], "cushion": 0.1}]
    values = {"vehicle__points": points, "initial__height": 1.1}
    depth = expected(scenario(**values))[1]
    assert depth == pytest.approx(undamped_depth(float(np.sqrt(2.0 * GRAVITY)), 1), rel=1e-12)
    build(scenario(**values, contact__ray_offset=depth - 0.0999))
    with pytest.raises(planetfall.InputError, match=r"^contact\.ray_offset"):
        build(scenario(**values, contact__ray_offset=depth - 0.1001))


def test_a_start_deeper_than_the_offset_is_refused() -> None:
    """A vehicle that nothing holds from the first instant on would fall through the floor."""
    with pytest.raises(planetfall.InputError, match=r"^contact\.ray_offset: 0\.8 m .* starts, 0\.9 m"):
        build(scenario("morpheus-drop-legs", initial__height=0.4))
    build(scenario("morpheus-drop-legs", initial__height=0.4, contact__ray_offset=1.0))


def test_points_without_a_line_of_sight_are_named() -> None:
    with pytest.raises(planetfall.InputError, match=r"vehicle\.points: blind has no line_of_sight"):
        scenario(vehicle__points=[{"name": "blind", "position": [0.0, 0.0, 0.0]}])
