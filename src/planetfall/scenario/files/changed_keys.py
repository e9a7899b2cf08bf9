"""Which keys of a scenario were changed after it was read: no picture shows a changed run under an old title."""

from collections.abc import Mapping
from typing import Any

from planetfall.scenario.files.rows import value_text

SILENT = (
    "scenario.name",
    "scenario.title",
    "scenario.seed",
    "scenario.changed",
    "record",
    "files",
    "changes",
    "drive.stop",
)
"""Keys, and tables of keys, that change nothing that a title speaks of, or are told elsewhere (`changes`)."""
WHOLE = ("dispersions", "cases")
"""Tables that are silent when they are replaced as a whole: the run of a campaign has none of its own."""
TITLES = ("scenario.title", "scenario.name")
"""Keys that say anew what a scenario is: what was changed before, or is changed with them, they speak for."""
MOST = 4
"""Changed keys that a title names; of more, their number."""


def note_changes(before: Mapping[str, Any], after: dict[str, Any], values: Mapping[str, Any]) -> None:
    """Puts the keys of `values` that are others `after` than `before` into `scenario.changed`, beside earlier ones."""
    table = after.get("scenario")
    if not isinstance(table, dict):  # part of a scenario, which has no title
        return
    if any(key in values for key in TITLES):
        table.pop("changed", None)
        return
    earlier = table.get("changed", [])
    if not isinstance(earlier, list) or not all(isinstance(key, str) for key in earlier):  # refused later on
        return
    own = [key for key in values if not _is_silent(key) and at(before, key) != at(after, key)]
    found = sorted({*earlier, *own})
    if found:
        table["changed"] = found


def _is_silent(key: str) -> bool:
    return key in WHOLE or any(f"{key}.".startswith(f"{silent}.") for silent in SILENT)


def at(tree: Any, path: str) -> Any:
    """What is at a dotted key of plain values; None where there is nothing. Keys may have dots of their own."""
    if isinstance(tree, Mapping) and path in tree:
        return tree[path]
    first, _, rest = path.partition(".")
    if isinstance(tree, list | tuple):
        tree = tree[int(first)] if first.isdecimal() and int(first) < len(tree) else None
    else:
        tree = tree.get(first) if isinstance(tree, Mapping) else None
    return tree if not rest else at(tree, rest)


def changes_text(scenario: Any) -> str:
    """What was changed, with the values that hold: `changed: terrain.slope_deg = 10`; empty if nothing was."""
    keys = scenario.scenario.changed
    if not keys:
        return ""
    values = scenario.to_dict()
    shown = ", ".join(_one(key, at(values, key)) for key in keys[:MOST])
    more = len(keys) - MOST
    return f"changed: {shown}" + (f", and {more} more key{'s' if more > 1 else ''}" if more > 0 else "")


def _one(key: str, value: Any) -> str:
    """A key with its value, as far as that is short: of tables, which one it is."""
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        value = tuple(value)
    if isinstance(value, dict | list) or value is None:
        name = value.get("name") or value.get("distribution") if isinstance(value, dict) else None
        return f"{key} ({name})" if name else key
    text = value_text(value)
    return f"{key} = {text}" if len(text) <= 60 else key


def full_title(scenario: Any) -> str:
    """The title of a scenario or a drive, with what was changed since it was given."""
    return "; ".join(part for part in (scenario.scenario.title, changes_text(scenario)) if part)
