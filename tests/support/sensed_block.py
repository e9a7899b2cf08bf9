"""The built-in block with sensors on it."""

from __future__ import annotations

from typing import Any

import planetfall
from support.block_scene import block

ALTIMETER: dict[str, Any] = {
    "kind": "altimeter", "name": "altimeter", "rate": 100.0, "position": [0.2, -0.1, -0.05], "range_max": 100.0,
}  # fmt: skip
VELOCIMETER: dict[str, Any] = {
    "kind": "velocimeter", "name": "velocimeter", "rate": 50.0, "position": [-0.1, 0.3, 0.1], "range_max": 100.0,
    "beams": [[0.0, 0.0, -1.0], [0.6, 0.0, -0.8], [-0.48, 0.36, -0.8]],
}  # fmt: skip
IMU: dict[str, Any] = {"kind": "imu", "name": "imu", "rate": 200.0, "position": [0.3, 0.2, -0.1]}


def sensed_block(method: str, sensors: list[dict[str, Any]], **values: Any) -> planetfall.Scenario:
    """The block over a slope (see `block_scene.block`), with sensors. `values`: further keys, `__` for the dot."""
    return block(method, sensors=sensors, **values)
