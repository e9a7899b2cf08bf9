"""No air: a vacuum, in which nothing has a Mach number."""

import warp as wp

from planetfall.world.atmosphere.model import Air, AtmosphereModel


@wp.struct
class NoneParams:
    """Nothing; a struct has to have a member."""

    unused: wp.int32


@wp.func
def no_air(params: NoneParams, altitude: wp.float64) -> Air:
    """Density and pressure 0; sound that is infinitely fast makes every Mach number 0."""
    air = Air()
    air.sound_speed = wp.float64(wp.inf)
    return air


ATMOSPHERE_NONE = AtmosphereModel("none", NoneParams, no_air, rounds_alike=True)
