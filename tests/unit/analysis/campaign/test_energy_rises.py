"""A campaign names the largest rise of energy, and the runs above their error bounds."""

from __future__ import annotations

import numpy as np

from planetfall.analysis.campaign.energy_rises import MOST_LISTED, energy_rises, sentence_of


def test_runs_above_their_bounds_are_counted_and_listed_the_largest_first() -> None:
    rise = np.array([0.0, 0.5, 3.0, np.nan, 2.0, 0.1])
    bound = np.array([1.0, 1.0, 1.0, np.nan, 4.0, 0.05])
    found = energy_rises(np.arange(10, 16), rise, bound)
    assert (found["n"], found["n_above"]) == (5, 2)
    assert [item["run"] for item in found["above"]] == [12, 15]
    assert found["above"][0] == {"run": 12, "energy_rise_J": 3.0, "bound_J": 1.0}
    assert (found["largest_rise_J"], found["largest_rise_run"], found["its_bound_J"]) == (3.0, 12, 1.0)
    assert (found["largest_share_of_bound"], found["largest_share_run"]) == (3.0, 12)
    assert sentence_of(found) == (
        "Energy rose by 3 J at most (run 12, error bound 1 J); 2 of 5 runs are above their error bounds: 12, 15."
    )


def test_a_quiet_campaign_says_so() -> None:
    found = energy_rises(np.arange(2), np.array([0.0, 1e-9]), np.array([0.0, 1e-6]))
    assert (found["n_above"], found["above"], found["largest_share_of_bound"]) == (0, [], 1e-3)
    assert sentence_of(found).endswith("no run is above its error bound.")


def test_a_rise_that_is_not_finite_is_above_any_bound() -> None:
    found = energy_rises(np.arange(3), np.array([np.inf, np.nan, 0.0]), np.array([1.0, 2.0, 3.0]))
    assert found["n_above"] == 2
    assert found["largest_rise_J"] is None
    assert "without limit" in sentence_of(found)


def test_many_are_counted_in_full_and_runs_that_were_not_simulated_not_at_all() -> None:
    n = MOST_LISTED + 50
    found = energy_rises(np.arange(n), np.full(n, 2.0), np.ones(n))
    assert (found["n_above"], len(found["above"])) == (n, MOST_LISTED)
    assert [item["run"] for item in found["above"][:3]] == [0, 1, 2]
    assert sentence_of(found).endswith(", 9, ....")
    nothing = energy_rises(np.arange(2), np.full(2, np.nan), np.full(2, np.nan))
    assert nothing == {"n": 0, "n_above": 0, "above": []}
    assert "No run was simulated" in sentence_of(nothing)
