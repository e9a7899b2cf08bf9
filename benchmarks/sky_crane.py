"""How many times faster than real time the sky crane runs, by processor time on one thread, and how fast in batches.

Compiled and Python controller over the same 45 s; then, with --runs, many landings with each run's own noise, on any
device, outcomes and instants of detection beside the speed.
"""

import argparse
import time
from collections import Counter

import numpy as np

import planetfall
from planetfall.engine.build import Model, build
from planetfall.engine.run import run_batch
from planetfall.engine.state.result import BatchResult
from planetfall.outcome import Outcome

STEP = {"integrator.step": 1.0 / 1024.0}
"""That of all figures so far; the scenario's own is a quarter of it."""


def once(model: Model, n: int, threads: int | None) -> tuple[float, float, BatchResult]:
    """Processor and wall time [s] of n runs."""
    states = np.tile(model.initial_state, (n, 1))
    start = time.process_time(), time.perf_counter()
    result = run_batch(model, states, threads=threads)
    return time.process_time() - start[0], time.perf_counter() - start[1], result


def real_time(form: str, rounds: int) -> None:
    """Best round of one run."""
    scenario = planetfall.load("msl-skycrane").with_values({"flight.form": form, **STEP})
    model = build(scenario, is_recorded=False)
    once(model, 1, 1)  # compiles
    taken = min(once(model, 1, 1)[0] for _ in range(rounds))
    print(f"sky_crane.{form}.times_real_time {scenario.scenario.duration / taken:.0f}   cpu_s {taken:.3f}")


def batch(n: int, device: str) -> None:
    """Many landings."""
    model = build(planetfall.load("msl-skycrane").with_values(STEP), device, is_recorded=False)
    start = time.perf_counter()
    once(model, 2, None)
    print(f"sky_crane.batch.compile_s {time.perf_counter() - start:.1f}")
    _, wall, result = once(model, n, None)
    steps = int(result.steps.sum())
    outcomes = Counter(Outcome(int(code)).name for code in result.status)
    delay = result.detected - np.nanmin(result.first_touch, axis=1)
    print(f"sky_crane.batch.wall_s {wall:.2f}   runs {n}   steps_per_s {steps / wall:.3e}")
    print(f"sky_crane.batch.outcomes {dict(outcomes)}   delay_s {np.min(delay):.3f} to {np.max(delay):.3f}")


def main() -> None:
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=0, help="landings of a batch; 0 for none")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    for form in ("compiled", "python"):
        real_time(form, options.rounds)
    if options.runs:
        batch(options.runs, options.device)


if __name__ == "__main__":
    main()
