"""A simulation with pages that look on: the same numbers, what pages see of it, and what they may do to it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import xarray as xr

import planetfall
from planetfall.errors import InputError
from planetfall.record.trajectory import Trajectory
from planetfall.simulate import run, trajectory_of
from planetfall.viewer.live.live_controls import controls_of
from planetfall.viewer.live.live_run import LiveRun, checked_pace
from planetfall.viewer.live.live_scene import LiveScene
from planetfall.viewer.pack import Pack
from support.block_scene import block
from support.sensed_block import ALTIMETER, sensed_block
from support.served import LivePage, Mirror, Served, served
from support.view_runs import ball, crater

KINDS: dict[str, Callable[[], planetfall.Scenario]] = {
    "marker": block,
    "adaptive": lambda: block("adaptive"),
    "anchor": lambda: crater().with_values({"scenario.duration": 1.5}),
    "distributed": ball,
    "sensors": lambda: sensed_block("rk4", [{**ALTIMETER, "rate": 64.0}], scenario__duration=1.0),
}


@dataclass
class Live:
    """A run under way in a thread of its own, as that of the command is."""

    session: LiveRun
    server: Served
    results: list[Trajectory]
    thread: threading.Thread

    def end(self) -> Trajectory:
        self.thread.join()
        return self.results[0]


@contextmanager
def live(scenario: planetfall.Scenario, pace: float | None) -> Iterator[Live]:
    """Serves a live run, and lets it come to its end when the block is left."""
    is_ready = threading.Event()
    session = LiveRun(scenario, trajectory_of, pace, is_ready.set)
    results: list[Trajectory] = []

    def simulate() -> None:
        results.append(run(scenario, watcher=session))
        session.finish(results[0], "It is over.")

    thread = threading.Thread(target=simulate)
    thread.start()
    assert is_ready.wait(120.0)
    try:
        with served(session) as server:
            yield Live(session, server, results, thread)
            with suppress(InputError):  # it may have ended by itself
                session.do({"do": "pace", "value": None})
                session.do({"do": "play"})
            thread.join()
    finally:
        thread.join()


def assert_equal(found: Trajectory, expected: Trajectory) -> None:
    xr.testing.assert_identical(found.data, expected.data)
    assert found.events == expected.events
    assert found.summary == expected.summary


def followed(page: LivePage, mirror: Mirror) -> list[dict[str, Any]]:
    """Takes all messages in until the run has ended and its replay is there; gives the states."""
    states = []
    while True:
        message = page.take()
        if isinstance(message, Pack):
            if message.header["kind"] == "run" or mirror.arrays:  # else its beginning was passed over
                mirror.take(message)
            if message.header["kind"] == "run" and not message.header.get("live"):
                return states
        else:
            states.append(message["state"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_that_looks_on_changes_nothing(kind: str) -> None:
    scenario, mirror = KINDS[kind](), Mirror()
    with live(scenario, None) as running, running.server.page() as page:
        followed(page, mirror)
        found = running.end()
    expected = planetfall.run(scenario)
    assert_equal(found, expected)
    np.testing.assert_array_equal(mirror.arrays["time"], expected.data.time.values)


def test_pages_see_what_is_recorded() -> None:
    """What has come by the last moment before the end is the record: every frame, and its values to float32."""
    scenario, mirror, seen = block(), Mirror(), Mirror()
    with live(scenario, 0.5) as running, running.server.page() as page:
        while True:
            message = page.take()
            if isinstance(message, Pack):
                if message.header["kind"] == "run" and mirror.header:
                    break
                mirror.take(message)
                seen.header, seen.arrays = dict(mirror.header), dict(mirror.arrays)
        found = running.end()
    times, data = seen.arrays["time"], found.data
    assert len(times) > 20
    shared = np.flatnonzero(np.isin(times, data.time.values))
    assert len(shared) >= len(times) - 1 - len(data.point)  # the present state and open peaks are no frames yet
    rows = np.searchsorted(data.time.values, times[shared])
    origin = np.array(seen.header["origin"])
    np.testing.assert_allclose(
        seen.arrays["position"][shared] + origin, data.position.values[rows], atol=1e-6
    )  # float32 of metres
    by_name = {variable["name"]: variable for variable in seen.header["variables"]}
    for name in ("energy_total", "contact_normal_force"):
        values = seen.arrays[f"var.{name}"][shared] + np.array(by_name[name]["offsets"])
        expected = data[name].values[rows].reshape(len(rows), -1)
        np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("limits", "values"),
    [
        ({"MOST": 30}, {}),  # more frames than a page should get: they are thinned out
        ({"SHARE": 1e6}, {"initial__velocity": [60.0, 0.0, 0.0]}),  # beyond the ground that was drawn
    ],
)
def test_a_scene_is_made_anew_where_it_must_be(
    limits: dict[str, float], values: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in limits.items():
        monkeypatch.setattr(f"planetfall.viewer.live.live_scene.{name}", value)
    made, show = [], LiveScene._show
    monkeypatch.setattr(LiveScene, "_show", lambda scene, trajectory: (made.append(scene), show(scene, trajectory)))
    scenes, mirror, scenario = 0, Mirror(), block("rk4", **values)
    with live(scenario, 0.5) as running, running.server.page() as page:
        while not mirror.header or mirror.header.get("live"):
            message = page.take()
            if isinstance(message, Pack):
                scenes += message.header["kind"] == "run"
                mirror.take(message)
                times = mirror.arrays["time"]
                assert np.all(np.diff(times) > 0)
                assert len(times) == len(mirror.arrays["position"]) == len(mirror.arrays["var.velocity"])
        found = running.end()
    assert len(made) > 1  # the first, another on the way
    assert scenes > 1  # one of them and the replay: a page that is late passes over the others
    assert_equal(found, planetfall.run(scenario))


def test_a_run_is_held_stepped_and_let_go() -> None:
    with live(block(), 0.05) as running, running.server.page() as page:
        page.wait_for("running")
        page.send({"do": "pause"})
        held = page.wait_for("paused")
        page.send({"do": "step"})
        interval = block().record.interval
        stepped = page.said("state")
        while stepped["time"] <= held["time"]:
            stepped = page.said("state")
        assert stepped["phase"] == "paused"
        assert 0.0 < stepped["time"] - held["time"] <= interval * (1 + 1e-9)
        assert stepped["time"] / interval == pytest.approx(round(stepped["time"] / interval), abs=1e-6)
        page.send({"do": "pace", "value": None})
        page.send({"do": "play"})
        assert page.wait_for("finished")["sentence"] == "It is over."
        page.send({"do": "pause"})
        assert "has ended" in page.said("problem")
        found = running.end()
    assert_equal(found, planetfall.run(block()))


def test_a_change_is_made_told_and_recorded() -> None:
    key, mirrors = "contact.damping_ratio", (Mirror(), Mirror())
    with live(block(), 0.2) as running, running.server.page() as one, running.server.page() as other:
        one.wait_for("running")
        one.send({"do": "set", "key": key, "value": -1})
        assert "greater than or equal to 0" in one.said("problem")
        one.send({"do": "set", "key": "vehicle.mass", "value": 1})
        assert "cannot change during a run" in one.said("problem")
        one.send({"do": "set", "key": key, "value": 0.9})
        state = other.said("state")
        while state["values"][key] != 0.9:
            state = other.said("state")
        one.send({"do": "pace", "value": None})
        for page, mirror in zip((one, other), mirrors, strict=True):
            followed(page, mirror)
        found = running.end()
    (change,) = found.summary["changes"]
    assert (change["key"], change["from"], change["to"]) == (key, block().contact.damping_ratio, 0.9)  # type: ignore[union-attr]
    for mirror in mirrors:
        assert [event["kind"] for event in mirror.header["events"] if event["kind"].startswith("changed")] == [
            f"changed {key}"
        ]
    assert not np.array_equal(found.data.position.values[-1], planetfall.run(block()).data.position.values[-1])


def test_a_paced_run_waits_for_its_first_page() -> None:
    with live(block(), 50.0) as running:
        assert running.thread.is_alive()
        with running.server.page() as page:
            assert page.wait_for("finished")["time"] == pytest.approx(1.0)


def test_sliders_know_unit_range_and_meaning() -> None:
    controls = {control["key"]: control for control in controls_of(planetfall.load("msl-drop"))}
    friction = controls["contact.sliding_angle_deg"]
    assert (friction["label"], friction["unit"], friction["low"], friction["high"]) == (
        "sliding angle",
        "deg",
        0.0,
        60.0,
    )
    assert "theta2" in friction["help"]
    depth = controls["contact.rest_penetration"]
    assert depth["log"] and depth["low"] < depth["value"] < depth["high"]
    assert controls["gravity.acceleration"]["label"] == "gravity"
    for control in controls.values():
        assert control["low"] <= control["value"] <= control["high"]


@pytest.mark.parametrize("pace", [0.0, -1.0, 1e9])
def test_a_pace_has_limits(pace: float) -> None:
    with pytest.raises(InputError, match="simulated over real time"):
        checked_pace(pace)
