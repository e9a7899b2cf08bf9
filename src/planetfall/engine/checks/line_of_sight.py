"""How deep a point may go that looks for the ground along a line of sight (Cordova2014, Section III.C).

Its ray starts `ray_offset` before it. Once the start is below the ground no front face is ahead, and a point would fall
on through the floor; the paper's 0.8 m are too short for its own drop from 20 m. A ray that meets the ground at an
angle reaches less deep, by the cosine of it.
"""

import numpy as np

from planetfall.contact.laws import coefficients_of, contact_law
from planetfall.engine.checks.contact_step import impact_speed
from planetfall.errors import InputError
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.contact.anchor import ContactAnchor
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.world.gravity.field import acceleration_at, weighed_at
from planetfall.world.terrain.surface import Surface

FACING = 0.5
"""Cosine between a line of sight and the ground's inward normal from which on it is taken to look at the ground."""


def check_sight(scenario: Scenario, state: np.ndarray, surface: Surface) -> None:
    """Refuses a `ray_offset` too short for the start or for the first impact to expect, with the offset to use."""
    contact, vehicle = scenario.contact, scenario.vehicle
    if not isinstance(contact, ContactAnchor) or not contact_law(scenario).is_sighted or not vehicle.points:
        return
    gaps, cosines, _ = _seen(scenario, state, surface)
    cushions = np.array([point.cushion for point in vehicle.points])
    in_ground = (gaps < 0) & (cosines > FACING)
    _refuse_below(contact.ray_offset, -gaps, cosines, cushions, in_ground, "the depth at which a point starts")
    speed, depth, lands = expected_impact(scenario, state, surface)
    cause = f"the depth to expect of an impact at {speed:.3g} m/s"
    _refuse_below(contact.ray_offset, np.full(len(gaps), depth), cosines, cushions, lands, cause)


def expected_impact(scenario: Scenario, state: np.ndarray, surface: Surface) -> tuple[float, float, np.ndarray]:
    """Speed [m/s] of the first impact, the depth [m] it leads to, and which of the points that look down share it."""
    vehicle = scenario.vehicle
    gravity = acceleration_at(scenario, weighed_at(scenario, state[:3]))
    weight = vehicle.mass * float(np.linalg.norm(gravity))
    law = coefficients_of(scenario, float(np.linalg.norm(gravity)))
    gaps, cosines, normals = _seen(scenario, state, surface)
    first = int(np.argmin(gaps))
    lands = (cosines > FACING) & (gaps < gaps[first] + scenario.contact.sink)
    speed = impact_speed(float(gaps[first]), normals[first], gravity, state, vehicle.tips)
    if not lands.any():
        return speed, 0.0, lands
    return speed, law.impact_depth(speed, vehicle.mass, int(lands.sum()), weight), lands


def _seen(scenario: Scenario, state: np.ndarray, surface: Surface) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gaps [m] of all points, cosines of their lines of sight against the ground's inward normals, and the normals."""
    vehicle, R_SB = scenario.vehicle, rotation_matrix(state[6:10])
    gaps, normals, _ = surface.ask(state[:3] + vehicle.tips @ R_SB.T)
    sights = np.array([point.line_of_sight for point in vehicle.points]) @ R_SB.T
    return gaps, -np.sum(sights * normals, axis=1), normals


def _refuse_below(
    offset: float, depths: np.ndarray, cosines: np.ndarray, cushions: np.ndarray, which: np.ndarray, cause: str
) -> None:
    """Refuses an offset [m] that leaves the ray of one of `which` points starting below the ground at its depth."""
    if not which.any():
        return
    needed = (depths / np.where(which, cosines, 1.0) - cushions)[which]
    worst = int(np.argmax(needed))
    if needed[worst] > offset:
        raise InputError(
            "contact.ray_offset",
            f"{offset:g} m is too short for {cause}, {depths[which][worst]:.3g} m; a line of sight that starts below "
            "the ground finds none (a limit of the printed method)",
            f"more than {needed[worst]:.3g} m here",
            f"use contact.ray_offset = {np.ceil(11.0 * needed[worst]) / 10.0:g}, or contact.detection = 'gap', which "
            "has no such limit",
        )
