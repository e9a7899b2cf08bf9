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
    if kind == "value_error":
        return _broken_rule(root, path, finding, advice)
    return bad_value(root, path, _demand(root, path, finding), finding.get("input"), advice)


def bad_value(root: type[BaseModel], path: tuple[Any, ...], problem: str, value: Any, advice: str) -> InputError:
    """What is wrong with the value of a key, with its unit and what the key means."""
    shown = "" if isinstance(value, Mapping | BaseModel) else f", value {_shown(value)}{_unit(root, path)}"
    return InputError(".".join(map(str, path)) or "scenario", problem + shown, _allowed(root, path), advice)


def _broken_rule(root: type[BaseModel], path: tuple[Any, ...], finding: Any, advice: str) -> InputError:
    """The sentence of a rule of ours; one over a whole table begins with the key at fault and has its values in it."""
    message = str(finding["ctx"]["error"])
    head, sep, tail = message.partition(": ")
    if not sep or " " in head:
        return bad_value(root, path, message, finding.get("input"), advice)
    path = (*path, *(int(part) if part.isdecimal() else part for part in head.split(".")))
    return InputError(".".join(map(str, path)), tail, _allowed(root, path), advice)


def _demand(root: type[BaseModel], path: tuple[Any, ...], finding: Any) -> str:
    """What a key asks for, in the words of a scenario file rather than of Python."""
    kind, context = finding["type"], finding.get("ctx", {})
    if kind in ("tuple_type", "too_long", "too_short"):
        count = _length(root, path)
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


def _length(root: type[BaseModel], path: tuple[Any, ...]) -> int | None:
    """Number of items of the list at a path, where it is fixed."""
    field = _fields(root, path)
    options = [field.annotation, *typing.get_args(field.annotation)] if field is not None else []
    for option in (typing.get_args(o)[0] if typing.get_origin(o) is typing.Annotated else o for o in options):
        if typing.get_origin(option) is tuple and typing.get_args(option)[-1] is not Ellipsis:
            return len(typing.get_args(option))
    return None


def _without_tags(loc: tuple[Any, ...], root: type[BaseModel]) -> tuple[Any, ...]:
    """The path as a user knows it: pydantic adds the chosen tag of a discriminated union after the table's name."""
    if len(loc) > 1 and loc[0] in root.model_fields and root.model_fields[loc[0]].discriminator:
        return loc[0], *loc[2:]
    return loc


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


def _legal_keys(root: type[BaseModel], loc: tuple[Any, ...], path: tuple[Any, ...]) -> set[str]:
    """Keys of the table at a path; of a table with several models, those of the one that was chosen."""
    field = _fields(root, path)
    models = _models(field.annotation) if field is not None else [root]
    if len(path) == 1 and field is not None and field.discriminator:
        models = [m for m in models if loc[1] in typing.get_args(m.model_fields[str(field.discriminator)].annotation)]
    return {key for model in models for key in model.model_fields}


def _unit(root: type[BaseModel], path: tuple[Any, ...]) -> str:
    field = _fields(root, path)
    unit = (field.json_schema_extra or {}).get("unit") if field is not None else None
    return f" [{unit}]" if unit and unit != "-" else ""


def _allowed(root: type[BaseModel], path: tuple[Any, ...]) -> str:
    field = _fields(root, path)
    if field is None or not field.description:
        return ""
    return f"it is: {field.description}{_unit(root, path)}"
