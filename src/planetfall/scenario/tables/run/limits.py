"""`[limits]`: what a run has to keep to, by name.

[limits]
deceleration = { of = "peak_g", max = 13.0 }
parachute_box = { of = "mach", at = "descended", min = 1.1, max = 2.2 }
"""

from typing import Annotated, Self

from pydantic import AfterValidator, model_validator

from planetfall.scenario.dispersions.distributions import Frozen
from planetfall.scenario.tables.table import Table, choice, quantity


class Limit(Table):
    """A lower or upper limit of a recorded variable or of a number of the summary."""

    of: str = choice(
        "a variable of the record (of the first vehicle, vectors by their length), or a number of the summary"
    )
    at: str | None = choice(
        "variables: an event or a phase, at whose first instant it holds, or `end`; over the whole run if not given",
        None,
    )
    min: float | None = quantity("of `of`", "least value that is allowed", None)
    max: float | None = quantity("of `of`", "largest value that is allowed", None)

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("max: missing; a limit has a min, a max, or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"max: {self.max:g} is less than min, {self.min:g}, so that nothing could keep to both")
        return self

    def is_kept(self, least: float, largest: float) -> bool:
        """Whether values between these two are allowed."""
        return (self.min is None or least >= self.min) and (self.max is None or largest <= self.max)


Limits = Annotated[dict[str, Limit], AfterValidator(Frozen)]
"""By name."""
