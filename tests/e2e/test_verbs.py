"""The other verbs, and the help of all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import planetfall as package
from support.command import QUIET, inside, planetfall, succeed

VERBS = [
    "list", "show", "run", "view", "movie", "steepen", "hop", "bench", "montecarlo", "replay", "report", "terrain",
    "rover", "export",
]  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_has_an_example(verb: str, flag: str, tmp_path: Path) -> None:
    said = succeed(verb, flag, cwd=tmp_path)
    assert f"Example: planetfall {verb}" in said
    assert "Options:" in said


def test_help_names_every_verb(tmp_path: Path) -> None:
    said = succeed("--help", cwd=tmp_path)
    assert all(f"  {verb}" in said for verb in VERBS)


def test_help_of_nothing_is_help(tmp_path: Path) -> None:
    done = planetfall(cwd=tmp_path)
    assert "Usage: planetfall" in done.stdout + done.stderr


def test_version(tmp_path: Path) -> None:
    assert succeed("--version", cwd=tmp_path).strip() == f"planetfall {package.__version__}"


def test_module_is_the_command(tmp_path: Path) -> None:
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "planetfall", "--version"], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout.strip() == f"planetfall {package.__version__}"


def test_list_names_all_that_is_built_in(tmp_path: Path) -> None:
    said = succeed("list", cwd=tmp_path)
    for kind in ("", "vehicles", "bodies"):
        assert all(name in said for name in package.library_names(kind))


def test_list_as_json(tmp_path: Path) -> None:
    printed = json.loads(succeed("list", "--json", cwd=tmp_path))
    assert list(printed["scenarios"]) == package.library_names()
    assert printed["vehicles"] == package.library_names("vehicles")
    assert printed["bodies"] == package.library_names("bodies")
    assert all(printed["scenarios"].values())


@pytest.mark.parametrize("name", package.library_names())
def test_show_tells_every_key(name: str, tmp_path: Path) -> None:
    said = inside("show", name, cwd=tmp_path).stdout
    for table in ("scenario", "gravity", "terrain", "vehicle", "contact", "initial", "integrator", "record", "outcome"):
        assert f"\n{table}." in said
    assert "kg m^2" in said


def test_show_has_one_line_for_each_key_in_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the width: a key that is cut off cannot be given to --set, a meaning that is folded cannot be found."""
    monkeypatch.setitem(QUIET, "COLUMNS", "80")
    from planetfall.scenario.files.rows import scenario_rows

    lines = inside("show", "msl-drop", cwd=tmp_path).stdout.splitlines()
    rows = list(scenario_rows(package.load("msl-drop")))
    assert max(len(row.meaning) for row in rows) > 80
    for row in rows:
        assert [line for line in lines if line.startswith(f"{row.key} ") and line.endswith(row.meaning)], row


