"""What kept the runs of a campaign that timed out from rest, and the limits by which their creep would be rest."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planetfall.analysis.run.departure import departure
from planetfall.analysis.run.residual_motion import verdict
from planetfall.campaign.plan import check_files, check_same_terms, read_plan, with_controller
from planetfall.campaign.workers.recorded import recorded_run
from planetfall.campaign.workers.shard_run import work_of, workshop
from planetfall.engine.run import Progress
from planetfall.errors import InputError
from planetfall.outcome import Outcome
from planetfall.record.ensemble import is_ensemble
from planetfall.record.files.shards import found_shards, read_column
from planetfall.record.rows import OUTCOME, RUN
from planetfall.record.trajectory import dataset_of
from planetfall.scenario.files.plugins import plugin_faults

MOST = 100
"""Runs that are repeated, the first that timed out; assumed."""


@dataclass(frozen=True)
class TimedOutRuns:
    """The runs of a campaign that timed out.

    Attributes:
        n_runs: Runs of the campaign that have a row.
        n_timed_out: Those that timed out.
        creeping: Those among the repeated ones that creep, or roll, steadily.
        counts_as_rest: Keys of `[outcome]` with values by which each of them would be at rest.
        neediest: By key, the run that needs the value.
        moving: What is told of each of the other repeated ones, by run.
    """

    n_runs: int
    n_timed_out: int
    creeping: tuple[int, ...]
    counts_as_rest: dict[str, float]
    neediest: dict[str, int]
    moving: dict[int, str]

    @property
    def n_repeated(self) -> int:
        """How many were repeated."""
        return len(self.creeping) + len(self.moving)


@plugin_faults()
def timed_out_runs(folder: str | Path, *, device: str | None = None, progress: Progress | None = None) -> TimedOutRuns:
    """Repeats the runs of a campaign that timed out, up to a hundred of them, and says what kept them from rest.

    Raises:
        InputError: There is no campaign, or it was made under other terms.
    """
    place = Path(folder).expanduser()
    if not is_ensemble(place):
        raise InputError(str(folder), "holds no campaign", "a folder written by planetfall montecarlo")
    plan = with_controller(read_plan(place), None, place)
    device = device or plan.device
    check_files(plan)
    check_same_terms(plan, device, place)
    paths = list(found_shards(place).values())
    ended = np.array(read_column(paths, OUTCOME).cast("string").to_pylist(), dtype=object)
    runs = read_column(paths, RUN).to_numpy()[ended == Outcome.timed_out.name]
    shop = workshop(work_of(plan, device))
    creeping, values, neediest, moving = list[int](), dict[str, float](), dict[str, int](), dict[int, str]()
    for i, run in enumerate(runs[:MOST].tolist()):
        model, recorded = recorded_run(shop.draws, shop.model, shop.controller, run)
        data = dataset_of(model.scenario, recorded)
        found = verdict(model.scenario, data, recorded.events)
        if found.counts_as_rest:
            creeping.append(run)
        else:
            away = departure(model, data, Outcome.timed_out)
            moving[run] = away.get("outcome_sentence", found.sentence)
        for key, value in found.counts_as_rest.items():
            if value > values.get(key, 0.0):
                values[key], neediest[key] = value, run
        if progress is not None:
            progress((i + 1) / min(len(runs), MOST))
    return TimedOutRuns(len(ended), len(runs), tuple(creeping), values, neediest, moving)
