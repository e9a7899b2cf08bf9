"""Ground that stiffens with depth and takes energy in proportion: the law of Hunt and Crossley (HuntCrossley1975).

At depth d, which grows at the rate d':

    N = K d^n max(1 + D d', 0)        stored energy K d^(n+1)/(n+1)

Damping grows with depth, so that the force has no jump where a point touches, and the ground does not pull. Friction is
the table of the marker law (`slip_stick`). On distance fields, whose gradient g is no unit vector, it acts along g,
which is conservative as it stands, and friction takes the load N |g|.

`law = "hertz"` (`hertz.py`) is the same with n = 3/2 and D = 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.contact.model import MODE_APART, ContactLaw, PointContact
from planetfall.contact.normal_response import BodyOnGround, NormalResponse, Tangent
from planetfall.contact.slip_stick import (
    MODE_UNLOADED,
    SlipStickParams,
    friction_coefficients,
    slip_segment,
    slip_stick,
    slip_stick_rate,
    slip_stick_reported,
    with_friction,
)
from planetfall.scenario.tables.contact.hunt_crossley import ContactHuntCrossley
from planetfall.scenario.tables.vehicle.vehicle import ContactPoint
from planetfall.world.terrain.model import Ground

N_SPEEDS = 1000
"""Speeds of an impact at which its force is evaluated for the peak (assumed: within 1e-6 of it)."""


@lru_cache
def power_params(n_bodies: int) -> Any:
    """The law's parameter struct: the ground is the same for all bodies."""

    @wp.struct
    class PowerParams:
        stiffness: wp.float64  # K [N/m^n]
        exponent: wp.float64  # n [-]
        dissipation: wp.float64  # D [s/m]
        friction: SlipStickParams

    return PowerParams


@wp.func
def spring_push(stiffness: wp.float64, exponent: wp.float64, depth: wp.float64) -> wp.float64:
    """K d^n [N], continued beyond the surface as an odd function."""
    if depth == wp.float64(0.0):
        return depth
    return wp.sign(depth) * stiffness * wp.pow(wp.abs(depth), exponent)


@lru_cache
def power_mode(params: Any) -> Any:
    """Branch of the law that an instantaneous state belongs to."""

    @wp.func
    def mode(law: params, body: int, ground: Ground, velocity: wp.vec3d) -> wp.int32:
        if ground.gap >= wp.float64(0.0):
            return MODE_APART
        v_n = wp.dot(velocity, ground.normal)
        if law.dissipation * v_n >= wp.float64(1.0):
            return MODE_UNLOADED
        across = velocity - ground.normal * (v_n / wp.length_sq(ground.normal))
        return slip_segment(law.friction, wp.length_sq(across))

    return mode


@lru_cache
def power_contact(params: Any) -> Any:
    """Force, energy and power of one branch of the law."""

    @wp.func
    def contact(law: params, body: int, mode: wp.int32, ground: Ground, velocity: wp.vec3d) -> PointContact:
        out = PointContact()
        if mode == MODE_APART:
            return out
        v_n = wp.dot(velocity, ground.normal)
        spring = spring_push(law.stiffness, law.exponent, -ground.gap)
        out.elastic = -spring * ground.gap / (law.exponent + wp.float64(1.0))
        if mode == MODE_UNLOADED:
            out.damper_power = -spring * v_n  # the ground holds its spring back
            return out
        push = spring * (wp.float64(1.0) - law.dissipation * v_n)
        squared = wp.length_sq(ground.normal)
        v_t = velocity - ground.normal * (v_n / squared)
        out.force = ground.normal * push
        out.normal_force = push * wp.sqrt(squared)
        out.damper_power = -spring * law.dissipation * v_n * v_n
        return with_friction(out, law.friction, mode, out.normal_force, v_t)

    return contact


@dataclass(frozen=True)
class PowerResponse(NormalResponse):
    """K [N/m^n], n and D [s/m] of the ground, mu1 and mu2."""

    stiffness: float
    exponent: float
    dissipation: float
    friction_breakaway: float
    friction_sliding: float

    def tangent(self, depth: float, load: float) -> Tangent:
        """At the deepest, n K d^(n-1) and D K d^n: n is at least 1."""
        return Tangent(
            self.exponent * self.stiffness * depth ** (self.exponent - 1.0),
            self.dissipation * self.stiffness * depth**self.exponent,
        )

    def stored(self, depth: float) -> float:
        """K d^(n+1)/(n+1)."""
        return self.stiffness * depth ** (self.exponent + 1.0) / (self.exponent + 1.0)

    def rest_depth(self, load: float) -> float:
        """(W/K)^(1/n)."""
        return (load / self.stiffness) ** (1.0 / self.exponent)

    def peak_load(self, speed: float, mass: float, n_points: int) -> float:
        """By the first integral of m d'' = -n_points N, from which the depth follows at every speed."""
        speeds = np.linspace(0.0, speed, N_SPEEDS)
        spent = self._integral(speed) - self._integral(speeds)
        stiffness = n_points * self.stiffness
        depths = ((self.exponent + 1.0) * mass / stiffness * np.maximum(spent, 0.0)) ** (1.0 / (self.exponent + 1.0))
        return float(np.max(stiffness * depths**self.exponent * (1.0 + self.dissipation * speeds)))

    def _integral(self, speed: Any) -> Any:
        """Of v/(1 + D v) over v: K d^(n+1)/(n+1) grows by m times its loss on the way down."""
        taken = self.dissipation * np.asarray(speed)
        if np.max(taken) < 1e-4:  # two terms of the series, where the logarithm would lose its digits
            return np.asarray(speed) ** 2 * (0.5 - taken / 3.0)
        return (taken - np.log1p(taken)) / self.dissipation**2

    def shown(self) -> dict[str, float]:
        """K, n and D."""
        return {
            "stiffness K [N/m^n] per point": self.stiffness,
            "exponent n [-]": self.exponent,
            "dissipation D [s/m]": self.dissipation,
        }

    def summary(self) -> dict[str, float]:
        """K, n and D."""
        return {"stiffness_N_m_n": self.stiffness, "exponent": self.exponent, "dissipation_s_m": self.dissipation}


def hunt_crossley_coefficients(contact: ContactHuntCrossley, body: BodyOnGround) -> PowerResponse:
    """K, n, D as given, mu1, mu2."""
    return PowerResponse(
        contact.stiffness, contact.exponent, contact.dissipation, *friction_coefficients(contact)
    )  # fmt: skip


def fill_power(params: Draft, contact: Any, bodies: Sequence[PowerResponse], points: Sequence[ContactPoint]) -> None:
    """Writes the numbers of the law's struct."""
    params.stiffness, params.exponent = bodies[0].stiffness, bodies[0].exponent
    params.dissipation = bodies[0].dissipation
    params.friction = slip_stick(contact)


CONTACT_HUNT_CROSSLEY = ContactLaw(
    "hunt-crossley",
    ContactHuntCrossley,
    power_params,
    fill_power,
    hunt_crossley_coefficients,
    slip_stick_rate,
    "contact.breakaway_speed",
    ("breakaway_angle_deg", "sliding_angle_deg", "stiffness", "dissipation"),
    slip_stick_reported,
    mode=power_mode,
    contact=power_contact,
)
