"""The file that the page reads: a header in JSON and arrays, in one piece.

    bytes 0..3    PFV1
    bytes 4..7    length of the header [bytes], unsigned, little-endian
    header        JSON in UTF-8, padded with spaces; `arrays` gives type, shape and place of each array
    arrays        little-endian, each beginning at a multiple of 8 bytes from the end of the header

Numbers of 4 bytes are coded so that gzip finds more in them: column after column, each number as its difference from
the one before it (both read as unsigned integers, modulo 2^32), first all lowest bytes, then all second ones, and so
on. Nothing is rounded. It travels compressed by gzip. `docs/reference/viewer-file.md` lists the header's keys.
"""

import gzip
import json
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MAGIC = b"PFV1"
TYPES = {"f4": "<f4", "f8": "<f8", "u1": "|u1", "u2": "<u2", "u4": "<u4"}
"""Types that an array may have: the first letter and the bytes, as NumPy and the page call them."""
CODING, CODED_SIZE = "delta", 4
"""Name of the coding, and how many bytes the numbers have that are coded."""


@dataclass(frozen=True)
class Pack:
    """What one page shows: `header`, plain values for JSON, and `arrays` by name."""

    header: dict[str, Any]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """The file, compressed; the same pack gives the same bytes."""
        blocks, places, offset = [], {}, 0
        for name, values in self.arrays.items():
            kind = f"{values.dtype.kind}{values.dtype.itemsize}"
            plain = np.ascontiguousarray(values, dtype=TYPES[kind])
            is_coded = plain.itemsize == CODED_SIZE and plain.size > 0
            block = coded(plain) if is_coded else plain.tobytes()
            places[name] = {"type": kind, "shape": list(values.shape), "offset": offset}
            if is_coded:
                places[name]["coding"] = CODING
            blocks.append(block + b"\0" * (-len(block) % 8))
            offset += len(blocks[-1])
        text = json.dumps({**self.header, "arrays": places}, allow_nan=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        return gzip.compress(MAGIC + struct.pack("<I", len(text)) + text + b"".join(blocks), compresslevel=6, mtime=0)


def coded(values: np.ndarray) -> bytes:
    """Numbers of 4 bytes, columns first, as differences of their bits, in planes of bytes."""
    columns = np.ascontiguousarray(values.reshape(len(values), -1).T).view("<u4").ravel()
    steps = np.diff(columns, prepend=np.uint32(0))
    return steps.view(np.uint8).reshape(-1, CODED_SIZE).T.tobytes()


def decoded(block: bytes, kind: str, shape: list[int]) -> np.ndarray:
    """What `coded` was given."""
    planes = np.frombuffer(block, np.uint8).reshape(CODED_SIZE, -1)
    steps = np.ascontiguousarray(planes.T).view("<u4").ravel()
    columns = np.cumsum(steps, dtype=np.uint32).view(TYPES[kind])
    return np.ascontiguousarray(columns.reshape(-1, shape[0]).T).reshape(shape)


def read_pack(data: bytes) -> Pack:
    """The pack of a file's bytes.

    Raises:
        ValueError: They are no such file, or cut short.
    """
    raw = gzip.decompress(data)
    if raw[:4] != MAGIC:
        raise ValueError("it does not begin with PFV1")
    start = 8 + struct.unpack("<I", raw[4:8])[0]
    header = json.loads(raw[8:start])
    arrays = {}
    for name, place in header.pop("arrays").items():
        kind, shape, first = place["type"], place["shape"], start + place["offset"]
        count = int(np.prod(shape))
        if place.get("coding") == CODING:
            arrays[name] = decoded(raw[first : first + CODED_SIZE * count], kind, shape)
        else:
            arrays[name] = np.frombuffer(raw, TYPES[kind], count, first).reshape(shape)
    return Pack(header, arrays)
