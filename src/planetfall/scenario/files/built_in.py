"""What is built in, by name, and how it fills in the tables that name it: targets, vehicles, terrains and rovers."""

import tomllib
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from planetfall.arguments import nearest
from planetfall.errors import InputError
from planetfall.scenario.files.messages import bad_value
from planetfall.scenario.files.overrides import DRAWN_FOR
from planetfall.scenario.files.paths import whole_path
from planetfall.scenario.files.toml_file import is_control
from planetfall.scenario.scenario import Scenario

BUILT_IN = {
    "target": ("bodies", "gm"),
    "vehicle": ("vehicles", "mass"),
    "terrain": ("terrains", ""),
    "rover": ("rovers", "mass"),
}
"""Tables that the library fills in by name: its folder, and a key that a table of your own must have."""


def library_names(kind: str = "") -> list[str]:
    """Names of what is built in.

    Args:
        kind: `vehicles`, `bodies`, `terrains`, `drives` or `rovers`; the scenarios if not given.

    Returns:
        The names in the order of the alphabet.

    Examples:
        >>> planetfall.library_names("rovers")
        ['lsr-1', 'mer-class', 'msl-class', 'sojourner']
    """
    return sorted(item.name.removesuffix(".toml") for item in _library(kind).iterdir() if item.name.endswith(".toml"))


