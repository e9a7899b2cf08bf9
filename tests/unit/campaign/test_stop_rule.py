"""Stop rules: how they are written, and when they are met."""

from __future__ import annotations

import numpy as np
import pytest

from planetfall import InputError
from planetfall.analysis.campaign.intervals import wilson
from planetfall.campaign.stop_rule import MIN_RUNS, Known, Quantity, parse_rule


@pytest.mark.parametrize(
    ("text", "quantity", "width", "is_relative", "confidence"),
    [
        ("P(outcome=overturned) +- 0.005", Quantity("P", "outcome", "=", "overturned"), 0.005, False, 0.95),
        ("P( distance_m > -5e-1 )±1e-2", Quantity("P", "distance_m", ">", -0.5), 0.01, False, 0.95),
        ("mean(distance_m) +/- 2 %", Quantity("mean", "distance_m"), 0.02, True, 0.95),
        ("sigma(x_m) +- 2%", Quantity("sigma", "x_m"), 0.02, True, 0.95),
        ("median(rest_s) +- 0.1 at 99%", Quantity("quantile", "rest_s", probability=0.5), 0.1, False, 0.99),
        ("quantile(rest_s, 0.95) +- 5e1 @ 0.9", Quantity("quantile", "rest_s", probability=0.95), 50.0, False, 0.9),
        ("P(in.terrain.slope_deg<=20) +- 0.1", Quantity("P", "in.terrain.slope_deg", "<=", 20.0), 0.1, False, 0.95),
    ],
)  # fmt: skip
def test_rules_are_read(text: str, quantity: Quantity, width: float, is_relative: bool, confidence: float) -> None:
    rule = parse_rule(text)
    assert (rule.quantity, rule.width, rule.is_relative, rule.confidence) == (quantity, width, is_relative, confidence)
    assert parse_rule(f"{quantity} +- 1").quantity == quantity


@pytest.mark.parametrize(
    "text",
    ["", "soon", "P(outcome=landed) +- 0.1", "P(outcome>settled) +- 0.1", "mean(distance_m)", "mean() +- 1",
     "mean(distance_m) +- 0", "mean(distance_m) +- -1", "mean(distance_m) +- 1e", "quantile(x_m) +- 1",
     "quantile(x_m, 1.5) +- 1", "quantile(x_m, a) +- 1", "mean(x_m, 0.5) +- 1", "sigma(x_m, 2) +- 1",
     "sigma() +- 1", "P(distance_m) +- 1",
     "P(distance_m > far) +- 1", "mean(x_m) +- 1 at 100%", "mean(x_m) +- 1 at 20%", "mean(x_m) +- 1.2.3",
     "P(__import__('os').system('x')) +- 1"],
)  # fmt: skip
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^--until: "):
        parse_rule(text)


def test_a_rule_is_met_when_the_interval_is_narrow_and_rests_on_enough() -> None:
    rule = parse_rule("mean(distance_m) +- 0.05")
    known = Known(rule.quantity)
    values = np.random.Generator(np.random.Philox(key=2)).normal(3.0, 0.5, 1000)
    met = []
    for i in range(0, 1000, 50):
        known.add(values[i : i + 50])
        met.append(rule.is_met(known.interval))
    first = met.index(True)
    assert 50 * (first + 1) >= MIN_RUNS
    widths = [1.96 * values[:n].std(ddof=1) / np.sqrt(n) for n in (50 * first, 50 * (first + 1))]
    assert widths[0] > 0.05 * 0.99
    assert widths[1] < 0.05 * 1.01


def test_a_rule_on_a_spread_stops_at_the_width_that_theory_gives() -> None:
    """Of a normal law a standard deviation is known to 1.96/sqrt(2 n): 5 % of it needs 768 runs.

    400 resamples place the ends of the interval within about 7 % of its half-width, and n within twice as much; the
    first of many looks that happens to be narrow enough comes early."""
    rule = parse_rule("sigma(x_m) +- 5%")
    known = Known(rule.quantity)
    values = np.random.Generator(np.random.Philox(key=6)).normal(3.0, 0.5, 2000)
    for n in range(50, 2001, 50):
        known.add(values[n - 50 : n])
        if rule.is_met(known.interval):
            break
    assert 768 * 0.7 < n < 768 * 1.4
    assert known.interval.low < 0.5 < known.interval.high


def test_a_share_of_nothing_is_not_known_at_once() -> None:
    """No overturned run among 100 leaves the interval [0, 3.7 %]."""
    rule = parse_rule("P(outcome=overturned) +- 0.005")
    known = Known(rule.quantity)
    known.add(np.full(100, "settled"))
    assert not rule.is_met(known.interval)
    known.add(np.full(400, "settled"))
    assert rule.is_met(known.interval)


@pytest.mark.parametrize(("share", "width", "size"), [(0.05, 0.02, 50), (0.94, 0.04, 50), (0.5, 0.05, 20)])
def test_stopping_when_narrow_costs_little_confidence(share: float, width: float, size: int) -> None:
    """Looking after every shard: of 1,000 intervals 94 % hold the truth, less 5 deviations of that."""
    rule, rng = parse_rule(f"P(x_m > 0) +- {width}"), np.random.Generator(np.random.Philox(key=4))
    held = 0
    for _ in range(1000):
        n = count = 0
        interval = wilson(0, 0)
        while not rule.is_met(interval):
            count, n = count + int(rng.binomial(size, share)), n + size
            interval = wilson(count, n)
        held += interval.low <= share <= interval.high
    assert held > 940 - 5 * np.sqrt(1000 * 0.94 * 0.06)


def test_relative_widths_follow_the_estimate() -> None:
    rule = parse_rule("mean(distance_m) +- 1%")
    known = Known(rule.quantity)
    known.add(np.full(200, 7.0))
    assert rule.is_met(known.interval)
