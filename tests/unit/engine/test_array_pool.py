"""Arrays of many structs in one block: what is read through it is what was put in, and equal arrays are one."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import warp as wp

from planetfall.engine.array_pool import ArrayPool
from support.pooled_structs import Inner, Outer


def filled(values: list[float], vectors: list[list[float]], count: int) -> Any:
    """A struct of two arrays, one of them nested, and one array that the pool is not to take."""
    made = Outer()
    made.inner = Inner()
    made.inner.values = wp.array(values, dtype=wp.float64, device="cpu")
    made.vectors = wp.array(vectors, dtype=wp.vec3d, device="cpu")
    made.left = wp.array([7], dtype=wp.int32, device="cpu")
    made.inner.count = count
    return made


def rows_of(structs: list[Any]) -> np.ndarray:
    return np.array([np.frombuffer(bytearray(made.__ctype__()), dtype=np.uint8) for made in structs])


def numbers_at(address: int, n: int) -> list[float]:
    return np.frombuffer(ctypes.string_at(int(address), 8 * n), dtype=np.float64).tolist()


def pooled(structs: list[Any]) -> tuple[np.ndarray, Any]:
    pool, rows = ArrayPool(np.dtype(Outer.numpy_dtype()), ["inner", "vectors"]), rows_of(structs)
    for row in rows:
        pool.take(row)
    placed, block = pool.on_device(rows, "cpu")
    return placed.view(np.dtype(Outer.numpy_dtype()))[:, 0], block


def test_what_was_put_in_is_read_through_the_rows() -> None:
    structs = [filled([1.0, 2.0, 3.0], [[4.0, 5.0, 6.0]], 3), filled([8.0], [[4.0, 5.0, 6.0], [0.0, 1.0, 2.0]], 1)]
    rows, _block = pooled(structs)
    assert numbers_at(rows[0]["inner"]["values"]["data"], 3) == [1.0, 2.0, 3.0]
    assert numbers_at(rows[1]["inner"]["values"]["data"], 1) == [8.0]
    assert numbers_at(rows[1]["vectors"]["data"], 6) == [4.0, 5.0, 6.0, 0.0, 1.0, 2.0]
    assert rows["inner"]["count"].tolist() == [3, 1]
    assert rows[0]["left"]["data"] == structs[0].left.ptr


def test_equal_arrays_are_one() -> None:
    structs = [filled([1.0], [[4.0, 5.0, 6.0]], 0), filled([1.0], [[4.0, 5.0, 7.0]], 0)]
    rows, _block = pooled(structs)
    assert rows[0]["inner"]["values"]["data"] == rows[1]["inner"]["values"]["data"]
    assert rows[0]["vectors"]["data"] != rows[1]["vectors"]["data"]


def test_no_array_stays_none() -> None:
    rows, _block = pooled([Outer()])
    assert rows[0]["inner"]["values"]["data"] == 0
    assert rows[0]["vectors"]["data"] == 0


def test_rows_can_be_put_on_a_device_twice() -> None:
    """What is kept of a batch says where in the block arrays are, not where the block was."""
    rows = rows_of([made := filled([1.0, 2.0], [[0.0, 0.0, 1.0]], 2)])
    pool = ArrayPool(np.dtype(Outer.numpy_dtype()), ["inner", "vectors"])
    pool.take(rows[0])
    del made
    for _ in range(2):
        placed, _block = pool.on_device(rows, "cpu")
        address = placed.view(np.dtype(Outer.numpy_dtype()))[0, 0]["inner"]["values"]["data"]
        assert numbers_at(address, 2) == [1.0, 2.0]
