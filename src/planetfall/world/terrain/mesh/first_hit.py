"""The first facet of a tree that a ray meets.

A CPU works on the four facets of a leaf abreast; on a GPU that would only take registers, so there they come in turn.
Both give the same bits.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.world.terrain.facets.triangle import NOTHING, larger, ray_triangle, smaller
from planetfall.world.terrain.mesh.tree import (
    LEAF_SIZE,
    MARGIN,
    MAX_LEVELS,
    MeshTree,
    corner_at,
    smallest,
    smallest_of,
    without,
)
from planetfall.world.terrain.model import RAY_HIT, RAY_MISS, RayHit

FAR = wp.constant(wp.float32(3.0e38))
"""A range at which no box is."""
STEEP = wp.constant(wp.float64(1.0e30))
"""Stands for one over a component of a direction that is zero, or nearly so."""


@wp.struct
class Ray:
    """A ray from `p` [m], local, along the unit `direction`, and what the boxes take of it, in float32.

    It enters the box of the whole mesh at the range `start` [m], at the place `entry` [m], local; `inverse`: one over
    the direction's components; `down`: 1 where it runs down an axis.
    """

    p: wp.vec3d
    direction: wp.vec3d
    start: wp.float64
    entry: wp.vec3f
    inverse: wp.vec3f
    down: wp.vec3i


@wp.func
def inverse_of(component: wp.float64) -> wp.float64:
    """One over a component of a direction; where that is nearly zero, large enough to stand for infinity."""
    if wp.abs(component) * STEEP < wp.float64(1.0):
        return wp.where(component < wp.float64(0.0), -STEEP, STEEP)
    return wp.float64(1.0) / component


@wp.func
def ray_of(p: wp.vec3d, direction: wp.vec3d, half: wp.vec3d) -> Ray:
    """A ray into a mesh between -half and half [m]; one that misses that box starts beyond NOTHING."""
    ray = Ray()
    ray.p = p
    ray.direction = direction
    end = NOTHING
    for i in range(3):
        inverse = inverse_of(direction[i])
        side = wp.where(inverse < wp.float64(0.0), half[i], -half[i])
        ray.start = larger(ray.start, (side - p[i]) * inverse)
        end = smaller(end, (-side - p[i]) * inverse)
        ray.inverse[i] = wp.float32(inverse)
        ray.down[i] = wp.where(inverse < wp.float64(0.0), 1, 0)
    if ray.start > end:
        ray.start = wp.float64(2.0) * NOTHING
    entry = p + ray.start * direction
    ray.entry = wp.vec3f(wp.float32(entry[0]), wp.float32(entry[1]), wp.float32(entry[2]))
    return ray


@wp.func
def box_entries(tree: wp.ref[MeshTree], node: int, ray: Ray, limit: wp.float32) -> wp.vec4f:
    """Ranges [m] from the ray's entry at which it enters a node's children; FAR where it misses one within a limit.

    The boxes are wider than the facets by more than this can be off in float32.
    """
    first = 6 * node
    # the side of a box that a ray passes first is the upper one where it runs down the axis
    in_x = tree.boxes[first + 3 * ray.down[0]]
    in_y = tree.boxes[first + 1 + 3 * ray.down[1]]
    in_z = tree.boxes[first + 2 + 3 * ray.down[2]]
    out_x = tree.boxes[first + 3 - 3 * ray.down[0]]
    out_y = tree.boxes[first + 4 - 3 * ray.down[1]]
    out_z = tree.boxes[first + 5 - 3 * ray.down[2]]
    entries = wp.vec4f()
    for c in range(4):
        x = (in_x[c] - ray.entry[0]) * ray.inverse[0]
        y = (in_y[c] - ray.entry[1]) * ray.inverse[1]
        z = (in_z[c] - ray.entry[2]) * ray.inverse[2]
        enter = wp.where(x > y, x, y)
        enter = wp.where(enter > z, enter, z)
        enter = wp.where(enter > wp.float32(0.0), enter, wp.float32(0.0))
        x = (out_x[c] - ray.entry[0]) * ray.inverse[0]
        y = (out_y[c] - ray.entry[1]) * ray.inverse[1]
        z = (out_z[c] - ray.entry[2]) * ray.inverse[2]
        leave = wp.where(x < y, x, y)
        leave = wp.where(leave < z, leave, z)
        leave = wp.where(leave < limit, leave, limit)
        entries[c] = wp.where(enter > leave, FAR, enter)
    return entries


@wp.func
def box_limit(tree: wp.ref[MeshTree], ray: Ray, range: wp.float64) -> wp.float32:
    """A range [m] in the terms of `box_entries`, no less than what it stands for."""
    return wp.float32((range - ray.start) * (wp.float64(1.0) + wp.static(wp.float64(MARGIN))) + tree.margin)


@wp.func
def leaf_ranges(tree: wp.ref[MeshTree], leaf: int, ray: Ray) -> wp.vec4d:
    """Ranges [m] at which a ray meets the front faces of a leaf's facets; NOTHING for those that it misses."""
    first = 9 * leaf
    ax = tree.leaves[first]
    ay = tree.leaves[first + 1]
    az = tree.leaves[first + 2]
    bx = tree.leaves[first + 3]
    by = tree.leaves[first + 4]
    bz = tree.leaves[first + 5]
    cx = tree.leaves[first + 6]
    cy = tree.leaves[first + 7]
    cz = tree.leaves[first + 8]
    ranges = wp.vec4d()
    for k in range(4):
        a = wp.vec3d(ax[k], ay[k], az[k])
        b = wp.vec3d(bx[k], by[k], bz[k])
        c = wp.vec3d(cx[k], cy[k], cz[k])
        reached = ray_triangle(ray.p, ray.direction, a, b, c)
        ranges[k] = wp.where(reached < wp.float64(0.0), NOTHING, reached)
    return ranges


