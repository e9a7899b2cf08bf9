"""How deep a point may go that looks for the ground along a line of sight (Cordova2014, Section III.C).

Its ray starts `ray_offset` before it. Once the start is below the ground no front face is ahead, and a point would fall
on through the floor; the paper's 0.8 m are too short for its own drop from 20 m.
"""

import numpy as np

from planetfall.contact.laws import coefficients_of
from planetfall.engine.impact import impact_depth, impact_speed
from planetfall.errors import InputError
from planetfall.scenario.attitude import rotation_matrix
from planetfall.scenario.scenario import Scenario
from planetfall.world.gravity.field import acceleration_at
from planetfall.world.terrain.surface import Surface


def check_sight(scenario: Scenario, state: np.ndarray, surface: Surface) -> None:
    """Refuses a `ray_offset` shorter than the depth to expect of the first impact, with the offset to use."""
    contact, vehicle = scenario.contact, scenario.vehicle
    if contact.law != "anchor" or contact.detection != "line-of-sight" or not vehicle.points:
        return
    speed, depth = expected_depth(scenario, state, surface)
    if depth > contact.ray_offset:
        raise InputError(
            "contact.ray_offset",
            f"{contact.ray_offset:g} m is shorter than the depth to expect of an impact at {speed:.3g} m/s, "
            f"{depth:.3g} m; a line of sight that starts below the ground finds none (a limit of the printed method)",
            f"more than {depth:.3g} m here",
            f"use contact.ray_offset = {np.ceil(11.0 * depth) / 10.0:g}, or contact.detection = 'gap', which has no "
            "such limit",
        )


def expected_depth(scenario: Scenario, state: np.ndarray, surface: Surface) -> tuple[float, float]:
    """Speed [m/s] of the first impact and the depth [m] it leads to, if the points that look down share it."""
    vehicle = scenario.vehicle
    gravity = acceleration_at(scenario, state[:3])
    weight = vehicle.mass * float(np.linalg.norm(gravity))
    law = coefficients_of(scenario, float(np.linalg.norm(gravity)))
    R_SB = rotation_matrix(state[6:10])
    gaps, normals, _ = surface.ask(state[:3] + vehicle.tips @ R_SB.T)
    first = int(np.argmin(gaps))
    sights = np.array([point.line_of_sight for point in vehicle.points]) @ R_SB.T
    is_facing = sights @ normals[first] < -0.5
    lands = is_facing & (gaps < gaps[first] + scenario.contact.sink)
    speed = impact_speed(float(gaps[first]), normals[first], gravity, state, vehicle.tips)
    if not lands.any():
        return speed, 0.0
    return speed, impact_depth(speed, vehicle.mass, int(lands.sum()), law, weight)
