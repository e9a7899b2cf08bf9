"""Rovers, terrains, paths and whole drives that a page may choose from: the built-in ones, and files named beforehand.

A page can name nothing else, so that it cannot make the server read files that nobody offered.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from planetfall.errors import InputError
from planetfall.scenario.drive import DriveRules, DriveScenario, drive_from_dict, load_drive
from planetfall.scenario.files.built_in import library_names
from planetfall.scenario.files.overrides import MAP_ENDINGS
from planetfall.scenario.files.toml_file import read_toml
from planetfall.scenario.files.waypoints import read_path
from planetfall.scenario.tables.rover import Rover, Soil

PATH_ENDINGS = (".csv", ".txt")
Maker = Callable[[], Mapping[str, Any]]
"""Gives what a choice stands for: keys of the scenario and their values."""
GOALS: tuple[str, ...] = get_args(DriveRules.model_fields["goal"].annotation)


@dataclass(frozen=True)
class Choices:
    """What a page may choose, by kind (`drive`, `rover`, `terrain`, `path`, `goal`) and name."""

    makers: dict[str, dict[str, Maker]] = field(default_factory=dict)

    def names(self) -> dict[str, list[str]]:
        """What there is, for the page's header."""
        return {kind: list(named) for kind, named in self.makers.items()}

    def of_drive(self, scenario: DriveScenario, name: str) -> dict[str, str]:
        """What a whole drive of a name stands for, by kind, as far as it is offered."""
        named = {kind: name for kind in ("drive", "terrain", "path")}
        named |= {"rover": scenario.rover.name, "goal": scenario.drive.goal}
        return {kind: name for kind, name in named.items() if name in self.makers.get(kind, {})}

    def chosen(self, scenario: DriveScenario, rover: Rover, soil: Soil, kind: str, name: str) -> DriveScenario:
        """A drive anew from its start with another part; rover and soil are the given ones, unless chosen.

        Raises:
            InputError: There is no such choice, or it does not fit the rest.
        """
        named = self.makers.get(kind)
        if named is None:
            raise InputError(f"choice of {kind[:40]!r}", "no such choice", f"one of {', '.join(self.makers)}")
        if name not in named:
            raise InputError(
                f"{kind} {name[:80]!r}", "is not offered", f"one of {', '.join(named)}",
                "name a file of yours with --offer when the panel is started",
            )  # fmt: skip
        values = {**scenario.to_dict(), "rover": _plain(rover), "soil": _plain(soil), "changes": []}
        if kind == "drive":
            values = {}
        return drive_from_dict({**values, **_merged(values, named[name]())}, f"the {kind} {name}")


def offered(files: Sequence[Path] = ()) -> Choices:
    """The built-in choices, and those of files: drives (.toml), paths (.csv, .txt, .toml), maps and meshes.

    Raises:
        InputError: A file is not there.
    """
    drives = library_names("drives")
    makers: dict[str, dict[str, Maker]] = {
        "drive": {name: _of_drive(name) for name in drives},
        "rover": {name: _constant({"rover": {"name": name}}) for name in library_names("rovers")},
        "terrain": {name: _of_drive(name, "terrain") for name in drives}
        | {name: _constant({"terrain": {"model": "procedural", "name": name}}) for name in library_names("terrains")},
        "path": {name: _of_drive(name, "path") for name in drives},
        "goal": {name: _constant({"drive": {"goal": name}}) for name in GOALS},
    }
    for file in files:
        if not file.is_file():
            raise InputError(f"--offer {file}", "no such file", "a drive, a path, a map or a mesh")
        _add_file(makers, file)
    return Choices(makers)


def _add_file(makers: dict[str, dict[str, Maker]], file: Path) -> None:
    name, ending = str(file), file.suffix.lower()
    if ending == ".toml":
        tables = read_toml(file)
        if "rover" in tables:
            makers["drive"][name] = _of_drive(name)
            makers["terrain"][name] = _of_drive(name, "terrain")
        if "path" in tables:
            makers["path"][name] = lambda: {"path": read_path(file)}
        if not {"rover", "path"} & tables.keys():
            raise InputError(f"--offer {file}", "is neither a drive nor a path", "tables [rover] or [path]")
    elif ending in PATH_ENDINGS:
        makers["path"][name] = lambda: {"path": read_path(file)}
    else:
        model = "dem" if ending in MAP_ENDINGS else "mesh"
        makers["terrain"][name] = _constant({"terrain": {"model": model, "file": name}})


def _of_drive(name: str, table: str = "") -> Maker:
    def make() -> Mapping[str, Any]:
        values = load_drive(name).to_dict()
        return {table: values[table]} if table else values

    return make


def _constant(values: Mapping[str, Any]) -> Maker:
    return lambda: values


def _merged(values: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Of `[path]` and `[drive]` the keys that are not chosen stay; all other tables are replaced."""
    kept = {key: values[key] for key in ("path", "drive") if key in values}
    return {key: {**kept.get(key, {}), **table} for key, table in chosen.items()} if kept else dict(chosen)


def _plain(table: Rover | Soil) -> dict[str, Any]:
    return table.model_dump(mode="json", exclude_none=True)
