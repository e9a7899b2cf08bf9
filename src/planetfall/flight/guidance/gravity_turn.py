"""`gravity-turn`: thrust against the velocity; gravity turns the path to the vertical.

With a constant ratio n of thrust to local weight the speed follows from the angle theta of the velocity from the
downward vertical, in uniform gravity (CullerFried1957):

    v = v_0 (sin theta_0 / sin theta) (tan(theta/2) / tan(theta_0/2))^n

Without one, the deceleration along the path is that which ends at `speed` and `height` if the path stays straight, (v^2
- v_1^2) cos(theta) / (2 (h - h_1)), found anew at every call. Slower than `speed` the thrust points up and holds it.
"""

from collections.abc import Sequence

import numpy as np
import warp as wp

from planetfall.flight.guidance.model import GuidanceAim, GuidanceContext, GuidanceLaw, GuidanceNumbers, vertical
from planetfall.flight.navigation.estimate import Estimate
from planetfall.scenario.tables.flight.guidance import GuidanceGravityTurn

RATIO, SPEED, HEIGHT = (wp.constant(i) for i in range(3))
LOW = wp.constant(wp.float64(0.05))
"""Height over that of the end [m] below which the deceleration is no longer divided by it."""


@wp.func
def gravity_turn(
    n: GuidanceNumbers, now: Estimate, elapsed: wp.float64, t: wp.float64, memory: wp.array2d(dtype=wp.float64),
    run: int,
) -> GuidanceAim:  # fmt: skip
    """The force along the velocity, or straight up once the vehicle is slow."""
    out = GuidanceAim()
    speed = wp.length(now.velocity)
    weight = wp.length(now.gravity)
    if speed <= n[SPEED]:
        out.force = now.up * ((weight - n[SPEED] - vertical(now, now.velocity)) * now.mass)
        return out
    against = now.velocity * (wp.float64(-1.0) / speed)
    push = n[RATIO] * weight
    if wp.isnan(n[RATIO]):
        left = wp.max(vertical(now, now.place) - n[HEIGHT], LOW)
        steep = vertical(now, against)
        push = (speed * speed - n[SPEED] * n[SPEED]) * steep / (wp.float64(2.0) * left) - wp.dot(now.gravity, against)
    out.force = against * (push * now.mass)
    return out


def _numbers(table: GuidanceGravityTurn, context: GuidanceContext) -> Sequence[float]:
    return [np.nan if table.thrust_to_weight is None else table.thrust_to_weight, table.speed, table.height]


GRAVITY_TURN = GuidanceLaw("gravity-turn", gravity_turn, _numbers)
