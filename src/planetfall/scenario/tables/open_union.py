"""Tables of a scenario of which there may be more kinds than are built in: parts of the user's own.

A table such as `[contact]` has several models, told apart by one key, here `law`. The built-in ones are written down in
its annotation; those of plug-ins are registered by the kind of table that they belong to. A scenario that names one is
then read, checked, printed and saved as any other.
"""

import sys
import typing
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from planetfall.errors import ANOTHER_NAME, InputError
from planetfall.scenario.tables.table import Table

SELECTORS = {
    "contact": "law", "forces": "kind", "sensors": "kind", "detector": "kind", "flight": "controller",
    "gravity": "model", "terrain": "model", "atmosphere": "model",
}  # fmt: skip
"""The key by which the models of each kind of table are told apart."""
NEEDED_KEYS = {
    "forces": ("body",), "sensors": ("name", "body", "rate"), "flight": ("rate",), "contact": (), "detector": (),
    "gravity": (), "terrain": (), "atmosphere": (),
}  # fmt: skip
"""Keys that the rest of Planetfall reads of every table of a kind."""
_TABLES: dict[str, dict[str, type[Table]]] = {kind: {} for kind in SELECTORS}
_BUILT_IN: dict[str, list[type[Table]]] = {kind: [] for kind in SELECTORS}


@dataclass(frozen=True)
class OpenUnion:
    """Stands in the annotation of a union of tables: the registered ones belong to it, too.

    Attributes:
        kind: Of table, a key of `SELECTORS`.
    """

    kind: str

    @property
    def discriminator(self) -> str:
        """The key that selects a model."""
        return SELECTORS[self.kind]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """One choice for each name of each table, built in or registered."""
        built_in = [source, *typing.get_args(source)]
        _BUILT_IN[self.kind] = [part for part in built_in if isinstance(part, type) and issubclass(part, Table)]
        choices: dict[Any, CoreSchema] = {}
        for table in (*_BUILT_IN[self.kind], *_TABLES[self.kind].values()):
            schema = handler.generate_schema(table)
            choices |= dict.fromkeys(names_in(table, self.discriminator), schema)
        return core_schema.tagged_union_schema(choices, self.discriminator)


def names_in(table: type[Table], selector: str) -> tuple[str, ...]:
    """The names by which a table is selected: those of its key `Literal["..."]`."""
    field = table.model_fields.get(selector)
    return tuple(str(name) for name in typing.get_args(field.annotation)) if field is not None else ()


def register_table(kind: str, name: str, table: Any) -> None:
    """Makes a table of a plug-in known by its name.

    Raises:
        InputError: It is no table, does not have what all tables of its kind have, or its name is taken.
    """
    where = f"plug-in {name!r} for {kind}"
    if not (isinstance(table, type) and issubclass(table, Table)):
        raise InputError(where, f"its table is {table!r}", "a subclass of planetfall.plugins.Table with its keys")
    selector = SELECTORS[kind]
    if not table.model_fields or next(iter(table.model_fields)) != selector or name not in names_in(table, selector):
        raise InputError(
            where, f"the first key of its table {table.__name__} does not select it",
            f'{selector}: Literal["{name}"] = choice("...")',
        )  # fmt: skip
    if missing := [key for key in NEEDED_KEYS[kind] if key not in table.model_fields]:
        raise InputError(where, f"its table {table.__name__} has no key {missing[0]}, which every such table needs")
    built_in = {taken for part in _BUILT_IN[kind] for taken in names_in(part, selector)}
    if name in built_in or _TABLES[kind].get(name, table) is not table:
        raise InputError(where, "the name is taken", advice=ANOTHER_NAME)
    if name not in _TABLES[kind]:
        _TABLES[kind][name] = table
        _rebuild()


def registered_tables(kind: str) -> dict[str, type[Table]]:
    """The tables of plug-ins by name."""
    return dict(_TABLES[kind])


def with_registered(models: list[Any]) -> list[Any]:
    """Tables of an annotation, and after them those of plug-ins that may stand in their place."""
    more = [table for kind, built_in in _BUILT_IN.items() if set(built_in) & set(models) for table in _of(kind)]
    return [*models, *(table for table in dict.fromkeys(more) if table not in models)]


def _of(kind: str) -> list[type[Table]]:
    return list(_TABLES[kind].values())


def _rebuild() -> None:
    """Has pydantic read the annotations again, in which a table has been added."""
    from planetfall.scenario.scenario import Scenario

    Scenario.model_rebuild(force=True)
    if (drives := sys.modules.get("planetfall.scenario.drive")) is not None:
        drives.DriveScenario.model_rebuild(force=True)
