"""Steps per second of a box on elevation maps and meshes: against the plane, and against MuJoCo on a height field.

    .venv/bin/python benchmarks/terrain_contact.py [--rounds 9] [--spacing 0.05] [--device cpu]
        [--without-mujoco] [--column]

One thread for all, timed by the CPU time of the process, which others on the machine disturb less than they do the
clock; by the clock on a GPU. The box of box-bench stands on level ground, lands on rough ground (nodes scatter by a
sixth of their spacing, for slopes of some thirteen degrees), and flies high over it; every run has its own place and
heading, so that the corners are anywhere in a facet. The rounds are interleaved; speeds are medians, and so are the
ratios, each of two figures of one round. Compile and build times are apart. With --column maps are also measured by
their columns (`terrain.gap`), and what the nearest point costs beside that is printed. Prints `case.metric value`.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import warp as wp

from planetfall import load
from planetfall.engine.build import Model, build
from planetfall.engine.kernel import kernel_of
from planetfall.engine.run import run_batch
from planetfall.outcome import Outcome
from planetfall.scenario.scenario import Scenario
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.ground import REACH_IN_SINKS
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.surface import Surface

N_RUNS = 64
N_STEPS_MUJOCO = 200
SMALL, LARGE = 72, 708  # nodes along a side: 10,082 and 999,698 facets
ROUGHNESS = 1 / 6
COLUMN = "dem_by_columns"
STANDING = {
    "initial.height": 0.0495,
    "initial.velocity": [0.0, 0.0, 0.0],
    "initial.angular_velocity": [0.0, 0.0, 0.0],
    "scenario.duration": 4.0,
}
CASES = {
    "standing": STANDING,
    "landing": {"initial.height": 0.15, "scenario.duration": 8.0},
    "flight": {"initial.height": 10.0, "initial.velocity": [0.1, 0.0, 0.0], "scenario.duration": 4.0},
}

HFIELD = """
<mujoco>
  <option timestep="{step}" gravity="0 0 -{gravity}" integrator="{integrator}"/>
  <asset><hfield name="ground" nrow="{n}" ncol="{n}" size="{half} {half} {top} 1"/></asset>
  <worldbody>
    <geom type="hfield" hfield="ground" friction="0.6 0 0"/>
    <body pos="0 0 0.3">
      <freejoint/>
      <inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia}"/>
      <geom type="box" size="0.05 0.05 0.05" friction="0.6 0 0" solref="-50 -2"/>
    </body>
  </worldbody>
</mujoco>
"""


def heights(n: int, spacing: float, is_rough: bool) -> np.ndarray:
    """Nodes [n, n] [m]; always the same."""
    return ROUGHNESS * spacing * np.random.default_rng(5).normal(size=(n, n)) if is_rough else np.zeros((n, n))


def grid_mesh(along: np.ndarray, heights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and facets of a grid, two facets per cell."""
    x, y = np.meshgrid(along, along)
    index = np.arange(heights.size).reshape(heights.shape)
    sw, se, ne, nw = (part.ravel() for part in (index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]))
    facets = np.stack([np.column_stack([sw, se, ne]), np.column_stack([sw, ne, nw])], axis=1).reshape(-1, 3)
    return np.column_stack([x.ravel(), y.ravel(), heights.ravel()]), facets


def ground(kind: str, n: int, spacing: float, is_rough: bool, scenario: Scenario, device: str) -> Surface:
    """A map, by the nearest point or by columns, or a mesh of the same nodes."""
    along = (np.arange(n) - (n - 1) / 2) * spacing
    z = heights(n, spacing, is_rough)
    if kind in ("dem", COLUMN):
        gap = "column" if kind == COLUMN else "nearest"
        return dem_surface(z, np.array([along[0], along[0], 0.0]), (spacing, spacing), device, gap=gap)
    return mesh_surface(*grid_mesh(along, z), device, reach=REACH_IN_SINKS * scenario.contact.sink)


def starts(model: Model, n: int, spacing: float, is_spun: bool) -> np.ndarray:
    """States about one, each at its own place and heading, all from one seed."""
    rng = np.random.default_rng(1)
    states = np.tile(model.initial_state, (n, 1))
    states[:, :2] += rng.uniform(-10.0, 10.0, (n, 2)) * spacing
    yaw = rng.uniform(0.0, 2.0 * np.pi, n)
    states[:, 8], states[:, 9] = np.sin(0.5 * yaw), np.cos(0.5 * yaw)
    if is_spun:
        states[:, 3:6] += 0.02 * rng.normal(size=(n, 3))
        states[:, 10:13] += rng.normal(size=(n, 3))
    return states


def planetfall_case(
    name: str, surface: Surface | None, spacing: float, device: str, n_runs: int
) -> Callable[[], float]:
    """A function that runs a batch once and gives its steps per second; says what came of it when made."""
    case = name.split(".")[0]
    scenario = load("box-bench").with_values(CASES[case] | {"outcome.stop_at_rest": False})
    model = build(scenario, device, is_recorded=False, surface=surface)
    begin = time.perf_counter()
    wp.load_module(kernel_of(model.assembly).module, device=device)
    print(f"{name}.compile_s {time.perf_counter() - begin:.2f}")
    states = starts(model, n_runs, spacing, is_spun=case == "landing")
    clock = time.process_time if device == "cpu" else time.perf_counter

    def once() -> float:
        begin = clock()
        result = run_batch(model, states, threads=1)
        return int(result.steps.sum(dtype=np.int64)) / (clock() - begin)

    result = run_batch(model, states, threads=1)
    counts = {Outcome(int(code)).name: int(np.sum(result.status == code)) for code in np.unique(result.status)}
    deepest, touches = 1e3 * float(result.penetration.max()), int(result.touches.sum())
    print(f"{name}.outcomes {counts}   touches {touches}   deepest_mm {deepest:.4f}", flush=True)
    return once


