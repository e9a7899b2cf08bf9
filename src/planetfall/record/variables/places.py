"""Where vehicles are over their planet, as variables of a dataset."""

import numpy as np
import xarray as xr

from planetfall.record.variables.attributes import history
from planetfall.scenario.scenario import Scenario


def place_variables(scenario: Scenario, positions: np.ndarray) -> dict[str, xr.Variable]:
    """Geodetic latitude and longitude of positions [frame, body, 3] [m], of a run through air or over a site."""
    place = _geodetic(scenario, positions)
    if place is None:
        return {}
    latitude, longitude, _ = place
    return {
        "latitude": history("rad", "geodetic latitude, north", "", ("body",), latitude),
        "longitude": history("rad", "longitude, east", "", ("body",), longitude),
    }


def heights(scenario: Scenario, positions: np.ndarray) -> np.ndarray:
    """Heights [..] [m] of positions [.., 3]: over the ellipsoid in a run through air or over a site, else their z."""
    place = _geodetic(scenario, positions)
    return positions[..., 2] if place is None else place[2]


def _geodetic(scenario: Scenario, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Geodetic latitude, longitude and height; None where there is no ellipsoid that the run is flown over."""
    target = scenario.target
    is_flight = scenario.atmosphere.model != "none" or target.site is not None
    if not is_flight or target.R_SP is None or target.radius == 0.0:
        return None
    return target.ellipsoid.geodetic((positions - target.center_S) @ target.R_SP)
