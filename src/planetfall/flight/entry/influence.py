"""How far a small change along a reference moves its end: influence coefficients by the adjoint equations.

With the rates f of `planar` along the reference and the Jacobian A = df/dx over (V, g, h), the adjoint (l_V, l_g, l_h)
of the range at the speed of the end obeys, backwards in time,

    l' = -A^T l - ds'/dx,      l_u' = -(D/V) l_g while there is lift
    at the end:  l_V = s'/(-V'),  l_g = l_h = l_u = 0
    where the bank angle jumps at a speed:  l_V before = l_V after + l_g (g' after - g' before)/V'

Drag changes with height as density does, by the scale height H, and with the Mach number by its coefficient. A sensed
drag that differs is a height that differs, dD = -D dh/H; a sensed rate of height is a path angle, dh' = V cos g dg:

    F1 = dR/dD = -(H/D) l_h       F2 = dR/dh' = l_g/(V cos g)       F3 = dR/du = l_u
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planetfall.flight.entry.planar import PlanarEntry

JUST = 1e-6
"""Time [s] past a jump of the bank angle at which its other side is looked up."""


@dataclass(frozen=True)
class Influence:
    """F1 [s^2], F2 [s] and F3 [m] at the points [n] of a reference."""

    of_drag: np.ndarray
    of_height_rate: np.ndarray
    of_lift: np.ndarray


def influence(
    entry: PlanarEntry,
    times: np.ndarray,
    states: np.ndarray,
    cosine: Callable[[float], float],
    kinks: tuple[float, ...],
) -> Influence:
    """Of a reference: times [n], states [n, 4], and the cosine of the bank angle over speed.

    Args:
        entry: What was flown.
        times: [n] [s], rising, from the first point to the end.
        states: [n, 4] s, V, path angle, h.
        cosine: Of the bank angle, of the speed.
        kinks: Instants [s] at which the cosine jumps.
    """
    from scipy.integrate import solve_ivp  # here, or every run would wait for it
    from scipy.interpolate import CubicHermiteSpline

    slopes = np.array([entry.rates(y, cosine(y[1])) for y in states])
    path = CubicHermiteSpline(times, states, slopes)

    def backwards(t: float, adjoint: np.ndarray, held: float) -> np.ndarray:
        y = path(t)
        drag, ratio = entry.loads(y[1], y[3])
        own = -partial_rates(entry, y, held).T @ np.concatenate([[1.0], adjoint[:3]])
        return np.concatenate([own[1:], [-(drag / y[1]) * adjoint[1] if ratio > 0.0 else 0.0]])

    end = slopes[-1]
    adjoint = np.array([end[0] / -end[1], 0.0, 0.0, 0.0])
    found = np.empty((len(times), 4))
    found[-1] = adjoint
    borders = [times[-1], *sorted((t for t in kinks if times[0] < t < times[-1]), reverse=True), times[0]]
    for late, early in pairwise(borders):
        held = cosine(float(path(0.5 * (late + early))[1]))
        if late < times[-1]:
            y, after = path(late), cosine(float(path(late + JUST)[1]))
            jump = entry.rates(y, after) - entry.rates(y, held)
            adjoint = adjoint + np.array([adjoint[1] * jump[2] / entry.rates(y, held)[1], 0.0, 0.0, 0.0])
        asked = np.flatnonzero((times >= early) & (times < late))[::-1]
        at = np.unique(np.concatenate([times[asked], [early]]))[::-1]
        solved = solve_ivp(
            backwards, (late, early), adjoint, t_eval=at, args=(held,), rtol=1e-7, atol=1e-9, max_step=4.0
        )  # fmt: skip
        adjoint = solved.y[:, -1]
        found[asked] = solved.y.T[: len(asked)]
    speed, path_angle, height = states[:, 1], states[:, 2], states[:, 3]
    drag = np.array([entry.loads(v, h)[0] for v, h in zip(speed, height, strict=True)])
    scale_height = -1.0 / entry.log_density(height, 1)
    return Influence(-scale_height / drag * found[:, 2], found[:, 1] / (speed * np.cos(path_angle)), found[:, 3])


def partial_rates(entry: PlanarEntry, y: np.ndarray, cosine: float) -> np.ndarray:
    """Derivatives [4, 4] of the rates of s, V, path angle and h by the same, at one bank angle."""
    _, speed, path, height = y
    sound, sound_rate = float(entry.sound_speed(height)), float(entry.sound_speed(height, 1))
    mach = speed / sound
    area, area_rate = float(entry.drag_area(mach)), float(entry.drag_area(mach, 1))
    drag, ratio = entry.loads(speed, height)
    ratio_rate = float(entry.lift_ratio(mach, 1))
    by_mach = drag * area_rate / area
    drag_speed = 2.0 * drag / speed + by_mach / sound
    drag_height = drag * float(entry.log_density(height, 1)) - by_mach * mach * sound_rate / sound
    u, u_speed, u_height = ratio * cosine, ratio_rate * cosine / sound, -ratio_rate * cosine * mach * sound_rate / sound
    r = entry.radius + height
    g, sine, along = entry.gm / r**2, np.sin(path), np.cos(path)
    out = np.zeros((4, 4))
    out[0] = [0.0, along * entry.radius / r, -speed * sine * entry.radius / r, -speed * along * entry.radius / r**2]
    out[1] = [0.0, -drag_speed, -g * along, -drag_height + 2.0 * g * sine / r]
    out[2, 1] = (drag_speed * u + drag * u_speed) / speed - drag * u / speed**2 + along / r + g * along / speed**2
    out[2, 2] = -(speed / r - g / speed) * sine
    out[2, 3] = (drag_height * u + drag * u_height) / speed - speed * along / r**2 + 2.0 * g * along / (r * speed)
    out[3] = [0.0, sine, speed * along, 0.0]
    return out
