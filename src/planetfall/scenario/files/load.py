"""Reading scenarios: from the built-in library, from TOML files, from plain values."""

import difflib
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from planetfall.arguments import described, path_of
from planetfall.errors import InputError
from planetfall.scenario.files.messages import bad_value, input_error
from planetfall.scenario.files.overrides import DRAWN_FOR, MAP_ENDINGS, apply_values
from planetfall.scenario.files.paths import PathRule, beside, is_path, placed, placed_changes, whole_path
from planetfall.scenario.files.plugins import SCRIPT, load_plugins, plugin_faults, plugins_used
from planetfall.scenario.files.toml_file import is_control, read_toml
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.world.terrain_procedural import TerrainProcedural


class _Written(Protocol):
    """A checked scenario, or a checked drive."""

    def to_dict(self) -> dict[str, Any]: ...


Checked = TypeVar("Checked", bound=_Written)
BUILT_IN = {
    "target": ("bodies", "gm"),
    "vehicle": ("vehicles", "mass"),
    "terrain": ("terrains", ""),
    "rover": ("rovers", "mass"),
}
"""Tables that the library fills in by name: its folder, and a key that a table of your own must have."""
MAX_BASES = 16
"""Scenarios of which each is based on the next (assumed)."""
_bases: ContextVar[tuple[str, ...]] = ContextVar("bases", default=())
"""Those that are being read."""


def load(name_or_path: str | Path, values: Mapping[str, Any] | None = None, source: str | None = None) -> Scenario:
    """The scenario of a built-in name, or of a TOML file.

    Args:
        name_or_path: A name of `library_names`, or a path that ends in .toml. Files that it names are beside it.
        values: Keys that are others, by dotted path, as `Scenario.with_values` takes them; the scenario is checked with
            them, so that they may put right what is wrong in a file. Files among them are in the working folder.
        source: Says in messages where the values stand.

    Returns:
        The checked scenario.

    Raises:
        InputError: There is no such scenario, or something in it has to be changed; the message says what.

    Examples:
        >>> scenario = planetfall.load("msl-drop", {"terrain.slope_deg": 10.0})
        >>> scenario.vehicle.mass  # [kg]
        899.18
    """
    found, name = read_values(path_of("name_or_path", name_or_path))
    if "rover" in found:
        raise InputError(
            name, "is the drive of a rover", "a scenario with a vehicle",
            f"use planetfall rover drive {name_or_path}, or planetfall.load_drive in Python",
        )  # fmt: skip
    return scenario_from_dict(found, name) if not values else changed(scenario_from_dict, found, name, values, source)


def changed(
    check: Callable[[Mapping[str, Any], str], Checked],
    values: Mapping[str, Any],
    name: str,
    changes: Mapping[str, Any],
    source: str | None = None,
) -> Checked:
    """Plain values with some keys changed, checked after that: what the changes put right need not be right before."""
    wrong: InputError | None = None
    try:
        written = check(values, name).to_dict()
    except InputError as error:
        wrong, written = error, _as_written(values)
    try:
        return check(apply_values(written, changes), source or f"the values given over {name}")
    except InputError as error:
        if wrong is not None and (error.where, error.problem) == (wrong.where, wrong.problem):
            raise wrong from None  # the changes have nothing to do with it
        raise


