"""One shard of a campaign, from its place in the plan to its rows: what a worker does, here or on another machine."""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from planetfall.campaign.draws import Columns, Draws
from planetfall.campaign.plan import Plan
from planetfall.campaign.variants import Variants
from planetfall.engine.build import Model, build
from planetfall.engine.own_params import needs_own_params, own_params
from planetfall.engine.result import BatchResult
from planetfall.engine.run import Progress, run_batch
from planetfall.outcome import Outcome
from planetfall.record.rows import OUTCOME, RUN, SEED, WHOLE, table_of
from planetfall.record.shards import Shard
from planetfall.scenario.load import scenario_from_dict

if TYPE_CHECKING:
    import pyarrow as pa

NUMBERS = (
    "first_touch_s", "rest_s", "n_contacts", "peak_force_N", "max_penetration_m", "energy_rise_J", "x_m", "y_m", "z_m",
    "qx", "qy", "qz", "qw", "speed_m_s", "distance_m", "out.end_s", "out.overturn_s", "out.steps",
)  # fmt: skip
"""Columns of what came of the runs; with sensors, one more."""
ONE_AT_A_TIME = threading.Lock()
"""Models and compiled kernels belong to the process: worker threads that share one take turns."""


@dataclass(frozen=True)
class Work:
    """All that a worker has to know.

    Attributes:
        scenario: As JSON.
        n: Number of runs of the campaign.
        seed: Of the campaign.
        sampling: See `sampling.METHODS`.
        device: Warp device.
        terms: Versions and kind of processor that the rows depend on.
    """

    scenario: str
    n: int
    seed: int
    sampling: str
    device: str
    terms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Workshop:
    """A campaign made ready on a device."""

    draws: Draws
    model: Model
    has_own_params: bool


def work_of(plan: Plan, device: str) -> Work:
    """What the workers of a campaign are told."""
    return Work(json.dumps(plan.scenario.to_dict()), plan.n, plan.seed, plan.sampling, device, plan.terms)


@lru_cache(maxsize=2)
def workshop(work: Work) -> Workshop:
    """Builds the nominal model once per process."""
    scenario = scenario_from_dict(json.loads(work.scenario), "the campaign")
    draws = Draws(scenario, work.n, work.seed, work.sampling)
    model = build(scenario, work.device, is_recorded=False, is_checked=False)
    return Workshop(draws, model, needs_own_params(scenario, draws.keys))


def run_shard(work: Work, shard: Shard, threads: int | None = None, progress: Progress | None = None) -> "pa.Table":
    """Simulates the runs of a shard; a run whose inputs do not go together has a row that says so."""
    with ONE_AT_A_TIME:
        return _run_shard(workshop(work), work.seed, shard, threads, progress)


def columns_of(shop: Workshop) -> list[str]:
    """Names of the columns of a campaign's table."""
    drawn = _inputs(shop.draws.values(0, 1))
    return [RUN, SEED, OUTCOME, *_names(shop.model), *drawn]


def result_columns(model: Model, initial_states: np.ndarray, end: BatchResult) -> dict[str, np.ndarray]:
    """What came of some runs that were simulated, by column."""
    found = _of_result(model, initial_states, end)
    return {name: found[name] for name in _names(model)}


def _run_shard(shop: Workshop, seed: int, shard: Shard, threads: int | None, progress: Progress | None) -> "pa.Table":
    variants = Variants.of(shop.draws, shard.first, shard.last)
    states = variants.states(shop.model.surface)
    good = np.array([i for i in range(shard.n) if i not in variants.problems], dtype=np.int64)
    runs, end = np.arange(shard.first, shard.last), None
    if len(good):
        own = None
        if shop.has_own_params:
            scenarios = (s for i, s in enumerate(variants.scenarios(states)) if i not in variants.problems)
            own = own_params(shop.model, shop.draws.keys, scenarios, states[good])
        end = run_batch(shop.model, states[good], own=own, run_indices=runs[good], threads=threads, progress=progress)
    outcomes = np.full(shard.n, int(Outcome.bad_input))
    # NaN, or no contacts, where a run was not simulated
    columns = {name: np.full(shard.n, 0.0 if name in WHOLE else np.nan) for name in _names(shop.model)}
    if end is not None:
        outcomes[good] = end.status
        for name, values in result_columns(shop.model, states[good], end).items():
            columns[name][good] = values
    return table_of(runs, seed, outcomes, {**columns, **_inputs(variants.values)})


def _names(model: Model) -> Sequence[str]:
    return (*NUMBERS, "out.detected_s") if model.assembly.sensors else NUMBERS


def _of_result(model: Model, states: np.ndarray, end: BatchResult) -> dict[str, np.ndarray]:
    has_points = end.peak.shape[1] > 0
    nothing = np.full(len(end.time), np.nan)
    travel = end.state[:, :3] - states[:, :3]
    if model.scenario.target.frame == "L":
        travel = travel[:, :2]
    return {
        "first_touch_s": np.fmin.reduce(end.first_touch, axis=1) if has_points else nothing,
        "rest_s": end.rest,
        "n_contacts": end.touches.sum(axis=1),
        "peak_force_N": end.peak.max(axis=1) if has_points else np.zeros(len(end.time)),
        "max_penetration_m": end.penetration,
        "energy_rise_J": nothing,
        **dict(zip(("x_m", "y_m", "z_m"), end.state[:, :3].T, strict=True)),
        **dict(zip(("qx", "qy", "qz", "qw"), end.state[:, 6:10].T, strict=True)),
        "speed_m_s": _length(end.state[:, 3:6]),
        "distance_m": _length(travel),
        "out.end_s": end.time,
        "out.overturn_s": end.overturn,
        "out.steps": end.steps,
        "out.detected_s": end.detected,
    }


def _inputs(values: Columns) -> dict[str, np.ndarray]:
    """Columns of what was drawn; of vectors, one per component."""
    columns = {}
    for key, drawn in values.items():
        parts = {f"in.{key}": drawn} if drawn.ndim == 1 else {f"in.{key}.{j}": part for j, part in enumerate(drawn.T)}
        columns |= parts
    return columns


def _length(vectors: np.ndarray) -> np.ndarray:
    """Written out, so that a row does not depend on the shard it is in."""
    return np.sqrt(sum(component * component for component in vectors.T))
