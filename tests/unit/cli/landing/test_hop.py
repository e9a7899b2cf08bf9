"""`planetfall hop`: what it says, what it writes, and how it ends."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

import planetfall
from planetfall.analysis.hop import hop_plan
from planetfall.cli.app import app
from planetfall.errors import InputError

HOP = ["hop", "hedgehog-hop", "--to"]


@pytest.fixture
def short_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine hops in place of 588."""
    quick = partial(hop_plan.plan_hop, n_momenta=3, n_headings=3, rounds=1)
    monkeypatch.setattr(hop_plan, "plan_hop", quick)


@pytest.fixture
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that must not begin."""

    def fail(*args: object, **options: object) -> None:
        raise AssertionError("the search began")

    monkeypatch.setattr(hop_plan, "plan_hop", fail)


@pytest.mark.usefixtures("short_search")
def test_a_plan_is_told_and_written(tmp_path: Path) -> None:
    """Into a folder that is made for it, whole: the scenario that it says, and no other file."""
    out = tmp_path / "new" / "hop.toml"
    done = CliRunner().invoke(app, [*HOP, "9,6,40", "--within", "8", "--json", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "is 40 m above the ground; the place under it, [9.000, 6.000, 0.000] m, was taken" in done.stderr
    told = json.loads(done.stdout)
    assert told["is_reached"] and told["within_m"] == 8.0 and told["target_m"] == [9.0, 6.0, 0.0]
    errors = told["with_errors"]
    assert (errors["speed_error_percent"], errors["heading_error_deg"], errors["hops"]) == (1.0, 1.0, 200)
    assert told["miss_m"] < errors["miss_half_m"] < errors["miss_90_percent_m"]
    assert [path.name for path in out.parent.iterdir()] == ["hop.toml"]
    speeds = {wheel.name: wheel.speed for wheel in planetfall.load(str(out)).vehicle.flywheels}
    assert speeds == told["wheel_speeds_rad_s"]


@pytest.mark.usefixtures("short_search")
def test_a_miss_is_said_in_words_and_by_the_exit_code() -> None:
    done = CliRunner().invoke(app, [*HOP, "9,6,0", "--within", "1e-3", "--speed-error", "2", "--heading-error", "0"])
    assert done.exit_code == 1
    assert "NOT REACHED: no hop came within 0.001 m of the target, 10.82 m away" in done.stdout
    assert "With errors of 2 % of speed and 0 deg of heading (standard deviations, 200 hops" in done.stdout
    assert "half of the hops miss by less than" in done.stdout
    assert all("% done, about" in line for line in done.stderr.splitlines())  # how far a slow machine is, and no more


@pytest.mark.usefixtures("no_search")
@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("taken/hop.toml", "is not a folder that can be written"),
        ("taken.toml", "exists; choose another file with --out"),
        ("folder.toml", "is a folder; expected the name of a file"),
        ("hop.txt", "is no TOML file"),
    ],
)
def test_a_file_that_cannot_be_is_refused_before_the_search(tmp_path: Path, out: str, said: str) -> None:
    (tmp_path / "taken").write_text("")
    (tmp_path / "taken.toml").write_text("")
    (tmp_path / "folder.toml").mkdir()
    done = CliRunner().invoke(app, [*HOP, "9,6,0", "--out", str(tmp_path / out)])
    assert isinstance(done.exception, InputError)
    assert said in str(done.exception)


@pytest.mark.usefixtures("no_search")
@pytest.mark.parametrize("place", ["1,2", "a,b,c", "nan,0,0"])
def test_what_is_no_place_is_refused(place: str) -> None:
    done = CliRunner().invoke(app, [*HOP, place])
    assert "X,Y,Z [m] in the surface frame" in str(done.exception)
