"""The anchor law, function by function, against its reconstruction (Cordova2014) written down again in NumPy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetfall.contact.anchor import PLANE_SLACK, RULES
from support.anchor_probes import anchor_contacts, anchor_energies, anchor_renewals, footings, holds
from support.anchor_states import (
    KINETIC,
    LEASH,
    LOOSE,
    MU_K,
    MU_S,
    NONE,
    SLIP,
    STATIC,
    UP,
    C,
    K,
    States,
    law,
    memory,
    one,
    renewed,
    same_ground,
    size,
    states,
    unit,
    with_anchor,
)
from support.few import few

ROUNDING = 1e-12  # relative to the largest force or power; some twenty operations on numbers up to ten times larger
ALL_RULES = pytest.mark.parametrize("rule", RULES)


# --- force, energy and power from the memory


def test_a_point_without_memory_feels_nothing() -> None:
    s = states(100)
    found = anchor_contacts(law(), memory(s, NONE), s.position, s.velocity)
    for name in found.dtype.names:
        assert not found[name].any()


@ALL_RULES
def test_static_force(rule: str) -> None:
    """Normal spring-damper that pushes only; lateral spring and damper, whatever the load: limits are for `renew`."""
    s = states(4000)
    found = anchor_contacts(law(rule), memory(s, STATIC), s.position, s.velocity)
    scale = K * 0.1 + C * 5.0
    np.testing.assert_allclose(found["normal_force"], s.N, atol=ROUNDING * scale)
    np.testing.assert_allclose(found["force"], s.N[:, None] * s.normal + s.pull, atol=ROUNDING * scale)
    np.testing.assert_allclose(found["friction_force"], size(s.pull), atol=ROUNDING * scale)
    assert np.mean((s.gap < 0) & (s.N == 0)) > 0.1  # some are held back by their damper alone, which cannot pull


@pytest.mark.parametrize("rule", ["hold", "leash", "drag"])
def test_kinetic_force_is_scaled_along_its_own_direction(rule: str) -> None:
    s = states(4000, seed=1)
    found = anchor_contacts(law(rule), memory(s, KINETIC), s.position, s.velocity)
    limited = np.minimum(size(s.pull), MU_K * s.N)
    lateral = limited[:, None] * unit(s.pull)
    scale = K * 0.1 + C * 5.0
    np.testing.assert_allclose(found["force"], s.N[:, None] * s.normal + lateral, atol=ROUNDING * scale)
    np.testing.assert_allclose(found["friction_force"], limited, atol=ROUNDING * scale)
    assert 0.05 < np.mean(limited < size(s.pull)) < 1.0


@pytest.mark.parametrize("mode", [KINETIC, LOOSE])
def test_kinetic_force_of_the_velocity_rule(mode: int) -> None:
    """mu_k N against the velocity, falling linearly below the slip speed; the saved place does not matter."""
    s = states(4000, seed=2)
    found = anchor_contacts(law("velocity"), memory(s, mode), s.position, s.velocity)
    speed = size(s.v_lat)
    lateral = -(MU_K * s.N * np.minimum(speed / SLIP, 1.0))[:, None] * unit(s.v_lat)
    scale = K * 0.1 + C * 5.0
    np.testing.assert_allclose(found["force"], s.N[:, None] * s.normal + lateral, atol=ROUNDING * scale)
    assert 0.1 < np.mean(speed < SLIP) < 0.9


def test_the_damper_acts_along_the_velocity_not_along_delta() -> None:
    s = one(position=[0.01, 0.0, -0.02], velocity=[0.0, 0.3, 0.0])
    found = anchor_contacts(law(), memory(s, STATIC), s.position, s.velocity)
    np.testing.assert_allclose(found["force"][0], [-K * 0.01, -C * 0.3, K * 0.02], rtol=1e-13)


@ALL_RULES
@pytest.mark.parametrize("mode", [STATIC, KINETIC])
def test_energy_and_power_add_up(rule: str, mode: int) -> None:
    """What the force does per second leaves the springs, goes to damper and friction, or is the law's own."""
    s = states(4000, seed=3)
    found = anchor_contacts(law(rule), memory(s, mode), s.position, s.velocity)
    depth = np.minimum(s.gap, 0.0)
    has_spring = mode == STATIC or rule != "velocity"
    stored = 0.5 * K * (depth**2 + has_spring * np.sum(s.delta**2, axis=1))
    np.testing.assert_allclose(found["elastic"], stored, rtol=1e-12)
    released = -K * depth * s.v_n - has_spring * K * np.sum(s.delta * s.v_lat, axis=1)  # -d(elastic)/dt
    power = np.sum(found["force"] * s.velocity, axis=1)
    booked = found["damper_power"] + found["friction_power"] + found["memory_power"]
    scale = (K * 0.1 + C * 5.0) * 5.0
    np.testing.assert_allclose(released + booked, power, atol=ROUNDING * scale)
    assert np.all(found["damper_power"] <= 0)
    assert np.all(found["friction_power"] <= 0)
    if mode == STATIC:
        assert not found["friction_power"].any()
        assert not found["memory_power"].any()
    elif rule == "velocity":
        assert not found["memory_power"].any()  # friction against the velocity only takes


