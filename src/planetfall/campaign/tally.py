"""What is known of a campaign while it runs."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from planetfall.analysis.campaign.ensemble_summary import as_dict
from planetfall.analysis.campaign.intervals import Interval
from planetfall.campaign.stop_rule import Known, Quantity, StopRule
from planetfall.outcome import Outcome
from planetfall.record.files.shards import Shard
from planetfall.record.rows import OUTCOME, outcome_names
from planetfall.scenario.scenario import Scenario

if TYPE_CHECKING:
    import pyarrow as pa


def shown_along(scenario: Scenario) -> Quantity:
    """What is shown along the way where no stop rule says otherwise: the share of runs that end as they are meant to.

    A descent that ends at `outcome.stop_altitude` never comes to rest.
    """
    is_descent = scenario.outcome.stop_altitude is not None
    return Quantity("P", OUTCOME, "=", (Outcome.descended if is_descent else Outcome.settled).name)


@dataclass
class Tally:
    """Counts of all finished runs, and an estimate from them.

    With a stop rule the estimate is of those alone that follow each other without a gap: it decides when to stop, and
    which shards happened to be finished first must not matter.
    """

    scenario: Scenario
    rule: StopRule | None
    shards: list[Shard]
    counts: Counter[str] = field(default_factory=Counter)
    n_in_order: int = 0
    _waiting: dict[Shard, np.ndarray] = field(default_factory=dict)
    _next: int = 0
    _known: Known = field(init=False)

    def __post_init__(self) -> None:
        quantity, confidence = (
            (self.rule.quantity, self.rule.confidence) if self.rule else (shown_along(self.scenario), 0.95)
        )
        self._known = Known(quantity, confidence)

    @property
    def quantity(self) -> Quantity:
        """What is estimated."""
        return self._known.quantity

    @property
    def interval(self) -> Interval:
        """The present estimate."""
        return self._known.interval

    @property
    def n_estimated(self) -> int:
        """Finished runs from which the estimate is made: all, or with a stop rule those before the first gap."""
        return self.counts.total() if self.rule is None else self.n_in_order

    @property
    def is_enough(self) -> bool:
        """Whether the stop rule is met."""
        return self.rule is not None and self.rule.is_met(self.interval)

    def add(self, shard: Shard, table: "pa.Table") -> None:
        """Takes in a finished shard, in any order, until the rule is met."""
        outcomes = outcome_names(table.column(OUTCOME))
        names, counts = np.unique(outcomes, return_counts=True)
        self.counts.update(dict(zip(names.tolist(), counts.tolist(), strict=True)))
        column = self.quantity.column
        values = outcomes if column == OUTCOME else table.column(column).to_numpy()
        if self.rule is None:
            self._known.add(values)
            return
        self._waiting[shard] = values
        while self._next < len(self.shards) and self.shards[self._next] in self._waiting and not self.is_enough:
            following = self.shards[self._next]
            self._known.add(self._waiting.pop(following))
            self.n_in_order, self._next = following.last, self._next + 1

    def to_dict(self) -> dict[str, Any]:
        """The stop rule and how it stands, as `summary.json` holds it."""
        return {
            "quantity": str(self.quantity), "rule": self.rule.text if self.rule else None, "is_met": self.is_enough,
            "n_runs": self.n_estimated, "n": self.interval.n, "half_width": as_dict_value(self.interval.half_width),
            **as_dict(self.interval),
        }  # fmt: skip


def as_dict_value(value: float) -> float | None:
    """A number as JSON can hold it."""
    return float(value) if np.isfinite(value) else None
