"""The shortest scenario on every built-in body: a cube let go one metre over the ground that the body's name gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import planetfall
from support.command import inside, refuse, succeed

SMALL = ["phobos", "deimos", "eros", "itokawa", "ryugu", "bennu", "didymos", "dimorphos"]
REST = """
[vehicle]
name = "cube"

[contact]
law = "distributed"
restitution = 0.5
impact_speed = 0.1
impact_depth = 0.01
friction = 0.6
rolling_resistance = 0.002
slip_speed = 1e-3
roll_rate = 1e-2

[initial]
position = [0.0, 0.0, 1.0]
height = 1.0
velocity = [0.02, 0.01, -0.1]

[integrator]
method = "adaptive"
tolerance = 1e-8

[record]
interval = 2.0
"""


def write(place: Path, name: str, more: str = "") -> None:
    text = f'[scenario]\nname = "on-{name}"\nduration = 25.0\n\n[target]\nname = "{name}"\n{more}{REST}'
    (place / "cube.toml").write_text(text)


@pytest.mark.parametrize("name", SMALL)
def test_a_cube_lands_on_it(name: str, tmp_path: Path) -> None:
    """Ground is the body's ellipsoid with its roughness, gravity that of the ellipsoid.

    Noise moves the ground by three of its standard deviations, 0.46 m in all octaves, in one of 370 places.
    """
    write(tmp_path, name)
    # cells four times as large as those that a run without this gets are measured in a sixteenth of the time
    cells = planetfall.load(tmp_path / "cube.toml").target.semi_axes[0] / 25.0
    done = inside(
        "run", "cube.toml", "--out", "run", "--no-figures", "--set", f"terrain.resolution={cells}", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    run = planetfall.open(tmp_path / "run")
    target, ground = run.scenario.target, run.scenario.ground
    assert (ground.shape, ground.half_sizes, ground.noise) == ("ellipsoid", target.semi_axes, target.roughness)
    touched = [event for event in run.events if event.kind == "touch"]
    assert touched
    height = touched[0].position[2] - target.semi_axes[2]
    assert abs(height) < 1.5
    free = run.data.sel(time=slice(0.0, 2.0))
    fall = float(np.diff(free.velocity.values[:, 0, 2])[0] / np.diff(free.time.values)[0])
    # 3/2 GM/r^2 at the pole of the flattest of them; spin adds less than 10 % there
    pull = target.gm / target.semi_axes[2] ** 2
    assert 0.4 * pull < -fall < 1.1 * pull


def test_a_name_and_numbers_that_everybody_knows() -> None:
    """Surface gravity and density that the numbers make are those that the papers print, to their digits."""
    for name in SMALL:
        values = planetfall.scenario.files.built_in.read_library("bodies", name)
        volume = 4.0 / 3.0 * np.pi * np.prod(values["semi_axes"])
        made = values["gm"] / 6.6743e-11 / volume
        # the ellipsoid's volume is that of the body to 20 %: Ryugu's top fills 0.82 of it, Eros overfills it
        assert made == pytest.approx(values["density"], rel=0.2), name
        assert values["source"]


def test_a_shape_file_takes_the_ellipsoids_place(tmp_path: Path) -> None:
    import trimesh

    trimesh.creation.icosphere(3, 250.0).export(tmp_path / "own.stl")
    write(tmp_path, "bennu", 'shape = "own.stl"\n')
    scenario = planetfall.load(tmp_path / "cube.toml")
    assert scenario.ground.file == str(tmp_path / "own.stl")
    assert scenario.gravity.model == "grid"


def test_a_planet_still_asks_for_its_ground(tmp_path: Path) -> None:
    write(tmp_path, "mars")
    said = refuse("run", "cube.toml", cwd=tmp_path)
    assert "gravity" in said and "missing" in said


@pytest.mark.parametrize("name, g", [("mars", 3.71), ("moon", 1.62), ("earth", 9.80)])
def test_a_cube_falls_on_a_planet(name: str, g: float, tmp_path: Path) -> None:
    """One metre over a plane, in the field of a point: 0.5 % about the g that everybody knows at the equator."""
    write(tmp_path, name, '\n[gravity]\nmodel = "point"\n\n[terrain]\nmodel = "plane"\n')
    short = ("--set", "scenario.duration=0.3", "--set", "record.interval=0.01", "--set", "contact.impact_speed=3.0")
    succeed("run", "cube.toml", *short, "--out", "run", "--no-figures", cwd=tmp_path)
    free = planetfall.open(tmp_path / "run").data.isel(time=slice(0, 10))
    slope = np.polyfit(free.time.values, free.velocity.values[:, 0, 2], 1)[0]
    assert slope == pytest.approx(-g, rel=5e-3)
