"""Numbers of a summary as people read them: with what is known of their numerical error, and no digit more."""

from typing import Any

from planetfall.analysis.accuracy.numerical_error import ERRORS, is_nothing, unit_of
from planetfall.analysis.accuracy.true_digits import (
    error_digit,
    exact,
    is_converged,
    resolved,
    true_digits,
    unchecked,
    with_error,
)

EXACT = ("stiffness_", "damping_", "friction")
"""Names that begin so follow from the inputs by a formula."""
PLACE, WAYS = "end_position_m", ("first_touch_to_end_m", "slide_distance_m")
"""A place, and how far the vehicle went: of an unchecked run its digits count from the latter, not from the origin."""
NOT_CONVERGED = "?"
"""After a number of which no digit is true."""


class Checked:
    """The numbers of a summary, checked or not."""

    def __init__(self, summary: dict[str, Any], duration: float | None = None) -> None:
        """`duration`: that of the scenario [s]; an end there is no result, and is shown in full."""
        self._exact = {} if duration is None else {"end_s": duration}
        self.check: dict[str, Any] = summary.get("check") or {}
        self._differences: dict[str, Any] = self.check.get("differences", {})
        self._way = max(abs(summary.get(key) or 0.0) for key in WAYS)
        self._scales: dict[str, float] = self.check.get("scales", {})

    @property
    def is_checked(self) -> bool:
        """Whether the run was repeated finer, and that worked."""
        return bool(self._differences)

    @property
    def other_outcome(self) -> str | None:
        """That of the finer run, if it is another one."""
        outcome = self.check.get("outcome", {"value": None, "finer": None})
        return None if outcome["value"] == outcome["finer"] else str(outcome["finer"])

    @property
    def sentences(self) -> list[str]:
        """What has to be said of the numbers."""
        return list(self.check.get("sentences", ()))

    def text(self, key: str, value: Any, i: int | None = None, *, has_error: bool = True) -> str:
        """A number of the summary, the i-th of a list, in true digits; with its difference if `has_error`."""
        if value is None or not isinstance(value, int | float) or isinstance(value, bool):
            return self._of_none(key, value, i)
        pair = self._pair(key, i)
        if pair is None:
            return self._of_one(key, value)
        finer, difference = pair
        if finer is None or difference is None:
            return f"{unchecked(float(value))} {NOT_CONVERGED} (finer: none)"
        if isinstance(value, int):
            return str(value) if value == finer else f"{value} (finer: {finer})"
        if key in ERRORS:
            return f"{unchecked(value)} (finer: {unchecked(finer)})" if has_error else unchecked(value)
        if is_nothing(value, finer, unit_of(key), self._scales) and not is_converged(value, finer):
            return f"0 ± {error_digit(max(abs(value), abs(finer)))}" if has_error else "0"
        if not is_converged(value, finer):
            return f"{rough(value)} {NOT_CONVERGED}" + (f" (finer: {rough(finer)})" if has_error else "")
        return with_error(value, difference) if has_error else true_digits(value, difference)

    def finer(self, key: str, i: int | None = None) -> Any:
        """What the finer run has in a number's place; None where there was none."""
        pair = self._pair(key, i)
        return None if pair is None else pair[0]

    def event_text(self, kind: str, value: float, part: str) -> str:
        """Time or value of an event, in the digits that are true of all events of its kind."""
        apart = (self.check.get("events", {}).get(kind) or {}).get(part)
        return unchecked(value) if apart is None else true_digits(value, apart)

    def _pair(self, key: str, i: int | None) -> tuple[Any, Any] | None:
        found = self._differences.get(key)
        if found is None:
            return None
        if i is None:
            return found["finer"], found["difference"]
        if not isinstance(found["finer"], list) or not isinstance(found["difference"], list):
            return None
        return found["finer"][i], found["difference"][i]

    def _of_one(self, key: str, value: int | float) -> str:
        if isinstance(value, int):
            return str(value)
        if key == PLACE:
            return resolved(value, self._way)
        return exact(value) if key.startswith(EXACT) or self._exact.get(key) == value else unchecked(value)

    def _of_none(self, key: str, value: Any, i: int | None) -> str:
        pair = self._pair(key, i) if value is None else None
        shown = "-" if value is None else str(value)
        return shown if pair is None or pair[0] is None else f"{shown} {NOT_CONVERGED} (finer: {unchecked(pair[0])})"


def rough(value: float) -> str:
    """A number of which no digit is true: two, to show its size."""
    return f"{value:.2g}"
