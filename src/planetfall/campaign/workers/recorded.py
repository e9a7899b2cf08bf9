"""Runs of a campaign once more, alone and with their records: a replay, and limits that no row can tell."""

import copy

import numpy as np

from planetfall.analysis.campaign.limits import columns_by_record
from planetfall.campaign.inputs.draws import Draws
from planetfall.campaign.inputs.variants import scenario_of
from planetfall.engine.build import Model, build
from planetfall.engine.run import Progress, run_recorded
from planetfall.engine.state.result import BatchResult, RecordedRun
from planetfall.errors import RunError
from planetfall.flight.controller import Controller
from planetfall.scenario.dispersions.keys import is_bare_plane
from planetfall.simulate import trajectory_of


def recorded_run(
    draws: Draws, nominal: Model, controller: Controller | None, run: int, progress: Progress | None = None
) -> tuple[Model, RecordedRun]:
    """A run of a campaign with its record; the same as in a batch, bit for bit.

    Args:
        draws: What the runs draw.
        nominal: Model of the scenario itself, with the ground that all share.
        controller: Python object that flies, copied; None: that of the scenario, if it has one.
        run: Which run.
        progress: Called with the finished fraction.
    """
    scenario = scenario_of(draws, run, nominal.surface)
    surface = None if is_bare_plane(scenario) else nominal.surface
    model = build(scenario, nominal.device, surface=surface, is_checked=False)
    return model, run_recorded(model, run_index=run, progress=progress, controller=copy.deepcopy(controller))


def judged_by_record(
    draws: Draws, nominal: Model, controller: Controller | None, runs: np.ndarray, end: BatchResult, progress: Progress
) -> dict[str, np.ndarray]:
    """Whether each of `runs` keeps to the limits that need its record [run], by column.

    Raises:
        RunError: A run with its record does not end in the bits in which it ended in the batch, `end`.
    """
    rows = []
    for i, run in enumerate(runs.tolist()):
        model, recorded = recorded_run(draws, nominal, controller, run)
        if not np.array_equal(recorded.end.state[0], end.state[i], equal_nan=True):
            raise RunError(f"run {run} ends elsewhere with its record than in its batch; limits.* cannot be judged")
        rows.append(columns_by_record(nominal.scenario, trajectory_of(model, recorded).summary["limits"]))
        progress((i + 1) / len(runs))
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
