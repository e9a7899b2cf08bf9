"""How fast a campaign is: without what came before its runs."""

from __future__ import annotations

import math
from typing import Any

import pytest

from planetfall.analysis.campaign.intervals import wilson
from planetfall.campaign.campaign import Standing
from planetfall.cli.landing import montecarlo
from planetfall.cli.landing.montecarlo import Pace
from planetfall.record.files.shards import Shard


def standing(n_done: int, n: int = 40, finished: Shard | None = None) -> Standing:
    return Standing(n_done, n, n_done / n, {}, "P(outcome=settled)", wilson(0, n_done), n_done, None, finished)


def paced(monkeypatch: pytest.MonkeyPatch, *marks: tuple[float, int]) -> Pace:
    """A command that began at 0 s; at each of these times, so many of 40 runs are done."""
    times = iter([0.0, *(time for time, _ in marks)])
    clock: Any = lambda: next(times)  # noqa: E731
    monkeypatch.setattr(montecarlo.time, "monotonic", clock)
    pace = Pace()
    for _, done in marks:
        pace.note(standing(done))
    return pace


def test_the_rate_is_that_of_the_runs_and_not_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """50 s of compiling, then 20 runs in 2 s: 10 runs/s, and not 0.4."""
    pace = paced(monkeypatch, (50.0, 0), (51.0, 5), (52.0, 20))
    assert pace.rate == pytest.approx(10.0)
    assert pace.words(standing(20)) == "10 runs/s, about 2 s left"
    assert pace.sentence(40) == (
        "20 runs took 2 s (10 runs/s), after 50 s of preparation; 10,000 runs would take about 17 min here, "
        "preparation apart"
    )
    assert pace.sentence(10_000) == "20 runs took 2 s (10 runs/s), after 50 s of preparation"


def test_on_a_cluster_the_clock_starts_when_every_worker_had_time_for_a_shard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers, shards of 10 that take 5 s: 4 runs/s, and not the 6 that there are from the first shard on."""
    times = iter([0.0, 60.0, 60.0, 60.0, 65.0, 65.0])
    monkeypatch.setattr(montecarlo.time, "monotonic", lambda: next(times))
    pace = Pace()
    for n_done, is_word in ((10, False), (20, True), (20, False), (30, False)):
        assert math.isnan(pace.rate)
        pace.note(standing(n_done, finished=None if is_word else Shard(n_done - 10, n_done)))
    assert pace.rate == pytest.approx(2.0)
    pace.note(standing(40, finished=Shard(30, 40)))
    assert pace.rate == pytest.approx(4.0)


def test_a_rate_is_told_only_of_a_span_that_is_long_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    for least, is_told in ((0.5, True), (1.0, False)):
        times = iter([0.0, 60.0, 60.9])
        monkeypatch.setattr(montecarlo.time, "monotonic", lambda times=times: next(times))
        pace = Pace(least)
        pace.note(standing(10))
        pace.note(standing(40))
        assert bool(pace.sentence(40)) == bool(pace.words(standing(20))) == is_told
