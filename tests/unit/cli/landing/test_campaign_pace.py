"""How fast a campaign is: without what came before its runs."""

from __future__ import annotations

import math
from typing import Any

import pytest

from planetfall.analysis.campaign.intervals import wilson
from planetfall.campaign.campaign import Standing
from planetfall.cli.landing import montecarlo
from planetfall.cli.landing.montecarlo import Pace


def standing(n_done: int, n: int = 40) -> Standing:
    return Standing(n_done, n, n_done / n, {}, "P(outcome=settled)", wilson(0, n_done), n_done, None, None)


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
        "20 runs took 2 s (10 runs/s), after 50 s of preparation; 10,000 runs would take about 17 min here"
    )
    assert pace.sentence(10_000) == "20 runs took 2 s (10 runs/s), after 50 s of preparation"


def test_on_a_cluster_the_first_shard_is_the_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers say nothing before; in it they compiled."""
    assert math.isnan(paced(monkeypatch, (60.0, 10)).rate)
    assert paced(monkeypatch, (60.0, 10)).sentence(40) == paced(monkeypatch, (60.0, 10)).words(standing(10)) == ""
    assert paced(monkeypatch, (60.0, 10), (65.0, 20)).rate == pytest.approx(2.0)
