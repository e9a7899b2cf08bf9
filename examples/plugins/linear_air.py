"""Air of one's own: density that falls in a straight line to nothing at a ceiling, at one temperature.

    rho = rho_0 max(1 - h/H, 0)

Named in a scenario by `plugins = ["linear_air.py"]`, it is selected by `[atmosphere] model = "linear-air"`.
"""

from typing import Any, Literal

import warp as wp

from planetfall.plugins import Air, AirTable, AtmosphereModel, AtmospherePart, choice, quantity, register


class LinearAirKeys(AirTable):
    """What a scenario gives under `[atmosphere]`; wind and perturbation are there already."""

    model: Literal["linear-air"] = choice("name of the air")
    density: float = quantity("kg/m^3", "rho_0, at height 0", gt=0)
    ceiling: float = quantity("m", "H: height without air", gt=0)
    temperature: float = quantity("K", "of all heights", 210.0, gt=0)
    gas_constant: float = quantity("J/(kg K)", "of the gas", 191.4, gt=0)


@wp.struct
class LinearAirParams:
    """`density` [kg/m^3] at height 0; `ceiling` [m]; `temperature` [K]; `gas_constant` [J/(kg K)]."""

    density: wp.float64
    ceiling: wp.float64
    temperature: wp.float64
    gas_constant: wp.float64


@wp.func
def air_at(p: LinearAirParams, altitude: wp.float64) -> Air:
    """Air at an altitude [m]; wind is laid over it elsewhere."""
    air = Air()
    air.density = p.density * wp.max(wp.float64(1.0) - altitude / p.ceiling, wp.float64(0.0))
    air.temperature = p.temperature
    air.pressure = air.density * p.gas_constant * p.temperature
    air.sound_speed = wp.sqrt(p.gas_constant * p.temperature)
    return air


def fill(keys: LinearAirKeys) -> dict[str, Any]:
    """The numbers by member of the struct."""
    return {name: getattr(keys, name) for name in ("density", "ceiling", "temperature", "gas_constant")}


register(AtmospherePart(LinearAirKeys, AtmosphereModel("linear-air", LinearAirParams, air_at), fill))
