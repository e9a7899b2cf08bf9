"""The base of every table of a scenario, and how its fields declare unit and meaning."""

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Vec3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class Table(BaseModel):
    """A frozen table of a scenario: unknown keys, NaN and infinities are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=False)


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
