"""A simulation that pages look at while it runs: paused, stepped, paced and changed from there.

The simulation stays in the thread that started it, and asks here between launches how far it may go. Nothing that
happens here touches its numbers, except changes of parameters, which are made through `RunInProgress.change`.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np

from planetfall.engine.launch.run_in_progress import RunInProgress
from planetfall.errors import InputError
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.scenario import Scenario
from planetfall.viewer.live.feed import Feed
from planetfall.viewer.live.live_connection import PERIOD, number_in, unknown_command
from planetfall.viewer.live.live_controls import controls_of
from planetfall.viewer.live.live_scene import LiveScene, Maker

SLICE = 0.05
"""Seconds of wall-clock time that one launch should take, or stand for."""
PATIENCE = 10.0
"""Seconds to wait for the first page before a paced run begins all the same."""
SHARE = 0.1
"""Of the time of a run that goes as fast as it can, the most that showing it takes."""
FIRST_STEPS = 500
"""Of the first launch, before it is known how fast the run is."""
SLOWEST, FASTEST = 1e-3, 1e6
"""Paces that may be asked for: simulated over real time."""
COMMANDS = ("pause", "play", "step", "pace", "set")


class LiveRun:
    """A live session (`live_connection.LiveSession`) that watches a run (`engine.launch.run_in_progress.Watcher`)."""

    def __init__(self, scenario: Scenario, trajectory_of: Maker, pace: float | None, ready: Callable[[], None]) -> None:
        """Starts nothing.

        Args:
            scenario: What will be run.
            trajectory_of: Makes labelled arrays of the run so far.
            pace: Simulated over real time; None for as fast as it can.
            ready: Called once, when there is a scene that pages can be shown.
        """
        self._ready: Callable[[], None] | None = ready
        self.feed = Feed()
        self._scene = LiveScene(self.feed, trajectory_of, {"live": True, "controls": controls_of(scenario)})
        self._values = {control["key"]: control["value"] for control in controls_of(scenario)}
        self._interval = scenario.record.interval
        self._news = threading.Condition()
        self._pace, self._phase, self._sentence = pace, "waiting" if pace is not None else "running", ""
        self._steps_left = 0
        self._wanted: list[tuple[dict[str, float], Future[None]]] = []
        self._start: tuple[float, float] | None = None
        self._speed = _Speed()
        self._next_update, self._updated_at = -np.inf, (-1, -1)
        self._time = 0.0

    def do(self, command: dict[str, Any]) -> None:
        """Follows a page's command."""
        what = command["do"]
        if what not in COMMANDS:
            raise unknown_command(command, COMMANDS)
        if what == "set":
            self._ask_for(str(command.get("key")), number_in(command, "value"))
            return
        with self._news:
            self._check_open()
            if what == "pace":
                self._pace = None if command.get("value") is None else checked_pace(number_in(command, "value"))
            else:
                self._phase = "running" if what == "play" else "paused"
                self._steps_left = 1 if what == "step" else 0
            self._start = None
            self._news.notify_all()
        self._report_progress()

    def before_launch(self, run: RunInProgress) -> int | None:
        """Waits as long as pause and pace ask for; gives the steps of the next launch."""
        self._time = run.time
        self._speed.note(run.time, run.steps)
        self._update(run)
        if self._ready is not None:
            self._ready()
            self._ready = None
        while True:
            self._make_changes(run)
            steps = self._allowed(run)
            if steps is not None:
                self._speed.begin(run.time, run.steps)
                return steps
            self._update(run)
            with self._news:
                if not self._wanted:
                    self._news.wait(SLICE)

    def finish(self, trajectory: Trajectory, sentence: str) -> None:
        """The run has ended and is saved: pages get the whole of it, as a replay."""
        self._end("finished", sentence, float(trajectory.data.time.values[-1]))
        self._scene.finish(trajectory)

    def fail(self, sentence: str) -> None:
        """The run was given up."""
        self._end("failed", sentence, self._time)

    def _end(self, phase: str, sentence: str, at: float) -> None:
        with self._news:
            self._phase, self._sentence, self._time = phase, sentence, at
            for _, answer in self._wanted:
                answer.set_exception(InputError("command", "the run has ended"))
            self._wanted = []
        self._report_progress()

    def _check_open(self) -> None:
        if self._phase in ("finished", "failed"):
            raise InputError("command", "the run has ended", advice="start it again to change it")

    def _ask_for(self, key: str, value: float) -> None:
        """Has the simulation's own thread make a change, and waits for what it says."""
        answer: Future[None] = Future()
        with self._news:
            self._check_open()
            self._wanted.append(({key: value}, answer))
            self._news.notify_all()
        answer.result()

    def _make_changes(self, run: RunInProgress) -> None:
        with self._news:
            wanted, self._wanted = self._wanted, []
        for values, answer in wanted:
            try:
                if any(self._values.get(key) != value for key, value in values.items()):
                    run.change(values)
                    self._values |= values
            except InputError as problem:
                answer.set_exception(problem)
            else:
                answer.set_result(None)
        if wanted:
            self._update(run)

    def _allowed(self, run: RunInProgress) -> int | None:
        """Steps that may be launched now; None while the run has to wait."""
        now = time.monotonic()
        with self._news:
            if self._phase == "waiting":
                self._start = self._start or (now, run.time)
                if not self.feed.has_reader and now - self._start[0] < PATIENCE:
                    return None
                self._phase, self._start = "running", None
            if self._phase == "paused":
                return self._one_frame(run)
            if self._pace is None:
                return self._speed.steps_in(SLICE)
            self._start = self._start or (now, run.time)
            ahead = run.time - self._start[1] - self._pace * (now - self._start[0])
            if ahead > 0.0:
                return None
            # what was missed is caught up with, but not for ever: a machine that is too slow runs as fast as it can
            if -ahead > self._pace:
                self._start = (now, run.time)
            return min(self._speed.steps_along(self._pace * SLICE), self._speed.steps_in(SLICE))

    def _one_frame(self, run: RunInProgress) -> int | None:
        if not self._steps_left:
            return None
        self._steps_left = 0
        to_next = (np.floor(run.time / self._interval + 1e-9) + 1.0) * self._interval - run.time
        return self._speed.steps_along(to_next)

    def _update(self, run: RunInProgress) -> None:
        """Writes to the feed what is new, unless that was done just now."""
        begin, at = time.monotonic(), (run.steps, len(run.changes))
        if at == self._updated_at or (
            begin < self._next_update and at[1] == self._updated_at[1] and not self._is_held()
        ):
            return
        is_growth = self._scene.update(run)  # whole scenes are rare, and have a share of their own
        now = time.monotonic()
        self._updated_at, self._next_update = at, now + max(PERIOD, (now - begin) / SHARE if is_growth else 0.0)
        self._report_progress()

    def _is_held(self) -> bool:
        return self._phase == "paused"

    def _report_progress(self) -> None:
        self.feed.tell(
            {
                "phase": self._phase,
                "sentence": self._sentence,
                "time": self._time,
                "pace": self._pace,
                "values": dict(self._values),
            }
        )


