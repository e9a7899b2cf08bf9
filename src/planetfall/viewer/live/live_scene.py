"""Keeping a feed in step with a run that is under way."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from planetfall.engine.build import Model
from planetfall.engine.launch.run_in_progress import RunInProgress
from planetfall.engine.state.result import RecordedRun
from planetfall.record.thinned_frames import MOST, shown_frames
from planetfall.record.trajectory import Trajectory
from planetfall.record.variables.attributes import history
from planetfall.viewer.live.feed import Feed, Rows
from planetfall.viewer.pack import Pack
from planetfall.viewer.scene.parachutes import canopy_arrays
from planetfall.viewer.scene.scene import described_events, scene_of
from planetfall.viewer.scene.variables import columns_of

Maker = Callable[[Model, RecordedRun], Trajectory]
"""Makes labelled arrays of a run: `simulate.trajectory_of`."""
SHARE = 0.05
"""Of the time that a run has taken, the most that drawing its ground anew may take."""
BUDGET_GROWING = 50_000
"""Triangles of the ground while a run grows: a third of a replay's, so that it begins soon."""


class LiveScene:
    """Writes a run to a feed: a whole scene where one is needed, else what has come since the last look."""

    def __init__(self, feed: Feed, trajectory_of: Maker, header: dict[str, Any]) -> None:
        """`header` is what the scenes' headers have beside what a replay has."""
        self.feed, self._trajectory_of, self._extra = feed, trajectory_of, header
        self._header: dict[str, Any] = {}
        self._times: dict[str, np.ndarray] = {}
        self._since = -np.inf
        self._middle, self._reach = np.zeros(3), 0.0
        self._place, self._is_exact = np.zeros(3), True
        self._cost, self._shown = 0.0, 0.0

    def update(self, run: RunInProgress) -> bool:
        """Brings the feed up to the run's present state; gives whether an addition was enough."""
        trajectory = self._made(run, self._since)
        is_growth = not self._needs_scene(trajectory)
        if is_growth:
            self._grow(trajectory)
        else:
            self._show(self._made(run, -np.inf))
        # frames of the interval that is still open may be replaced by later peaks
        interval = run.model.scenario.record.interval
        self._since = max(np.floor(run.time / interval) - 1.0, 0.0) * interval
        return is_growth

    def finish(self, trajectory: Trajectory) -> None:
        """Shows the run that has ended, as a replay."""
        self.feed.show(scene_of(trajectory))

    def _made(self, run: RunInProgress, since: float) -> Trajectory:
        out = self._trajectory_of(run.model, run.recorded(since))
        if "work_changes" not in out.data:  # so that the list of variables stays the same when something is changed
            zeros = history("J", "energy that changes of parameters put in", "", (), np.zeros(out.data.sizes["time"]))
            out = Trajectory(out.scenario, out.data.assign(work_changes=zeros), out.events, out.summary)
        return out

    def _needs_scene(self, trajectory: Trajectory) -> bool:
        """At first, when a variable is new, when there are too many frames, and when the ground drawn is not enough.

        That is where the vehicle has left it, or touches it where it is drawn coarser than it is.
        """
        if not self._header:
            return True
        data = trajectory.data
        known = {variable["name"] for variable in self._header["variables"]}
        if any(str(data[name].dims[0]) == "time" for name in set(data.data_vars) - known if data[name].dims):
            return True
        if len(self._times["time"]) > MOST:
            return True
        place = data.position.values[-1, 0]
        is_away = bool(np.linalg.norm(place - self._middle) > self._reach)
        is_touching = bool((data.contact_mode.values[-1] > 0).any())
        is_elsewhere = bool(np.linalg.norm(place - self._place) > self._header["size"])
        is_poor = is_away or (is_touching and is_elsewhere and not self._is_exact)
        return is_poor and SHARE * (time.monotonic() - self._shown) > self._cost

    def _show(self, trajectory: Trajectory) -> None:
        begin = time.monotonic()
        pack = scene_of(trajectory, most_frames=MOST // 2, budget=BUDGET_GROWING, is_growing=True)
        self._header = {**pack.header, **self._extra}
        self._times = {name: array for name, array in pack.arrays.items() if name == "time" or name.startswith("time.")}
        if "ground_vertex" in pack.arrays:
            vertices = pack.arrays["ground_vertex"]
            middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
            self._middle = middle + np.array(pack.header["origin"])
            self._reach = 0.5 * float(np.linalg.norm(vertices - middle, axis=1).max())
        self._place = trajectory.data.position.values[-1, 0]
        of_terrain = pack.header.get("n_facets_terrain") or 0
        is_plane = trajectory.scenario.terrain.model == "plane"
        self._is_exact = is_plane or 0 < of_terrain <= BUDGET_GROWING
        self.feed.show(Pack(self._header, pack.arrays))
        self._shown = time.monotonic()
        self._cost = self._shown - begin

    def _grow(self, trajectory: Trajectory) -> None:
        data = trajectory.data
        frames = shown_frames(data, data.sizes["time"])
        frames = frames[data.time.values[frames] >= self._since]
        first = int(np.searchsorted(self._times["time"], self._since))
        rows = {name: Rows(first, values) for name, values in self._placed(trajectory, frames).items()}
        rows |= self._curves(data, frames, first)
        self._times["time"] = np.concatenate([self._times["time"][:first], data.time.values[frames]])
        events = described_events(trajectory.events, data)
        n_old = int(np.searchsorted([event["time"] for event in events], self._since))
        self.feed.extend(rows, events=events[n_old:], first_event=n_old)

    def _placed(self, trajectory: Trajectory, frames: np.ndarray) -> dict[str, np.ndarray]:
        """What the scene is drawn from, as in `scene_of`."""
        data, origin = trajectory.data, np.array(self._header["origin"])
        return {
            "time": data.time.values[frames],
            "position": data.position.values[frames] - origin,
            "quaternion": data.quaternion.values[frames],
            "mode": data.contact_mode.values[frames],
            **canopy_arrays(trajectory.scenario, data, frames, trajectory.summary),
        }

    def _curves(self, data: xr.Dataset, frames: np.ndarray, first: int) -> dict[str, Rows]:
        """Variables over the frames, and readings that came since the last look."""
        out: dict[str, Rows] = {}
        for variable in self._header["variables"]:
            name, times = variable["name"], variable["time"]
            rows, at = frames, first
            if times != "time":
                sent = self._times[f"time.{times}"]
                rows, at = np.flatnonzero(data[times].values > (sent[-1] if len(sent) else -np.inf)), len(sent)
                out[f"time.{times}"] = Rows(at, data[times].values[rows])
            out[f"var.{name}"] = Rows(at, columns_of(data[name], rows) - np.array(variable["offsets"]))
        for name, new in out.items():
            if name.startswith("time."):
                self._times[name] = np.concatenate([self._times[name], new.values])
        return out
