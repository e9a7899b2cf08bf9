"""`[dispersions]` as it is written: every kind of distribution, and how tables become them."""

import typing
from typing import Annotated, Any

from pydantic import AfterValidator, ValidationError

from planetfall.errors import InputError
from planetfall.scenario.dispersions.distributions import (
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
from planetfall.scenario.dispersions.linked import DispersionCases, DispersionEqual
from planetfall.scenario.files.messages import input_error
from planetfall.scenario.files.overrides import flat_tables

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
    for key, table in flat_tables(tree).items():
        where, kind = f"dispersions.{key}", table.get("distribution")
        if kind not in kinds:
            problem = "missing" if kind is None else f"unknown {kind!r}"
            raise InputError(f"{where}.distribution", problem, f"one of {', '.join(kinds)}")
        try:
            found[key] = kinds[kind].model_validate(table)
        except ValidationError as error:
            made = input_error(error, kinds[kind], f"a {kind} dispersion")
            raise InputError(f"{where}.{made.where}", made.problem, made.allowed, made.advice) from None
    return found
