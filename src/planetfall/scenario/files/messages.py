"""Turning pydantic's findings into one paragraph a user can act on."""

import difflib
import re
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from planetfall.errors import InputError
from planetfall.scenario.tables.open_union import OpenUnion, names_in, with_registered

_DEMANDS = {
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), "must be a table"),
    **dict.fromkeys(("float_type", "float_parsing"), "must be a number"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "must be a whole number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "must be true or false"),
    "string_type": "must be text",
}
"""Pydantic's kinds of findings whose own words speak of Python's types."""

MOST_MEANT = 2
"""Keys that a question about an unknown one names."""
MOST_NAMED = 6
"""Keys with further problems that a message names."""


def input_error(error: ValidationError, root: type[BaseModel], source: str) -> InputError:
    """The first finding as an InputError: key path, value with unit, what is allowed, what to do."""
    finding, *others = error.errors(include_url=False)
    path, _, tag = _walk(finding["loc"], root)
    key = ".".join(str(part) for part in path)
    advice = f"in {source}" + _further([".".join(map(str, _walk(other["loc"], root)[0])) for other in others])
    kind, context = finding["type"], finding.get("ctx", {})
    if kind == "extra_forbidden":
        _, tables, _ = _walk(finding["loc"][:-1], root)
        meanings = {name: field.description or "" for table in tables for name, field in table.model_fields.items()}
        legal = sorted(meanings)
        hint = _meant(root, path, meanings)
        return InputError(key, f"unknown key; {f'{hint} legal keys: '.lstrip()}{', '.join(legal)}", advice=advice)
    if kind == "missing":
        table = _begun_by(root, path)
        return InputError(key, "missing" + _meaning(root, path, tag), advice=f"add {table or 'it'} {advice}")
    if kind == "union_tag_not_found":
        selector = context["discriminator"].strip("'")
        return InputError(
            f"{key}.{selector}", "missing; it selects the kind of the table", f"one of {_choices(root, path)}",
            f"add it {advice}",
        )  # fmt: skip
    if kind == "union_tag_invalid":
        selector = context["discriminator"].strip("'")
        names = [name.strip().strip("'") for name in context["expected_tags"].split(",")]
        near = difflib.get_close_matches(str(context["tag"]), names, n=1, cutoff=0.7)
        return InputError(
            f"{key}.{selector}",
            f"unknown {context['tag']!r}" + (f"; did you mean {near[0]!r}?" if near else ""),
            f"one of {context['expected_tags']}",
            advice + _own_part(root, path),
        )
    if kind == "value_error":
        return _broken_rule(root, path, finding, advice, tag)
    return bad_value(root, path, _demand(root, path, finding, tag), finding.get("input"), advice, tag)


def _begun_by(root: type[BaseModel], path: tuple[Any, ...]) -> str:
    """How a whole table that is missing begins, with the names by which its kind is selected; empty for a plain key."""
    field = _fields(root, path)
    selector = _selector(field) if field is not None else None
    if selector is not None:
        return f"[{'.'.join(map(str, path))}] with {selector} = one of {_choices(root, path)}"
    return f"[{'.'.join(map(str, path))}]" if field is not None and _models(field.annotation) else ""


def _choices(root: type[BaseModel], path: tuple[Any, ...]) -> str:
    """The names that select a kind of the table at a path."""
    field = _fields(root, path)
    selector = _selector(field)
    models = with_registered(_models(field.annotation))
    return ", ".join(f"'{name}'" for model in models for name in names_in(model, str(selector)))


def _own_part(root: type[BaseModel], path: tuple[Any, ...]) -> str:
    """For a name that is not known, where parts of one's own may stand: how it becomes known."""
    field = _fields(root, path)
    inner = [item for part in typing.get_args(getattr(field, "annotation", None)) for item in _metadata(part)]
    is_open = any(isinstance(item, OpenUnion) for item in (*getattr(field, "metadata", ()), *inner))
    return "; to use a part of your own, name its module in plugins, where it has to call register" if is_open else ""


def _metadata(annotation: Any) -> tuple[Any, ...]:
    return getattr(annotation, "__metadata__", ())


def _further(keys: list[str]) -> str:
    """How many more problems there are, and where the first of them: who writes a scenario wants to know at once."""
    if not keys:
        return ""
    named = list(dict.fromkeys(filter(None, keys)))[:MOST_NAMED]
    where = f": {', '.join(named)}{', ...' if len(set(keys)) > len(named) else ''}" if named else ""
    return f" (and {len(keys)} more problem{'s' if len(keys) > 1 else ''}{where})"


def _meant(root: type[BaseModel], path: tuple[Any, ...], meanings: Mapping[str, str]) -> str:
    """A question about an unknown key: the same name in a table, where the table was left out, or the nearest names."""
    tables = {name: field.annotation for name, field in root.model_fields.items()} if len(path) == 1 else {}
    single = {name: _models(kind) for name, kind in tables.items() if typing.get_origin(kind) is not tuple}
    homes = [name for name, models in single.items() if any(path[0] in model.model_fields for model in models)]
    near = nearest_keys(str(path[-1]), meanings)
    meant = [f"{home}.{path[0]}" for home in homes] or [".".join([*map(str, path[:-1]), name]) for name in near]
    return f"did you mean {' or '.join(meant)}?" if meant else ""


