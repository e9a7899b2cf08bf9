"""Time of a step on a distance field over its resolution: a ball of 1 km as 32 to 512 cells across.

    python benchmarks/sdf_resolution.py [--device cuda:0] [--runs 64] [--rounds 5]

Cubes with eight points stand all over the ball, on four of them, or fly over it, RK4. The time is that of the
process on a CPU, that of the clock on a CUDA device; rounds are interleaved and the best of each counts. Prints
`name.metric value`.
"""

import argparse
import time

import numpy as np
import warp as wp

from planetfall.engine.build import Model, build
from planetfall.engine.run import run_batch
from planetfall.outcome import Outcome
from planetfall.scenario.files.load import scenario_from_dict

RADIUS, GRAVITY, STEP = 500.0, 5.8e-3, 0.002
SUNK = -1.2 * GRAVITY / (4.0 * 250.0)
"""How deep the weight of a cube of 1.2 kg presses four corners of 250 N/m [m], taken negative."""
CELLS = (32, 64, 128, 256, 512)


def made(cells: int, duration: float, device: str) -> Model:
    """A cube on a ball of so many cells across."""
    return build(
        scenario_from_dict(
            {
                "scenario": {"name": "resolution", "duration": duration},
                "target": {"name": "ball", "gm": GRAVITY * RADIUS**2, "frame": "P"},
                "gravity": {"model": "point"},
                "terrain": {
                    "model": "sdf", "shape": "sphere", "half_sizes": [RADIUS] * 3, "resolution": 2.0 * RADIUS / cells,
                },
                "vehicle": {"name": "cube"},
                "contact": {"law": "distributed", "stiffness": 250.0, "damping": 14.0, "friction": 0.5},
                "initial": {"position": [0.0, 0.0, 1.001 * RADIUS]},
                "integrator": {"method": "rk4", "step": STEP, "accept_step": True},
                "outcome": {"stop_at_rest": False, "overturn_angle_deg": 180.0},
            }
        ),
        device,
        is_recorded=False,
    )  # fmt: skip


def starts(model: Model, n_runs: int, height: float) -> np.ndarray:
    """States [run, 13] of cubes all over the ball, along the ground, their lower faces `height` [m] over it."""
    rng = np.random.default_rng(0)
    away = rng.normal(size=(n_runs, 3))
    away /= np.linalg.norm(away, axis=1)[:, None]
    feet, normals = away * RADIUS, away
    for _ in range(5):  # onto the interpolated surface
        gaps, normals, _ = model.surface.ask(feet)
        feet = feet - normals * (gaps / np.sum(normals**2, axis=1))[:, None]
    up = normals / np.linalg.norm(normals, axis=1)[:, None]
    half = np.column_stack([-up[:, 1], up[:, 0], np.zeros(n_runs), 1.0 + up[:, 2]])
    quaternions = half / np.linalg.norm(half, axis=1)[:, None]
    return np.hstack([feet + up * (0.1 + height), np.zeros((n_runs, 3)), quaternions, np.zeros((n_runs, 3))])


def main() -> None:
    """Times every resolution in turn, several times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--runs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    clock = time.process_time if options.device == "cpu" else time.perf_counter
    models = {cells: made(cells, options.steps * STEP, options.device) for cells in CELLS}
    for case, height in (("standing", SUNK), ("flying", 1.0)):
        states = {cells: starts(model, options.runs, height) for cells, model in models.items()}
        best, loads = dict.fromkeys(CELLS, np.inf), dict.fromkeys(CELLS, 0.0)
        for i in range(options.rounds + 1):
            for cells, model in models.items():
                begun = clock()
                found = run_batch(model, states[cells], threads=1)
                wp.synchronize_device(options.device)
                if i:  # the first compiles
                    best[cells] = min(best[cells], (clock() - begun) / (options.runs * options.steps))
                assert np.all(found.status != Outcome.diverged)
                loads[cells] = float(np.mean(found.peak > 0.0)) * found.peak.shape[1]
        for cells, seconds in best.items():
            terrain = models[cells].params.terrain
            print(
                f"{case}_{cells}.ns_per_step {seconds * 1e9:.4g}   of_finest {seconds / best[CELLS[-1]]:.3f}   "
                f"points_touching {loads[cells]:.2f}   values {terrain.grid.values.size}"
            )


if __name__ == "__main__":
    main()
