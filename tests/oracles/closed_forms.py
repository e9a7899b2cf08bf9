"""Closed forms that the simulator is checked against: contact, sliding, orbits, and the torque-free top.

SI units and radians throughout. Vectors have shape (3,); a time argument may be a scalar or, where said, an array.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import root_scalar
from scipy.special import ellipj, ellipkinc

Array = NDArray[np.float64]


def restitution_clamped(damping_ratio: float) -> float:
    """Restitution of a spring-damper that never pulls, without gravity.

    The body leaves where k x + c v = 0, which is an inflection of the motion: omega_d t = pi - 2 asin(zeta). Beyond
    critical damping the same expression continues analytically.
    """
    if damping_ratio == 1.0:
        return math.exp(-2.0)
    root = math.sqrt(abs(1.0 - damping_ratio**2))
    angle = 2.0 * (math.acos(damping_ratio) if damping_ratio < 1.0 else math.acosh(damping_ratio))
    return math.exp(-damping_ratio * angle / root)


def restitution_unclamped(damping_ratio: float) -> float:
    """Restitution of a spring-damper that may pull until the gap closes, without gravity: half a period of decay."""
    return math.exp(-math.pi * damping_ratio / math.sqrt(1.0 - damping_ratio**2)) if damping_ratio < 1.0 else 0.0


def damped_spring(
    t: ArrayLike, x0: float, v0: float, mass: float, stiffness: float, damping: float, gravity: float = 0.0
) -> tuple[Array, Array]:
    """Underdamped m x'' = -k x - c x' - m g, x upwards.

    Args:
        t: Instants [s], any shape.
        x0: Position at t = 0 [m], from the unloaded length.
        v0: Velocity at t = 0 [m/s].
        mass: Mass [kg].
        stiffness: k [N/m].
        damping: c [N s/m], below critical.
        gravity: g [m/s^2].

    Returns:
        Position [m] and velocity [m/s], in the shape of t.
    """
    t = np.asarray(t, dtype=np.float64)
    rest, decay = -mass * gravity / stiffness, 0.5 * damping / mass
    omega = math.sqrt(stiffness / mass - decay**2)
    a, b = x0 - rest, (v0 + decay * (x0 - rest)) / omega
    envelope, cosine, sine = np.exp(-decay * t), np.cos(omega * t), np.sin(omega * t)
    swing = envelope * (a * cosine + b * sine)
    return rest + swing, envelope * omega * (b * cosine - a * sine) - decay * swing


def creep_speed(slope: float, speed_stick: float, friction_stick: float) -> float:
    """Speed [m/s] at which the first band of the friction table (`Raiszadeh2012` Figure 4) carries the weight."""
    return speed_stick * math.tan(slope) / friction_stick


def slide_acceleration(gravity: float, slope: float, friction_slide: float) -> float:
    """Acceleration down the incline while every wheel slides faster than V2 [m/s^2]."""
    return gravity * (math.sin(slope) - friction_slide * math.cos(slope))


def bistable_speed(
    slope: float, speed_stick: float, speed_slide: float, friction_stick: float, friction_slide: float
) -> float:
    """Unstable speed between creep and runaway [m/s], for mu_2 < tan(slope) < mu_1: the falling band of the table."""
    fall = (friction_stick - math.tan(slope)) / (friction_stick - friction_slide)
    return speed_stick + (speed_slide - speed_stick) * fall


def static_wheel_loads(
    mass: float,
    gravity: float,
    slope: float,
    arm_uphill: float,
    arm_downhill: float,
    cm_height: float,
    n_sides: int = 2,
) -> tuple[float, float]:
    """Normal force on one uphill and one downhill wheel of a rigid body at rest on an incline [N].

    The body is taken parallel to the incline: the difference between the sinks, which tilts it a little, is left out.

    Args:
        mass: Mass [kg].
        gravity: g [m/s^2].
        slope: Incline [rad].
        arm_uphill: Distance of the uphill wheels from the centre of mass, along the incline [m].
        arm_downhill: Same for the downhill wheels [m].
        cm_height: Height of the centre of mass over the wheels' contact points [m].
        n_sides: Wheels of each kind.
    """
    per_side = mass * gravity / n_sides / (arm_uphill + arm_downhill)
    uphill = per_side * (arm_downhill * math.cos(slope) - cm_height * math.sin(slope))
    downhill = per_side * (arm_uphill * math.cos(slope) + cm_height * math.sin(slope))
    return uphill, downhill


def j2_node_rate(
    gm: float, j2: float, radius: float, semi_major_axis: float, eccentricity: float, inclination: float
) -> float:
    """Mean rate of the ascending node under J2, to first order in J2 [rad/s]; negative for a direct orbit."""
    p = semi_major_axis * (1.0 - eccentricity**2)
    mean_motion = math.sqrt(gm / semi_major_axis**3)
    return -1.5 * j2 * (radius / p) ** 2 * mean_motion * math.cos(inclination)


def _stumpff(z: float) -> tuple[float, float]:
    """C(z) = (1 - cos sqrt z)/z and S(z) = (sqrt z - sin sqrt z)/sqrt(z)^3, by series where those cancel."""
    if abs(z) < 1.0:
        c = s = 0.0
        for k in range(11, -1, -1):
            c = c * -z + 1.0 / math.factorial(2 * k + 2)
            s = s * -z + 1.0 / math.factorial(2 * k + 3)
        return c, s
    root = math.sqrt(abs(z))
    if z > 0.0:
        return (1.0 - math.cos(root)) / z, (root - math.sin(root)) / root**3
    return (1.0 - math.cosh(root)) / z, (math.sinh(root) - root) / root**3


def kepler_arc(r0: ArrayLike, v0: ArrayLike, gm: float, t: float) -> tuple[Array, Array]:
    """Two-body position [m] and velocity [m/s] at time t after (r0, v0), inertial frame, by universal variables.

    Any conic serves, forwards or backwards. Kepler's equation is monotonic in chi (its slope is the radius), so a
    bracket always closes on the one root.
    """
    r0, v0 = np.asarray(r0, dtype=np.float64), np.asarray(v0, dtype=np.float64)
    radius, root_gm = float(np.linalg.norm(r0)), math.sqrt(gm)
    radial = float(r0 @ v0) / root_gm
    alpha = 2.0 / radius - float(v0 @ v0) / gm

    def excess(chi: float) -> float:
        c, s = _stumpff(alpha * chi**2)
        return radial * chi**2 * c + (1.0 - alpha * radius) * chi**3 * s + radius * chi - root_gm * t

    low = high = 0.0
    stride = root_gm * abs(t) / radius + 1e-9 * math.sqrt(radius)
    while excess(high) < 0.0:
        high, stride = high + stride, 1.5 * stride
    while excess(low) > 0.0:
        low, stride = low - stride, 1.5 * stride
    xtol = 1e-15 * math.sqrt(radius)
    chi = float(root_scalar(excess, bracket=(low, high), xtol=xtol, rtol=1e-15).root) if high > low else 0.0
    c, s = _stumpff(alpha * chi**2)
    r = (1.0 - chi**2 * c / radius) * r0 + (t - chi**3 * s / root_gm) * v0
    distance = float(np.linalg.norm(r))
    f_rate = root_gm / (distance * radius) * chi * (alpha * chi**2 * s - 1.0)
    return r, f_rate * r0 + (1.0 - chi**2 * c / distance) * v0


def rotating_view(r: ArrayLike, v: ArrayLike, axis: ArrayLike, rate: float, t: float) -> tuple[Array, Array]:
    """Inertial position and velocity as a frame turning uniformly about its origin sees them.

    Args:
        r: Position, inertial components [m].
        v: Velocity, inertial components [m/s].
        axis: Axis of rotation, any length; its components are the same in both frames.
        rate: Rate about the axis, right-handed [rad/s].
        t: Time since the two frames coincided [s].

    Returns:
        Position [m] and velocity relative to the rotating frame [m/s], in rotating components.
    """
    unit = np.asarray(axis, dtype=np.float64) / np.linalg.norm(axis)
    r, v = np.asarray(r, dtype=np.float64), np.asarray(v, dtype=np.float64)

    def turned_back(a: Array) -> Array:
        cosine, sine = math.cos(rate * t), math.sin(rate * t)
        return a * cosine - np.cross(unit, a) * sine + unit * float(unit @ a) * (1.0 - cosine)

    return turned_back(r), turned_back(v - rate * np.cross(unit, r))


def torque_free_rates(inertia: ArrayLike, omega0: ArrayLike, t: ArrayLike) -> Array:
    """Body rates of a free asymmetric top by Jacobi's elliptic functions (Landau and Lifshitz, Mechanics, section 37).

    With the axes ordered I_a < I_b < I_c and L^2 > 2 T I_b the rates circle axis c: omega_a ~ cn, omega_b ~ sn,
    omega_c ~ dn. With L^2 < 2 T I_b they circle axis a, and a and c change places. The constants are written as sums
    of squares of the initial rates, which do not cancel near a principal axis. Initial phase from omega_a, omega_b.

    Args:
        inertia: Three different principal moments [kg m^2], in any order.
        omega0: Body rates at t = 0 [rad/s].
        t: Instants [s], shape (n,) or scalar.

    Returns:
        Body rates [rad/s], shape (n, 3) or (3,).

    Raises:
        ValueError: On the separatrix L^2 = 2 T I_b away from axis b, where the period is infinite and the phase lost.
    """
    if np.count_nonzero(omega0) <= 1:
        return np.broadcast_to(np.asarray(omega0, dtype=np.float64), (*np.shape(t), 3)).copy()
    order = np.argsort(np.asarray(inertia, dtype=np.float64))
    moments = np.asarray(inertia, dtype=np.float64)[order]
    # An odd reordering of the axes reverses the handedness, and with it the sign that rates must have in Euler's law.
    parity = float(np.linalg.det(np.eye(3)[order]))
    u = parity * np.asarray(omega0, dtype=np.float64)[order]
    excess = float(np.sum(moments * (moments - moments[1]) * u**2))  # L^2 - 2 T I_b
    if abs(excess) < 1e-12 * float(np.sum((moments * u) ** 2)):
        raise ValueError(f"torque_free_rates: omega0 = {omega0} [rad/s] lies on the separatrix; choose other rates")
    a, b, c = (0, 1, 2) if excess >= 0.0 else (2, 1, 0)
    from_c = float(np.sum(moments * abs(moments - moments[c]) * u**2))  # |2 T I_c - L^2|
    from_a = float(np.sum(moments * abs(moments - moments[a]) * u**2))  # |L^2 - 2 T I_a|
    span, near = abs(moments[c] - moments[a]), abs(moments[c] - moments[b])
    peak_a = math.sqrt(from_c / (moments[a] * span))
    peak_b = math.sqrt(from_c / (moments[b] * near))
    peak_c = math.sqrt(from_a / (moments[c] * span))
    rate = math.sqrt(near * from_a / math.prod(moments))
    parameter = min(abs(moments[b] - moments[a]) * from_c / (near * from_a), 1.0)
    sign = math.copysign(1.0, u[c])
    phase = ellipkinc(math.atan2(sign * u[b] * peak_a, u[a] * peak_b), parameter)
    sn, cn, dn, _ = ellipj(phase + rate * np.asarray(t, dtype=np.float64), parameter)
    rates = np.empty((*np.shape(t), 3))
    rates[..., order[a]] = parity * peak_a * cn
    rates[..., order[b]] = parity * sign * peak_b * sn
    rates[..., order[c]] = parity * sign * peak_c * dn
    return rates
