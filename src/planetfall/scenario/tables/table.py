"""The base of every table of a scenario, and how its fields declare unit and meaning."""

import typing
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from planetfall.errors import InputError

Vec3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class Table(BaseModel):
    """A frozen table of a scenario: unknown keys, NaN, infinities, and true or false for a number are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=False, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _no_switch_for_a_number(cls, values: Any) -> Any:
        numbers = _number_keys(cls)
        for key, value in values.items() if isinstance(values, Mapping) else ():
            if key in numbers and type(value) is not float and (found := _switch_in(value, str(key))):
                raise ValueError(found)
        return values


class Whole(type(BaseModel)):
    """How a whole scenario is made by a call, `Scenario(**values)`: what is wrong with it is our error."""

    def __call__(cls, *args: Any, **values: Any) -> Any:
        """A checked one of complete values; built-in tables are filled in by `from_dict` alone."""
        from planetfall.scenario.files.messages import input_error

        name = cls.__name__
        if args:
            raise InputError(
                name, f"got {len(args)} value{'s' if len(args) > 1 else ''} without a key", "a table for each key",
                f"make one with {name}.from_dict(values), or by name or file",
            )  # fmt: skip
        try:
            return super().__call__(**values)
        except ValidationError as error:
            given = f"the values given to {name} ({name}.from_dict fills in what is built in)"
            raise input_error(error, cls, given) from None  # type: ignore[arg-type]


@lru_cache
def _number_keys(table: type[Table]) -> frozenset[str]:
    """Keys of a table that hold numbers, single or in lists."""
    kinds = {key: _kinds(field.annotation) for key, field in table.model_fields.items()}
    return frozenset(key for key, kind in kinds.items() if kind & {int, float} and bool not in kind)


def _kinds(annotation: Any) -> set[Any]:
    """The plain types that an annotation is made of."""
    parts = typing.get_args(annotation)
    return set().union(*map(_kinds, parts)) if parts else {annotation}


def _switch_in(value: Any, path: str) -> str | None:
    """Where a value, or a list in it, holds true or false, which Python takes for 1 and 0; None if nowhere."""
    if isinstance(value, bool):
        return f"{path}: must be a number, not {str(value).lower()}"
    for i, item in enumerate(value) if isinstance(value, list | tuple) else ():
        if type(item) is not float and (found := _switch_in(item, f"{path}.{i}")):
            return found
    return None


def quantity(unit: str, meaning: str, default: Any = ..., **limits: Any) -> Any:
    """A field with its unit, its meaning, and the limits that pydantic checks (gt, ge, lt, le)."""
    return Field(default, description=meaning, json_schema_extra={"unit": unit}, **limits)


def choice(meaning: str, default: Any = ...) -> Any:
    """A field without a unit: a name, a switch, a list."""
    return Field(default, description=meaning)


def _unit(kind: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        length = float(np.linalg.norm(value))
        if abs(length - 1.0) > 1e-6:
            raise ValueError(f"a {kind} must have length 1 (within 1e-6), this one has {length:.9g}")
        if abs(length - 1.0) < 1e-14:  # left alone: scaling it at every reading would walk through its last bits
            return value
        return tuple(float(part) / length for part in value)

    return check


UnitVec3 = Annotated[Vec3, AfterValidator(_unit("unit vector"))]
UnitQuaternion = Annotated[Quaternion, AfterValidator(_unit("unit quaternion"))]
