"""`planetfall run`: files, summary, repetition, exit codes."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import xarray as xr

import planetfall as package
from support.command import PLANETFALL, begin, inside, planetfall, refuse, succeed

DATA = {"scenario.toml", "trajectory.nc", "summary.json", "events.csv"}
FIGURES = {f"{name}.{kind}" for name in ("track", "normal_force", "energy") for kind in ("png", "svg")}
PROMISED = {
    "final_normal_force_N": 4, "first_touch_s": 4, "peak_normal_force_N": 4, "slide_distance_m": None,
    "slide_after_last_bounce_m": None, "final_speed_m_s": None, "outcome": None,
}  # fmt: skip
"""Keys of summary.json that the issue names, and how many numbers each holds."""
SHORT = ("--set", "scenario.duration=0.7", "--no-figures")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder and the words of `planetfall run msl-drop`, as a newcomer types it."""
    cwd = tmp_path_factory.mktemp("first")
    said = succeed("run", "msl-drop", cwd=cwd)
    return cwd / "runs" / "msl-drop", said


def summary_of(folder: Path) -> dict[str, Any]:
    """All but the checksums, which are of the files and not of the run."""
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert summary.pop("sha256").keys() == DATA - {"summary.json"}
    return summary


def test_every_file_is_there(first: tuple[Path, str]) -> None:
    assert names(first[0]) == DATA | FIGURES
    assert names(first[0].parent) == {"msl-drop"}


def test_figures_are_figures(first: tuple[Path, str]) -> None:
    for name in FIGURES:
        content = (first[0] / name).read_bytes()
        assert len(content) > 5000
        assert content.startswith(b"\x89PNG") if name.endswith("png") else b"<svg" in content
        if name.endswith("svg"):
            assert b"[s]" in content or b"[m]" in content or content.count(b"<path") > 10


def test_it_says_how_it_ended_and_where_things_are(first: tuple[Path, str]) -> None:
    said = first[1]
    assert "Outcome  settled" in said
    for name in ("trajectory.nc", "events.csv", "summary.json", "scenario.toml", "track.png"):
        assert f"runs/msl-drop/{name}" in said
    assert "502" in said and "not checked" in said
    assert "Traceback" not in said


def test_summary_has_what_was_promised(first: tuple[Path, str]) -> None:
    summary = summary_of(first[0])
    for key, count in PROMISED.items():
        assert key in summary
        if count is not None:
            assert len(summary[key]) == count
            assert all(isinstance(value, float) for value in summary[key])
    assert summary["outcome"] in {outcome.name for outcome in package.Outcome}
    assert summary["outcome"] == "settled"


def test_the_folder_opens_from_python(first: tuple[Path, str]) -> None:
    run = package.open(first[0])
    assert run.summary == summary_of(first[0])
    with xr.open_dataset(first[0] / "trajectory.nc") as data:
        assert data.attrs["surface_frame"] == "L"
        assert float(data.time[-1]) == 10.0


def test_a_written_scenario_runs_to_the_same_summary(first: tuple[Path, str], tmp_path: Path) -> None:
    succeed("run", str(first[0] / "scenario.toml"), "--out", "again", "--no-figures", cwd=tmp_path)
    assert summary_of(tmp_path / "again") == summary_of(first[0])
    for name in ("scenario.toml", "events.csv"):
        assert (tmp_path / "again" / name).read_bytes() == (first[0] / name).read_bytes()
    assert names(tmp_path / "again") == DATA


def test_json_is_the_summary_and_the_folder(tmp_path: Path) -> None:
    printed = json.loads(succeed("run", "msl-drop", *SHORT, "--out", "x", "--json", cwd=tmp_path))
    assert printed.pop("folder") == "x"
    assert printed == summary_of(tmp_path / "x")


def test_set_changes_what_is_run(tmp_path: Path) -> None:
    inside(
        "run", "msl-drop", *SHORT, "--set", "contact.rest_penetration=0.02", "--set", "integrator.method=adaptive",
        "--set", "vehicle.points.0.position=[0.9, -1.0, 1.2]", "--set", "scenario.title=two words", "--out", "x",
        cwd=tmp_path,
    )  # fmt: skip
    run = package.open(tmp_path / "x")
    assert run.scenario.contact.rest_penetration == 0.02
    assert run.scenario.integrator.method == "adaptive"
    assert run.scenario.vehicle.points[0].position == (0.9, -1.0, 1.2)
    assert run.summary["end_s"] == 0.7
    assert run.data.attrs["title"] == "two words"


