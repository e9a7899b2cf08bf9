"""From a scenario's tethers to what the kernel takes."""

import numpy as np

from planetfall.compute.draft import Draft, padded
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.integrator import IntegratorRk4
from planetfall.scenario.tables.vehicle.tethers import Tether
from planetfall.vehicle.tethers import TetherParams


def tether_params(scenario: Scenario) -> Draft:
    """`TetherParams` of a scenario."""
    p, tethers = Draft(TetherParams), scenario.tethers
    if not tethers:
        return p
    p.body_a, p.body_b = ([scenario.body_index(t.bodies[end]) for t in tethers] for end in (0, 1))
    p.point_a_B, p.point_b_B = ([t.points[end] for t in tethers] for end in (0, 1))
    p.stiffness, p.damping = [t.stiffness for t in tethers], [t.damping for t in tethers]
    p.rows = [len(t.times) for t in tethers]
    p.times, p.lengths = padded([t.times for t in tethers]), padded([t.lengths for t in tethers])
    p.brake_force = [t.brake_force for t in tethers]
    p.brake_give = [0.0 if t.brake_drag is None else 1.0 / t.brake_drag for t in tethers]
    p.full_length = [t.full_length or 0.0 for t in tethers]
    p.taper_length = [t.taper_length or 1.0 for t in tethers]
    p.cut_time = cut_instants(scenario)
    return p


def cut_instants(scenario: Scenario) -> np.ndarray:
    """When each tether is cut by its own time [s]; infinite for those that have none."""
    step = scenario.integrator.step if isinstance(scenario.integrator, IntegratorRk4) else 0.0
    return np.array([cut_instant(tether, step) for tether in scenario.tethers])


def cut_instant(tether: Tether, step: float) -> float:
    """When a tether is cut [s]: the end of the fixed step that is nearest to `cut_time`; without one, exactly then."""
    return np.inf if tether.cut_time is None else nearest_step_end(tether.cut_time, step)


def nearest_step_end(instant: float, step: float) -> float:
    """The end of a fixed step nearest to an instant [s], to the bit as the kernel has it; with step 0 the instant."""
    return float(np.rint(instant / step)) * step if step > 0.0 else instant
