"""Features that are refused together, each for a physical reason: the whole list, from which the validator raises.

Everything else may stand together. A refusal that only protects an implementation does not belong here but is to be
lifted. The page `docs/models/combinations.md` is generated from this list.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planetfall.scenario.scenario import Scenario


@dataclass(frozen=True)
class Refusal:
    """Features that exclude each other.

    Attributes:
        features: Keys and values, as a reader looks for them.
        where: `(scenario) -> key` at which the message points, None where the features are not together.
        reason: Why, beginning with what is refused.
        instead: What to use.
    """

    features: tuple[str, str]
    where: "Callable[[Scenario], str | None]"
    reason: str
    instead: str


def _is_adaptive(scenario: "Scenario") -> bool:
    return scenario.integrator.method == "adaptive"


def _gap_by_columns(scenario: "Scenario") -> str | None:
    parts = {
        "terrain": scenario.terrain,
        **{f"terrain.added.{i}": part for i, part in enumerate(scenario.terrain.added)},
    }
    columns = (where for where, part in parts.items() if getattr(part, "gap", "nearest") == "column")
    return f"{first}.gap" if _is_adaptive(scenario) and (first := next(columns, None)) is not None else None


REFUSALS = (
    Refusal(
        ('`integrator.method = "adaptive"`', '`terrain.gap = "column"`'),
        _gap_by_columns,
        "'column' makes the ground's force jump where a point in it passes from facet to facet, so that no step meets "
        "the tolerance of method = 'adaptive'",
        "use gap = 'nearest'",
    ),
)
"""In the order in which they are checked."""


def check_combinations(scenario: "Scenario") -> None:
    """Raises a ValueError for the first refusal that holds."""
    for refusal in REFUSALS:
        where = refusal.where(scenario)
        if where is not None:
            raise ValueError(f"{where}: {refusal.reason}; {refusal.instead}")
