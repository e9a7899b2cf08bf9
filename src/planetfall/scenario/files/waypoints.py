"""Reading a path for a rover from a file: a table of places, or the `[path]` of a TOML file."""

import re
from pathlib import Path
from typing import Any

from planetfall.errors import InputError
from planetfall.scenario.files.toml_file import read_toml

MOST_WAYPOINTS = 100_000
"""Places of one path."""
ALLOWED = "two columns of numbers, east and north [m], separated by comma, semicolon or space; # begins a remark"


def read_path(path: Path) -> dict[str, Any]:
    """Keys of `[path]` from a file: all that a .toml file has there, else the waypoints of a table.

    A table may have one line of headings.

    Raises:
        InputError: The file cannot be read or holds no path.
    """
    if path.suffix.lower() == ".toml":
        table = read_toml(path).get("path")
        if not isinstance(table, dict):
            raise InputError(str(path), "has no table [path]", "waypoints, step, corner_radius")
        return table
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), f"cannot be read ({error})") from None
    texts = [(i + 1, line.partition("#")[0].strip()) for i, line in enumerate(lines)]
    texts = [(number, text) for number, text in texts if text]
    if texts and not re.search(r"\d", texts[0][1]):
        texts = texts[1:]  # headings
    if len(texts) < 2:
        raise InputError(str(path), f"holds {len(texts)} places", f"at least two; {ALLOWED}")
    if len(texts) > MOST_WAYPOINTS:
        raise InputError(str(path), f"holds {len(texts)} places", f"at most {MOST_WAYPOINTS}", "thin it out")
    return {"waypoints": [_place(path, number, text) for number, text in texts]}


def _place(path: Path, number: int, text: str) -> list[float]:
    parts = [part for part in re.split(r"[,;\s]+", text) if part]
    try:
        place = [float(part) for part in parts]
    except ValueError:
        place = []
    if len(place) != 2:
        raise InputError(f"{path}, line {number}", f"{text[:60]!r} is not a place", ALLOWED)
    return place
