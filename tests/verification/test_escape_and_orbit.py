"""Outcomes of flight about a whole body, against two-body theory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
import warp as wp

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_batch
from planetfall.engine.solver.escape import orbit_energy, periapsis
from planetfall.errors import InputError
from planetfall.outcome import Outcome
from planetfall.scenario.files.load import scenario_from_dict

GM, RADIUS, SPIN, FAR, LOW = 666.2, 1000.0, 1.4e-4, 20000.0, 1100.0


def flight(gravity: dict | None = None, duration: float = 60000.0, **outcome: Any) -> planetfall.Scenario:
    """A cube about a ball of rock that turns.

    Steps of 20 s, a thousandth of the turn about it at 2 km, and ground soft enough for them, which nothing touches.
    """
    return scenario_from_dict(
        {
            "scenario": {"name": "test", "duration": duration},
            "target": {"name": "ball", "gm": GM, "frame": "P", "spin_rate": SPIN},
            "gravity": gravity or {"model": "point"},
            "terrain": {"model": "sdf", "shape": "sphere", "half_sizes": [RADIUS] * 3, "resolution": 50.0},
            "vehicle": {"name": "cube"},
            "contact": {"law": "distributed", "stiffness": 1e-5, "damping": 0.0, "friction": 0.0},
            "initial": {"position": [2000.0, 0.0, 0.0]},
            "integrator": {"method": "rk4", "step": 20.0},
            "record": {"interval": 400.0},
            "outcome": {"escape_radius": FAR, "orbit_radius": LOW, "stop_at_rest": True, **outcome},
        }
    )


def states(speeds: np.ndarray, angle: float) -> np.ndarray:
    """Starts 2 km from the centre at inertial speeds, at an angle to the horizon [rad]."""
    out = np.zeros((len(speeds), 13))
    out[:, 0], out[:, 9] = 2000.0, 1.0
    out[:, 3], out[:, 4] = speeds * np.sin(angle), speeds * np.cos(angle) - SPIN * 2000.0
    return out


def test_outcomes_are_those_of_the_conic() -> None:
    """Speeds around that of escape, and that of the orbit whose periapsis is at LOW, within a thousandth of each."""
    escape = np.sqrt(2.0 * GM / 2000.0)
    graze = np.sqrt(2.0 * GM * LOW / (2000.0 * (2000.0 + LOW)))  # vis-viva at the apoapsis
    speeds = np.array([0.999 * graze, 1.001 * graze, np.sqrt(GM / 2000.0), 1.001 * escape, 1.2 * escape])
    found = run_batch(build(flight()), states(speeds, 0.0))
    assert list(found.status[1:]) == [Outcome.orbiting, Outcome.orbiting, Outcome.escaped, Outcome.escaped]
    assert found.status[0] == Outcome.timed_out  # bound, and lower than it may be
    assert np.linalg.norm(found.state[3:, :3], axis=1) == pytest.approx(FAR, rel=0.01)  # at most one step beyond


def test_a_bound_orbit_beyond_the_radius_comes_back() -> None:
    """Thrown up with 0.99 of the escape speed it passes escape_radius, and has not escaped."""
    escape = np.sqrt(2.0 * GM / 2000.0)
    found = run_batch(build(flight(duration=90000.0)), states(np.array([0.99 * escape]), 1.2))
    apoapsis = 2000.0 / (1.0 - 0.99**2)
    assert apoapsis > FAR
    assert np.linalg.norm(found.state[0, :3]) > FAR
    assert found.status[0] == Outcome.timed_out


def test_escape_is_an_event_with_a_sentence() -> None:
    start = {"position": [2000.0, 0.0, 0.0], "velocity": [1.0, 0.0, 0.0]}
    run = planetfall.run(flight().with_values({"initial": start}))
    assert run.summary["outcome"] == "escaped"
    assert run.events[-1].kind == "escape"
    speed = np.sqrt(
        1.0 + (SPIN * 2000.0) ** 2 - 2.0 * GM * (1.0 / 2000.0 - 1.0 / np.linalg.norm(run.events[-1].position))
    )
    carried = run.events[-1].position
    inertial = run.data.velocity.values[-1, 0] + np.cross([0.0, 0.0, SPIN], carried)
    assert np.linalg.norm(inertial) == pytest.approx(speed, rel=1e-6)  # vis-viva, over a thousand steps of order four


@pytest.mark.parametrize("gravity", [{"model": "point"}, {"model": "polyhedron", "density": 2400.0}])
def test_a_run_that_times_out_on_its_way_out_is_told_that_it_leaves_for_good(
    gravity: dict[str, Any], tmp_path: Path
) -> None:
    """At twice the escape speed; with the advised radius the same run ends as escaped. Mass given, or by a density."""
    start = {"position": [2000.0, 0.0, 0.0], "velocity": [1.6, 0.0, 0.0]}
    base = flight(duration=20000.0, escape_radius=None, orbit_radius=None)
    if gravity["model"] == "polyhedron":
        shape = str(tmp_path / "sphere.obj")
        trimesh.creation.icosphere(subdivisions=2, radius=RADIUS).export(shape)
        base = base.with_values({"target.gm": 0.0, "gravity": {**gravity, "shape": shape}})
    run = planetfall.run(base.with_values({"initial": start}))
    assert run.summary["outcome"] == "timed_out"
    said = run.summary["outcome_sentence"]
    distance = float(np.linalg.norm(run.data.position.values[-1, 0]))
    assert "leaving ball for good" in said and f"at {distance:.4g} m from its centre" in said
    radius = float(re.search(r"outcome\.escape_radius = (\S+) such", said)[1])  # type: ignore[index]
    again = planetfall.run(base.with_values({"initial": start, "outcome.escape_radius": radius}))
    assert again.summary["outcome"] == "escaped"


def test_a_run_that_times_out_bound_is_not_told_that_it_leaves() -> None:
    """At 0.99 of the escape speed, on its way out: it comes back."""
    start = {"position": [2000.0, 0.0, 0.0], "velocity": [0.99 * np.sqrt(2.0 * GM / 2000.0), 0.0, 0.0]}
    base = flight(duration=20000.0, escape_radius=None, orbit_radius=None).with_values({"target.spin_rate": 0.0})
    said = planetfall.run(base.with_values({"initial": start})).summary["outcome_sentence"]
    assert "for good" not in said and "longer" in said


def test_conic_elements_against_an_independent_form() -> None:
    """The periapsis from the eccentricity vector, over random states."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        r, v = rng.normal(size=3) * 2000.0, rng.normal(size=3) * 0.4
        vector = np.cross(v, np.cross(r, v)) / GM - r / np.linalg.norm(r)
        h = np.cross(r, v)
        expected = h @ h / GM / (1.0 + np.linalg.norm(vector))
        assert float(periapsis(wp.float64(GM), wp.vec3d(*r), wp.vec3d(*v))) == pytest.approx(expected, rel=1e-9)
        energy = 0.5 * v @ v - GM / np.linalg.norm(r)
        assert float(orbit_energy(wp.float64(GM), wp.vec3d(*r), wp.vec3d(*v))) == pytest.approx(energy, rel=1e-12)


