"""`planetfall show` takes every name that `planetfall list` prints."""

import json
from pathlib import Path

import pytest
import trimesh

import planetfall
from support.command import inside, refuse, succeed

KINDS = {"bodies": "target", "vehicles": "vehicle", "terrains": "terrain", "rovers": "rover"}


def test_a_body_is_shown_with_units_and_sources(tmp_path: Path) -> None:
    text = succeed("show", "eros", cwd=tmp_path)
    assert "target.gm" in text and "446300 m^3/s^2" in text and "Yeomans2000" in text
    assert "0.00033116585 rad/s" in text
    assert "target.sun_direction" not in text and "not given" not in text


@pytest.mark.parametrize("kind", KINDS)
def test_every_part_of_the_library_can_be_shown(kind: str) -> None:
    from planetfall.scenario.files.library_parts import parts_named

    for name in planetfall.library_names(kind):
        parts = parts_named(name)
        assert KINDS[kind] in [part.path for part in parts], name
        for part in parts:
            assert part.rows
            assert part.values["name"] == name


def test_the_density_that_the_gravity_has_is_among_what_follows(tmp_path: Path) -> None:
    """That of GM over the shape's volume, and not the published one, which moves nothing."""
    trimesh.creation.icosphere(subdivisions=2, radius=300.0).export(tmp_path / "ball.obj")
    volume = trimesh.load(tmp_path / "ball.obj").volume
    own = ("--set", "target.name=itokawa", "--set", "target.shape=ball.obj", "--set", "gravity.model=polyhedron")
    done = inside("show", "minerva-67p", *own, "--set", "terrain.resolution=30", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr  # which has notes of the start
    found = json.loads(done.stdout)
    assert found["target"]["density"] == 1900.0
    density = found["derived"]["gravity: density, GM over G and volume [kg/m^3]"]
    assert density == pytest.approx(2.343 / 6.6743e-11 / volume, rel=1e-4)


def test_as_json_it_has_the_keys_of_a_scenario(tmp_path: Path) -> None:
    found = json.loads(succeed("show", "mars", "--json", cwd=tmp_path))
    assert found["target"]["name"] == "mars"
    assert "frame" not in found["target"]  # which is the scenario's choice


def test_what_is_no_scenario_is_not_run_but_told_where_it_belongs(tmp_path: Path) -> None:
    said = refuse("run", "eros", cwd=tmp_path)
    assert "is no scenario, but a built-in body" in said and "planetfall show eros" in said and "target.name" in said
    assert "change it in a scenario" in refuse("show", "eros", "--set", "target.gm=1.0", cwd=tmp_path)


def test_a_name_that_is_misspelt_is_told_the_nearest_of_all_that_can_be_shown(tmp_path: Path) -> None:
    assert "did you mean eros?" in refuse("show", "erso", cwd=tmp_path)
    assert "did you mean moon-descent?" in refuse("show", "moon-decent", cwd=tmp_path)
