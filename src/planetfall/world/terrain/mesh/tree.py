"""The facets of a mesh in a tree of boxes: each inner node has four children, each leaf four facets.

The tree is complete, so no node has to say where its children are: those of node i are 4 i + 1 to 4 i + 4, and the
nodes from `n_inner` on are leaves. Boxes are kept in float32, a little wider than what is in them; facets in
float64, and whatever is measured on them, in coordinates about the middle of the mesh. No facet that matters is ever
left out, and the answers are the same on every device.

What belongs to four children or four facets lies side by side, so that a CPU works on all four at once.
"""

from typing import Any

import warp as wp

from planetfall.world.terrain.facets.triangle import Facet

MAX_LEVELS = 14
"""Levels of inner nodes that a search can go down: enough for a thousand million facets."""
LEAF_SIZE = 4
MARGIN = 1e-6
"""By how much boxes are wider than their facets, relative to the mesh: twice what a ray in float32 can be off, which is
8 roundings of 6e-8."""


@wp.struct
class MeshTree:
    """A tree of boxes over facets.

    `boxes`: six entries per inner node, lower x, y, z and upper x, y, z [m], local, one component per child. `leaves`:
    nine entries per leaf, x, y, z of the corners a, b and c [m], local, one component per facet; `numbers`: the same as
    one long row. By place, which is the order of the facets in the leaves: `normals`, unit, outward; `indices` in the
    file; `borders`, two bits for each feature of `triangle`, BORDER_* of what lies beyond it.
    `half` [m]: the mesh lies between -half and half, local; `margin` [m] of the boxes; `n_inner` nodes; `rounding`
    [m^2]: squared distances below it are zero but for rounding.
    """

    boxes: wp.array(dtype=wp.vec4)
    leaves: wp.array(dtype=wp.vec4d)
    numbers: wp.array(dtype=wp.float64)
    normals: wp.array(dtype=wp.vec3d)
    indices: wp.array(dtype=wp.int32)
    borders: wp.array(dtype=wp.int32)
    beside: wp.array(dtype=wp.vec3i)
    rounds: wp.array(dtype=wp.vec3i)
    vertex_normals: wp.array(dtype=wp.vec3d)
    half: wp.vec3d
    margin: wp.float64
    n_inner: wp.int32
    rounding: wp.float64


@wp.func
def corner_at(tree: wp.ref[MeshTree], place: int, corner: int) -> wp.vec3d:
    """A corner [m], local, of the facet at a place in the tree: 0 for a, 1 for b, 2 for c."""
    first = 36 * (place // 4) + 12 * corner + place % 4
    return wp.vec3d(tree.numbers[first], tree.numbers[first + 4], tree.numbers[first + 8])


@wp.func
def facet_at(tree: wp.ref[MeshTree], place: int) -> Facet:
    """The facet at a place in the tree."""
    facet = Facet()
    facet.a = corner_at(tree, place, 0)
    facet.b = corner_at(tree, place, 1)
    facet.c = corner_at(tree, place, 2)
    facet.normal = tree.normals[place]
    return facet


@wp.func
def smallest(keys: Any) -> Any:
    """The smallest of four keys."""
    near = wp.where(keys[1] < keys[0], keys[1], keys[0])
    far = wp.where(keys[3] < keys[2], keys[3], keys[2])
    return wp.where(far < near, far, near)


@wp.func
def smallest_of(keys: Any) -> int:
    """Which of four keys is the smallest, the first of equals."""
    near = wp.where(keys[1] < keys[0], 1, 0)
    far = wp.where(keys[3] < keys[2], 3, 2)
    least_near = wp.where(keys[1] < keys[0], keys[1], keys[0])
    least_far = wp.where(keys[3] < keys[2], keys[3], keys[2])
    return wp.where(least_far < least_near, far, near)


@wp.func
def without(keys: Any, done: int, nothing: Any) -> Any:
    """Four keys, one of them done with."""
    out = keys
    for c in range(4):
        out[c] = wp.where(c == done, nothing, keys[c])
    return out
