"""Copies of structs with what they point to."""

import numpy as np
import warp as wp

from planetfall.compute.struct_copy import copied


@wp.struct
class Views:
    """One memory, read in two ways, and two arrays of nothing."""

    numbers: wp.array(dtype=wp.float64)  # pyright: ignore[reportInvalidTypeForm]
    vectors: wp.array(dtype=wp.vec4d)  # pyright: ignore[reportInvalidTypeForm]
    no_number: wp.array(dtype=wp.float64)  # pyright: ignore[reportInvalidTypeForm]
    no_vector: wp.array(dtype=wp.vec4d)  # pyright: ignore[reportInvalidTypeForm]


def test_memory_that_is_read_in_two_ways_is_copied_for_both() -> None:
    """So it is in the tree of a mesh."""
    views = Views()
    views.numbers = wp.array(np.arange(8.0), dtype=wp.float64, device="cpu")
    views.vectors = wp.array(ptr=views.numbers.ptr, dtype=wp.vec4d, shape=2, device="cpu")
    views.no_number, views.no_vector = (wp.empty(0, dtype=kind, device="cpu") for kind in (wp.float64, wp.vec4d))
    found = copied(Views, views, "cpu")
    assert found.numbers.ptr not in (found.vectors.ptr, views.numbers.ptr)
    np.testing.assert_array_equal(found.numbers.numpy(), np.arange(8.0))
    np.testing.assert_array_equal(found.vectors.numpy().ravel(), np.arange(8.0))
    assert found.no_vector.dtype is wp.vec4d and found.no_number.dtype is wp.float64
