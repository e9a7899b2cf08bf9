"""`planetfall montecarlo`."""

import math
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from planetfall.cli.terminal.console import one_line_each, print_note
from planetfall.cli.terminal.inputs import scenario_with_sets
from planetfall.cli.terminal.interrupts import interruptible
from planetfall.display.progress import PATIENCE, in_place_of
from planetfall.errors import InputError, PlanetfallError
from planetfall.record.files.plain_json import json_text
from planetfall.world.preparations import duration_words, listening

if TYPE_CHECKING:
    from planetfall.campaign.campaign import Standing
    from planetfall.campaign.workers.executor import Executor

SHOWN = (
    "first_touch_s", "rest_s", "n_contacts", "peak_force_N", "max_penetration_m", "speed_m_s", "distance_m",
    "out.touchdown_s", "out.touchdown_vertical_m_s", "out.touchdown_horizontal_m_s", "out.miss_m",
    "out.propellant_left_kg", "out.parachute.deploy_mach", "out.parachute.deploy_dynamic_pressure_Pa",
    "out.parachute.deploy_altitude_m", "out.peak_g", "out.peak_entry_g", "out.peak_dynamic_pressure_Pa",
    "out.peak_heating_W_m2", "out.heat_load_J_m2",
)  # fmt: skip
MANY = 10_000
"""Runs for which the end of a smaller campaign says how long they would take."""
LEAST_SPAN = 0.02
"""Seconds of work from which a rate is told."""
LEAST_ON_CLUSTER = 1.0
"""The same on a cluster, where several shards may have been finished while the first ones were written (assumed)."""
DISTANCE = "distance_m"
OF_CONTACT = ("n_contacts", "peak_force_N", "max_penetration_m")
"""Of these nothing is told where no run ever touched the ground."""


def run_campaign(
    name: str | None,
    resume: Path | None,
    sets: list[str],
    out: Path | None,
    options: dict[str, Any],
    executor: dict[str, Any],
    as_json: bool,
) -> None:
    """Runs a campaign, or goes on with one, and prints what came of it."""
    if (name is None) == (resume is None):
        raise InputError("NAME_OR_FILE", "give either a scenario or --resume DIR")
    if resume is not None:
        _check_resumed(sets, out, options)
    folder = resume or out or _free_folder(name or "")
    pace = Pace(LEAST_SPAN if executor["kind"] == "local" else LEAST_ON_CLUSTER)
    with _stopped(folder, executor):
        with _progress(pace) as report, _executor(**executor) as workers:
            summary = _run(name, resume, sets, folder, options, workers, report)
        _show(summary, folder, as_json)
        if sentence := pace.sentence(summary["n_planned"]):
            print_note(sentence)


def _show(summary: dict[str, Any], folder: Path, as_json: bool) -> None:
    """Prints the campaign; what could not be summed up is told last, with the command that does it again."""
    problems = summary.get("problems", ())
    if as_json:
        print(json_text({**summary, "folder": folder}))
    elif not problems:
        print_campaign(summary, folder)
    if problems:
        from planetfall.record.files.shards import go_on

        raise PlanetfallError(
            f"{folder}: all {summary['n_runs']} rows are written, but {'; '.join(problems)}; summarise them again with "
            f"{go_on(folder)}, once that is fixed"
        )


def _run(
    name: str | None, resume: Path | None, sets: list[str], folder: Path, options: dict[str, Any],
    executor: "Executor", report: "Callable[[Standing], None]",
) -> dict[str, Any]:  # fmt: skip
    from planetfall.campaign import campaign

    if resume is not None:
        return campaign.take_up(folder, device=options["device"], executor=executor, report=report, note=print_note)
    scenario = scenario_with_sets(name or "", sets)
    options = {**options, "device": options["device"] or "cpu", "seed": options["seed"] or 0}
    return campaign.carry_out(scenario, folder, **options, executor=executor, report=report, note=print_note)


def _check_resumed(sets: list[str], out: Path | None, options: dict[str, Any]) -> None:
    own = {key: value for key, value in options.items() if key != "device" and (key, value) != ("sampling", "random")}
    given = [{"n": "-n"}.get(key, f"--{key.replace('_', '-')}") for key, value in own.items() if value]
    given += ["--set"] * bool(sets) + ["--out"] * (out is not None)
    if given:
        raise InputError(
            given[0], "cannot be used with --resume: the campaign continues as it was begun", advice="leave it out"
        )


