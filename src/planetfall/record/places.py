"""Where vehicles are over their planet, as variables of a dataset."""

import numpy as np
import xarray as xr

from planetfall.record.attributes import history
from planetfall.scenario.scenario import Scenario


def place_variables(scenario: Scenario, positions: np.ndarray) -> dict[str, xr.Variable]:
    """Geodetic latitude and longitude of positions [frame, body, 3] [m], of a run through air or over a site."""
    target = scenario.target
    is_flight = scenario.atmosphere.model != "none" or target.site is not None
    if not is_flight or target.R_SP is None or target.radius == 0.0:
        return {}
    latitude, longitude, _ = target.ellipsoid.geodetic((positions - target.center_S) @ target.R_SP)
    return {
        "latitude": history("rad", "geodetic latitude, north", "", ("body",), latitude),
        "longitude": history("rad", "longitude, east", "", ("body",), longitude),
    }
