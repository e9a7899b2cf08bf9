"""Whether a beam returns: ground within its range, met not too slantingly."""

import numpy as np
import warp as wp

from planetfall.world.terrain.model import RAY_HIT, RayHit


@wp.func
def returns(hit: RayHit, direction: wp.vec3d, least_cosine: wp.float64) -> bool:
    """Whether a ray has hit, at an angle to the normal whose cosine is at least this; any at or below zero."""
    if hit.status != RAY_HIT:
        return False
    if least_cosine <= wp.float64(0.0):
        return True
    return -wp.dot(direction, hit.normal) >= least_cosine * wp.length(hit.normal)


def least_cosine(incidence_max_deg: float) -> float:
    """Of the largest angle [deg] that returns; 0 for 90 degrees, which is any."""
    return 0.0 if incidence_max_deg >= 90.0 else float(np.cos(np.radians(incidence_max_deg)))
