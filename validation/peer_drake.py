"""The cases by Drake (discrete, point contact, SAP): prints a JSON object. Run in an environment that has `drake`."""

import json
import math
from importlib.metadata import version
from pathlib import Path

import numpy as np
from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

CASES = json.loads((Path(__file__).parent / "cases.json").read_text())
TIP = 1e-3
"""Radius of the spheres in the corners of the block [m]."""
G, STEP, FRICTION = CASES["gravity"], CASES["step_s"], math.tan(math.radians(30.0))


def places(
    parts,
    inertia,
    start: float,
    slope_deg: float,
    duration: float,
    stiffness: float | None = None,
    step: float = STEP,
) -> np.ndarray:
    slope = math.radians(slope_deg)
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, step)
    plant.mutable_gravity_field().set_gravity_vector([G * math.sin(slope), 0.0, -G * math.cos(slope)])

    def material() -> ProximityProperties:
        made = ProximityProperties()
        rigid = CoulombFriction(FRICTION, FRICTION)
        if stiffness is None:
            AddContactMaterial(friction=rigid, properties=made)
        else:
            AddContactMaterial(dissipation=0.0, point_stiffness=2.0 * stiffness, friction=rigid, properties=made)
        return made

    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", material())
    body = plant.AddRigidBody("body", inertia)
    for i, (part, at) in enumerate(parts):
        plant.RegisterCollisionGeometry(body, RigidTransform(at), part, f"part {i}", material())
    plant.Finalize()
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = plant.GetMyContextFromRoot(simulator.get_mutable_context())
    plant.SetFreeBodyPose(context, body, RigidTransform([0.0, 0.0, start]))
    out = []
    for i in range(1, round(duration / step) + 1):
        simulator.AdvanceTo(i * step)
        out.append(plant.GetFreeBodyPose(context, body).translation().copy())
    return np.array(out)


def main() -> None:
    """Runs all cases."""
    block, ball, creep, threshold, roll = (CASES[key] for key in ("block", "bounce", "creep", "threshold", "roll"))
    sides = [2.0 * half for half in block["half"]]
    # a box on a half space has one contact point in Drake, which rocks; its users put spheres into the corners
    x, y, z = block["half"]
    corners = [[i * (x - TIP), j * (y - TIP), TIP - z] for i in (-1, 1) for j in (-1, 1)]
    box = ([(Sphere(TIP), corner) for corner in corners], SpatialInertia.SolidBoxWithMass(block["mass"], *sides), z)
    out: dict[str, float | str] = {"program": "Drake", "version": version("drake")}
    along = places(*box, creep["slope_deg"], creep["settle_s"] + creep["watch_s"])[:, 0]
    out["creep_m"] = float(along[-1] - along[round(creep["settle_s"] / STEP)])
    for slope in threshold["slopes_deg"]:
        moved = places(*box, slope, threshold["watch_s"])[:, 0]
        out[f"slid_m_{slope:g}"] = float(moved[-1] - moved[0])
    sphere = (
        [(Sphere(ball["radius"]), [0.0, 0.0, 0.0])],
        SpatialInertia.SolidSphereWithMass(ball["mass"], ball["radius"]),
    )
    for key, step in (("bounce_ratio", STEP), ("bounce_ratio_fine", 0.1 * STEP)):
        height = places(*sphere, ball["radius"] + ball["height"], 0.0, 12.0, ball["stiffness"], step)[:, 2]
        height -= ball["radius"]
        tops = [h for a, h, b in zip(height, height[1:], height[2:], strict=False) if h >= a and h > b and h > 0.01]
        out[key] = float(tops[ball["bounces"] - 1]) / ball["height"] if len(tops) >= ball["bounces"] else 0.0
    moved = places(*sphere, roll["radius"], roll["slope_deg"], roll["watch_s"])[:, 0]
    out["rolled_m"] = float(moved[-1])
    print(json.dumps(out))


if __name__ == "__main__":
    main()
