"""From a scenario's engines to what the kernel takes."""

import numpy as np

from planetfall.compute.draft import Draft
from planetfall.engine.mechanisms.tether_params import nearest_step_end
from planetfall.scenario.scenario import Scenario
from planetfall.vehicle.engines import STANDARD_GRAVITY, EngineParams


def engine_params(scenario: Scenario) -> Draft:
    """`EngineParams` of a scenario's engines and of its vehicles' tanks."""
    p, vehicles = Draft(EngineParams), scenario.vehicles
    pairs = [(b, engine) for b, vehicle in enumerate(vehicles) for engine in vehicle.engines]
    if not pairs:
        return p
    engines = [engine for _, engine in pairs]
    step = scenario.integrator.step if scenario.integrator.method == "rk4" else 0.0
    p.body = [b for b, _ in pairs]
    p.position_B = [engine.position for engine in engines]
    p.direction_B = [engine.direction for engine in engines]
    p.thrust_min, p.thrust_max = [e.thrust_min for e in engines], [e.thrust_max for e in engines]
    p.lag_inverse = [1.0 / engine.lag for engine in engines]
    p.gain = [1.0 + engine.bias for engine in engines]
    p.flow = [1.0 / (engine.isp * STANDARD_GRAVITY) for engine in engines]
    # at the end of the fixed step that is nearest, so that no step sees both sides; an adaptive one ends there
    p.fail_time = [np.inf if e.fail_time is None else nearest_step_end(e.fail_time, step) for e in engines]
    tanks = [vehicle.propellant for vehicle in vehicles]
    p.propellant = [0.0 if tank is None else tank.mass for tank in tanks]
    p.tank_center_B = [np.zeros(3) if tank is None else tank.center for tank in tanks]
    p.tank_spread = np.array([np.zeros((3, 3)) if tank is None else tank.spread for tank in tanks])
    return p
