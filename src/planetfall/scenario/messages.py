"""Turning pydantic's findings into one paragraph a user can act on."""

import difflib
import types
import typing
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError

from planetfall.errors import InputError


def input_error(error: ValidationError, root: type[BaseModel], source: str) -> InputError:
    """The first finding as an InputError: key path, value with unit, what is allowed, what to do."""
    finding = error.errors(include_url=False)[0]
    path, _ = _walk(finding["loc"], root)
    key = ".".join(str(part) for part in path)
    more = error.error_count() - 1
    advice = f"in {source}" + (f" (and {more} more problem{'s' if more > 1 else ''})" if more else "")
    kind, context = finding["type"], finding.get("ctx", {})
    if kind == "extra_forbidden":
        _, tables = _walk(finding["loc"][:-1], root)
        legal = sorted({name for table in tables for name in table.model_fields})
        near = difflib.get_close_matches(str(path[-1]), legal, n=1, cutoff=0.5)
        hint = f"did you mean {'.'.join([*map(str, path[:-1]), near[0]])}?" if near else ""
        return InputError(key, "unknown key", f"{hint} legal keys: {', '.join(legal)}".strip(), advice)
    if kind == "missing":
        return InputError(key, "missing", _allowed(root, path), f"add it {advice}")
    if kind == "union_tag_not_found":
        selector = context["discriminator"].strip("'")
        return InputError(f"{key}.{selector}", "missing", "it selects what the table means", f"add it {advice}")
    if kind == "union_tag_invalid":
        selector = context["discriminator"].strip("'")
        return InputError(
            f"{key}.{selector}",
            f"unknown {context['tag']!r}",
            f"allowed: {context['expected_tags']}",
            advice,
        )
    message = finding["msg"]
    if kind == "value_error":
        message = message.removeprefix("Value error, ")
        head, sep, tail = message.partition(": ")
        if sep and " " not in head:  # a check over several keys names the one at fault
            key, message = ".".join(filter(None, (key, head))), tail
    value = finding.get("input")
    shown = f", value {value!r}{_unit(root, path)}" if isinstance(value, int | float | str | list | tuple) else ""
    message = message.replace("Input should", "should")
    return InputError(key or "scenario", message + shown, _allowed(root, path), advice)


def _walk(loc: tuple[Any, ...], root: type[BaseModel]) -> tuple[tuple[Any, ...], list[type[BaseModel]]]:
    """The path as a user knows it, and the tables that may lie at its end.

    Where a table has several models, pydantic adds the chosen one's name after the table's, or after its index in a
    list: that leads to one of the models, and is left out of the path.
    """
    path: list[Any] = []
    tables, selector = [root], None
    for part in loc:
        chosen = [m for m in tables if selector and part in typing.get_args(m.model_fields[selector].annotation)]
        if chosen:
            tables, selector = chosen, None
            continue
        path.append(part)
        if isinstance(part, int):
            continue
        fields = [m.model_fields[part] for m in tables if part in m.model_fields]
        tables = [model for field in fields for model in _models(field.annotation)]
        selector = next((name for field in fields if (name := _selector(field))), None)
    return tuple(path), tables


def _selector(field: Any) -> str | None:
    """The key that chooses between the models of a table, or of the tables of a list."""
    inner = [item for part in typing.get_args(field.annotation) for item in getattr(part, "__metadata__", ())]
    found = (getattr(item, "discriminator", None) for item in (field, *inner))
    return next((str(name) for name in found if name), None)


def _fields(root: type[BaseModel], path: Iterable[Any]) -> Any:
    """The field at a path, or None where the path leaves the declared tables."""
    model: Any = root
    field: Any = None
    for part in path:
        if isinstance(part, int):
            continue
        found = [m.model_fields[part] for m in _models(model) if part in m.model_fields]
        if not found:
            return None
        field = found[0]
        model = field.annotation
    return field


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if typing.get_origin(annotation) in (typing.Union, types.UnionType, tuple, typing.Annotated):
        return [model for part in typing.get_args(annotation) for model in _models(part)]
    return []


def _unit(root: type[BaseModel], path: tuple[Any, ...]) -> str:
    field = _fields(root, path)
    unit = (field.json_schema_extra or {}).get("unit") if field is not None else None
    return f" [{unit}]" if unit else ""


def _allowed(root: type[BaseModel], path: tuple[Any, ...]) -> str:
    field = _fields(root, path)
    if field is None or not field.description:
        return ""
    return f"it is: {field.description}{_unit(root, path)}"
