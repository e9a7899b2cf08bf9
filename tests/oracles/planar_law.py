"""The marker contact law of `Raiszadeh2012` in the plane, cut into regimes in each of which it is smooth.

Plane: x east, z up (frame L of the project without north), origin on the incline, which descends to the east.
Pitch turns about body y, which points south in the Table 1 attitude, so a positive pitch lifts the east end.
State vector y everywhere: (east [m], up [m], pitch [rad], v_east [m/s], v_up [m/s], pitch_rate [rad/s]), shape (6,), or
(6, n_samples) for many instants at once; what is computed from it then has shape () or (n_samples,).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PlanarCase:
    """One planar drop. The defaults are `Raiszadeh2012` Table 1, except the two speeds, which are assumed.

    Attributes:
        mass: Whole mass [kg].
        inertia: Moment of inertia about body y [kg m^2].
        gravity: Gravity, straight down [m/s^2].
        slope: Incline angle, descending to the east [rad].
        height: Height of the centre of mass over the incline at release [m].
        height_along: Whether `height` is measured vertically or along the normal of the incline.
        wheels: Body (x, z) of each planar wheel [m]; x down and z west when the pitch is zero.
        n_sides: Real wheels that each planar wheel stands for.
        sink_at_rest: h_eq of Eq. 10 [m].
        damping_ratio: d of Eq. 11.
        mass_share: Mass that enters Eqs. 10 and 11: the whole one at each wheel, or divided by the real wheels.
        is_clamped: Compression-only ground; if false, the force of Eq. 4 may pull while the wheel is below ground.
        angle_stick: theta_1 of Eq. 14 [rad].
        angle_slide: theta_2 of Eq. 15 [rad].
        speed_stick: V_1 of the friction table [m/s] (assumed; the paper gives none).
        speed_slide: V_2 of the friction table [m/s] (assumed; the paper gives none).
        velocity_east: East velocity at release [m/s].
        velocity_up: Upward velocity at release [m/s].
        pitch: Pitch at release [rad].
        pitch_rate: Pitch rate at release [rad/s].
        duration: Simulated time [s].
    """

    mass: float = 899.18
    inertia: float = 571.41
    gravity: float = 3.7132
    slope: float = math.radians(22.0)
    height: float = 2.0
    height_along: Literal["vertical", "normal"] = "vertical"
    wheels: tuple[tuple[float, float], ...] = ((0.8944, 1.165), (0.8944, -1.095))
    n_sides: int = 2
    sink_at_rest: float = 0.01
    damping_ratio: float = 0.1
    mass_share: Literal["whole", "per-point"] = "whole"
    is_clamped: bool = True
    angle_stick: float = math.radians(32.0)
    angle_slide: float = math.radians(27.0)
    speed_stick: float = 0.05
    speed_slide: float = 0.10
    velocity_east: float = 0.0
    velocity_up: float = 0.0
    pitch: float = 0.0
    pitch_rate: float = 0.0
    duration: float = 10.0

    @property
    def contact_mass(self) -> float:
        """Mass in Eqs. 10 and 11 [kg]."""
        return self.mass if self.mass_share == "whole" else self.mass / (self.n_sides * len(self.wheels))

    @property
    def stiffness(self) -> float:
        """K per real wheel [N/m], `Raiszadeh2012` Eq. 10."""
        return self.contact_mass * self.gravity / self.sink_at_rest

    @property
    def damping(self) -> float:
        """C per real wheel [N s/m], `Raiszadeh2012` Eq. 11."""
        return 2.0 * self.damping_ratio * math.sqrt(self.contact_mass * self.stiffness)

    @property
    def friction_table(self) -> tuple[float, float]:
        """Friction coefficients (mu_1, mu_2), `Raiszadeh2012` Eqs. 14 and 15."""
        return math.tan(self.angle_stick), math.tan(self.angle_slide)

    def initial_state(self) -> Array:
        """State at release, shape (6,)."""
        up = self.height if self.height_along == "vertical" else self.height / math.cos(self.slope)
        return np.array([0.0, up, self.pitch, self.velocity_east, self.velocity_up, self.pitch_rate])


class Contact(Enum):
    """What the ground does to one wheel."""

    APART = "gap above zero: no force"
    LOADED = "below ground, -K h - C hdot positive: the ground pushes"
    SLACK = "below ground, -K h - C hdot negative and clamped: no force"
    PULLED = "below ground, -K h - C hdot negative and not clamped: the ground pulls"


@dataclass(frozen=True)
class Regime:
    """Contact of one wheel and its band of the friction table.

    Attributes:
        contact: What the ground does.
        band: 0 for |v_t| < V1, 1 and 2 beyond V1 and V2 downhill, -1 and -2 uphill; without meaning when no force acts.
    """

    contact: Contact
    band: int = 0

    @property
    def is_forced(self) -> bool:
        """Whether the ground acts on the wheel."""
        return self.contact in (Contact.LOADED, Contact.PULLED)


def wheel_arm(case: PlanarCase, i_wheel: int, y: Array) -> tuple[Array, Array]:
    """Wheel relative to the centre of mass, east and up [m]."""
    down, west = case.wheels[i_wheel]
    sin_pitch, cos_pitch = np.sin(y[2]), np.cos(y[2])
    return down * sin_pitch - west * cos_pitch, -down * cos_pitch - west * sin_pitch


def wheel_motion(case: PlanarCase, i_wheel: int, y: Array) -> tuple[Array, Array, Array]:
    """Gap h [m], gap rate [m/s] and downhill speed v_t [m/s] of a wheel (`Raiszadeh2012` Eqs. 1-3 and 5)."""
    arm_east, arm_up = wheel_arm(case, i_wheel, y)
    v_east, v_up = y[3] - y[5] * arm_up, y[4] + y[5] * arm_east
    n_east, n_up = math.sin(case.slope), math.cos(case.slope)
    gap = (y[0] + arm_east) * n_east + (y[1] + arm_up) * n_up
    return gap, v_east * n_east + v_up * n_up, v_east * n_up - v_up * n_east


def band_edges(case: PlanarCase) -> tuple[float, ...]:
    """Speeds that bound the friction bands [m/s]: band b lies between entries b + 2 and b + 3."""
    return (-math.inf, -case.speed_slide, -case.speed_stick, case.speed_stick, case.speed_slide, math.inf)


def band_of(case: PlanarCase, v_t: float) -> int:
    """Friction band of a downhill speed [m/s]."""
    magnitude = int(abs(v_t) > case.speed_stick) + int(abs(v_t) > case.speed_slide)
    return magnitude if v_t > 0.0 else -magnitude


def friction_coefficient(case: PlanarCase, band: int, v_t: Array) -> Array:
    """Coefficient with the sign of v_t: `Raiszadeh2012` Figure 4, each band continued smoothly past its edges."""
    mu_1, mu_2 = case.friction_table
    sign = math.copysign(1.0, band)
    if band == 0:
        return mu_1 * v_t / case.speed_stick
    if abs(band) == 1:
        steepness = (mu_2 - mu_1) / (case.speed_slide - case.speed_stick)
        return sign * (mu_1 + steepness * (sign * v_t - case.speed_stick))
    return sign * mu_2 + 0.0 * v_t


def wheel_force(case: PlanarCase, regime: Regime, gap: Array, rate: Array, v_t: Array) -> tuple[Array, Array]:
    """Force on one real wheel along the normal and downhill [N], `Raiszadeh2012` Eqs. 4 and 7 (sign corrected)."""
    if not regime.is_forced:
        return 0.0 * gap, 0.0 * gap
    normal = -case.stiffness * gap - case.damping * rate
    # Eq. 7 takes |F_N|; the sign comes from the regime and not from the value, so that the force stays smooth.
    magnitude = normal if regime.contact is Contact.LOADED else -normal
    return normal, -friction_coefficient(case, regime.band, v_t) * magnitude


def state_rate(case: PlanarCase, regimes: tuple[Regime, ...], y: Array) -> Array:
    """Time derivative of one state with the regimes frozen, shape (6,)."""
    n_east, n_up = math.sin(case.slope), math.cos(case.slope)
    force_east, force_up, moment = 0.0, -case.mass * case.gravity, 0.0
    for i_wheel, regime in enumerate(regimes):
        if not regime.is_forced:
            continue
        normal, downhill = wheel_force(case, regime, *wheel_motion(case, i_wheel, y))
        f_east = case.n_sides * (normal * n_east + downhill * n_up)
        f_up = case.n_sides * (normal * n_up - downhill * n_east)
        arm_east, arm_up = wheel_arm(case, i_wheel, y)
        force_east, force_up = force_east + f_east, force_up + f_up
        moment = moment + arm_east * f_up - arm_up * f_east
    return np.array([*y[3:], force_east / case.mass, force_up / case.mass, moment / case.inertia])


def initial_regime(case: PlanarCase, i_wheel: int, y: Array) -> Regime:
    """Regime of a wheel at a state that no event led to."""
    gap, rate, v_t = (float(value) for value in wheel_motion(case, i_wheel, y))
    if gap > 0.0 or (gap == 0.0 and rate >= 0.0):
        return Regime(Contact.APART)
    if case.stiffness * gap + case.damping * rate < 0.0:
        return Regime(Contact.LOADED, band_of(case, v_t))
    return Regime(Contact.SLACK if case.is_clamped else Contact.PULLED, band_of(case, v_t))


def mechanical_energy(case: PlanarCase, y: Array) -> Array:
    """Kinetic, gravity (zero at the origin) and elastic energy [J]."""
    kinetic = 0.5 * case.mass * (y[3] ** 2 + y[4] ** 2) + 0.5 * case.inertia * y[5] ** 2
    elastic = np.zeros_like(y[0])
    for i_wheel in range(len(case.wheels)):
        gap = wheel_motion(case, i_wheel, y)[0]
        elastic = elastic + 0.5 * case.n_sides * case.stiffness * np.minimum(gap, 0.0) ** 2
    return kinetic + case.mass * case.gravity * y[1] + elastic


def lost_power(case: PlanarCase, regimes: tuple[Regime, ...], y: Array) -> Array:
    """Power that leaves the mechanical energy [W]: damper, friction, and the spring that a slack wheel gives up."""
    power = np.zeros_like(y[0])
    for i_wheel, regime in enumerate(regimes):
        gap, rate, v_t = wheel_motion(case, i_wheel, y)
        if regime.is_forced:
            downhill = wheel_force(case, regime, gap, rate, v_t)[1]
            power = power + case.n_sides * (case.damping * rate**2 - downhill * v_t)
        elif regime.contact is Contact.SLACK:
            power = power - case.n_sides * case.stiffness * gap * rate
    return power
