"""One run of a campaign again, alone and with its full history."""

from pathlib import Path
from typing import Any

from planetfall.analysis.campaign.limits import columns_by_record
from planetfall.campaign.plan import Plan, check_files, check_same_terms, read_plan, with_controller
from planetfall.campaign.workers.recorded import recorded_run
from planetfall.campaign.workers.shard_run import result_columns, work_of, workshop
from planetfall.engine.build import Model
from planetfall.engine.run import Progress
from planetfall.engine.state.result import BatchResult
from planetfall.errors import InputError, RunError
from planetfall.flight.controller import Controller
from planetfall.outcome import Outcome
from planetfall.record.ensemble import is_ensemble
from planetfall.record.files.shards import found_shards, read_shards
from planetfall.record.rows import OUTCOME
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.files.plugins import plugin_faults
from planetfall.simulate import trajectory_of


@plugin_faults()
def replay(
    folder: str | Path,
    run: int,
    *,
    device: str | None = None,
    progress: Progress | None = None,
    controller: Controller | None = None,
) -> Trajectory:
    """Repeats a run of a campaign and keeps its history; it is identical to its row, bit for bit, if it has one.

    Raises:
        InputError: There is no such run, or it was not simulated, or the campaign was made under other terms.
        RunError: The run is not what its row says.
    """
    place = Path(folder).expanduser()
    if not is_ensemble(place):
        raise InputError(str(folder), "holds no campaign", "a folder written by planetfall montecarlo")
    plan = with_controller(read_plan(place), controller, place)
    device = device or plan.device
    check_files(plan)
    check_same_terms(plan, device, place)
    if not 0 <= run < plan.n:
        raise InputError(f"run {run}", f"the campaign has runs 0 to {plan.n - 1}")
    shop = workshop(work_of(plan, device))
    model, recorded = recorded_run(shop.draws, shop.model, shop.controller, run, progress)
    trajectory, row = trajectory_of(model, recorded), row_of(place, run, plan)
    if row is not None:
        judged = columns_by_record(model.scenario, trajectory.summary.get("limits", {}))
        _compare(model, recorded.end, judged, row, run)
    trajectory.summary["replay"] = {"campaign": str(folder), "run": run, "equals_its_row": row is not None or None}
    cases = shop.draws.cases(run, run + 1)
    if cases is not None:
        trajectory.summary["replay"]["case"] = str(cases[0])
    return trajectory


def row_of(folder: Path, run: int, plan: Plan) -> dict[str, Any] | None:
    """The row of a run of a campaign; None while there is none."""
    for shard, path in found_shards(folder).items():
        if shard.first <= run < shard.last:
            return read_shards([path], plan.row_terms).slice(run - shard.first, 1).to_pylist()[0]
    return None


def _compare(model: Model, end: BatchResult, judged: dict[str, float], row: dict[str, Any], run: int) -> None:
    """Every column of the row but for what was drawn, bit by bit; NaN equals NaN."""
    columns = {name: float(v[0]) for name, v in result_columns(model, model.initial_state[None], end).items()}
    found = {OUTCOME: Outcome(int(end.status[0])).name, **columns, **judged}
    others = [
        f"{name} is {value!r} and not {row[name]!r}"
        for name, value in found.items()
        if value != row[name] and not (value != value and row[name] != row[name])
    ]
    if others:
        raise RunError(
            f"run {run} is not what its row says: {'; '.join(others[:3])}; the campaign was made on another kind of "
            "processor or device"
        )
