"""What rows of parameter structs hold, read through their addresses."""

from __future__ import annotations

import ctypes
from typing import Any


def contents(row: Any, path: str = "") -> dict[str, bytes]:
    """The bytes of a struct by name; of arrays what is in them, but for those of a shared terrain."""
    names = row.dtype.names
    if names is None:
        return {path: row.tobytes()}
    if {"data", "shape", "strides"} <= set(names):
        n_bytes = 0 if path.startswith(".terrain") else int(row["shape"][0]) * int(row["strides"][0])
        return {path: ctypes.string_at(int(row["data"]), n_bytes) if n_bytes else b""}
    return {key: value for name in names for key, value in contents(row[name], f"{path}.{name}").items()}


def addresses(row: Any) -> set[int]:
    """Of all arrays that a struct points to."""
    names = row.dtype.names or ()
    if {"data", "shape", "strides"} <= set(names):
        return {int(row["data"])} - {0}
    return {address for name in names for address in addresses(row[name])}
