"""Flights through air beside other programs: what they say, and how long they take, one after the other on one core.

    python benchmarks/entry_peers.py [--amat PYTHON --air FILE] [--jsbsim PYTHON]

PYTHON: the interpreter of an environment in which the peer is installed, with its own pins (`pip install AMAT`, `pip
install jsbsim`). AMAT flies two entries at Mars, point masses through the air of FILE (height, temperature, pressure,
density), which both read: once as it comes, with cubic splines through that table and J3 in its gravity, and once with
the table read linearly and without J3, as here. JSBSim drops its ball from 9144 m over the turning Earth, as check
case 1 of the NESC does. simupy-flight is not among them: pip finds no version of it (`No matching distribution found`).
Times are those of the integration alone, without imports and compilation, the best of five on both sides. Prints
`name.metric value`.
"""

import argparse
import json
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_recorded
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.scenario import Scenario
from planetfall.simulate import trajectory_of

ROUNDS = 5
ENTRIES: dict[str, dict[str, float]] = {
    "viking": {"m": 980.0, "beta": 63.0, "LD": 0.18, "RN": 0.88, "lat": 22.3, "lon": -48.0, "v": 4420.0, "g": -16.99},
    "msl": {"m": 3257.0, "beta": 146.0, "LD": 0.24, "RN": 1.125, "lat": -3.9, "lon": 126.7, "v": 5845.0, "g": -15.48},
}
"""Lift up, eastward, from 120 km to 10 km: mass [kg], ballistic coefficient [kg/m^2], L/D, nose radius [m], place,
speed [m/s] and flight-path angle relative to the planet; angles in degrees."""
AMAT = """
import json, sys, time
import numpy as np
from AMAT.planet import Planet
from AMAT.vehicle import Vehicle
out = {}
air, entries, rounds = json.loads(sys.argv[1])
for name, i in entries.items():
    for variant, look_up in (("amat", "cubic"), ("amat_alike", "linear")):
        planet = Planet("MARS")
        planet.loadAtmosphereModel(air, 0, 1, 2, 3, intType=look_up)
        if variant == "amat_alike":
            planet.J3 = 0.0
        planet.h_skip, planet.h_low = 130e3, 10e3
        taken = np.inf
        for _ in range(rounds):
            vehicle = Vehicle(name, i["m"], i["beta"], i["LD"], np.pi, 0.0, i["RN"], planet)
            vehicle.setInitialState(120.0, i["lon"], i["lat"], i["v"] / 1e3, 0.0, i["g"], 0.0, 0.0)
            vehicle.setSolverParams(1e-10)
            begun = time.perf_counter()
            vehicle.propogateEntry(600.0, 0.1, 0.0)
            taken = min(taken, time.perf_counter() - begun)
        out[f"{name}.{variant}"] = {
            "seconds": taken, "peak_g": float(np.nanmax(vehicle.acc_net_g)), "t": (vehicle.t_minc * 60.0).tolist(),
            "h": (vehicle.h_kmc * 1e3).tolist(), "v": (vehicle.v_kmsc * 1e3).tolist()}
print("RESULT" + json.dumps(out))
"""
JSBSIM = """
import json, sys, time
import jsbsim
start = {"ic/h-sl-ft": 30000.0, "ic/lat-gc-deg": 0.0, "ic/long-gc-deg": 0.0, "ic/vn-fps": 0.0, "ic/ve-fps": 0.0,
         "ic/vd-fps": 0.0, "simulation/gravity-model": 1}
taken = float("inf")
for _ in range(int(sys.argv[1])):
    fdm = jsbsim.FGFDMExec(None)
    fdm.set_debug_level(0)
    fdm.load_model("ball")
    for key, value in start.items():
        fdm[key] = value
    fdm.set_dt(0.02)
    fdm.run_ic()
    begun = time.perf_counter()
    while fdm.get_sim_time() < 30.0 - 1e-9:
        fdm.run()
    taken = min(taken, time.perf_counter() - begun)
print("RESULT" + json.dumps({"seconds": taken, "altitude_m": 0.3048 * fdm["position/geod-alt-ft"],
                             "down_m_s": 0.3048 * fdm["velocities/v-down-fps"]}))
"""


