"""Many runs of one scenario, as an `xarray.Dataset` with one entry per run, and the folder it is kept in."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from planetfall.arguments import path_of
from planetfall.errors import InputError
from planetfall.outcome import Outcome
from planetfall.record.rows import OUTCOME, RUN, SEED, dataset_of_rows, table_of
from planetfall.record.shards import RUNS, Shard, found_shards, go_on, read_shards, shards_of, write_shard, write_whole
from planetfall.record.store import SCENARIO, SUMMARY
from planetfall.scenario import load
from planetfall.scenario.load import file_places
from planetfall.scenario.paths import Place, placed, relative_to
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.write import scenario_toml

PLAN = "campaign.json"
ELSEWHERE = "choose another folder"
SHARD_ROWS = 10_000
"""Rows per file when an ensemble is saved."""


@dataclass(frozen=True)
class Ensemble:
    """The runs of a campaign.

    Attributes:
        scenario: What was simulated, with its dispersions.
        data: One entry per run along `run`: outcome, what came of it, `in.KEY` for what was drawn, `out.NAME` for more.
        summary: The campaign in a few numbers, as in `summary.json`.
        campaign: How it was run, as in `campaign.json`: number of runs, seed, sampling, versions.
    """

    scenario: Scenario
    data: xr.Dataset
    summary: dict[str, Any] = field(default_factory=dict)
    campaign: dict[str, Any] = field(default_factory=dict)

    def save(self, folder: str | Path) -> Path:
        """Writes a campaign's folder: scenario.toml, campaign.json, runs/*.parquet, summary.json."""
        folder, shards = path_of("folder", folder).expanduser(), self._shards()
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(str(folder), "is in use", "a new folder", ELSEWHERE)
        try:
            (folder / RUNS).mkdir(parents=True, exist_ok=True)
            write_scenario(folder, self.scenario)
            write_plan(folder, self.campaign)
            table, place = _table(self.data), 0
            for shard in shards:
                write_shard(folder, shard, table.slice(place, shard.n))
                place += shard.n
            write_json(folder / SUMMARY, self.summary)
        except OSError as error:
            raise InputError(str(folder), f"cannot be written ({error.strerror or error})", advice=ELSEWHERE) from None
        return folder

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
    """Reads a campaign's folder back, also one that is not finished: all rows that there are."""
    scenario = load(folder / SCENARIO)
    paths = found_shards(folder)
    if not paths:
        raise InputError(str(folder), "holds no finished runs yet", advice=f"go on with {go_on(folder)}")
    data = dataset_of_rows(read_shards(paths.values()), scenario)
    return Ensemble(scenario, data, read_json(folder / SUMMARY), read_plan(folder))


def is_ensemble(folder: Path) -> bool:
    """Whether a folder is a campaign's."""
    return (folder / PLAN).is_file() and (folder / SCENARIO).is_file()


def write_scenario(folder: Path, scenario: Scenario) -> None:
    """Writes `scenario.toml`."""
    write_whole(folder / SCENARIO, scenario_toml(scenario, folder))


def write_plan(folder: Path, plan: dict[str, Any]) -> None:
    """Writes `campaign.json`; files are named in it as in `scenario.toml`, relative to the folder."""
    write_json(folder / PLAN, _with_names(plan, relative_to(folder)))


def read_plan(folder: Path) -> dict[str, Any]:
    """Reads `campaign.json`, with whole paths; one that is not there is empty."""
    return _with_names(read_json(folder / PLAN), file_places(folder / SCENARIO))


def _with_names(plan: dict[str, Any], place: Place) -> dict[str, Any]:
    """A plan in which the files have other names."""
    scenario, files = plan.get("scenario"), plan.get("files")
    named: dict[str, Any] = {}
    if isinstance(scenario, dict):
        named["scenario"] = placed(scenario, Scenario, place)
    if isinstance(files, dict):
        named["files"] = {place(name): digest for name, digest in files.items()}
    return {**plan, **named}


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Writes a JSON file whole or not at all."""
    write_whole(path, (json.dumps(content, indent=2, allow_nan=False) + "\n").encode())


def read_json(path: Path) -> dict[str, Any]:
    """Reads a JSON file; one that is not there is empty."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InputError(str(path), f"cannot be read ({error})") from None
    if not isinstance(found, dict):
        raise InputError(str(path), "is not what a campaign writes")
    return found


def _table(data: xr.Dataset) -> Any:
    names, place = np.unique(data[OUTCOME].values, return_inverse=True)
    outcomes = np.array([int(Outcome[str(name)]) for name in names])[place]
    columns = {str(name): item.values for name, item in data.data_vars.items() if name not in (SEED, OUTCOME)}
    return table_of(data[RUN].values, int(data[SEED].values[0]), outcomes, columns)
