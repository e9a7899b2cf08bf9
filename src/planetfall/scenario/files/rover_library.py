"""Reading rovers: from the built-in library, from TOML files, from plain values."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from planetfall.scenario.files.built_in import filled_in, library_names
from planetfall.scenario.files.messages import input_error
from planetfall.scenario.files.overrides import apply_values
from planetfall.scenario.files.paths import beside
from planetfall.scenario.files.toml_file import read_toml
from planetfall.scenario.tables.rover import Rover


def rover_names() -> list[str]:
    """Names of the built-in rovers."""
    return library_names("rovers")


def load_rover(name_or_path: str | Path, values: Mapping[str, Any] | None = None) -> Rover:
    """A built-in rover, or one from a TOML file, with some keys changed by dotted path.

    Args:
        name_or_path: A name of `rover_names`, or a path that ends in .toml.
        values: For example `{"mass": 12.0, "arm.payload": 2.0}`, or `{"urdf": "rover.urdf"}`: then the rover of that
            file, and of the name or file only what it lacks.
    """
    text = str(name_or_path)
    table = _read(Path(text)) if text.endswith(".toml") else {"name": text}
    complete = table if "urdf" in (values or {}) else filled_in({"rover": table}, text)["rover"]
    return rover_from_dict(apply_values(complete, values or {}), text)


def _read(path: Path) -> dict[str, Any]:
    table = read_toml(path)
    return {**table, "urdf": beside(path)(table["urdf"])} if isinstance(table.get("urdf"), str) else table


def rover_from_dict(values: Mapping[str, Any], source: str = "the given values") -> Rover:
    """A checked rover from plain values; a built-in `name` fills in what is not given."""
    complete = filled_in({"rover": values}, source)["rover"]
    try:
        return Rover.model_validate(complete)
    except ValidationError as error:
        raise input_error(error, Rover, source) from None
