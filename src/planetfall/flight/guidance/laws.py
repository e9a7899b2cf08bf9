"""All guidance laws by name, and several of them as one function, chosen by a number."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.flight.guidance.attitude_hold import ATTITUDE_HOLD, ENTRY, OFF
from planetfall.flight.guidance.constant_deceleration import CONSTANT_DECELERATION
from planetfall.flight.guidance.gravity_turn import GRAVITY_TURN
from planetfall.flight.guidance.hold_position import HOLD_POSITION
from planetfall.flight.guidance.hold_velocity import HOLD_VELOCITY
from planetfall.flight.guidance.model import GuidanceAim, GuidanceLaw, GuidanceNumbers
from planetfall.flight.guidance.polynomial import POLYNOMIAL
from planetfall.flight.navigation.estimate import Estimate

GUIDANCE_LAWS: dict[str, GuidanceLaw] = {
    law.name: law
    for law in (
        HOLD_VELOCITY,
        HOLD_POSITION,
        CONSTANT_DECELERATION,
        POLYNOMIAL,
        GRAVITY_TURN,
        ATTITUDE_HOLD,
        ENTRY,
        OFF,
    )
}


@lru_cache
def guide(laws: tuple[GuidanceLaw, ...], i_law: int = 0) -> Any:
    """`@wp.func (number of the law, numbers, estimate, elapsed, t, memory, run) -> GuidanceAim`.

    This law and those after it, chained as the sensors are in `engine.control.sensor_sampling`; a kernel has the code
    of those laws alone that its scenario uses. The last one is not asked for its number: there is no other.
    """
    own = laws[i_law].aim
    if i_law + 1 == len(laws):

        @wp.func
        def last(
            law: int, n: GuidanceNumbers, now: Estimate, elapsed: wp.float64, t: wp.float64,
            memory: wp.array2d(dtype=wp.float64), run: int,
        ) -> GuidanceAim:  # fmt: skip
            return own(n, now, elapsed, t, memory, run)

        return last
    rest = guide(laws, i_law + 1)

    @wp.func
    def chosen(
        law: int, n: GuidanceNumbers, now: Estimate, elapsed: wp.float64, t: wp.float64,
        memory: wp.array2d(dtype=wp.float64), run: int,
    ) -> GuidanceAim:  # fmt: skip
        if law == wp.static(i_law):
            return own(n, now, elapsed, t, memory, run)
        return rest(law, n, now, elapsed, t, memory, run)

    return chosen