def test_a_second_run_gets_a_folder_of_its_own(tmp_path: Path) -> None:
    for _ in range(2):
        inside("run", "msl-drop", *SHORT, cwd=tmp_path)
    assert names(tmp_path / "runs") == {"msl-drop", "msl-drop-2"}


def test_an_earlier_run_is_kept_unless_forced(tmp_path: Path) -> None:
    inside("run", "msl-drop", *SHORT, "--out", "x", cwd=tmp_path)
    assert "--force" in refuse("run", "msl-drop", *SHORT, "--out", "x", cwd=tmp_path)
    inside("run", "msl-drop", *SHORT, "--set", "terrain.slope_deg=5", "--out", "x", "--force", cwd=tmp_path)
    assert package.open(tmp_path / "x").scenario.terrain.slope_deg == 5.0


def test_paths_may_hold_spaces_and_any_letter(tmp_path: Path) -> None:
    folder = Path("sp ace", "ünïcode 火星")
    succeed("run", "msl-drop", *SHORT, "--out", str(folder), cwd=tmp_path)
    succeed("run", str(folder / "scenario.toml"), "--out", "again", "--no-figures", cwd=tmp_path)
    assert summary_of(tmp_path / "again") == summary_of(tmp_path / folder)


@pytest.mark.parametrize("name", [name for name in package.library_names() if name != "msl-drop"])
def test_every_built_in_scenario_runs(name: str, tmp_path: Path) -> None:
    said = inside("run", name, "--out", "x", cwd=tmp_path).stdout
    summary = summary_of(tmp_path / "x")
    assert summary["outcome"] in ("settled", "sliding", "timed_out", "off_map", "descended")
    assert f"Outcome  {summary['outcome']}" in said
    assert {"energy.png", "energy.svg"} <= names(tmp_path / "x")
    assert package.open(tmp_path / "x").scenario == package.load(name)


def test_names_are_drawn_as_they_are_written(tmp_path: Path) -> None:
    """A dollar sign in a name starts no formula."""
    names_of = ("--set", "scenario.name='$x_{$'", "--set", "vehicle.points.0.name='$y^{$ and $z$'")
    done = inside("run", "msl-drop", "--set", "scenario.duration=0.7", *names_of, "--out", "x", cwd=tmp_path)
    assert done.returncode == 0
    assert names(tmp_path / "x") == DATA | FIGURES


def test_nobody_has_to_listen(tmp_path: Path) -> None:
    """Started without standard error, by a service say."""
    command = f"'{PLANETFALL}' run msl-drop --set scenario.duration=0.1 --no-figures --out x 2>&-"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0
    assert names(tmp_path / "x") == DATA


UNSTABLE = ("--set", "integrator.step=0.5", "--set", "integrator.accept_step=true")


