"""From intuitive inputs to the coefficients of the per-point laws (Raiszadeh2012 Eqs. 10-15, Cordova2014 Eqs. 4-5)."""

from dataclasses import dataclass

import numpy as np

from planetfall.scenario.tables.contact.anchor import ContactAnchor
from planetfall.scenario.tables.contact.contact import ContactMarker
from planetfall.scenario.tables.contact.distributed import ContactDistributed


@dataclass(frozen=True)
class SpringDamper:
    """Of each contact point: stiffness [N/m] and damping [N s/m]."""

    stiffness: float
    damping: float


@dataclass(frozen=True)
class MarkerCoefficients(SpringDamper):
    """What follows from the inputs of the marker law: K and C (Eqs. 10, 11), and mu1 and mu2 (Eqs. 14, 15)."""

    friction_breakaway: float
    friction_sliding: float


@dataclass(frozen=True)
class AnchorCoefficients(SpringDamper):
    """What follows from the inputs of the anchor law: k and c (Eqs. 4, 5), and mu_s and mu_k as given."""

    friction_static: float
    friction_kinetic: float


@dataclass(frozen=True)
class DistributedCoefficients(SpringDamper):
    """What follows from the inputs of the distributed law: k and c of each vertex, mu, mu_s, and C_RR [m]."""

    friction: float
    friction_static: float
    rolling_resistance: float


def distributed_coefficients(contact: ContactDistributed, mass: float) -> DistributedCoefficients:
    """k, c, mu, mu_s, C_RR from the inputs and a body's mass [kg]."""
    stiffness, damping = contact.spring_damper(mass)
    static = contact.friction if contact.friction_static is None else contact.friction_static
    return DistributedCoefficients(stiffness, damping, contact.friction, static, contact.rolling_resistance)


def marker_coefficients(contact: ContactMarker, mass: float, n_points: int, gravity: float) -> MarkerCoefficients:
    """K, C, mu1, mu2 from the inputs, a body's mass [kg], its number of markers and local gravity [m/s^2]."""
    share = mass
    if contact.mass_share == "per-point":
        share = mass / (contact.loaded_points or max(n_points, 1))
    spring = _spring_damper(contact, share, gravity)
    return MarkerCoefficients(
        spring.stiffness,
        spring.damping,
        friction_breakaway=float(np.tan(np.radians(contact.breakaway_angle_deg))),
        friction_sliding=float(np.tan(np.radians(contact.sliding_angle_deg))),
    )


def anchor_coefficients(contact: ContactAnchor, mass: float, n_points: int, gravity: float) -> AnchorCoefficients:
    """k, c, mu_s, mu_k from the inputs, a body's mass [kg], its number of points and local gravity [m/s^2]."""
    spring = _spring_damper(contact, mass / (contact.loaded_points or max(n_points, 1)), gravity)
    return AnchorCoefficients(spring.stiffness, spring.damping, contact.friction_static, contact.friction_kinetic)


def _spring_damper(contact: ContactMarker | ContactAnchor, share: float, gravity: float) -> SpringDamper:
    """The spring that a share of the mass [kg] compresses by the rest penetration, and its damper."""
    stiffness = share * (contact.reference_gravity or gravity) / contact.rest_penetration
    return SpringDamper(stiffness, float(2.0 * contact.damping_ratio * np.sqrt(share * stiffness)))
