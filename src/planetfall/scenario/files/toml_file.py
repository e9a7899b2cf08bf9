"""Reading a TOML file that may be anything: a pipe, a device, a book, or brackets without end."""

import tomllib
import unicodedata
from pathlib import Path
from typing import Any

from planetfall.errors import InputError

MAX_BYTES = 16 << 20
"""Largest file that is read: scenarios take kilobytes, tables of measured forces megabytes (assumed)."""
MAX_DEPTH = 40
"""Tables within tables, and lists within lists; no scenario has ten (assumed)."""


def is_control(letter: str) -> bool:
    """Whether a terminal may obey a character instead of showing it; line feeds and tabs are words' own."""
    return unicodedata.category(letter) == "Cc" and letter not in "\n\t"


def read_toml(path: Path) -> dict[str, Any]:
    """The plain values of a TOML file.

    Raises:
        InputError: There is none, it is not an ordinary file, it is too large, or it is not TOML.
    """
    try:
        if not path.exists():
            raise InputError(str(path), "no such file", advice="give the path of a scenario in TOML")
        if path.is_dir():
            inside = path / "scenario.toml"
            own = f"give the scenario in it: {inside}" if inside.is_file() else "name a file"
            raise InputError(str(path), "is a folder", "a scenario in TOML", own)
        if not path.is_file():  # reading a pipe waits, and a device may never end
            raise InputError(str(path), "is not an ordinary file", "a scenario in TOML")
        if path.stat().st_size > MAX_BYTES:
            raise InputError(str(path), f"has more than {MAX_BYTES >> 20} MiB", "a scenario in TOML")
        return parsed_toml(path.read_text(encoding="utf-8-sig"), str(path))
    except UnicodeDecodeError:
        raise InputError(str(path), "is not text in UTF-8", "a scenario in TOML") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror or error})") from None


def parsed_toml(text: str, where: str) -> dict[str, Any]:
    """The plain values of a text in TOML; `where` it stands is for messages."""
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise _too_deep(where) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(where, f"not TOML: {error}", "key = value lines in [tables]") from None
    except ValueError:  # a whole number too long for Python
        raise InputError(where, "a number has thousands of digits", "numbers of at most 4300 digits") from None
    level: list[Any] = [values]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for held in level
            for item in (held.values() if isinstance(held, dict) else held)
            if isinstance(item, dict | list)
        ]
        if not level:
            return values
    raise _too_deep(where)


def _too_deep(where: str) -> InputError:
    return InputError(where, f"tables or lists are nested more than {MAX_DEPTH} deep", "a scenario in TOML")
