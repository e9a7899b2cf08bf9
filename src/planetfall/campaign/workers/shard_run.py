"""One shard of a campaign, from its place in the plan to its rows: what a worker does, here or on another machine."""

import copy
import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from planetfall.analysis.campaign.energy_rises import BOUND
from planetfall.analysis.campaign.limits import kept_columns, limit_columns, limits_by_record
from planetfall.analysis.run.limits import check_limits
from planetfall.campaign.inputs.draws import Columns, Draws
from planetfall.campaign.inputs.variants import Variants
from planetfall.campaign.plan import Plan, compare_files
from planetfall.campaign.workers.columns import (
    LANDING,
    flight_columns,
    flight_names,
    has_detector,
    landing_columns,
    sunlight_columns,
)
from planetfall.campaign.workers.recorded import judged_by_record
from planetfall.engine.build import Model, build
from planetfall.engine.launch.per_run_parameters import PerRunParameters, needs_per_run_parameters, per_run_parameters
from planetfall.engine.run import Progress, run_batch
from planetfall.engine.state.result import BatchResult
from planetfall.engine.structure.mechanism import results_of_mechanisms
from planetfall.errors import InputError
from planetfall.flight.controller import Controller
from planetfall.flight.own_controller import PackedController, controller_of
from planetfall.outcome import Outcome
from planetfall.record.files.shards import Shard
from planetfall.record.rows import CASE, INCIDENCE, IS_LIT, LOOSEST, OUTCOME, RUN, SEED, WHOLE, table_of
from planetfall.scenario.dispersions.keys import is_bare_plane
from planetfall.scenario.files.files_read import files_read, remembered
from planetfall.scenario.files.load import scenario_from_dict
from planetfall.scenario.files.plugins import plugin_faults, texts_of_plugins
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.integrator import Integrator

if TYPE_CHECKING:
    import pyarrow as pa

