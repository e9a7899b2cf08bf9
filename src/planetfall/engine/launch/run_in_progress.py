"""A live run between two launches: what a watcher sees, and may change."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Protocol

import numpy as np

from planetfall.engine.build import Model
from planetfall.engine.kernel import shared_params
from planetfall.engine.launch.batch_on_device import BatchOnDevice, end_of, frames_since
from planetfall.engine.launch.live_changes import Law, changed_model, observe_by, stored_change
from planetfall.engine.launch.sensor_log import samples_of
from planetfall.engine.solver.energy_rise import add_to_lowest
from planetfall.engine.state.result import BatchResult, Frames, ParameterChange, RecordedRun, RunEvent
from planetfall.engine.structure.mechanism import results_of_mechanisms
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.scenario.dispersions.keys import place_of


class Watcher(Protocol):
    """Somebody who watches a run between launches. Watching has no effect on the result; changes have."""

    def before_launch(self, run: "RunInProgress") -> int | None:
        """Called before every launch, and may wait; gives the steps of that launch, None for as many as usual."""
        ...


class RunInProgress:
    """A recorded run that is live."""

    def __init__(self, machine: BatchOnDevice) -> None:
        self._machine = machine
        self._laws = [Law(-np.inf, machine.model)]
        self.events: list[RunEvent] = []
        self.changes: list[ParameterChange] = []

    @property
    def model(self) -> Model:
        """The present one."""
        return self._laws[-1].model

    @property
    def time(self) -> float:
        """Simulated [s]."""
        return float(self._machine.batch.time.numpy()[0])

    @property
    def steps(self) -> int:
        """Accepted so far."""
        return int(self._machine.batch.steps.numpy()[0])

    def recorded(self, since: float = -np.inf) -> RecordedRun:
        """The run so far: its first frame and those from a time [s] on, the present state last; all else in full."""
        frames = frames_since(self._machine, since)
        samples = samples_of(self._machine.model, self._machine.batch.sensing)
        # on a CPU what is read out is the machine's own memory, which goes on changing
        end = replace(
            now := end_of(self._machine), **{part.name: getattr(now, part.name).copy() for part in fields(now)}
        )
        events = sorted([*self.events, *recontacts(self.model, end, frames)], key=lambda event: event.time)
        return RecordedRun(end, frames, observe_by(self._laws, frames), events, samples, tuple(self.changes))

    def change(self, values: Mapping[str, float]) -> None:
        """Changes parameters from now on; each change is an event, and part of the result.

        Raises:
            InputError: A key may not change, or a value is refused as it would be in a scenario file.
        """
        before = self.model
        after = changed_model(before, values)
        now = frames_since(self._machine, np.inf)
        energy = stored_change(before, after, now)
        position = tuple(float(x) for x in now.state[-1, :3])
        for i, (key, value) in enumerate(values.items()):
            was = float(place_of(before.scenario, key).nominal)
            # of several changes at once, energy is that of all
            self.changes.append(
                ParameterChange(self.time, self.steps, key, was, float(value), energy if i == 0 else 0.0)
            )
            self.events.append(RunEvent(self.time, f"changed {key}", -1, float(value), position))  # type: ignore[arg-type]
        self._laws.append(Law(self.time, after))
        add_to_lowest(self._machine.batch.monitors.energy, energy)
        self._machine.params = shared_params(after)


def recontacts(model: Model, end: BatchResult, frames: Frames) -> list[RunEvent]:
    """Events of vehicles that met what had carried them again: when, and where the vehicle was in the frame nearest."""
    names, found = model.scenario.body_names, results_of_mechanisms(model.assembly.mechanisms, end.mechanisms)
    out = []
    for b, name in enumerate(names):
        time = float(found.get(f"separations.{name}_recontact_s", np.array([np.nan]))[0])
        if np.isfinite(time):
            state = frames.state[int(np.argmin(np.abs(frames.time - time)))]
            x, y, z = (float(value) for value in state[b * BODY_SIZE : b * BODY_SIZE + 3])
            out.append(RunEvent(time, "recontact", -1, time, (x, y, z)))
    return out


class Repeated:
    """A watcher that makes the changes of an earlier run again, each after as many steps: the same bits follow."""

    def __init__(self, changes: Sequence[ParameterChange]) -> None:
        self.changes = tuple(changes)
        self._ahead = sorted(changes, key=lambda change: change.step)

    def before_launch(self, run: RunInProgress) -> int | None:
        """Makes the changes that are due, and launches no further than the next."""
        while self._ahead and self._ahead[0].step <= run.steps:
            due = self._ahead.pop(0)
            run.change({due.key: due.after})
        return self._ahead[0].step - run.steps if self._ahead else None