def ask(python: str, program: str, *given: str) -> dict[str, Any]:
    """What a peer says, run in an environment of its own, and in a folder of its own for the files that it leaves."""
    command = [str(Path(python).absolute()), "-c", program, *given]
    with TemporaryDirectory() as folder:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT")]
    if not lines:
        raise SystemExit(f"{python} gave no result: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(lines[-1].removeprefix("RESULT"))


def fly(scenario: Scenario) -> tuple[Any, float]:
    """Our run, and the best of its times [s]."""
    model = build(scenario)
    run_recorded(model)  # compiles
    best, recorded = np.inf, None
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        recorded = run_recorded(model)
        best = min(best, time.perf_counter() - begun)
    assert recorded is not None
    return trajectory_of(model, recorded), best


def entry(i: dict[str, float], air: Path) -> Scenario:
    """The same entry here, with AMAT's constants of Mars."""
    return scenario_from_dict(
        {
            "scenario": {"name": "entry", "duration": 600.0},
            "target": {
                "name": "mars", "gm": 4.282837e13, "radius": 3389500.0, "flattening": 0.0, "j2": 1.96045e-3,
                "spin_rate": 7.088253e-5, "site": {"latitude_deg": 0.0, "longitude_deg": 0.0},
            },
            "gravity": {"model": "j2"},
            "atmosphere": {"model": "table", "file": str(air), "interpolation": "linear"},
            "terrain": {"model": "plane"},
            "vehicle": {
                "name": "capsule", "mass": i["m"], "inertia": [1e3, 1e3, 1e3], "points": [],
                "aerodynamics": {
                    "model": "drag", "area": float(np.pi), "drag_coefficient": i["m"] / (i["beta"] * np.pi),
                    "attitude": "trim", "lift_to_drag": i["LD"], "nose_radius": i["RN"],
                },
            },
            "contact": {
                "law": "marker", "rest_penetration": 0.01, "damping_ratio": 0.3, "breakaway_angle_deg": 30.0,
                "sliding_angle_deg": 25.0, "breakaway_speed": 0.01, "sliding_speed": 0.02,
            },
            "initial": {
                "altitude": 120e3, "altitude_over": "sphere", "latitude_deg": i["lat"],
                "latitude_kind": "planetocentric", "longitude_deg": i["lon"], "speed": i["v"],
                "flight_path_deg": i["g"], "azimuth_deg": 90.0,
            },
            "integrator": {"method": "rk4", "step": 0.1},
            "record": {"interval": 0.1},
            "outcome": {"stop_altitude": 10e3},
        },
        "benchmark",
    )  # fmt: skip


def beside_amat(python: str, air: Path) -> None:
    """Two entries at Mars, by AMAT as it comes and by AMAT with the table and the gravity that ours has."""
    theirs = ask(python, AMAT, json.dumps([str(air), ENTRIES, ROUNDS]))
    for name, inputs in ENTRIES.items():
        run, taken = fly(entry(inputs, air))
        data = run.data
        print(f"{name}.planetfall_s {taken:.4g}")
        for variant in ("amat", "amat_alike"):
            peer = theirs[f"{name}.{variant}"]
            both = np.asarray(peer["t"]) <= data.time.values[-1]
            times = np.asarray(peer["t"])[both]
            height = np.interp(times, data.time.values, data.altitude.values[:, 0])
            speed = np.interp(times, data.time.values, np.linalg.norm(data.velocity.values[:, 0], axis=1))
            print(f"{name}.{variant}.seconds {peer['seconds']:.4g}")
            print(f"{name}.{variant}.time_over_ours {peer['seconds'] / taken:.4g}")
            print(f"{name}.{variant}.altitude_difference_m {np.abs(height - np.asarray(peer['h'])[both]).max():.4g}")
            print(f"{name}.{variant}.speed_difference_m_s {np.abs(speed - np.asarray(peer['v'])[both]).max():.4g}")
            print(f"{name}.{variant}.peak_g_relative_difference {peer['peak_g'] / run.summary['peak_g'] - 1.0:.3g}")


def beside_jsbsim(python: str) -> None:
    """A ball that falls for 30 s, without drag."""
    peer = ask(python, JSBSIM, str(ROUNDS))
    run, taken = fly(planetfall.load("nesc-01"))
    print(f"nesc_01.planetfall_s {taken:.4g}")
    print(f"nesc_01.jsbsim_s {peer['seconds']:.4g}")
    print(f"nesc_01.time_over_ours {peer['seconds'] / taken:.4g}")
    print(f"nesc_01.altitude_difference_m {peer['altitude_m'] - run.data.altitude.values[-1, 0]:.4g}")
    print(f"nesc_01.down_difference_m_s {peer['down_m_s'] + run.data.velocity.values[-1, 0, 2]:.4g}")


def main() -> None:
    """Runs beside the peers whose interpreters are given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--amat", help="interpreter with AMAT")
    parser.add_argument("--air", type=Path, help="AMAT's table of the air of Mars")
    parser.add_argument("--jsbsim", help="interpreter with jsbsim")
    options = parser.parse_args()
    if options.amat is None and options.jsbsim is None:
        parser.error("no peer is given: --amat or --jsbsim")
    if options.amat is not None:
        if options.air is None:
            parser.error("--amat needs --air, the table that both read")
        beside_amat(options.amat, options.air.absolute())
    if options.jsbsim is not None:
        beside_jsbsim(options.jsbsim)


if __name__ == "__main__":
    main()
