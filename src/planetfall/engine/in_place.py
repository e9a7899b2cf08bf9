"""Reading a number of a long vector where it lies.

Warp reads `y[i]` of a vector that is passed by reference as a copy of all of it, of which one number is taken. Where i
is known to the compiler, nothing is left of that; where it is not, hundreds of bytes are copied for eight.
"""

import warp as wp


@wp.func
def number(place: wp.ref[wp.float64]) -> wp.float64:
    """The number at a place: `number(y[i])`."""
    return place
