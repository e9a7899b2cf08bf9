"""From a scenario's contact table to a law and its numbers."""

from typing import Any

import numpy as np

from planetfall.compute.draft import Draft
from planetfall.contact.anchor import CONTACT_ANCHOR, CONTACT_ANCHOR_SIGHTED, RULES
from planetfall.contact.distributed import CONTACT_DISTRIBUTED
from planetfall.contact.marker import CONTACT_MARKER, CONTACT_MARKER_ON_FIELD
from planetfall.contact.model import ContactLaw
from planetfall.contact.stiffness import (
    AnchorCoefficients,
    DistributedCoefficients,
    MarkerCoefficients,
    anchor_coefficients,
    distributed_coefficients,
    marker_coefficients,
)
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.contact.anchor import ContactAnchor
from planetfall.scenario.tables.contact.contact import ContactMarker
from planetfall.scenario.tables.contact.distributed import ContactDistributed
from planetfall.scenario.tables.vehicle.vehicle import ContactPoint


def contact_law(scenario: Scenario, has_unit_normals: bool = True) -> ContactLaw:
    """The law that a scenario asks for, on ground whose normals have the length 1 or are gradients as they are."""
    if isinstance(scenario.contact, ContactMarker):
        return CONTACT_MARKER if has_unit_normals else CONTACT_MARKER_ON_FIELD
    if isinstance(scenario.contact, ContactDistributed):
        return CONTACT_DISTRIBUTED
    return CONTACT_ANCHOR_SIGHTED if scenario.contact.detection == "line-of-sight" else CONTACT_ANCHOR


def coefficients_of(
    scenario: Scenario, gravity: float
) -> MarkerCoefficients | AnchorCoefficients | DistributedCoefficients:
    """The law's coefficients for the first vehicle of a scenario, at a gravity [m/s^2]."""
    contact, vehicle = scenario.contact, scenario.vehicle
    if isinstance(contact, ContactMarker):
        return marker_coefficients(contact, vehicle.mass, len(vehicle.points), gravity)
    if isinstance(contact, ContactDistributed):
        return distributed_coefficients(contact, vehicle.mass)
    return anchor_coefficients(contact, vehicle.mass, len(vehicle.points), gravity)


def law_params(scenario: Scenario, gravity: float) -> Draft:
    """The law's parameters for all vehicles of a scenario, at a gravity [m/s^2]."""
    contact, vehicles = scenario.contact, scenario.vehicles
    params = Draft(contact_law(scenario).params(len(vehicles)))
    derived: list[Any] = [coefficients_of(solo, gravity) for solo in scenario.solos]
    params.stiffness, params.damping = [each.stiffness for each in derived], [each.damping for each in derived]
    if isinstance(contact, ContactMarker):
        _fill_marker(params, contact, derived[0])
    elif isinstance(contact, ContactDistributed):
        _fill_distributed(params, contact, derived[0])
    else:
        points = tuple(point for vehicle in vehicles for point in vehicle.points)
        _fill_anchor(params, contact, derived[0], points)
    return params


def _fill_marker(params: Draft, contact: ContactMarker, derived: MarkerCoefficients) -> None:
    params.friction_breakaway, params.friction_sliding = derived.friction_breakaway, derived.friction_sliding
    params.breakaway_speed, params.sliding_speed = contact.breakaway_speed, contact.sliding_speed
    params.creep_drag = derived.friction_breakaway / contact.breakaway_speed
    params.friction_slope = (derived.friction_sliding - derived.friction_breakaway) / (
        contact.sliding_speed - contact.breakaway_speed
    )
    params.is_clamped = int(contact.clamp)


def _fill_distributed(params: Draft, contact: ContactDistributed, derived: DistributedCoefficients) -> None:
    params.friction, params.friction_static = derived.friction, derived.friction_static
    params.rolling_resistance = derived.rolling_resistance
    params.per_slip_speed, params.per_roll_rate = 1.0 / contact.slip_speed, 1.0 / contact.roll_rate


def _fill_anchor(
    params: Draft, contact: ContactAnchor, derived: AnchorCoefficients, points: tuple[ContactPoint, ...]
) -> None:
    params.friction_static, params.friction_kinetic = derived.friction_static, derived.friction_kinetic
    params.leash_ratio, params.slip_speed = contact.leash_ratio, contact.slip_speed
    params.rule, params.ray_offset = RULES.index(contact.anchor_rule), contact.ray_offset
    params.sights_B = np.array([point.line_of_sight or (0.0, 0.0, 0.0) for point in points]).reshape(-1, 3)
    params.reaches = [contact.ray_offset + point.cushion for point in points]
