"""What an evaluation of a state between two steps finds."""

from functools import lru_cache
from typing import Any

import warp as wp


@lru_cache
def evaluation_struct(vector: Any) -> Any:
    """What an evaluation between steps finds: the slope, and what `ContactSum` counts and books, over all bodies.

    `gravity` [m/s^2], surface frame, is that of the first body; `kinetic` and `stored` energy [J], that in gravity, in
    the ground and in tethers, of all bodies; `is_broken`: 1 where a crash has taken kinetic energy at once;
    `returned`: power [W] that a law gives back, as far as it says that it may.
    """

    @wp.struct
    class Evaluation:
        slope: vector
        gravity: wp.vec3d
        booked: wp.float64
        kinetic: wp.float64
        stored: wp.float64
        returned: wp.float64
        loaded: wp.int32
        moving: wp.int32
        sliding: wp.int32
        status: wp.int32
        is_broken: wp.int32

    return Evaluation
