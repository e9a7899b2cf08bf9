"""Watchers of a run for tests: one who only looks, and one who changes something at a time."""

from __future__ import annotations

from collections.abc import Mapping

from planetfall.engine.launch.run_in_progress import RunInProgress
from planetfall.engine.state.result import RecordedRun


class Looks:
    """Looks at everything before every launch, whose lengths vary."""

    def __init__(self) -> None:
        self.seen: list[RecordedRun] = []

    def before_launch(self, run: RunInProgress) -> int | None:
        self.seen.append(run.recorded(run.time - 0.1))
        return 1 + (37 * len(self.seen)) % 50


class ChangesAt:
    """Changes some keys at the first launch at or after a time [s]."""

    def __init__(self, time: float, values: Mapping[str, float], chunk: int = 20) -> None:
        self.time, self.values, self.chunk = time, dict(values), chunk

    def before_launch(self, run: RunInProgress) -> int | None:
        if self.values and run.time >= self.time:
            run.change(self.values)
            self.values = {}
        return self.chunk
