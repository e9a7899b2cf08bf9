"""The anchor law on facets: one plane in three descriptions, edges that are not felt, ridges and valleys that are."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_batch, run_recorded
from planetfall.engine.state.result import BatchResult, RecordedRun
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.surface import Surface
from support.made_ground import grid_mesh, tilted_grid
from support.morpheus import DAMPING, HEIGHT, LEGS, SINK, STIFFNESS, UPRIGHT, on_slope

SPACING = 0.25  # [m]
KINDS = ["dem", "mesh"]
KINETIC = 2


def ground(kind: str, along: np.ndarray, heights: np.ndarray) -> Surface:
    """The same facets as an elevation map or as a mesh."""
    if kind == "dem":
        return dem_surface(heights, np.array([along[0], along[0], 0.0]), (SPACING, SPACING), "cpu")
    return mesh_surface(*grid_mesh(along, heights), "cpu", reach=0.4)


@lru_cache
def tilted(kind: str, slope_deg: float) -> Surface:
    slope = np.radians(slope_deg)
    return ground(kind, *tilted_grid(np.array([np.sin(slope), 0.0, np.cos(slope)]), 101, SPACING))


def sliding(slope_deg: float, **values: Any) -> planetfall.Scenario:
    """Set down on a slope, slipping across it and down at 3 m/s, one corner lower than the others, and turning."""
    tilt = Rotation.from_rotvec([0.0, np.radians(slope_deg), 0.0])
    return on_slope(
        slope_deg,
        **{
            "initial__position": tilt.apply([-4.0, -2.0, 1.36]).tolist(),
            "initial__attitude": (tilt * Rotation.from_rotvec([0.03, 0.02, 0.2]) * UPRIGHT).as_quat().tolist(),
            "initial__velocity": tilt.apply([2.0, 2.2, -0.5]).tolist(), "initial__angular_velocity": [0.3, 0.0, 0.0],
            "scenario__duration": 1.5, **values,
        },
    )  # fmt: skip


@lru_cache
def on_plane(detection: str) -> BatchResult:
    model = build(sliding(20.0, contact__detection=detection), is_recorded=False)
    return run_batch(model, model.initial_state[None])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("detection", ["gap", "line-of-sight"])
def test_a_tilted_plane_is_the_same_however_it_is_given(kind: str, detection: str) -> None:
    """To a nanometre: node heights are rounded by 1e-15 m, and 1.5 s of sliding and bouncing let that grow.

    The legs cross a dozen facet edges each, all of one plane, at 3 m/s: no bump is felt, or peaks would differ.
    """
    scenario = sliding(20.0, contact__detection=detection)
    model = build(scenario, is_recorded=False, surface=tilted(kind, 20.0))
    found, expected = run_batch(model, model.initial_state[None]), on_plane(detection)
    travel = np.linalg.norm(expected.state[0, :2] - model.initial_state[:2])
    assert travel > 3.0
    np.testing.assert_allclose(found.state[0, :3], expected.state[0, :3], atol=1e-9, rtol=0)
    np.testing.assert_allclose(found.state[0, 6:10], expected.state[0, 6:10], atol=1e-9, rtol=0)
    np.testing.assert_array_equal(found.touches, expected.touches)
    np.testing.assert_allclose(found.peak, expected.peak, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_at_rest_on_facets_it_does_not_drift_either(kind: str) -> None:
    """Legs on four facets of one plane; 50 s here, as a nearest-facet query costs more than a plane's."""
    ends = []
    for duration in (40.0, 90.0):
        scenario = on_slope(20.0, scenario__duration=duration, integrator__step=2e-3)
        model = build(scenario, is_recorded=False, surface=tilted(kind, 20.0))
        ends.append(run_batch(model, model.initial_state[None]))
    np.testing.assert_allclose(ends[1].state[0, :3], ends[0].state[0, :3], atol=1e-12, rtol=0)


# --- edges that are felt


FOLD = np.radians(5.0)
SMOOTH = 0.1  # mu_k
STEP = 5e-4  # [s]


def folded(kind: str, sign: float) -> Surface:
    """Two planes that meet at x = 0, 5 degrees each way: sign -1 a ridge, +1 a valley."""
    along = (np.arange(81) - 40) * SPACING
    return ground(kind, along, np.tile(sign * np.abs(along) * np.tan(FOLD), (81, 1)))


def crossing(kind: str, sign: float, speed: float = 4.0) -> RecordedRun:
    """Standing on the western side, sent to the east over smooth ground, every step of it recorded."""
    tilt = Rotation.from_rotvec([0.0, sign * FOLD, 0.0])
    scenario = sliding(
        0.0,
        initial__position=tilt.apply([-2.2, 0.0, HEIGHT - SINK]).tolist(),
        initial__attitude=(tilt * UPRIGHT).as_quat().tolist(),
        initial__velocity=tilt.apply([speed, 0.3, 0.0]).tolist(),
        contact__friction_static=0.15,
        contact__friction_kinetic=SMOOTH,
        record__interval=STEP,
    )
    return run_recorded(build(scenario, surface=folded(kind, sign)))


