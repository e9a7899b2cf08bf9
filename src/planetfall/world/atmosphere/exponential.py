"""Isothermal air of constant scale height: rho = rho_0 exp(-(h - h_0)/H) (AllenEggers1958, Eq. 2)."""

import warp as wp

from planetfall.compute.draft import Draft
from planetfall.scenario.tables.world.atmosphere import AtmosphereExponential
from planetfall.world.atmosphere.model import Air, AtmosphereModel


@wp.struct
class ExponentialParams:
    """Air that thins out by a scale height.

    `density` [kg/m^3] at `height` [m], `scale_height` [m]; of the gas `temperature` [K], `gas_constant` [J/(kg K)],
    `heat_ratio` [-].
    """

    density: wp.float64
    height: wp.float64
    scale_height: wp.float64
    temperature: wp.float64
    gas_constant: wp.float64
    heat_ratio: wp.float64


@wp.func
def exponential_air(params: ExponentialParams, altitude: wp.float64) -> Air:
    """Air at an altitude [m]; pressure by the gas law, p = rho R T."""
    air = Air()
    air.density = params.density * wp.exp((params.height - altitude) / params.scale_height)
    air.temperature = params.temperature
    air.pressure = air.density * params.gas_constant * params.temperature
    air.sound_speed = wp.sqrt(params.heat_ratio * params.gas_constant * params.temperature)
    return air


ATMOSPHERE_EXPONENTIAL = AtmosphereModel("exponential", ExponentialParams, exponential_air)


def exponential_params(table: AtmosphereExponential) -> Draft:
    """`ExponentialParams` of a table."""
    params = Draft(ExponentialParams)
    params.density, params.height, params.scale_height = table.density, table.reference_height, table.scale_height
    params.temperature, params.gas_constant = table.temperature, table.gas_constant
    params.heat_ratio = table.heat_ratio
    return params
