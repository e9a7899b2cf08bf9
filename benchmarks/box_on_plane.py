"""Steps per second of a box on a plane: ours against MuJoCo's, one core, the same box, step and starts.

    .venv/bin/python benchmarks/box_on_plane.py [--rounds 7]

The rounds of all contestants are interleaved, and the best of each counts, so that what else the machine does falls on
all alike. Compile time is not in the figures. Prints `name.metric value`, then the ratios.
"""

import argparse
import time
from collections.abc import Callable

import mujoco
import numpy as np
import warp as wp
from mujoco import rollout

from planetfall import load
from planetfall.cli.landing.bench import spread_states
from planetfall.engine.build import Model, build
from planetfall.engine.kernel import kernel_of
from planetfall.engine.run import run_batch
from planetfall.outcome import Outcome

N_RUNS = 64
N_STEPS_MUJOCO = 400

XML = """
<mujoco>
  <option timestep="{step}" gravity="0 0 -{gravity}" integrator="{integrator}"/>
  <worldbody>
    <geom type="plane" size="0 0 1" friction="0.6 0 0"/>
    <body pos="0 0 0.3">
      <freejoint/>
      <inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia}"/>
      <geom type="box" size="0.05 0.05 0.05" friction="0.6 0 0" solref="-50 -2"/>
    </body>
  </worldbody>
</mujoco>
"""


def mujoco_case(model: Model, integrator: str, states: np.ndarray) -> Callable[[], float]:
    """A function that runs MuJoCo once and gives its steps per second."""
    scenario = model.scenario
    inertia = " ".join(str(scenario.vehicle.inertia[i][i]) for i in range(3))
    xml = XML.format(
        step=scenario.integrator.step, gravity=scenario.gravity.acceleration, mass=scenario.vehicle.mass,
        inertia=inertia, integrator=integrator,
    )  # fmt: skip
    peer = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(peer)
    # from above the ground at -5 cm, where four corners touch at once and stay: the state most of a landing is spent in
    start = np.zeros((len(states), mujoco.mj_stateSize(peer, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    start[:, 1:4] = [0.0, 0.0, 0.0495]
    start[:, 4] = 1.0

    def once() -> float:
        begin = time.perf_counter()
        rollout.rollout(peer, data, start, nstep=N_STEPS_MUJOCO)
        return len(states) * N_STEPS_MUJOCO / (time.perf_counter() - begin)

    once()
    assert data.ncon == 4, "MuJoCo's box should stand on its four corners"
    return once


def planetfall_case(model: Model, states: np.ndarray, threads: int) -> Callable[[], float]:
    """A function that runs our batch once and gives its steps per second."""

    def once() -> float:
        begin = time.perf_counter()
        result = run_batch(model, states, threads=threads)
        rate = int(result.steps.sum()) / (time.perf_counter() - begin)
        assert np.all(result.status == Outcome.settled), "every box should stay standing"
        return rate

    once()
    return once


def main() -> None:
    """Runs all contestants in turn and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    standing = load("box-bench").with_values({"initial.height": 0.0495, "initial.velocity": [0.0, 0.0, 0.0]})
    model = build(standing.with_values({"initial.angular_velocity": [0.0, 0.0, 0.0]}), is_recorded=False)
    begin = time.perf_counter()
    wp.load_module(kernel_of(model.assembly).module, device="cpu")
    print(f"planetfall.compile_s {time.perf_counter() - begin:.2f}")
    states = np.tile(model.initial_state, (N_RUNS, 1))
    bouncing = build(load("box-bench"), is_recorded=False)
    cases = {
        "planetfall_rk4": planetfall_case(model, states, 1),
        "planetfall_rk4_two_threads": planetfall_case(model, states, 2),
        "mujoco_euler": mujoco_case(model, "Euler", states),
        "mujoco_rk4": mujoco_case(model, "RK4", states),
    }
    best = dict.fromkeys(cases, 0.0)
    for _ in range(rounds):
        for name, once in cases.items():
            best[name] = max(best[name], once())
    for name, rate in best.items():
        print(f"{name}.steps_per_s {rate:.4g}   us_per_step {1e6 / rate:.3f}")
    ours = best["planetfall_rk4"]
    print(f"ratio.to_mujoco_euler {ours / best['mujoco_euler']:.1f}")
    print(f"ratio.to_mujoco_rk4 {ours / best['mujoco_rk4']:.1f}")
    print(f"ratio.two_threads {best['planetfall_rk4_two_threads'] / ours:.2f}")
    spread = run_batch(bouncing, spread_states(bouncing.initial_state, N_RUNS), threads=1)
    counts = {Outcome(int(code)).name: int(np.sum(spread.status == code)) for code in np.unique(spread.status)}
    print(f"bouncing.outcomes {counts}")


if __name__ == "__main__":
    main()
