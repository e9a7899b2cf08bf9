"""Trajectory-steps per second of a cube of eight vertices on a distance field, RK4, float64, over what makes it dear.

    python benchmarks/field_steps.py [--device cuda:0] [--runs 200000] [--save FILE | --compare FILE]

The ground is a plane for reference, or a ball of 4 km: bare (`field`), with gravity from a baked grid (`grid`), with
noise of five octaves (`noise`). Cubes stand on it with four corners, fly low over it, or fall on it spinning. `small`
is a landing: cubes of 0.1 m let go 0.3 m over a turning ball of 2 km with cells of 19 m, steps of 0.01 s.

The rate is from start states on the host to results on the host; `kernel` is the launch alone, and compile time is
apart; `in_contact` is the share of instants at which the first runs touch the ground. `--save` writes where the first
runs ended; with `--compare`, a run on another device says how far off they are. Prints `name.metric value`.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp
from scipy.spatial import ConvexHull

from planetfall.contact.model import MODE_APART
from planetfall.engine.build import Model, build
from planetfall.engine.kernel import block_of, kernel_of, load_kernel
from planetfall.engine.launch.batch_on_device import MAX_EVENTS, make_machine
from planetfall.engine.run import run_batch
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.world.gravity.grid.build import grid_field
from planetfall.world.gravity.grid.grid import GRAVITY_GRID

RADIUS, GRAVITY, STEP, CELLS = 2000.0, 1.1e-3, 0.002, 256
MASS, HALF_EDGE, STIFFNESS = 1.2, 0.1, 250.0
"""Of the library's cube, and of each of its corners."""
CASES = ("plane", "field", "grid", "noise", "small")
MOTIONS = ("standing", "flying", "tumbling")
N_KEPT = 64
"""Runs whose ends are saved and compared."""
N_LOOKS = 100
"""Instants, evenly spread, at which it is looked who touches the ground."""
SMALL_RADIUS, SMALL_CELL, SMALL_STEP, DENSITY, TURN = 1000.0, 18.75, 0.01, 2000.0, 36000.0
"""Of the ball of a landing [m], [m], [s], [kg/m^3], [s]."""


def motions_of(case: str, wanted: Sequence[str] = MOTIONS) -> Sequence[str]:
    """What cubes do on a ground."""
    return ("landing",) if case == "small" else wanted


def step_of(case: str) -> float:
    """Length of a step [s]."""
    return SMALL_STEP if case == "small" else STEP


def scenario(case: str, duration: float) -> dict[str, Any]:
    """A cube over a plane or a ball, as a scenario's tables."""
    return small_scenario(duration) if case == "small" else large_scenario(case, duration)


def small_scenario(duration: float) -> dict[str, Any]:
    """A cube of 0.1 m, heavier on one side than on another, over a ball that turns in ten hours."""
    gm = 6.674e-11 * DENSITY * 4.0 / 3.0 * np.pi * SMALL_RADIUS**3
    corners = [[x, y, z] for x in (-0.05, 0.05) for y in (-0.05, 0.05) for z in (-0.05, 0.05)]
    return {
        "scenario": {"name": "field-landing", "duration": duration},
        "target": {"name": "ball", "gm": gm, "spin_rate": 2.0 * np.pi / TURN, "frame": "P"},
        "gravity": {"model": "point"},
        "terrain": {"model": "sdf", "shape": "sphere", "half_sizes": [SMALL_RADIUS] * 3, "resolution": SMALL_CELL},
        "vehicle": {
            "name": "small cube", "mass": MASS, "inertia": [0.002, 0.003, 0.004],
            "points": [{"name": f"corner {i}", "position": corner} for i, corner in enumerate(corners)],
        },
        "contact": {
            "law": "distributed", "stiffness": 50.0, "damping": 2.0, "friction": 0.6, "rolling_resistance": 0.01,
            "slip_speed": 1e-3, "roll_rate": 1e-2,
        },
        "initial": {"position": [0.0, 0.0, SMALL_RADIUS + 1.0]},
        "integrator": {"method": "rk4", "step": SMALL_STEP, "accept_step": True},
        "outcome": {"stop_at_rest": False, "overturn_angle_deg": 180.0},
    }  # fmt: skip


