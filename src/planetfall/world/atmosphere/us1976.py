"""The US Standard Atmosphere 1976 up to H = 84.852 km (86 km), with its defining constants (US1976, Tables 2 and 4).

Above, where the standard is no longer made of such layers, the air goes on isothermally at 186.946 K (assumed). Where
that matters, use a table.
"""

from planetfall.world.atmosphere.layers import LayeredParams, Layers, layered_air
from planetfall.world.atmosphere.model import AtmosphereModel

US1976 = Layers(
    radius=6356766.0,
    gravity=9.80665,
    gas_constant=287.05287,
    heat_ratio=1.4,
    pressure=101325.0,
    temperature=288.15,
    bases=(0.0, 11e3, 20e3, 32e3, 47e3, 51e3, 71e3, 84.852e3),
    lapse_rates=(-6.5e-3, 0.0, 1.0e-3, 2.8e-3, 0.0, -2.8e-3, -2.0e-3, 0.0),
)

ATMOSPHERE_US1976 = AtmosphereModel("us1976", LayeredParams, layered_air)
