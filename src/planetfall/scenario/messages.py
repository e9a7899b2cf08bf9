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
    path = _without_tags(finding["loc"], root)
    at = _tag_index(finding["loc"], root)
    tag = None if at is None else finding["loc"][at]
    key = ".".join(str(part) for part in path)
    more = error.error_count() - 1
    advice = f"in {source}" + (f" (and {more} more problem{'s' if more > 1 else ''})" if more else "")
    kind, context = finding["type"], finding.get("ctx", {})
    if kind == "extra_forbidden":
        legal = sorted(_legal_keys(root, finding["loc"], path[:-1]))
        near = difflib.get_close_matches(str(path[-1]), legal, n=1, cutoff=0.5)
        hint = f"did you mean {'.'.join([*map(str, path[:-1]), near[0]])}?" if near else ""
        return InputError(key, "unknown key", f"{hint} legal keys: {', '.join(legal)}".strip(), advice)
    if kind == "missing":
        return InputError(key, "missing", _allowed(root, path, tag), f"add it {advice}")
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
    shown = f", value {value!r}{_unit(root, path, tag)}" if isinstance(value, int | float | str | list | tuple) else ""
    message = message.replace("Input should", "should")
    return InputError(key or "scenario", message + shown, _allowed(root, path, tag), advice)


def _without_tags(loc: tuple[Any, ...], root: type[BaseModel]) -> tuple[Any, ...]:
    """The path as a user knows it: pydantic adds the chosen tag of a discriminated union after the table's name.

    In an array of tables it comes after the index.
    """
    at = _tag_index(loc, root)
    return loc if at is None else (*loc[:at], *loc[at + 1 :])


def _tag_index(loc: tuple[Any, ...], root: type[BaseModel]) -> int | None:
    """Where in pydantic's path the chosen tag stands, if there is one."""
    field = root.model_fields.get(loc[0]) if loc else None
    if field is None:
        return None
    if field.discriminator:
        return 1 if len(loc) > 1 else None
    return 2 if _item_discriminator(field) and len(loc) > 2 else None


def _item_discriminator(field: Any) -> str | None:
    """The key that selects what an item of an array of tables means, if there is one."""
    if typing.get_origin(field.annotation) is not tuple:
        return None
    item = typing.get_args(field.annotation)[0]
    found = [m.discriminator for m in getattr(item, "__metadata__", ()) if getattr(m, "discriminator", None)]
    return str(found[0]) if found else None


def _has_tag(model: type[BaseModel], tag: Any) -> bool:
    """Whether a model is the one that a tag selects: its first key is the selector."""
    return tag in typing.get_args(next(iter(model.model_fields.values())).annotation)


def _fields(root: type[BaseModel], path: Iterable[Any], tag: Any = None) -> Any:
    """The field at a path, or None where the path leaves the declared tables.

    Of several models that have the key, the one that `tag` selects.
    """
    model: Any = root
    field: Any = None
    for part in path:
        if isinstance(part, int):
            continue
        having = [m for m in _models(model) if part in m.model_fields]
        if not having:
            return None
        field = next((m for m in having if _has_tag(m, tag)), having[0]).model_fields[part]
        model = field.annotation
    return field


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if typing.get_origin(annotation) in (typing.Union, types.UnionType, tuple, typing.Annotated):
        return [model for part in typing.get_args(annotation) for model in _models(part)]
    return []


def _legal_keys(root: type[BaseModel], loc: tuple[Any, ...], path: tuple[Any, ...]) -> set[str]:
    """Keys of the table at a path; of a table with several models, those of the one that was chosen."""
    field = _fields(root, path)
    models = _models(field.annotation) if field is not None else [root]
    at = _tag_index(loc, root)
    if at is not None and at == len(path):
        models = [m for m in models if _has_tag(m, loc[at])]
    return {key for model in models for key in model.model_fields}


def _unit(root: type[BaseModel], path: tuple[Any, ...], tag: Any = None) -> str:
    field = _fields(root, path, tag)
    unit = (field.json_schema_extra or {}).get("unit") if field is not None else None
    return f" [{unit}]" if unit else ""


def _allowed(root: type[BaseModel], path: tuple[Any, ...], tag: Any = None) -> str:
    field = _fields(root, path, tag)
    if field is None or not field.description:
        return ""
    return f"it is: {field.description}{_unit(root, path, tag)}"
