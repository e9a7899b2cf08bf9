"""Changing keys of a scenario by dotted path."""

import copy
import math
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from planetfall.errors import InputError
from planetfall.scenario.files.changed_keys import note_changes

SELECTORS = {
    "target": "name",
    "vehicle": "name",
    "gravity": "model",
    "terrain": "model",
    "contact": "law",
    "integrator": "method",
    "detector": "kind",
    "flight": "controller",
    "rover": "name",
    "soil": "law",
}
"""The key of each table that decides what its other keys mean."""
SECOND_SELECTORS = {"terrain": "name", "rover": "urdf"}
"""The key that decides what the others are, once the first selector of its table is known."""
INSTEAD = {"altitude": "radius", "radius": "altitude", "attitude": "euler_ned_deg", "euler_ned_deg": "attitude"}
"""Keys of which a start has one: who gives one of them means it in place of the other."""
DRAWN_FOR = {"points", "shape"}
"""Keys of a vehicle that its drawing belongs to: where they change, it would show another vehicle, and goes."""
FILED = ("dem", "mesh", "sdf")
"""Models of terrain that come from a file."""
MAP_ENDINGS = (".tif", ".tiff", ".img", ".lbl", ".cub", ".asc", ".npy")
"""Files that hold elevation maps; all others hold meshes."""


