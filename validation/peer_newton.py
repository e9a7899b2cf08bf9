"""The cases by Newton (its XPBD solver): prints a JSON object. Run in an environment that has `newton`."""

import json
import math
from pathlib import Path

import newton
import numpy as np
import warp as wp

CASES = json.loads((Path(__file__).parent / "cases.json").read_text())
G, FRICTION = CASES["gravity"], math.tan(math.radians(CASES["friction_angle_deg"]))
STEP = 4.0 * CASES["step_s"]
"""[s]; on a CPU a step of XPBD with 20 iterations takes milliseconds."""


def places(add, start: float, slope_deg: float, duration: float) -> np.ndarray:
    slope = math.radians(slope_deg)
    builder = newton.ModelBuilder(gravity=wp.vec3(G * math.sin(slope), 0.0, -G * math.cos(slope)))
    material = newton.ModelBuilder.ShapeConfig(mu=FRICTION)
    builder.add_ground_plane(cfg=material)
    body = builder.add_body(xform=wp.transform((0.0, 0.0, start), wp.quat_identity()))
    add(builder, body)
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverXPBD(model, iterations=20)
    before, after, control = model.state(), model.state(), model.control()
    out = []
    for _ in range(round(duration / STEP)):
        before.clear_forces()
        contacts = model.collide(before)
        solver.step(before, after, control, contacts, STEP)
        before, after = after, before
        out.append(before.body_q.numpy()[0, :3].copy())
    return np.array(out, dtype=float)


def main() -> None:
    """Runs the cases of the block and of the rolling sphere; XPBD has no contact stiffness for the bouncing one."""
    block, creep, threshold, roll = (CASES[key] for key in ("block", "creep", "threshold", "roll"))
    half = block["half"]
    volume = 8.0 * half[0] * half[1] * half[2]
    box = newton.ModelBuilder.ShapeConfig(density=block["mass"] / volume, mu=FRICTION)

    def add_box(builder, body) -> None:
        builder.add_shape_box(body, hx=half[0], hy=half[1], hz=half[2], cfg=box)

    ball = newton.ModelBuilder.ShapeConfig(density=roll["mass"] / (4 / 3 * math.pi * roll["radius"] ** 3), mu=FRICTION)

    def add_sphere(builder, body) -> None:
        builder.add_shape_sphere(body, radius=roll["radius"], cfg=ball)

    out: dict[str, float | str] = {"program": "Newton (XPBD)", "version": newton.__version__}
    along = places(add_box, half[2], creep["slope_deg"], creep["settle_s"] + creep["watch_s"])[:, 0]
    out["creep_m"] = float(along[-1] - along[round(creep["settle_s"] / STEP)])
    for slope in threshold["slopes_deg"]:
        moved = places(add_box, half[2], slope, threshold["watch_s"])[:, 0]
        out[f"slid_m_{slope:g}"] = float(moved[-1] - moved[0])
    out["rolled_m"] = float(places(add_sphere, roll["radius"], roll["slope_deg"], roll["watch_s"])[-1, 0])
    print(json.dumps(out))


if __name__ == "__main__":
    main()
