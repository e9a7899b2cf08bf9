"""Values that JSON can hold: what goes into `summary.json` is made of nothing else."""

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None


def plain_json(content: Mapping[str, Any]) -> dict[str, Any]:
    """A copy that holds plain numbers, texts, lists, dictionaries and None.

    Arrays and tuples become lists, dataclasses dictionaries, members of an enum their names, and numbers that are not
    finite None.

    Raises:
        TypeError: Something has no form in JSON; the message names its key and its type.
    """
    return {_key(key, ""): _plain(value, key) for key, value in content.items()}


def _plain(value: Any, where: str) -> Json:
    if isinstance(value, Enum):  # before numbers: members of an IntEnum are both
        return value.name
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Path):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        value = {item.name: getattr(value, item.name) for item in fields(value)}
    if isinstance(value, Mapping):
        return {_key(key, where): _plain(item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, f"{where}[{i}]") for i, item in enumerate(value)]
    raise TypeError(f"{where} is of type {type(value).__name__}, which JSON cannot hold")


def json_text(content: Mapping[str, Any]) -> str:
    """A JSON document, ready for a file or for standard output."""
    return json.dumps(plain_json(content), indent=2, allow_nan=False)


def writable_part(content: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The entries that JSON can hold, and for each of the others a sentence about what is in its way."""
    kept: dict[str, Any] = {}
    faults = []
    for key, value in content.items():
        try:
            kept |= plain_json({key: value})
        except TypeError as error:
            faults.append(str(error))
    return kept, faults


def _key(key: object, where: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{where or 'the content'} has the key {key!r}, and keys of JSON are texts")
    return key