@pytest.mark.parametrize(("width", "line"), [(80, "contact.damping_ratio = "), (200, "contact.damping_ratio  ")])
def test_show_fits_its_terminal(width: int, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where columns would be narrow, meanings stand below their keys; no line is wider than the terminal."""
    from rich.console import Console

    from planetfall.cli.landing.show import print_rows
    from planetfall.scenario.files.rows import scenario_rows

    console = Console(width=width, force_terminal=True, color_system=None, highlight=False)
    print_rows(console, list(scenario_rows(package.load("msl-drop"))))
    said = capsys.readouterr().out.splitlines()
    assert [found for found in said if found.startswith(line)]
    assert max(map(len, said)) <= width


def test_show_tells_what_follows(tmp_path: Path) -> None:
    """K = m g/h_eq and C = 2 d sqrt(m K) of the drop, its friction, and a step that the drop's own 1 ms is below."""
    printed = json.loads(succeed("show", "msl-drop", "--json", cwd=tmp_path))
    derived = {
        key.split()[-3] if "per point" in key else key.split()[1]: value for key, value in printed["derived"].items()
    }
    said = succeed("show", "msl-drop", cwd=tmp_path)
    assert "333883.518" in said
    assert "3465.37953" in said
    assert "0.624869352" in said
    assert any(abs(value - 333883.5176) < 1e-3 for value in derived.values())
    longest = next(value for key, value in printed["derived"].items() if "step" in key)
    assert longest > printed["integrator"]["step"]


def test_show_as_json_is_the_scenario(tmp_path: Path) -> None:
    printed = json.loads(inside("show", "sink-flat", "--set", "vehicle.mass=120", "--json", cwd=tmp_path).stdout)
    assert printed.pop("derived")
    expected = package.load("sink-flat").with_values({"vehicle.mass": 120}).to_dict()
    assert printed == json.loads(json.dumps(expected))


def test_show_leaves_out_what_does_not_follow(tmp_path: Path) -> None:
    """A body without contact points has no stiffness; no heading stands over nothing."""
    assert "derived" not in inside("show", "free-top", cwd=tmp_path).stdout


def test_show_tells_the_trim_of_a_lifting_entry(tmp_path: Path) -> None:
    """The angle and ratio of the 70 degree cone of the base; a vehicle that lands without air has none."""
    said = succeed("show", "mars-entry-lifting", cwd=tmp_path)
    assert "\ntrim at the start\n  angle of attack 16.0 deg, lift-to-drag ratio 0.247, at Mach 31.6\n" in said
    printed = json.loads(succeed("show", "mars-entry-lifting", "--json", cwd=tmp_path))
    assert printed["trim"]["lift_to_drag"] == pytest.approx(0.247, abs=5e-4)
    assert "trim at the start" not in inside("show", "msl-drop", cwd=tmp_path).stdout
    run = succeed("run", "mars-entry-lifting", "--set", "scenario.duration=1", "--no-figures", cwd=tmp_path)
    assert "Trim at the start            angle of attack 16.0 deg, lift-to-drag ratio 0.247" in run


def test_show_prints_text_as_it_is_written(tmp_path: Path) -> None:
    """Square brackets in a title or a name are no commands to the terminal."""
    said = inside("show", "msl-drop", "--set", "scenario.title=a [bold] b [/red] c", cwd=tmp_path).stdout
    assert "a [bold] b [/red] c" in said


def test_steepen_finds_a_table_steep_enough(tmp_path: Path) -> None:
    said = succeed("steepen", "msl-drop", "--within", "0.1", cwd=tmp_path)
    assert "--set contact.breakaway_speed=" in said
    assert "integrator.method = 'adaptive' in place of 'rk4'" in said
    assert list(tmp_path.iterdir()) == []


def test_steepen_as_json(tmp_path: Path) -> None:
    printed = json.loads(inside("steepen", "msl-drop", "--within", "0.1", "--json", cwd=tmp_path).stdout)
    rows = printed["rows"]
    speeds = [row["breakaway_speed_m_s"] for row in rows]
    assert speeds == [0.05 / 2**k for k in range(len(rows))]
    assert rows[0]["change"] is None
    assert all(row["change"] > 0.1 for row in rows[1:-1])
    assert rows[-1]["change"] <= 0.1
    assert printed["breakaway_speed_m_s"] == speeds[-2]


def test_steepen_does_not_speak_of_a_method_that_was_chosen(tmp_path: Path) -> None:
    words = ("steepen", "msl-drop", "--within", "0.1", "--set", "integrator.method=adaptive")
    assert "in place of" not in inside(*words, cwd=tmp_path).stdout


def test_steepen_says_why_it_cannot_work_by_columns(tmp_path: Path) -> None:
    words = ("--set", "terrain={model='dem', file='x.tif', gap='column'}")
    done = inside("steepen", "msl-drop", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert "steepen needs the adaptive method" in done.stderr
    assert "use method = 'rk4'" not in done.stderr


def test_steepen_says_when_it_did_not_settle(tmp_path: Path) -> None:
    said = inside("steepen", "msl-drop", "--within", "1e-9", "--halvings", "1", cwd=tmp_path).stdout
    assert "--halvings" in said


def test_bench_keeps_times_and_outcomes_apart(tmp_path: Path) -> None:
    words = ("bench", "sink-flat", "-n", "20", "--threads", "2", "--set", "scenario.duration=0.5")
    said = succeed(*words, cwd=tmp_path)
    for metric in ("trajectories 20", "build_s", "compile_s", "run_s", "steps_per_s", "trajectories_per_s", "outcomes"):
        assert f"sink-flat.{metric}" in said
    printed = json.loads(inside(*words, "--json", cwd=tmp_path).stdout)
    assert sum(printed["sink-flat.outcomes"].values()) == 20
    assert printed["sink-flat.steps_per_s"] > 0


def test_bench_has_a_case_of_its_own(tmp_path: Path) -> None:
    said = succeed("bench", "-n", "2", cwd=tmp_path)
    assert "box-bench.trajectories 2" in said


@pytest.mark.parametrize("verb", ["show", "run", "steepen", "bench"])
def test_no_contact_points_at_all(verb: str, tmp_path: Path) -> None:
    """A free body has nothing to steepen; every other verb takes it."""
    more = {"run": ["--no-figures"], "bench": ["-n", "2"], "steepen": ["--halvings", "1"]}.get(verb, [])
    done = inside(verb, "free-top", *more, cwd=tmp_path)
    assert done.returncode == (2 if verb == "steepen" else 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full on this system")
@pytest.mark.parametrize("words", [["list"], ["show", "msl-drop", "--json"]])
def test_output_to_a_full_device_is_answered_by_a_sentence(words: list[str], tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "planetfall", *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert done.stderr == "planetfall: the output cannot be written (No space left on device)\n"
