"""From the marker law's intuitive inputs to its coefficients (Raiszadeh2012 Eqs. 10-15)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from planetfall.contact.marker import CONTACT_MARKER
from planetfall.scenario.contact import ContactMarker
from planetfall.scenario.scenario import Scenario


@dataclass(frozen=True)
class MarkerCoefficients:
    """What follows from the inputs of the marker law.

    Attributes:
        stiffness: K [N/m] of each marker (Eq. 10).
        damping: C [N s/m] of each marker (Eq. 11).
        friction_breakaway: mu1 [-] (Eq. 14).
        friction_sliding: mu2 [-] (Eq. 15).
    """

    stiffness: float
    damping: float
    friction_breakaway: float
    friction_sliding: float


def marker_coefficients(contact: ContactMarker, mass: float, n_points: int, gravity: float) -> MarkerCoefficients:
    """K, C, mu1, mu2 from the inputs, a body's mass [kg], its number of markers and local gravity [m/s^2]."""
    share = mass
    if contact.mass_share == "per-point":
        share = mass / (contact.loaded_points or max(n_points, 1))
    stiffness = share * (contact.reference_gravity or gravity) / contact.rest_penetration
    return MarkerCoefficients(
        stiffness=stiffness,
        damping=2.0 * contact.damping_ratio * np.sqrt(share * stiffness),
        friction_breakaway=float(np.tan(np.radians(contact.breakaway_angle_deg))),
        friction_sliding=float(np.tan(np.radians(contact.sliding_angle_deg))),
    )


def marker_law_params(scenario: Scenario, gravity: float) -> Any:
    """The law's parameter struct, filled, for the one vehicle of a scenario."""
    contact, vehicle = scenario.contact, scenario.vehicle
    derived = marker_coefficients(contact, vehicle.mass, len(vehicle.points), gravity)
    params = CONTACT_MARKER.params(1)()
    params.stiffness, params.damping = [derived.stiffness], [derived.damping]
    params.friction_breakaway, params.friction_sliding = derived.friction_breakaway, derived.friction_sliding
    params.breakaway_speed, params.sliding_speed = contact.breakaway_speed, contact.sliding_speed
    params.creep_drag = derived.friction_breakaway / contact.breakaway_speed
    params.friction_slope = (derived.friction_sliding - derived.friction_breakaway) / (
        contact.sliding_speed - contact.breakaway_speed
    )
    params.is_clamped = int(contact.clamp)
    return params
