"""`[dispersions]` as it is written: every kind of distribution, and how tables become them."""

import typing
from typing import Annotated, Any

from pydantic import AfterValidator, ValidationError

from planetfall.errors import InputError
from planetfall.scenario.dispersions import (
    DispersionCategorical,
    DispersionCone,
    DispersionGrid,
    DispersionLogNormal,
    DispersionNormal,
    DispersionTable,
    DispersionTriangular,
    DispersionUniform,
    DispersionVector,
    Frozen,
)
from planetfall.scenario.linked_dispersions import DispersionCases, DispersionEqual
from planetfall.scenario.messages import input_error

KINDS_OF_DISPERSION = (
    DispersionNormal, DispersionLogNormal, DispersionUniform, DispersionTriangular, DispersionCategorical,
    DispersionVector, DispersionCone, DispersionTable, DispersionGrid, DispersionCases, DispersionEqual,
)  # fmt: skip
AnyDispersion = (
    DispersionNormal | DispersionLogNormal | DispersionUniform | DispersionTriangular | DispersionCategorical
    | DispersionVector | DispersionCone | DispersionTable | DispersionGrid | DispersionCases | DispersionEqual
)  # fmt: skip
Dispersions = Annotated[dict[str, AnyDispersion], AfterValidator(Frozen)]
"""By dotted key."""


def read_dispersions(tree: dict[str, Any]) -> dict[str, Any]:
    """Checked dispersions by dotted key."""
    kinds = {typing.get_args(kind.model_fields["distribution"].annotation)[0]: kind for kind in KINDS_OF_DISPERSION}
    found = {}
    for key, table in flattened(tree).items():
        where, kind = f"dispersions.{key}", table.get("distribution")
        if kind not in kinds:
            problem = "missing" if kind is None else f"unknown {kind!r}"
            raise InputError(f"{where}.distribution", problem, f"allowed: {', '.join(kinds)}")
        try:
            found[key] = kinds[kind].model_validate(table)
        except ValidationError as error:
            made = input_error(error, kinds[kind], f"a {kind} dispersion")
            raise InputError(f"{where}.{made.where}", made.problem, made.allowed, made.advice) from None
    return found


def flattened(tree: Any, path: str = "") -> dict[str, dict[str, Any]]:
    """Tables by dotted key: `[dispersions.terrain.slope_deg]` and `[dispersions."terrain.slope_deg"]` are the same."""
    found: dict[str, dict[str, Any]] = {}
    for name, item in tree.items():
        key = f"{path}.{name}" if path else str(name)
        if not isinstance(item, dict):
            raise InputError(f"dispersions.{key}", "is a value", "a table with the key distribution")
        tables = {key: item} if "distribution" in item or not _holds_tables(item) else flattened(item, key)
        for inner, table in tables.items():
            kind, earlier = table.get("distribution"), found.get(inner, {})
            is_same = kind is None or kind == earlier.get("distribution")
            found[inner] = {**earlier, **table} if is_same else dict(table)
    return found


def _holds_tables(item: dict[str, Any]) -> bool:
    inner = [value for name, value in item.items() if name != "correlated"]
    return bool(inner) and all(isinstance(value, dict) for value in inner)
