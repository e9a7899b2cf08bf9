"""Built-in bodies, vehicles, terrains and rovers by name, each as the checked table that a scenario gets of it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from planetfall.scenario.files.built_in import library_names, read_library
from planetfall.scenario.files.rows import Row, table_rows, value_text
from planetfall.scenario.tables.rover import Rover
from planetfall.scenario.tables.table import Table
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.scenario.tables.world.target import Target
from planetfall.scenario.tables.world.terrain_procedural import TerrainProcedural


class LibraryPart(NamedTuple):
    """Something built in that scenarios name.

    Attributes:
        word: What it is.
        path: Of the table in a scenario that names it.
        table: With everything that the name brings along.
    """

    word: str
    path: str
    table: Table

    @property
    def values(self) -> dict[str, Any]:
        """Plain values of what the name brings along; of a body its own keys: most of its table is the scenario's."""
        values = self.table.model_dump(mode="json", exclude_none=True)
        if self.path != "target":
            return values
        own = read_library("bodies", values["name"])
        return {key: value for key, value in values.items() if key in own}

    @property
    def rows(self) -> list[Row]:
        """The same for people: its keys, but for those that it leaves open."""
        own = self.values
        rows = table_rows(self.path, self.table)
        if self.path == "target":
            rows = (row for row in rows if row.key.split(".")[1] in own)
        return [row for row in rows if row.value not in (value_text(None), value_text(()))]


def parts_named(name: str) -> list[LibraryPart]:
    """What is built in under a name that is no scenario's; more than one where kinds share a name."""
    return list(_parts(name))


def _parts(name: str) -> Iterator[LibraryPart]:
    if name in library_names("bodies"):
        yield LibraryPart("body", "target", Target.model_validate({"frame": "P", **read_library("bodies", name)}))
    if name in library_names("vehicles"):
        yield LibraryPart("vehicle", "vehicle", Vehicle.model_validate(read_library("vehicles", name)))
    if name in library_names("terrains"):
        values = {"model": "procedural", **read_library("terrains", name)}
        yield LibraryPart("terrain", "terrain", TerrainProcedural.model_validate(values))
    if name in library_names("rovers"):
        yield LibraryPart("rover", "rover", Rover.model_validate(read_library("rovers", name)))
