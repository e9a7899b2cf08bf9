"""A rigid wheel on deformable soil: Bekker1969 for load and resistance, Janosi1961 for shear; see Wong2008.

With k = k_c/b + k_phi, width b, diameter D and radius r:

    plate             p = k z^n
    sinkage           z = (3 N / ((3 - n) b k sqrt(D)))^(2/(2n + 1))
    contact           length l = r acos(1 - z/r), area A = b l
    resistance        R = b k z^(n+1)/(n + 1)
    traction          H = (A c + N tan phi) (1 - (K/(i l)) (1 - exp(-i l/K)))     at the slip i
    drawbar pull      H - R
"""

import warp as wp

from planetfall.errors import InputError
from planetfall.rover.soil.model import Grip, SoilLaw
from planetfall.scenario.tables.rover import RoverWheels, SoilBekker

LEAST_LOAD = wp.constant(wp.float64(1.0e-9))
"""Load [N] below which a wheel is taken to press with this: the tangents stay finite, the traction is nil."""


@wp.struct
class BekkerParams:
    """A soil under a wheel.

    `modulus` k [N/m^(n+2)]; `exponent` n; `cohesion` c [Pa]; `tan_friction` tan phi; `shear` K [m]; `slip_max`: slip at
    which traction counts as available; `radius`, `width` of the wheel [m].
    """

    modulus: wp.float64
    exponent: wp.float64
    cohesion: wp.float64
    tan_friction: wp.float64
    shear: wp.float64
    slip_max: wp.float64
    radius: wp.float64
    width: wp.float64


@wp.func
def bekker_sinkage(law: BekkerParams, load: wp.float64) -> wp.float64:
    """Depth [m] at which the wheel's sector carries the load."""
    two = wp.float64(2.0)
    three = wp.float64(3.0)
    stiffness = (three - law.exponent) * law.width * law.modulus * wp.sqrt(two * law.radius)
    return wp.pow(three * wp.max(load, LEAST_LOAD) / stiffness, two / (two * law.exponent + wp.float64(1.0)))


@wp.func
def bekker_length(law: BekkerParams, depth: wp.float64) -> wp.float64:
    """Length of the contact [m]; a wheel sunk beyond its axle touches over a quarter turn."""
    return law.radius * wp.acos(wp.max(wp.float64(1.0) - depth / law.radius, wp.float64(0.0)))


@wp.func
def bekker_resistance(law: BekkerParams, load: wp.float64) -> wp.float64:
    """Resistance of the soil that is compacted [N]."""
    rise = law.exponent + wp.float64(1.0)
    return law.width * law.modulus * wp.pow(bekker_sinkage(law, load), rise) / rise


@wp.func
def bekker_traction(law: BekkerParams, load: wp.float64, slip: wp.float64) -> wp.float64:
    """Gross traction [N] at a slip."""
    one = wp.float64(1.0)
    length = bekker_length(law, bekker_sinkage(law, load))
    stretch = slip * length / law.shear
    share = stretch * wp.float64(0.5)  # first term of the series, for a stretch too small for the formula
    if stretch > wp.float64(1.0e-5):
        share = one - (one - wp.exp(-stretch)) / stretch
    return (law.width * length * law.cohesion + wp.max(load, LEAST_LOAD) * law.tan_friction) * share


@wp.func
def bekker_grip(law: BekkerParams, x: wp.float64, y: wp.float64, load: wp.float64) -> Grip:
    """Tangents by central differences; both curves are smooth powers of the load."""
    grip = Grip()
    middle = wp.max(load, LEAST_LOAD)
    step = middle * wp.float64(1.0e-4)
    two = wp.float64(2.0)
    rise = bekker_traction(law, middle + step, law.slip_max) - bekker_traction(law, middle - step, law.slip_max)
    grip.hold_per_load = rise / (two * step)
    grip.hold = bekker_traction(law, middle, law.slip_max) - grip.hold_per_load * middle
    grip.drag_per_load = (bekker_resistance(law, middle + step) - bekker_resistance(law, middle - step)) / (two * step)
    grip.drag = bekker_resistance(law, middle) - grip.drag_per_load * middle
    return grip


@wp.func
def bekker_slip(law: BekkerParams, load: wp.float64, gross: wp.float64) -> wp.float64:
    """Slip at which the soil gives a gross traction, by halving; 1 where it cannot."""
    wanted = wp.abs(gross)
    low = wp.float64(0.0)
    high = wp.float64(1.0)
    if bekker_traction(law, load, high) <= wanted:
        return wp.sign(gross)
    k = int(0)
    while k < 50:
        k += 1
        middle = (low + high) * wp.float64(0.5)
        if bekker_traction(law, load, middle) < wanted:
            low = middle
        else:
            high = middle
    return wp.sign(gross) * high


SOIL_BEKKER = SoilLaw("bekker", BekkerParams, bekker_grip, bekker_sinkage, bekker_slip, is_linear=False)


def bekker_params(table: SoilBekker, wheels: RoverWheels) -> BekkerParams:
    """Parameters of a soil under a wheel."""
    from math import radians, tan

    if wheels.width <= 0:
        raise InputError("rover.wheels.width", f"{wheels.width:g} m", "positive on deformable soil", "give the width")
    params = BekkerParams()
    params.modulus = table.cohesive_modulus / wheels.width + table.frictional_modulus
    params.exponent, params.cohesion, params.shear = table.exponent, table.cohesion, table.shear_modulus
    params.tan_friction, params.slip_max = tan(radians(table.friction_angle_deg)), table.slip_max
    params.radius, params.width = wheels.radius, wheels.width
    return params
