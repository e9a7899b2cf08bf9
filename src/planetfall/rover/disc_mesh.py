"""A disc on a triangle mesh: the rim is sampled by vertical rays, and every maximum is closed in on.

A bump that rises and falls between two neighbouring samples is missed: with the 65 of them, anything narrower than
r pi/64, about a twentieth of the radius. Under an overhang the rover drives on top.
"""

import warp as wp

from planetfall.rover.disc import Disc, Rest, Wave, facet_wave, no_rest, offer, offer_crease, rim_offset, wave_rate
from planetfall.world.terrain.mesh import MeshParams, mesh_ray
from planetfall.world.terrain.model import GROUND_OFF_MAP, RAY_HIT

SAMPLES = wp.constant(64)
"""Intervals between the sampled angles."""
HALVINGS = wp.constant(40)
"""Bisections of the interval that holds a maximum: 3 cm of rim down to 3e-14 m."""


@wp.struct
class Sample:
    """The facet under one place of the rim: its wave, and whether there is one."""

    wave: Wave
    is_ground: wp.int32


@wp.func
def sample_mesh(mesh: MeshParams, disc: Disc, t: wp.float64) -> Sample:
    """The topmost facet under the rim at t."""
    out = Sample()
    offset = rim_offset(disc, t)
    top = mesh.origin[2] + mesh.size * wp.float64(1.01)
    origin = wp.vec3d(disc.x + offset[0], disc.y + offset[1], top)
    down = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(-1.0))
    hit = mesh_ray(mesh, origin, down, mesh.size * wp.float64(2.02))
    if hit.status == RAY_HIT:
        slope = wp.vec2d(-hit.normal[0] / hit.normal[2], -hit.normal[1] / hit.normal[2])
        base = top - hit.range - wp.dot(slope, wp.vec2d(offset[0], offset[1]))
        out.wave = facet_wave(disc, base, slope)
        out.is_ground = wp.int32(1)
    return out


@wp.func
def close_in(mesh: MeshParams, disc: Disc, best: Rest, low: wp.float64, high: wp.float64) -> Rest:
    """Offers the maximum between a rising and a falling sample."""
    a = low
    b = high
    rising = sample_mesh(mesh, disc, a).wave
    falling = sample_mesh(mesh, disc, b).wave
    k = int(0)
    while k < HALVINGS:
        k += 1
        middle = (a + b) * wp.float64(0.5)
        wave = sample_mesh(mesh, disc, middle).wave
        if wave.top >= a and wave.top <= b:
            there = sample_mesh(mesh, disc, wave.top).wave
            if there.top == wave.top:
                return offer(
                    best, wave.base + wp.sqrt(wave.side * wave.side + wave.lift * wave.lift), wave.top, wave.slope
                )
        if wave_rate(wave, middle) > wp.float64(0.0):
            a = middle
            rising = wave
        else:
            b = middle
            falling = wave
    return offer_crease(best, rising, falling, (a + b) * wp.float64(0.5))


@wp.func
def disc_on_mesh(mesh: MeshParams, disc: Disc) -> Rest:
    """Where a disc rests on a mesh seen from above."""
    rest = no_rest()
    quarter = wp.float64(0.25) * wp.acos(wp.float64(-1.0))
    before = Sample()
    t_before = wp.float64(-1.0)
    k = int(0)
    while k <= SAMPLES:
        t = wp.tan(quarter * (wp.float64(2 * k) / wp.float64(SAMPLES) - wp.float64(1.0)))
        sample = sample_mesh(mesh, disc, t)
        if sample.is_ground == 0:
            rest.status = GROUND_OFF_MAP
            return rest
        rate = wave_rate(sample.wave, t)
        if k > 0 and wave_rate(before.wave, t_before) >= wp.float64(0.0) and rate <= wp.float64(0.0):
            rest = close_in(mesh, disc, rest, t_before, t)
        before = sample
        t_before = t
        k += 1
    return rest
