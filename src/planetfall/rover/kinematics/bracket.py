"""The safe fall-back where Newton does not settle: one unknown at a time, each root bracketed and halved.

For a given roll the unknowns follow one after the other: the right bogie stands its outer wheel on the ground, the
right rocker its own wheel; on the left, whose axis is then fixed, the rocker its wheel and the bogie its inner wheel.
What is left is the excess of the left outer wheel, a function of the roll alone.

Each root is looked for outwards from the start, so that the nearest one is found; where no change of sign lies within
`SPAN`, there is no pose of this kind.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.rover.kinematics.stance import Place, stance_funcs
from planetfall.rover.params import ROLL, LinkParams, posture_of, vec5d
from planetfall.rover.wheel_ground.footing import Footing

SPAN = wp.constant(wp.float64(1.2))
"""Largest angle that is looked at [rad]."""
STRIDE = wp.constant(wp.float64(0.04))
"""Distance of the angles between which a change of sign is looked for [rad]."""
ROLL_STRIDE = wp.constant(wp.float64(0.06))
ROLL_SPAN = wp.constant(wp.float64(0.8))
CLOSINGS = wp.constant(60)
"""Most steps from a bracket to its root: plain halving alone would take 46 to the last bit."""


@wp.struct
class Try:
    """Unknowns `q` with the excess [m] that is left in `value`; NaN where there is none."""

    q: vec5d
    value: wp.float64


@wp.struct
class Bracket:
    """Two angles [rad] and the excesses [m] there; with opposite signs they hold a root."""

    a: wp.float64
    b: wp.float64
    fa: wp.float64
    fb: wp.float64


@wp.func
def holds_root(low: wp.float64, high: wp.float64) -> wp.bool:
    """Whether two excesses have opposite signs; false where one is not a number."""
    return (low <= wp.float64(0.0) and high >= wp.float64(0.0)) or (low >= wp.float64(0.0) and high <= wp.float64(0.0))


@wp.func
def next_trial(bracket: Bracket, step: int) -> wp.float64:
    """Where to look next: along the chord, every third time in the middle."""
    middle = (bracket.a + bracket.b) * wp.float64(0.5)
    if step % 3 == 2:
        return middle
    slope = bracket.fb - bracket.fa
    if slope == wp.float64(0.0):
        return middle
    return bracket.a - bracket.fa * (bracket.b - bracket.a) / slope


@wp.func
def narrowed(bracket: Bracket, at: wp.float64, value: wp.float64) -> Bracket:
    """The bracket after a look at one angle inside of it."""
    out = bracket
    if holds_root(bracket.fa, value):
        out.b = at
        out.fb = value
    else:
        out.a = at
        out.fa = value
    return out


@lru_cache
def bracket_func(footing: Footing) -> Any:
    """`@wp.func (ground, links, place, q, tolerance) -> Try` for a terrain; NaN where there is no pose."""
    ground_params, excess_of = footing.params, stance_funcs(footing).excess

    @wp.func
    def look(
        ground: ground_params, links: LinkParams, place: Place, q: vec5d, unknown: int, wheel: int, angle: wp.float64
    ) -> wp.float64:
        """Excess [m] of a wheel with one unknown set."""
        trial = q
        trial[unknown] = angle
        return excess_of(ground, links, place, posture_of(trial), wheel)

    @wp.func(inline=False)
    def root(
        ground: ground_params,
        links: LinkParams,
        place: Place,
        start: Try,
        unknown: int,
        wheel: int,
        tolerance: wp.float64,
    ) -> Try:
        """Sets one unknown so that one wheel stands on the ground; the root nearest to the start."""
        out = start
        if wp.isnan(start.value):
            return out
        first = wp.clamp(start.q[unknown], -SPAN, SPAN)
        out.q[unknown] = first
        value = look(ground, links, place, start.q, unknown, wheel, first)
        if wp.abs(value) <= tolerance:
            out.value = value
            return out
        up = Bracket()
        up.a = first
        up.fa = value
        down = up
        found = Bracket()
        is_found = int(0)
        k = int(0)
        while is_found == 0 and wp.float64(k) * STRIDE < wp.float64(2.0) * SPAN:
            k += 1
            up.b = first + wp.float64(k) * STRIDE
            down.b = first - wp.float64(k) * STRIDE
            if up.b <= SPAN:
                up.fb = look(ground, links, place, start.q, unknown, wheel, up.b)
                if holds_root(up.fa, up.fb):
                    found = up
                    is_found = int(1)
            if is_found == 0 and down.b >= -SPAN:
                down.fb = look(ground, links, place, start.q, unknown, wheel, down.b)
                if holds_root(down.fa, down.fb):
                    found = down
                    is_found = int(1)
            up.a = up.b
            up.fa = up.fb
            down.a = down.b
            down.fa = down.fb
        out.value = wp.float64(wp.nan)
        step = int(0)
        while is_found == 1 and step < CLOSINGS:
            at = next_trial(found, step)
            value = look(ground, links, place, start.q, unknown, wheel, at)
            out.q[unknown] = at
            out.value = value
            if wp.abs(value) <= tolerance:
                return out
            found = narrowed(found, at, value)
            step += 1
        if not (wp.abs(out.value) <= wp.float64(1.0e3) * tolerance):
            out.value = wp.float64(wp.nan)
        return out

    @wp.func(inline=False)
    def at_roll(
        ground: ground_params, links: LinkParams, place: Place, start: vec5d, roll: wp.float64, tolerance: wp.float64,
        is_alike: int,
    ) -> Try:  # fmt: skip
        """All other unknowns for one roll, and the excess of the left outer wheel that is left."""
        out = Try()
        out.q = start
        out.q[ROLL] = roll
        fine = tolerance * wp.float64(0.1)
        out = root(ground, links, place, out, 2, 2, fine)
        out = root(ground, links, place, out, 1, 0, fine)
        if is_alike == 1:  # set out on the left from where the right has come to stand
            out.q[3] = out.q[1]
            out.q[4] = out.q[2]
        out = root(ground, links, place, out, 3, 3, fine)
        out = root(ground, links, place, out, 4, 4, fine)
        if not wp.isnan(out.value):
            out.value = excess_of(ground, links, place, posture_of(out.q), 5)
        return out

    @wp.func(inline=False)
    def searched(
        ground: ground_params, links: LinkParams, place: Place, start: vec5d, tolerance: wp.float64, is_alike: int
    ) -> Try:
        """The roll nearest to the start at which the left outer wheel stands too."""
        first = wp.clamp(start[ROLL], -ROLL_SPAN, ROLL_SPAN)
        here = at_roll(ground, links, place, start, first, tolerance, is_alike)
        if wp.abs(here.value) <= tolerance:
            return here
        up = here
        down = here
        found = Bracket()
        is_found = int(0)
        k = int(0)
        while is_found == 0 and wp.float64(k) * ROLL_STRIDE < wp.float64(2.0) * ROLL_SPAN:
            k += 1
            angle = first + wp.float64(k) * ROLL_STRIDE
            if angle <= ROLL_SPAN:
                further = at_roll(ground, links, place, start, angle, tolerance, is_alike)
                if holds_root(up.value, further.value):
                    is_found = int(1)
                    found.a = up.q[ROLL]
                    found.fa = up.value
                    found.b = angle
                    found.fb = further.value
                    here = further
                up = further
            angle = first - wp.float64(k) * ROLL_STRIDE
            if is_found == 0 and angle >= -ROLL_SPAN:
                further = at_roll(ground, links, place, start, angle, tolerance, is_alike)
                if holds_root(down.value, further.value):
                    is_found = int(1)
                    found.a = down.q[ROLL]
                    found.fa = down.value
                    found.b = angle
                    found.fb = further.value
                    here = further
                down = further
        step = int(0)
        while is_found == 1 and step < CLOSINGS and wp.abs(here.value) > tolerance:
            here = at_roll(ground, links, place, here.q, next_trial(found, step), tolerance, is_alike)
            found = narrowed(found, here.q[ROLL], here.value)
            step += 1
        if is_found == 0 or not (wp.abs(here.value) <= tolerance):
            here.value = wp.float64(wp.nan)
        return here

    @wp.func
    def bracketed(ground: ground_params, links: LinkParams, place: Place, start: vec5d, tolerance: wp.float64) -> Try:
        found = searched(ground, links, place, start, tolerance, 0)
        if wp.isnan(found.value):
            found = searched(ground, links, place, start, tolerance, 1)
        return found

    return bracketed
