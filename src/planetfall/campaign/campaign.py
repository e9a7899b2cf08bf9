"""Running a campaign: from a scenario to an ensemble, shard by shard, in a folder that can be taken up again."""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import xarray as xr

from planetfall.analysis.campaign.detection_rates import DELAY, NEEDED, rates_of, summarise_rates
from planetfall.analysis.campaign.energy_rises import BOUND, RISE, energy_rises
from planetfall.analysis.campaign.ensemble_summary import is_result, summarise_columns
from planetfall.analysis.campaign.flight_statistics import summarise_flights
from planetfall.analysis.campaign.intervals import Interval
from planetfall.analysis.campaign.limits import PREFIX, summarise_limits, twice
from planetfall.arguments import path_of, text, whole_number
from planetfall.campaign.campaign_folder import Store, check_new, new_store, resumed_store
from planetfall.campaign.checks import check_runs
from planetfall.campaign.plan import Plan, check_files, check_same_terms, make_plan, with_controller
from planetfall.campaign.stop_rule import StopRule, parse_rule
from planetfall.campaign.tally import Tally
from planetfall.campaign.workers.executor import Executor, LocalExecutor
from planetfall.campaign.workers.shard_run import columns_of, work_of, workshop
from planetfall.display.progress import shown_progress
from planetfall.errors import ClusterError
from planetfall.flight.controller import Controller
from planetfall.flight.own_controller import packed
from planetfall.record.ensemble import Ensemble, open_ensemble
from planetfall.record.files.schema import KEY, SCHEMA
from planetfall.record.files.shards import Shard, column_names, go_on, read_column, read_shards
from planetfall.record.flight_numbers import MISS
from planetfall.record.rows import CASE, OUTCOME, RUN, attrs_of, names_of
from planetfall.scenario.files.changed_keys import full_title
from planetfall.scenario.files.load import check_loaded, loaded
from planetfall.scenario.files.plugins import plugin_faults
from planetfall.scenario.scenario import Scenario
from planetfall.simulate import SummaryParts

SUMMARY_EVERY = 5.0
"""Seconds between summaries of a campaign that is under way."""

MAX_RUNS = 1_000_000_000
"""Runs of a campaign, at most (assumed): half a terabyte of rows."""

OF_PLACES = (RUN, "x_m", "y_m", "z_m", "first_touch_s")
"""Columns that tell where runs ended, and whether on the ground."""


@dataclass(frozen=True)
class Standing:
    """How a campaign stands.

    Attributes:
        n_done: Finished runs, all of them safe.
        n: Runs that it is to have, at most.
        fraction: Done so far, with what is under way, 0 to 1.
        counts: Finished runs by outcome.
        quantity: What is estimated, in words.
        interval: The estimate.
        n_estimated: Finished runs from which it is made: all, or with a stop rule those before the first gap.
        rule: Stop rule, if there is one.
        finished: The shard that has just been finished; None along the way.
    """

    n_done: int
    n: int
    fraction: float
    counts: dict[str, int]
    quantity: str
    interval: Interval
    n_estimated: int
    rule: StopRule | None
    finished: Shard | None


Report = Callable[[Standing], None]
"""Called after every shard, and along the way."""
Note = Callable[[str], None]
"""Called with a sentence for people."""


