"""The cases by Planetfall: prints a JSON object of numbers by name."""

import json
import math
from pathlib import Path

import numpy as np

import planetfall
from planetfall.scenario.files.load import scenario_from_dict

CASES = json.loads((Path(__file__).parent / "cases.json").read_text())
G = CASES["gravity"]
MARKER = {
    "law": "marker", "rest_penetration": 0.005, "damping_ratio": 0.5, "breakaway_speed": 1e-3, "sliding_speed": 2e-3,
    "breakaway_angle_deg": CASES["friction_angle_deg"], "sliding_angle_deg": CASES["friction_angle_deg"],
    "mass_share": "per-point",
}  # fmt: skip


def block_on_slope(slope_deg: float, duration: float, law: dict, method: dict) -> np.ndarray:
    """Where the block's centre is along the slope [m], each 0.01 s, from its rest depth on."""
    slope = math.radians(slope_deg)
    made = scenario_from_dict(
        {
            "scenario": {"name": "slope", "duration": duration},
            "gravity": {"model": "uniform", "acceleration": G, "direction": [math.sin(slope), 0.0, -math.cos(slope)]},
            "terrain": {"model": "plane"},
            "vehicle": {"name": "block"},
            "contact": law,
            "initial": {"position": [0.0, 0.0, CASES["block"]["half"][2] - 0.005 * math.cos(slope)]},
            "integrator": method,
            "record": {"interval": 0.01},
            "outcome": {"overturn_angle_deg": 180.0},
        }
    )
    data = planetfall.run(made).data
    return np.interp(np.arange(0.0, duration, 0.01), data.time.values, data.position.values[:, 0, 0])


def bounced() -> float:
    """Height of the fifth bounce over that of the drop: a ball of one contact point on a spring without damping."""
    case = CASES["bounce"]
    made = scenario_from_dict(
        {
            "scenario": {"name": "ball", "duration": 12.0},
            "gravity": {"model": "uniform", "acceleration": G},
            "terrain": {"model": "plane"},
            "vehicle": {"name": "ball", "mass": case["mass"], "inertia": [0.004] * 3,
                        "points": [{"name": "lowest", "position": [0.0, 0.0, -case["radius"]]}]},
            "contact": {**MARKER, "rest_penetration": case["mass"] * G / case["stiffness"], "damping_ratio": 0.0},
            "initial": {"position": [0.0, 0.0, case["radius"] + case["height"]]},
            "integrator": {"method": "adaptive", "tolerance": 1e-9},
            "record": {"interval": 0.002},
            "outcome": {"overturn_angle_deg": 180.0},
        }
    )  # fmt: skip
    data = planetfall.run(made).data
    height = data.position.values[:, 0, 2] - case["radius"]
    tops = [h for a, h, b in zip(height, height[1:], height[2:], strict=False) if h >= a and h > b and h > 0.1]
    return float(tops[case["bounces"] - 1]) / case["height"]


def main() -> None:
    """Runs all cases."""
    adaptive, fixed = {"method": "adaptive", "tolerance": 1e-9}, {"method": "rk4", "step": CASES["step_s"]}
    creep, threshold = CASES["creep"], CASES["threshold"]
    total = creep["settle_s"] + creep["watch_s"]
    friction = math.tan(math.radians(CASES["friction_angle_deg"]))
    anchor = {"law": "anchor", "rest_penetration": 0.005, "damping_ratio": 0.5}
    anchor |= {"friction_static": friction, "friction_kinetic": friction}
    out: dict[str, float | str] = {"program": "Planetfall", "version": planetfall.__version__}
    for name, law, method in (("marker", MARKER, adaptive), ("anchor", anchor, fixed)):
        try:
            along = block_on_slope(creep["slope_deg"], total, law, method)
            begin = int(creep["settle_s"] / 0.01)
            out[f"creep_m.{name}"] = float(along[-1] - along[begin])
            for slope in threshold["slopes_deg"]:
                moved = block_on_slope(slope, threshold["watch_s"], law, method)
                out[f"slid_m_{slope:g}.{name}"] = float(moved[-1] - moved[0])
        except planetfall.PlanetfallError as error:
            out[f"error.{name}"] = str(error)
    out["bounce_ratio"] = bounced()
    print(json.dumps(out))


if __name__ == "__main__":
    main()
