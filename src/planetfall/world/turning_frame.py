"""The surface frame, which turns with its target: the accelerations that are felt in it.

a = -Omega x (Omega x r) - 2 Omega x v          r measured from the target's centre, v relative to the frame
"""

import warp as wp

from planetfall.compute.fused import crossed, plus_crossed


@wp.struct
class FrameParams:
    """The surface frame: its `omega` [rad/s] and the target's `center` [m], both in surface components."""

    omega: wp.vec3d
    center: wp.vec3d


@wp.func
def inertial_acceleration(frame: FrameParams, position: wp.vec3d, velocity: wp.vec3d) -> wp.vec3d:
    """Centrifugal and Coriolis acceleration [m/s^2] in the rotating frame."""
    r = position - frame.center
    return crossed(plus_crossed(velocity * wp.float64(2.0), frame.omega, r), frame.omega)