@plugin_faults()
def montecarlo(
    scenario: Scenario | str | Path,
    n: int | None = None,
    seed: int = 0,
    *,
    device: str = "cpu",
    out: str | Path | None = None,
    executor: Executor | None = None,
    sampling: str = "random",
    shard_size: int | None = None,
    until: str = "",
    controller: Controller | None = None,
    progress: bool | None = None,
    report: Report | None = None,
    note: Note | None = None,
) -> Ensemble:
    """Runs a scenario many times, each with its own draw of what its dispersions name.

    Args:
        scenario: With dispersions; or the name of a built-in one, or a TOML file.
        n: Number of runs; with `until`, the most; of a sweep, all combinations if not given.
        seed: Run i depends on (scenario, seed, i) alone, and for Latin hypercubes on n.
        device: `cpu`, or a CUDA device such as `cuda:0`.
        out: Folder for the results, new or empty; they are kept in memory only if not given.
        executor: Who runs the shards; this process if not given.
        sampling: `random`, `latin-hypercube`, `sobol` or `saltelli`.
        shard_size: Runs per shard; has no effect on a run.
        until: Stop rule, for example `P(outcome=overturned) +- 0.005`.
        controller: Python object that flies a scenario with `flight.controller = "own"`; every run has a copy of it, as
            it is now. It has to be picklable; `resume` and `replay` want it again.
        progress: True shows a bar, False shows none; None shows one at a terminal or in a notebook after two
            seconds, unless `report` is given.
        report: Called after every shard, and along the way.
        note: Called before the runs with each thing that a user should know of files and costs: a sentence.

    Raises:
        InputError: Something in the scenario or the options has to be changed; the message says what.
        StoreError: The folder could not be written; what was finished is safe, and `resume` goes on.

    Returns:
        The runs, one entry each.

    Examples:
        >>> scenario = planetfall.load("msl-dispersed").with_values({"scenario.duration": 1.2})  # [s]
        >>> campaign = planetfall.montecarlo(scenario, n=8, seed=1, out="campaign")
        >>> campaign.data.sizes["run"]
        8
    """
    with tempfile.TemporaryDirectory(prefix="planetfall-") as folder:
        place = Path(folder) / "campaign" if out is None else path_of("out", out)
        options: dict[str, Any] = {"device": device, "executor": executor, "sampling": sampling}
        options |= {"shard_size": shard_size, "until": until, "note": note, "controller": controller}
        scenario = loaded(scenario)
        try:
            with _shown(scenario.name, progress, report) as told:
                carry_out(scenario, place, n, seed, **options, report=told)
        except ClusterError as error:
            if out is None:
                raise ClusterError(error.problem, "give a folder (out=...), in which finished runs are kept") from error
            raise
        return open_ensemble(place.expanduser())


@contextmanager
def _shown(name: str, progress: bool | None, report: Report | None) -> Iterator[Report | None]:
    """Gives the report that shows progress beside what the caller's own does."""
    with shown_progress(name, False if report is not None and progress is None else progress) as told:

        def both(standing: Standing) -> None:
            if told is not None:
                told(standing.fraction)
            if report is not None:
                report(standing)

        yield both


def carry_out(
    scenario: Scenario,
    folder: Path,
    n: int | None = None,
    seed: int = 0,
    *,
    device: str = "cpu",
    executor: Executor | None = None,
    sampling: str = "random",
    shard_size: int | None = None,
    until: str = "",
    controller: Controller | None = None,
    report: Report | None = None,
    note: Note | None = None,
) -> dict[str, Any]:
    """The same as `montecarlo`, but gives only the summary: rows stay on the disk, so that memory is bounded."""
    check_loaded(scenario)
    if n is not None:
        n = whole_number("n", n, least=1, most=MAX_RUNS)
    if shard_size is not None:
        shard_size = whole_number("shard_size", shard_size, least=1)
    seed, until = whole_number("seed", seed, least=0, most=2**63 - 1), text("until", until)
    check_new(folder)
    rule = parse_rule(until) if until else None
    plan = make_plan(scenario, n, seed, sampling, shard_size, device, rule.text if rule else "")
    if controller is not None:
        flier = packed(controller)
        plan = replace(plan, controller=flier, flown_by=flier.identity)
    executor = executor or LocalExecutor()
    shop = workshop(work_of(plan, device if executor.is_here else "cpu"))
    check_runs(shop)
    plan = replace(plan, files=shop.files)
    if rule is not None:
        rule.check(columns_of(shop))
    for sentence in (*shop.model.notes, *twice(shop.model.scenario)):
        (note or _silent)(sentence)
    with new_store(folder, plan) as store:
        return _finish(store, executor, device, report or _silent)


