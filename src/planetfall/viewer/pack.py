"""The file that the page reads: a header in JSON and arrays, in one piece.

    bytes 0..3    PFV1
    bytes 4..7    length of the header [bytes], unsigned, little-endian
    header        JSON in UTF-8, padded with spaces; `arrays` gives type, shape and place of each array
    arrays        little-endian, each beginning at a multiple of 8 bytes from the end of the header

It travels compressed by gzip. `docs/reference/viewer-file.md` lists the header's keys.
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
            block = np.ascontiguousarray(values, dtype=TYPES[kind]).tobytes()
            places[name] = {"type": kind, "shape": list(values.shape), "offset": offset}
            blocks.append(block + b"\0" * (-len(block) % 8))
            offset += len(blocks[-1])
        text = json.dumps({**self.header, "arrays": places}, allow_nan=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        return gzip.compress(MAGIC + struct.pack("<I", len(text)) + text + b"".join(blocks), compresslevel=6, mtime=0)


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
        count = int(np.prod(place["shape"]))
        values = np.frombuffer(raw, TYPES[place["type"]], count, start + place["offset"])
        arrays[name] = values.reshape(place["shape"])
    return Pack(header, arrays)