@contextmanager
def _executor(kind: str, scheduler: str | None, workers: int | None, threads: int | None) -> "Iterator[Executor]":
    from planetfall.campaign.workers.executor import LocalExecutor

    if kind == "local":
        if scheduler or workers:
            raise InputError("--scheduler" if scheduler else "--workers", "needs --executor dask")
        yield LocalExecutor(threads)
        return
    if kind != "dask":
        raise InputError("--executor", f"unknown {kind!r}", "local or dask")
    from planetfall.campaign.workers.dask import dask_executor

    with dask_executor(scheduler, workers, threads) as executor:
        yield executor


@contextmanager
def _stopped(folder: Path, executor: dict[str, Any]) -> Iterator[None]:
    """Ctrl-C, or being asked to end by a batch system, stops between two launches and says how to go on."""
    try:
        with interruptible(signal.SIGINT, signal.SIGTERM):
            yield
    except KeyboardInterrupt:
        from planetfall.campaign.workers.executor import options_of
        from planetfall.record.ensemble import is_ensemble
        from planetfall.record.files.shards import found_shards, go_on

        if not is_ensemble(folder):
            print("planetfall: interrupted; nothing was written", file=sys.stderr)
        else:
            n = sum(shard.n for shard in found_shards(folder))
            again = go_on(folder, options_of(**executor))
            print(f"planetfall: interrupted; {n} finished runs are safe; go on with: {again}", file=sys.stderr)
        raise typer.Exit(130) from None


class Pace:
    """How fast the runs of a campaign are, without what was read, drawn and compiled before them.

    Counted from the first word of the work along the way: that the kernels are loaded, or on a cluster that as many
    shards are done as it has worker threads. Counted from the first shard, what was done of the others would be free.
    """

    def __init__(self, least_span: float = LEAST_SPAN) -> None:
        self._start, self._least_span = time.monotonic(), least_span
        self._first: tuple[float, float] | None = None
        self._last = 0.0, 0.0

    def note(self, standing: "Standing") -> None:
        """Takes in how the campaign stands."""
        self._last = time.monotonic(), standing.fraction * standing.n
        if standing.finished is None:
            self._first = self._first or self._last

    @property
    def rate(self) -> float:
        """Runs per second; NaN as long as too little is known."""
        (begun, before), (now, done) = self._first or self._last, self._last
        return (done - before) / (now - begun) if done > before and now - begun > self._least_span else math.nan

    def words(self, standing: "Standing") -> str:
        """For a line: the rate and the time that is left, where they are known."""
        rate, n_left = self.rate, (1.0 - standing.fraction) * standing.n
        if math.isnan(rate):
            return ""
        most = " at most" if standing.rule else ""
        return f"{rate:.3g} runs/s" + (f", about {duration_words(n_left / rate)} left{most}" if n_left > 0.0 else "")

    def sentence(self, n: int) -> str:
        """At the end of a campaign of n runs at most: how long a large one would take here."""
        if self._first is None or math.isnan(self.rate):
            return ""
        (begun, before), (now, done) = self._first, self._last
        took = f"{done - before:.0f} runs took {now - begun:.3g} s ({self.rate:.3g} runs/s)"
        after = f", after {duration_words(begun - self._start)} of preparation"
        large = f"; {MANY:,} runs would take about {duration_words(MANY / self.rate)} here, preparation apart"
        return took + after + (large if n < MANY else "")


@contextmanager
def _progress(pace: Pace) -> "Iterator[Callable[[Standing], None]]":
    """A bar on a terminal, else a line per shard."""
    if sys.stderr is not None and sys.stderr.isatty():
        with _bar(pace) as report:
            yield report
    else:
        with listening(one_line_each()):
            yield _lines(pace)


def _lines(pace: Pace) -> "Callable[[Standing], None]":
    def report(standing: "Standing") -> None:
        pace.note(standing)
        if standing.finished is None or sys.stderr is None:
            return
        first, last = standing.finished.first, standing.finished.last - 1
        told = pace.words(standing)
        head = f"runs {first} to {last} done: {standing.n_done} of {standing.n}{told and ', '}{told}"
        print(f"{head}; {_counts(standing)}; {_estimate(standing)}", file=sys.stderr)

    return report


