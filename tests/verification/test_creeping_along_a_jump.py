"""A point that goes along a jump of the ground's force, in the sharp corner of two parts of it, by error control.

Each part pushes it to the other, so that it slides along the corner with a share of its time on either. Both have the
gap -N/K. With unit normals at angles of +-beta from the plane of gravity and corner, and the corner sloping down by
alpha, what is left across the corner is N cos(beta) = m g cos(alpha), and along it the acceleration is
a = g (sin(alpha) - mu cos(alpha)/cos(beta)): that of a block in a groove (a sliding mode, Filippov1988).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import Model, build
from planetfall.engine.launch.batch_on_device import make_machine
from planetfall.engine.run import run_recorded
from planetfall.engine.solver.events.anchored_contact_events import LEAST_PLANE_SHARE
from planetfall.engine.solver.stall import WINDOW as PROGRESS_WINDOW
from planetfall.engine.solver.tolerance_relaxation import LOOSEST, WINDOW
from support.block_scene import assert_same_bits
from support.landing_checks import account_opening
from support.random_landings import Setting, landing
from support.stalling import ended_in_chunks, ended_in_waves

MASS, GRAVITY, DEPTH, SPEED, DURATION = 2.0, 1.6, 0.01, 1.0, 2.0
STIFFNESS = MASS * GRAVITY / DEPTH
ALPHA, BETA, MU = np.radians(20.0), np.radians(40.0), 0.15
ALONG = np.array([np.cos(ALPHA), 0.0, -np.sin(ALPHA)])
UP = np.array([np.sin(ALPHA), 0.0, np.cos(ALPHA)])
ACROSS = np.array([0.0, 1.0, 0.0])
LOAD = MASS * GRAVITY * np.cos(ALPHA) / np.cos(BETA)
TOLERANCE = 1e-9


def groove(**tables: Any) -> planetfall.Scenario:
    """A mass in it, as deep as its weight presses it, at 1 m/s down the groove; 2 s. By the marker law or `contact`."""
    sides = [(np.cos(BETA) * UP + sign * np.sin(BETA) * ACROSS).tolist() for sign in (-1.0, 1.0)]
    place = -UP * LOAD / (STIFFNESS * np.cos(BETA))
    angle = float(np.degrees(np.arctan(MU)))
    return planetfall.Scenario.from_dict(
        {
            "scenario": {"name": "groove", "duration": DURATION},
            "gravity": {"model": "uniform", "acceleration": GRAVITY},
            "terrain": {
                "model": "plane", "normal": sides[0], "fillet": 0.0, "added": [{"model": "plane", "normal": sides[1]}],
            },
            "vehicle": {
                "name": "mass", "mass": MASS, "inertia": [1.0, 1.0, 1.0],
                "points": [{"name": "point", "position": [0.0, 0.0, 0.0]}],
            },
            "contact": {
                "law": "marker", "rest_penetration": DEPTH, "damping_ratio": 0.3, "breakaway_angle_deg": angle,
                "sliding_angle_deg": angle, "breakaway_speed": 0.02, "sliding_speed": 0.05,
            },
            "initial": {"position": place.tolist(), "velocity": (SPEED * ALONG).tolist()},
            "integrator": {"method": "adaptive", "tolerance": TOLERANCE},
            "record": {"interval": 0.05},
            "outcome": {"stop_at_rest": False},
            **tables,
        }
    )  # fmt: skip


@lru_cache
def slid() -> planetfall.Trajectory:
    return planetfall.run(groove())


@lru_cache
def slid_by_planes() -> planetfall.Trajectory:
    """With the anchor law, which feels one plane at a time and locates each change."""
    anchored = {
        "law": "anchor", "rest_penetration": DEPTH, "damping_ratio": 0.3, "friction_static": MU, "friction_kinetic": MU,
        "anchor_rule": "velocity", "slip_speed": 0.02,
    }  # fmt: skip
    return planetfall.run(groove(contact=anchored))


@pytest.mark.parametrize("run", [slid, slid_by_planes])
def test_it_slides_as_a_block_in_a_groove(run: Callable[[], planetfall.Trajectory]) -> None:
    """To a thousandth of the friction's way, and in the corner to a thousandth of the depth.

    A crossing errs by the largest tolerance that is taken, 1e-5 of the speed scale, and errors of crossings cancel.
    """
    data = run().data
    time, position = data.time.values, data.position.values[:, 0]
    slowed = GRAVITY * MU * np.cos(ALPHA) / np.cos(BETA)
    expected = SPEED * time + 0.5 * (GRAVITY * np.sin(ALPHA) - slowed) * time**2
    assert position @ ALONG == pytest.approx(expected, abs=1e-3 * 0.5 * slowed * DURATION**2)
    depth = LOAD / (STIFFNESS * np.cos(BETA))
    assert position @ UP == pytest.approx(np.full(len(time), -depth), abs=1e-3 * depth)
    assert position @ ACROSS == pytest.approx(np.zeros(len(time)), abs=1e-3 * depth)


def test_it_comes_to_its_end_and_says_with_what_tolerance() -> None:
    """By the tolerance alone a step leads some 1e-9 s ahead."""
    summary, events = slid().summary, slid().events
    assert summary["end_s"] == DURATION
    assert summary["steps"] < 50 * WINDOW
    loosened = [event.value for event in events if event.kind == "loosened"]
    assert loosened == pytest.approx(TOLERANCE * 10.0 ** np.arange(1, len(loosened) + 1))
    assert summary["loosest_tolerance"] == loosened[-1] <= float(LOOSEST) * (1.0 + 1e-12)


def test_planes_are_changed_in_some_hundred_steps() -> None:
    """A point changes planes once it is a width off its own, which puts in what its load does over that width.

    Where each change was located at the edge itself, the changes followed each other ever sooner, without end.
    """
    summary, data = slid_by_planes().summary, slid_by_planes().data
    width = float(LEAST_PLANE_SHARE) * np.sqrt(sum((1.0, 1.0, 1.0)) / MASS)
    assert summary["end_s"] == DURATION
    assert summary["steps"] < WINDOW
    assert 0.0 <= data.work_anchor.values[-1] <= 2.0 * summary["steps"] * LOAD * width
    assert summary["energy_rise_J"] <= summary["energy_rise_bound_J"]
    assert summary["energy_closure_J"] <= summary["energy_rise_bound_J"]


def test_energy_behaves() -> None:
    """Its bound is that of the tolerances that were taken."""
    summary = slid().summary
    assert summary["energy_rise_J"] <= summary["energy_rise_bound_J"]
    assert summary["energy_closure_J"] <= summary["energy_rise_bound_J"]


def test_no_other_run_is_told_of_a_tolerance() -> None:
    assert (
        "loosest_tolerance"
        not in planetfall.run(planetfall.load("msl-drop").with_values({"integrator.method": "adaptive"})).summary
    )


def batched() -> Model:
    return build(groove().with_values({"scenario.duration": 0.2}), is_recorded=False)


@pytest.mark.slow
def test_chunks_and_waves_take_the_same_steps() -> None:
    model = batched()
    states = np.tile(model.initial_state, (3, 1))
    states[:, 3] *= [1.0, 1.1, 0.5]
    expected = ended_in_chunks(make_machine(model, states, None), 1_000_000)
    assert np.all(expected.steps > WINDOW)
    assert_same_bits(ended_in_chunks(make_machine(model, states, None), 777), expected)
    assert_same_bits(ended_in_waves(make_machine(model, states, None)), expected)


def test_a_campaign_counts_runs_that_crept() -> None:
    """The groove, and the same mass dropped from so high that it does not come down within the run."""
    start = {"initial.position.2": {"distribution": "grid", "steps": [float(groove().initial.position[2]), 1e3]}}
    found = planetfall.montecarlo(groove().with_values({"dispersions": start}), 2, 1).data["out.loosest_tolerance"]
    assert sorted(np.isnan(found.values)) == [False, True]
    assert np.nanmax(found.values) == slid().summary["loosest_tolerance"]


CROSSING = Setting("distributed", "made", "fixed", "uniform", "adaptive")
"""Its landing 24 of seed 1: a vertex deep under an edge of rocks, where friction drives it back from either side."""


@pytest.mark.slow
def test_a_point_that_crosses_a_jump_ever_faster_gets_ahead(tmp_path: Path) -> None:
    """Ten times the tolerance saves one step of sixteen from crossing to crossing; a hundred times as much pays.

    What was taken is told, also where the jump is left within the first thousand steps that it pays for.
    """
    model = landing(CROSSING, 1, 24, tmp_path)
    asked, run = model.scenario.integrator.tolerance, run_recorded(model)
    assert run.end.time[0] == model.scenario.scenario.duration
    assert run.end.steps[0] < PROGRESS_WINDOW
    loosened = [event.value for event in run.events if event.kind == "loosened"]
    assert loosened[-1] == pytest.approx(run.end.looseness[0] * asked) and loosened[-1] <= float(LOOSEST)
    assert loosened[0] > 10.0 * asked
    bound = run.end.energy_rise_bound[0]
    assert run.end.energy_rise[0] <= bound and account_opening(model, run) <= bound
