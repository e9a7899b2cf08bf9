"""The longest step that explicit RK4 can take with mechanisms that are stiff: motors that follow angles, taut tethers.

With the body free to yield, the least that resists the motor of an arm at an angle is d_free = d - b.I^-1 b (symbols
of `vehicle.arms`), so that the error of the angle obeys s^2 + (damping/d_free) s + stiffness/d_free = 0. A body that
stands on the ground yields less, which is slower. The angle with the least d_free counts: the arm may pass it.

Bodies and tethers are linearised about the start with every tether taut and as stiff across as along, which is no less
than the truth: with M the masses and inertias of all bodies, J the motion of a tether's ends apart, the fastest mode
feels the largest eigenvalues of M^-1 sum(k J^T J) and M^-1 sum(c J^T J) as s^2 + C s + K = 0.
"""

import numpy as np

from planetfall.engine.checks.contact_step import spring_damper_limit, step_refused
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.scenario.tables.vehicle.vehicle import Vehicle

ANGLES = np.radians(np.arange(0.0, 360.0, 1.0))
"""At which the inertia is taken [rad]; it varies with the first two harmonics of the angle."""


def check_arm_step(scenario: Scenario) -> None:
    """Refuses a fixed step too long for a motor that follows angles, with one to use."""
    method = scenario.integrator
    if method.method != "rk4" or method.accept_step:
        return
    for b, vehicle in enumerate(scenario.vehicles):
        if vehicle.arm is None or not vehicle.arm.angles_deg:
            continue
        limit = arm_step_limit(vehicle)
        if method.step > limit:
            where = "vehicle.arm" if b == 0 else f"companions.{b - 1}.vehicle.arm"
            cause = f"the motor of {where}, which follows angles with a stiffness of {vehicle.arm.stiffness:g} N m/rad"
            cause += f" and a damping of {vehicle.arm.damping:g} N m s/rad"
            raise step_refused(scenario, method.step, limit, cause, f"lower {where}.stiffness and damping")


def arm_step_limit(vehicle: Vehicle) -> float:
    """The longest stable step [s] of a vehicle whose arm follows angles."""
    assert vehicle.arm is not None
    resistance = min(free_resistance(vehicle, angle) for angle in ANGLES)
    return spring_damper_limit(vehicle.arm.stiffness / resistance, vehicle.arm.damping / resistance)


def free_resistance(vehicle: Vehicle, angle: float) -> float:
    """What resists the motor, d - b.I^-1 b [kg m^2], of a vehicle's arm at an angle [rad], the body free to yield."""
    arm = vehicle.arm
    assert arm is not None
    axis, first = np.asarray(arm.axis), arm.length * np.asarray(arm.direction)
    rho = first * np.cos(angle) + np.cross(axis, first) * np.sin(angle)
    share, start, place = arm.mass / vehicle.mass, np.asarray(arm.pivot) + first, np.asarray(arm.pivot) + rho
    center = share * (place - start)
    inertia = vehicle.free_inertia + arm.mass * (_spread(place) - _spread(start)) - vehicle.mass * _spread(center)
    offset = arm.inertia * axis + arm.mass * np.cross(place - center, np.cross(axis, rho))
    resistance = arm.inertia + arm.mass * (1.0 - share) * arm.length**2
    return float(resistance - offset @ np.linalg.solve(inertia, offset))


def _spread(r: np.ndarray) -> np.ndarray:
    """Inertia of a unit mass at r about the origin [m^2]."""
    return float(r @ r) * np.eye(3) - np.outer(r, r)


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
