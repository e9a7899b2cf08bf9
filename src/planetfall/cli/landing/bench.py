"""`planetfall bench`."""

import json
import os
import time

import numpy as np

from planetfall.cli.terminal.console import progress_bar
from planetfall.cli.terminal.inputs import scenario_with_sets
from planetfall.outcome import Outcome


def bench_scenario(name: str, sets: list[str], n: int, threads: int | None, device: str, as_json: bool) -> None:
    """Times a batch of a scenario with slightly different starts: compile, build and run apart."""
    scenario = scenario_with_sets(name, sets)
    from planetfall.engine.build import build
    from planetfall.engine.gpu.cpu_offload import load_host_kernel, runs_for_host
    from planetfall.engine.kernel import block_of, kernel_of, load_kernel
    from planetfall.engine.run import run_batch

    start = time.perf_counter()
    model = build(scenario, device, is_recorded=False)
    built = time.perf_counter()
    block = block_of(model, n)
    load_kernel(kernel_of(model.assembly, block=block), device, block)
    if runs_for_host(model, n, threads or os.cpu_count() or 1):
        load_host_kernel(model, False)
    compiled = time.perf_counter()
    states = spread_states(model.initial_state, n)
    with progress_bar("bench") as progress:
        result = run_batch(model, states, threads=threads, progress=progress)
    done = time.perf_counter()
    counts = {
        Outcome(code).name: int(count)
        for code, count in zip(*np.unique(result.status, return_counts=True), strict=True)
    }
    figures = {
        f"{name}.trajectories": n,
        f"{name}.build_s": built - start,
        f"{name}.compile_s": compiled - built,
        f"{name}.run_s": done - compiled,
        f"{name}.steps_per_s": float(result.steps.sum(dtype=np.int64)) / (done - compiled),
        f"{name}.trajectories_per_s": n / (done - compiled),
        f"{name}.outcomes": counts,
    }
    if as_json:
        print(json.dumps(figures, indent=2))
        return
    for key, value in figures.items():
        print(f"{key} {value:.6g}" if isinstance(value, float) else f"{key} {value}")


def spread_states(state: np.ndarray, n: int) -> np.ndarray:
    """`n` starts about one: velocity and spin spread by a tenth of the speed, run i always the same."""
    spread = 0.1 * max(float(np.linalg.norm(state[3:6])), 0.1)
    states = np.tile(state, (n, 1))
    for i in range(n):
        draw = np.random.Generator(np.random.Philox(key=i)).normal(size=6)
        states[i, 3:6] += spread * draw[:3]
        states[i, 10:13] += draw[3:]
    return states
