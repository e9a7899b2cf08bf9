"""From a scenario's engines to what the kernel takes."""

from typing import Any

import numpy as np
import warp as wp

from planetfall.scenario.scenario import Scenario
from planetfall.vehicle.engines import STANDARD_GRAVITY, EngineParams


def engine_params(scenario: Scenario, device: str) -> EngineParams:
    """The engines of a scenario and the tanks of its vehicles, on a device."""
    p, vehicles = EngineParams(), scenario.vehicles
    pairs = [(b, engine) for b, vehicle in enumerate(vehicles) for engine in vehicle.engines]
    if not pairs:
        return p

    def each(values: Any, dtype: Any = wp.float64) -> Any:
        return wp.array(values, dtype=dtype, device=device)

    engines = [engine for _, engine in pairs]
    step = scenario.integrator.step if scenario.integrator.method == "rk4" else 0.0
    p.body = each([b for b, _ in pairs], wp.int32)
    p.position_B = each([engine.position for engine in engines], wp.vec3d)
    p.direction_B = each([engine.direction for engine in engines], wp.vec3d)
    p.thrust_min, p.thrust_max = each([e.thrust_min for e in engines]), each([e.thrust_max for e in engines])
    p.lag_inverse = each([1.0 / engine.lag for engine in engines])
    p.gain = each([1.0 + engine.bias for engine in engines])
    p.flow = each([1.0 / (engine.isp * STANDARD_GRAVITY) for engine in engines])
    # at the end of the step that is nearest, so that no step sees both sides
    p.fail_time = each([np.inf if e.fail_time is None else float(np.rint(e.fail_time / step)) * step for e in engines])
    tanks = [vehicle.propellant for vehicle in vehicles]
    p.propellant = each([0.0 if tank is None else tank.mass for tank in tanks])
    p.tank_center_B = each([np.zeros(3) if tank is None else tank.center for tank in tanks], wp.vec3d)
    p.tank_spread = each(np.array([np.zeros((3, 3)) if tank is None else tank.spread for tank in tanks]), wp.mat33d)
    return p