def filled_in(values: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Plain values with the built-in targets, vehicles, terrains and rovers that they name."""
    complete = dict(values)
    check_bounds(complete, (), source)
    if isinstance(complete.get("rover"), Mapping) and "urdf" in complete["rover"]:
        complete["rover"] = _with_urdf(complete["rover"])
    for table, (kind, _) in BUILT_IN.items():
        complete[table] = fill_table(table, kind, complete.get(table))
        if complete[table] is None:
            del complete[table]
    complete = _with_kernels(_with_body(complete), values.get("target"))
    if isinstance(complete.get("companions"), list | tuple):
        complete["companions"] = [_filled_companion(i, item) for i, item in enumerate(complete["companions"])]
    return complete


def _with_body(complete: dict[str, Any]) -> dict[str, Any]:
    """A scenario about a whole body in frame P that says nothing of ground or gravity: the body's own.

    Its shape, or its ellipsoid where it has none; the gravity of the ellipsoid is exact, that of a shape is baked.
    """
    target = complete.get("target")
    if not isinstance(target, Mapping) or target.get("frame") != "P" or "rover" in complete:
        return complete
    has_shape, has_axes = target.get("shape") is not None, target.get("semi_axes") is not None
    if has_shape or has_axes:
        complete.setdefault("terrain", {"model": "sdf"})
        complete.setdefault("gravity", {"model": "grid" if has_shape else "ellipsoid"})
    return complete


def _with_kernels(complete: dict[str, Any], given: Any) -> dict[str, Any]:
    """The target's attitude, spin and sun from SPICE kernels, where it names some."""
    target, heading = complete.get("target"), complete.get("scenario")
    if not isinstance(target, Mapping) or not isinstance(heading, Mapping):
        return complete
    if not isinstance(target.get("spice"), Mapping) or "kernels" not in target["spice"]:
        return complete
    from planetfall.scenario.files.spice_kernels import with_kernels

    duration = heading.get("duration")
    seconds = float(duration) if isinstance(duration, int | float) else 0.0
    with suppress(ValidationError):  # of another key of the target, which is told next
        complete["target"] = with_kernels(target, given, seconds)
    return complete


def _filled_companion(i: int, given: Any) -> Any:
    if not isinstance(given, Mapping) or "vehicle" not in given:
        return given
    return {**given, "vehicle": fill_table("vehicle", "vehicles", given["vehicle"], f"companions.{i}.vehicle")}


def fill_table(table: str, kind: str, given: Any, where: str | None = None) -> Any:
    """The given table over the built-in one of the same name."""
    if not isinstance(given, Mapping) or "name" not in given:
        return given
    if table == "terrain" and given.get("model") != "procedural":  # the others have no name, and say so
        return given
    name = given["name"]
    if name in library_names(kind):
        filled = _over(read_library(kind, name), given)
        if table == "vehicle" and given.keys() & DRAWN_FOR:
            filled["drawing"] = given.get("drawing", [])  # that of the built-in one shows another vehicle
        if (
            table == "target"
            and filled.get("frame", "L") == "L"
            and not {"spin_rate", "spin_axis", "site"} & given.keys()
        ):
            filled["spin_rate"] = 0.0  # a site does not turn unless it is said how its axis lies
        return filled
    needed = BUILT_IN[table][1]
    is_own_shape = table == "target" and "shape" in given  # its mass may come from gravity.density
    if needed not in given and name != "none" and not is_own_shape:
        key = where or table
        own = f"or give {key}.{needed} and the other numbers" if needed else f"or leave {key}.name out"
        raise InputError(
            f"{key}.name", f"no built-in {table} {name!r}" + nearest(str(name), library_names(kind), 1),
            f"one of {', '.join(library_names(kind))}", own,
        )  # fmt: skip
    return given


def _with_urdf(given: Mapping[str, Any]) -> dict[str, Any]:
    """The given rover over that of its URDF, over the built-in one that it names; the numbers stand for the file.

    Raises:
        InputError: The file cannot be used, or neither it nor the others say all that a rover needs.
    """
    from planetfall.scenario.files.rover_urdf import read_rover_urdf

    own, file = {key: value for key, value in given.items() if key != "urdf"}, given["urdf"]
    if not isinstance(file, str | PathLike):
        raise InputError("rover.urdf", f"is {file!r}", "the name of a URDF file")
    file = whole_path(file)
    found, names = read_rover_urdf(Path(file)), library_names("rovers")
    base = read_library("rovers", own["name"]) if own.get("name") in names else {}
    filled = _over(_over(base, found.values), own)
    filled["name"] = own.get("name", found.values["name"])
    lacking = {key: why for key, why in found.gaps.items() if _at(filled, key) is None}
    if lacking:
        raise InputError(
            f"rover.urdf {file}", "; ".join(f"it does not give rover.{key}: {why}" for key, why in lacking.items()),
            advice=f"give {', '.join(f'rover.{key}' for key in lacking)}, or name a built-in rover that has them in "
            f"rover.name ({', '.join(names)})",
        )  # fmt: skip
    given_too = [key for key in found.gaps if _at(own, key) is not None]
    borrowed = [key for key in found.gaps if key not in given_too]
    if _at(found.values, "wheels.width") is None and _at(own, "wheels.width") is None and _at(base, "wheels.width"):
        borrowed.append("wheels.width")  # no gap: only soil needs it
    units = {"mass": " kg", "wheels.radius": " m", "wheels.torque_max": " N m"}
    numbers = [key for key in units if _at(found.values, key) is not None and _at(own, key) is None]
    told = ", ".join(f"{key} {_at(found.values, key):.6g}{units[key]}" for key in numbers)
    stops = [key for key in ("rocker_stop_deg", "bogie_stop_deg") if key in found.values and key not in own]
    read = ", ".join(f"{key} {found.values[key]:.4g}" for key in stops)
    said = f"; from the file {told}" if told else ""
    said += f"; by the limits of its joints {read}" if stops else ""
    said += f"; the file lacks {', '.join(given_too)}, which the scenario gives" if given_too else ""
    said += f"; the file lacks {', '.join(borrowed)}, taken from {own['name']}" if borrowed else ""
    said += "".join(f"; {note}" for key, note in found.notes.items() if _at(own, key) is None)
    filled["source"] = own.get("source", f"URDF {Path(file).name}, robot {found.values['name']}{said}")
    return filled


def _at(tree: Any, path: str) -> Any:
    """What is at a dotted key, if anything."""
    for key in path.split("."):
        tree = tree.get(key) if isinstance(tree, Mapping) else None
    return tree


def _over(built_in: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The given values over the built-in ones; tables inside tables likewise, unless their `form` is another."""
    filled = {**built_in, **given}
    for key, value in given.items():
        old = built_in.get(key)
        if isinstance(value, Mapping) and isinstance(old, Mapping) and value.get("form") in (None, old.get("form")):
            filled[key] = _over(old, value)
    return filled


def _library(kind: str) -> Traversable:
    root = resources.files("planetfall.scenario") / "library"
    return root / kind if kind else root


@lru_cache
def read_library(kind: str, name: str) -> dict[str, Any]:
    """The plain values of what is built in, by kind and name as `library_names` has them."""
    return tomllib.loads((_library(kind) / f"{name}.toml").read_text(encoding="utf-8"))


def check_bounds(value: Any, path: tuple[Any, ...], source: str) -> None:
    """Refuses numbers whose squares, products and quotients would leave float64, which no unit calls for.

    Components of vectors may be as small as rounding leaves them. And words with characters that a terminal obeys.
    """
    if isinstance(value, Mapping):
        for key, item in value.items():
            check_bounds(item, (*path, key), source)
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            check_bounds(item, (*path, i), source)
    elif isinstance(value, str):
        if not value.isprintable() and any(is_control(letter) for letter in value):
            raise bad_value(Scenario, path, "must have no control characters", value, f"in {source}")
    elif isinstance(value, int | float):
        smallest = 0.0 if isinstance(path[-1], int) else 1e-40
        if 1e40 < abs(value) < inf or 0 < abs(value) < smallest:
            raise bad_value(Scenario, path, "must be zero, or 1e-40 to 1e40 in magnitude", value, f"in {source}")
