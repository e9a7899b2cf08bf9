"""Equal rows of large tables, found by hashing: sorting whole rows of a million facets takes seconds."""

import numpy as np

PRIME = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without pattern: 2^64 over the golden ratio."""
SHIFT = np.uint64(29)


def grouped(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which row [group] is the first of its kind, in order of appearance, and of which kind every row is [row].

    Args:
        rows: [row, column] of numbers of 8 bytes; 0 and -0 are equal.
    """
    rows = np.ascontiguousarray(rows) + 0  # -0 becomes 0, so that equal numbers have equal bits
    keys = np.zeros(len(rows), np.uint64)
    for column in rows.view(np.uint64).T:
        keys = (keys ^ column) * PRIME
        keys ^= keys >> SHIFT
    _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
    if not np.array_equal(rows[first[kind]], rows):  # two kinds with one hash: not seen yet, but possible
        _, first, kind = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[kind.ravel()]
