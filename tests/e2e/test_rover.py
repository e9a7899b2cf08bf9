"""Rovers on the command line: list, pose, drive, map, and what they refuse."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import numpy as np
import pytest
import rasterio
import xarray as xr
from websockets.sync.client import connect

import planetfall as package
from support.command import begin, inside, refuse, succeed

DRIVES = package.library_names("drives")


def run(*words: str, cwd: Path) -> str:
    done = inside("rover", *words, cwd=cwd)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_the_promised_drives_are_there() -> None:
    promised = {"lsr1-flat", "lsr1-step", "lsr1-ditch", "lsr1-boulders", "lsr1-sandslope", "msl-class-yard"}
    assert promised <= set(DRIVES)


@pytest.mark.parametrize("verb", ["list", "pose", "drive", "live", "map", "route"])
def test_help_has_an_example(verb: str, tmp_path: Path) -> None:
    said = run(verb, "--help", cwd=tmp_path)
    assert f"Example: planetfall rover {verb}" in said


def test_list_names_rovers_and_drives(tmp_path: Path) -> None:
    said, everything = run("list", cwd=tmp_path), succeed("list", cwd=tmp_path)
    for name in (*DRIVES, *package.library_names("rovers")):
        assert name in said
        assert name in everything
    printed = json.loads(run("list", "--json", cwd=tmp_path))
    assert printed["rovers"]["lsr-1"]["wheel_diameter_m"] == 0.2
    assert set(printed["drives"]) == set(DRIVES)


@pytest.mark.parametrize("name", DRIVES)
def test_every_built_in_drive_arrives(name: str, tmp_path: Path) -> None:
    short = ["--set", "path.step=0.05"] if name == "msl-class-yard" else []
    printed = json.loads(run("drive", name, *short, "--json", "--no-figures", "--out", "out", cwd=tmp_path))
    assert printed["outcome"] == "arrived"
    assert printed["driven_m"] == printed["path_m"]
    assert max(printed["peak_slip_ratio"]) <= 1.0
    assert printed["largest_residual_m"] < 1e-9


def test_a_drive_is_a_run_like_any_other(tmp_path: Path) -> None:
    said = run("drive", "lsr1-flat", "--set", "path.step=0.1", "--out", "flat", cwd=tmp_path)
    assert "arrived" in said
    for figure in ("side_view", "wheels", "margins_energy", "load_torque"):
        assert (tmp_path / "flat" / f"{figure}.png").stat().st_size > 5000
    with xr.open_dataset(tmp_path / "flat" / "trajectory.nc") as data:
        assert all({"units", "long_name", "frame"} <= set(item.attrs) for item in data.data_vars.values())
        assert data.contact_normal_force.values == pytest.approx(7.0 * 9.81 / 6, rel=1e-9)
        weight = data.contact_force.sum("point").values
        np.testing.assert_allclose(weight, np.tile([0.0, 0.0, 7 * 9.81], (len(weight), 1)), atol=1e-9)
        speed = np.linalg.norm(data.velocity.values[5:10, 0], axis=1)
        np.testing.assert_allclose(speed, 0.03, rtol=1e-9)
    opened = package.open(tmp_path / "flat")
    assert opened.scenario == package.load_drive("lsr1-flat").with_values({"path.step": 0.1})
    again = package.drive(opened.scenario)
    xr.testing.assert_identical(again.data, opened.data)
    assert "holds an earlier run" in refuse("rover", "drive", "lsr1-flat", "--out", "flat", cwd=tmp_path)


def test_a_drive_says_speed_and_friction_and_its_check_names_no_error_of_errors(tmp_path: Path) -> None:
    words = ("drive", "lsr1-boulders", "--set", "path.step=0.1", "--check", "--out", "out", "--no-figures")
    said = run(*words, cwd=tmp_path)
    assert "at 0.03 m/s horizontal (rover.speed)" in said
    assert "friction used" in said
    assert "motor_work_error_J" not in said
    summary = package.open(tmp_path / "out").summary
    assert summary["speed_m_s"] == 0.03
    with xr.open_dataset(tmp_path / "out" / "trajectory.nc") as data:
        used = data.wheel_friction_needed / 0.8
        np.testing.assert_allclose(data.wheel_friction_used, used, rtol=1e-12)
        np.testing.assert_allclose(summary["peak_friction_used"], data.wheel_friction_used.max("time"))


def test_run_and_show_take_drives_too(tmp_path: Path) -> None:
    done = inside("run", "lsr1-flat", "--no-figures", "--out", "flat", cwd=tmp_path)
    assert done.returncode == 0
    assert "drives all of the" in done.stdout
    assert "rover.wheels.torque_max" in succeed("show", "lsr1-flat", cwd=tmp_path)


def test_a_stop_is_an_outcome_with_its_wheel(tmp_path: Path) -> None:
    words = ("drive", "lsr1-boulders", "--set", "drive.goal=equal", "--json", "--no-figures", "--out", "out")
    printed = json.loads(run(*words, cwd=tmp_path))
    assert printed["outcome"] == "slipping"
    assert 0.0 < printed["driven_m"] < printed["path_m"]
    assert "front right wheel" in printed["says"]
    events = (tmp_path / "out" / "events.csv").read_text().splitlines()
    assert len(events) == 2
    assert "front right,slides" in events[1]
    with xr.open_dataset(tmp_path / "out" / "trajectory.nc") as data:
        assert float(data.distance[-1]) == printed["driven_m"]


def test_a_pose_is_printed_and_drawn(tmp_path: Path) -> None:
    said = run("pose", "lsr1-step", "--along", "0.55", "--out", "fig", cwd=tmp_path)
    assert "stands" in said
    assert "front right" in said
    assert (tmp_path / "fig" / "side_view.png").exists()
    words = ("pose", "lsr1-flat", "--at", "1,2", "--heading-deg", "0", "--torques", "0.1", "--json")
    printed = json.loads(run(*words, cwd=tmp_path))
    assert printed["middle_right_wheel_m"] == pytest.approx([1.3, 2.0])
    assert printed["thrust_left_N"] == pytest.approx(6.0)  # six wheels, 0.1 N m over 0.1 m each
    assert printed["goal"] == "commanded"


def test_a_map_is_written_north_up(tmp_path: Path) -> None:
    words = ("map", "msl-class-yard", "--headings", "2", "--every", "20", "--out", "map", "--json")
    printed = json.loads(run(*words, cwd=tmp_path))
    assert printed["places"] == 2 * 21 * 21
    assert sum(printed["verdicts"].values()) == printed["places"]
    with rasterio.open(tmp_path / "map" / "pose_status.tif") as file:
        off = int((file.read() == 3).sum())
    assert printed["verdicts"]["off the map"] == off > 0
    with rasterio.open(tmp_path / "map" / "verdict.tif") as file:
        assert file.count == 2
        assert file.bounds.top == pytest.approx(21.0)
    assert (tmp_path / "map" / "traversability.png").exists()
    assert "earlier map" in refuse("rover", *words[:-1], cwd=tmp_path)


def test_a_route_is_found_and_its_path_can_be_driven(tmp_path: Path) -> None:
    """The folder holds a drive that arrives with the very numbers of the route, and its path as a table."""
    small = ("--set", "terrain.extent=[16.0,16.0]", "--set", "path.step=0.1")
    words = ("route", "msl-class-yard", *small, "--from=-4,-4", "--to", "4,3", "--by", "time", "--out", "way", "--json")
    found = json.loads(run(*words, cwd=tmp_path))
    assert found["by"] == "time"
    assert found["waypoints_m"][0] == [-4.0, -4.0]
    assert found["waypoints_m"][-1] == [4.0, 3.0]
    assert found["length_m"] >= np.hypot(8.0, 7.0)
    assert sorted(Path(name).name for name in found["files"]) == ["route.csv", "route.json", "route.png", "route.toml"]
    table = np.loadtxt(tmp_path / "way" / "route.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(table, found["waypoints_m"])
    driven = json.loads(run("drive", "way/route.toml", "--no-figures", "--json", "--out", "driven", cwd=tmp_path))
    assert driven["outcome"] == "arrived"
    assert driven["path_m"] == pytest.approx(found["length_m"], rel=1e-12)
    assert driven["positive_work_J"] == pytest.approx(found["positive_work_J"], rel=1e-12)
    assert "earlier route" in refuse("rover", *words[:-1], cwd=tmp_path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("route", "lsr1-step"), "has no cells"),
        (("route", "lsr1-boulders", "--from", "here"), "2 numbers, separated by commas"),
        (("route", "lsr1-boulders", "--to", "900,0"), "off the map"),
        (("drive", "lsr1-fla"), "did you mean lsr1-flat"),
        (("drive", "msl-drop"), "planetfall run msl-drop"),
        (("drive", "lsr1-flat", "--set", "soil.friction=0"), "soil.friction"),
        (("drive", "lsr1-flat", "--set", "soil.friction=-0.5"), "greater than 0"),
        (("drive", "lsr1-flat", "--set", "rover.name=sojouner"), "did you mean sojourner"),
        (("drive", "lsr1-flat", "--set", "rover.linkage.rocker_angle_deg=10"), "angle of the rocker"),
        (("drive", "lsr1-boulders", "--set", "path.waypoints=[[-20,0],[0,0]]"), "off the map"),
        (("drive", "lsr1-flat", "--set", "path.waypoints=[[0,0]]"), "two or more"),
        (("drive", "lsr1-flat", "--set", "rover.mass=nan"), "finite"),
        (("drive", "lsr1-flat", "--set", "gravity.direction=[1,0,0]"), "vertical"),
        (("drive", "lsr1-flat", "--set", "changes=[{start=1,values={mass=3}}]"), "cannot change on the way"),
        (("drive", "lsr1-flat", "--set", "changes=[{start=1,values={'rover.mas'=3}}]"), "did you mean rover.mass"),
        (("drive", "lsr1-flat", "--set", "changes=[{start=99,values={'rover.mass'=3}}]"), "before the end of the path"),
        (("drive", "lsr1-flat", "--set", "path.step=1e-9"), "a longer step"),
        (("drive", "lsr1-flat", "--device", "gpu"), "no device"),
        (("map", "lsr1-flat"), "has no cells"),
        (("map", "yard.tif"), "--set terrain.file=yard.tif"),
        (("live", "lsr1-fla"), "did you mean lsr1-flat"),
        (("live", "lsr1-flat", "--offer", "none.tif"), "no such file"),
        (("pose", "lsr1-flat", "--at", "1"), "--at"),
        (("pose", "lsr1-flat", "--along", "99"), "length of the path"),
        (("pose", "lsr1-flat", "--torques", "1,2"), "1 or 6 numbers"),
    ],
)
def test_bad_input_is_refused(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = inside("rover", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.startswith("planetfall: ")
    assert list(tmp_path.iterdir()) == []


def test_a_live_drive_is_served_saved_and_ends_with_the_command(tmp_path: Path) -> None:
    """Another process, as a user starts it; the page's part is played by a websocket."""
    process = begin("rover", "live", "lsr1-flat", "--no-browser", cwd=tmp_path)
    assert process.stdout is not None
    try:
        found = re.search(r"(http://127\.0\.0\.1:\d+)/\?token=(\S+)", process.stdout.readline())
        assert found is not None
        address = f"{found[1].replace('http', 'ws')}/live?token={found[2]}"
        with connect(address, origin=found[1], proxy=None, max_size=None) as page:  # type: ignore[arg-type]
            page.send(json.dumps({"do": "set", "key": "rover.payload", "value": 2.0, "time": 40.0}))
            page.send(json.dumps({"do": "save"}))
            said = ""
            while "Saved in" not in said:
                message = page.recv(timeout=60)
                said = message if isinstance(message, str) else ""
    finally:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "Saved    runs/lsr1-flat" in out
    saved = package.open(tmp_path / "runs" / "lsr1-flat")
    assert saved.scenario.changes[0].values == {"rover.payload": 2.0}  # type: ignore[union-attr]
    xr.testing.assert_identical(package.drive(saved.scenario).data, saved.data)  # type: ignore[arg-type]


def test_a_drive_is_no_scenario_for_other_verbs(tmp_path: Path) -> None:
    done = inside("bench", "lsr1-flat", cwd=tmp_path)
    assert done.returncode == 2
    assert "planetfall rover drive lsr1-flat" in done.stderr
