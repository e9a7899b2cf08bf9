"""Changing keys of a scenario by dotted path."""

import copy
from collections.abc import Mapping
from typing import Any

from planetfall.errors import InputError

SELECTORS = {
    "target": "name",
    "vehicle": "name",
    "gravity": "model",
    "terrain": "model",
    "contact": "law",
    "integrator": "method",
}
"""The key of each table that decides what its other keys mean."""


def apply_values(authored: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """A changed copy of a scenario as written; nothing is checked here but the path."""
    out = copy.deepcopy(dict(authored))
    for path, value in sorted(values.items(), key=lambda item: not _is_selector(item[0])):
        table, _, key = path.partition(".")
        if _is_selector(path) and out.get(table, {}).get(key) != value:
            out[table] = {}
        _set(out, path, copy.deepcopy(value))  # a later path may reach into it
    return out


def _is_selector(path: str) -> bool:
    table, _, key = path.partition(".")
    return SELECTORS.get(table) == key


def _set(tree: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = path.split(".")
    node: Any = tree
    for i, part in enumerate(parents):
        if isinstance(node, list):
            node = _item(node, part, path)
        else:
            node = node.setdefault(part, {})
        if not isinstance(node, dict | list):
            where = ".".join(parents[: i + 1])
            raise InputError(path, f"{where} holds a value, not a table", advice=f"set {where} itself")
    if isinstance(node, list):
        _item(node, last, path)
        node[int(last)] = value
    else:
        node[last] = value


def _item(items: list[Any], index: str, path: str) -> Any:
    if not index.isdecimal() or int(index) >= len(items):
        raise InputError(path, f"{index!r} is no index of a list of {len(items)}", f"allowed: 0 to {len(items) - 1}")
    return items[int(index)]
