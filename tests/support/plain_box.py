"""A box with a contact point at each corner, on a plane in uniform gravity: scenarios as dictionaries."""

from __future__ import annotations

from typing import Any

import numpy as np


def corners(half: list[float], height: float = 0.0) -> list[dict[str, Any]]:
    """Contact points of a box of half edges [m], whose middle is a `height` [m] over the centre of mass."""
    found = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3, indexing="ij")).reshape(3, -1).T * half + [0.0, 0.0, height]
    return [{"name": str(i), "position": place.tolist()} for i, place in enumerate(found)]


def rolling_box() -> dict[str, Any]:
    """A long box of very unequal inertia that tumbles down a slope; rolling resistance once gave it 0.67 J of 38 J.

    The grip sets in below 0.09 m/s.
    """
    return {
        "scenario": {"name": "rolling box", "duration": 22.382605843094346},
        "gravity": {"model": "uniform", "acceleration": 1.7926411799295394},
        "terrain": {"model": "plane", "slope_deg": 24.96641907311932, "aspect_deg": 18.976437898679492},
        "vehicle": {
            "name": "box", "mass": 0.3534000385163473,
            "inertia": [0.32021208832067477, 2.7739780661559688, 3.0140536531967035],
            "points": corners([6.21933281800275, 1.9908669764424478, 0.75292531063]),
        },
        "contact": {
            "law": "distributed", "restitution": 0.7782405932421106, "impact_speed": 4.884139923739742,
            "impact_depth": 0.010236934900932382, "friction": 1.0972743037580626,
            "rolling_resistance": 0.09248075217715118, "slip_speed": 0.09006988802156796,
            "roll_rate": 0.011514058289830391,
        },
        "initial": {
            "height": 7.339720617931806, "velocity": [-2.741362605414784, -2.869302105700423, -5.513599935345078],
            "attitude": [0.600057150706029, 0.14562463559344305, -0.7831551423254558, 0.07343639727025068],
            "angular_velocity": [-6.724224770332074, 3.4443831410667847, -2.8444535128398263],
        },
        "integrator": {"method": "adaptive"},
        "record": {"interval": 0.05595651460773586},
    }  # fmt: skip


def slow_box() -> dict[str, Any]:
    """A large box that rocks in 2e-4 m/s^2; a point that parts slowly once took steps of 7e-12 s without end."""
    return {
        "scenario": {"name": "slow box", "duration": 2241.3923640669054},
        "gravity": {"model": "uniform", "acceleration": 0.00023384174732589725},
        "terrain": {"model": "plane", "slope_deg": 35.68789890610837, "aspect_deg": 328.6695539661827},
        "vehicle": {
            "name": "box", "mass": 654.6406606852413,
            "inertia": [7286.640216622782, 5273.980240059035, 12086.777982758642],
            "points": corners([6.20257512335729, 7.337859915562677, 1.345195821558211]),
        },
        "contact": {
            "law": "marker", "rest_penetration": 0.01231682928882532, "damping_ratio": 0.8089283596082119,
            "breakaway_angle_deg": 38.56128512092218, "breakaway_speed": 0.004414742792112881,
            "mass_share": "per-point", "sliding_angle_deg": 25.49319739488942,
            "sliding_speed": 0.00531073708554365,
        },
        "initial": {
            "height": 15.137581552647703, "velocity": [-0.32279527787975404, 0.12397143430915057, -0.2484179582791947],
            "attitude": [-0.7459684370063916, 0.4440969901566983, 0.12623249126351702, -0.47997324141394465],
            "angular_velocity": [0.003536350023656797, 0.011050490769319986, -0.023134125752194045],
        },
        "integrator": {"method": "adaptive"},
        "record": {"interval": 5.603480910167264},
    }  # fmt: skip
