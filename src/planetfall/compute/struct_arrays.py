"""Arrays for the members of a struct, whose types stand in its declaration."""

from typing import Any

import warp as wp


def allocate(
    struct: Any, shape: int | tuple[int, ...], device: str, *, columns_together: bool = False, **values: Any
) -> None:
    """Gives members of a struct arrays of one shape, each of its declared type, filled with the value after its name.

    `allocate(record, (n_slots, n_runs), device, time=np.nan, peak=0)`. With `columns_together`, what has the same last
    index lies together in memory.
    """
    for name, value in values.items():
        dtype = struct._cls.vars[name].type.dtype
        stored = tuple(reversed(shape)) if columns_together and isinstance(shape, tuple) else shape
        filled = {"shape": stored, "dtype": dtype, "device": device}
        array = wp.full(value=value, **filled) if value else wp.zeros(**filled)
        setattr(struct, name, array.transpose() if columns_together else array)
