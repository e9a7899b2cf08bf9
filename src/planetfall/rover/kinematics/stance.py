"""How far the wheels of a given posture are from the ground, and how that changes with the unknowns.

The middle right wheel stands at the given place and on the ground; the other five have the excess

    e_i = (z_i - z_2r) - (ground_i - ground_2r)

where ground_i is the height at which the disc i would rest. All e_i = 0 are equations (2) to (7) of Hacot1998, with the
sign of the last one corrected.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.rover.params import (
    ANCHOR,
    ROLL,
    LinkParams,
    Posture,
    levelled,
    pivot_at,
    turned,
    vec5d,
    vec6d,
    vec6i,
    wheel_at,
)
from planetfall.rover.wheel_ground.disc import Disc
from planetfall.rover.wheel_ground.footing import Footing
from planetfall.world.terrain.model import GROUND_OK

mat56d = wp.types.matrix(shape=(5, 6), dtype=wp.float64)


@wp.struct
class Place:
    """Where the rover is to stand.

    `x`, `y` [m]: centre of the middle right wheel, surface frame; `heading`, `left`: horizontal unit vectors.
    """

    x: wp.float64
    y: wp.float64
    heading: wp.vec2d
    left: wp.vec2d


@wp.struct
class WheelRest:
    """One wheel over the ground.

    `ground` [m]: height of the centre at rest; `t`: tangent of half the contact angle; `forward`, `aside`, `upward`:
    the ground's covector (-slope, 1) along the leaning axes; `off` [m]: how far to the left of its middle plane a wide
    wheel touches; `rival`, `status`: as in `disc.Rest`.
    """

    ground: wp.float64
    t: wp.float64
    forward: wp.float64
    aside: wp.float64
    upward: wp.float64
    off: wp.float64
    rival: wp.float64
    status: wp.int32


@wp.struct
class Stance:
    """The six wheels over the ground, each as in `WheelRest`.

    `excess` [m]: how much higher above its rest than the middle right wheel.
    """

    excess: vec6d
    ground: vec6d
    t: vec6d
    forward: vec6d
    aside: vec6d
    upward: vec6d
    off: vec6d
    rival: vec6d
    status: vec6i


@wp.func
def place_at(x: wp.float64, y: wp.float64, yaw: wp.float64) -> Place:
    """A place from the middle right wheel and the yaw, anticlockwise from x."""
    place = Place()
    c = wp.cos(yaw)
    s = wp.sin(yaw)
    place.x = x
    place.y = y
    place.heading = wp.vec2d(c, s)
    place.left = wp.vec2d(-s, c)
    return place


@wp.func
def wheel_level(links: LinkParams, posture: Posture, wheel: int) -> wp.vec3d:
    """From the middle of the differential's axis to a wheel's centre [m], level heading frame."""
    plane = wheel_at(links, posture, wheel)
    return levelled(posture, plane[0], links.aside[wheel], plane[1])


@wp.func
def lever_row(links: LinkParams, posture: Posture, wheel: int, forward: wp.float64, upward: wp.float64) -> vec5d:
    """How a covector of the side's plane sees the wheel's centre move, relative to the axis, with each unknown."""
    out = vec5d()
    side = wheel // 3
    arm = turned(posture, 1 + 2 * side, links.arm[wheel, 0], links.arm[wheel, 1])
    if wheel != 3 * side:
        arm = turned(posture, 2 + 2 * side, links.arm[wheel, 0], links.arm[wheel, 1])
        pivot = pivot_at(links, posture, side)
        out[1 + 2 * side] = upward * pivot[0] - forward * pivot[1]
        out[2 + 2 * side] = upward * arm[0] - forward * arm[1]
    else:
        out[1 + 2 * side] = upward * arm[0] - forward * arm[1]
    return out


@wp.func(inline=False)
def newton_system(links: LinkParams, posture: Posture, stance: Stance) -> mat56d:
    """Derivatives of the five excesses by the five unknowns, and the excesses with their sign turned."""
    system = mat56d()
    anchor = wheel_at(links, posture, ANCHOR)
    row = int(0)
    wheel = int(0)
    while wheel < 6:
        if wheel != ANCHOR:
            fx = stance.forward[wheel]
            fz = stance.upward[wheel]
            own = lever_row(links, posture, wheel, fx, fz)
            other = lever_row(links, posture, ANCHOR, fx, fz)
            for k in range(5):
                system[row, k] = own[k] - other[k]
            here = wheel_at(links, posture, wheel)
            system[row, ROLL] = (
                stance.aside[wheel] * (here[1] - anchor[1])
                - fz * (links.aside[wheel] - links.aside[ANCHOR])
                - rest_by_roll(links, stance, wheel)
                + rest_by_roll(links, stance, ANCHOR)
            )
            system[row, 5] = -stance.excess[wheel]
            row += 1
        wheel += 1
    return system


@wp.func
def rest_by_roll(links: LinkParams, stance: Stance, wheel: int) -> wp.float64:
    """Derivative of a disc's height at rest by the roll, its centre staying over the same place."""
    t = stance.t[wheel]
    one = wp.float64(1.0)
    cosine = (one - t * t) / (one + t * t)
    return links.radius * cosine * stance.aside[wheel] + stance.off[wheel] * stance.upward[wheel]


