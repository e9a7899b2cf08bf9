"""Reading rovers: from the built-in library, from TOML files, from plain values."""

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from planetfall.errors import InputError
from planetfall.scenario.load import _read_library, library_names
from planetfall.scenario.messages import input_error
from planetfall.scenario.overrides import apply_values
from planetfall.scenario.rover import Rover


def rover_names() -> list[str]:
    """Names of the built-in rovers."""
    return library_names("rovers")


def load_rover(name_or_path: str | Path, values: Mapping[str, Any] | None = None) -> Rover:
    """A built-in rover, or one from a TOML file, with some keys changed by dotted path.

    Args:
        name_or_path: A name of `rover_names`, or a path that ends in .toml.
        values: For example `{"mass": 12.0, "arm.payload": 2.0}`.
    """
    text = str(name_or_path)
    if text.endswith(".toml"):
        table, source = _read_file(Path(text)), text
    elif text in rover_names():
        table, source = _read_library("rovers", text), f"the built-in rover {text}"
    else:
        near = difflib.get_close_matches(text, rover_names(), n=1, cutoff=0.5)
        raise InputError(
            f"rover {text!r}", "no such built-in rover" + (f"; did you mean {near[0]}?" if near else ""),
            f"built in: {', '.join(rover_names())}", "or give the path of a .toml file",
        )  # fmt: skip
    return rover_from_dict(apply_values(table, values or {}), source)


def rover_from_dict(values: Mapping[str, Any], source: str = "the given values") -> Rover:
    """A checked rover from plain values; a built-in `name` fills in what is not given."""
    complete = dict(values)
    if complete.get("name") in rover_names():
        complete = {**_read_library("rovers", complete["name"]), **complete}
    try:
        return Rover.model_validate(complete)
    except ValidationError as error:
        raise input_error(error, Rover, source) from None


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise InputError(str(path), "no such file", advice="give the path of a rover in TOML") from None
    except (OSError, ValueError) as error:
        raise InputError(str(path), f"cannot be read ({error})", "key = value lines in [tables]") from None
