"""The limits that a campaign's creeping runs need are told at once: with them, all of those runs settle."""

import json
import re
from pathlib import Path

import numpy as np

import planetfall
from support.command import inside, refuse


def test_one_round_of_limits_is_enough_for_all_creeping_runs(tmp_path: Path) -> None:
    spread = {"distribution": "multivariate-normal", "sigma": [0.1] * 3}  # [m/s]
    creeping = planetfall.load("msl-gale-drop").with_values(
        {"outcome.rest_rate": 1e-6, "dispersions.initial.velocity": spread}
    )
    first = planetfall.montecarlo(creeping, n=6, seed=1, out=tmp_path / "first")
    timed_out = np.flatnonzero(first.data.outcome.values == "timed_out")
    assert len(timed_out) >= 3
    done = inside("replay", "first", "--timed-out", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr  # where it may say that it compiles
    found = json.loads(done.stdout)
    assert found["n_timed_out"] == len(timed_out)
    assert sorted([*found["creeping"], *map(int, found["moving"])]) == timed_out.tolist()
    assert len(found["creeping"]) >= 3
    second = planetfall.montecarlo(creeping.with_values(found["counts_as_rest"]), n=6, seed=1)
    assert all(second.data.outcome.values[found["creeping"]] == "settled")
    said = inside("replay", "first", "--timed-out", cwd=tmp_path).stdout
    rate = found["counts_as_rest"]["outcome.rest_rate"]
    assert re.search(rf"outcome\.rest_rate = {rate:g} .*run {found['neediest']['outcome.rest_rate']} needs", said)


def test_a_run_or_those_that_timed_out(tmp_path: Path) -> None:
    assert "either the number of a run or --timed-out" in refuse("replay", "first", cwd=tmp_path)
    assert "either the number of a run or --timed-out" in refuse("replay", "first", "3", "--timed-out", cwd=tmp_path)


def test_reasons_of_runs_of_their_own_are_json_by_their_numbers(tmp_path: Path) -> None:
    spread = {"distribution": "multivariate-normal", "sigma": [0.1] * 3}  # [m/s]
    falling = {"scenario.duration": 0.1, "dispersions.initial.velocity": spread}
    planetfall.montecarlo(planetfall.load("msl-gale-drop", falling), n=2, seed=1, out=tmp_path / "first")
    done = inside("replay", "first", "--timed-out", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)["moving"]) == {"0", "1"}
