"""The marker law, branch by branch, against Raiszadeh2012 Eqs. (4)-(7) written down again in NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

import planetfall
from planetfall.contact.laws import law_params
from planetfall.contact.model import CONTACT_KINETIC, CONTACT_NONE, CONTACT_STATIC, MODE_APART
from planetfall.contact.slip_stick import MODE_BREAKAWAY, MODE_CREEP, MODE_SLIDE, MODE_UNLOADED
from support.warp_probes import marker_contacts, marker_contacts_on_field, marker_modes

GRAVITY = 3.7132
SCENARIO = planetfall.load("msl-drop")
K = 899.18 * GRAVITY / 0.01
C = 2.0 * 0.1 * np.sqrt(899.18 * K)
MU1, MU2 = np.tan(np.radians(32.0)), np.tan(np.radians(27.0))
V1, V2 = 0.05, 0.10
ROUNDING = 1e-12  # relative; a dozen operations, some on differences of numbers ten times larger


@dataclass(frozen=True)
class States:
    """Gaps [m], unit normals and velocities [m/s] of many points."""

    gap: np.ndarray
    normal: np.ndarray
    velocity: np.ndarray

    @property
    def v_n(self) -> np.ndarray:
        return np.sum(self.velocity * self.normal, axis=1)

    @property
    def v_t(self) -> np.ndarray:
        return self.velocity - self.v_n[:, None] * self.normal

    @property
    def speed(self) -> np.ndarray:
        return np.linalg.norm(self.v_t, axis=1)


def states(n: int, seed: int = 0) -> States:
    """Points in and out of the ground, moving from slower than V1 to faster than V2 in all directions."""
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=(n, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    across = np.cross(normal, rng.normal(size=(n, 3)))
    across *= (10.0 ** rng.uniform(-3.0, 0.5, n) / np.linalg.norm(across, axis=1))[:, None]
    return States(rng.uniform(-0.02, 0.005, n), normal, across + rng.normal(scale=1.5, size=n)[:, None] * normal)


def law(clamp: bool = True) -> object:
    return law_params(SCENARIO.with_values({"contact.clamp": clamp}), GRAVITY).on_device("cpu")


def restated(s: States, clamp: bool) -> tuple[np.ndarray, np.ndarray]:
    """Normal force [N] and force vector [N] of the law as the paper means it."""
    normal_force = np.where(s.gap < 0, -K * s.gap - C * s.v_n, 0.0)
    if clamp:
        normal_force = np.maximum(normal_force, 0.0)
    mu = np.interp(s.speed, [0.0, V1, V2], [0.0, MU1, MU2])
    friction = -(mu * np.abs(normal_force) / s.speed)[:, None] * s.v_t
    return normal_force, normal_force[:, None] * s.normal + friction


def by_the_law(s: States, clamp: bool = True, modes: np.ndarray | None = None) -> np.ndarray:
    params = law(clamp)
    if modes is None:
        modes = marker_modes(params, s.gap, s.normal, s.velocity)[0]
    return marker_contacts(params, modes, s.gap, s.normal, s.velocity)


@pytest.mark.parametrize("clamp", [True, False])
def test_forces_are_those_of_the_paper(clamp: bool) -> None:
    s = states(4000)
    found = by_the_law(s, clamp)
    normal_force, force = restated(s, clamp)
    scale = K * 0.02 + C * 3.0
    np.testing.assert_allclose(found["normal_force"], normal_force, atol=ROUNDING * scale)
    np.testing.assert_allclose(found["force"], force, atol=ROUNDING * scale)
    friction = np.linalg.norm(force - normal_force[:, None] * s.normal, axis=1)
    np.testing.assert_allclose(found["friction_force"], friction, atol=ROUNDING * scale)
    assert (found["normal_force"].min() < 0) is not clamp


@pytest.mark.parametrize("clamp", [True, False])
def test_modes_name_the_branch(clamp: bool) -> None:
    s = states(4000, seed=1)
    modes, reported = marker_modes(law(clamp), s.gap, s.normal, s.velocity)
    table = np.select([s.speed < V1, s.speed < V2], [int(MODE_CREEP), int(MODE_BREAKAWAY)], int(MODE_SLIDE))
    parting = -K * s.gap - C * s.v_n <= 0
    in_ground = np.where(parting, int(MODE_UNLOADED) + (0 if clamp else table), table)
    expected = np.where(s.gap >= 0, int(MODE_APART), in_ground)
    np.testing.assert_array_equal(modes, expected)
    assert len(set(modes)) == (5 if clamp else 7)
    none = (s.gap >= 0) | (parting & clamp)
    kinds = np.where(s.speed < V1, int(CONTACT_STATIC), int(CONTACT_KINETIC))
    np.testing.assert_array_equal(reported, np.where(none, int(CONTACT_NONE), kinds))


@pytest.mark.parametrize("clamp", [True, False])
def test_energy_and_power_add_up(clamp: bool) -> None:
    """What the force does per second is what leaves the spring plus what damper and friction take."""
    s = states(4000, seed=2)
    found = by_the_law(s, clamp)
    inside = s.gap < 0
    np.testing.assert_allclose(found["elastic"], np.where(inside, 0.5 * K * s.gap**2, 0.0), rtol=1e-14)
    released = np.where(inside, -K * s.gap * s.v_n, 0.0)  # -d(elastic)/dt
    power = np.sum(found["force"] * s.velocity, axis=1)
    scale = (K * 0.02 + C * 5.0) * 5.0
    np.testing.assert_allclose(released + found["damper_power"] + found["friction_power"], power, atol=ROUNDING * scale)
    assert np.all(found["friction_power"] <= 0)
    assert np.all(found["damper_power"] <= 0)


def test_touching_but_not_pressed_in_is_apart() -> None:
    modes, _ = marker_modes(law(), [0.0, np.nextafter(0.0, 1.0)], [[0, 0, 1.0]] * 2, [[0, 0, -1.0]] * 2)
    np.testing.assert_array_equal(modes, int(MODE_APART))


def test_no_friction_at_no_speed() -> None:
    """The creep branch is smooth through zero: no direction is needed, none is made up."""
    found = marker_contacts(law(), [int(MODE_CREEP)], [-0.01], [[0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(found["force"], [[0.0, 0.0, K * 0.01]])
    assert found["friction_force"] == 0.0


@pytest.mark.parametrize("pulling", [0, int(MODE_UNLOADED)])
@pytest.mark.parametrize(("border", "modes"), [(V1, (MODE_CREEP, MODE_BREAKAWAY)), (V2, (MODE_BREAKAWAY, MODE_SLIDE))])
def test_friction_is_continuous_at_its_kinks(border: float, modes: tuple, pulling: int) -> None:
    """Both branches give one force at the border, to rounding."""
    s = states(200, seed=3)
    velocity = s.v_n[:, None] * s.normal + border * s.v_t / s.speed[:, None]
    at_border = States(-np.abs(s.gap), s.normal, velocity)
    below, above = (by_the_law(at_border, False, np.full(200, int(mode) + pulling)) for mode in modes)
    scale = K * 0.02 + C * 5.0
    for field in ("force", "normal_force", "friction_force", "elastic", "damper_power", "friction_power"):
        np.testing.assert_allclose(above[field], below[field], atol=10 * ROUNDING * scale)


def test_unloading_is_continuous() -> None:
    """Where the damper balances the spring nothing jumps: no force on either side, the same energy and power."""
    s = states(200, seed=4)
    gap = -np.abs(s.gap)
    velocity = (-K * gap / C)[:, None] * s.normal + s.v_t
    at_border = States(gap, s.normal, velocity)
    table = np.select([s.speed < V1, s.speed < V2], [int(MODE_CREEP), int(MODE_BREAKAWAY)], int(MODE_SLIDE))
    pressing, unloaded = (
        by_the_law(at_border, True, table),
        by_the_law(at_border, True, np.full(200, int(MODE_UNLOADED))),
    )
    scale = K * 0.02
    assert not unloaded["force"].any()
    np.testing.assert_allclose(pressing["force"], 0.0, atol=ROUNDING * scale)
    np.testing.assert_allclose(pressing["damper_power"], unloaded["damper_power"], rtol=1e-10)
    np.testing.assert_array_equal(pressing["elastic"], unloaded["elastic"])


@pytest.mark.parametrize("clamp", [True, False])
def test_force_has_no_jump_other_than_the_dampers_at_touchdown(clamp: bool) -> None:
    """Along a ray through state space the force changes by no more than its steepest slope allows."""
    start, end = states(300, seed=5), states(300, seed=6)
    pieces = np.linspace(0.0, 1.0, 401)
    path = [
        by_the_law(
            States(
                -np.abs(start.gap) * (1 - u) - np.abs(end.gap) * u - 1e-9,
                start.normal,
                (1 - u) * start.velocity + u * end.velocity,
            ),
            clamp,
        )["force"]
        for u in pieces
    ]
    moved = np.linalg.norm(end.velocity - start.velocity, axis=1) / (len(pieces) - 1)
    sunk = np.abs(np.abs(end.gap) - np.abs(start.gap)) / (len(pieces) - 1)
    load = K * 0.02 + C * 6.0
    steepest = (1.0 + MU1) * (K * sunk + C * moved) + MU1 / V1 * load * moved
    for before, after in pairwise(path):
        assert np.all(np.linalg.norm(after - before, axis=1) <= steepest * (1 + 1e-9))


def test_at_touchdown_only_the_damper_jumps() -> None:
    gap = np.array([0.0, -1e-12])
    found = by_the_law(States(gap, np.array([[0, 0, 1.0]] * 2), np.array([[0.0, 0.0, -2.0]] * 2)))
    np.testing.assert_allclose(found["normal_force"], [0.0, C * 2.0], rtol=1e-9)


@pytest.mark.parametrize("clamp", [True, False])
def test_on_a_distance_field_the_powers_add_up_and_friction_only_takes(clamp: bool) -> None:
    """There a normal is the gradient of the gap, longer or shorter than 1: the gap changes by its product with v.

    Friction lies across it and has the load that the ground bears: the length of the force along it.
    """
    s = states(2000, seed=5)
    lengths = np.random.default_rng(6).uniform(0.7, 1.3, len(s.gap))
    raw = States(s.gap, s.normal * lengths[:, None], s.velocity)
    found = marker_contacts_on_field(law(clamp), raw.gap, raw.normal, raw.velocity)
    inside, stored = raw.gap < 0, K * raw.gap * raw.v_n
    power = np.sum(found["force"] * raw.velocity, axis=1)
    expected = np.where(inside, found["damper_power"] + found["friction_power"] - stored, 0.0)
    np.testing.assert_allclose(power, expected, rtol=ROUNDING, atol=ROUNDING * np.abs(power).max())
    assert np.all(found["friction_power"] <= 0.0) and np.all(found["damper_power"][inside] <= 0.0)
    along = np.sum(found["force"] * s.normal, axis=1)
    np.testing.assert_allclose(found["normal_force"], along, rtol=ROUNDING, atol=ROUNDING * np.abs(along).max())
    across = np.linalg.norm(found["force"] - along[:, None] * s.normal, axis=1)
    mu = np.interp(s.speed, [0.0, V1, V2], [0.0, MU1, MU2])
    np.testing.assert_allclose(across, mu * np.abs(along), rtol=1e-9, atol=ROUNDING * np.abs(along).max())
