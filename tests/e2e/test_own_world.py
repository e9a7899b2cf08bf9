"""A world of one's own: gravity, ground, air, a sensor and a detector from the examples' files, end to end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import planetfall
from support.command import planetfall as command

EXAMPLES = Path(__file__).parents[2] / "examples" / "plugins"


@pytest.fixture(scope="module")
def world() -> planetfall.Trajectory:
    return planetfall.run(planetfall.load(EXAMPLES / "own-world.toml"))


def test_gravity_of_ones_own_is_felt_and_accounted_for(world: planetfall.Trajectory) -> None:
    """Acceleration as in NumPy; potential and acceleration belong together, or the account would not close."""
    from planetfall.world.gravity.field import acceleration_at

    place, lobes = np.array([1.0, -2.0, 3.0]), ((4000.0, (0.0, 0.0, -60.0)), (1000.0, (40.0, 0.0, -60.0)))
    pulls = [-gm * (place - center) / np.linalg.norm(place - np.array(center)) ** 3 for gm, center in lobes]
    assert acceleration_at(world.scenario, place) == pytest.approx(sum(pulls), rel=1e-14)
    turned_over = np.ptp(world.data.energy_gravity.values)
    assert world.summary["energy_closure_J"] < 1e-7 * turned_over


def test_ground_of_ones_own_is_touched_and_seen(world: planetfall.Trajectory) -> None:
    """Gaps are distances from a sphere; a beam straight down from 3 m over its top reads 3 m."""
    data = world.data
    from_center = np.linalg.norm(data.position.values[:, 0] - [0.0, 0.0, -20.0], axis=1)
    assert data.contact_gap.values.min() < 0 < from_center.min() - 20.0
    assert data["range"].values[0] == pytest.approx(3.0, rel=1e-12)
    assert world.summary["touchdowns"] == [3, 3, 3, 3]


def test_a_sensor_of_ones_own_reads_and_a_detector_declares(world: planetfall.Trajectory) -> None:
    """In free flight about a principal axis the tilt is omega t: less than the limit from the first reading on."""
    data = world.data
    flying = data.time_tilt.values < 2.0
    assert data.tilt.values[flying] == pytest.approx(0.3 * data.time_tilt.values[flying], abs=1e-7)
    assert data.tilt.attrs["units"] == "rad"
    assert world.summary["landed_s"] == pytest.approx(0.2, abs=1e-9)


def test_a_world_of_ones_own_is_saved_drawn_and_shown(world: planetfall.Trajectory, tmp_path: Path) -> None:
    world.save(tmp_path / "run")
    reported = command("report", str(tmp_path / "run"), cwd=tmp_path)
    assert reported.returncode == 0, reported.stderr


def test_a_viewer_draws_ground_that_it_only_asks(world: planetfall.Trajectory) -> None:
    """All vertices of the picture lie on the boulder."""
    from planetfall.viewer.ground.ground import Detail, drawn_ground
    from planetfall.world.terrain.ground import make_surface

    drawn = drawn_ground(make_surface(world.scenario, "cpu"), Detail(world.data.position.values[:, 0], 1.0, 10.0))
    used = drawn.vertices[np.unique(drawn.facets)]
    assert np.linalg.norm(used - [0.0, 0.0, -20.0], axis=1) == pytest.approx(20.0, abs=1e-9)


def test_air_of_ones_own() -> None:
    """rho_0 (1 - h/H), nothing above; with the wind that any air may have."""
    from planetfall.world.atmosphere.from_scenario import air_at

    scenario = planetfall.load("msl-drop").with_values(
        {
            "plugins": [str(EXAMPLES / "linear_air.py")],
            "atmosphere": {
                "model": "linear-air", "density": 0.02, "ceiling": 1e4,
                "wind": {"heights": [0.0, 1e4], "east": [5.0, 5.0], "north": [0.0, 0.0]},
            },
        }
    )  # fmt: skip
    air = air_at(scenario.atmosphere, np.array([0.0, 2500.0, 2e4]))
    assert air["density"] == pytest.approx([0.02, 0.015, 0.0], rel=1e-15)
    assert air["pressure"] == pytest.approx(air["density"] * 191.4 * 210.0, rel=1e-15)
    assert air["wind_east"] == pytest.approx([5.0, 5.0, 5.0], rel=1e-15)


WRONG: dict[str, tuple[str, str]] = {
    "field_without_func": (
        "register(replace(part, model=replace(part.model, potential=lambda p, x: 0)))",
        "its potential is not a @wp.func",
    ),
    "field_without_fill": ("register(replace(part, fill=None))", "lacks params, a @wp.struct, or the function fill"),
}  # fmt: skip


@pytest.mark.parametrize("stem", WRONG)
def test_a_field_that_misses_a_part(stem: str, tmp_path: Path) -> None:
    text, sentence = WRONG[stem]
    source = (EXAMPLES / "two_lobes.py").read_text().replace("two-lobes", stem.replace("_", "-"))
    source = source.replace("register(GravityPart", "from dataclasses import replace\npart = (GravityPart")
    (tmp_path / f"{stem}.py").write_text(f"{source}\n{text}\n")
    with pytest.raises(planetfall.InputError, match=f"gravity field '{stem.replace('_', '-')}': {sentence}"):
        planetfall.load("msl-drop").with_values({"plugins": [str(tmp_path / f"{stem}.py")]})


def test_numbers_that_a_struct_does_not_have(tmp_path: Path) -> None:
    source = (
        (EXAMPLES / "two_lobes.py")
        .read_text()
        .replace("two-lobes", "odd-lobes")
        .replace("    return {name:", "    return {'mass': 1.0} | {name:")
    )
    (tmp_path / "odd_lobes.py").write_text(source)
    values = planetfall.load(EXAMPLES / "own-world.toml").to_dict()
    values["gravity"]["model"] = "odd-lobes"
    scenario = planetfall.Scenario.from_dict(
        {**values, "plugins": [*values["plugins"], str(tmp_path / "odd_lobes.py")]}
    )
    with pytest.raises(
        planetfall.InputError, match=r"gravity 'odd-lobes': fill gives 'mass', which its params do not have"
    ):
        planetfall.run(scenario)
