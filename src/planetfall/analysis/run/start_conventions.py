"""The start of a scenario over a planet, in every convention."""

from dataclasses import replace

import numpy as np

from planetfall.engine.initial_state import body_states
from planetfall.errors import InputError
from planetfall.scenario.files.load import check_loaded
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.conventions import FlightState, flight_state
from planetfall.scenario.tables.world.geodesy import level_axes
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.surface import Surface


def start_conventions(scenario: Scenario) -> FlightState:
    """Where the vehicle of a scenario starts and how it moves: heights, latitudes, speeds and angles of every kind.

    Args:
        scenario: Over a planet: its target has a radius, and a site or the frame P.

    Returns:
        Heights, radius and distance to the site [m], latitudes and longitude [deg], speeds [m/s], flight path and
        azimuth [deg], relative to the turning planet and to axes that do not turn; each name ends with its unit.

    Raises:
        InputError: The target has no radius, or nothing says where the surface frame lies on it.

    Examples:
        >>> start = planetfall.start_conventions(planetfall.load("mars-entry-ballistic"))
        >>> f"{start.height_over_ellipsoid_m:.0f} m"
        '125000 m'
    """
    check_loaded(scenario)
    found = conventions_over(scenario, make_surface(scenario, "cpu"))
    if found is None:
        raise InputError(
            "target.site", "missing, so that the start has no latitude and longitude",
            "a target with a radius and a site, or frame = 'P'", "give target.name and target.site",
        )  # fmt: skip
    return found


def conventions_over(scenario: Scenario, surface: Surface) -> FlightState | None:
    """The same on ground that is at hand; None where the start has no place on a planet."""
    target, R_SP = scenario.target, scenario.target.R_SP
    if R_SP is None or target.radius == 0.0:
        return None
    state = body_states(scenario, surface)[0]
    found = flight_state(state[:3], state[3:6], target)
    assert found is not None
    zenith = R_SP @ level_axes(*(float(np.radians(d)) for d in (found.latitude_geodetic_deg, found.longitude_deg)))[2]
    height = float(surface.cast(state[:3], -zenith, np.inf)[0][0])
    return found if np.isnan(height) else replace(found, height_over_ground_m=height)
