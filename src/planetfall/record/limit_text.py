"""Limits of a summary in words."""

from collections.abc import Mapping
from typing import Any

VERDICTS = {True: "kept", False: "BROKEN", None: "not judged"}


def limit_text(limit: Mapping[str, Any]) -> str:
    """A limit of a summary for people: what it is on, the value, and what is allowed."""
    where = f" at {limit['at']}" if limit["at"] else ""
    parts = (("at least", limit["min"]), ("at most", limit["max"]))
    allowed = " and ".join(f"{words} {value:g}" for words, value in parts if value is not None)
    if limit.get("kept") is None and "least" in limit:
        return f"{limit['of']}{where}: never came, allowed {allowed}"
    if "least" not in limit:
        return f"{limit['of']}{where}: {allowed}"
    least, largest = limit["least"], limit["largest"]
    value = f"{largest:.5g}" if least == largest else f"{least:.5g} to {largest:.5g}"
    return f"{limit['of']}{where} {value}, allowed {allowed}"
