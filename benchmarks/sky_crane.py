"""How many times faster than real time the sky crane runs, by processor time on one thread, and how fast in batches.

Compiled and Python controller over the same 45 s; then, with --runs, many landings with each run's own noise, on any
device, outcomes and instants of detection beside the speed.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

import planetfall
from planetfall.engine.build import Model, build
from planetfall.engine.run import run_batch
from planetfall.engine.state.result import BatchResult
from planetfall.flight.controller import Controller
from planetfall.outcome import Outcome

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from skycrane_controller import sky_crane

STEP = {"integrator.step": 1.0 / 1024.0}
"""That of all figures so far; the scenario's own is a quarter of it."""


def once(
    model: Model, n: int, threads: int | None, controller: Controller | None = None
) -> tuple[float, float, BatchResult]:
    """Processor and wall time [s] of n runs."""
    states = np.tile(model.initial_state, (n, 1))
    start = time.process_time(), time.perf_counter()
    result = run_batch(model, states, threads=threads, controller=controller)
    return time.process_time() - start[0], time.perf_counter() - start[1], result


def real_time(form: str, rounds: int) -> None:
    """Best round of one run, with the compiled sequence or the example's controller in Python."""
    scenario = planetfall.load("msl-skycrane").with_values(STEP)
    flown = scenario if form == "compiled" else scenario.with_values({"flight": {"controller": "own", "rate": 64.0}})
    model = build(flown, is_recorded=False)
    controllers = [None if form == "compiled" else sky_crane(scenario) for _ in range(rounds + 1)]
    once(model, 1, 1, controllers.pop())  # compiles
    taken = min(once(model, 1, 1, controller)[0] for controller in controllers)
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
