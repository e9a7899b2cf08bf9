"""What step is attempted after one that did not end where a mode changes."""

from __future__ import annotations

import warp as wp

import planetfall
from planetfall.engine.build import build
from planetfall.engine.solver.trial_step import MANY_ATTEMPTS, MAX_ATTEMPTS, Aim, attempting

MOVES_ALONG = 0.999
"""Share of a step at which the mode changes, however long it is: its length moves the event along with it."""


def attempts_needed(share: float) -> int:
    """Until a step of 1 s is taken whose event is at that share of it, or is not in one shorter than a thousandth."""
    is_close = attempting(build(planetfall.load("msl-drop").with_values({"integrator.method": "adaptive"})).assembly)[1]

    @wp.kernel(enable_backward=False, module="unique")
    def aimed(share: wp.float64, attempts_out: wp.array(dtype=wp.int32)):
        aim = Aim()
        aim.h = wp.float64(1.0)
        aim.location = wp.float64(1.0e-11)
        is_taken = int(0)
        while is_taken == 0 and aim.attempts < MAX_ATTEMPTS:
            aim.attempts += 1
            theta = wp.float64(share)
            if aim.h < wp.float64(1.0e-3):
                theta = wp.float64(2.0)  # none
            is_taken = is_close(theta, aim)
        attempts_out[0] = wp.where(is_taken == 1, aim.attempts, -1)

    out = wp.zeros(1, dtype=wp.int32, device="cpu")
    wp.launch(aimed, 1, inputs=[share], outputs=[out], device="cpu")
    return int(out.numpy()[0])


def test_an_event_that_moves_along_with_the_step_does_not_refuse_it() -> None:
    """Aimed at it again and again, 1 s would take 6,900 attempts to a millisecond; halved it takes eleven more."""
    assert attempts_needed(MOVES_ALONG) == int(MANY_ATTEMPTS) + 11 < MAX_ATTEMPTS
