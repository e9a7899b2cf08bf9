"""Many runs of one scenario, as an `xarray.Dataset` with one entry per run, and the folder it is kept in."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from planetfall.arguments import path_of
from planetfall.errors import InputError
from planetfall.outcome import Outcome
from planetfall.record.files.campaign_file import (
    PLAN,
    check_scenario,
    gap_sentence,
    missing_runs,
    read_campaign,
    read_json,
    shards_there,
    terms_of,
    write_campaign,
    write_json,
)
from planetfall.record.files.schema import KEY, SCENARIO, SCHEMA, SUMMARY, checked_schema
from planetfall.record.files.shards import RUNS, Shard, go_on, read_shards, shards_of, write_shard, write_whole
from planetfall.record.rows import KEPT, OUTCOME, RUN, SEED, dataset_of_rows, table_of
from planetfall.record.shown import Shown
from planetfall.scenario import load
from planetfall.scenario.files.changed_keys import full_title
from planetfall.scenario.files.write import scenario_toml
from planetfall.scenario.scenario import Scenario

ELSEWHERE = "choose another folder"
SHARD_ROWS = 10_000
"""Rows per file when an ensemble is saved."""


@dataclass(frozen=True, repr=False)
class Ensemble(Shown):
    """The runs of a campaign.

    A notebook shows it as a card; `plot`, `view` and `report` show more.

    Attributes:
        scenario: What was simulated, with its dispersions.
        data: One entry per run along `run`: outcome, what came of it, `in.KEY` for what was drawn, `out.NAME` for more.
        summary: The campaign in a few numbers, as in `summary.json`.
        campaign: How it was run, as in `campaign.json`: number of runs, seed, sampling, versions.
        gap: A sentence that says which runs of the plan have no row, and how to make them; empty where all have one.
    """

    scenario: Scenario
    data: xr.Dataset
    summary: dict[str, Any] = field(default_factory=dict)
    campaign: dict[str, Any] = field(default_factory=dict)
    gap: str = ""

    def save(self, folder: str | Path) -> Path:
        """Writes a campaign's folder: scenario.toml, campaign.json, runs/*.parquet, summary.json.

        Args:
            folder: New or empty.

        Returns:
            The folder, which `planetfall.open` reads.
        """
        folder, shards = path_of("folder", folder).expanduser(), self._shards()
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(str(folder), "is in use", "a new folder", ELSEWHERE)
        try:
            (folder / RUNS).mkdir(parents=True, exist_ok=True)
            write_scenario(folder, self.scenario)
            digest, table, place = write_campaign(folder, self._plan()), _table(self.data), 0
            for shard in shards:
                write_shard(folder, shard, table.slice(place, shard.n), digest)
                place += shard.n
            write_json(folder / SUMMARY, self.summary)
        except OSError as error:
            raise InputError(str(folder), f"cannot be written ({error.strerror or error})", advice=ELSEWHERE) from None
        return folder

    def __repr__(self) -> str:
        names, counts = np.unique(self.data[OUTCOME].values, return_counts=True)
        ends = ", ".join(f"{counts[i]} {names[i]}" for i in np.argsort(-counts, kind="stable"))
        planned = self.campaign.get("n", self.data.sizes[RUN])
        runs = f"{self.data.sizes[RUN]} runs" + (f" of {planned} planned" if self.gap else "")
        return f"<Ensemble {self.scenario.name}: {runs}: {ends}{self._broken()}>"

    def _broken(self) -> str:
        """In how many runs a limit is broken, and which the most; nothing without limits."""
        kept = {str(name): self.data[name].values for name in self.data.data_vars if str(name).startswith(KEPT)}
        if not kept:
            return ""
        counts = {name.removeprefix(KEPT): int((values == 0.0).sum()) for name, values in kept.items()}
        n, worst = (
            int(np.any([values == 0.0 for values in kept.values()], axis=0).sum()),
            max(counts, key=lambda k: counts[k]),
        )
        return f"; limits broken in {n} runs" + (f", {worst} in {counts[worst]}" if n else "")

    def _plan(self) -> dict[str, Any]:
        """Its plan, or the little that is known of rows that have none."""
        if self.campaign:
            return self.campaign
        seed = int(self.data[SEED].values[0])
        return {KEY: SCHEMA, "n": self.data.sizes[RUN], "shard_size": SHARD_ROWS, "seed": seed}

    def _shards(self) -> list[Shard]:
        """Those of its plan that the runs make up."""
        runs = self.data[RUN].values
        n, size = self.campaign.get("n", len(runs)), self.campaign.get("shard_size", SHARD_ROWS)
        shards = [shard for shard in shards_of(n, size) if np.isin(shard.first, runs)]
        expected = np.concatenate([np.arange(shard.first, shard.last) for shard in shards] or [np.empty(0)])
        if not len(runs) or not np.array_equal(runs, expected):
            raise InputError(
                "data", "does not hold whole shards of a campaign", advice="save parts with data.to_netcdf"
            )
        return shards


def open_ensemble(folder: Path) -> Ensemble:
    """Reads a campaign's folder back, also one that is not finished: all rows that there are.

    Raises:
        InputError: Plan, scenario, shards and rows do not agree, or one of them is damaged; the message names it.
    """
    plan, scenario = read_campaign(folder), load(folder / SCENARIO)
    check_scenario(plan, scenario, folder)
    shards = shards_there(folder, plan)
    if not shards:
        raise InputError(str(folder), "holds no finished runs yet", advice=f"go on with {go_on(folder)}")
    data = dataset_of_rows(read_shards(shards.values(), terms_of(plan)), scenario)
    summary = read_json(folder / SUMMARY)
    gaps = missing_runs(plan, summary, shards)
    _check_summary(summary, int(data.sizes[RUN]), bool(gaps), folder)
    said = gap_sentence(folder, plan, summary, gaps)
    return Ensemble(scenario, data, _summary_of(summary, plan, scenario, data, gaps), plan, said)


def _summary_of(
    summary: dict[str, Any], plan: dict[str, Any], scenario: Scenario, data: xr.Dataset, gaps: list[Shard]
) -> dict[str, Any]:
    """The stored summary; what it says of rows that are not there, or not yet, is replaced by what there is."""
    names, counts = np.unique(data[OUTCOME].values, return_counts=True)
    known = {
        "scenario": scenario.name, "title": full_title(scenario), "n_planned": plan["n"], "seed": plan["seed"],
        "sampling": plan.get("sampling", ""), "estimate": summary.get("estimate", {}),
        "n_runs": int(data.sizes[RUN]), "is_complete": not gaps,
        "counts": dict(zip(names.tolist(), counts.tolist(), strict=True)),
    }  # fmt: skip
    if summary.get("is_complete") is True and not gaps:
        return {**known, **summary}
    return {KEY: SCHEMA, **known, **({"missing_runs": [[gap.first, gap.last - 1] for gap in gaps]} if gaps else {})}


def _check_summary(summary: dict[str, Any], n_rows: int, has_gaps: bool, folder: Path) -> None:
    """Refuses a `summary.json` that is damaged, or that does not fit the rows."""
    path, estimate = folder / SUMMARY, summary.get("estimate", {})
    checked_schema(summary.get(KEY), str(path))
    again = f"make it again with {go_on(folder)}"
    if not isinstance(estimate, dict) or (estimate.get("rule") and not {"is_met", "n_runs"} <= estimate.keys()):
        raise InputError(str(path), "is damaged: its estimate is not what a campaign writes", advice=again)
    if summary.get("is_complete") is True and not has_gaps and summary.get("n_runs") != n_rows:
        problem = f"counts {str(summary.get('n_runs'))[:40]} runs, the shards hold {n_rows}"
        raise InputError(str(path), problem, advice=again)


def is_ensemble(folder: Path) -> bool:
    """Whether a folder is a campaign's."""
    return (folder / PLAN).is_file() and (folder / SCENARIO).is_file()


def write_scenario(folder: Path, scenario: Scenario) -> None:
    """Writes `scenario.toml`."""
    write_whole(folder / SCENARIO, scenario_toml(scenario, folder))


def _table(data: xr.Dataset) -> Any:
    names, place = np.unique(data[OUTCOME].values, return_inverse=True)
    outcomes = np.array([int(Outcome[str(name)]) for name in names])[place]
    columns = {str(name): item.values for name, item in data.data_vars.items() if name not in (SEED, OUTCOME)}
    return table_of(data[RUN].values, int(data[SEED].values[0]), outcomes, columns)
