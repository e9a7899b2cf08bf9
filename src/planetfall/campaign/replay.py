"""One run of a campaign again, alone and with its full history."""

from pathlib import Path
from typing import Any

import numpy as np

from planetfall.campaign.plan import Plan, check_same_terms, plan_from
from planetfall.campaign.variants import scenario_of
from planetfall.campaign.work import work_of, workshop
from planetfall.engine.build import build
from planetfall.engine.run import Progress
from planetfall.errors import InputError, RunError
from planetfall.record.ensemble import PLAN, is_ensemble, read_json
from planetfall.record.shards import found_shards, read_shards
from planetfall.record.store import SCENARIO
from planetfall.record.trajectory import Trajectory
from planetfall.scenario import load
from planetfall.scenario.dispersed_keys import is_bare_plane
from planetfall.simulate import run_model


def replay(folder: str | Path, run: int, *, device: str | None = None, progress: Progress | None = None) -> Trajectory:
    """Repeats a run of a campaign and keeps its history; it ends in the very bits of its row, if it has one.

    Raises:
        InputError: There is no such run, or it was not simulated, or the campaign was made under other terms.
        RunError: The run does not end as its row says.
    """
    place = Path(folder).expanduser()
    if not is_ensemble(place):
        raise InputError(str(folder), "holds no campaign", "a folder written by planetfall montecarlo")
    plan = plan_from(read_json(place / PLAN), load(place / SCENARIO), place / PLAN)
    device = device or plan.device
    check_same_terms(plan, device, place)
    if not 0 <= run < plan.n:
        raise InputError(f"run {run}", f"the campaign has runs 0 to {plan.n - 1}")
    trajectory = _run(plan, run, device, progress)
    row = row_of(place, run)
    if row is not None:
        _compare(trajectory, row, run)
    trajectory.summary["replay"] = {"campaign": str(folder), "run": run, "equals_its_row": row is not None or None}
    return trajectory


def _run(plan: Plan, run: int, device: str, progress: Progress | None) -> Trajectory:
    shop = workshop(work_of(plan, device))
    scenario = scenario_of(shop.draws, run, shop.model.surface)
    surface = None if is_bare_plane(scenario) else shop.model.surface
    model = build(scenario, device, surface=surface, is_checked=False)
    return run_model(model, run_index=run, progress=progress)


def row_of(folder: Path, run: int) -> dict[str, Any] | None:
    """The row of a run; None while there is none."""
    for shard, path in found_shards(folder).items():
        if shard.first <= run < shard.last:
            return read_shards([path]).slice(run - shard.first, 1).to_pylist()[0]
    return None


def _compare(trajectory: Trajectory, row: dict[str, Any], run: int) -> None:
    data, summary = trajectory.data, trajectory.summary
    found = np.concatenate([data.position.values[-1, 0], data.quaternion.values[-1, 0]])
    kept = np.array([row[name] for name in ("x_m", "y_m", "z_m", "qx", "qy", "qz", "qw")])
    is_same = np.array_equal(found, kept, equal_nan=True) and summary["outcome"] == row["outcome"]
    if not is_same or summary["end_s"] != row["out.end_s"]:
        raise RunError(
            f"run {run} does not end as its row says ({summary['outcome']} at {found[:3].tolist()} m, not "
            f"{row['outcome']} at {kept[:3].tolist()} m); the campaign was made on another kind of processor or device"
        )