# --- the memory, once per step


@ALL_RULES
def test_first_touch_saves_the_intercept(rule: str) -> None:
    """With no speed across the ground the point sticks where it met it; what the spring stores is booked."""
    s = one(position=[1.0, 2.0, -0.01], velocity=[0.0, 0.0, -1.0])
    ground = footings(1, [[1.003, 2.0, 0.0]], UP, 7)  # along a slanted line of sight
    after, reported = anchor_renewals(law(rule), holds(NONE, [[9.0, 9.0, 9.0]], UP, 3), ground, s.position, s.velocity)
    assert (after["mode"][0], reported[0], after["facet"][0]) == (STATIC, STATIC, 7)
    np.testing.assert_array_equal(after["anchor"][0], [1.003, 2.0, 0.0])
    np.testing.assert_array_equal(after["normal"][0], UP)
    assert after["booked"][0] == pytest.approx(0.5 * K * (0.01**2 + 0.003**2), rel=1e-12)


@ALL_RULES
def test_a_point_that_leaves_forgets_and_its_springs_are_lost(rule: str) -> None:
    s = one(position=[0.004, 0.0, -0.003], velocity=[0.0, 0.0, 0.5])
    gone = footings(0, [[0.0, 0.0, 0.0]], UP)
    after, reported = anchor_renewals(law(rule), memory(s, STATIC), gone, s.position, s.velocity)
    assert (after["mode"][0], reported[0]) == (NONE, NONE)
    assert not after["anchor"].any()
    assert after["booked"][0] == pytest.approx(-0.5 * K * (0.004**2 + 0.003**2), rel=1e-12)


@ALL_RULES
def test_modes(rule: str) -> None:
    """STATIC breaks above mu_s N; KINETIC sticks again at mu_k N or less, by the velocity rule once it is slow."""
    s = states(4000, seed=4)
    touching, pull, speed = s.gap < 0, size(s.pull), size(s.v_lat)
    from_static = np.where(pull > MU_S * s.N, KINETIC, STATIC)
    from_kinetic = np.where(pull <= MU_K * s.N, STATIC, KINETIC)
    if rule == "velocity":
        from_static = np.where((from_static == KINETIC) & (speed < SLIP), LOOSE, from_static)
        from_kinetic = np.where(speed < SLIP, STATIC, KINETIC)
    for start, expected in ((STATIC, from_static), (KINETIC, from_kinetic)):
        after, reported = renewed(s, start, rule)
        np.testing.assert_array_equal(after["mode"], np.where(touching, expected, NONE))
        np.testing.assert_array_equal(reported, np.minimum(after["mode"], KINETIC))
        assert np.isin([NONE, STATIC, KINETIC], reported).all()