class _Speed:
    """How far and how fast launches went, to tell how many steps the next one should have."""

    def __init__(self) -> None:
        self._begun: tuple[float, float, int] | None = None
        self._per_second, self._step = 0.0, 0.0

    def begin(self, simulated: float, steps: int) -> None:
        """A launch begins."""
        self._begun = (time.perf_counter(), simulated, steps)

    def note(self, simulated: float, steps: int) -> None:
        """It has ended."""
        if self._begun is None:
            return
        began, from_time, from_steps = self._begun
        done, passed = steps - from_steps, time.perf_counter() - began
        if done > 0:
            self._step = (simulated - from_time) / done
            self._per_second = done / max(passed, 1e-6)

    def steps_in(self, seconds: float) -> int:
        """Steps that take about so much wall-clock time; few as long as it is not known."""
        return max(1, int(self._per_second * seconds)) if self._per_second else FIRST_STEPS

    def steps_along(self, simulated: float) -> int:
        """Steps that go about so far in simulated time [s]."""
        return max(1, int(np.ceil(simulated / self._step - 1e-6))) if self._step else 1


def checked_pace(pace: float) -> float:
    """A pace that may be asked for.

    Raises:
        InputError: It is none.
    """
    if not SLOWEST <= pace <= FASTEST:
        allowed = f"{SLOWEST:g} to {FASTEST:g}, simulated over real time"
        raise InputError("pace", f"{pace:g} is not allowed", allowed, "or as fast as it can")
    return pace