def large_scenario(case: str, duration: float) -> dict[str, Any]:
    """The library's cube over a plane or a ball of 4 km that does not turn."""
    ball: dict[str, Any] = {
        "model": "sdf", "shape": "sphere", "half_sizes": [RADIUS] * 3, "resolution": 2.0 * RADIUS / CELLS,
    }  # fmt: skip
    if case == "noise":
        ball["noise"] = {"amplitude": 0.05, "wavelength": 5.0, "octaves": 5}
    plane = {"model": "plane", "point": [0.0, 0.0, RADIUS]}
    return {
        "scenario": {"name": "field-steps", "duration": duration},
        "target": {"name": "ball", "gm": GRAVITY * RADIUS**2, "frame": "P"},
        "gravity": {"model": "point"},
        "terrain": plane if case == "plane" else ball,
        "vehicle": {"name": "cube"},
        "contact": {"law": "distributed", "stiffness": STIFFNESS, "damping": 14.0, "friction": 0.5},
        "initial": {"position": [0.0, 0.0, 1.001 * RADIUS]},
        "integrator": {"method": "rk4", "step": STEP, "accept_step": True},
        "outcome": {"stop_at_rest": False, "overturn_angle_deg": 180.0},
    }


def made(case: str, duration: float, device: str) -> Model:
    """The model of a case, its gravity baked where that is asked for."""
    model = build(scenario_from_dict(scenario(case, duration)), device, is_recorded=False)
    if case != "grid":
        return model
    baked = grid_field(*ball_mesh(2000), device, spacing=RADIUS / 20.0, gm=GRAVITY * RADIUS**2)
    assembly = replace(model.assembly, gravity=GRAVITY_GRID)
    params = assembly.params()
    for name in params._cls.vars:
        setattr(params, name, baked.params if name == "gravity" else getattr(model.params, name))
    return replace(model, assembly=assembly, params=params)