def test_a_limit_is_kept_when_it_is_just_reached() -> None:
    """Not more than mu_s N holds; not more than mu_k N sticks again. Numbers that binary fractions hold exactly."""
    params = law("hold")
    params.stiffness, params.damping = [1024.0], [0.0]
    params.friction_static, params.friction_kinetic = 0.5, 0.25
    more = 2.0**-40
    from_static = [(0.5, STATIC, STATIC), (0.5 + more, STATIC, KINETIC)]
    from_kinetic = [(0.25, KINETIC, STATIC), (0.25 + more, KINETIC, KINETIC)]
    for stretch, mode, expected in from_static + from_kinetic:
        s = one(position=[stretch, 0.0, -1.0])
        after, _ = anchor_renewals(params, memory(s, mode), same_ground(s), s.position, s.velocity)
        assert after["mode"][0] == expected


def furthest(rule: str, s: States) -> np.ndarray:
    """How far [m] a sliding point's saved place may stay behind."""
    factor = {"hold": np.inf, "leash": LEASH * MU_S, "drag": MU_K, "velocity": 0.0}[rule]
    with np.errstate(invalid="ignore"):
        return np.where(s.N > 0, factor * s.N / K, np.inf if rule == "hold" else 0.0)


@ALL_RULES
def test_the_saved_place_of_a_sliding_point(rule: str) -> None:
    """Dragged straight towards the point, in its plane, as far as the rule says; a point that sticks keeps it."""
    s = states(4000, seed=5)
    for start in (STATIC, KINETIC):
        after, _ = renewed(s, start, rule)
        now = with_anchor(s, after)
        slides = (after["mode"] == KINETIC) | ((rule == "velocity") & (start == KINETIC) & (after["mode"] == STATIC))
        length = np.where(slides, np.minimum(size(s.delta), furthest(rule, s)), size(s.delta))
        held = after["mode"] != NONE
        np.testing.assert_allclose(now.delta[held], (length[:, None] * unit(s.delta))[held], atol=1e-14)
        np.testing.assert_allclose(now.gap[held], s.gap[held], atol=1e-14)
        kept = held & (length == size(s.delta))
        np.testing.assert_array_equal(after["anchor"][kept], s.anchor[kept])  # not a bit of drift
        assert slides.any()
        assert kept.any() or (rule == "velocity" and start == KINETIC)


@pytest.mark.parametrize(
    ("rule", "mode"), [*((rule, mode) for rule in RULES for mode in (NONE, STATIC, KINETIC)), ("velocity", LOOSE)]
)
def test_what_is_booked_is_the_change_of_what_is_stored(rule: str, mode: int) -> None:
    """By touching, leaving, breaking loose, sticking again and dragging: whatever happens to the memory."""
    s = states(4000, seed=6)
    after, _ = renewed(s, mode, rule)
    params, kept = law(rule), after["mode"] != NONE
    before = anchor_energies(params, memory(s, mode), s.position)
    now = np.where(kept, anchor_energies(params, after, s.position), 0.0)
    np.testing.assert_allclose(after["booked"], now - before, atol=ROUNDING * K * 0.1**2)
    assert before.any() == (mode != NONE)
    assert len(np.unique(np.sign(after["booked"]))) >= 2


