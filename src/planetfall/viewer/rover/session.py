"""A drive that is changed while one looks at it: changes, undo and redo, another terrain or path.

The session is nothing but a `DriveScenario` with its `[[changes]]`, driven whole after every change. What a page sees,
and what is saved, is therefore what `planetfall.drive` gives for that scenario.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from planetfall.errors import InputError
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.files.changed_keys import full_title
from planetfall.scenario.tables.rover import Rover, Soil
from planetfall.viewer.rover.choices import Choices
from planetfall.viewer.rover.controls import Control, changed_values, check_control, controls_of

Driver = Callable[[DriveScenario], Trajectory[DriveScenario]]
"""Drives a scenario: `planetfall.drive`."""


@dataclass(frozen=True)
class _Step:
    """One state of the history.

    Attributes:
        scenario: The drive with its changes.
        controls: What may be changed in it; they keep their ranges from change to change.
        chosen: What was chosen last of each kind of choice, by name.
        gesture: That of the slider that led here, which may still go on.
    """

    scenario: DriveScenario
    controls: list[Control]
    chosen: dict[str, str]
    gesture: Any = None


class RoverSession:
    """A drive and its history of changes. Whatever is refused leaves it as it was."""

    def __init__(
        self, scenario: DriveScenario, driver: Driver, choices: Choices | None = None, name: str | None = None
    ) -> None:
        """Drives a scenario; `name` is what it is called among the choices, its own name by default."""
        self.driver, self.choices = driver, choices or Choices()
        self.trajectory = driver(scenario)
        chosen = self.choices.of_drive(scenario, scenario.name if name is None else name)
        self._steps, self._at = [_Step(scenario, controls_of(scenario), chosen)], 0

    @property
    def scenario(self) -> DriveScenario:
        """The drive as it stands, with its changes."""
        return self._steps[self._at].scenario

    @property
    def controls(self) -> list[Control]:
        """What may be changed while the rover drives."""
        return self._steps[self._at].controls

    @property
    def chosen(self) -> dict[str, str]:
        """What was chosen last, by kind; a kind of which nothing offered was chosen is left out."""
        return self._steps[self._at].chosen

    @property
    def n_undo(self) -> int:
        """How many steps can be taken back."""
        return self._at

    @property
    def n_redo(self) -> int:
        """How many steps that were taken back can be done again."""
        return len(self._steps) - 1 - self._at

    def set(self, key: str, value: float, time: float, gesture: Any = None) -> None:
        """Changes a number of rover or soil from where the rover is; changes further on are forgotten.

        Args:
            key: That of a control.
            value: Its new value.
            time: When in the drive [s]: the change holds from the frame on that is shown then.
            gesture: While a slider is held, all its values come with one gesture; together they are one step.

        Raises:
            InputError: The rules of the scenario do not allow it, or the rover has arrived.
        """
        check_control(self.controls, key)
        distance, end = self.distance_at(time), self.trajectory.summary["path_m"]
        if distance >= end:
            problem = f"the rover has arrived, after {distance:.6g} m"
            raise InputError(key, problem, "a change on the way, or at the start", "go back and change it there")
        goes_on = gesture is not None and self._at > 0 and self._steps[self._at].gesture == (gesture, key)
        base = self._steps[self._at - 1 if goes_on else self._at].scenario
        rover, _ = stretch_at(base, distance)
        changed = changed_scenario(base, distance, changed_values(rover, key, value))
        step = _Step(changed, self.controls, self.chosen, None if gesture is None else (gesture, key))
        self._move_to(step, self._at - goes_on)

    def choose(self, kind: str, name: str, time: float) -> None:
        """Another drive, rover, terrain, path or choice of torques; the rover starts anew as it is at a time [s].

        Raises:
            InputError: There is no such choice, or the rover cannot stand there.
        """
        rover, soil = stretch_at(self.scenario, self.distance_at(time))
        chosen = self.choices.chosen(self.scenario, rover, soil, kind, name)
        names = self.choices.of_drive(chosen, name)
        if kind != "drive":
            names = {**self.chosen, kind: name}
            chosen = chosen.with_values({"scenario.title": titled(full_title(chosen), kind, name)})
        self._move_to(_Step(chosen, controls_of(chosen), names), self._at)

    def undo(self) -> None:
        """Takes the last step back."""
        if not self.n_undo:
            raise InputError("undo", "nothing was changed yet")
        self._go(self._at - 1)

    def redo(self) -> None:
        """Does the step again that was taken back last."""
        if not self.n_redo:
            raise InputError("redo", "nothing was taken back")
        self._go(self._at + 1)

    def distance_at(self, time: float) -> float:
        """Distance [m] of the frame that is shown at a time [s]."""
        times = self.trajectory.data.time.values
        i = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 1))
        return float(self.trajectory.data.distance.values[i])

    def _move_to(self, step: _Step, after: int) -> None:
        """Drives a new state, and only if that can be done makes it the one after state `after`."""
        self.trajectory = self.driver(step.scenario)
        self._steps = [*self._steps[: after + 1], step]
        self._at = after + 1

    def _go(self, at: int) -> None:
        self.trajectory = self.driver(self._steps[at].scenario)
        self._at = at


def titled(title: str, kind: str, name: str) -> str:
    """The title of a drive of which a part was replaced: it says so, once for each kind."""
    first, *others = title.split("; ")
    kept = [other for other in others if not other.startswith(f"{kind}: ")]
    return "; ".join([first, *kept, f"{kind}: {name}"])


def changed_scenario(scenario: DriveScenario, distance: float, values: dict[str, Any]) -> DriveScenario:
    """A drive with some keys changed from a distance [m] on, and without the changes that were further on.

    At the start they are changed in the drive itself.
    """
    rest = scenario.to_dict()["changes"]
    kept = [change for change in rest if change["start"] < distance]
    if distance <= 0.0:
        return scenario.with_values({**values, "changes": []})
    here = next((change["values"] for change in rest if change["start"] == distance), {})
    return scenario.with_values({"changes": [*kept, {"start": distance, "values": {**here, **values}}]})


def stretch_at(scenario: DriveScenario, distance: float) -> tuple[Rover, Soil]:
    """Rover and soil at a distance [m]."""
    rover, soil = [(rover, soil) for start, rover, soil in scenario.stretches() if start <= distance][-1]
    return rover, soil
