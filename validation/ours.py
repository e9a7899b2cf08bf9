"""The cases by Planetfall: prints a JSON object of numbers by name."""

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory

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
            "initial": {"position": [0.0, 0.0, CASES["block"]["half"][2] - law["rest_penetration"] * math.cos(slope)]},
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


def in_bowl(aside: float, height: float, law: dict, method: dict) -> tuple[np.ndarray, np.ndarray]:
    """Where the block's centre is [m] at the end, and its upward axis, let go over a bowl of a height field."""
    case, block = CASES["bowl"], CASES["block"]
    reach = np.arange(-case["half_width"], case["half_width"] + 1e-9, case["spacing"])
    corner = case["per_m"] * ((aside + block["half"][0]) ** 2 + block["half"][1] ** 2)
    with TemporaryDirectory() as folder:
        np.save(Path(folder) / "bowl.npy", case["per_m"] * (reach[:, None] ** 2 + reach[None, :] ** 2))
        made = scenario_from_dict(
            {
                "scenario": {"name": "bowl", "duration": case["watch_s"]},
                "gravity": {"model": "uniform", "acceleration": G},
                "terrain": {"model": "dem", "file": str(Path(folder) / "bowl.npy"), "spacing": case["spacing"]},
                "vehicle": {"name": "block"},
                "contact": law,
                "initial": {"position": [aside, 0.0, corner + block["half"][2] + height]},
                "integrator": method,
                "record": {"interval": 0.01},
                "outcome": {"overturn_angle_deg": 180.0},
            }
        )
        data = planetfall.run(made).data
    x, y, z, w = data.quaternion.values[-1, 0]
    return data.position.values[-1, 0], np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])


def main() -> None:
    """Runs all cases."""
    adaptive, fixed = {"method": "adaptive", "tolerance": 1e-9}, {"method": "rk4", "step": CASES["step_s"]}
    finer = {"method": "rk4", "step": 0.2 * CASES["step_s"]}
    creep, threshold = CASES["creep"], CASES["threshold"]
    total = creep["settle_s"] + creep["watch_s"]
    friction = math.tan(math.radians(CASES["friction_angle_deg"]))
    anchor = {"law": "anchor", "rest_penetration": 0.005, "damping_ratio": 0.5}
    anchor |= {"friction_static": friction, "friction_kinetic": friction}
    out: dict[str, float | str] = {"program": "Planetfall", "version": planetfall.__version__}
    # springs ten times as stiff show how much of an error the swing at the start makes
    laws = {
        "marker": (MARKER, adaptive),
        "marker_stiff": ({**MARKER, "rest_penetration": 0.1 * MARKER["rest_penetration"]}, adaptive),
        "anchor": (anchor, fixed),
        "anchor_stiff": ({**anchor, "rest_penetration": 0.1 * anchor["rest_penetration"]}, finer),
    }
    for name, (law, method) in laws.items():
        try:
            along = block_on_slope(creep["slope_deg"], total, law, method)
            begin = int(creep["settle_s"] / 0.01)
            out[f"creep_m.{name}"] = float(along[-1] - along[begin])
            for slope in threshold["slopes_deg"]:
                moved = block_on_slope(slope, threshold["watch_s"], law, method)
                out[f"slid_m_{slope:g}.{name}"] = float(moved[-1] - moved[0])
        except planetfall.PlanetfallError as error:
            out[f"error.{name}"] = str(error)
        if name.endswith("_stiff"):
            continue
        middle, _ = in_bowl(0.0, 0.0, law, method)
        place, up = in_bowl(CASES["bowl"]["aside"], CASES["bowl"]["height"], law, method)
        out[f"bowl_middle_m.{name}"], out[f"bowl_x_m.{name}"] = float(middle[2]), float(place[0])
        out[f"bowl_z_m.{name}"], out[f"bowl_tilt_deg.{name}"] = float(place[2]), math.degrees(math.acos(up[2]))
    out["bounce_ratio"] = bounced()
    print(json.dumps(out))


if __name__ == "__main__":
    main()
