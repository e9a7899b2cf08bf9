"""An elastic sphere on an elastic ground: the law of Hertz (Hertz1882), K d^(3/2) without any loss.

A point is the foot of a sphere of radius R; K = 4/3 E* sqrt(R), 1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2 (Johnson1985
Eq. 4.23), or as given. The functions are those of Hunt and Crossley with n = 3/2 and no dissipation.
"""

from dataclasses import replace

from planetfall.contact.hunt_crossley import (
    CONTACT_HUNT_CROSSLEY,
    PowerResponse,
)
from planetfall.contact.normal_response import BodyOnGround
from planetfall.contact.slip_stick import friction_coefficients
from planetfall.scenario.tables.contact.hertz import ContactHertz

EXPONENT = 1.5


def hertz_coefficients(contact: ContactHertz, body: BodyOnGround) -> PowerResponse:
    """K as given or of the sphere, mu1, mu2."""
    return PowerResponse(contact.sphere_stiffness, EXPONENT, 0.0, *friction_coefficients(contact))


CONTACT_HERTZ = replace(
    CONTACT_HUNT_CROSSLEY,
    name="hertz",
    table=ContactHertz,
    coefficients=hertz_coefficients,
    live_keys=("breakaway_angle_deg", "sliding_angle_deg", "stiffness"),
)