@pytest.mark.parametrize("carrier", ["station", "hover", "orbit"])
def test_release_from_a_mothership(carrier: str) -> None:
    """The inertial velocity at time zero is the mothership's plus that of separation."""
    place, leave = np.array([1500.0, -900.0, 400.0]), np.array([0.02, 0.03, -0.1])
    own = np.array([0.1, 0.4, -0.2])
    table: dict[str, Any] = {"carrier": carrier, "position": place.tolist(), "separation": leave.tolist()}
    if carrier == "orbit":
        table["velocity"] = own.tolist()
    state = build(flight().with_values({"initial": {"release": table}})).initial_state
    spin = np.array([0.0, 0.0, SPIN])
    mothership = {"station": np.cross(spin, place), "hover": np.zeros(3), "orbit": own}[carrier]
    np.testing.assert_allclose(state[3:6] + np.cross(spin, place), mothership + leave, atol=1e-15)
    np.testing.assert_array_equal(state[:3], place)


def test_bad_starts_and_rules_are_refused() -> None:
    inside = flight().with_values({"initial": {"position": [300.0, 0.0, 0.0]}})
    with pytest.raises(InputError, match=r"initial\.position.*inside the target"):
        build(inside)
    with pytest.raises(InputError, match=r"outcome\.escape_radius.*target\.gm"):
        build(flight({"model": "uniform", "acceleration": 1e-4}).with_values({"target.gm": 0.0}))
    with pytest.raises(InputError, match=r"initial\.release says"):
        flight().with_values({"initial.release": {"carrier": "hover", "position": [2000.0, 0.0, 0.0]}})