@wp.func(inline=False)
def solve5(system: mat56d) -> vec5d:
    """Gauss with row exchange; a singular system gives what is not a number."""
    m = system
    for k in range(5):
        best = int(k)
        for i in range(k + 1, 5):
            if wp.abs(m[i, k]) > wp.abs(m[best, k]):
                best = i
        for j in range(6):
            swap = m[k, j]
            m[k, j] = m[best, j]
            m[best, j] = swap
        for i in range(k + 1, 5):
            factor = m[i, k] / m[k, k]
            for j in range(k + 1, 6):
                m[i, j] = m[i, j] - factor * m[k, j]
    out = vec5d()
    for r in range(5):
        k = 4 - r
        total = m[k, 5]
        for j in range(k + 1, 5):
            total -= m[k, j] * out[j]
        out[k] = total / m[k, k]
    return out


@wp.func
def largest_excess(stance: Stance) -> wp.float64:
    """The worst wheel [m]; not a number if any is not."""
    worst = wp.float64(0.0)
    total = wp.float64(0.0)
    for i in range(6):
        worst = wp.max(worst, wp.abs(stance.excess[i]))
        total += stance.excess[i]
    return worst + (total - total)


@wp.func
def first_status(stance: Stance) -> wp.int32:
    """GROUND_OK, or the status of the first wheel without ground."""
    for i in range(6):
        if stance.status[i] != GROUND_OK:
            return stance.status[i]
    return GROUND_OK


@dataclass(frozen=True)
class StanceFuncs:
    """The questions about wheels over one kind of terrain.

    Attributes:
        stance: `@wp.func (ground, links, place, posture) -> Stance`, of all wheels.
        excess: `@wp.func (ground, links, place, posture, wheel) -> excess [m]` of one wheel; NaN without ground.
    """

    stance: Any
    excess: Any


@lru_cache
def stance_funcs(footing: Footing) -> StanceFuncs:
    """The questions about wheels over a kind of terrain."""
    ground_params, rest_of = footing.params, footing.rest

    @wp.func(inline=False)
    def wheel_rest(
        ground: ground_params, links: LinkParams, place: Place, lean: wp.vec2d, level: wp.vec3d
    ) -> WheelRest:
        """Where a wheel rests whose centre is `level` from the place, in the level heading frame.

        `lean`: cosine and sine of the roll.
        """
        out = WheelRest()
        disc = Disc()
        disc.heading = place.heading
        disc.left = place.left
        disc.up = lean[0]
        disc.lean = lean[1]
        disc.radius = links.radius
        zero = wp.float64(0.0)
        out.ground = wp.float64(-1.0e300)
        rim = int(0)
        while rim < 3:
            off = zero
            if rim == 1:
                off = links.half_width
            if rim == 2:
                off = -links.half_width
            if rim == 0 or links.half_width > zero:
                middle = place.heading * level[0] + place.left * (level[1] + off * disc.up)
                disc.x = place.x + middle[0]
                disc.y = place.y + middle[1]
                rest = rest_of(ground, disc)
                height = rest.height + off * disc.lean
                if rest.status != GROUND_OK:
                    out.status = rest.status
                # the rims of a wide wheel that touch together count as one contact in the middle
                if height > out.ground + wp.float64(1.0e-12) * links.half_width:
                    out.ground = height
                    out.t = rest.t
                    out.off = off
                    out.rival = rest.rival
                    across = -wp.dot(rest.slope, place.left)
                    out.forward = -wp.dot(rest.slope, place.heading)
                    out.aside = across * disc.up - disc.lean
                    out.upward = across * disc.lean + disc.up
            rim += 1
        return out

    @wp.func(inline=False)
    def stance(ground: ground_params, links: LinkParams, place: Place, posture: Posture) -> Stance:
        out = Stance()
        anchor = wheel_level(links, posture, ANCHOR)
        lean = wp.vec2d(posture.cosine[ROLL], posture.sine[ROLL])
        wheel = int(0)
        while wheel < 6:
            level = wheel_level(links, posture, wheel) - anchor
            rest = wheel_rest(ground, links, place, lean, level)
            out.excess[wheel] = level[2] - rest.ground
            out.ground[wheel] = rest.ground
            out.t[wheel] = rest.t
            out.forward[wheel] = rest.forward
            out.aside[wheel] = rest.aside
            out.upward[wheel] = rest.upward
            out.off[wheel] = rest.off
            out.rival[wheel] = rest.rival
            out.status[wheel] = rest.status
            wheel += 1
        base = out.excess[ANCHOR]
        for i in range(6):
            out.excess[i] = out.excess[i] - base
        return out

    @wp.func(inline=False)
    def excess(ground: ground_params, links: LinkParams, place: Place, posture: Posture, wheel: int) -> wp.float64:
        lean = wp.vec2d(posture.cosine[ROLL], posture.sine[ROLL])
        level = wheel_level(links, posture, wheel) - wheel_level(links, posture, ANCHOR)
        anchor = wheel_rest(ground, links, place, lean, wp.vec3d())
        other = wheel_rest(ground, links, place, lean, level)
        if anchor.status != GROUND_OK or other.status != GROUND_OK:
            return wp.float64(wp.nan)
        return level[2] - (other.ground - anchor.ground)

    return StanceFuncs(stance, excess)