@contextmanager
def _bar(pace: Pace) -> "Iterator[Callable[[Standing], None]]":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    doing, rate, known = (TextColumn(f"{{task.{name}}}") for name in ("description", "fields[rate]", "fields[known]"))
    columns = (doing, BarColumn(bar_width=24), TaskProgressColumn(), rate, TimeRemainingColumn(), known)
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=1.0, rate="", known="")
    prepared = in_place_of(bar, task, rate="", known="")
    start = time.monotonic()

    def show() -> None:
        if time.monotonic() - start > PATIENCE and not bar.live.is_started:
            bar.start()

    def hear(what: str, share: float) -> None:
        show()
        prepared(what, share)

    def report(standing: "Standing") -> None:
        pace.note(standing)
        show()
        rate = "" if math.isnan(pace.rate) else f"{pace.rate:.3g} runs/s"
        known = f"{_counts(standing)}  {_estimate(standing)}" if standing.n_done else ""
        bar.update(task, completed=standing.fraction, rate=rate, known=known)

    try:
        with listening(hear):
            yield report
    finally:
        bar.stop()


def _counts(standing: "Standing") -> str:
    ranked = sorted(standing.counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count}" for name, count in ranked)


def _estimate(standing: "Standing") -> str:
    interval = standing.interval
    n = standing.n_estimated
    with_value = "" if interval.n == n else f", {interval.n} of which have a value"
    wanted = f" of the first {n} runs{with_value} (wanted {standing.rule.text})" if standing.rule else ""
    return f"{standing.quantity} = {interval.value:.4g} [{interval.low:.4g}, {interval.high:.4g}]{wanted}"


def print_campaign(summary: dict[str, Any], folder: Path) -> None:
    """The campaign for people: outcomes with their intervals, then the distributions of what came of the runs."""
    print(summary["title"] or summary["scenario"])
    print(f"{summary['n_runs']} runs, seed {summary['seed']}, sampling {summary['sampling']}")
    rule = summary["estimate"]
    if rule["rule"]:
        from planetfall.analysis.campaign.ensemble_summary import estimate_words

        state = "met" if rule["is_met"] else "not met: all runs are done"
        print(f"Stop rule {rule['rule']}: {state}, {estimate_words(rule)}")
    print(f"\n{'outcome':<18}{'runs':>9}{'share':>10}   95 % interval")
    for name, share in summary["outcomes"].items():
        print(f"{name:<18}{share['count']:>9}{share['value']:>10.2%}   {share['low']:.2%} to {share['high']:.2%}")
    _print_limits(summary.get("limits", {}))
    print(f"\n{'':<37}{'runs':>9}{'mean':>12}{'sigma':>12}{'5 %':>12}{'median':>12}{'95 %':>12}{'largest':>12}")
    columns = summary["columns"]
    is_in_contact = columns.get("n_contacts", {}).get("largest", 0.0) > 0.0
    lines = [_line(name, columns[name]) for name in SHOWN
             if name in columns and (is_in_contact or name not in OF_CONTACT)]  # fmt: skip
    print("\n".join(lines))
    if any("-" in line.split() for line in lines):
        from planetfall.analysis.campaign.ensemble_summary import runs_sentence

        print(runs_sentence((0.05, 0.5, 0.95)))
    if DISTANCE in columns:
        print(f"{DISTANCE}: from release to the end, horizontal on a site and straight on a whole body; not the path")
    _print_flights(summary.get("flight", {}))
    _print_detections(summary.get("detection", {}))
    if "energy" in summary:
        from planetfall.analysis.campaign.energy_rises import sentence_of

        print(f"\n{sentence_of(summary['energy'])}")
    print_run_notes(columns.get("out.loosest_tolerance"), summary["n_started_in_ground"])
    print(f"\nTable    {folder / 'runs'} (Parquet; planetfall.open, pandas, polars and DuckDB read it)")
    again = f"planetfall replay {shlex.quote(str(folder))} RUN"
    print(f"Again    {again}    with full history, any RUN from 0 to {summary['n_runs'] - 1}")
    print_look(summary["outcomes"], folder)


def print_run_notes(loosened: dict[str, Any] | None, n_in_ground: int) -> None:
    """What the integrator and the start did to some of the runs."""
    if loosened is not None:
        print(
            f"\nNote: {_counted(loosened['n'])} crept along a jump of the ground's force, in parts with a tolerance of "
            f"up to {loosened['largest']:.2g} (out.loosest_tolerance)."
        )
    if n_in_ground:
        print(f"\nNote: {_counted(n_in_ground)} began with a point already in the ground.")


def _counted(n: int) -> str:
    return "1 run" if n == 1 else f"{n} runs"


TIMED_OUT = "timed_out"
UNDECIDED = (TIMED_OUT, "sliding", "step_refused", "diverged")
"""Outcomes that say more of the scenario than of the vehicle; the sentence of one such run says what to change."""