def test_a_diverging_run_is_kept_and_exits_with_one(tmp_path: Path) -> None:
    done = planetfall("run", "msl-drop", *UNSTABLE, "--out", "x", cwd=tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Outcome  diverged" in done.stdout
    assert "integrator.step" in done.stdout
    assert summary_of(tmp_path / "x")["outcome"] == "diverged"


def test_a_diverging_run_whose_numbers_are_no_longer_finite_is_printed_all_the_same(tmp_path: Path) -> None:
    """Peaks and final forces that are not finite are null in the summary."""
    done = inside("run", "msl-drop", *UNSTABLE, "--set", "contact.clamp=false", "--out", "x", cwd=tmp_path)
    assert done.returncode == 1
    assert "Outcome  diverged" in done.stdout


def test_a_run_that_is_over_at_once_is_summed_up(tmp_path: Path) -> None:
    """Released with its wheels over the edge of the map: one frame, no slide, and figures all the same."""
    said = inside("run", "msl-drop", "--set", "terrain.radius=1", "--out", "x", cwd=tmp_path).stdout
    assert "Outcome  off_map" in said
    assert summary_of(tmp_path / "x")["end_s"] == 0.0


@pytest.mark.parametrize("model", ["point", "j2"])
def test_gravity_of_the_target_at_a_site(model: str, tmp_path: Path) -> None:
    """Mars's own numbers give 3.71 to 3.72 m/s^2 where the rover lands: the fall takes as long to within a percent."""
    values = ("--set", f"gravity.model={model}", "--set", "integrator.method=adaptive")
    printed = json.loads(inside("run", "msl-drop", *SHORT, *values, "--out", "x", "--json", cwd=tmp_path).stdout)
    assert printed["first_touch_s"][0] == pytest.approx(0.5848, rel=0.01)


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    """Ctrl-C in the middle of a long run."""
    long = ("--set", "scenario.duration=4e5", "--set", "record.interval=1000")
    process = begin("run", "msl-drop", *long, cwd=tmp_path)
    time.sleep(4.0)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert names(tmp_path) == set()


def test_an_interrupt_is_acknowledged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("planetfall.simulate.run", interrupt)
    done = inside("run", "msl-drop", cwd=tmp_path)
    assert done.returncode == 130
    assert "interrupted; nothing was written" in done.stderr
    assert names(tmp_path) == set()


def test_an_interrupt_while_figures_are_drawn_keeps_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("planetfall.report.run.run_figures.draw_energy", interrupt)
    done = inside("run", "msl-drop", "--set", "scenario.duration=0.7", "--out", "x", cwd=tmp_path)
    assert done.returncode == 130
    assert "interrupted; the data are in x; draw the figures with planetfall figures x" in done.stderr
    assert package.open(tmp_path / "x").summary["end_s"] == 0.7


def test_a_figure_that_fails_does_not_cost_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("planetfall.report.run.run_figures.draw_energy", fail)
        done = inside("run", "msl-drop", "--set", "scenario.duration=0.7", "--out", "x", cwd=tmp_path)
    assert done.returncode == 1
    assert "x: the data are written, but not every figure" in done.stderr
    assert "No space left on device" in done.stderr
    assert package.open(tmp_path / "x").summary["end_s"] == 0.7
    command = done.stderr.strip().rpartition("draw them again with planetfall ")[2]
    again = inside(*shlex.split(command), cwd=tmp_path)
    assert again.returncode == 0
    assert (tmp_path / "x" / "energy.png").is_file()
    assert "x/energy.png" in again.stdout


@pytest.mark.parametrize("part", ["summarise", "world_facts"])
def test_a_summary_that_fails_does_not_cost_the_data(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> dict[str, Any]:
        return {"strange": object()}

    monkeypatch.setattr(f"planetfall.simulate.{part}", fail)
    done = inside("run", "msl-drop", "--set", "scenario.duration=0.7", "--out", "x", cwd=tmp_path)
    assert done.returncode == 1
    assert "x: the data are written, but" in done.stderr
    assert "strange is of type object, which JSON cannot hold" in done.stderr
    assert "planetfall run x/scenario.toml" in done.stderr
    opened = package.open(tmp_path / "x")
    assert opened.summary["outcome"] == "timed_out"
    assert opened.data.time.values[-1] == 0.7
    assert len(opened.summary["problems"]) == 1


def test_what_was_put_into_a_summary_by_hand_does_not_cost_the_data(tmp_path: Path) -> None:
    done = package.run(package.load("msl-drop").with_values({"scenario.duration": 0.7}))
    done.summary["mine"] = {"thing": object()}
    with pytest.raises(package.PlanetfallError, match=r"the data are written.*mine\.thing is of type object"):
        done.save(tmp_path / "x")
    assert "mine" not in package.open(tmp_path / "x").summary


def test_the_command_to_run_it_again_can_be_pasted(tmp_path: Path) -> None:
    said = inside("run", "msl-drop", *SHORT, "--out", "sp ace/it's", cwd=tmp_path).stdout
    command = said.partition("run it again: ")[2].partition(")\n")[0]
    assert shlex.split(command) == ["planetfall", "run", "sp ace/it's/scenario.toml"]


def test_a_cache_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A folder below a file: nobody can make it, not even the superuser; another one is named, and it runs."""
    (tmp_path / "file").write_text("")
    words = [str(PLANETFALL), "run", "msl-drop", "--set", "scenario.duration=0.1", "--no-figures", "--out", "x"]
    env = {name: value for name, value in os.environ.items() if name != "WARP_CACHE_PATH"}
    lost = {"XDG_CACHE_HOME": str(tmp_path / "file")}
    done = subprocess.run(words, cwd=tmp_path, env={**env, **lost}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert "compiled kernels cannot be kept there (Not a directory)" in done.stderr
    assert "WARP_CACHE_PATH" in done.stderr and "Traceback" not in done.stderr
    assert names(tmp_path) == {"file"}


def test_the_print_says_which_limits_of_the_models_were_crossed(tmp_path: Path) -> None:
    """As the report does: a fall onto springs that are tuned to a hundredth of the depth that it reaches."""
    said = succeed("run", "msl-drop", *SHORT, "--set", "contact.rest_penetration=0.001",
                   "--set", "integrator.method=adaptive", cwd=tmp_path)  # fmt: skip
    told = [line for line in said.splitlines() if line.startswith("Validity ")]
    assert any("times the 0.001 m to which the contact law is tuned" in line for line in told)
