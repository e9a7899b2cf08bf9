"""A folder of arrays that took long to make, found again by the content they were made from.

An entry is one file: a line of JSON (version, names, types and shapes of the arrays, small facts, checksum), then the
arrays. Its name is a hash of all that its content depends on, so an entry is never wrong, only absent or spoiled.
Files are written beside their place and moved there in one step: another process sees all of it or nothing, and of two
that make the same entry the later one wins. What a killed process left beside is removed by whoever looks for an entry
later. A file whose checksum does not fit is made again. The folder may be deleted at any time.
"""

import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

LEFTOVER_AFTER = 3600.0
"""Seconds after which an unfinished file is nobody's (assumed): writing one takes seconds."""
FORMAT = 1
"""Of the file itself; the builders have versions of their own among the ingredients."""


@dataclass(frozen=True)
class Entry:
    """Arrays with what is known of them.

    Attributes:
        arrays: By name.
        facts: Numbers and words, as JSON holds them.
    """

    arrays: dict[str, np.ndarray]
    facts: dict[str, Any]


def cache_folder() -> Path:
    """Where entries lie: PLANETFALL_CACHE, else the user's cache directory on this system."""
    chosen = os.environ.get("PLANETFALL_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "planetfall" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "planetfall"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "planetfall"


def content_key(**ingredients: Any) -> str:
    """A hash of arrays, numbers and words, by name; any change of a bit, a type or a shape changes it."""
    digest = hashlib.sha256()
    for name in sorted(ingredients):
        value = ingredients[name]
        if isinstance(value, np.ndarray):
            digest.update(f"{name} {value.dtype.str} {value.shape}\n".encode())
            digest.update(np.ascontiguousarray(value).data)
        else:
            digest.update(f"{name} {json.dumps(value, sort_keys=True)}\n".encode())
    return digest.hexdigest()[:40]


def cached(kind: str, key: str, make: Callable[[], Entry]) -> Entry:
    """The entry of a key, from the folder, or made and put there.

    Args:
        kind: What it is: the first part of the file's name.
        key: From `content_key`.
        make: Makes the entry.

    Returns:
        The entry; its fact `cache` says where it came from: "read", "made", or "not kept: ..." with the reason.
    """
    path = cache_folder() / f"{kind}-{key}.bin"
    _drop_leftovers(path.parent)
    found = _read(path)
    if found is not None:
        return Entry(found.arrays, {**found.facts, "cache": "read"})
    entry = make()
    return Entry(entry.arrays, {**entry.facts, "cache": _write(path, entry)})


def _read(path: Path) -> Entry | None:
    """The entry of a file, or None where there is none or it is spoiled."""
    try:
        with path.open("rb") as file:
            head = json.loads(file.readline(1 << 20))
            body = np.fromfile(file, dtype=np.uint8)
        if head["format"] != FORMAT or _checksum(body, head) != head["checksum"]:
            return None
        arrays, start = {}, 0
        for name, dtype, shape in head["arrays"]:
            size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
            arrays[name] = body[start : start + size].view(dtype).reshape(shape)
            start += size
        return Entry(arrays, head["facts"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(path: Path, entry: Entry) -> str:
    """Puts an entry in its place in one step; says "made", or why it could not be kept."""
    rows = [(name, array.dtype.str, list(array.shape)) for name, array in entry.arrays.items()]
    parts = [np.ascontiguousarray(array).view(np.uint8).reshape(-1) for array in entry.arrays.values()]
    head: Mapping[str, Any] = {"format": FORMAT, "arrays": rows, "facts": entry.facts}
    checksum = hashlib.blake2b(_canonical(head), digest_size=20)
    for part in parts:
        checksum.update(part.data)
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=path.stem + ".", suffix=".part", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps({**head, "checksum": checksum.hexdigest()}).encode() + b"\n")
            for part in parts:
                file.write(part.data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        return f"not kept: {error}"
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
    return "made"


def _drop_leftovers(folder: Path) -> None:
    """Removes what writers that were killed left behind: parts that nobody has written to for an hour."""
    for part in folder.glob("*.part"):
        with suppress(OSError):  # another process may do the same
            if time.time() - part.stat().st_mtime > LEFTOVER_AFTER:
                part.unlink()


def _checksum(body: np.ndarray, head: Mapping[str, Any]) -> str:
    digest = hashlib.blake2b(_canonical(head), digest_size=20)
    digest.update(body.data)
    return digest.hexdigest()


def _canonical(head: Mapping[str, Any]) -> bytes:
    """The header without its checksum, always in the same words."""
    kept = {key: head[key] for key in ("format", "arrays", "facts")}
    return json.dumps(json.loads(json.dumps(kept)), sort_keys=True).encode()
