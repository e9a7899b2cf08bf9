"""Many small arrays in one block of memory, those that are equal only once.

Structs that differ from run to run point to arrays of a few numbers each. Made one by one on a GPU they would take
longer to send than the runs to simulate, and no two runs would read the same memory.
"""

import ctypes
from collections.abc import Collection, Iterator
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
        self._places = [place for name in members for place in _array_places(*fields[name][:2])]
        self._offsets: dict[bytes, int] = {}
        self._data = bytearray(ALIGNMENT)

    def take(self, row: np.ndarray) -> None:
        """Copies the arrays of one row (bytes) from the host's memory; in it then is where in the block they are."""
        addresses, counts = row.view(np.uint64), row.view(np.int32)
        for data, shape, strides in self._places:
            address = int(addresses[data // 8])
            if address:
                n_bytes = int(counts[shape // 4]) * int(counts[strides // 4])
                addresses[data // 8] = self._offset_of(ctypes.string_at(address, n_bytes))

    def _offset_of(self, content: bytes) -> int:
        offset = self._offsets.setdefault(content, len(self._data))
        if offset == len(self._data):
            self._data += content + bytes(-len(content) % ALIGNMENT)
        return offset

    def on_device(self, rows: np.ndarray, device: str) -> tuple[np.ndarray, Any]:
        """Rows [run, byte] that point to their arrays on a device, and the block there that holds those, if any."""
        if not self._places:
            return rows, None
        block = wp.array(np.frombuffer(self._data, dtype=np.uint8), dtype=wp.uint8, device=device)
        out = rows.copy()
        for data, _, _ in self._places:
            addresses = out.view(np.uint64)[:, data // 8]
            addresses[addresses != 0] += np.uint64(block.ptr)
        return out, block


def _array_places(kind: np.dtype, offset: int) -> Iterator[tuple[int, int, int]]:
    """Where [byte] in a struct the address, shape and strides of each array are that it points to."""
    fields: Any = kind.fields or {}
    if {"data", "shape", "strides"} <= fields.keys():
        yield offset + fields["data"][1], offset + fields["shape"][1], offset + fields["strides"][1]
        return
    for part, start, *_ in fields.values():
        yield from _array_places(part, offset + start)
