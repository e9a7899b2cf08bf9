"""A small rover with rockers and bogies as a URDF."""

from typing import Any

import numpy as np

PLACES = {"axis": (0.0, 0.30), "pivot": (0.20, 0.20), "rear": (-0.4, 0.1), "middle": (0.0, 0.1), "front": (0.4, 0.1)}
"""The bench rover: joints of one side (x, z) [m], on flat ground."""
HALF_TRACK = 0.3


def joint(name: str, parent: str, xyz: Any, effort: float | None = None) -> str:
    limit = "" if effort is None else f'<limit effort="{effort}" velocity="1"/>'
    place = " ".join(f"{v:.12g}" for v in xyz)
    return (
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{name}"/>'
        f'<origin xyz="{place}"/><axis xyz="0 1 0"/>{limit}</joint>'
    )


def robot(up: float = 1.0, wheel: str = '<cylinder radius="0.1" length="0.08"/>', effort: float | None = 4.0) -> str:
    """A rover of 10 kg in its body, 0.05 m ahead and 0.02 m above the axis, with wheels of 0.5 kg."""
    body = (
        f'<link name="body"><inertial><origin xyz="0.05 0 {up * 0.02}"/><mass value="10"/>'
        '<inertia ixx="0.2" ixy="0" ixz="0.01" iyy="0.3" iyz="0" izz="0.4"/></inertial></link>'
    )
    parts = [body]
    for side, y in (("right", -up * HALF_TRACK), ("left", up * HALF_TRACK)):
        at = {name: np.array([x, 0.0, up * z]) for name, (x, z) in PLACES.items()}
        parts.append(joint(f"{side}_rocker", "body", [0.0, y, 0.0]))
        parts.append(joint(f"{side}_bogie", f"{side}_rocker", at["pivot"] - at["axis"]))
        for name, holder, start in (
            ("rear", "rocker", "axis"),
            ("middle", "bogie", "pivot"),
            ("front", "bogie", "pivot"),
        ):
            parts.append(joint(f"{side}_{name}", f"{side}_{holder}", at[name] - at[start], effort))
            parts.append(
                f'<link name="{side}_{name}"><inertial><mass value="0.5"/>'
                '<inertia ixx="0.001" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.001"/></inertial>'
                f"<collision><geometry>{wheel}</geometry></collision></link>"
            )
    return f'<robot name="bench">{"".join(parts)}</robot>'
