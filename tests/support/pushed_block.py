"""A block in empty space under a push and a thruster, and what a thruster off its axis makes of it in closed form.

Both forces are always there, one of them perhaps without magnitude, so that one kernel serves every test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import planetfall

MASS, INERTIA_Z = 100.0, 100.0 / 6.0  # of the built-in block [kg], [kg m^2]

Table = tuple[Sequence[float], Sequence[float]]
"""Instants [s] and magnitudes [N]."""
NOTHING: Table = ((0.0, 1.0), (0.0, 0.0))


def force(
    kind: str, table: Table, direction: Sequence[float], point: Sequence[float] = (0.0, 0.0, 0.0)
) -> dict[str, Any]:
    """One entry of `[[forces]]`."""
    return {
        "kind": kind, "direction": list(direction), "point": list(point), "times": list(table[0]),
        "magnitudes": list(table[1]),
    }  # fmt: skip


def block_in_space(push: dict[str, Any] | None, thruster: dict[str, Any] | None, **values: Any) -> planetfall.Scenario:
    """The block, at rest 1 km over the ground without gravity; a force that is not given is there with no magnitude.

    Args:
        push: From `force`.
        thruster: From `force`.
        values: Further keys, with `__` for the dot.
    """
    forces = [
        push or force("push", NOTHING, (1.0, 0.0, 0.0)),
        thruster or force("thruster", NOTHING, (1.0, 0.0, 0.0)),
    ]
    return planetfall.load("sink-flat").with_values(
        {
            "gravity.model": "none",
            "contact.reference_gravity": 3.7132,
            "terrain.point": [0.0, 0.0, -1000.0],
            "initial": {"position": [0.0, 0.0, 0.0]},
            "forces": forces,
            **{key.replace("__", "."): value for key, value in values.items()},
        }
    )


ARM, TIMES, LEVELS = 0.4, (0.5, 1.5, 2.5), (60.0, 180.0, 30.0)  # a thruster off the axis: [m], [s], [N]
SPIN_UP = force("thruster", (TIMES, LEVELS), (0.0, 1.0, 0.0), (ARM, 0.0, 0.0))


def spun_up(t: float) -> tuple[float, float, float]:
    """Thrust [N], angle [rad] and rate [rad/s] of the block about its axis at t, by integrating the table."""
    rate = angle = 0.0
    for (t0, t1), (f0, f1) in zip(pairwise(TIMES), pairwise(LEVELS), strict=True):
        s, slope = min(max(t - t0, 0.0), t1 - t0), (f1 - f0) / (t1 - t0)
        angle += rate * s + ARM / INERTIA_Z * (f0 * s**2 / 2.0 + slope * s**3 / 6.0)
        rate += ARM / INERTIA_Z * (f0 * s + slope * s**2 / 2.0)
    thrust = float(np.interp(t, TIMES, LEVELS)) if TIMES[0] <= t <= TIMES[-1] else 0.0
    return thrust, angle + rate * max(t - TIMES[-1], 0.0), rate


def thrown(t: float) -> tuple[np.ndarray, np.ndarray]:
    """Position [m] and velocity [m/s] at t >= 2.5 s: Gauss-Legendre quadrature of the turned thrust, row by row.

    40 nodes on pieces that turn by less than 6 rad leave rounding only.
    """
    nodes, weights = np.polynomial.legendre.leggauss(40)
    position, velocity = np.zeros(3), np.zeros(3)
    for start, end in pairwise(TIMES):
        for node, weight in zip(nodes, weights, strict=True):
            s = 0.5 * (start + end) + 0.5 * (end - start) * node
            thrust, angle, _ = spun_up(s)
            gain = 0.5 * (end - start) * weight * thrust / MASS * np.array([-math.sin(angle), math.cos(angle), 0.0])
            velocity += gain
            position += gain * (t - s)
    return position, velocity
