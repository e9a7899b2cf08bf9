"""The paper's decoupled inverse kinematics: each side in closed form for a given roll, then the roll (Hacot1998 3.1).

For heights z_1 (rocker wheel), z_2 (inner) and z_3 (outer) of one side's wheel centres, each divided by cos(roll), the
bogie's pitch follows from z_2 - z_3 and the rocker's from z_2 - z_1:

    |D| sin(b + arg D) = (z_2 - z_3)/cos roll,                D = inner - outer arm of the bogie
    |E| sin(a + arg E) = (z_2 - z_1)/cos roll - inner_z(b),   E = pivot - rocker arm

taken on the branch of the flat pose. Heights depend on where the wheels are and so on the angles: the step is repeated.
The roll is then corrected so that both middle wheels stand on the ground, all other angles kept.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.rover.kinematics.stance import Place, Stance, first_status, stance_funcs
from planetfall.rover.params import ROLL, LinkParams, Posture, posture_of, vec5d, vec6d, wheel_at
from planetfall.rover.wheel_ground.footing import Footing
from planetfall.world.terrain.model import GROUND_OK

ENOUGH = wp.constant(wp.float64(1.0e-6))
"""Change of an angle [rad] below which the repetition for one roll ends: micrometres at the wheels."""


@wp.func
def angle_of(x: wp.float64, z: wp.float64, rise: wp.float64) -> wp.float64:
    """Turn after which the vector (x, z) rises by `rise`, on the branch that is zero where it does already.

    Beyond the vector's length it points straight up or down: out of reach, which the excess of a wheel then shows.
    """
    sign = wp.float64(1.0)
    if x < wp.float64(0.0):
        sign = wp.float64(-1.0)
    length = wp.sqrt(x * x + z * z)
    sine = wp.clamp(sign * rise / length, wp.float64(-1.0), wp.float64(1.0))
    return wp.asin(sine) - wp.atan2(sign * z, sign * x)


@wp.func
def side_angles(links: LinkParams, height: vec6d, posture: Posture, side: int) -> wp.vec2d:
    """Rocker and bogie pitch [rad] of one side from the heights [m] of its wheels' centres."""
    i = 3 * side
    up = posture.cosine[ROLL]
    lean = posture.sine[ROLL]
    # heights in the leaning plane of the side: wheels that stand outside of it are lower or higher by the roll
    z1 = (height[i] + lean * links.aside[i]) / up
    z2 = (height[i + 1] + lean * links.aside[i + 1]) / up
    z3 = (height[i + 2] + lean * links.aside[i + 2]) / up
    bogie = angle_of(links.arm[i + 1, 0] - links.arm[i + 2, 0], links.arm[i + 1, 1] - links.arm[i + 2, 1], z2 - z3)
    inner = wp.sin(bogie) * links.arm[i + 1, 0] + wp.cos(bogie) * links.arm[i + 1, 1]
    rocker = angle_of(links.pivot[side, 0] - links.arm[i, 0], links.pivot[side, 1] - links.arm[i, 1], z2 - z1 - inner)
    return wp.vec2d(rocker, bogie)


@wp.func
def corrected_roll(links: LinkParams, height: vec6d, posture: Posture) -> wp.float64:
    """Roll [rad] at which both middle wheels stand on the ground, all other angles kept."""
    right = wheel_at(links, posture, 1)
    left = wheel_at(links, posture, 4)
    # the vector from the right to the left wheel, turned by minus the roll, rises by the difference of the grounds
    return -angle_of(links.aside[4] - links.aside[1], left[1] - right[1], height[4] - height[1])


@wp.func
def mean_roll(links: LinkParams, height: vec6d) -> wp.float64:
    """First approximation of the roll [rad], from the mean heights of the two sides."""
    rise = height[0] + height[1] + height[2] - height[3] - height[4] - height[5]
    track = links.aside[3] + links.aside[4] + links.aside[5] - links.aside[0] - links.aside[1] - links.aside[2]
    return wp.asin(wp.clamp(rise / track, wp.float64(-0.9), wp.float64(0.9)))


@wp.func(inline=False)
def with_sides(links: LinkParams, height: vec6d, roll: wp.float64) -> vec5d:
    """All unknowns from the heights of the wheels' centres and the roll, in closed form."""
    q = vec5d()
    q[ROLL] = roll
    posture = posture_of(q)
    for side in range(2):
        angles = side_angles(links, height, posture, side)
        q[1 + 2 * side] = angles[0]
        q[2 + 2 * side] = angles[1]
    return q


@wp.struct
class Decoupled:
    """What the decoupled method found: the unknowns `q`, the `stance` there, repetitions used, and a ground status."""

    q: vec5d
    stance: Stance
    iterations: wp.int32
    status: wp.int32


@lru_cache
def decoupled_func(footing: Footing) -> Any:
    """`@wp.func (ground, links, place, passes, repeats) -> Decoupled` for a terrain."""
    ground_params, stance_of = footing.params, stance_funcs(footing).stance

    @wp.func
    def decoupled(ground: ground_params, links: LinkParams, place: Place, passes: int, repeats: int) -> Decoupled:
        out = Decoupled()
        out.stance = stance_of(ground, links, place, posture_of(out.q))
        out.status = first_status(out.stance)
        out.q[ROLL] = mean_roll(links, out.stance.ground)
        done = int(0)
        while done < passes and out.status == GROUND_OK:
            done += 1
            k = int(0)
            change = wp.float64(1.0)
            while k < repeats and change > ENOUGH and out.status == GROUND_OK:
                k += 1
                out.iterations += 1
                q = with_sides(links, out.stance.ground, out.q[ROLL])
                change = wp.float64(0.0)
                for i in range(5):
                    change = wp.max(change, wp.abs(q[i] - out.q[i]))
                out.q = q
                out.stance = stance_of(ground, links, place, posture_of(q))
                out.status = first_status(out.stance)
            if out.status == GROUND_OK:
                out.q[ROLL] = corrected_roll(links, out.stance.ground, posture_of(out.q))
                out.stance = stance_of(ground, links, place, posture_of(out.q))
                out.status = first_status(out.stance)
        return out

    return decoupled
