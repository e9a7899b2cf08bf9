"""Sunlight along a run: variables of its dataset, and what the summary says of the place where it ended."""

from typing import Any

import numpy as np
import xarray as xr

from planetfall.analysis.run.illumination import illumination
from planetfall.record.variables.attributes import history
from planetfall.scenario.scenario import Scenario
from planetfall.world.terrain.surface import Surface


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
