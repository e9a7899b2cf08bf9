"""Structs with arrays; Warp needs real annotations, so that they cannot stand in a test with postponed ones."""

import warp as wp


@wp.struct
class Inner:
    """Numbers, and how many."""

    values: wp.array(dtype=wp.float64)
    count: wp.int32


@wp.struct
class Outer:
    """A nested array, one of vectors, and one that stays where it is."""

    inner: Inner
    vectors: wp.array(dtype=wp.vec3d)
    left: wp.array(dtype=wp.int32)
