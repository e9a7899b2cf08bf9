"""The air around a vehicle: an atmosphere over the target's ellipsoid, as an `Environment` takes it.

Air at rest turns with the planet, so that in the surface frame it has the velocity of the wind.
"""

from functools import lru_cache

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.world.atmosphere import AtmosphereTable
from planetfall.world.atmosphere.model import AtmosphereModel
from planetfall.world.environment import AIR_NONE, AirModel, Environment
from planetfall.world.planet import PlanetParams, altitude, planet_params


def air_model(scenario: Scenario) -> AirModel:
    """The air of a scenario's target."""
    if scenario.atmosphere.model == "none":
        return AIR_NONE
    from planetfall.world.atmosphere.from_scenario import (
        atmosphere_model,  # here, or runs without air would wait for it
    )

    return air_over(atmosphere_model(scenario.atmosphere))


def air_params(scenario: Scenario) -> Draft:
    """The parameters of `air_model(scenario)`, before they are put on a device."""
    out = Draft(air_model(scenario).params)
    if scenario.atmosphere.model != "none":
        from planetfall.world.atmosphere.from_scenario import atmosphere_params

        table = scenario.atmosphere
        if isinstance(table, AtmosphereTable) and np.isfinite(end_of_air(scenario)):
            table = table.model_copy(update={"above": "continue"})  # for the step that passes the end, the last one
        out.planet, out.atmosphere = planet_params(scenario.target), atmosphere_params(table)
    return out


def end_of_air(scenario: Scenario) -> float:
    """Altitude [m] over which nothing is known of the air, so that a vehicle alone that climbs there has left it.

    That is the end of a table that is not to be continued; infinite for all other air. With several vehicles it is
    infinite, too: the others fly on, and where one of them needs air that is not known, the run diverges.
    """
    table = scenario.atmosphere
    if not isinstance(table, AtmosphereTable) or table.above == "continue" or scenario.companions:
        return np.inf
    from planetfall.world.atmosphere.columns import columns_of

    return float(columns_of(table).heights[-1])


@lru_cache
def air_over(atmosphere: AtmosphereModel) -> AirModel:
    """An atmosphere over an ellipsoid."""
    inner, air_at = atmosphere.params, atmosphere.air

    @wp.struct
    class AirParams:
        planet: PlanetParams
        atmosphere: inner

    @wp.func
    def fill(p: wp.ref[AirParams], position: wp.vec3d, environment: wp.ref[Environment]):
        level = altitude(p.planet, position)
        air = air_at(p.atmosphere, level.altitude)
        environment.altitude = level.altitude
        environment.up = level.up
        environment.density = air.density
        environment.pressure = air.pressure
        environment.temperature = air.temperature
        environment.sound_speed = air.sound_speed
        environment.wind = level.east * air.wind_east + level.north * air.wind_north

    return AirModel(atmosphere.kind, AirParams, fill, atmosphere.rounds_alike)