def nearest_keys(name: str, meanings: Mapping[str, str]) -> list[str]:
    """What may be meant by a key that is not there, if anything.

    Keys that go on where it ends; or the nearest by its letters; or those whose meaning has the word in it.
    """
    longer = [key for key in meanings if key.startswith(f"{name}_")]
    alike = difflib.get_close_matches(name, meanings, n=1, cutoff=0.5)
    word = re.compile(rf"\b{re.escape(name.replace('_', ' '))}\b", re.IGNORECASE)
    told = [key for key, meaning in meanings.items() if len(name) > 2 and word.search(meaning)]
    return (longer or alike or told)[:MOST_MEANT]


def bad_value(
    root: type[BaseModel], path: tuple[Any, ...], problem: str, value: Any, advice: str, tag: Any = None
) -> InputError:
    """What is wrong with the value of a key, with its unit and what the key means."""
    if not isinstance(value, Mapping | BaseModel):
        shown = _shown(value) + ("" if isinstance(value, str | bool) else _unit(root, path, tag))
        problem = f"is {shown}; it {problem}" if problem.startswith("must ") else f"{problem}, value {shown}"
    return InputError(".".join(map(str, path)) or "scenario", problem + _meaning(root, path, tag), advice=advice)


def _broken_rule(root: type[BaseModel], path: tuple[Any, ...], finding: Any, advice: str, tag: Any) -> InputError:
    """The sentence of a rule of ours; one over a whole table begins with the key at fault and has its values in it."""
    message = str(finding["ctx"]["error"])
    head, sep, tail = message.partition(": ")
    if not sep or " " in head:
        return bad_value(root, path, message, finding.get("input"), advice, tag)
    path = (*path, *(int(part) if part.isdecimal() else part for part in head.split(".")))
    return InputError(".".join(map(str, path)), tail + _meaning(root, path, tag), advice=advice)


def _demand(root: type[BaseModel], path: tuple[Any, ...], finding: Any, tag: Any) -> str:
    """What the value of a key must be, in the words of a scenario file rather than of Python."""
    kind, context = finding["type"], finding.get("ctx", {})
    if kind in ("tuple_type", "too_long", "too_short"):
        count = _length(root, path, tag)
        given = finding.get("input")
        bare = isinstance(given, str) and "," in given
        return "must be a list" + (f" of {count}" if count else "") + (f", in brackets: [{given}]" if bare else "")
    if kind == "string_too_short":
        return f"must have at least {context['min_length']} letter{'s' if context['min_length'] > 1 else ''}"
    return _DEMANDS.get(kind) or finding["msg"].replace("Input should", "must")


def _shown(value: Any) -> str:
    """A value as a scenario file would have it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_shown, value)) + "]"
    if isinstance(value, float):
        return repr(float(value))  # NumPy's are floats, too
    return repr(value) if isinstance(value, int | str) else str(value)


def _length(root: type[BaseModel], path: tuple[Any, ...], tag: Any) -> int | None:
    """Number of items of the list at a path, where it is fixed."""
    field = _fields(root, path, tag)
    options = [field.annotation, *typing.get_args(field.annotation)] if field is not None else []
    for option in (typing.get_args(o)[0] if typing.get_origin(o) is typing.Annotated else o for o in options):
        if typing.get_origin(option) is tuple and typing.get_args(option)[-1] is not Ellipsis:
            return len(typing.get_args(option))
    return None


def _walk(loc: tuple[Any, ...], root: type[BaseModel]) -> tuple[tuple[Any, ...], list[type[BaseModel]], Any]:
    """The path as a user knows it, the tables that may lie at its end, and the name of the model chosen last.

    Where a table has several models, pydantic adds the chosen one's name after the table's, or after its index in a
    list: that leads to one of the models, and is left out of the path.
    """
    path: list[Any] = []
    tables, selector, tag = [root], None, None
    for part in loc:
        chosen = [m for m in tables if selector and part in typing.get_args(m.model_fields[selector].annotation)]
        if chosen:
            tables, selector, tag = chosen, None, part
            continue
        path.append(part)
        if isinstance(part, int):
            continue
        fields = [m.model_fields[part] for m in tables if part in m.model_fields]
        tables = with_registered([model for field in fields for model in _models(field.annotation)])
        selector = next((name for field in fields if (name := _selector(field))), None)
    return tuple(path), tables, tag


def _selector(field: Any) -> str | None:
    """The key that chooses between the models of a table, or of the tables of a list."""
    inner = [item for part in typing.get_args(field.annotation) for item in getattr(part, "__metadata__", ())]
    found = (getattr(item, "discriminator", None) for item in (field, *field.metadata, *inner))
    return next((str(name) for name in found if name), None)


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
        having = [m for m in with_registered(_models(model)) if part in m.model_fields]
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


def _unit(root: type[BaseModel], path: tuple[Any, ...], tag: Any = None) -> str:
    field = _fields(root, path, tag)
    unit = (field.json_schema_extra or {}).get("unit") if field is not None else None
    return f" {unit}" if unit and unit != "-" else ""


def _meaning(root: type[BaseModel], path: tuple[Any, ...], tag: Any = None) -> str:
    field = _fields(root, path, tag)
    if field is None or not field.description:
        return ""
    unit = _unit(root, path, tag).lstrip()
    return f"; meaning: {field.description}" + (f" [{unit}]" if unit else "")
