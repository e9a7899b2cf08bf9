"""Bad input: exit code 2, one paragraph that says what to do, no traceback, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import inside, planetfall, refuse

BAD_KEYS = {
    "NaN": ("vehicle.mass=nan", "vehicle.mass", "[kg]"),
    "negative mass": ("vehicle.mass=-5", "vehicle.mass", "greater than 0"),
    "triangle inequality": ("vehicle.inertia=[1, 1, 5]", "vehicle.inertia", "triangle inequality"),
    "non-unit normal": ("terrain={model='plane', normal=[0, 0, 2]}", "terrain.normal", "length 1"),
    "theta2 > theta1": ("contact.sliding_angle_deg=40", "contact.sliding_angle_deg", "breakaway"),
    "V2 <= V1": ("contact.sliding_speed=0.05", "contact.sliding_speed", "must exceed"),
    "zero step": ("integrator.step=0", "integrator.step", "greater than 0"),
    "step too long": ("integrator.step=0.01", "integrator.step", "use integrator.step ="),
    "unknown key": (
        "contact.rest_penetratoin=0.01",
        "contact.rest_penetratoin",
        "did you mean contact.rest_penetration?",
    ),
    "unknown table": ("contct.clamp=true", "contct", "did you mean contact?"),
    "unknown choice": ("integrator.method=euler", "integrator.method", "'rk4', 'adaptive'"),
    "start off the map": ("initial.position=[9, 0, 0]", "initial.position", "off the map"),
    "start in the ground": ("initial={position=[1, 0, -3]}", "initial.position", "m inside the ground"),
    "no pair": ("contact.clamp", "--set contact.clamp", "KEY=VALUE"),
    "too large a record": ("record.interval=1e-9", "record.interval", "at least"),
}


@pytest.mark.parametrize("case", list(BAD_KEYS))
def test_run_refuses(case: str, tmp_path: Path) -> None:
    assignment, where, hint = BAD_KEYS[case]
    said = refuse("run", "msl-drop", "--set", "terrain.radius=5", "--set", assignment, "--out", "x", cwd=tmp_path)
    assert said.startswith(f"planetfall: {where}")
    assert hint in said


@pytest.mark.parametrize("verb", ["show", "steepen", "bench"])
def test_every_verb_refuses(verb: str, tmp_path: Path) -> None:
    assert "vehicle.mass" in refuse(verb, "msl-drop", "--set", "vehicle.mass=-5", cwd=tmp_path)


def test_unknown_scenario(tmp_path: Path) -> None:
    assert "did you mean msl-drop?" in refuse("run", "msl-dorp", cwd=tmp_path)


def test_missing_file(tmp_path: Path) -> None:
    assert "nowhere.toml: no such file" in refuse("run", "nowhere.toml", cwd=tmp_path)


def test_not_toml(tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text("[scenario\nname =")
    assert "broken.toml: not TOML" in refuse("run", "broken.toml", cwd=tmp_path)


def test_a_letter_case_is_no_other_name(tmp_path: Path) -> None:
    assert "did you mean msl-drop?" in refuse("run", "MSL-DROP", cwd=tmp_path)


@pytest.mark.parametrize("name", ["folder", "./folder"])
def test_a_folder_is_no_scenario_but_may_hold_one(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert f"{Path(name)}: is a folder; expected a scenario in TOML; name a file" in refuse("run", name, cwd=tmp_path)
    (tmp_path / "folder" / "scenario.toml").write_text('based_on = "msl-drop"')
    assert "give the scenario in it: folder/scenario.toml" in refuse("run", name, cwd=tmp_path)


def test_a_file_of_another_kind_is_no_unknown_name(tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text("{}")
    assert "a file whose name does not end in .toml" in refuse("run", "summary.json", cwd=tmp_path)


def test_text_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "wide.toml").write_text('based_on = "msl-drop"', encoding="utf-16")
    assert "wide.toml: is not text in UTF-8" in refuse("run", "wide.toml", cwd=tmp_path)


def test_a_base_that_is_no_name(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text('based_on = ["msl-drop", "sink-flat"]')
    assert refuse("run", "two.toml", cwd=tmp_path).startswith("planetfall: based_on: is the list")


@pytest.mark.parametrize("along", ["-1", "nan", "1e9"])
def test_a_place_that_is_not_on_the_path(along: str, tmp_path: Path) -> None:
    assert "the length of the path" in refuse("rover", "pose", "lsr1-step", "--along", along, cwd=tmp_path)


def test_a_route_that_leads_nowhere(tmp_path: Path) -> None:
    said = refuse("rover", "route", "msl-class-yard", "--from", "0,0", "--to", "0,0", cwd=tmp_path)
    assert "--to: (0, 0) m is where the route begins" in said


def test_a_pdf_that_is_named_as_something_else(tmp_path: Path) -> None:
    assert "ends in .pdf" in refuse("report", "folder", "--pdf", "page.html", cwd=tmp_path)


def test_a_campaign_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "many").mkdir()
    (tmp_path / "many" / "campaign.json").write_text("{}")
    assert "many: is a campaign, not a run" in refuse("figures", "many", cwd=tmp_path)


def test_no_such_device_names_those_that_are(tmp_path: Path) -> None:
    import warp as wp

    from planetfall.compute.device import start_warp

    start_warp()
    here = [str(device) for device in wp.get_devices()]
    said = refuse("run", "msl-drop", "--device", "cuda:99", "--out", "x", cwd=tmp_path)
    assert "cuda:99" in said
    assert f"expected one of {', '.join(here)}" in said


@pytest.mark.parametrize("verb", ["run", "bench"])
def test_cuda_where_there_is_none(verb: str, tmp_path: Path) -> None:
    import warp as wp

    from planetfall.compute.device import start_warp

    start_warp()
    if wp.get_cuda_devices():
        pytest.skip("there is a CUDA device here")
    assert "expected one of cpu" in refuse(verb, "msl-drop", "--device", "cuda:0", cwd=tmp_path)


def test_unwritable_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    said = refuse("run", "msl-drop", "--out", "file/run", cwd=tmp_path)
    assert "not a folder that can be written" in said
    assert "--out" in said


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert "file: is a file" in refuse("run", "msl-drop", "--out", "file", "--force", cwd=tmp_path)


def test_a_folder_of_other_things(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    assert "holds other files" in refuse("run", "msl-drop", "--out", "mine", "--force", cwd=tmp_path)


@pytest.mark.parametrize(
    "words", [("run",), ("fly", "msl-drop"), ("run", "msl-drop", "--nonsense"), ("bench", "msl-drop", "-n", "many")]
)
def test_bad_words_are_answered_with_usage(words: tuple[str, ...], tmp_path: Path) -> None:
    done = planetfall(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert "Usage: planetfall" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("bench", "sink-flat", "-n", "0"), id="no trajectories"),
        pytest.param(("bench", "sink-flat", "-n", "-3"), id="fewer than none"),
        pytest.param(("bench", "sink-flat", "-n", "1000000000000000"), id="more than any memory holds"),
        pytest.param(("bench", "sink-flat", "-n", "2", "--threads", "-1"), id="fewer than no threads"),
        pytest.param(("steepen", "msl-drop", "--halvings", "-1"), id="fewer than no halvings"),
        pytest.param(("steepen", "msl-drop", "--within", "nan", "--halvings", "1"), id="a limit that is not a number"),
    ],
)
def test_numbers_of_options_are_checked(words: tuple[str, ...], tmp_path: Path) -> None:
    assert inside(*words, cwd=tmp_path).returncode == 2


@pytest.mark.parametrize(
    "assignment",
    [
        "record.interval=1e-310", "vehicle.mass=1e300", "gravity.acceleration=1e200", "initial.velocity=[1e200, 0, 0]",
        "initial.velocity=[0, 0, -1e200]",
    ],
)  # fmt: skip
def test_numbers_beyond_all_bounds(assignment: str, tmp_path: Path) -> None:
    """Finite, legal one by one, and hopeless: refused, or run to a coded outcome, but never a traceback."""
    done = inside("run", "msl-drop", "--set", assignment, "--out", "x", "--no-figures", cwd=tmp_path)
    assert done.returncode in (0, 1, 2)


@pytest.mark.parametrize("name", ["../elsewhere", ".."])
def test_a_name_is_no_path(name: str, tmp_path: Path) -> None:
    """A scenario's name names the folder under runs/; it cannot lead out of it."""
    words = ("run", "msl-drop", "--set", f"scenario.name='{name}'", "--set", "scenario.duration=0.1", "--no-figures")
    inside(*words, cwd=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} <= {"runs"}
