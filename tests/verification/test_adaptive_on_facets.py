"""The adaptive method on maps, meshes and unions of them: facets are crossed without being located.

By the nearest point the ground's force is continuous across edges and has kinks there. A step over a kink is wrong by
its square, which the error control sees and shortens; so the end of a landing converges with the tolerance.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_recorded
from planetfall.engine.state.result import RecordedRun
from planetfall.outcome import Outcome
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.world.terrain.combined_build import combined_surface
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.surface import Surface
from support.made_ground import grid_mesh
from support.mesh_queries import ball

N, SPACING, ROUGH = 24, 0.1, 0.05
ALONG = (np.arange(N) - N // 2) * SPACING
"""Nodes of a rough map [m], whose facets are inclined by up to 66 degrees."""
GROUNDS = ("map", "mesh", "map with a rock")
FINEST = 1e-12


def surface(ground: str) -> Surface:
    z = ROUGH * np.random.default_rng(1).normal(size=(N, N))
    if ground == "mesh":
        return mesh_surface(*grid_mesh(ALONG, z), "cpu", reach=0.1)
    made = dem_surface(z, np.array([ALONG[0], ALONG[0], 0.0]), (SPACING, SPACING), "cpu")
    if ground == "map":
        return made
    rock = mesh_surface(0.2 * ball().vertices + [0.35, 0.1, 0.05], ball().facets, "cpu", reach=0.1)
    return combined_surface(made, rock)


@lru_cache
def landed(ground: str, method: str, fineness: float) -> RecordedRun:
    """A box that is thrown over rough ground, slides and tips over edges; to 1.2 s, when it still moves."""
    key = "step" if method == "rk4" else "tolerance"
    scenario = planetfall.load("box-bench").with_values(
        {
            "scenario.duration": 1.2, "initial.height": 0.1, "initial.velocity": [0.4, 0.2, -0.2],
            "initial.angular_velocity": [0.5, 1.0, 0.5], "contact.rest_penetration": 0.02, "record.interval": 0.1,
            "outcome.stop_at_rest": False, "integrator": {"method": method, key: fineness},
        }
    )  # fmt: skip
    return run_recorded(build(scenario, surface=surface(ground)))


def miss(ground: str, method: str, fineness: float) -> float:
    """Distance [m] of where the box ends from where the finest run ends."""
    ends = [landed(ground, *how).end.state[0, :3] for how in ((method, fineness), ("adaptive", FINEST))]
    return float(np.linalg.norm(ends[0] - ends[1]))


@pytest.mark.parametrize("ground", GROUNDS)
def test_the_end_of_a_landing_converges_with_the_tolerance(ground: str) -> None:
    """Three decades of tolerance take off at least two of the error: less than in proportion, since kinks are crossed.

    The contact's own scale is the box, of about a metre, and errors grow along a second of tumbling, by ten at most.
    """
    coarse, fine = miss(ground, "adaptive", 1e-6), miss(ground, "adaptive", 1e-9)
    assert landed(ground, "adaptive", FINEST).end.touches.sum() > 5
    assert fine < 1e-2 * coarse
    assert fine < 1e-7


@pytest.mark.parametrize("ground", GROUNDS)
def test_fixed_steps_converge_to_the_same_end_and_take_many_more(ground: str) -> None:
    """RK4 is of first order through touchdowns: a quarter of the step, at most half of the error."""
    coarse, fine = miss(ground, "rk4", 4e-4), miss(ground, "rk4", 1e-4)
    assert fine < 0.5 * coarse
    assert miss(ground, "adaptive", 1e-7) < fine
    assert 5 * landed(ground, "adaptive", 1e-7).end.steps[0] < landed(ground, "rk4", 1e-4).end.steps[0]


@pytest.mark.parametrize("ground", ["map", "mesh"])
def test_a_point_in_the_ground_leaves_it_over_an_edge(ground: str) -> None:
    """A step over the edge ends the run there: beyond, nothing is felt, whatever the point was pressed by before.

    Points in the air are looked at between steps only, so that one of them may be a step ahead, centimetres at 2 m/s.
    """
    values = {"integrator": {"method": "adaptive"}, "initial.position": [0.4, 0.0, 0.0]}
    values |= {"initial.height": 1e-3, "initial.velocity": [2.0, 0.0, 0.0], "contact.rest_penetration": 0.02}
    scenario = planetfall.load("box-bench").with_values({**values, "contact.sliding_angle_deg": 1.0})
    level = np.zeros((N, N))
    flat = mesh_surface(*grid_mesh(ALONG, level), "cpu", reach=0.1)
    if ground == "map":
        flat = dem_surface(level, np.array([ALONG[0], ALONG[0], 0.0]), (SPACING, SPACING), "cpu")
    end = run_recorded(build(scenario, surface=flat)).end
    assert Outcome(int(end.status[0])) is Outcome.off_map
    assert end.steps[0] < 1000
    points = np.array([point.position for point in scenario.vehicle.points])
    farthest = (end.state[0, :3] + points @ rotation_matrix(end.state[0, 6:10]).T)[:, 0].max()
    assert ALONG[-1] <= farthest < ALONG[-1] + 0.5 * SPACING


@pytest.mark.parametrize("ground", GROUNDS)
def test_energy_never_rises_and_its_account_closes(ground: str) -> None:
    """Each step may be wrong by the tolerance in speed, and so by twice as much in energy."""
    run, tolerance = landed(ground, "adaptive", 1e-9), 1e-9
    energy, work = run.observed.energy.sum(axis=1), run.frames.state[:, 13:].sum(axis=1)
    assert np.abs(energy - energy[0] - work).max() < 2.0 * tolerance * run.end.steps[0] * energy[0]
    assert float((energy - np.minimum.accumulate(energy)).max()) < 1e-12 * energy[0]


SMALL_BODY = {
    "law": "distributed", "stiffness": 2e4, "damping": 200.0, "friction": 0.6, "rolling_resistance": 1e-3,
    "slip_speed": 0.01, "roll_rate": 0.03,
}  # fmt: skip


@lru_cache
def rolled(tolerance: float) -> RecordedRun:
    """The box of `landed` with the small-body law, whose friction acts at one point, with the normal there."""
    values = {
        "scenario.duration": 1.2, "gravity.acceleration": 1.6, "initial.height": 0.1, "contact": SMALL_BODY,
        "initial.velocity": [0.4, 0.2, -0.2], "initial.angular_velocity": [0.5, 1.0, 0.5], "record.interval": 0.1,
        "outcome.stop_at_rest": False, "integrator": {"method": "adaptive", "tolerance": tolerance},
    }  # fmt: skip
    return run_recorded(build(planetfall.load("box-bench").with_values(values), surface=surface("map")))


def test_the_small_body_law_converges_too() -> None:
    """Where the point of application comes over another facet, its normal jumps: a step there is shortened, as others.

    Three decades of tolerance take off at least two of the error, and the account closes as above.
    """
    ends = {tolerance: rolled(tolerance).end.state[0, :3] for tolerance in (1e-6, 1e-9, FINEST)}
    coarse, fine = (float(np.linalg.norm(ends[tolerance] - ends[FINEST])) for tolerance in (1e-6, 1e-9))
    assert rolled(FINEST).end.touches.sum() > 10
    assert fine < 1e-2 * coarse
    assert fine < 1e-6
    run = rolled(1e-9)
    energy, work = run.observed.energy.sum(axis=1), run.frames.state[:, 13:].sum(axis=1)
    assert np.abs(energy - energy[0] - work).max() < 2.0 * 1e-9 * run.end.steps[0] * energy[0]
