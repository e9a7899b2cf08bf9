"""`minerva-67p` on ground of coarser cells: it comes to rest on the comet, and no slide stops at a face of a cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh
import warp as wp
from scipy.spatial.transform import Rotation

import planetfall
from planetfall.contact.model import MODE_APART
from planetfall.engine.build import Model, build
from planetfall.engine.launch.batch_on_device import MAX_EVENTS, BatchOnDevice, make_machine
from planetfall.engine.run import run_batch, run_recorded
from planetfall.outcome import Outcome
from planetfall.world.shape.made_shapes import made_shape
from planetfall.world.terrain.sdf.build import ground_margin
from support.hoppers import COARSE, hopper, releases


def test_hoppers_come_to_rest_on_the_comet() -> None:
    """Four releases, 20 mm/s apart: all settle, in tens of thousands of steps, slower than the rules of rest.

    Before switches were located by the roundings of the position, a slide stood at a face of a cell with steps of
    1e-11 s, and did not end.
    """
    model = build(planetfall.load("minerva-67p").with_values(COARSE))  # recorded: the kernel of `planetfall run`
    found = run_batch(model, releases(model))
    assert list(found.status) == [Outcome.settled] * 4
    assert found.steps.max() < 100_000
    gaps = model.surface.ask(found.state[:, :3])[0]
    assert np.all((gaps > 0.0) & (gaps < 0.1))  # the centre of mass lies within half a diameter of the ground
    assert np.linalg.norm(found.state[:, 3:6], axis=1).max() < 1e-4


BY_WHOLE_STEPS = {"outcome.overturn_angle_deg": 179.999}
"""A run that watches the vehicle's tilt does not leap; at this angle it changes nothing else."""
TUMBLING = {
    "initial.angular_velocity": [1.0, -0.2, 0.5],
    "vehicle.inertia": [[0.003, 0.0, 0.0], [0.0, 0.004, 0.0], [0.0, 0.0, 0.005]],
}


def test_leaps_go_where_whole_steps_go() -> None:
    """A tumbling body of three different moments: same first touch and attitude there, a tenth of the steps.

    Errors of up to 1e-8 a step add up over the 9,642 whole steps: to 1e-4 if all were alike, to 1e-6 if random.
    """
    scenario = planetfall.load("minerva-67p").with_values({**COARSE, **TUMBLING, "scenario.duration": 1500.0})
    coasting, stepping = (build(scenario.with_values(values)) for values in ({}, BY_WHOLE_STEPS))
    assert coasting.assembly is stepping.assembly or coasting.assembly == stepping.assembly
    short, long = run_batch(coasting, releases(coasting)), run_batch(stepping, releases(stepping))
    assert np.all(10 * short.steps < long.steps)
    assert short.state == pytest.approx(long.state, abs=1e-5, rel=0.0)


def test_leaps_keep_angular_momentum_and_energy() -> None:
    """Inertial angular momentum, its direction too, and the energy of turning, over 1,500 s of 1.1 rad/s."""
    scenario = planetfall.load("minerva-67p").with_values({**COARSE, **TUMBLING, "scenario.duration": 1500.0})
    model = build(scenario)
    run = run_batch(model, model.initial_state[None, :])
    before, after = (turning_of(model, *values) for values in ((0.0, model.initial_state), (1500.0, run.state[0])))
    assert after[0] == pytest.approx(before[0], abs=1e-8 * np.linalg.norm(before[0]))
    assert after[1] == pytest.approx(before[1], rel=1e-8)


def test_frames_inside_a_leap_lie_on_the_path() -> None:
    """Frames every 7 s, in coasts of up to 20 s, are where a run that ends there ends; and chunks change nothing."""
    values = {**COARSE, **TUMBLING, "record.interval": 7.0, "scenario.duration": 210.0}
    scenario = planetfall.load("minerva-67p").with_values(values)
    model = build(scenario)
    whole = run_recorded(model, chunk_steps=3)
    assert whole.end.steps[0] < 40
    assert np.array_equal(whole.end.state, run_recorded(model).end.state)
    ended = run_recorded(build(scenario.with_values({"scenario.duration": 147.0})))
    frame = whole.frames.state[np.searchsorted(whole.frames.time, 147.0 - 1e-9)]
    assert frame[:13] == pytest.approx(ended.end.state[0], abs=1e-7)


def turning_of(model: Model, time: float, state: np.ndarray) -> tuple[np.ndarray, float]:
    """Angular momentum [N m s] in inertial axes and energy of turning [J]."""
    spin = np.array(model.params.frame.omega)
    to_surface = Rotation.from_quat(state[6:10])
    omega = state[10:13] + to_surface.inv().apply(spin)
    momentum = np.array(model.scenario.vehicle.inertia) @ omega
    return Rotation.from_rotvec(spin * time).apply(to_surface.apply(momentum)), 0.5 * float(omega @ momentum)


