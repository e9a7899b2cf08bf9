"""The generated reference has every key of every table that a scenario or a drive may hold, with its meaning."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.table import Table

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "scenario.md").read_text(encoding="utf-8")


def tables_of(annotation: object) -> Iterator[type[Table]]:
    if isinstance(annotation, type) and issubclass(annotation, Table):
        yield annotation
    for part in typing.get_args(annotation):
        yield from tables_of(part)


def reached(root: type[Table], found: dict[type[Table], None]) -> dict[type[Table], None]:
    for field in root.model_fields.values():
        for table in tables_of(field.annotation):
            if table not in found:
                found[table] = None
                reached(table, found)
    return found


TABLES = list(reached(DriveScenario, reached(Scenario, {})))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_every_key_is_in_the_reference_with_its_meaning(table: type[Table]) -> None:
    rows = {(row[0].strip(), row[-1].strip()) for row in (line[2:-2].split(" | ") for line in PAGE.splitlines())}
    for name, field in table.model_fields.items():
        if typing.get_origin(field.annotation) is typing.Literal and len(typing.get_args(field.annotation)) == 1:
            continue  # selects the table, as the words over it say
        assert (f"`{name}`", (field.description or "").replace("|", "\\|")) in rows


def test_all_tables_are_reached() -> None:
    """Among them are tables in tables: the air on a vehicle, canopies, limits."""
    names = {table.__name__ for table in TABLES}
    assert {"AerodynamicsNewtonian", "Parachute", "DeploymentBox", "Attached", "Limit", "BankPlan"} <= names
