"""The longest step that explicit RK4 can take with taut tethers.

Bodies and tethers are linearised about the start with every tether taut and as stiff across as along, which is no less
than the truth: with M the masses and inertias of all bodies, J the motion of a tether's ends apart, the fastest mode
feels the largest eigenvalues of M^-1 sum(k J^T J) and M^-1 sum(c J^T J) as s^2 + C s + K = 0.
"""

import numpy as np

from planetfall.engine.checks.contact_step import spring_damper_limit, step_refused
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import rotation_matrix


def check_tether_step(scenario: Scenario, states: np.ndarray) -> None:
    """Refuses a fixed step too long for the tethers of bodies that start in `states` [body, 13], with one to use."""
    method = scenario.integrator
    if not scenario.tethers or method.method != "rk4" or method.accept_step:
        return
    limit = tether_step_limit(scenario, states)
    if method.step > limit:
        cause = "the stiffness and damping of the tethers"
        raise step_refused(scenario, method.step, limit, cause, "lower the tethers' stiffness and damping")


def tether_step_limit(scenario: Scenario, states: np.ndarray) -> float:
    """The longest stable step [s]."""
    n_bodies, names = len(states), [vehicle.name for vehicle in scenario.vehicles]
    inverse, stiff, damp = (np.zeros((6 * n_bodies, 6 * n_bodies)) for _ in range(3))
    for i, vehicle in enumerate(scenario.vehicles):
        o, R_SB = 6 * i, rotation_matrix(states[i, 6:10])
        inverse[o : o + 3, o : o + 3] = np.eye(3) / vehicle.mass
        inverse[o + 3 : o + 6, o + 3 : o + 6] = R_SB @ np.linalg.inv(vehicle.free_inertia) @ R_SB.T
    for tether in scenario.tethers:
        apart = np.zeros((3, 6 * n_bodies))
        for name, point, sign in zip(tether.bodies, tether.points, (-1.0, 1.0), strict=True):
            i = names.index(name)
            x, y, z = rotation_matrix(states[i, 6:10]) @ point
            arm = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
            apart[:, 6 * i : 6 * i + 6] = sign * np.hstack([np.eye(3), -arm])
        stiff += tether.stiffness * apart.T @ apart
        damp += tether.damping * apart.T @ apart
    largest = [float(np.max(np.linalg.eigvals(inverse @ total).real)) for total in (stiff, damp)]
    return spring_damper_limit(*largest)
