"""The one-line ways to run a scenario, and to drive a rover."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planetfall.analysis.accuracy.finer import Finer, failed_check, finer_changes, finer_drive, finer_run
from planetfall.analysis.accuracy.numerical_error import check_of
from planetfall.analysis.run.departure import departure
from planetfall.analysis.run.illumination import illumination_along, illumination_at_end
from planetfall.analysis.run.left_air import left_air
from planetfall.analysis.run.limits import check_limits, limits_of_run
from planetfall.analysis.run.residual_motion import residual_motion
from planetfall.analysis.run.summary import outcome_of_run, summarise
from planetfall.analysis.run.world_facts import world_facts
from planetfall.display.progress import shown_progress
from planetfall.engine.build import Model, build
from planetfall.engine.launch.run_in_progress import Repeated, Watcher
from planetfall.engine.run import Progress, run_recorded
from planetfall.engine.state.result import RecordedRun
from planetfall.errors import InputError
from planetfall.flight.controller import Controller
from planetfall.outcome import Outcome
from planetfall.record.files.plain_json import plain_json
from planetfall.record.files.schema import KEY, SCHEMA
from planetfall.record.trajectory import Trajectory, dataset_of
from planetfall.scenario.files.load import loaded
from planetfall.scenario.files.plugins import plugin_faults
from planetfall.scenario.scenario import Scenario

if TYPE_CHECKING:  # landings do without the rovers' modules
    from planetfall.scenario.drive import DriveScenario


@plugin_faults()
def run(
    scenario: Scenario | str | Path,
    device: str = "cpu",
    *,
    progress: Progress | bool | None = None,
    note: Callable[[str], None] | None = None,
    controller: Controller | None = None,
    watcher: Watcher | None = None,
    check: bool = False,
) -> Trajectory:
    """Simulates a scenario and keeps its history.

    Args:
        scenario: From `planetfall.load` or `Scenario.with_values`; or the name of a built-in one, or a TOML file.
        device: `cpu`, or a CUDA device such as `cuda:0`.
        progress: True shows a bar, False shows none; None shows one at a terminal or in a notebook after two
            seconds. A function is called with the finished fraction, 0 to 1, again and again.
        controller: Python object that flies a scenario with `flight.controller = "own"` (see `flight.controller`).
        note: Called before the run with each thing that a user should know of files, starts or costs: a sentence.
        watcher: Looks at the run between launches, and may change parameters (see `engine.launch.run_in_progress`).
        check: Repeats the run at half the step, or a tenth of the tolerance; `summary["check"]` has each number of the
            summary with its difference. Three times as many steps in all.

    Returns:
        The run, with histories (`data`), events and summary.

    Raises:
        CheckInterrupt: Ctrl-C during the check; it holds the run.
        InputError: Something in the scenario or the device name has to be changed; the message says what.

    Examples:
        >>> scenario = planetfall.load("msl-drop").with_values({"scenario.duration": 1.2})  # [s]
        >>> trajectory = planetfall.run(scenario)
        >>> trajectory.summary["outcome"]
        'timed_out'
        >>> trajectory.data.contact_normal_force.units
        'N'
    """
    scenario = loaded(scenario)
    check_limits(scenario)
    with shown_progress(scenario.name, progress) as told:
        return _run(scenario, device, told, note, controller, watcher, check)


def _run(
    scenario: Scenario,
    device: str,
    progress: Progress | None,
    note: Callable[[str], None] | None,
    controller: Controller | None,
    watcher: Watcher | None,
    check: bool,
) -> Trajectory:
    model = build(scenario, device)
    finer = _repetition(model, watcher) if check else None
    if note is not None:
        for sentence in model.notes:
            note(sentence)
    again = _copied(controller) if check else None
    shares = (progress, None) if finer is None else _shares(progress)
    trajectory = trajectory_of(model, run_recorded(model, progress=shares[0], controller=controller, watcher=watcher))
    return trajectory if finer is None else _checked(trajectory, finer, again, shares[1])


@dataclass(frozen=True)
class _Repetition:
    """A run made ready to be repeated finer."""

    how: Finer
    model: Model
    watcher: Watcher | None


def _repetition(model: Model, watcher: Watcher | None) -> _Repetition:
    """Before anything is run: what cannot be repeated is refused while nothing is lost."""
    how = finer_run(model.scenario)
    if watcher is not None and not isinstance(watcher, Repeated):
        raise InputError("check", "a run that somebody watches cannot be repeated", advice="repeat its changes instead")
    again = None if watcher is None else Repeated(finer_changes(model.scenario, watcher.changes))
    finer = model.scenario.with_values(how.values, f"the check, at {how.where}")
    return _Repetition(how, build(finer, model.device, surface=model.surface), again)


def _copied(controller: Controller | None) -> Controller | None:
    """As it is before its flight, which it may remember."""
    try:
        return copy.deepcopy(controller)
    except Exception as error:
        raise InputError(
            "check", f"the controller {type(controller).__name__} cannot be copied for a second flight ({error})",
            advice="leave out the check, or give the controller a method __deepcopy__",
        ) from None  # fmt: skip


def _checked(
    trajectory: Trajectory, finer: _Repetition, controller: Controller | None, progress: Progress | None
) -> Trajectory:
    """A run with what a finer one says of its numbers. Whatever happens to the finer one, the run is kept."""
    check: dict[str, Any]
    try:
        recorded = run_recorded(finer.model, progress=progress, controller=controller, watcher=finer.watcher)
        check = check_of(trajectory, trajectory_of(finer.model, recorded), finer.how)
    except KeyboardInterrupt:
        raise CheckInterrupt(_with_check(trajectory, failed_check(finer.how, "it was interrupted"))) from None
    except Exception as error:
        check = failed_check(finer.how, f"{type(error).__name__}: {error}")
    return _with_check(trajectory, check)


def _with_check(trajectory: Trajectory[Any], check: dict[str, Any]) -> Trajectory[Any]:
    return replace(trajectory, summary={**trajectory.summary, "check": check})


class CheckInterrupt(KeyboardInterrupt):
    """Ctrl-C while a run is repeated for its check: the run itself is whole, and goes along.

    Attributes:
        trajectory: The run; its summary's `check` says that there is none.
    """

    def __init__(self, trajectory: Trajectory[Any]) -> None:
        """Of a run that may be kept."""
        super().__init__()
        self.trajectory = trajectory


def _shares(progress: Progress | None) -> tuple[Progress | None, Progress | None]:
    """Progress of a run and of its repetition, which has twice the steps."""
    if progress is None:
        return None, None
    return lambda done: progress(done / 3.0), lambda done: progress((1.0 + 2.0 * done) / 3.0)


def trajectory_of(model: Model, recorded: RecordedRun) -> Trajectory:
    """A recorded run as labelled arrays, with its summary, and with sunlight where the scenario has a sun.

    A part of the summary that cannot be worked out does not cost the run: it is left out, and the summary's `problems`
    say what is missing and why.
    """
    scenario, data = model.scenario, dataset_of(model.scenario, recorded)
    made = SummaryParts(outcome_of_run(scenario, recorded))
    made.add("the numbers of the run", lambda: summarise(scenario, recorded, data, model.device))
    if scenario.limits:
        told = made.summary()
        made.add("limits", lambda: {"limits": limits_of_run(scenario, recorded, data, told)})
    outcome = Outcome(int(recorded.end.status[0]))
    made.add("why the vehicle is not at rest", lambda: residual_motion(scenario, data, recorded.events, outcome))
    made.add("whether the vehicle leaves for good", lambda: departure(model, data, outcome))
    made.add("how the vehicle left the air", lambda: left_air(scenario, data, recorded.events, outcome))
    if scenario.plugins and outcome in (Outcome.diverged, Outcome.step_refused):
        made.remark(
            f"the run ended as {outcome.name}, with parts of your own ({', '.join(scenario.plugins)}); check that "
            "they give finite and smooth numbers in its last recorded state"
        )
    made.add("what is known of ground and gravity", lambda: world_facts(model))
    made.add("the depths at the start", lambda: {"started_in_ground": _depths(model)} if model.depths else {})
    lit: dict[str, Any] = {}
    if scenario.target.sun_direction is not None:

        def sunlight() -> dict[str, Any]:
            found = illumination_along(scenario, model.surface, data)
            at_end = illumination_at_end(found)
            lit.update(found)
            return at_end

        made.add("sunlight", sunlight)
    return Trajectory(scenario, data.assign(lit), recorded.events, made.summary())


class SummaryParts:
    """A summary that is put together part by part, so that a fault in one part leaves the others whole."""

    def __init__(self, first: dict[str, Any]) -> None:
        """Starts with what is always known."""
        self._values, self._problems = {KEY: SCHEMA, **plain_json(first)}, list[str]()

    def add(self, what: str, make: Callable[[], Mapping[str, Any]]) -> None:
        """Adds a part, or the reason why it is missing."""
        try:
            self._values |= plain_json(make())
        except Exception as error:  # whatever it is, the histories must reach the disk
            self._problems.append(f"{what} could not be worked out ({type(error).__name__}: {error})")

    def remark(self, sentence: str) -> None:
        """Adds a sentence to the problems."""
        self._problems.append(sentence)

    def summary(self) -> dict[str, Any]:
        """All parts, and `problems` where there are any."""
        return self._values | ({"problems": self._problems} if self._problems else {})


def _depths(model: Model) -> list[dict[str, Any]]:
    return [{"points": found.points, "depth_m": found.depth, "speed_m_s": found.speed} for found in model.depths]


def drive(
    scenario: "DriveScenario | str | Path",
    device: str = "cpu",
    *,
    progress: bool | None = None,
    note: Callable[[str], None] | None = None,
    check: bool = False,
) -> "Trajectory[DriveScenario]":
    """Drives a rover along its path and keeps the history.

    Args:
        scenario: From `planetfall.load_drive` or `DriveScenario.with_values`; or the name of a built-in drive, or a
            TOML file.
        device: `cpu`, or a CUDA device such as `cuda:0`.
        progress: True shows a bar, False shows none; None shows one at a terminal or in a notebook after two
            seconds.
        note: Called with each thing that readers have to say of the files of terrain and rover: a sentence.
        check: Repeats the drive with poses half as far apart; `summary["check"]` has each number of the summary with
            its difference.

    Returns:
        The drive, with histories along the path (`data`), events and summary.

    Raises:
        InputError: Something in the scenario or the device name has to be changed; the message says what.

    Examples:
        >>> drive = planetfall.drive(planetfall.load_drive("lsr1-step").with_values({"path.step": 0.05}))  # [m]
        >>> drive.summary["outcome"]
        'arrived'
    """
    from planetfall.scenario.drive import loaded_drive

    scenario = loaded_drive(scenario)
    with shown_progress(scenario.name, progress):
        return _drive(scenario, device, note, check)


def _drive(
    scenario: "DriveScenario", device: str, note: Callable[[str], None] | None, check: bool
) -> "Trajectory[DriveScenario]":
    trajectory = _driven(scenario, device, note)
    if not check:
        return trajectory
    how = finer_drive(scenario)
    try:
        finer = scenario.with_values(how.values, f"the check, at {how.where}")
        found = check_of(trajectory, _driven(finer, device, None), how)
    except KeyboardInterrupt:
        raise CheckInterrupt(_with_check(trajectory, failed_check(how, "it was interrupted"))) from None
    except Exception as error:
        found = failed_check(how, f"{type(error).__name__}: {error}")
    return _with_check(trajectory, found)


def _driven(scenario: "DriveScenario", device: str, note: Callable[[str], None] | None) -> "Trajectory[DriveScenario]":
    from planetfall.analysis.run.drive_summary import outcome_of_drive, summarise_drive
    from planetfall.record.drive import dataset_of_drive, events_of_drive
    from planetfall.rover.drive.drive import drive as drive_path
    from planetfall.rover.drive.prepare import prepare

    ready = prepare(scenario, device)
    if note is not None:
        for sentence in ready.notes:
            note(sentence)
    made = drive_path(ready.surface, ready.path, ready.stretches, ready.gravity, scenario.drive.goal)
    if not made.of_poses("is_found")[0]:
        raise InputError(
            "path.waypoints", f"the rover cannot stand at the first one: {made.parts[0].poses.says(0)}",
            "six wheels on the ground", "start elsewhere, or enlarge the terrain",
        )  # fmt: skip
    data = dataset_of_drive(scenario, made)
    parts = SummaryParts(outcome_of_drive(scenario, made))
    parts.add("the numbers of the drive", lambda: summarise_drive(scenario, made, data, device))
    return Trajectory(scenario, data, events_of_drive(scenario, made), parts.summary())
