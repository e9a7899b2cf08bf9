"""Dents: how deep each contact point has been since it came into the ground, for laws that keep that."""

import warp as wp

from planetfall.contact.model import ContactMemory


@wp.func
def renewed_dent(memory: ContactMemory, j: int, run: int, gap: wp.float64) -> wp.float64:
    """The dent [m] of a point between steps: the present depth where that is more, none once it is out of the ground.

    A point that has left the ground comes down elsewhere, for all that is known.
    """
    dent = wp.float64(0.0)
    if gap < wp.float64(0.0):
        dent = wp.max(memory.dent[j, run], -gap)
    memory.dent[j, run] = dent
    return dent
