"""Arguments of the Python interface: a wrong type is answered by a sentence, not by whatever fails on it first."""

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from planetfall.errors import InputError


def whole_number(name: str, value: Any, *, least: int, most: int | None = None) -> int:
    """A whole number; NumPy's are taken, True and False are not.

    Raises:
        InputError: It is none, or it is out of range.
    """
    span = f"a whole number from {least} to {most}" if most is not None else f"a whole number, {least} or more"
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(name, f"got {described(value)}", span)
    if value < least or (most is not None and value > most):
        raise InputError(name, f"got {value}", span)
    return int(value)


def text(name: str, value: Any) -> str:
    """A text.

    Raises:
        InputError: It is none.
    """
    if not isinstance(value, str):
        raise InputError(name, f"got {described(value)}", "a text")
    return value


def path_of(name: str, value: Any) -> Path:
    """The path of a file or a folder, from a text or a `pathlib.Path`.

    Raises:
        InputError: It is neither.
    """
    if not isinstance(value, str | os.PathLike):
        raise InputError(name, f"got {described(value)}", "a text or a pathlib.Path")
    return Path(value)


def keyed_values(name: str, value: Any) -> dict[str, Any]:
    """Values by key; typed tables (`planetfall.tables`) among them become plain values: the keys that were given.

    Raises:
        InputError: It is no dictionary, or a key is no text.
    """
    wanted = 'a dictionary by dotted key, such as {"terrain.slope_deg": 15.0}'
    if not isinstance(value, Mapping):
        raise InputError(name, f"got {described(value)}", wanted)
    for key in value:
        if not isinstance(key, str):
            raise InputError(name, f"has the key {described(key)}", wanted)
    return {key: _plain(item) for key, item in value.items()}


def _plain(value: Any) -> Any:
    """A typed table as a dictionary, also inside lists; anything else as it is."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_unset=True, exclude_none=True)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value


def nearest(name: str, names: list[str], most: int = 3) -> str:
    """The end of a sentence about a name that is not there: at most so many that are near to it, or nothing."""
    name = name.lower()
    near = difflib.get_close_matches(name, names, n=most, cutoff=0.5)
    near = near or [other for other in names if name and name in other][:most]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def described(value: Any) -> str:
    """What was given, in a few words."""
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    kinds = {str: "the text", bool: "the truth value", int: "the number", float: "the number", list: "the list"}
    return f"{kinds.get(type(value), f'the {type(value).__name__}')} {shown}" if value is not None else "None"