@plugin_faults()
def resume(
    folder: str | Path,
    *,
    device: str | None = None,
    executor: Executor | None = None,
    controller: Controller | None = None,
    progress: bool | None = None,
    report: Report | None = None,
    note: Note | None = None,
) -> Ensemble:
    """Goes on with a campaign where it was left; nothing that was finished is run again.

    Args:
        folder: Of the campaign.
        device: Another device of the same kind; the campaign's own if not given.
        executor: Who runs the shards; this process if not given.
        controller: The object that flies it, where it was begun with one.
        progress: True shows a bar, False shows none; None shows one at a terminal or in a notebook after two
            seconds, unless `report` is given.
        report: Called after every shard, and along the way.
        note: Called with each thing that had to be put right in the folder: a sentence.

    Returns:
        All runs, the earlier ones among them.

    Examples:
        >>> planetfall.resume("campaign").summary["is_complete"]
        True
    """
    place = path_of("folder", folder)
    with _shown(place.name, progress, report) as told:
        take_up(place, device=device, executor=executor, controller=controller, report=told, note=note)
    return open_ensemble(place.expanduser())


def take_up(
    folder: Path,
    *,
    device: str | None = None,
    executor: Executor | None = None,
    controller: Controller | None = None,
    report: Report | None = None,
    note: Note | None = None,
) -> dict[str, Any]:
    """The same as `resume`, but gives only the summary."""
    with resumed_store(folder) as store:
        device = device or store.plan.device
        check_files(store.plan)
        store.plan = with_controller(store.plan, controller, store.folder)
        if store.pending:
            check_same_terms(store.plan, device, store.folder)
        for sentence in store.notes:
            (note or _silent)(sentence)
        return _finish(store, executor or LocalExecutor(), device, report or _silent)


def _finish(store: Store, executor: Executor, device: str, report: Report) -> dict[str, Any]:
    """Runs what is missing, until all is done or enough is known."""
    plan, store.options = store.plan, executor.options
    tally = Tally(plan.scenario, parse_rule(plan.until) if plan.until else None, plan.shards)
    terms = plan.row_terms
    for shard, path in store.done.items():
        tally.add(shard, read_shards([path], terms))
    written = time.monotonic()
    pending = [] if tally.is_enough else store.pending
    try:
        with closing(executor.run(work_of(plan, device), pending, _within(store, tally, report))) as running:
            for shard, table in running:
                store.add(shard, table)
                tally.add(shard, table)
                report(_standing(store, tally, 0.0, shard))
                if tally.is_enough:
                    break
                if time.monotonic() - written > SUMMARY_EVERY:
                    store.write_summary(_so_far(plan, store, tally))
                    written = time.monotonic()
    except ClusterError as error:
        store.write_summary(_so_far(plan, store, tally))
        raise ClusterError(error.problem, _how_to_go_on(store)) from error
    except BaseException:
        store.write_summary(_so_far(plan, store, tally))
        raise
    return _close(store, tally)


def _how_to_go_on(store: Store) -> str:
    safe = f"{store.n_done} of {store.plan.n} runs are safe" if store.n_done else "no run was finished yet"
    return f"{safe}; go on with {go_on(store.folder, store.options)}"


def _close(store: Store, tally: Tally) -> dict[str, Any]:
    """Cuts off what a stop rule does not need, and sums up, column by column.

    A part of the summary that cannot be worked out costs neither the rows nor the other parts: `problems` names it.
    """
    if tally.is_enough:
        store.cut(tally.n_in_order)
    paths = list(store.done.values())
    parts = SummaryParts(_so_far(store.plan, store, tally))
    parts.add("outcomes and distributions", lambda: _distributions(paths, store.plan.scenario))
    parts.add("energy rises", lambda: _energy(paths))
    parts.add("limits", lambda: _limits(paths, store.plan.scenario))
    parts.add("the flights", lambda: _flights(paths, store.plan.scenario))
    parts.add("what the landing detector made of the runs", lambda: _detections(paths))
    summary = parts.summary()
    store.write_summary(summary)
    return summary


