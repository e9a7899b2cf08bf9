"""A vehicle that hits the ground faster than it may: its run ends if it is judged, else it stays where it hit."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import planetfall
from planetfall.analysis.run.validity import validity_notes
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.files.load import scenario_from_dict

GRAVITY, STEP, HEIGHT, SPEED, MASS = 3.7, 2e-3, 5.0, 20.0, 30.0
"""The companion starts at HEIGHT over level ground, falling at SPEED."""


@lru_cache
def landing(crash_speed: float | None = 10.0, rest_of: str = "vehicle", is_first: bool = False) -> planetfall.Scenario:
    """A block set down gently, and one thrown at the ground beside it, or in its place if it `is_first`."""
    feet = [{"name": f"foot {i}", "position": [x, y, -0.2]} for i, (x, y) in enumerate(CORNERS)]
    gentle = ({"name": "lander", "mass": 50.0, "inertia": [5.0, 5.0, 5.0], "points": feet}, {"position": [0, 0, 0.25]})
    thrown = (
        {"name": "stage", "mass": MASS, "inertia": [3.0, 3.0, 3.0], "points": feet},
        {"position": [20.0, 0.0, HEIGHT + 0.2], "velocity": [5.0, 0.0, -SPEED]},
    )
    first, second = (thrown, gentle) if is_first else (gentle, thrown)
    outcome = {"rest_of": rest_of} | ({} if crash_speed is None else {"crash_speed": crash_speed})
    return scenario_from_dict(
        {
            "scenario": {"name": "test", "duration": 1.0},
            "gravity": {"model": "uniform", "acceleration": GRAVITY},
            "terrain": {"model": "plane"},
            "vehicle": first[0],
            "initial": first[1],
            "companions": [{"vehicle": second[0], "initial": second[1]}],
            "contact": {
                "law": "marker",
                "rest_penetration": 0.01,
                "damping_ratio": 0.3,
                "breakaway_angle_deg": 30.0,
                "sliding_angle_deg": 25.0,
                "breakaway_speed": 0.05,
                "sliding_speed": 0.1,
            },
            "integrator": {"method": "rk4", "step": STEP, "accept_step": True},
            "record": {"interval": 0.01},
            "outcome": outcome,
        }
    )


CORNERS = [(0.3, 0.3), (0.3, -0.3), (-0.3, 0.3), (-0.3, -0.3)]


@pytest.fixture(scope="module")
def crash() -> Trajectory:
    return planetfall.run(landing())


def hit_time() -> float:
    """When a body thrown down at SPEED from HEIGHT meets the ground [s]."""
    return (np.sqrt(SPEED**2 + 2 * GRAVITY * HEIGHT) - SPEED) / GRAVITY


def test_a_discarded_vehicle_stays_where_it_hits(crash: Trajectory) -> None:
    """The way of the last part of a step is straight: g h^2/2 of place, hence g h^2/2/v of time."""
    event = next(e for e in crash.events if e.kind == "crash")
    late = 0.5 * GRAVITY * STEP**2 / SPEED
    assert event.time == pytest.approx(hit_time(), abs=2 * late)
    speed = np.hypot(np.sqrt(SPEED**2 + 2 * GRAVITY * HEIGHT), 5.0)
    assert event.value == pytest.approx(speed, abs=GRAVITY * STEP)  # that at the step's start
    after = crash.data.isel(time=crash.data.time.values > event.time)
    assert np.all(after.velocity.values[:, 1] == 0.0)
    assert np.all(after.position.values[:, 1] == after.position.values[0, 1])
    assert after.position.values[0, 1, 2] == pytest.approx(0.2, abs=GRAVITY * STEP**2)
    stage = crash.data.point_body.values == 1
    assert not crash.data.contact_mode.values[:, stage].any()
    assert not crash.data.contact_normal_force.values[:, stage].any()


def test_its_energy_is_booked_and_the_account_closes(crash: Trajectory) -> None:
    """What it had at the ground is what it started with, by a closed form; the rest is the lander's error."""
    had = MASS * (0.5 * (SPEED**2 + 5.0**2) + GRAVITY * HEIGHT)
    assert crash.summary["energy_crash_J"] == pytest.approx(had, abs=MASS * GRAVITY**2 * STEP**2 + 1e-9 * had)
    assert crash.data.work_crash.values[-1] == -crash.summary["energy_crash_J"]
    assert crash.summary["energy_closure_J"] < crash.summary["energy_rise_bound_J"] < 0.01 * had
    assert crash.summary["energy_rise_J"] <= crash.summary["energy_rise_bound_J"]