def points_of(run: RecordedRun) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities of the legs [frame, leg, 3], surface frame."""
    turn = Rotation.from_quat(run.frames.state[:, 6:10]).as_matrix()
    arms = planetfall.load("morpheus-incline").vehicle.tips[LEGS]
    spin = np.einsum("tij,tj->ti", turn, run.frames.state[:, 10:13])
    arms_S = np.einsum("tij,pj->tpi", turn, arms)
    return run.frames.state[:, None, 0:3] + arms_S, run.frames.state[:, None, 3:6] + np.cross(spin[:, None], arms_S)


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_ridge_the_force_is_exactly_that_of_each_side(kind: str) -> None:
    """Ten degrees between the sides: normal, depth and Coulomb limit are those of the facet that the leg is in."""
    run = crossing(kind, -1.0)
    position, velocity = points_of(run)
    is_east = position[:, :, 0] > 0
    east_facing = np.array([np.sin(FOLD), 0.0, np.cos(FOLD)])
    normal = np.where(is_east[:, :, None], east_facing, east_facing * [-1.0, 1.0, 1.0])
    depth = -np.sum(position * normal, axis=2)
    v_n = np.sum(velocity * normal, axis=2)
    held = run.observed.mode[:, LEGS] != 0
    # a leg whose point is on the edge to rounding may be on either side
    clear = held & (np.abs(position[:, :, 0]) > 1e-9)
    expected = np.where(depth > 0, np.maximum(STIFFNESS * depth - DAMPING * v_n, 0.0), 0.0)
    assert run.frames.normal is not None
    np.testing.assert_allclose(run.frames.normal[:, LEGS][clear], normal[clear], atol=1e-13)
    scale = STIFFNESS * 1e-12  # depths are differences of metres: 1e-15 m, through a few operations
    np.testing.assert_allclose(run.observed.normal_force[:, LEGS][clear], expected[clear], atol=scale)
    slides = clear & (run.observed.mode[:, LEGS] == KINETIC)
    friction = run.observed.force[:, LEGS] - expected[:, :, None] * normal
    np.testing.assert_allclose(np.sum(friction * normal, axis=2)[slides], 0.0, atol=scale)
    assert np.all(np.linalg.norm(friction, axis=2)[slides] <= SMOOTH * expected[slides] + scale)
    for leg in range(4):  # each has been loaded on both sides
        assert {False, True} == set(is_east[clear[:, leg], leg])


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_crossing_an_edge_is_booked(kind: str, sign: float) -> None:
    """What the springs gain or lose when their plane turns by ten degrees is in the account, which closes."""
    run = crossing(kind, sign)
    energy, work = run.observed.energy.sum(axis=1), run.frames.state[:, 13:].sum(axis=1)
    closure = np.abs(energy - energy[0] - work).max()
    speeds = [event.value for event in run.events if event.kind in ("lift_off", "touch")]
    # kinks at touch and lift-off, as in test_anchor_law; sliding ones, of at most mu_k of them, at the fold's 4 m/s
    assert closure < STIFFNESS * STEP**2 / 8.0 * (float(np.sum(np.square(speeds))) + 8 * SMOOTH * 4.0**2)
    held = energy - run.frames.state[:, 13 + 3]  # work_anchor is the last of the four
    assert np.max(held - np.minimum.accumulate(held)) < closure + 1e-9 * energy[0]


@pytest.mark.parametrize("kind", KINDS)
def test_under_a_valley_the_plane_turns_about_the_edge(kind: str) -> None:
    """There the nearest ground is the edge, off the planes of both facets; what a leg feels follows it.

    In every frame the depth that the law uses is the gap that the terrain gives, along the way to the edge.
    """
    run = crossing(kind, 1.0, speed=1.0)
    position, _ = points_of(run)
    held = run.observed.mode[:, LEGS] != 0
    assert run.frames.anchor is not None
    assert run.frames.normal is not None
    gap = np.sum((position - run.frames.anchor[:, LEGS]) * run.frames.normal[:, LEGS], axis=2)
    np.testing.assert_allclose(gap[held], run.observed.gap[:, LEGS][held], atol=2e-9)
    # some were under the edge, where it is nearer than either plane
    below = held & (np.abs(position[:, :, 0]) < 0.5 * np.sin(FOLD) * -run.observed.gap[:, LEGS])
    assert below.any()
    to_edge = -position[below] * [1.0, 0.0, 1.0]
    np.testing.assert_allclose(
        run.frames.normal[:, LEGS][below], to_edge / np.linalg.norm(to_edge, axis=1)[:, None], atol=2e-9
    )
