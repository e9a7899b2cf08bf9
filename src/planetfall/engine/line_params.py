"""From a scenario's tethers to what the kernel takes."""

from typing import Any

import numpy as np
import warp as wp

from planetfall.scenario.integrator import IntegratorRk4
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tethers import Tether
from planetfall.vehicle.tethers import TetherParams


def tether_params(scenario: Scenario, device: str) -> TetherParams:
    """The tethers of a scenario on a device."""
    p, tethers = TetherParams(), scenario.tethers
    if not tethers:
        return p

    def each(values: list[Any], dtype: Any) -> Any:
        return wp.array(values, dtype=dtype, device=device)

    p.body_a, p.body_b = (each([scenario.body_index(t.bodies[end]) for t in tethers], wp.int32) for end in (0, 1))
    p.point_a_B, p.point_b_B = (each([wp.vec3d(*t.points[end]) for t in tethers], wp.vec3d) for end in (0, 1))
    p.stiffness = each([t.stiffness for t in tethers], wp.float64)
    p.damping = each([t.damping for t in tethers], wp.float64)
    p.rows = each([len(t.times) for t in tethers], wp.int32)
    n_rows = max(1, *(len(t.times) for t in tethers))
    p.times, p.lengths = (
        wp.array(_columns(columns, n_rows), dtype=wp.float64, device=device)
        for columns in ([t.times for t in tethers], [t.lengths for t in tethers])
    )
    p.brake_force = each([t.brake_force for t in tethers], wp.float64)
    p.brake_give = each([0.0 if t.brake_drag is None else 1.0 / t.brake_drag for t in tethers], wp.float64)
    p.full_length = each([t.full_length or 0.0 for t in tethers], wp.float64)
    p.taper_length = each([t.taper_length or 1.0 for t in tethers], wp.float64)
    p.cut_time = each(cut_instants(scenario).tolist(), wp.float64)
    return p


def cut_instants(scenario: Scenario) -> np.ndarray:
    """When each tether is cut by its own time [s]; infinite for those that have none."""
    step = scenario.integrator.step if isinstance(scenario.integrator, IntegratorRk4) else 0.0
    return np.array([cut_instant(tether, step) for tether in scenario.tethers])


def cut_instant(tether: Tether, step: float) -> float:
    """When a tether is cut [s]: the end of a step that is nearest to `cut_time`, to the bit as the kernel has it."""
    return np.inf if tether.cut_time is None else float(np.rint(tether.cut_time / step)) * step


def _columns(columns: list[tuple[float, ...]], n_rows: int) -> np.ndarray:
    padded = np.zeros((n_rows, len(columns)))
    for i, column in enumerate(columns):
        padded[: len(column), i] = column
    return padded