def mujoco_case(integrator: str, spacing: float) -> Callable[[], float]:
    """A function that runs MuJoCo's box, standing on a level height field of the same nodes."""
    import mujoco
    from mujoco import rollout

    scenario = load("box-bench")
    inertia = " ".join(str(scenario.vehicle.inertia[i][i]) for i in range(3))
    half = 0.5 * (LARGE - 1) * spacing
    xml = HFIELD.format(
        step=scenario.integrator.step, gravity=scenario.gravity.acceleration, mass=scenario.vehicle.mass,
        inertia=inertia, integrator=integrator, n=LARGE, half=half, top=0.1,
    )  # fmt: skip
    peer = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(peer)
    rng = np.random.default_rng(1)
    start = np.zeros((N_RUNS, mujoco.mj_stateSize(peer, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    start[:, 1:3] = rng.uniform(-10.0, 10.0, (N_RUNS, 2)) * spacing
    start[:, 3] = 0.0495
    yaw = rng.uniform(0.0, 2.0 * np.pi, N_RUNS)
    start[:, 4], start[:, 7] = np.cos(0.5 * yaw), np.sin(0.5 * yaw)

    def once() -> float:
        begin = time.process_time()
        rollout.rollout(peer, data, start, nstep=N_STEPS_MUJOCO)
        return N_RUNS * N_STEPS_MUJOCO / (time.process_time() - begin)

    once()
    assert data.ncon >= 4, "MuJoCo's box should stand on its corners"
    print(f"mujoco_{integrator.lower()}.contacts {data.ncon}")
    return once


def grounds(spacing: float, device: str, with_columns: bool) -> dict[str, tuple[str, int, bool, Surface | None]]:
    """Grounds by name; building the mesh of a million facets is timed."""
    made: dict[str, tuple[str, int, bool, Surface | None]] = {"plane": ("plane", 0, False, None)}
    scenario = load("box-bench")
    for kind in ("dem", *((COLUMN,) if with_columns else ()), "mesh"):
        for n in (SMALL, LARGE):
            for is_rough in (False, True):
                name = f"{kind}_{'rough' if is_rough else 'level'}_{2 * (n - 1) ** 2}"
                begin = time.perf_counter()
                made[name] = (kind, n, is_rough, ground(kind, n, spacing, is_rough, scenario, device))
                print(f"{name}.build_s {time.perf_counter() - begin:.2f}", flush=True)
    return made


def main() -> None:
    """Runs all contestants in turn and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--spacing", type=float, default=0.05, help="of the nodes [m]; the box has sides of 0.1 m")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--runs", type=int, default=N_RUNS)
    parser.add_argument("--without-mujoco", action="store_true")
    parser.add_argument("--column", action="store_true", help="maps by their columns, too")
    options = parser.parse_args()
    print(f"spacing_m {options.spacing}")
    made = grounds(options.spacing, options.device, options.column)
    contestants: dict[str, Callable[[], float]] = {}
    for case in CASES:
        for name, (_, _, is_rough, surface) in made.items():
            if name != "plane" and is_rough != (case == "landing"):
                continue
            full = f"{case}.{name}"
            contestants[full] = planetfall_case(full, surface, options.spacing, options.device, options.runs)
    if not options.without_mujoco:
        for integrator in ("Euler", "RK4"):
            contestants[f"mujoco_{integrator.lower()}"] = mujoco_case(integrator, options.spacing)
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(options.rounds):
        for name, once in contestants.items():
            rates[name].append(once())
    show(rates)


def show(rates: dict[str, list[float]]) -> None:
    """Prints the medians, and the medians of ratios within a round."""
    for name, seen in rates.items():
        rate = float(np.median(seen))
        print(f"{name}.steps_per_s {rate:.4g}   us_per_step {1e6 / rate:.3f}")

    def ratio(one: str, other: str) -> str:
        each = np.array(rates[one]) / np.array(rates[other])
        return f"{np.median(each):.2f}   rounds {each.min():.2f} to {each.max():.2f}"

    for name in rates:
        case = name.split(".")[0]
        if case in CASES and not name.endswith(".plane"):
            print(f"ratio.plane_to.{name} {ratio(f'{case}.plane', name)}")
    for name in rates:
        if COLUMN in name:
            print(f"ratio.nearest_to_column.{name.replace(COLUMN, 'dem')} {ratio(name, name.replace(COLUMN, 'dem'))}")
    small, large = f"{2 * (SMALL - 1) ** 2}", f"{2 * (LARGE - 1) ** 2}"
    for name in rates:
        if name.endswith(small):
            print(f"growth.{name.removesuffix(small)}from_{small}_to_{large} {ratio(name, name.replace(small, large))}")
    for peer in (name for name in rates if name.startswith("mujoco")):
        for kind in ("dem", "mesh"):
            print(f"ratio.{kind}_to_{peer} {ratio(f'standing.{kind}_level_{large}', peer)}")


if __name__ == "__main__":
    main()