@ALL_RULES
def test_on_another_facet_the_saved_place_is_projected(rule: str) -> None:
    """Along the new facet's normal, onto its plane; force and modes are those of the new facet."""
    s = states(2000, seed=7)
    rng = np.random.default_rng(8)
    normal = unit(s.normal + 0.3 * rng.normal(size=s.normal.shape))
    depth = rng.uniform(0.0, 0.03, len(normal))
    place = s.position + depth[:, None] * normal
    ground = footings(1, place, normal, 5)  # facet 0 before
    after, _ = anchor_renewals(law(rule), memory(s, STATIC), ground, s.position, s.velocity)
    projected = s.anchor - np.sum((s.anchor - place) * normal, axis=1)[:, None] * normal
    on_new = States(projected, normal, s.position, s.velocity)
    np.testing.assert_allclose(on_new.gap, -depth, atol=1e-14)
    breaks = size(on_new.pull) > MU_S * on_new.N
    np.testing.assert_array_equal(after["mode"] == STATIC, ~breaks)
    np.testing.assert_array_equal(after["facet"], 5)
    np.testing.assert_array_equal(after["normal"], normal)
    stays = ~breaks
    np.testing.assert_allclose(after["anchor"][stays], projected[stays], atol=1e-14)
    params = law(rule)
    change = anchor_energies(params, after, s.position) - anchor_energies(params, memory(s, STATIC), s.position)
    np.testing.assert_allclose(after["booked"], change, atol=ROUNDING * K * 0.1**2)
    assert breaks.any() and stays.any()


def test_on_another_facet_of_one_plane_nothing_changes() -> None:
    """An edge between coplanar facets is not felt: the projection moves nothing, and books nothing."""
    s = states(500, seed=9)
    ground = same_ground(s)
    same, _ = anchor_renewals(law(), memory(s, STATIC), ground, s.position, s.velocity)
    ground["facet"] = 1
    other, _ = anchor_renewals(law(), memory(s, STATIC), ground, s.position, s.velocity)
    np.testing.assert_array_equal(other["mode"], same["mode"])
    np.testing.assert_allclose(other["anchor"], same["anchor"], atol=1e-14)
    np.testing.assert_allclose(other["booked"], same["booked"], atol=ROUNDING * K * 0.1**2)


def test_ground_that_moves_away_on_one_facet_is_followed() -> None:
    """Below a valley the nearest ground is its edge, off the facet's plane, and comes closer as the point moves."""
    s = one(position=[0.001, 0.0, -0.02])
    place = s.position + 0.017 * UP  # 3 mm below the plane of the memory
    after, _ = anchor_renewals(law(), memory(s, STATIC), footings(1, place, UP), s.position, s.velocity)
    np.testing.assert_allclose(after["anchor"][0], [0.0, 0.0, -0.003], atol=1e-15)
    assert after["booked"][0] == pytest.approx(0.5 * K * (0.017**2 - 0.02**2), rel=1e-12)
    within = s.position + (0.02 - 0.5 * float(PLANE_SLACK)) * UP
    after, _ = anchor_renewals(law(), memory(s, STATIC), footings(1, within, UP), s.position, s.velocity)
    np.testing.assert_array_equal(after["anchor"][0], [0.0, 0.0, 0.0])


def test_a_point_that_breaks_loose_slowly_is_loose_until_it_slides() -> None:
    """Rule `velocity`: slower than the slip speed right after it broke, it must not stick again at once."""
    params = law("velocity")
    s = one(position=[0.017, 0.0, -0.02], velocity=[0.1 * SLIP, 0.0, 0.0])
    loose, reported = anchor_renewals(params, memory(s, STATIC), same_ground(s), s.position, s.velocity)
    assert (loose["mode"][0], reported[0]) == (LOOSE, KINETIC)
    np.testing.assert_array_equal(loose["anchor"], s.anchor)
    again, _ = anchor_renewals(params, loose, same_ground(s), s.position, s.velocity)
    assert again["mode"][0] == LOOSE
    faster = one(position=[0.017, 0.0, -0.02], velocity=[2.0 * SLIP, 0.0, 0.0])
    slides, _ = anchor_renewals(params, loose, same_ground(s), faster.position, faster.velocity)
    assert slides["mode"][0] == KINETIC
    np.testing.assert_allclose(slides["anchor"][0], [0.017, 0.0, 0.0], atol=1e-16)
    slower, _ = anchor_renewals(params, slides, same_ground(s), s.position, s.velocity)
    assert slower["mode"][0] == STATIC
    relieved = one(position=[0.005, 0.0, -0.02])
    stuck, _ = anchor_renewals(params, loose, same_ground(relieved), relieved.position, relieved.velocity)
    assert stuck["mode"][0] == STATIC
    np.testing.assert_array_equal(stuck["anchor"], s.anchor)