def ball_mesh(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [m] and facets of a ball with so many vertices, spread evenly along a spiral."""
    z = 1.0 - (2.0 * np.arange(n) + 1.0) / n
    turn = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(n)
    vertices = RADIUS * np.column_stack([np.sqrt(1.0 - z**2) * np.cos(turn), np.sqrt(1.0 - z**2) * np.sin(turn), z])
    facets = ConvexHull(vertices).simplices
    a, b, c = (vertices[facets[:, k]] for k in range(3))
    is_inward = np.einsum("ni,ni->n", np.cross(b - a, c - a), a) < 0.0
    facets[is_inward] = facets[is_inward][:, ::-1]
    return vertices, facets


def releases(n_runs: int) -> np.ndarray:
    """States [run, 13] of cubes let go all over the small ball, falling slowly and turning.

    All lie alike in space, and so in every attitude to the ground.
    """
    drawn = np.random.default_rng(0).normal(size=(n_runs, 9))
    up = drawn[:, :3] / np.linalg.norm(drawn[:, :3], axis=1)[:, None]
    velocities, spins = -0.05 * up + 0.02 * drawn[:, 3:6], 0.2 * drawn[:, 6:]
    return np.hstack([(SMALL_RADIUS + 0.3) * up, velocities, np.tile([0.0, 0.0, 0.0, 1.0], (n_runs, 1)), spins])


def starts(model: Model, case: str, motion: str, n_runs: int) -> np.ndarray:
    """States [run, 13] of cubes all over the ball, or in one place of the plane, along the ground or turned at random.

    Those that stand are as deep in the ground as their weight presses them, with four corners.
    """
    if motion == "landing":
        return releases(n_runs)
    drawn = np.random.default_rng(0).normal(size=(n_runs, 10))  # run by run: the first ones are the same in any batch
    away = drawn[:, :3] if case != "plane" else np.tile([0.0, 0.0, 1.0], (n_runs, 1))
    away = away / np.linalg.norm(away, axis=1)[:, None]
    feet, normals = away * RADIUS, away
    for _ in range(0 if case == "plane" else 5):  # onto the interpolated surface
        gaps, normals, _ = model.surface.ask(feet)
        feet = feet - normals * (gaps / np.sum(normals**2, axis=1))[:, None]
    up = normals / np.linalg.norm(normals, axis=1)[:, None]
    half = np.column_stack([-up[:, 1], up[:, 0], np.zeros(n_runs), 1.0 + up[:, 2]])
    quaternions, spins = half / np.linalg.norm(half, axis=1)[:, None], np.zeros((n_runs, 3))
    sunk = HALF_EDGE - MASS * GRAVITY / (4.0 * STIFFNESS)
    height, speed = {"standing": (sunk, 0.0), "flying": (1.0, 0.0), "tumbling": (0.2, 0.05)}[motion]
    if motion == "tumbling":
        quaternions = drawn[:, 3:7] / np.linalg.norm(drawn[:, 3:7], axis=1)[:, None]
        spins = drawn[:, 7:]
    return np.hstack([feet + up * height, -speed * up, quaternions, spins])


def timed(model: Model, states: np.ndarray, repeats: int) -> tuple[float, Any]:
    """Steps per second, the best of some tries, and what the last one found."""
    rates, found = [], None
    for _ in range(repeats):
        wp.synchronize_device(model.device)
        begun = time.perf_counter()
        found = run_batch(model, states)
        rates.append(int(found.steps.sum(dtype=np.int64)) / (time.perf_counter() - begun))
    return max(rates), found


def kernel_rate(model: Model, states: np.ndarray, steps: int) -> float:
    """Steps per second of one launch of so many steps, on one thread of a CPU."""
    machine, n_runs = make_machine(model, states, None), len(states)
    live = wp.array(np.arange(n_runs), dtype=wp.int32, device=model.device)
    inputs = [machine.batch, machine.params, machine.record, live, steps, MAX_EVENTS]
    wp.synchronize_device(model.device)
    begun = time.perf_counter()
    wp.launch(machine.kernel, n_runs, inputs=inputs, device=model.device, block_dim=machine.block)
    wp.synchronize_device(model.device)
    return int(machine.batch.steps.numpy().sum(dtype=np.int64)) / (time.perf_counter() - begun)


def contact_share(model: Model, states: np.ndarray, steps: int) -> float:
    """Share of instants at which a run touches the ground, looked at `N_LOOKS` times on the way."""
    machine, n_runs = make_machine(model, states, None), len(states)
    live = wp.array(np.arange(n_runs), dtype=wp.int32, device=model.device)
    stride, shares = max(1, steps // N_LOOKS), []
    for _ in range(steps // stride):
        inputs = [machine.batch, machine.params, machine.record, live, stride, MAX_EVENTS]
        wp.launch(machine.kernel, n_runs, inputs=inputs, device=model.device, block_dim=machine.block)
        shares.append(np.mean(np.any(machine.batch.monitors.memory.modes.numpy() != MODE_APART, axis=0)))
    return float(np.mean(shares))


def main() -> None:
    """Times every case and motion."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--runs", type=int, default=N_KEPT)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--motions", nargs="+", choices=MOTIONS, default=list(MOTIONS))
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--save", type=Path)
    group.add_argument("--compare", type=Path)
    options = parser.parse_args()
    ends: dict[str, np.ndarray] = {}
    known = np.load(options.compare) if options.compare else {}
    for case in options.cases:
        model = made(case, options.steps * step_of(case), options.device)
        begun = time.perf_counter()
        block = block_of(model, options.runs)
        load_kernel(kernel_of(model.assembly, block=block), options.device, block)
        print(f"{case}.compile_s {time.perf_counter() - begun:.2f}", flush=True)
        for motion in motions_of(case, options.motions):
            states = starts(model, case, motion, options.runs)
            rate, found = timed(model, states, options.repeats)
            alone = kernel_rate(model, states, options.steps)
            name, touched = f"{case}_{motion}", float(np.mean(found.peak > 0.0)) * found.peak.shape[1]
            share = contact_share(model, states[:N_KEPT], options.steps)
            ends[name] = found.state[:N_KEPT]
            off = f"   off {np.abs(ends[name] - known[name]).max():.2g}" if name in known else ""
            print(
                f"{name}.steps_per_s {rate:.4g}   kernel {alone:.4g}   touched {touched:.2f}   "
                f"in_contact {share:.2f}   outcomes {np.bincount(found.status).tolist()}{off}",
                flush=True,
            )
    if options.save:
        np.savez_compressed(options.save, **ends)


if __name__ == "__main__":
    main()
