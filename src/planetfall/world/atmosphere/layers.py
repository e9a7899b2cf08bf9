"""Layers of constant lapse rate in hydrostatic balance, as standard atmospheres are defined (US1976, Eqs. 23, 33).

    H = r_0 h/(r_0 + h)                                         geopotential height
    T = T_b + L (H - H_b)
    p = p_b (T_b/T)^(g_0/(R L)),   or   p_b exp(-g_0 (H - H_b)/(R T_b))   where L = 0
    rho = p/(R T),   a = sqrt(gamma R T)

Every base pressure is that at the top of the layer below, never a rounded one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.world.atmosphere.model import Air


@dataclass(frozen=True)
class Layers:
    """A layered atmosphere.

    Attributes:
        radius: r_0 of geopotential heights [m].
        gravity: g_0 [m/s^2].
        gas_constant: R [J/(kg K)].
        heat_ratio: gamma [-].
        pressure: At H = 0 [Pa].
        temperature: At H = 0 [K].
        bases: Geopotential heights [m] from which on each lapse rate holds; the first also holds below it.
        lapse_rates: dT/dH [K/m], one for each base.
    """

    radius: float
    gravity: float
    gas_constant: float
    heat_ratio: float
    pressure: float
    temperature: float
    bases: Sequence[float]
    lapse_rates: Sequence[float]

    @property
    def rows(self) -> np.ndarray:
        """H_b [m], T_b [K], L [K/m], p_b [Pa] of each layer [layer, 4]."""
        rows, temperature, pressure = [], self.temperature, self.pressure
        for i, (base, lapse) in enumerate(zip(self.bases, self.lapse_rates, strict=True)):
            if i:
                below, rate = base - rows[-1][0], rows[-1][2]
                top = temperature + rate * below
                scale = self.gravity / self.gas_constant
                pressure *= (temperature / top) ** (scale / rate) if rate else np.exp(-scale * below / temperature)
                temperature = top
            rows.append((base, temperature, lapse, pressure))
        return np.array(rows)


@wp.struct
class LayeredParams:
    """Layers on a device.

    `rows` (H_b [m], T_b [K], L [K/m], p_b [Pa]) from below; `radius` r_0 [m], `gravity` g_0 [m/s^2], `gas_constant`
    [J/(kg K)], `heat_ratio` [-]; `factor` [-] on pressure and density.
    """

    rows: wp.array(dtype=wp.vec4d)
    radius: wp.float64
    gravity: wp.float64
    gas_constant: wp.float64
    heat_ratio: wp.float64
    factor: wp.float64


@wp.func
def layered_air(params: LayeredParams, altitude: wp.float64) -> Air:
    """Air at an altitude [m]: that of the highest layer whose base is not above it, else of the lowest."""
    height = params.radius * altitude / (params.radius + altitude)
    row = params.rows[0]
    for i in range(1, params.rows.shape[0]):
        if height >= params.rows[i][0]:
            row = params.rows[i]
    rise = height - row[0]
    air = Air()
    air.temperature = row[1] + row[2] * rise
    scale = params.gravity / params.gas_constant
    if row[2] == wp.float64(0.0):
        air.pressure = params.factor * row[3] * wp.exp(-scale * rise / row[1])
    else:
        air.pressure = params.factor * row[3] * wp.pow(row[1] / air.temperature, scale / row[2])
    air.density = air.pressure / (params.gas_constant * air.temperature)
    air.sound_speed = wp.sqrt(params.heat_ratio * params.gas_constant * air.temperature)
    return air


def layered_params(layers: Layers, factor: float) -> Draft:
    """`LayeredParams` of a layered atmosphere, with a factor on pressure and density."""
    params = Draft(LayeredParams)
    params.rows = layers.rows
    params.radius, params.gravity = layers.radius, layers.gravity
    params.gas_constant, params.heat_ratio, params.factor = layers.gas_constant, layers.heat_ratio, factor
    return params
