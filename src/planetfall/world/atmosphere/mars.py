"""A mean Martian atmosphere of three layers, our own (assumed): set by hand near published profiles, CO2 and N2.

Within a quarter of published means up to 50 km; too dense above 90 km, where there are no loads. Season and place enter
as one factor on pressure and density.
"""

from planetfall.world.atmosphere.layers import LayeredParams, Layers, layered_air
from planetfall.world.atmosphere.model import AtmosphereModel

MARS = Layers(
    radius=3396190.0,
    gravity=3.71,
    gas_constant=8.314462618 / 0.04344,  # molar mass 43.44 g/mol
    heat_ratio=1.33,  # of CO2 near 215 K
    pressure=610.0,
    temperature=214.0,
    bases=(0.0, 40e3, 80e3),
    lapse_rates=(-1.8e-3, -0.2e-3, 0.0),
)

ATMOSPHERE_MARS = AtmosphereModel("mars", LayeredParams, layered_air)