def test_points_left_out_of_a_step_change_nothing() -> None:
    """With every point queried in every step (no broad phase), flight and first touch have the same bits.

    In contact a point that is asked may only move where a graze is looked for, and with it the steps: what that changes
    is what a tolerance of 1e-8 leaves, here 2e-5 in a run of 18 touches in 40 s, each of which makes it grow.
    """
    scenario = planetfall.load("minerva-67p").with_values({**COARSE, **BY_WHOLE_STEPS, "scenario.duration": 1650.0})
    model = build(scenario)
    blind = build(scenario, surface=replace(model.surface, model=replace(model.surface.model, steepness=None)))
    assert model.assembly.plan.culls and not blind.assembly.plan.culls
    few, all_points = run_batch(model, releases(model)), run_batch(blind, releases(model))
    assert np.array_equal(np.nanmin(few.first_touch, axis=1), np.nanmin(all_points.first_touch, axis=1))
    assert few.touches.sum() > 10
    assert few.state == pytest.approx(all_points.state, abs=3e-5, rel=0.0)


def known_at_start(machine: BatchOnDevice) -> np.ndarray:
    """Points [point, run] of which it is known how far they are apart where the step begins."""
    batch, runs = machine.batch, np.arange(machine.n_runs)
    rows = batch.start.numpy() + np.arange(machine.model.assembly.n_points)[:, None]
    return batch.gap_samples.numpy()["trial"][rows, runs] == batch.taken.numpy()


def test_no_point_is_nearer_than_its_list_says() -> None:
    """Every ten steps, through coasts and bounces: what is left of each gap by the lists is no more than the gap.

    To 1e-9 m, far more than the sums of ways are rounded to. After a leap nothing counts as seen from here.
    """
    model = hopper()
    machine = make_machine(model, releases(model), None)
    points, m = model.params.points_B.numpy(), machine.batch.monitors
    live = wp.array(np.arange(machine.n_runs), dtype=wp.int32, device="cpu")
    n_coasted, n_queried, n_known = 0, 0, 0
    while np.any(machine.batch.status.numpy() == Outcome.running):
        inputs = [machine.batch, machine.params, machine.record, live, 10, MAX_EVENTS]
        wp.launch(machine.kernel, machine.n_runs, inputs=inputs, device="cpu")
        left, has_coasted = m.until.numpy() - m.travel.numpy(), m.has_coasted.numpy() == 1
        assert not np.any(known_at_start(machine) & has_coasted)
        for i, state in enumerate(machine.batch.state.numpy()[:, :13]):
            gaps = model.surface.ask(state[:3] + Rotation.from_quat(state[6:10]).apply(points))[0]
            is_apart = m.memory.modes.numpy()[:, i] == MODE_APART
            if not has_coasted[i]:
                assert np.all(left[is_apart, i] <= gaps[is_apart] + 1e-9)
                n_queried += int(np.sum(left[is_apart, i] > 0.0))
        n_coasted += int(has_coasted.sum())
        n_known += int(known_at_start(machine).sum())
    assert n_coasted > 10 and n_queried > 100 and n_known > 100 and m.touches.numpy().sum() > 10


def test_sunlight_along_a_descent_to_the_comet() -> None:
    """`minerva-67p` for its first quarter of an hour, from 390 m on: every frame against feet over all 20,480 facets.

    In flight the normal is along the line to the nearest point, to rounding, once the roughness is two margins below.
    """
    values = {**COARSE, "scenario.duration": 900.0, "record.interval": 60.0, "target.sun_direction": [0.6, -0.64, 0.48]}
    run = planetfall.run(planetfall.load("minerva-67p").with_values(values))
    comet, data = made_shape("bilobed-comet"), run.data
    corners, places = comet.vertices[comet.facets], data.position.values[:, 0]
    lines = np.array([place - nearest_of(corners, place) for place in places])
    heights = np.linalg.norm(lines, axis=1)
    assert heights.min() > 2.0 * ground_margin(None, COARSE["terrain.resolution"])
    towards = Rotation.from_quat(data.target_quaternion.values).inv().apply([0.6, -0.64, 0.48])
    cosine = np.einsum("ni,ni->n", lines, towards) / heights
    np.testing.assert_allclose(np.cos(data.solar_incidence.values), cosine, atol=1e-12)
    assert run.summary["solar_incidence_deg"] == pytest.approx(np.degrees(np.arccos(cosine[-1])), abs=1e-6)
    assert len(set(np.round(data.solar_incidence.values, 6))) > 10  # it is not one constant number


def nearest_of(corners: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Nearest point of all triangles [facet, 3, 3] [m]."""
    near = trimesh.triangles.closest_point(corners, np.broadcast_to(place, (len(corners), 3)))
    return near[np.argmin(np.sum((near - place) ** 2, axis=1))]