def print_look(outcomes: dict[str, Any], folder: Path) -> None:
    """Where runs did not come to an end of their own: one of each kind, which tells why when it is run again."""
    found = [name for name in UNDECIDED if outcomes.get(name, {}).get("count")]
    paths = sorted((folder / "runs").glob("*.parquet"))
    if not found or not paths:
        return
    from planetfall.record.files.shards import read_column
    from planetfall.record.rows import OUTCOME, RUN

    ended, runs = read_column(paths, OUTCOME).cast("string"), read_column(paths, RUN)
    for name in found:
        again = f"planetfall replay {shlex.quote(str(folder))}"
        if name == TIMED_OUT:
            print(f"Look     {again} --timed-out    tells what kept those runs from rest, and what would count as rest")
            continue
        run = runs[ended.index(name).as_py()]
        print(f"Look     {again} {run}    tells why it ended as {name}, and what to change")


def _print_limits(limits: dict[str, Any]) -> None:
    """How many runs do not keep to each limit."""
    if not limits:
        return
    from planetfall.record.labels import limit_text

    print(f"\n{'limit':<24}{'judged':>9}{'broken':>9}{'share':>10}   95 % interval        allowed")
    for name, limit in limits.items():
        share = f"{limit['value']:.2%}" if limit["value"] is not None else "-"
        interval = f"{limit['low']:.2%} to {limit['high']:.2%}"
        print(f"{name:<24}{limit['n']:>9}{limit['broken']:>9}{share:>10}   {interval:<20} {limit_text(limit)}")


def _print_flights(flight: dict[str, Any]) -> None:
    """Ellipse, what was published, and what went wrong in which phase."""
    if "ellipse" in flight:
        own = flight["ellipse"]
        from planetfall.analysis.campaign.flight_statistics import ellipse_text

        size, known = ellipse_text(own)
        turned = f"its longer axis {own['azimuth_deg']:.0f} deg from north"
        print(f"\nEllipse of {own['of_a_normal']:.0%}   {size}, {turned}, {known}")
    if "published_ellipse" in flight:
        other = flight["published_ellipse"]
        print(f"Published       {other['length_m'] / 1e3:.3g} x {other['width_m'] / 1e3:.3g} km about the site holds "
              f"{other['holds']['value']:.2%} of the runs")  # fmt: skip
    if "flown_miss" in flight:
        flown = flight["flown_miss"]
        nearer = flown["share_of_runs_nearer"]["value"]
        print(f"Flown           {flown['miss_m'] / 1e3:.4g} km from the site; {nearer:.2%} of the runs came nearer")
    if flight.get("failures"):
        print(f"\n{'failures in the phase':<26}{'cause':<30}{'runs':>7}{'share':>9}   the first are runs")
        for item in flight["failures"]:
            runs = ", ".join(map(str, item["runs"]))
            print(f"{item['phase'] or '-':<26}{item['cause']:<30}{item['count']:>7}{item['value']:>9.2%}   {runs}")


def _print_detections(cases: dict[str, Any]) -> None:
    """What a landing detector made of the runs, by case."""
    if not cases:
        return
    heads = ("in flight", "missed", "tipped", "median [s]", "longest [s]")
    print(f"\n{'landing detector':<18}{'runs':>9}" + "".join(f"{head:>12}" for head in heads))
    for name, item in cases.items():
        counts = "".join(f"{item[kind]['count']:>12}" for kind in ("false", "missed", "tipped"))
        times = ("-" if t is None else f"{t:.3f}" for t in (item["delay_s"]["0.5"], item["latest_s"]))
        print(f"{name:<18}{item['n']:>9}{counts}" + "".join(f"{shown:>12}" for shown in times))


def _line(name: str, column: dict[str, Any]) -> str:
    """A column's numbers; a quantile only where the runs are enough for one."""
    from planetfall.analysis.campaign.ensemble_summary import is_supported

    spread, quantiles = column["standard_deviation"], column["quantiles"]
    known = [quantiles[p]["value"] if is_supported(quantiles[p]) else None for p in ("0.05", "0.5", "0.95")]
    numbers = [column["mean"]["value"], spread, *known, column["largest"]]
    cells = "".join(f"{'-' if x is None else format(x, '.5g'):>12}" for x in numbers)
    return f"{name.removeprefix('out.'):<37}{column['n']:>9}{cells}"


def _free_folder(name: str) -> Path:
    """runs/NAME-mc, or the first of NAME-mc-2, NAME-mc-3, ... that does not exist."""
    stem = Path(name).stem or "campaign"
    folder, number = Path("runs") / f"{stem}-mc", 2
    while folder.exists():
        folder, number = Path("runs") / f"{stem}-mc-{number}", number + 1
    return folder
