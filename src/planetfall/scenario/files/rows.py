"""A scenario key by key, for people: path, value, unit, meaning."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import BaseModel

from planetfall.scenario.tables.drawing import DrawnPart


class Row(NamedTuple):
    """One key of a scenario; `unit` is empty where there is none."""

    key: str
    value: str
    unit: str
    meaning: str


def scenario_rows(scenario: BaseModel) -> Iterator[Row]:
    """Every key of a scenario, in the order of its tables."""
    for field in type(scenario).model_fields:
        yield from _rows(field, getattr(scenario, field))


def table_rows(path: str, table: BaseModel) -> Iterator[Row]:
    """Every key of one table that stands at a path."""
    yield from _rows(path, table)


def _rows(path: str, value: Any) -> Iterator[Row]:
    if isinstance(value, tuple | dict):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _rows(f"{path}.{key}", part)
    if not isinstance(value, BaseModel):
        return
    for name, field in type(value).model_fields.items():
        item = getattr(value, name)
        if isinstance(item, BaseModel) or (_is_list_of_tables(item) and not isinstance(item[0], DrawnPart)):
            yield from _rows(f"{path}.{name}", item)
            continue
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        unit = str(extra.get("unit", "")) if item is not None else ""
        yield Row(f"{path}.{name}", value_text(item), unit if unit != "-" else "", field.description or "")


def _is_list_of_tables(item: Any) -> bool:
    return isinstance(item, tuple) and bool(item) and isinstance(item[0], BaseModel)


def value_text(value: Any) -> str:
    """A value as it is printed."""
    if value is None:
        return "not given"
    if isinstance(value, tuple) and value and isinstance(value[0], DrawnPart):
        return f"{len(value)} parts"
    if isinstance(value, tuple):
        return "[" + ", ".join(value_text(item) for item in value) + "]"
    return f"{value:.10g}" if isinstance(value, float) else str(value)
