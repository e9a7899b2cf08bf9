"""A rover's session for pages: what it shows them, and how it follows their commands."""

import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from planetfall.errors import InputError
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.drive import DriveScenario
from planetfall.viewer.live.feed import Feed, Rows
from planetfall.viewer.live.live_connection import number_in, unknown_command
from planetfall.viewer.pack import Pack
from planetfall.viewer.rover.controls import control_values
from planetfall.viewer.rover.session import RoverSession
from planetfall.viewer.scene.scene import scene_of

Saver = Callable[[Trajectory[DriveScenario]], Path]
"""Writes a drive as a run folder, and says where."""
COMMANDS = ("set", "undo", "redo", "choose", "save")


class RoverLive:
    """A `live.LiveSession`: pages change the drive; all of them see what becomes of it."""

    def __init__(self, session: RoverSession, saver: Saver) -> None:
        self.session, self._saver = session, saver
        self.feed = Feed()
        self._lock = threading.Lock()
        self._shown = self._begin()
        self._report_progress("")

    def do(self, command: dict[str, Any]) -> None:
        """Follows a page's command.

        Raises:
            InputError: It cannot be followed; everything stays as it was.
        """
        with self._lock:
            match command["do"]:
                case "set":
                    self._set(command)
                case "undo":
                    self.session.undo()
                case "redo":
                    self.session.redo()
                case "choose":
                    self.session.choose(_text(command, "kind"), _text(command, "name"), number_in(command, "time"))
                    self._terrain = None  # a start anew
                case "save":
                    self._report_progress(f"Saved in {self._saver(self.session.trajectory)}")
                    return
                case _:
                    raise unknown_command(command, COMMANDS)
            self._show()
            self._report_progress("")

    def _set(self, command: dict[str, Any]) -> None:
        value, time = number_in(command, "value"), number_in(command, "time")
        gesture = number_in(command, "gesture") if "gesture" in command else None
        self.session.set(_text(command, "key"), value, time, gesture)

    def _begin(self) -> Pack:
        """A scene on new ground, which is drawn exactly along the whole path, not only as far as the rover comes."""
        scenario = self.session.scenario
        self._terrain: Any = (scenario.terrain, scenario.path)
        whole = self.session.driver(scenario.with_values({"drive.stop": False}))
        self._ground = scene_of(whole)
        pack = self._pack()
        self.feed.show(pack)
        return pack

    def _show(self) -> None:
        """Shows the drive as it is now: another scene on other ground, else what has changed."""
        scenario = self.session.scenario
        if (scenario.terrain, scenario.path) != self._terrain:
            self._shown = self._begin()
            return
        old, new = self._shown, self._pack()
        self._shown = new
        if old.arrays.keys() != new.arrays.keys() or old.header["controls"] != new.header["controls"]:
            self.feed.show(new)
            return
        rows = {name: first for name in new.arrays if (first := changed_rows(old.arrays[name], new.arrays[name]))}
        header = {key: value for key, value in new.header.items() if key != "events" and old.header.get(key) != value}
        self.feed.extend(rows, events=new.header["events"], header=header)

    def _pack(self) -> Pack:
        session = self.session
        pack = scene_of(session.trajectory, on=self._ground)
        values = control_values(session.scenario, session.controls)
        stretches = [{**stretch, "values": values[i]} for i, stretch in enumerate(pack.header["rover"]["stretches"])]
        header = {
            **pack.header,
            "size": self._ground.header["size"],
            "rover": {**pack.header["rover"], "stretches": stretches},
            "live": True,
            "controls": [asdict(control) for control in session.controls],
            "session": {
                "undo": session.n_undo,
                "redo": session.n_redo,
                "choices": session.choices.names(),
                "chosen": session.chosen,
            },
        }
        return Pack(header, pack.arrays)

    def _report_progress(self, sentence: str) -> None:
        self.feed.tell({"phase": "running", "sentence": sentence, "time": 0.0, "pace": None, "values": {}})


def changed_rows(old: np.ndarray, new: np.ndarray) -> Rows | None:
    """The rows of an array from the first on that differs in any bit; None if nothing does."""
    n = min(len(old), len(new))
    a, b = (np.ascontiguousarray(values[:n]).reshape(n, -1).view(np.uint8) for values in (old, new))
    differ = np.flatnonzero((a != b).any(axis=1)) if n and a.shape == b.shape else np.zeros(0, int)
    if not len(differ) and len(old) == len(new):
        return None
    first = int(differ[0]) if len(differ) else n
    return Rows(first, new[first:])


def _text(command: dict[str, Any], key: str) -> str:
    value = command.get(key)
    if not isinstance(value, str):
        raise InputError(f"command {command['do']}", f"{key} is {str(value)[:40]!r}", "a text")
    return value
