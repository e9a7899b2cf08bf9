"""Sunlight at places of a turning target: the sun's direction in the surface frame, incidence, day, and shadow.

The target turns at a constant rate about an axis fixed in it and in space, so the sun's direction, fixed in inertial
space, turns the other way in the surface frame. `Target.sun_S` gives it along the axes that the frame has at time zero.

Along a run it becomes variables of the dataset; of its end, entries of the summary.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from planetfall.record.variables.attributes import history
from planetfall.scenario.scenario import Scenario
from planetfall.world.terrain.ground_points import GroundPoints, ground_points
from planetfall.world.terrain.surface import Surface

CLEARANCE = 0.01
"""How far off the ground a ray to the sun starts [m] (assumed), so that it does not meet the place it starts from."""


@dataclass(frozen=True)
class Illumination:
    """Sunlight at n places and instants.

    Attributes:
        sun_S: [n, 3] unit direction to the sun, surface frame.
        incidence: [n] angle between the outward normal and the sun [rad]; beyond pi/2 it is night there. NaN where
            there is no ground, which is neither day nor lit.
        is_day: [n] whether the sun is above the local surface.
        is_lit: [n] whether it is day and no other ground stands in the way.
    """

    sun_S: np.ndarray
    incidence: np.ndarray
    is_day: np.ndarray
    is_lit: np.ndarray


def sun_in_surface_frame(sun_I: np.ndarray, omega_S: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Unit directions to the sun [n, 3] in the surface frame at times [n] [s].

    Args:
        sun_I: Unit direction to the sun, along the inertial axes that the surface frame has at time zero.
        omega_S: Angular velocity of the surface frame [rad/s], surface components.
        times: [n] [s].
    """
    sun, times = np.asarray(sun_I, dtype=float), np.atleast_1d(np.asarray(times, dtype=float))
    rate = float(np.linalg.norm(omega_S))
    if rate == 0.0:
        return np.tile(sun, (len(times), 1))
    axis = np.asarray(omega_S) / rate
    angle = -rate * times[:, None]  # seen from the frame, the sky turns backwards
    along = axis * (axis @ sun)
    return along + np.cos(angle) * (sun - along) + np.sin(angle) * np.cross(axis, sun)


def illumination(
    surface: Surface, places_S: np.ndarray, times: np.ndarray, sun_I: np.ndarray, omega_S: np.ndarray, far: float = 1e6
) -> Illumination:
    """Sunlight on the ground of places [n, 3] [m] at times [n] [s]; ground within `far` [m] can stand in the way.

    That ground is its nearest point (see `ground_points`), and the ray to the sun starts `CLEARANCE` above it, or above
    the roughness that its normal overlooks.
    """
    sun_S = sun_in_surface_frame(sun_I, omega_S, times)
    ground = ground_points(surface, places_S)
    cosine = np.einsum("ni,ni->n", ground.normals_S, sun_S)
    is_day = cosine > 0.0
    is_lit = is_day & ~_is_shaded(surface, ground, sun_S, is_day, far)
    return Illumination(sun_S, np.arccos(np.clip(cosine, -1.0, 1.0)), is_day, is_lit)


def _is_shaded(surface: Surface, ground: GroundPoints, sun_S: np.ndarray, is_day: np.ndarray, far: float) -> np.ndarray:
    """Whether ground stands between each point and the sun, where it is day."""
    shaded = np.zeros(len(is_day), dtype=bool)
    if is_day.any():
        lifts = CLEARANCE + ground.reliefs[is_day]
        starts = ground.points_S[is_day] + ground.normals_S[is_day] * lifts[:, None]
        ranges, _ = surface.cast(starts, sun_S[is_day], far)
        shaded[is_day] = np.isfinite(ranges)
    return shaded


def illumination_along(scenario: Scenario, surface: Surface, data: xr.Dataset) -> dict[str, xr.Variable]:
    """Direction to the sun, incidence on the nearest ground, and whether that ground is lit, frame by frame."""
    target = scenario.target
    assert target.sun_S is not None
    found = illumination(surface, data.position.values[:, 0], data.time.values, target.sun_S, target.omega)
    is_lit = found.is_lit.astype(np.int8)
    return {
        "sun_direction": history("1", "unit direction to the sun", target.frame, ("axis",), found.sun_S),
        "solar_incidence": history(
            "rad", "angle of the sun from the normal of the nearest ground", "", (), found.incidence
        ),
        "ground_is_lit": history("1", "1: the nearest ground is lit; 0: night or shadow", "", (), is_lit),
    }


def illumination_at_end(found: dict[str, xr.Variable]) -> dict[str, Any]:
    """Incidence [deg], None without ground, and day and light at the last frame."""
    incidence = float(found["solar_incidence"].values[-1])
    return {
        "solar_incidence_deg": float(np.degrees(incidence)) if np.isfinite(incidence) else None,
        "is_day": bool(incidence < 0.5 * np.pi),
        "is_lit": bool(found["ground_is_lit"].values[-1]),
    }
