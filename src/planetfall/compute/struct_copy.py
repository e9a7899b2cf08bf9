"""Copies of filled Warp structs together with the arrays that they point to."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.array_pool import array_places


def with_arrays(struct: Any, filled: Any, copy_of: Callable[[Any], Any]) -> Any:
    """A copy of a filled struct of the class `struct`, with another array for each: those that were one are one again.

    Args:
        struct: The `@wp.struct` class; structs in it are copied, too.
        filled: One of that class.
        copy_of: From an array to the one that takes its place.
    """
    made, copies = struct(), dict[Any, Any]()
    made.assign(filled)
    for owner, name, array in list(_arrays_in(struct, made)):
        view = (array.ptr, array.dtype, array.shape)  # one memory may be read as numbers here and as vectors there
        if view not in copies:
            copies[view] = copy_of(array)
        setattr(owner, name, copies[view])
    return made


def copied(struct: Any, filled: Any, device: str) -> Any:
    """A filled struct with everything that it points to, on a device.

    Arrays of structs may point to arrays that are members themselves: addresses in them are those of the copies.
    """
    named = {array.ptr: array for _, _, array in _arrays_in(struct, filled) if not _pointers(array)}
    plain = {address: _on(array, device) for address, array in named.items()}

    def copy_of(array: Any) -> Any:
        if not _pointers(array):
            return plain[array.ptr] if array is named[array.ptr] else _on(array, device)
        rows = array.numpy().copy()
        numbers = rows.reshape(-1).view(np.uint8).reshape(rows.size, -1)
        for place in _pointers(array):
            for address in numbers[:, place : place + 8]:
                old = int(address.view(np.uint64)[0])
                address.view(np.uint64)[0] = plain[old].ptr if old else 0
        return wp.array(rows, dtype=array.dtype, device=device)

    return with_arrays(struct, filled, copy_of)


def _on(array: Any, device: str) -> Any:
    return wp.array(array.numpy(), dtype=array.dtype, device=device)


def _arrays_in(struct: Any, filled: Any) -> Iterator[tuple[Any, str, Any]]:
    """Every array that a filled struct has: the struct in it that owns it, its name there, and the array."""
    for name, member in struct.vars.items():
        value = getattr(filled, name)
        if isinstance(member.type, wp.array):
            if value is not None:
                yield filled, name, value
        elif hasattr(member.type, "vars"):
            yield from _arrays_in(member.type, value)


def _pointers(array: Any) -> list[int]:
    """Where [byte] in each item of an array there is an address."""
    if not hasattr(array.dtype, "vars"):
        return []
    return [place for place, _, _ in array_places(np.dtype(array.dtype.numpy_dtype()))]
