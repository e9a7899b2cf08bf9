"""Reading scenarios: from the built-in library, from TOML files, from plain values."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from planetfall.arguments import described, keyed_values, nearest, path_of
from planetfall.errors import InputError
from planetfall.scenario.files.built_in import (
    BUILT_IN,
    check_bounds,
    fill_table,
    filled_in,
    library_names,
    read_library,
)
from planetfall.scenario.files.messages import input_error
from planetfall.scenario.files.overrides import MAP_ENDINGS, apply_values
from planetfall.scenario.files.paths import PathRule, beside, is_path, placed, placed_changes
from planetfall.scenario.files.plugins import SCRIPT, load_plugins, plugin_faults, plugins_used
from planetfall.scenario.files.toml_file import read_toml
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.world.terrain_procedural import TerrainProcedural


class _Written(Protocol):
    """A checked scenario, or a checked drive."""

    def to_dict(self) -> dict[str, Any]: ...


Checked = TypeVar("Checked", bound=_Written)
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
    if not values:
        return scenario_from_dict(found, name)
    return changed(scenario_from_dict, found, name, keyed_values("values", values), source)


def changed(
    check: Callable[[Mapping[str, Any], str], Checked],
    values: Mapping[str, Any],
    name: str,
    changes: Mapping[str, Any],
    source: str | None = None,
) -> Checked:
    """Plain values with some keys changed, checked after that: what the changes put right need not be right before."""
    wrong: InputError | None = None
    first = dict(values)
    if "plugins" in changes and "based_on" not in values:
        first["plugins"] = changes["plugins"]  # those of the file would stay registered beside them
    try:
        written = check(first, name).to_dict()
    except InputError as error:
        wrong, written = error, _as_written(values)
    if first.get("plugins") != values.get("plugins"):
        written["plugins"] = values.get("plugins")  # for the record of what was changed
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
            return read_library(kind, text), f"the built-in {what} {text}"
    if text and Path(text).is_dir():
        read_toml(Path(text))  # which says what a folder has
    if text and Path(text).exists():
        raise InputError(
            text, "is no built-in scenario, and a file whose name does not end in .toml",
            "a built-in name (planetfall list), or a .toml file", "end the name of a scenario's file in .toml",
        )  # fmt: skip
    for table, (kind, _) in BUILT_IN.items():
        if text in library_names(kind):
            raise InputError(
                text, f"is no scenario, but a built-in {'body' if table == 'target' else table}",
                "a built-in scenario (planetfall list), or the path of a .toml file",
                f"planetfall show {text} prints it; a scenario takes it by {table}.name",
            )  # fmt: skip
    parts = [name for kind, _ in BUILT_IN.values() for name in library_names(kind)]  # which `show` takes, too
    near = nearest(text, [*library_names(), *library_names("drives"), *parts], 1)
    raise InputError(
        f"scenario {text!r}", "no such built-in scenario" + near,
        "a built-in name (planetfall list), or the path of a .toml file",
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


def _variant(values: Mapping[str, Any], source: str) -> Scenario:
    """Another scenario with some keys changed: `based_on`, and the dotted keys under `changes`."""
    others = sorted(values.keys() - {"based_on", "changes"})
    if others or not isinstance(values.get("changes", {}), Mapping):
        raise InputError(
            others[0] if others else "changes", f"not allowed beside based_on, in {source}", "based_on and [changes]",
            'give it under [changes], with a dotted key in quotes: "terrain.slope_deg" = 5.0',
        )  # fmt: skip
    if not isinstance(values["based_on"], str):
        raise InputError(
            "based_on", f"is {described(values['based_on'])}, in {source}", "the name of a scenario or of a .toml file"
        )
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
    complete = fill_table("terrain", "terrains", {"model": "procedural", **values})
    if changes:
        with suppress(ValidationError):  # which the changes may put right
            complete = TerrainProcedural.model_validate(complete).model_dump(mode="json", exclude_none=True)
        complete = fill_table("terrain", "terrains", apply_values({"terrain": complete}, changes)["terrain"])
    check_bounds(complete, ("terrain",), source)
    try:
        return TerrainProcedural.model_validate(complete)
    except ValidationError as error:
        raise input_error(error, TerrainProcedural, source) from None
