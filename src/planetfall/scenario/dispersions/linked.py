"""Dispersions that hang on something else than their own numbers: on the case that a run is, or on another key.

[cases]                           # how likely each is, in any common unit
ordinary = 9.0
gust = 1.0

[dispersions.forces.0.magnitudes.1]
distribution = "cases"
when.gust = { distribution = "uniform", low = 500.0, high = 2000.0 }
otherwise = 0.0                   # the scenario's own value if not given
"""

from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from planetfall.scenario.dispersions.distributions import (
    KINDS,
    Dispersion,
    DispersionCategorical,
    DispersionLogNormal,
    DispersionNormal,
    DispersionTriangular,
    DispersionUniform,
    Formula,
    Frozen,
)
from planetfall.scenario.tables.table import choice

Number = Annotated[
    DispersionNormal | DispersionLogNormal | DispersionUniform | DispersionTriangular | DispersionCategorical,
    Field(discriminator="distribution"),
]
Branch = float | Number
"""What a key is in one case: a number, or a distribution of one number."""
Branches = Annotated[dict[str, Branch], AfterValidator(Frozen)]
Cases = Annotated[dict[str, float], AfterValidator(Frozen)]
"""Weights by name."""


class DispersionCases(Dispersion):
    """A number that depends on the case that a run is (`[cases]`)."""

    distribution: Literal["cases"] = choice(KINDS)
    when: Branches = choice("table from the name of a case to a number, or to a distribution of one number")
    otherwise: Branch | None = choice("the same for all other cases; the scenario's own value if not given", None)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.when:
            raise ValueError("when: at least one case is needed")
        if any(getattr(branch, "correlated", None) for branch in self.branches):
            raise ValueError("when: what depends on the case cannot be correlated")
        return self

    @property
    def branches(self) -> tuple[Branch, ...]:
        """All that are given."""
        return (*self.when.values(), *(() if self.otherwise is None else (self.otherwise,)))

    def values(self, uniforms: np.ndarray, nominal: Any, cases: np.ndarray) -> np.ndarray:
        """Values [run] of uniform numbers [run, 1] and the names of the runs' cases [run]."""
        out = _of_branch(nominal if self.otherwise is None else self.otherwise, uniforms, nominal)
        for name, branch in self.when.items():
            out = np.where(cases == name, _of_branch(branch, uniforms, nominal), out)
        return out


class DispersionEqual(Dispersion):
    """The value that another dispersed key has drawn: what belongs together stays together."""

    distribution: Literal["equal"] = choice(KINDS)
    to: str = choice("key whose value is taken")

    @property
    def n_uniforms(self) -> int:
        """See `Dispersion`."""
        return 0


def _of_branch(branch: Branch, uniforms: np.ndarray, nominal: Any) -> np.ndarray:
    return branch.values(uniforms, nominal) if isinstance(branch, Formula) else np.full(len(uniforms), float(branch))


def check_cases(cases: dict[str, float]) -> None:
    """Refuses weights that say nothing."""
    for name, weight in cases.items():
        if not (np.isfinite(weight) and weight >= 0):
            raise ValueError(f"cases.{name}: a weight must not be negative, this is {weight:g}")
    if cases and sum(cases.values()) <= 0:
        raise ValueError("cases: some weight must be positive")


def drawn_cases(cases: dict[str, float], uniforms: np.ndarray) -> np.ndarray:
    """Names [run] of the cases of uniform numbers [run, 1]."""
    edges = np.cumsum(list(cases.values()))
    return np.array(list(cases))[np.searchsorted(edges[:-1] / edges[-1], uniforms[:, 0], side="right")]
