"""When a campaign knows enough: `P(outcome=overturned) +- 0.005`, `mean(distance_m) +- 2%`, `sigma(x_m) +- 0.1`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from planetfall.analysis.campaign.intervals import Interval, bootstrap, of_mean, of_quantile, wilson
from planetfall.errors import InputError
from planetfall.outcome import Outcome

NUMBER = r"[0-9.]+(?:[eE][-+]?[0-9]+)?"
RULE = re.compile(
    rf"\s*(?P<what>P|mean|sigma|median|quantile)\s*\(\s*(?P<of>[^()]*?)\s*\)\s*(?:\+-|\+/-|±)\s*(?P<width>{NUMBER})"
    rf"(?P<percent>\s*%)?(?:\s*(?:@|at)\s*(?P<confidence>{NUMBER})(?P<as_percent>\s*%)?)?\s*"
)
CONDITION = re.compile(rf"(?P<column>[\w.]+)\s*(?P<sign>>=|<=|=|>|<)\s*(?P<value>-?{NUMBER}|[a-z_]+)")
EXAMPLES = "for example 'P(outcome=overturned) +- 0.005', 'mean(distance_m) +- 2%', 'quantile(rest_s, 0.95) +- 0.5'"
MIN_RUNS = 100
"""Runs below which no interval is trusted."""
RESAMPLES = 400
"""Of a bootstrap that is made anew after every shard."""


@dataclass(frozen=True)
class Quantity:
    """Something that a campaign estimates.

    Attributes:
        kind: `P`, `mean`, `sigma` or `quantile`.
        column: Of the table.
        sign: For `P`: how the column is compared.
        value: For `P`: with what, a number or the name of an outcome.
        probability: For `quantile`: which.
    """

    kind: str
    column: str
    sign: str = "="
    value: float | str = 0.0
    probability: float = 0.5

    def __str__(self) -> str:
        if self.kind == "P":
            shown = self.value if isinstance(self.value, str) else f"{self.value:g}"
            return f"P({self.column}{self.sign}{shown})"
        return (
            f"quantile({self.column}, {self.probability:g})"
            if self.kind == "quantile"
            else f"{self.kind}({self.column})"
        )

    def of(self, column: np.ndarray) -> np.ndarray:
        """What each run contributes: 1 or 0 for a share, else its value."""
        if self.kind != "P":
            return np.asarray(column, dtype=float)
        compare = {"=": np.equal, ">": np.greater, "<": np.less, ">=": np.greater_equal, "<=": np.less_equal}[self.sign]
        return compare(column, self.value).astype(float)

    def estimate(self, contributions: np.ndarray, confidence: float = 0.95) -> Interval:
        """The estimate with its interval."""
        if self.kind == "P":
            return wilson(int(contributions.sum()), len(contributions), confidence)
        if self.kind == "mean":
            return of_mean(contributions, confidence)
        if self.kind == "sigma":
            return bootstrap(contributions, _deviation, confidence, RESAMPLES)
        return of_quantile(contributions, self.probability, confidence)


@dataclass(frozen=True)
class StopRule:
    """A quantity, and how closely it is wanted.

    Attributes:
        text: As it was given.
        quantity: What is estimated.
        width: Half-width of the interval that is enough, in the quantity's unit or as a fraction of the estimate.
        is_relative: Whether it is a fraction.
        confidence: Of the interval.
    """

    text: str
    quantity: Quantity
    width: float
    is_relative: bool = False
    confidence: float = 0.95

    def check(self, columns: Sequence[str]) -> None:
        """Refuses a rule about a column that there is not."""
        if self.quantity.column not in columns:
            problem = f"there is no column {self.quantity.column}"
            raise InputError("--until", problem, f"one of {', '.join(columns)}")

    def is_met(self, interval: Interval) -> bool:
        """Whether an interval is narrow enough, and rests on enough runs to be believed."""
        wanted = self.width * abs(interval.value) if self.is_relative else self.width
        return interval.n >= MIN_RUNS and bool(interval.half_width <= wanted)


@dataclass
class Known:
    """What the runs so far, in order, say of a quantity."""

    quantity: Quantity
    confidence: float = 0.95
    parts: list[np.ndarray] = field(default_factory=list)
    _latest: Interval | None = None

    def add(self, column: np.ndarray) -> None:
        """Takes in the next runs."""
        self.parts.append(self.quantity.of(column))
        self._latest = None

    @property
    def interval(self) -> Interval:
        """The present estimate; computed when it is first asked for, since it is shown more often than it changes."""
        if self._latest is None:
            self.parts = [np.concatenate(self.parts)] if self.parts else []
            self._latest = self.quantity.estimate(self.parts[0] if self.parts else np.empty(0), self.confidence)
        return self._latest


def parse_rule(text: str) -> StopRule:
    """Reads a stop rule."""
    match = RULE.fullmatch(text)
    if not match:
        raise InputError("--until", f"{text!r} is not a stop rule", advice=EXAMPLES)
    try:
        width = float(match["width"]) / (100.0 if match["percent"] else 1.0)
        confidence = float(match["confidence"] or 0.95) / (100.0 if match["as_percent"] else 1.0)
    except ValueError:
        raise InputError("--until", f"{text!r} has a number that cannot be read", advice=EXAMPLES) from None
    if not width > 0:
        raise InputError("--until", f"a half-width of {match['width']} will never be reached", "greater than 0")
    if not 0.5 <= confidence < 1.0:
        raise InputError("--until", f"a confidence of {confidence:g}", "0.5 to less than 1, or as a percentage")
    return StopRule(text.strip(), _quantity(match["what"], match["of"]), width, bool(match["percent"]), confidence)


def _quantity(what: str, of: str) -> Quantity:
    if what == "P":
        match = CONDITION.fullmatch(of)
        if not match:
            raise InputError("--until", f"P({of}) is not a condition on a column", advice=EXAMPLES)
        return _share(match["column"], match["sign"], match["value"])
    column, _, probability = (part.strip() for part in of.partition(","))
    if what in ("mean", "sigma", "median") and not probability and column:
        return Quantity("quantile", column, probability=0.5) if what == "median" else Quantity(what, column)
    try:
        value = float(probability)
    except ValueError:
        raise InputError("--until", f"{what}({of}) cannot be read", advice=EXAMPLES) from None
    if what != "quantile" or not 0.0 < value < 1.0:
        raise InputError("--until", f"{what}({of}) cannot be read", "quantile(COLUMN, between 0 and 1)")
    return Quantity("quantile", column, probability=value)


def _share(column: str, sign: str, text: str) -> Quantity:
    if column == "outcome":
        names = [outcome.name for outcome in Outcome if outcome is not Outcome.running]
        if text not in names or sign != "=":
            raise InputError("--until", f"outcome{sign}{text} is not an outcome", f"outcome= one of {', '.join(names)}")
        return Quantity("P", column, sign, text)
    try:
        return Quantity("P", column, sign, float(text))
    except ValueError:
        raise InputError("--until", f"{column}{sign}{text} does not compare with a number", advice=EXAMPLES) from None


def _deviation(values: np.ndarray) -> float:
    """Standard deviation; of a single value, 0."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
