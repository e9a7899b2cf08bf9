"""Turning pydantic's findings into one paragraph a user can act on."""

import difflib
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from planetfall.errors import InputError

_DEMANDS = {
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), "should be a table"),
    **dict.fromkeys(("float_type", "float_parsing"), "should be a number"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "should be a whole number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "should be true or false"),
    "string_type": "should be text",
}
"""Pydantic's kinds of findings whose own words speak of Python's types."""


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
    if kind == "value_error":
        return _broken_rule(root, path, finding, advice, tag)
    return bad_value(root, path, _demand(root, path, finding, tag), finding.get("input"), advice, tag)


def bad_value(
    root: type[BaseModel], path: tuple[Any, ...], problem: str, value: Any, advice: str, tag: Any = None
) -> InputError:
    """What is wrong with the value of a key, with its unit and what the key means."""
    shown = "" if isinstance(value, Mapping | BaseModel) else f", value {_shown(value)}{_unit(root, path, tag)}"
    return InputError(".".join(map(str, path)) or "scenario", problem + shown, _allowed(root, path, tag), advice)


def _broken_rule(root: type[BaseModel], path: tuple[Any, ...], finding: Any, advice: str, tag: Any) -> InputError:
    """The sentence of a rule of ours; one over a whole table begins with the key at fault and has its values in it."""
    message = str(finding["ctx"]["error"])
    head, sep, tail = message.partition(": ")
    if not sep or " " in head:
        return bad_value(root, path, message, finding.get("input"), advice, tag)
    path = (*path, *(int(part) if part.isdecimal() else part for part in head.split(".")))
    return InputError(".".join(map(str, path)), tail, _allowed(root, path, tag), advice)


def _demand(root: type[BaseModel], path: tuple[Any, ...], finding: Any, tag: Any) -> str:
    """What a key asks for, in the words of a scenario file rather than of Python."""
    kind, context = finding["type"], finding.get("ctx", {})
    if kind in ("tuple_type", "too_long", "too_short"):
        count = _length(root, path, tag)
        return "should be a list" + (f" of {count}" if count else "")
    if kind == "string_too_short":
        return f"should have at least {context['min_length']} letter{'s' if context['min_length'] > 1 else ''}"
    return _DEMANDS.get(kind) or finding["msg"].replace("Input should", "should")


def _shown(value: Any) -> str:
    """A value as a scenario file would have it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_shown, value)) + "]"
    return repr(value) if isinstance(value, int | float | str) else str(value)


def _length(root: type[BaseModel], path: tuple[Any, ...], tag: Any) -> int | None:
    """Number of items of the list at a path, where it is fixed."""
    field = _fields(root, path, tag)
    options = [field.annotation, *typing.get_args(field.annotation)] if field is not None else []
    for option in (typing.get_args(o)[0] if typing.get_origin(o) is typing.Annotated else o for o in options):
        if typing.get_origin(option) is tuple and typing.get_args(option)[-1] is not Ellipsis:
            return len(typing.get_args(option))
    return None


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
    return f" [{unit}]" if unit and unit != "-" else ""


def _allowed(root: type[BaseModel], path: tuple[Any, ...], tag: Any = None) -> str:
    field = _fields(root, path, tag)
    if field is None or not field.description:
        return ""
    return f"it is: {field.description}{_unit(root, path, tag)}"