def _distributions(paths: list[Path], scenario: Scenario) -> dict[str, Any]:
    """How the runs ended, and every column of results."""
    counts = read_column(paths, OUTCOME).cast("string").value_counts()
    counts = {str(one["values"]): int(one["counts"]) for one in counts.to_pylist()}
    names = [name for name in column_names(paths[0]) if is_result(name)]
    columns = ((name, attrs_of(name, scenario)["units"], read_column(paths, name).to_numpy()) for name in names)
    return {**summarise_columns(counts, columns), "counts": counts}


def _energy(paths: list[Path]) -> dict[str, Any]:
    """Whether energy rose in a run; a campaign begun by an earlier version does not know."""
    if BOUND not in column_names(paths[0]):
        return {}
    runs, rise, bound = (read_column(paths, name).to_numpy() for name in (RUN, RISE, BOUND))
    return {"energy": energy_rises(runs, rise, bound)}


def _limits(paths: list[Path], scenario: Scenario) -> dict[str, Any]:
    """How many runs keep to the limits, where there are some."""
    names = [name for name in column_names(paths[0]) if name.startswith(PREFIX)]
    if not names:
        return {}
    return {"limits": summarise_limits(scenario, {name: read_column(paths, name).to_numpy() for name in names})}


def _flights(paths: list[Path], scenario: Scenario) -> dict[str, Any]:
    """Timeline, failures by phase, misses and ellipse, where the runs are flights to a site."""
    names = column_names(paths[0])
    if f"out.{MISS}" not in names:
        return {}
    needed = [name for name in names if name in OF_PLACES or name.startswith("out.")]
    columns: dict[str, Any] = {name: (RUN, read_column(paths, name).to_numpy()) for name in needed}
    columns[OUTCOME] = (RUN, names_of(read_column(paths, OUTCOME)))
    return {"flight": summarise_flights(xr.Dataset(columns), scenario)}


def _detections(paths: list[Path]) -> dict[str, Any]:
    """What a landing detector made of the runs, where there is one."""
    names = column_names(paths[0])
    if DELAY not in names:
        return {}
    columns = {name: read_column(paths, name).to_numpy() for name in NEEDED}
    if CASE in names:
        columns[CASE] = names_of(read_column(paths, CASE))
    return {"detection": summarise_rates(rates_of(columns))}


def _so_far(plan: Plan, store: Store, tally: Tally) -> dict[str, Any]:
    is_complete = not store.pending or tally.is_enough
    return {
        KEY: SCHEMA, "scenario": plan.scenario.name, "title": full_title(plan.scenario), "n_planned": plan.n,
        "n_runs": store.n_done, "is_complete": is_complete, "seed": plan.seed, "sampling": plan.sampling,
        "estimate": tally.to_dict(), "counts": dict(tally.counts),
    }  # fmt: skip


def _within(store: Store, tally: Tally, report: Report) -> Callable[[Shard, float], None]:
    under_way: dict[Shard, float] = {}

    def within(shard: Shard, part: float) -> None:
        under_way[shard] = part * shard.n
        runs = sum(done for other, done in under_way.items() if other not in store.done)
        report(_standing(store, tally, runs, None))

    return within


def _standing(store: Store, tally: Tally, under_way: float, finished: Shard | None) -> Standing:
    n = store.plan.n
    return Standing(
        store.n_done, n, min((store.n_done + under_way) / n, 1.0), dict(tally.counts), str(tally.quantity),
        tally.interval, tally.n_estimated, tally.rule, finished,
    )  # fmt: skip


def _silent(told: object) -> None:
    """Says nothing."""
