"""Reading numbers where they lie, in a long vector or in an array, without what Warp does about it.

Warp reads `y[i]` of a vector that is passed by reference as a copy of all of it, of which one number is taken. Where i
is known to the compiler, nothing is left of that; where it is not, hundreds of bytes are copied for eight. An index of
an array may be negative and its strides any: in the inner loop of a step that is ten instructions instead of two.
"""

import warp as wp


@wp.func
def number(place: wp.ref[wp.float64]) -> wp.float64:
    """The number at a place: `number(y[i])`."""
    return place


@wp.func_native("return places.data[i];")
def place_of(places: wp.array(dtype=wp.vec3d), i: int) -> wp.vec3d:  # pyright: ignore
    """`places[i]` of an array without gaps."""
    ...


AT = "numbers.data[(size_t)(unsigned)row * (unsigned)numbers.shape[1] + (unsigned)run]"
"""One product of 32-bit numbers that has 64 bits: an array may have more entries than 32 bits count."""


@wp.func_native(f"return {AT};")
def entry(numbers: wp.array2d(dtype=wp.float64), row: int, run: int) -> wp.float64:  # pyright: ignore
    """`numbers[row, run]`. Here and below: of an array without gaps, and no index is negative."""
    ...


@wp.func_native(f"return {AT};")
def integer(numbers: wp.array2d(dtype=wp.int32), row: int, run: int) -> wp.int32:  # pyright: ignore
    """`numbers[row, run]`."""
    ...


@wp.func_native(
    "return *(const int*)((const char*)numbers.data + (size_t)(unsigned)row * (unsigned)numbers.strides[0]"
    " + (size_t)(unsigned)run * (unsigned)numbers.strides[1]);"
)
def strided_integer(numbers: wp.array2d(dtype=wp.int32), row: int, run: int) -> wp.int32:  # pyright: ignore
    """`numbers[row, run]` of an array with any strides: what a run has may lie together."""
    ...


@wp.func_native(f"{AT} = value;")
def put(numbers: wp.array2d(dtype=wp.int32), row: int, run: int, value: wp.int32):
    """`numbers[row, run] = value`."""
    ...


@wp.func_native(f"{AT} += 1;")
def count_up(numbers: wp.array2d(dtype=wp.int32), row: int, run: int):
    """`numbers[row, run] += 1`."""
    ...


@wp.func_native(f"double& largest = {AT}; if (value > largest) largest = value;")
def raise_to(numbers: wp.array2d(dtype=wp.float64), row: int, run: int, value: wp.float64):
    """Keeps the larger one in `numbers[row, run]`."""
    ...