NUMBERS = (
    "first_touch_s", "rest_s", "n_contacts", "peak_force_N", "max_penetration_m", "energy_rise_J", "x_m", "y_m", "z_m",
    "qx", "qy", "qz", "qw", "speed_m_s", "distance_m", "out.end_s", "out.overturn_s", "out.steps",
    BOUND,
)  # fmt: skip
"""Columns of what came of the runs; sensors, landing detectors, a sun and mechanisms have more."""
BATCH_SHARE = 0.1
"""Of the time that a shard takes, where its runs are simulated once more with their records (assumed)."""
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
        files: SHA-256 of all files that the campaign reads, by path; None where that is not known yet.
        controller: Python object that flies, copied for every run; None: that of the scenario, if it has one.
        plugins: Texts of the plug-ins that the scenario names by file, by path: a worker elsewhere need not have them.
    """

    scenario: str
    n: int
    seed: int
    sampling: str
    device: str
    terms: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] | None = field(default=None, compare=False)
    controller: PackedController | None = None
    plugins: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True)
class Workshop:
    """A campaign made ready on a device.

    Attributes:
        draws: What its runs draw.
        model: That of the scenario itself.
        has_per_run_parameters: Whether runs have parameters of their own.
        files: SHA-256 of every file that was read to make it, by absolute path.
        controller: Python object that flies, as it was given.
    """

    draws: Draws
    model: Model
    has_per_run_parameters: bool
    files: dict[str, str] = field(default_factory=dict)
    controller: Controller | None = None

    @property
    def is_quiet(self) -> bool:
        """Whether runs are prepared without the device, so that it may be done while others are simulated."""
        scenario = self.model.scenario
        return is_bare_plane(scenario) and scenario.gravity.model == "uniform" and not scenario.companions


@dataclass(frozen=True)
class PreparedShard:
    """The runs of a shard before they are simulated.

    Attributes:
        shard: Which runs.
        variants: What they drew.
        states: Their initial states.
        run_params: Their parameters, where they are not all the nominal ones.
    """

    shard: Shard
    variants: Variants
    states: np.ndarray
    run_params: PerRunParameters | None

    @property
    def good(self) -> np.ndarray:
        """Places of the runs that can be simulated."""
        return np.array([i for i in range(self.shard.n) if i not in self.variants.problems], dtype=np.int64)

    @property
    def scenarios(self) -> Iterator[Scenario]:
        """Those of the runs that can be simulated."""
        every = enumerate(self.variants.scenarios(self.states))
        return (scenario for i, scenario in every if i not in self.variants.problems)


def work_of(plan: Plan, device: str) -> Work:
    """What the workers of a campaign are told."""
    files = None if plan.files is None or not plan.schema else tuple(plan.files.items())
    scenario = json.dumps(plan.scenario.to_dict())
    plugins = texts_of_plugins(plan.scenario.plugins or ())
    return Work(scenario, plan.n, plan.seed, plan.sampling, device, plan.terms, files, plan.controller, plugins)


def workshop(work: Work, is_here: bool = True) -> Workshop:
    """Builds the nominal model, once per process as long as its files are the same.

    Args:
        work: Of which campaign.
        is_here: Whether this is where the campaign was begun, and not a worker elsewhere.

    Raises:
        InputError: A file that it was made from is not the one that the campaign was begun with.
    """
    shop = _built(work)
    if work.files is not None:
        compare_files(dict(work.files), shop.files, is_here)
    return shop


@remembered(maxsize=2)
def _built(work: Work) -> Workshop:
    with files_read() as files:
        scenario = scenario_from_dict(json.loads(work.scenario), "the campaign")
        check_limits(scenario)
        draws = Draws(scenario, work.n, work.seed, work.sampling)
        draws.check()
        model = build(scenario, work.device, is_recorded=False, is_checked=False)
        controller = None if work.controller is None else work.controller.unpacked()
        _check_controller(model, controller)
    return Workshop(draws, model, needs_per_run_parameters(scenario, draws.keys), files.digests(), controller)


def _check_controller(model: Model, controller: Controller | None) -> None:
    """Refuses a controller that nothing asks for, and a campaign that nobody flies."""
    flight = model.assembly.flight
    is_python = flight.is_flown and flight.steer is None
    if controller is not None and not is_python:
        problem = "the scenario has a compiled one" if flight.is_flown else "the scenario has no [flight]"
        raise InputError("controller", problem, advice="set flight.controller = 'own' and flight.rate")
    if is_python and controller is None and controller_of(model.scenario) is None:
        raise InputError(
            "flight.controller", "'own' needs a controller",
            advice="give one: planetfall.montecarlo(scenario, n, controller=...), or name one of a plug-in",
        )  # fmt: skip


def controllers_of(shop: Workshop, prepared: "PreparedShard") -> Controller | list[Controller] | None:
    """Who flies the runs of a shard: copies of the one that was given, or for each run that of its own scenario."""
    if shop.controller is not None or controller_of(shop.model.scenario) is None:
        return copy.deepcopy(shop.controller)  # what flies remembers its flight
    made = (controller_of(scenario) for scenario in prepared.scenarios)
    return [controller for controller in made if controller is not None]


@plugin_faults()
def run_shard(work: Work, shard: Shard, threads: int | None = None, progress: Progress | None = None) -> "pa.Table":
    """Simulates the runs of a shard; a run whose inputs do not go together has a row that says so."""
    with ONE_AT_A_TIME:
        shop = workshop(work)
        return simulate(shop, prepare(shop, shard), threads, progress)


def prepare(shop: Workshop, shard: Shard) -> PreparedShard:
    """Draws the runs of a shard, checks what each drew, and fills its parameters."""
    variants = Variants.of(shop.draws, shard.first, shard.last)
    states = variants.states(shop.model.surface)
    drawn = PreparedShard(shard, variants, states, None)
    if not shop.has_per_run_parameters or not len(drawn.good):
        return drawn
    return replace(
        drawn, run_params=per_run_parameters(shop.model, shop.draws.keys, drawn.scenarios, states[drawn.good])
    )


def simulate(
    shop: Workshop, prepared: PreparedShard, threads: int | None = None, progress: Progress | None = None
) -> "pa.Table":
    """The rows of prepared runs."""
    shard, good, states, run_params = prepared.shard, prepared.good, prepared.states[prepared.good], prepared.run_params
    runs, outcomes = np.arange(shard.first, shard.last), np.full(shard.n, int(Outcome.bad_input))
    # NaN, or no contacts, where a run was not simulated
    columns = {name: np.full(shard.n, 0.0 if name in WHOLE else np.nan) for name in _names(shop.model)}
    told = progress or _silent
    has_records = bool(limits_by_record(shop.model.scenario))
    if len(good):
        end = run_batch(
            shop.model, states, run_params=run_params, run_indices=runs[good], threads=threads,
            progress=(lambda part: told(BATCH_SHARE * part)) if has_records else progress,
            controller=controllers_of(shop, prepared),
        )  # fmt: skip
        outcomes[good] = end.status
        is_shared = not any(_differs(key) for key in shop.draws.keys)
        for name, values in result_columns(shop.model, states, end, None if is_shared else prepared.scenarios).items():
            columns[name][good] = values
        if has_records:
            judged = judged_by_record(
                shop.draws, shop.model, shop.controller, runs[good], end,
                lambda part: told(BATCH_SHARE + (1.0 - BATCH_SHARE) * part),
            )  # fmt: skip
            for name, values in judged.items():
                columns[name][good] = values
    cases = shop.draws.cases(shard.first, shard.last)
    named = {} if cases is None else {CASE: cases}
    return table_of(runs, shop.draws.seed, outcomes, {**columns, **_inputs(prepared.variants.values), **named})


def _differs(key: str) -> bool:
    """Whether what is told of the end of a run needs its own scenario where a key is dispersed."""
    return key.startswith(("terrain.", "target.", "gravity.")) or ".propellant." in f".{key}"


def columns_of(shop: Workshop) -> list[str]:
    """Names of the columns of a campaign's table."""
    drawn = _inputs(shop.draws.values(0, 1))
    return [RUN, SEED, OUTCOME, *_names(shop.model), *drawn, *((CASE,) if shop.draws.scenario.cases else ())]


