"""Trajectory-steps per second of a box on a plane on a CUDA device, over batch sizes.

    python benchmarks/cuda_box.py [--device cuda:0] [--runs 2000 20000 200000 500000]

`standing` has four corners on the ground all the time, the costliest state; `bouncing` is the whole landing of
box-bench with spread starts. Compile time is apart. Prints `name.metric value`.
"""

import argparse
import time

import numpy as np
import warp as wp

from planetfall.engine.build import build
from planetfall.engine.kernel import kernel_of
from planetfall.engine.run import run_batch
from planetfall.scenario import load

STANDING = {
    "initial.height": 0.0495,
    "initial.velocity": [0.0, 0.0, 0.0],
    "initial.angular_velocity": [0.0, 0.0, 0.0],
}


def spread(state: np.ndarray, n: int) -> np.ndarray:
    """Starts with velocities and spins spread about one, all from one seed: a benchmark needs no more."""
    rng = np.random.default_rng(1)
    states = np.tile(state, (n, 1))
    states[:, 3:6] += 0.02 * rng.normal(size=(n, 3))
    states[:, 10:13] += rng.normal(size=(n, 3))
    return states


def main() -> None:
    """Times both cases for each batch size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--runs", type=int, nargs="+", default=[2000, 20000, 200000, 500000])
    options = parser.parse_args()
    for name, values in {"standing": STANDING, "bouncing": {}}.items():
        model = build(load("box-bench").with_values(values), options.device, is_recorded=False)
        begin = time.perf_counter()
        wp.load_module(kernel_of(model.assembly).module, device=options.device)
        print(f"{name}.compile_s {time.perf_counter() - begin:.2f}")
        for n in options.runs:
            states = np.tile(model.initial_state, (n, 1)) if name == "standing" else spread(model.initial_state, n)
            rates = []
            for _ in range(2):
                wp.synchronize()
                begin = time.perf_counter()
                result = run_batch(model, states)
                rates.append(int(result.steps.sum(dtype=np.int64)) / (time.perf_counter() - begin))
            print(
                f"{name}.{n}.steps_per_s {max(rates):.4g}   outcomes {np.bincount(result.status).tolist()}", flush=True
            )


if __name__ == "__main__":
    main()