def apply_values(authored: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """A changed copy of a scenario as written; nothing is checked here but the path."""
    out = copy.deepcopy(dict(authored))
    given = _with_model_of_file(out, values)
    for path, value in sorted(given.items(), key=lambda item: (_rank(item[0]), _depth_taken_out(*item))):
        table, _, key = path.partition(".")
        old = out.get(table, {})
        old = old if isinstance(old, Mapping) else {}
        if _rank(path) < 2 and old.get(key) != value:
            first = SELECTORS[table]
            is_kept = _rank(path) == 1 and first in old and (table != "rover" or "rover.name" in values)
            out[table] = {first: old[first]} if is_kept else {}  # a rover that is not named anew is the file's own
        if _takes_out(path, value):
            out["dispersions"] = _without(out.get("dispersions", {}), path)
        else:
            _check_carried(out, path, values)
            set_at(out, path, copy.deepcopy(value))  # a later path may reach into it
            _drop_other(out, path, value, values)
    _drop_drawings(out, values)
    note_changes(authored, out, values, lambda path: _rank(path) < 2)
    return out


def _drop_other(out: dict[str, Any], path: str, value: Any, values: Mapping[str, Any]) -> None:
    """Takes out the key in whose place another one is given, unless both are given at once."""
    table, _, key = path.rpartition(".")
    other = INSTEAD.get(key) if table == "initial" or table.endswith(".initial") else None
    if other is not None and value is not None and f"{table}.{other}" not in values:
        _inside(out, table).pop(other, None)


def _drop_drawings(out: dict[str, Any], values: Mapping[str, Any]) -> None:
    """Takes out the drawings of vehicles whose points or shape are changed, unless a new one is given with them."""
    for path in values:
        before, found, after = path.rpartition("vehicle.")
        if (
            found
            and after.partition(".")[0] in DRAWN_FOR
            and not any(p.startswith(f"{before}vehicle.drawing") for p in values)
        ):
            _inside(out, f"{before}vehicle").pop("drawing", None)


def _inside(tree: Any, path: str) -> Any:
    """What is at a path of keys and indices that exist."""
    for part in path.split("."):
        tree = tree[int(part)] if isinstance(tree, list) else tree[part]
    return tree


def _takes_out(path: str, value: Any) -> bool:
    """Whether dispersions are taken out: an empty table at a key, or at a table of keys."""
    return path.startswith("dispersions.") and value == {}


def _without(dispersions: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Dispersions without those of a key and of all keys below it."""
    gone, flat = path.removeprefix("dispersions."), flat_tables(dispersions)
    kept = {key: table for key, table in flat.items() if not f"{key}.".startswith(f"{gone}.")}
    if len(kept) == len(flat):
        raise InputError(
            path, f"there is no dispersion to remove; dispersed keys are: {', '.join(flat) or 'none'}",
            advice="an empty table removes the dispersions of a key and of the keys below it",
        )  # fmt: skip
    return kept


def flat_tables(tree: Any, path: str = "") -> dict[str, dict[str, Any]]:
    """Tables by dotted key: `[dispersions.terrain.slope_deg]` and `[dispersions."terrain.slope_deg"]` are the same."""
    found: dict[str, dict[str, Any]] = {}
    for name, item in tree.items():
        key = f"{path}.{name}" if path else str(name)
        if not isinstance(item, dict):
            raise InputError(f"dispersions.{key}", "is a value", "a table with the key distribution")
        tables = {key: item} if "distribution" in item or not _holds_tables(item) else flat_tables(item, key)
        for inner, table in tables.items():
            kind, earlier = table.get("distribution"), found.get(inner, {})
            is_same = kind is None or kind == earlier.get("distribution")
            found[inner] = {**earlier, **table} if is_same else dict(table)
    return found


def _holds_tables(item: dict[str, Any]) -> bool:
    inner = [value for name, value in item.items() if name != "correlated"]
    return bool(inner) and all(isinstance(value, dict) for value in inner)


def _with_model_of_file(authored: Mapping[str, Any], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """A terrain file given to a scenario whose terrain has none selects the model that reads it."""
    file, terrain = values.get("terrain.file"), authored.get("terrain", {})
    has_its_own = isinstance(terrain, Mapping) and terrain.get("model") in FILED
    if not isinstance(file, str | PathLike) or "terrain.model" in values or has_its_own:
        return values
    return {"terrain.model": "dem" if fspath(file).lower().endswith(MAP_ENDINGS) else "mesh", **values}


def _lists(tree: Any, name: str, path: str = "") -> list[str]:
    """Paths of all lists of some name that are not empty."""
    found = []
    for key, value in tree.items() if isinstance(tree, Mapping) else enumerate(tree) if isinstance(tree, list) else ():
        here = f"{path}.{key}" if path else str(key)
        found += [here] if key == name and isinstance(value, list) and value else _lists(value, name, here)
    return found


START_OF_ITS_OWN = (
    "altitude", "radius", "latitude_deg", "longitude_deg", "speed", "flight_path_deg", "azimuth_deg", "position",
    "velocity", "height", "latitude_kind", "altitude_over", "horizon", "relative_to",
)  # fmt: skip
"""Keys of a start that a vehicle does not have that starts attached to another one."""


def _check_carried(tree: Mapping[str, Any], path: str, values: Mapping[str, Any]) -> None:
    """Refuses a start for a vehicle that starts attached, and says whose start it means."""
    table, _, key = path.rpartition(".")
    if key not in START_OF_ITS_OWN or not (table == "initial" or table.endswith(".initial")):
        return
    if table in values or any(given.startswith(f"{table}.attached") for given in values):
        return
    starts = _starts(tree)
    carrier, seen = starts.get(table, ("", None))[1], {table}
    own = table
    while carrier is not None and own is not None:
        own = next((where for where, (name, _) in starts.items() if name == carrier), None)
        carrier = None if own is None or own in seen else starts[own][1]
        seen.add(str(own))
    if own is not None and own != table:
        name = starts[own][0]
        raise InputError(
            path, f"this vehicle starts attached to {starts[table][1]} (initial.attached) and has no start of its own",
            advice=f"the start of the flight is that of {name}: set {own}.{key}",
        )  # fmt: skip


def _starts(tree: Mapping[str, Any]) -> dict[str, tuple[str, str | None]]:
    """Of each start, by its path, the name of the vehicle and of the one that it is attached to."""
    bodies = {"initial": tree, **{f"companions.{i}.initial": one for i, one in enumerate(tree.get("companions") or ())}}
    found = {}
    for path, body in bodies.items():
        vehicle, start = (body.get(key) if isinstance(body, Mapping) else None for key in ("vehicle", "initial"))
        if isinstance(vehicle, Mapping) and isinstance(start, Mapping):
            attached = start.get("attached")
            carrier = attached.get("to") if isinstance(attached, Mapping) else None
            found[path] = (str(vehicle.get("name")), carrier)
    return found


def _rank(path: str) -> int:
    """0 for a selector, 1 for a second selector, 2 for any other key: the order in which they are set."""
    table, _, key = path.partition(".")
    return 0 if SELECTORS.get(table) == key else 1 if SECOND_SELECTORS.get(table) == key else 2


def _depth_taken_out(path: str, value: Any) -> float:
    """Puts what takes dispersions out before all others, wide before narrow: what is given with it is never lost."""
    return path.count(".") if _takes_out(f"{path}.", value) else math.inf


def set_at(tree: dict[str, Any], path: str, value: Any) -> None:
    """Sets what is at a path of keys, with dots between them; tables on the way are made, items of lists must be there.

    Raises:
        InputError: Something on the way is no table.
    """
    *parents, last = path.split(".")
    node: Any = tree
    for i, part in enumerate(parents):
        if isinstance(node, list):
            node = _item(node, part, path, tree)
        else:
            node = node.setdefault(part, {})
        if not isinstance(node, dict | list):
            where = ".".join(parents[: i + 1])
            raise InputError(path, f"{where} holds a value, not a table", advice=f"set {where} itself")
    if isinstance(node, list):
        _item(node, last, path, tree)
        node[int(last)] = value
    else:
        node[last] = value


def _item(items: list[Any], index: str, path: str, tree: Mapping[str, Any]) -> Any:
    if not items:
        parts = path.split(".")
        name, key = parts[parts.index(index) - 1], path.partition(f".{index}")[0]
        there = [place for place in _lists(tree, name) if place != key]
        where = f"{name} are in {' and '.join(there)}" if there else f"no vehicle of the scenario has {name}"
        raise InputError(path, f"the list {key} is empty", advice=f"{where}; {key} = [{{ ... }}] makes an entry")
    if not index.isdecimal() or int(index) >= len(items):
        raise InputError(path, f"{index!r} is not an index of a list of {len(items)}", f"0 to {len(items) - 1}")
    return items[int(index)]
