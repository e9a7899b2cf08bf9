"""Names of files in a scenario: relative to the file that holds them, whole once read, relative again once written.

A scenario in memory holds whole paths only, so that nothing depends on the working folder any more. What a file of
ours says is relative to that file; what is given in Python or on the command line is relative to the working folder.
"""

import os
import typing
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic.fields import FieldInfo

from planetfall.errors import FileElsewhereWarning
from planetfall.scenario.tables.open_union import with_registered
from planetfall.scenario.tables.table import Table
from planetfall.scenario.tables.world.shape_words import MADE_SHAPES

PathRule = Callable[[str], str]
"""Gives a name of a file as it is to stand elsewhere."""
IS_FILE = object()
"""Marks the keys that name files."""


def whole_path(value: Any) -> Any:
    """The whole path of a file, relative to the working folder; names of made shapes and what is no name stay."""
    return _joined("", os.fspath(value)) if isinstance(value, str | os.PathLike) else value


FileName = Annotated[str, BeforeValidator(whole_path), IS_FILE]
"""The name of a file, whole; a `pathlib.Path` is taken as well."""


def beside(file: Path, earlier: Any = None) -> PathRule:
    """Whole paths of what a file names: beside it, or else, with a warning, where it was, or in the working folder.

    Args:
        file: The scenario.
        earlier: Whole paths by name, as `[files]` of a saved scenario keeps them from the time when it was written.
    """
    folder = str(file.expanduser().absolute().parent)
    was = earlier if isinstance(earlier, Mapping) else {}

    def place(name: str) -> str:
        first = _joined(folder, name)
        if os.path.isabs(name) or os.path.exists(first):
            return first
        if isinstance(there := was.get(name), str) and os.path.isabs(there) and os.path.exists(there):
            _warn(file, folder, name, "where it was when that was written", there)
            return there
        if os.path.exists(here := _joined("", name)):
            _warn(file, folder, name, "the working folder", here)
            return here
        return first

    return place


def _warn(file: Path, folder: str, name: str, source: str, path: str) -> None:
    better = Path(os.path.relpath(path, folder)).as_posix()
    said = f"{file}: {name} does not lead to a file from there, and is taken from {source} ({path})"
    advice = f'names in a file are relative to it: write "{better}"'
    warnings.warn(f"{said}; {advice}", FileElsewhereWarning, stacklevel=3)


def relative_to(folder: Path) -> PathRule:
    """Whole paths as a file in a folder names them: relative, unless the two share nothing but the root of a disk."""
    base = os.path.realpath(folder.expanduser())

    def place(name: str) -> str:
        if not os.path.isabs(name):
            return name
        head, tail = os.path.split(name)
        target = os.path.join(os.path.realpath(head), tail)
        if os.path.splitdrive(target)[0] != os.path.splitdrive(base)[0]:
            return name
        shared = os.path.commonpath([target, base])
        return name if shared == Path(shared).anchor else Path(os.path.relpath(target, base)).as_posix()

    return place


def placed(values: Mapping[str, Any], root: type[Table], place: PathRule) -> dict[str, Any]:
    """A copy of plain values, checked or not, in which `place` has gone over every name of a file."""
    return _Walk(root, place).table(values, [root])


def placed_changes(changes: Mapping[str, Any], root: type[Table], place: PathRule) -> dict[str, Any]:
    """The same for values by dotted key."""
    return _Walk(root, place).dotted(changes)


def is_path(name: str) -> bool:
    """Whether the name of a scenario is that of a file, and not of a built-in one."""
    return name.endswith(".toml") or "/" in name or "\\" in name


def _joined(folder: str, name: str) -> str:
    """A name below a folder, or the working folder, without detours where these lead to the same file."""
    if not name or name in MADE_SHAPES:
        return name
    path = os.path.expanduser(name)
    if not os.path.isabs(path):
        path = os.path.join(folder or os.getcwd(), path)
    tidy = os.path.normpath(path)
    if tidy == path or not os.path.exists(path):
        return tidy
    return tidy if os.path.exists(tidy) and os.path.samefile(tidy, path) else path  # a/link/.. need not be a


@dataclass(frozen=True)
class _Walk:
    """A way through plain values by the tables that they are to become."""

    root: type[Table]
    place: PathRule

    def table(self, values: Mapping[str, Any], tables: list[type[Table]]) -> dict[str, Any]:
        return {key: self.at(str(key), value, tables) for key, value in values.items()}

    def dotted(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        out = {}
        for path, value in changes.items():
            *parents, last = [part for part in path.split(".") if not part.isdecimal()] or [path]
            tables = [self.root]
            for part in parents:
                tables = _below(part, tables)
            of_samples = parents[:1] == ["dispersions"]
            out[path] = self.samples({last: value})[last] if of_samples else self.at(last, value, tables)
        return out

    def samples(self, tree: Mapping[str, Any]) -> dict[str, Any]:
        """Dispersions, by dotted keys or in tables inside tables: `file` is a name wherever it holds text."""
        return {
            key: self.samples(value) if isinstance(value, Mapping)
            else self.place(os.fspath(value)) if key == "file" and isinstance(value, str | os.PathLike)
            else value
            for key, value in tree.items()
        }  # fmt: skip

    def at(self, key: str, value: Any, tables: list[type[Table]]) -> Any:
        fields = [table.model_fields[key] for table in tables if key in table.model_fields]
        if isinstance(value, str | os.PathLike):
            is_file = any(map(_names_a_file, fields)) or (key == "plugins" and os.fspath(value).endswith(".py"))
            return self.place(os.fspath(value)) if is_file else value
        if isinstance(value, Mapping):
            if key == "dispersions" and tables == [self.root]:
                return self.samples(value)
            if any(field.annotation == dict[str, Any] for field in fields):
                return self.dotted(value)
            return self.table(value, _below(key, tables))
        if isinstance(value, list | tuple):
            return [self.at(key, item, tables) for item in value]
        return value


def _below(key: str, tables: list[type[Table]]) -> list[type[Table]]:
    fields = [table.model_fields[key] for table in tables if key in table.model_fields]
    return with_registered([table for field in fields for table in _tables_in(field.annotation)])


def _tables_in(annotation: Any) -> list[type[Table]]:
    if isinstance(annotation, type) and issubclass(annotation, Table):
        return [annotation]
    return [table for part in typing.get_args(annotation) for table in _tables_in(part)]


def _names_a_file(field: FieldInfo) -> bool:
    return IS_FILE in field.metadata or _is_marked(field.annotation)


def _is_marked(annotation: Any) -> bool:
    own = getattr(annotation, "__metadata__", ())
    return any(item is IS_FILE for item in own) or any(map(_is_marked, typing.get_args(annotation)))
