"""What is told of a campaign while it runs: which runs the estimate beside the counts is of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import planetfall
from planetfall.analysis.campaign.ensemble_summary import estimate_words
from planetfall.campaign.campaign import Standing
from planetfall.campaign.stop_rule import parse_rule
from planetfall.campaign.tally import Tally, shown_along
from planetfall.outcome import Outcome
from planetfall.record.files.shards import shards_of
from planetfall.record.rows import table_of
from support.dispersed import sliding_point

Capsys = pytest.CaptureFixture[str]
N, SIZE = 200, 50
SETTLED = (45, 20, 10, 5)
"""Of the 50 runs of each shard, so many settle."""


def tally_of(order: tuple[int, ...], rule: str = "") -> Tally:
    """Some shards are done, in this order; whoever settles comes first in its shard."""
    shards = shards_of(N, SIZE)
    tally = Tally(sliding_point(), parse_rule(rule) if rule else None, shards)
    for i in order:
        shard = shards[i]
        outcomes = np.full(shard.n, int(Outcome.overturned))
        outcomes[: SETTLED[i]] = int(Outcome.settled)
        tally.add(shard, table_of(np.arange(shard.first, shard.last), 0, outcomes, {}))
    return tally


def test_without_a_stop_rule_the_share_is_that_of_the_counts_beside_it() -> None:
    tally = tally_of((0, 3, 2))  # shard 1 is late
    assert tally.counts == {"settled": 60, "overturned": 90}
    assert tally.interval.value == pytest.approx(60 / 150)
    assert tally.n_estimated == tally.interval.n == 150
    assert tally.to_dict()["n_runs"] == 150
    assert tally.to_dict() == tally_of((2, 0, 3)).to_dict()


def test_with_a_stop_rule_only_runs_before_the_first_gap_count() -> None:
    tally = tally_of((0, 3, 2), "P(outcome=settled) +- 0.01")
    assert tally.interval.value == pytest.approx(0.9)
    assert tally.n_estimated == tally.to_dict()["n_runs"] == 50


def test_a_line_with_a_stop_rule_says_of_which_runs_the_estimate_is(capsys: pytest.CaptureFixture[str]) -> None:
    from planetfall.cli.landing.montecarlo import Pace, _lines

    for until, said in (("", "= 1 [0.9287, 1]\n"), ("P(outcome=settled) +- 0.2", "of the first 50 runs (wanted P(")):
        planetfall.montecarlo(sliding_point(), 50, 3, until=until, report=_lines(Pace()))
        assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("until", "said"),
    [
        ("mean(rest_s) +- 50%", "not met: all runs are done, none of 50 runs has a value\n"),
        ("quantile(distance_m, 0.99) +- 50%", "(too few runs for an interval)\n"),
        ("sigma(distance_m) +- 50%", "not met: all runs are done, "),
    ],
)
def test_a_rule_that_knows_too_little_is_told_of(until: str, said: str, tmp_path: Path, capsys: Capsys) -> None:
    """Without a value or an end of its interval the table of the campaign comes all the same."""
    from planetfall.cli.landing.montecarlo import Pace, _lines, print_campaign

    scenario = sliding_point().with_values({"scenario.duration": 0.05})
    found = planetfall.montecarlo(scenario, 50, 3, until=until, out=tmp_path / "c", report=_lines(Pace()))
    print_campaign(found.summary, tmp_path / "c")
    assert said in capsys.readouterr().out


def test_an_estimate_says_from_how_many_of_the_runs_it_is() -> None:
    """Of 200 runs the later half never came to rest; no number of theirs is in the mean, and the line says so."""
    from planetfall.cli.landing.montecarlo import _estimate

    rule, shards = parse_rule("mean(rest_s) +- 50%"), shards_of(N, SIZE)
    tally = Tally(sliding_point(), rule, shards)
    for shard in shards:
        rest = np.where(np.arange(shard.n) < 25, 2.0 + 0.01 * np.arange(shard.n), np.nan)
        tally.add(shard, table_of(np.arange(shard.first, shard.last), 0, np.ones(shard.n, int), {"rest_s": rest}))
    known = tally.interval
    standing = Standing(N, N, 1.0, {}, str(tally.quantity), known, tally.n_estimated, rule, None)
    assert f" of the first 200 runs, 100 of which have a value (wanted {rule.text})" in _estimate(standing)
    assert (tally.to_dict()["n"], tally.to_dict()["n_runs"]) == (100, 200)
    assert estimate_words(tally.to_dict()).endswith(" from the 100 of 200 runs that have a value")


def test_what_is_shown_is_how_runs_are_meant_to_end() -> None:
    """A descent that ends at an altitude never comes to rest."""
    assert str(shown_along(planetfall.load("mars-entry-ballistic"))) == "P(outcome=descended)"
    assert str(shown_along(planetfall.load("insight-edl"))) == "P(outcome=settled)"
