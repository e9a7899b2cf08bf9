"""Many small arrays in one block of memory, those that are equal only once.

Structs that differ from run to run point to arrays of a few numbers each. Made one by one on a GPU they would take
longer to send than the runs to simulate, and no two runs would read the same memory.
"""

from collections.abc import Collection, Iterator
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

ALIGNMENT = 16
"""Bytes. So many are left free at the start: an offset of zero means that there is no array."""


class ArrayPool:
    """The arrays that rows of structs point to, to be put on a device together.

    Args:
        struct: Type of a row.
        members: Those of its members whose arrays are taken; others are left where they are.
    """

    def __init__(self, struct: np.dtype, members: Collection[str]) -> None:
        fields: Any = struct.fields or {}
        self._places = [place for name in members for place in array_places(*fields[name][:2])]
        self._offsets: dict[bytes, int] = {}
        self._data = bytearray(ALIGNMENT)
        self._blocks: dict[str, Any] = {}

    @property
    def places(self) -> list[int]:
        """Where [byte] in a row the addresses of arrays are that the pool holds."""
        return [data for data, _, _ in self._places]

    @cached_property
    def elsewhere(self) -> "ArrayPool":
        """The same arrays for other rows, which share none of the memory that these point to on a device."""
        other = copy(self)
        other._blocks = {}
        return other

    def fill(self, members: np.ndarray, contents: np.ndarray) -> None:
        """Takes in arrays, one for each of some rows, and notes in the rows where in the block they are.

        The rows' members (Warp's `array_t` [row]) describe arrays of the same shape, as in copies of one struct.
        """
        first, n = members[0], len(contents)
        if int(first["shape"][0]) * int(first["strides"][0]) * n != contents.nbytes:
            raise ValueError(f"arrays of shape {contents.shape[1:]} where there are some of {first['shape'].tolist()}")
        if not contents.nbytes:
            return
        numbers = np.ascontiguousarray(contents).reshape(n, -1).view(np.uint8)
        if np.all(numbers == numbers[0]):
            members["data"] = self._offset_of(numbers[0].tobytes())
        else:
            members["data"] = [self._offset_of(row.tobytes()) for row in numbers]

    def _offset_of(self, content: bytes) -> int:
        offset = self._offsets.setdefault(content, len(self._data))
        if offset == len(self._data):
            self._data += content + bytes(-len(content) % ALIGNMENT)
        return offset

    def on_device(self, rows: np.ndarray, device: str) -> tuple[np.ndarray, Any]:
        """Rows [run, byte] that point to their arrays on a device, and the block there that holds those, if any."""
        if not self._places:
            return rows, None
        block = self._block_on(device)
        out = rows.copy()
        for data, _, _ in self._places:
            addresses = out.view(np.uint64)[:, data // 8]
            addresses[addresses != 0] += np.uint64(block.ptr)
        return out, block

    def _block_on(self, device: str) -> Any:
        """All arrays so far on a device, once: rows may be put there some at a time."""
        block = self._blocks.get(device)
        if block is None or len(block) != len(self._data):
            block = wp.array(np.frombuffer(self._data, dtype=np.uint8), dtype=wp.uint8, device=device)
            self._blocks[device] = block
        return block


def array_places(kind: np.dtype, offset: int = 0) -> Iterator[tuple[int, int, int]]:
    """Where [byte] in a struct the address, shape and strides of each array are that it points to."""
    fields: Any = kind.fields or {}
    if {"data", "shape", "strides"} <= fields.keys():
        yield offset + fields["data"][1], offset + fields["shape"][1], offset + fields["strides"][1]
        return
    for part, start, *_ in fields.values():
        yield from array_places(part, offset + start)