def result_columns(
    model: Model, initial_states: np.ndarray, end: BatchResult, scenarios: Iterable[Scenario] | None = None
) -> dict[str, np.ndarray]:
    """What came of some runs that were simulated, by column, but for limits that need records.

    `scenarios`: theirs, if what is told of them differs.
    """
    runs = None if scenarios is None else list(scenarios)
    found = {**_of_result(model, initial_states, end), **sunlight_columns(model, end, runs)}
    found |= landing_columns(model, end, runs)
    found |= flight_columns(model, end, runs)
    told = results_of_mechanisms(model.assembly.mechanisms, end.mechanisms)
    found |= {f"out.{name}": values for name, values in told.items()}
    found |= kept_columns(model.scenario, found, end.status)
    return {name: found[name] for name in _names(model) if name in found}


def _silent(part: float) -> None:
    del part


def _names(model: Model) -> Sequence[str]:
    has_sun = model.scenario.target.sun_direction is not None
    loosest = (LOOSEST,) if model.assembly.is_mode_locked else ()
    declared = ("out.detected_s",) if model.assembly.sensors else ()
    landed = LANDING if has_detector(model.scenario) else ()
    told = (f"out.{result.name}" for mechanism in model.assembly.mechanisms for result in mechanism.results)
    limits = limit_columns(model.scenario)
    flown = flight_names(model.scenario)
    return (*NUMBERS, *loosest, *declared, *landed, *flown, *told, *limits, *((INCIDENCE, IS_LIT) if has_sun else ()))


def _of_result(model: Model, states: np.ndarray, end: BatchResult) -> dict[str, np.ndarray]:
    n_judged = model.scenario.n_judged
    judged = slice(0, model.assembly.point_starts[n_judged])  # points of vehicles by which the run is judged
    has_points = judged.stop > 0
    nothing = np.full(len(end.time), np.nan)
    travel = end.state[:, :3] - states[:, :3]
    if model.scenario.target.frame == "L":
        travel = travel[:, :2]
    return {
        "first_touch_s": np.fmin.reduce(end.first_touch[:, judged], axis=1) if has_points else nothing,
        "rest_s": end.rest,
        "n_contacts": end.touches[:, judged].sum(axis=1),
        "peak_force_N": end.peak[:, judged].max(axis=1) if has_points else np.zeros(len(end.time)),
        "max_penetration_m": end.penetration[:, :n_judged].max(axis=1),
        "energy_rise_J": end.energy_rise,
        BOUND: end.energy_rise_bound,
        **dict(zip(("x_m", "y_m", "z_m"), end.state[:, :3].T, strict=True)),
        **dict(zip(("qx", "qy", "qz", "qw"), end.state[:, 6:10].T, strict=True)),
        "speed_m_s": _length(end.state[:, 3:6]),
        "distance_m": _length(travel),
        "out.end_s": end.time,
        "out.overturn_s": end.overturn,
        "out.steps": end.steps,
        "out.detected_s": end.detected,
        **_loosest(model.scenario.integrator, end),
    }


def _loosest(method: Integrator, end: BatchResult) -> dict[str, np.ndarray]:
    """The largest tolerance of runs by error control that crept; NaN of those that kept to the one asked for."""
    if method.method != "adaptive":
        return {}
    return {LOOSEST: np.where(end.looseness > 1.0, end.looseness * method.tolerance, np.nan)}


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