def test_the_judged_vehicle_is_the_same_to_the_last_bit(crash: Trajectory) -> None:
    other = planetfall.run(landing(None))
    both = np.intersect1d(crash.data.time.values, other.data.time.values)
    assert len(both) >= 100
    for name in ("position", "velocity", "quaternion", "angular_velocity"):
        found, expected = (run.data[name].sel(time=both).values[:, 0] for run in (crash, other))
        np.testing.assert_array_equal(found, expected)
    assert other.data.position.values[-1, 1, 2] > 0.5  # there the stage has bounced off


def test_figures_of_the_run_are_those_of_the_judged_vehicle(crash: Trajectory) -> None:
    """A block set down from 5 cm sinks by less than three times its weight's 1 cm."""
    other = planetfall.run(landing(None)).summary
    lander, stage = crash.summary["bodies"]
    assert (lander["role"], stage["role"]) == ("judged", "discarded")
    assert crash.summary["max_penetration_m"] == lander["max_penetration_m"] == other["max_penetration_m"] < 0.03
    assert other["bodies"][1]["max_penetration_m"] > 0.1
    assert stage["crash_s"] == pytest.approx(hit_time(), abs=STEP)
    assert (stage["peak_normal_force_N"], stage["max_penetration_m"], stage["touchdowns"]) == (0.0, 0.0, 1)
    assert lander["crash_s"] is None
    told = validity_notes(crash.scenario, crash.data, crash.summary)
    assert any("stage, on which the outcome does not depend, crashed" in note for note in told)
    told = validity_notes(crash.scenario, crash.data, other)
    assert any("outcome.crash_speed stops such a vehicle" in note for note in told)


def test_energies_by_vehicle_add_up(crash: Trajectory) -> None:
    for kind in ("kinetic", "gravity", "elastic"):
        total = crash.data[f"energy_{kind}"].values
        parts = crash.data[f"body_energy_{kind}"].values.sum(axis=1)
        np.testing.assert_allclose(parts, total, rtol=1e-14, atol=1e-12 * np.abs(total).max())


def test_the_run_of_a_judged_vehicle_ends_there() -> None:
    run = planetfall.run(landing(is_first=True))
    assert run.summary["outcome"] == "crashed"
    assert run.summary["end_s"] == pytest.approx(hit_time(), abs=STEP)
    assert [event.kind for event in run.events][-1] == "crash"
    assert planetfall.run(landing(rest_of="all")).summary["outcome"] == "crashed"  # which is judged as well


def test_campaigns_count_judged_vehicles_alone() -> None:
    spread = {"dispersions": {"initial.position.2": {"distribution": "uniform", "low": 0.23, "high": 0.27}}}
    data = planetfall.montecarlo(landing().with_values(spread), 3, 1).data
    free = planetfall.montecarlo(landing(None).with_values(spread), 3, 1).data
    for name in ("first_touch_s", "n_contacts", "peak_force_N", "max_penetration_m", "x_m", "speed_m_s", "qx"):
        np.testing.assert_array_equal(data[name].values, free[name].values)
    assert np.all(data.energy_rise_J <= data["out.energy_rise_bound_J"])


@pytest.fixture(scope="module")
def located() -> Trajectory:
    return planetfall.run(landing().with_values({"integrator": {"method": "adaptive", "tolerance": 1e-9}}))


def test_a_located_crash_stops_a_discarded_vehicle_where_it_touches(located: Trajectory) -> None:
    """The touch is located to 1e-11 s, so that instant, speed and place are those of the parabola to the tolerance."""
    event = next(e for e in located.events if e.kind == "crash")
    down = np.sqrt(SPEED**2 + 2 * GRAVITY * HEIGHT)
    assert event.time == pytest.approx(hit_time(), abs=1e-9)
    assert event.value == pytest.approx(np.hypot(down, 5.0), rel=1e-9)
    after = located.data.isel(time=located.data.time.values > event.time)
    assert np.all(after.velocity.values[:, 1] == 0.0)
    assert np.all(after.position.values[:, 1] == after.position.values[0, 1])
    assert after.position.values[0, 1, 2] == pytest.approx(0.2, abs=1e-8)
    assert located.summary["outcome"] in ("settled", "timed_out")


def test_what_a_located_crash_took_is_booked(located: Trajectory) -> None:
    """All that moved, and nothing else: the account closes to the tolerance of its size."""
    down = SPEED**2 + 2 * GRAVITY * HEIGHT
    kinetic = 0.5 * MASS * (down + 25.0)
    assert located.summary["energy_crash_J"] == pytest.approx(kinetic, rel=1e-8)
    assert located.summary["energy_closure_J"] < 1e-7 * kinetic


def test_the_other_vehicle_does_not_notice(located: Trajectory, crash: Trajectory) -> None:
    """The lander is set down by both methods alike, within what RK4 leaves through a touchdown, a step of its speed."""
    fallen = np.sqrt(2 * GRAVITY * 0.05)
    first = [run.data.position.values[-1, 0] for run in (located, crash)]
    assert np.abs(first[0] - first[1]).max() < STEP * fallen
