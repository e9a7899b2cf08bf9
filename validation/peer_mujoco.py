"""The cases by MuJoCo: prints a JSON object of numbers by name. Run in an environment that has `mujoco`."""

import json
import math
from pathlib import Path

import mujoco
import numpy as np

CASES = json.loads((Path(__file__).parent / "cases.json").read_text())
G, STEP = CASES["gravity"], CASES["step_s"]
FRICTION = f'friction="{math.tan(math.radians(CASES["friction_angle_deg"]))} 0.005 0.0001"'


def model(body: str, slope_deg: float, cone: str = "elliptic") -> tuple[mujoco.MjModel, mujoco.MjData]:
    slope = math.radians(slope_deg)
    gravity = f"{G * math.sin(slope)} 0 {-G * math.cos(slope)}"
    xml = f"""<mujoco><option timestep="{STEP}" gravity="{gravity}" integrator="implicitfast" cone="{cone}"/>
      <worldbody><geom type="plane" size="0 0 1" {FRICTION}/>{body}</worldbody></mujoco>"""
    made = mujoco.MjModel.from_xml_string(xml)
    return made, mujoco.MjData(made)


def places(body: str, slope_deg: float, duration: float, cone: str = "elliptic") -> np.ndarray:
    made, data = model(body, slope_deg, cone)
    out = []
    for _ in range(round(duration / STEP)):
        mujoco.mj_step(made, data)
        out.append(data.qpos[:3].copy())
    return np.array(out)


def in_bowl(aside: float, height: float) -> np.ndarray:
    """Place and attitude (w first) of the block at the end, let go over a height field shaped like a bowl."""
    case, block = CASES["bowl"], CASES["block"]
    reach = np.arange(-case["half_width"], case["half_width"] + 1e-9, case["spacing"])
    field = case["per_m"] * (reach[:, None] ** 2 + reach[None, :] ** 2)
    corner = case["per_m"] * ((aside + block["half"][0]) ** 2 + block["half"][1] ** 2)
    size = " ".join(str(half) for half in block["half"])
    xml = f"""<mujoco><option timestep="{STEP}" gravity="0 0 {-G}" integrator="implicitfast" cone="elliptic"/>
      <asset><hfield name="bowl" nrow="{len(reach)}" ncol="{len(reach)}"
      size="{case["half_width"]} {case["half_width"]} {field.max()} 1"/></asset>
      <worldbody><geom type="hfield" hfield="bowl" {FRICTION}/>
      <body pos="{aside} 0 {corner + block["half"][2] + height}"><freejoint/>
      <geom type="box" size="{size}" mass="{block["mass"]}" {FRICTION}/></body></worldbody></mujoco>"""
    made = mujoco.MjModel.from_xml_string(xml)
    made.hfield_data[:] = (field / field.max()).ravel()
    data = mujoco.MjData(made)
    for _ in range(round(case["watch_s"] / STEP)):
        mujoco.mj_step(made, data)
    return data.qpos.copy()


def main() -> None:
    """Runs all cases."""
    block, ball, creep, threshold = CASES["block"], CASES["bounce"], CASES["creep"], CASES["threshold"]
    size = " ".join(str(half) for half in block["half"])
    box = f"""<body pos="0 0 {block["half"][2]}"><freejoint/><geom type="box" size="{size}" mass="{block["mass"]}"
      {FRICTION}/></body>"""
    out: dict[str, float | str] = {"program": "MuJoCo", "version": mujoco.__version__}
    along = places(box, creep["slope_deg"], creep["settle_s"] + creep["watch_s"])[:, 0]
    out["creep_m"] = float(along[-1] - along[round(creep["settle_s"] / STEP)])
    for slope in threshold["slopes_deg"]:
        moved = places(box, slope, threshold["watch_s"])[:, 0]
        out[f"slid_m_{slope:g}"] = float(moved[-1] - moved[0])
    elastic = f"""<body pos="0 0 {ball["radius"] + ball["height"]}"><freejoint/>
      <geom type="sphere" size="{ball["radius"]}" mass="{ball["mass"]}" condim="1"
      solref="-{ball["stiffness"]} 0" solimp="0.99 0.99 0.001"/></body>"""
    height = places(elastic, 0.0, 12.0)[:, 2] - ball["radius"]
    tops = [h for a, h, b in zip(height, height[1:], height[2:], strict=False) if h >= a and h > b and h > 0.01]
    out["bounce_ratio"] = float(tops[ball["bounces"] - 1]) / ball["height"] if len(tops) >= ball["bounces"] else 0.0
    roll = CASES["roll"]
    sphere = f"""<body pos="0 0 {roll["radius"]}"><freejoint/><geom type="sphere" size="{roll["radius"]}"
      mass="{roll["mass"]}" {FRICTION}/></body>"""
    moved = places(sphere, roll["slope_deg"], roll["watch_s"])[:, 0]
    out["rolled_m"] = float(moved[-1])
    out["bowl_middle_m"] = float(in_bowl(0.0, 0.0)[2])
    x, _, z, _, a, b, _ = in_bowl(CASES["bowl"]["aside"], CASES["bowl"]["height"])
    tilt = math.degrees(math.acos(1.0 - 2.0 * (a * a + b * b)))
    out |= {"bowl_x_m": float(x), "bowl_z_m": float(z), "bowl_tilt_deg": tilt}
    print(json.dumps(out))


if __name__ == "__main__":
    main()
