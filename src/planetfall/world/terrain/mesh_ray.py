"""The first facet of a tree that a ray meets.

A CPU works on the four facets of a leaf abreast; on a GPU that would only take registers, so there they come in turn.
Both give the same bits.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.world.terrain.mesh_tree import (
    LEAF_SIZE,
    MAX_LEVELS,
    NOTHING,
    MeshTree,
    corner_at,
    larger,
    smaller,
    smallest_of,
    without,
)
from planetfall.world.terrain.model import RAY_HIT, RAY_MISS, RayHit
from planetfall.world.terrain.triangle import ray_triangle


@wp.struct
class Ray:
    """A ray from `p` [m], local, along the unit `direction`; one over its components; 1 where it runs down an axis."""

    p: wp.vec3d
    direction: wp.vec3d
    inverse: wp.vec3d
    down: wp.vec3i


@wp.func
def inverse_of(component: wp.float64) -> wp.float64:
    """One over a component of a direction; where that is zero, large enough to stand for infinity."""
    if wp.abs(component) < wp.float64(1.0e-200):
        return wp.float64(1.0e200)
    return wp.float64(1.0) / component


@wp.func
def runs_down(inverse: wp.float64) -> wp.int32:
    """1 for a ray that runs down an axis."""
    return wp.where(inverse < wp.float64(0.0), 1, 0)


@wp.func
def ray_of(p: wp.vec3d, direction: wp.vec3d) -> Ray:
    """A ray with what the boxes need of it."""
    ray = Ray()
    ray.p = p
    ray.direction = direction
    ray.inverse = wp.vec3d(inverse_of(direction[0]), inverse_of(direction[1]), inverse_of(direction[2]))
    ray.down = wp.vec3i(runs_down(ray.inverse[0]), runs_down(ray.inverse[1]), runs_down(ray.inverse[2]))
    return ray


@wp.func
def box_entries(tree: MeshTree, node: int, ray: Ray, limit: wp.float64) -> wp.vec4d:
    """Ranges [m] at which a ray enters the boxes of a node's children; NOTHING where it misses one within a limit."""
    first = 6 * node
    # the side of a box that a ray passes first is the upper one where it runs down the axis
    in_x = tree.boxes[first + 3 * ray.down[0]]
    in_y = tree.boxes[first + 1 + 3 * ray.down[1]]
    in_z = tree.boxes[first + 2 + 3 * ray.down[2]]
    out_x = tree.boxes[first + 3 - 3 * ray.down[0]]
    out_y = tree.boxes[first + 4 - 3 * ray.down[1]]
    out_z = tree.boxes[first + 5 - 3 * ray.down[2]]
    entries = wp.vec4d()
    for c in range(4):
        x = (wp.float64(in_x[c]) - ray.p[0]) * ray.inverse[0]
        y = (wp.float64(in_y[c]) - ray.p[1]) * ray.inverse[1]
        z = (wp.float64(in_z[c]) - ray.p[2]) * ray.inverse[2]
        enter = larger(larger(x, y), larger(z, wp.float64(0.0)))
        x = (wp.float64(out_x[c]) - ray.p[0]) * ray.inverse[0]
        y = (wp.float64(out_y[c]) - ray.p[1]) * ray.inverse[1]
        z = (wp.float64(out_z[c]) - ray.p[2]) * ray.inverse[2]
        leave = smaller(smaller(x, y), smaller(z, limit))
        entries[c] = wp.where(enter > leave, NOTHING, enter)
    return entries


@wp.func
def leaf_ranges(tree: MeshTree, leaf: int, ray: Ray) -> wp.vec4d:
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
def nearer_hit(tree: MeshTree, before: RayHit, place: int, reached: wp.float64) -> RayHit:
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
def hit_abreast(
    tree: MeshTree, before: RayHit, leaf: int, ray: Ray, keys: wp.array(dtype=wp.vec4d), spare: int
) -> RayHit:
    """The first hit so far, or on a facet of a leaf, all looked at together; a spare entry of the keys is used."""
    hit = before
    keys[spare] = leaf_ranges(tree, leaf, ray)
    ranges = keys[spare]
    for k in range(wp.static(LEAF_SIZE)):
        hit = nearer_hit(tree, hit, wp.static(LEAF_SIZE) * leaf + k, ranges[k])
    return hit


@wp.func
def hit_in_turn(
    tree: MeshTree, before: RayHit, leaf: int, ray: Ray, keys: wp.array(dtype=wp.vec4d), spare: int
) -> RayHit:
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
    def find(tree: MeshTree, p: wp.vec3d, direction: wp.vec3d, range_max: wp.float64) -> RayHit:
        """First front face that a ray meets; of several at one range the lowest index."""
        hit = RayHit()
        hit.range = range_max
        hit.facet = wp.int32(-1)
        hit.status = RAY_MISS
        if not (wp.length_sq(p) + wp.length_sq(direction) < NOTHING):  # not a number
            return hit
        ray = ray_of(p, direction)
        keys = wp.zeros(shape=(wp.static(MAX_LEVELS + 1),), dtype=wp.vec4d)
        if tree.n_inner == 0:
            return hit_in_leaf(tree, hit, 0, ray, keys, 0)
        here = box_entries(tree, 0, ray, hit.range)
        node = int(0)
        level = int(0)
        while level >= 0:
            entry = smaller(smaller(here[0], here[1]), smaller(here[2], here[3]))
            if entry <= hit.range and entry < NOTHING:
                c = smallest_of(here)
                child = 4 * node + 1 + c
                here = without(here, c)
                if child < tree.n_inner:
                    keys[level] = here
                    level += 1
                    node = child
                    here = box_entries(tree, node, ray, hit.range)
                else:
                    hit = hit_in_leaf(tree, hit, child - tree.n_inner, ray, keys, level + 1)
            else:
                level -= 1
                node = (node - 1) // 4
                here = keys[wp.max(level, 0)]
        return hit

    return find