@wp.func
def nearer_hit(tree: wp.ref[MeshTree], before: RayHit, place: int, reached: wp.float64) -> RayHit:
    """The first hit so far, or one at a range on the facet at a place; of equal ranges that of the lowest index."""
    hit = before
    if reached <= hit.range and reached < NOTHING:
        index = tree.indices[place]
        if reached < hit.range or hit.facet < 0 or index < hit.facet:
            hit.range = reached
            hit.normal = tree.normals[place]
            hit.facet = index
            hit.status = RAY_HIT
    return hit


@wp.func
def hit_abreast(tree: wp.ref[MeshTree], before: RayHit, leaf: int, ray: Ray, spare: wp.array(dtype=wp.vec4d)) -> RayHit:
    """The first hit so far, or on a facet of a leaf, all looked at together; a spare vector is used."""
    hit = before
    spare[0] = leaf_ranges(tree, leaf, ray)
    ranges = spare[0]
    for k in range(wp.static(LEAF_SIZE)):
        hit = nearer_hit(tree, hit, wp.static(LEAF_SIZE) * leaf + k, ranges[k])
    return hit


@wp.func
def hit_in_turn(tree: wp.ref[MeshTree], before: RayHit, leaf: int, ray: Ray, spare: wp.array(dtype=wp.vec4d)) -> RayHit:
    """The first hit so far, or on a facet of a leaf, looked at one after the other."""
    hit = before
    place = wp.static(LEAF_SIZE) * leaf
    last = wp.min(place + wp.static(LEAF_SIZE), tree.normals.shape[0])
    while place < last:
        a = corner_at(tree, place, 0)
        b = corner_at(tree, place, 1)
        c = corner_at(tree, place, 2)
        reached = ray_triangle(ray.p, ray.direction, a, b, c)
        if reached >= wp.float64(0.0):
            hit = nearer_hit(tree, hit, place, reached)
        place += 1
    return hit


@lru_cache
def first_hit(hit_in_leaf: Any) -> Any:
    """`@wp.func (tree, local origin [m], direction, range_max [m]) -> RayHit` with one of the two ways with a leaf."""

    @wp.func
    def find(tree: wp.ref[MeshTree], p: wp.vec3d, direction: wp.vec3d, range_max: wp.float64) -> RayHit:
        """First front face that a ray meets; of several at one range the lowest index."""
        hit = RayHit()
        hit.range = range_max
        hit.facet = wp.int32(-1)
        hit.status = RAY_MISS
        if not (wp.length_sq(p) + wp.length_sq(direction) < NOTHING):  # not a number
            return hit
        ray = ray_of(p, direction, tree.half)
        if ray.start > smaller(range_max, NOTHING):
            return hit
        spare = wp.zeros(shape=(1,), dtype=wp.vec4d)
        if tree.n_inner == 0:
            return hit_in_leaf(tree, hit, 0, ray, spare)
        keys = wp.zeros(shape=(wp.static(MAX_LEVELS),), dtype=wp.vec4f)
        limit = box_limit(tree, ray, hit.range)
        here = box_entries(tree, 0, ray, limit)
        node = int(0)
        level = int(0)
        while level >= 0:
            c = smallest_of(here)
            if smallest(here) <= limit and smallest(here) < FAR:
                child = 4 * node + 1 + c
                here = without(here, c, FAR)
                if child < tree.n_inner:
                    keys[level] = here
                    level += 1
                    node = child
                    here = box_entries(tree, node, ray, limit)
                else:
                    hit = hit_in_leaf(tree, hit, child - tree.n_inner, ray, spare)
                    limit = box_limit(tree, ray, hit.range)
            else:
                level -= 1
                node = (node - 1) // 4
                here = keys[wp.max(level, 0)]
        return hit

    return find