def _as_written(values: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values without a check: a variant's on top of its base's, and built-in tables where there are such."""
    if isinstance(based_on := values.get("based_on"), str):
        with _based_on(based_on):
            base, changes = _as_written(read_values(based_on)[0]), values.get("changes", {})
        return apply_values(base, changes) if isinstance(changes, Mapping) else base
    written = dict(values)
    for table in BUILT_IN.keys() & written.keys():
        try:
            written |= filled_in({table: written[table]}, "")
        except InputError:  # a name that is not built in, or a number out of bounds: looked at with the changes
            continue
    return written


def check_loaded(given: object) -> None:
    """Refuses what is no scenario, as the name of one: who asks for a run by name forgot to load it."""
    if isinstance(given, Scenario):
        return
    if isinstance(given, str | Path):
        advice = f"use planetfall.load({str(given)!r})"
    elif type(given).__name__ == "DriveScenario":  # its module imports this one
        advice = "planetfall.drive runs the drive of a rover"
    else:
        advice = "load one: planetfall.load('msl-drop')"
    raise InputError("scenario", f"expected a Scenario, got {described(given)}", advice=advice)


def loaded(given: Scenario | str | Path) -> Scenario:
    """A scenario as it is, or the one that a name or a file says."""
    if isinstance(given, str | Path):
        return load(given)
    check_loaded(given)
    return given


def read_values(name_or_path: str | Path) -> tuple[dict[str, Any], str]:
    """The plain values of a built-in scenario, of a built-in drive or of a TOML file, and what to call them.

    Names of files are whole: a scenario's are relative to its file.
    """
    text = str(name_or_path)
    if text.lower().endswith(MAP_ENDINGS):
        raise InputError(
            text, "is an elevation map, not a scenario", "a built-in name (planetfall list), or a .toml file",
            f"name a scenario, and the map as its terrain: --set terrain.file={text}",
        )  # fmt: skip
    if is_path(text):
        path = Path(text).expanduser()
        return _beside(path, read_toml(path)), text
    for kind, what in (("", "scenario"), ("drives", "drive")):
        if text in library_names(kind):
            return _read_library(kind, text), f"the built-in {what} {text}"
    names = [*library_names(), *library_names("drives")]
    raise InputError(
        f"scenario {text!r}", "no such built-in scenario" + _nearest(text, names),
        f"one of {', '.join(names)}", "or give the path of a .toml file",
    )  # fmt: skip


def file_places(file: Path) -> PathRule:
    """Gives the whole paths of what a scenario's file names."""
    return beside(file, read_toml(file).get("files"))


def _beside(file: Path, values: dict[str, Any]) -> dict[str, Any]:
    """The values of a file with whole paths for the files that it names."""
    from planetfall.scenario.drive import DriveScenario

    place, values = beside(file, values.get("files")), {key: item for key, item in values.items() if key != "files"}
    root = DriveScenario if "rover" in values else Scenario
    if "based_on" not in values:
        return placed(values, root, place)
    base, changes = values["based_on"], values.get("changes")
    whole = place(base) if isinstance(base, str) and is_path(base) else base
    own = {"changes": placed_changes(changes, root, place)} if isinstance(changes, Mapping) else {}
    return {**values, "based_on": whole, **own}


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


@plugin_faults()
def scenario_from_dict(values: Mapping[str, Any], source: str = "the given values") -> Scenario:
    """A checked scenario from plain values; built-in targets, vehicles and terrains are filled in."""
    if "based_on" in values:
        return _variant(values, source)
    load_plugins(values.get("plugins") or (), source)
    complete = filled_in(values, source)
    if used := plugins_used(complete):
        complete["plugins"] = used
    try:
        return Scenario.model_validate(complete)
    except ValidationError as error:
        found = input_error(error, Scenario, source)
        if SCRIPT in (complete.get("plugins") or ()):
            script = f"{found.advice}; some of its parts were made in a script, which has to register them first"
            found = InputError(found.where, found.problem, found.allowed, script)
        raise found from None


def filled_in(values: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Plain values with the built-in targets, vehicles, terrains and rovers that they name."""
    complete = dict(values)
    _check_bounds(complete, (), source)
    if isinstance(complete.get("rover"), Mapping) and "urdf" in complete["rover"]:
        complete["rover"] = _with_urdf(complete["rover"])
    for table, (kind, _) in BUILT_IN.items():
        complete[table] = _fill(table, kind, complete.get(table))
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


def _variant(values: Mapping[str, Any], source: str) -> Scenario:
    """Another scenario with some keys changed: `based_on`, and the dotted keys under `changes`."""
    others = sorted(values.keys() - {"based_on", "changes"})
    if others or not isinstance(values.get("changes", {}), Mapping):
        raise InputError(
            others[0] if others else "changes", f"not allowed beside based_on, in {source}", "based_on and [changes]",
            'give it under [changes], with a dotted key in quotes: "terrain.slope_deg" = 5.0',
        )  # fmt: skip
    with _based_on(values["based_on"]):
        base = load(values["based_on"])
    return base.with_values(values.get("changes", {}), source)


@contextmanager
def _based_on(name: object) -> Iterator[None]:
    """While a base is read; refuses one that is being read already."""
    chain = _bases.get()
    if str(name) in chain or len(chain) >= MAX_BASES:
        raise InputError(
            "based_on", f"{name} is based on itself, or on too long a chain of files",
            f"a chain of at most {MAX_BASES} files", "name a scenario that does not lead back here",
        )  # fmt: skip
    token = _bases.set((*chain, str(name)))
    try:
        yield
    finally:
        _bases.reset(token)


def terrain_from_dict(
    values: Mapping[str, Any], source: str = "the given values", changes: Mapping[str, Any] | None = None
) -> TerrainProcedural:
    """A checked table of procedural terrain from plain values; a built-in one is filled in.

    Args:
        values: The keys of the table.
        source: Says in messages where they stand.
        changes: Keys that are others, by dotted path from `terrain.` on.
    """
    complete = _fill("terrain", "terrains", {"model": "procedural", **values})
    if changes:
        with suppress(ValidationError):  # which the changes may put right
            complete = TerrainProcedural.model_validate(complete).model_dump(mode="json", exclude_none=True)
        complete = _fill("terrain", "terrains", apply_values({"terrain": complete}, changes)["terrain"])
    _check_bounds(complete, ("terrain",), source)
    try:
        return TerrainProcedural.model_validate(complete)
    except ValidationError as error:
        raise input_error(error, TerrainProcedural, source) from None


def _check_bounds(value: Any, path: tuple[Any, ...], source: str) -> None:
    """Refuses numbers whose squares, products and quotients would leave float64, which no unit calls for.

    Components of vectors may be as small as rounding leaves them. And words with characters that a terminal obeys.
    """
    if isinstance(value, Mapping):
        for key, item in value.items():
            _check_bounds(item, (*path, key), source)
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            _check_bounds(item, (*path, i), source)
    elif isinstance(value, str):
        if not value.isprintable() and any(is_control(letter) for letter in value):
            raise bad_value(Scenario, path, "must have no control characters", value, f"in {source}")
    elif isinstance(value, int | float):
        smallest = 0.0 if isinstance(path[-1], int) else 1e-40
        if 1e40 < abs(value) < inf or 0 < abs(value) < smallest:
            raise bad_value(Scenario, path, "must be zero, or 1e-40 to 1e40 in magnitude", value, f"in {source}")


def _filled_companion(i: int, given: Any) -> Any:
    if not isinstance(given, Mapping) or "vehicle" not in given:
        return given
    return {**given, "vehicle": _fill("vehicle", "vehicles", given["vehicle"], f"companions.{i}.vehicle")}


def _fill(table: str, kind: str, given: Any, where: str | None = None) -> Any:
    """The given table over the built-in one of the same name."""
    if not isinstance(given, Mapping) or "name" not in given:
        return given
    if table == "terrain" and given.get("model") != "procedural":  # the others have no name, and say so
        return given
    name = given["name"]
    if name in library_names(kind):
        filled = _over(_read_library(kind, name), given)
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
            f"{key}.name", f"no built-in {table} {name!r}" + _nearest(str(name), library_names(kind)),
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
    base = _read_library("rovers", own["name"]) if own.get("name") in names else {}
    filled = _over(_over(base, found.values), own)
    filled["name"] = own.get("name", found.values["name"])
    lacking = {key: why for key, why in found.gaps.items() if _at(filled, key) is None}
    if lacking:
        raise InputError(
            f"rover.urdf {file}", "; ".join(f"it does not give rover.{key}: {why}" for key, why in lacking.items()),
            advice=f"give {', '.join(f'rover.{key}' for key in lacking)}, or name a built-in rover that has them in "
            f"rover.name ({', '.join(names)})",
        )  # fmt: skip
    others = [f"{key} {'given' if _at(own, key) is not None else 'of ' + own['name']}" for key in found.gaps]
    said = f"; not in it: {', '.join(others)}" if others else ""
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


def _nearest(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; did you mean {near[0]}?" if near else ""


def _library(kind: str) -> Traversable:
    root = resources.files("planetfall.scenario") / "library"
    return root / kind if kind else root


@lru_cache
def _read_library(kind: str, name: str) -> dict[str, Any]:
    return tomllib.loads((_library(kind) / f"{name}.toml").read_text(encoding="utf-8"))
