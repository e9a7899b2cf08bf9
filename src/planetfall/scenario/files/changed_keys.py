"""Which keys of a scenario were changed after it was read: no picture shows a changed run under an old title."""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from planetfall.scenario.files.rows import value_text

SILENT = (
    "scenario.name",
    "scenario.title",
    "scenario.seed",
    "scenario.changed",
    "scenario.changed_from",
    "record",
    "files",
    "changes",
    "drive.stop",
)
"""Keys, and tables of keys, that change nothing that a title speaks of, or are told elsewhere (`changes`)."""
WHOLE = ("dispersions", "cases")
"""Tables that are silent when they are replaced as a whole: the run of a campaign has none of its own."""
MOST = 4
"""Changed keys that a title names; of more, their number."""


EXACT = 2**53
"""Integers below it are floating-point numbers, too."""
LONGEST = 100
"""Letters of a first value that is kept as it is; of longer ones the checksum."""


def note_changes(
    before: Mapping[str, Any], after: dict[str, Any], values: Mapping[str, Any], is_selector: Callable[[str], bool]
) -> None:
    """Puts the keys of `values` that are others `after` than `before` into `scenario.changed`, beside earlier ones.

    Each with what it held first, so that a key that is set back is not told of any more. A selector chooses what the
    other keys of its table mean: it is set back when all of its table is.
    """
    table = after.get("scenario")
    if not isinstance(table, dict):  # part of a scenario, which has no title
        return
    is_named = "scenario.name" in values and not table.get("title")
    if "scenario.title" in values or is_named:  # it says anew what the scenario is
        table.pop("changed", None)
        table.pop("changed_from", None)
        return
    earlier, first = table.get("changed", []), table.get("changed_from", [])
    if not _are_texts(earlier) or not _are_texts(first):  # refused later on
        return

    def held(tree: Mapping[str, Any], key: str) -> str:
        return _kept(at(tree, key.partition(".")[0] if is_selector(key) else key))

    known = dict.fromkeys(earlier, "") | dict(zip(earlier, first, strict=False))
    whole = {key.partition(".")[0] for key in known if is_selector(key) and held(after, key) == known[key]}
    for key in values:
        if not _is_silent(key) and key.partition(".")[0] not in whole:  # a table that is whole again holds no news
            known.setdefault(key, held(before, key))
    found = {key: was for key, was in sorted(known.items()) if held(after, key) != was}
    for name, items in (("changed", list(found)), ("changed_from", list(found.values()))):
        table.pop(name, None)
        if items:
            table[name] = items


def _are_texts(items: Any) -> bool:
    return isinstance(items, list) and all(isinstance(item, str) for item in items)


def _kept(value: Any) -> str:
    """A value as JSON, the same for the same value however it was written; of a long one its checksum."""
    text = json.dumps(_plain(value), sort_keys=True, default=str)
    return text if len(text) <= LONGEST else f"SHA-256 {hashlib.sha256(text.encode()).hexdigest()}"


def _plain(value: Any) -> Any:
    """Lists for tuples, 10.0 for 10, 0.0 for -0.0."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < EXACT
    return float(value) + 0.0 if is_number else value


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


def title_of(scenario: Any) -> str:
    """The title of a scenario or a drive, or its name where it has none: for the figures."""
    return scenario.scenario.title or scenario.name


def full_title(scenario: Any) -> str:
    """The title of a scenario or a drive, with what was changed since it was given."""
    return "; ".join(part for part in (scenario.scenario.title, changes_text(scenario)) if part)
