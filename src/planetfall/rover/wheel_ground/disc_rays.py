"""A disc on any terrain that answers rays: the rim is sampled from above, and every maximum is closed in on.

A bump that rises and falls between two neighbouring samples is missed: with the 65 of them, anything narrower than
r pi/64, about a twentieth of the radius. Vertical walls are jumps of the ground: the disc then touches their edge, and
a horizontal ray tells which way the wall faces. Under an overhang the rover drives on top.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.rover.wheel_ground.disc import (
    Disc,
    Rest,
    Wave,
    facet_wave,
    no_rest,
    offer,
    offer_crease,
    rim_offset,
    wave_height,
    wave_rate,
)
from planetfall.world.terrain.model import GROUND_OFF_MAP, RAY_HIT, TerrainModel

SAMPLES = wp.constant(64)
"""Intervals between the sampled angles."""
HALVINGS = wp.constant(40)
"""Bisections of the interval that holds a maximum: 3 cm of rim down to 3e-14 m."""
JUMP = wp.constant(wp.float64(1.0e-9))
"""Height, in radii, above which two sides of an edge are a wall."""


@wp.struct
class Sample:
    """The facet under one place of the rim: its wave, the ground's height `z` [m], and whether there is any."""

    wave: Wave
    z: wp.float64
    t: wp.float64
    is_ground: wp.int32


@wp.struct
class RaySpan:
    """Two samples with a maximum between them, and a horizontal unit vector from the first to the second."""

    first: Sample
    second: Sample
    ahead: wp.vec2d


@wp.func
def has_peak(a: Sample, b: Sample) -> wp.bool:
    """Whether the height has a maximum between two samples, or jumps up to or down from one."""
    zero = wp.float64(0.0)
    rises = wave_rate(a.wave, a.t) >= zero
    falls = wave_rate(b.wave, b.t) <= zero
    higher = wave_height(b.wave, b.t) > wave_height(a.wave, a.t)
    return (rises and falls) or (falls and higher) or (rises and not higher)


@wp.func
def offer_wall(best: Rest, disc: Disc, edge: Sample, uphill: wp.vec2d) -> Rest:
    """A contact on the upper edge of a wall: the slope between that of its top and the vertical that is stationary."""
    t = edge.t
    one = wp.float64(1.0)
    rate = wp.dot(uphill, disc.heading) * (one - t * t) + wp.float64(2.0) * t * disc.lean * wp.dot(uphill, disc.left)
    steepness = wp.float64(0.0)
    if wp.abs(rate) > wp.float64(1.0e-12):
        steepness = -wave_rate(edge.wave, t) / (disc.radius * rate)
    return offer(best, wave_height(edge.wave, t), t, edge.wave.slope + uphill * steepness)


@dataclass(frozen=True)
class RayFooting:
    """A terrain asked by rays: `params` struct with the fields `terrain`, `top` and `depth`, and the `rest` func."""

    params: Any
    rest: Any


@lru_cache
def ray_footing(model: TerrainModel) -> RayFooting:
    """The disc query of a terrain by its rays, which start at the height `top` [m] and go down by `depth` [m]."""
    terrain_params, ray = model.params, model.ray

    @wp.struct
    class RayGround:
        terrain: terrain_params
        top: wp.float64
        depth: wp.float64

    @wp.func(inline=False)
    def sampled(ground: RayGround, disc: Disc, t: wp.float64) -> Sample:
        """The topmost facet under the rim at t."""
        out = Sample()
        out.t = t
        offset = rim_offset(disc, t)
        origin = wp.vec3d(disc.x + offset[0], disc.y + offset[1], ground.top)
        down = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(-1.0))
        hit = ray(ground.terrain, origin, down, ground.depth)
        if hit.status == RAY_HIT:
            slope = wp.vec2d(-hit.normal[0] / hit.normal[2], -hit.normal[1] / hit.normal[2])
            out.z = ground.top - hit.range
            out.wave = facet_wave(disc, out.z - wp.dot(slope, wp.vec2d(offset[0], offset[1])), slope)
            out.is_ground = wp.int32(1)
        return out

    @wp.func
    def wall_uphill(ground: RayGround, disc: Disc, span: RaySpan, low: Sample, high: Sample) -> wp.vec2d:
        """Horizontal direction into the wall between two samples of an edge, by a ray towards it."""
        start = span.first
        ahead = span.ahead
        if low.t > high.t:
            start = span.second
            ahead = -span.ahead
        offset = rim_offset(disc, start.t)
        origin = wp.vec3d(disc.x + offset[0], disc.y + offset[1], (low.z + high.z) * wp.float64(0.5))
        toward = wp.vec3d(ahead[0], ahead[1], wp.float64(0.0))
        hit = ray(ground.terrain, origin, toward, disc.radius)
        level = wp.vec2d(hit.normal[0], hit.normal[1])
        if hit.status == RAY_HIT and wp.length(level) > wp.float64(0.5):
            return -wp.normalize(level)
        return ahead

    @wp.func(inline=False)
    def closed_in(ground: RayGround, disc: Disc, best: Rest, span: RaySpan) -> Rest:
        """Offers the maximum of a span: on a facet, on a crease, or on the edge of a wall."""
        a = span.first
        b = span.second
        k = int(0)
        while k < HALVINGS:
            k += 1
            middle = sampled(ground, disc, (a.t + b.t) * wp.float64(0.5))
            height = wave_height(middle.wave, middle.t)
            first = wave_height(a.wave, a.t)
            second = wave_height(b.wave, b.t)
            top = middle.wave.top
            if top >= a.t and top <= b.t:
                there = sampled(ground, disc, top)
                crest = wave_height(there.wave, top)
                if there.wave.top == top and crest >= wp.max(height, wp.max(first, second)):
                    return offer(best, crest, top, there.wave.slope)
            is_right = second >= first
            if height >= wp.max(first, second):
                is_right = wave_rate(middle.wave, middle.t) > wp.float64(0.0)
            if is_right:
                a = middle
            else:
                b = middle
        rise = wave_height(b.wave, b.t) - wave_height(a.wave, a.t)
        if rise > JUMP * disc.radius:
            return offer_wall(best, disc, b, wall_uphill(ground, disc, span, a, b))
        if rise < -JUMP * disc.radius:
            return offer_wall(best, disc, a, wall_uphill(ground, disc, span, b, a))
        return offer_crease(best, a.wave, b.wave, (a.t + b.t) * wp.float64(0.5))

    @wp.func
    def rest_of(ground: RayGround, disc: Disc) -> Rest:
        """Where a disc rests on a terrain seen from above."""
        rest = no_rest()
        quarter = wp.float64(0.25) * wp.acos(wp.float64(-1.0))
        span = RaySpan()
        k = int(0)
        while k <= SAMPLES:
            t = wp.tan(quarter * (wp.float64(2 * k) / wp.float64(SAMPLES) - wp.float64(1.0)))
            span.second = sampled(ground, disc, t)
            if span.second.is_ground == 0:
                rest.status = GROUND_OFF_MAP
                return rest
            if k == 0 or k == SAMPLES:  # the ends of the rim, at the height of the axle
                rest = offer(rest, wave_height(span.second.wave, t), t, span.second.wave.slope)
            if k > 0:
                if has_peak(span.first, span.second):
                    way = rim_offset(disc, t) - rim_offset(disc, span.first.t)
                    span.ahead = wp.normalize(wp.vec2d(way[0], way[1]))
                    rest = closed_in(ground, disc, rest, span)
            span.first = span.second
            k += 1
        return rest

    return RayFooting(RayGround, rest_of)