@ALL_RULES
@few(20)
@given(seed=st.integers(0, 2**32 - 1))
def test_renewing_twice_is_renewing_once(rule: str, seed: int) -> None:
    """Nothing creeps: judged again on the same ground, a memory neither moves nor books, unless its mode changes."""
    s = states(50, seed=seed)
    once, _ = renewed(s, STATIC, rule)
    touching = once["mode"] != NONE
    now = with_anchor(s, once)
    twice, _ = anchor_renewals(law(rule), once, same_ground(s), now.position, now.velocity)
    same = touching & (twice["mode"] == once["mode"])
    np.testing.assert_allclose(twice["anchor"][same], once["anchor"][same], atol=1e-15)
    np.testing.assert_allclose(twice["booked"][same], 0.0, atol=ROUNDING * K * 0.1**2)


# --- what a sliding point gives back


def closed_path_work(rule: str, heavier: float, n: int = 100) -> float:
    """Work [J] of the ground on a point that is led slowly around a loop, in units of N1^2/k.

    Sideways by 2 mu_s N1/k under a load N1, down to a load that is `heavier`, back, and up again. No damper.
    """
    params = law(rule)
    params.damping = [0.0]
    depth = 0.02
    far = LEASH * MU_S * depth
    corners = np.array([[0.0, -depth], [far, -depth], [far, -heavier * depth], [0.0, -heavier * depth], [0.0, -depth]])
    sides = [(start, end) for start, end in pairwise(corners) if np.any(start != end)]
    legs = [start + np.linspace(0.0, 1.0, n)[1:, None] * (end - start) for start, end in sides]
    path = np.vstack([corners[:1], *legs])
    path = np.column_stack([path[:, 0], np.zeros(len(path)), path[:, 1]])
    hold, work = holds(NONE, [[0.0, 0.0, 0.0]], UP), 0.0
    for here, there in pairwise(path):
        velocity = 1000.0 * SLIP * (there - here) / np.linalg.norm(there - here)
        ground = footings(1, [[here[0], 0.0, 0.0]], UP)
        hold, _ = anchor_renewals(params, hold, ground, here, velocity)
        forces = [anchor_contacts(params, hold, at, velocity)["force"][0] for at in (here, there)]
        work += 0.5 * float((forces[0] + forces[1]) @ (there - here))
    return work / (K * depth**2)


@pytest.mark.parametrize("rule", ["hold", "leash"])
def test_hold_and_leash_can_give_back_more_than_they_took(rule: str) -> None:
    """Not passive: wound up under a small load, a saved place pulls back under a larger one.

    Out, the spring takes mu_s^2/2 until it breaks and then mu_k for the rest of 2 mu_s; back, friction of four times
    the load gives 4 mu_k until the spring is that short, and the spring its energy. A step is 1 % of the way.
    """
    heavier = 4.0
    took = 0.5 * MU_S**2 + MU_K * (LEASH - 1.0) * MU_S
    gave = heavier * MU_K * (LEASH * MU_S - heavier * MU_K) + 0.5 * (heavier * MU_K) ** 2
    assert gave > 2.0 * took
    assert closed_path_work(rule, heavier) == pytest.approx(gave - took, abs=0.04)
    assert closed_path_work(rule, 1.0) < 0.0  # under one load they only take


@pytest.mark.parametrize("rule", ["drag", "velocity"])
def test_drag_and_velocity_only_take(rule: str) -> None:
    """A spring that never holds more than it was given, and friction against the motion."""
    for heavier in (1.0, 4.0):
        assert closed_path_work(rule, heavier) < -0.1
