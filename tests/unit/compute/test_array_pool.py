"""Arrays of many structs in one block: what is read through it is what was put in, and equal arrays are one."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
import warp as wp

from planetfall.compute.array_pool import ArrayPool
from support.pooled_structs import Inner, Outer

TYPE = np.dtype(Outer.numpy_dtype())


def filled(values: list[float], vectors: list[list[float]], count: int = 0) -> Any:
    """A struct of two arrays, one of them nested, and one array that the pool is not to take."""
    made = Outer()
    made.inner = Inner()
    made.inner.values = wp.array(values, dtype=wp.float64, device="cpu")
    made.vectors = wp.array(vectors, dtype=wp.vec3d, device="cpu")
    made.left = wp.array([7], dtype=wp.int32, device="cpu")
    made.inner.count = count
    return made


def copies(struct: Any, n: int) -> np.ndarray:
    """Rows [n, byte] that are all one struct."""
    return np.tile(np.frombuffer(bytearray(struct.__ctype__()), dtype=np.uint8), (n, 1))


def numbers_at(address: int, n: int) -> list[float]:
    return np.frombuffer(ctypes.string_at(int(address), 8 * n), dtype=np.float64).tolist()


def pooled(struct: Any, values: list[list[float]], vectors: list[list[list[float]]]) -> tuple[np.ndarray, Any]:
    """Copies of a struct with arrays of their own, on a device."""
    pool, rows = ArrayPool(TYPE, ["inner", "vectors"]), copies(struct, len(values))
    fields = rows.view(TYPE)[:, 0]
    pool.fill(fields["inner"]["values"], np.array(values))
    pool.fill(fields["vectors"], np.array(vectors))
    placed, block = pool.on_device(rows, "cpu")
    return placed.view(TYPE)[:, 0], block


def test_what_was_put_in_is_read_through_the_rows() -> None:
    struct = filled([0.0, 0.0, 0.0], [[0.0, 0.0, 0.0]], 3)
    rows, _block = pooled(struct, [[1.0, 2.0, 3.0], [8.0, 9.0, 7.0]], [[[4.0, 5.0, 6.0]], [[0.0, 1.0, 2.0]]])
    assert numbers_at(rows[0]["inner"]["values"]["data"], 3) == [1.0, 2.0, 3.0]
    assert numbers_at(rows[1]["inner"]["values"]["data"], 3) == [8.0, 9.0, 7.0]
    assert numbers_at(rows[1]["vectors"]["data"], 3) == [0.0, 1.0, 2.0]
    assert rows["inner"]["count"].tolist() == [3, 3]
    assert rows[1]["left"]["data"] == struct.left.ptr


def test_equal_arrays_are_one() -> None:
    struct = filled([0.0], [[0.0, 0.0, 0.0]])
    rows, _block = pooled(struct, [[1.0], [1.0]], [[[4.0, 5.0, 6.0]], [[4.0, 5.0, 7.0]]])
    assert rows[0]["inner"]["values"]["data"] == rows[1]["inner"]["values"]["data"]
    assert rows[0]["vectors"]["data"] != rows[1]["vectors"]["data"]


def test_no_numbers_need_no_room() -> None:
    rows, _block = pooled(filled([], [[0.0, 0.0, 0.0]]), [[], []], [[[1.0, 2.0, 3.0]]] * 2)
    assert rows["inner"]["values"]["data"].tolist() == [0, 0]


def test_arrays_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match=r"arrays of shape \(2,\) where there are some of \[1"):
        pooled(filled([0.0], [[0.0, 0.0, 0.0]]), [[1.0, 2.0]], [[[1.0, 2.0, 3.0]]])


def test_rows_can_be_put_on_a_device_twice() -> None:
    """What is kept of a batch says where in the block arrays are, not where the block was."""
    pool, rows = ArrayPool(TYPE, ["inner"]), copies(filled([0.0, 0.0], [[0.0, 0.0, 1.0]]), 1)
    pool.fill(rows.view(TYPE)[:, 0]["inner"]["values"], np.array([[1.0, 2.0]]))
    for _ in range(2):
        placed, _block = pool.on_device(rows, "cpu")
        assert numbers_at(placed.view(TYPE)[0, 0]["inner"]["values"]["data"], 2) == [1.0, 2.0]
