"""`terrain.added`: tables, messages, files, and what is said of them on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w

import planetfall
from planetfall import InputError
from planetfall.engine.initial_state import initial_state
from planetfall.scenario.tables.world.terrain_parts import MeshPart
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.model import GROUND_HOLE, GROUND_OK
from support.command import inside
from support.rocks import box_gaps, box_mesh
from support.terrain_files import stl_binary, stl_text, write_tiff

LOW, HIGH = np.array([-1.0, -1.0, -0.5]), np.array([1.0, 1.0, 0.5])
RK4 = {"integrator": {"method": "rk4", "step": 1e-3}, "scenario.duration": 0.02}


def rock_file(folder: Path, name: str = "rock.stl") -> str:
    path = folder / name
    path.write_text(stl_text(*box_mesh(LOW, HIGH)))
    return str(path)


def with_added(*added: dict[str, Any], **values: Any) -> planetfall.Scenario:
    return planetfall.load("sink-flat").with_values({"terrain.added": list(added), **RK4, **values})


def test_a_rock_from_a_file_on_a_plane(tmp_path: Path) -> None:
    file = rock_file(tmp_path)
    scenario = with_added({"model": "mesh", "file": file, "scale": 2.0, "offset": [1.0, 0.0, 0.0]})
    points = np.random.default_rng(0).uniform(-4.0, 4.0, (200, 3))
    gaps, _, _ = make_surface(scenario, "cpu").ask(points)
    expected = np.minimum(points[:, 2], box_gaps(2 * LOW + [1, 0, 0], 2 * HIGH + [1, 0, 0], points))
    np.testing.assert_allclose(gaps, expected, atol=1e-14)
    assert initial_state(scenario, make_surface(scenario, "cpu"))[2] == pytest.approx(1.2, abs=1e-14)  # from its top


def test_rocks_and_a_finer_map_on_a_map(tmp_path: Path) -> None:
    """Each part's own keys hold, and all notes are kept."""
    heights = np.zeros((9, 9), np.float32)
    heights[0, 0] = -9999.0
    coarse = write_tiff(tmp_path / "coarse.tif", heights, corner=(-45.0, 45.0), pixel=(10.0, 10.0), nodata=-9999.0)
    fine = write_tiff(tmp_path / "fine.tif", np.full((5, 5), 0.25, np.float32), corner=(-5.0, 5.0), pixel=(2.0, 2.0))
    scenario = planetfall.load("sink-flat").with_values(
        {"terrain": {"model": "dem", "file": str(coarse), "spacing": 10.0, "added": [
            {"model": "dem", "file": str(fine), "spacing": 2.0},
            {"model": "mesh", "file": rock_file(tmp_path), "offset": [20.0, 0.0, 0.0]},
        ]}, **RK4}
    )  # fmt: skip
    surface = make_surface(scenario, "cpu")
    points = np.array([[0.0, 0.0, 1.0], [20.0, 0.0, 1.0], [10.0, 10.0, 1.0], [-37.0, 35.0, 1.0]])
    gaps, _, statuses = surface.ask(points)
    np.testing.assert_allclose(gaps[:3], [0.75, 0.5, 1.0], atol=1e-14)
    assert list(statuses) == [int(GROUND_OK)] * 3 + [int(GROUND_HOLE)]
    assert surface.n_facets == 2 * 64 + 2 * 16 + 12
    assert "1 of 81 pixels have no data and are holes" in " ".join(surface.facts["notes"])


def test_it_is_written_and_read_back(tmp_path: Path) -> None:
    scenario = with_added({"model": "mesh", "file": "rock.stl"}, {"model": "plane", "slope_deg": 5.0})
    path = tmp_path / "scene.toml"
    path.write_text(tomli_w.dumps(scenario.to_dict()))
    assert planetfall.load(path) == scenario
    assert isinstance(scenario.terrain.added[0], MeshPart)
    changed = scenario.with_values({"terrain.added.0.scale": 3.0})
    assert changed.terrain.added[0].scale == 3.0  # type: ignore[union-attr]
    assert planetfall.load("msl-drop").terrain.added == ()


BAD = [
    ({"model": "mesh"}, r"^terrain\.added\.0\.file: give either a file, or both vertices and facets"),
    (
        {"model": "mesh", "file": "x", "ofset": [0, 0, 0]},
        r"^terrain\.added\.0\.ofset: unknown key; did you mean terrain\.added\.0\.offset\? legal keys: facets, file, ",
    ),
    ({"model": "mesh", "file": "x", "added": []}, r"^terrain\.added\.0\.added: unknown key"),
    (
        {"model": "mesh", "file": "x", "scale": -1.0},
        r"^terrain\.added\.0\.scale: is -1\.0 m; it must be greater than 0",
    ),
    ({"model": "rocks"}, r"^terrain\.added\.0\.model: unknown 'rocks'; expected one of 'plane', 'dem', 'mesh'"),
    ({"file": "x"}, r"^terrain\.added\.0\.model: missing"),
]


@pytest.mark.parametrize(("table", "message"), BAD)
def test_a_bad_table_is_named_by_its_place(table: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        with_added(table)
    assert re.search(message, str(caught.value)), str(caught.value)


def test_error_control_needs_ground_with_a_potential() -> None:
    with pytest.raises(InputError, match=r"terrain\.gap: 'column' makes the ground's force jump"):
        planetfall.load("msl-gale-drop").with_values({"integrator": {"method": "adaptive"}, "terrain.gap": "column"})
    added = [{"model": "dem", "file": "hill.npy", "gap": "column"}]
    with pytest.raises(InputError, match=r"terrain\.added\.0\.gap: 'column' makes the ground's force jump"):
        planetfall.load("sink-flat").with_values({"terrain.added": added})


def test_what_is_wrong_with_a_file_names_its_place(tmp_path: Path) -> None:
    file = rock_file(tmp_path)
    with pytest.raises(
        InputError, match=r"terrain\.added\.1\.file: .*rock\.stl is a mesh; use terrain\.added\.1\.model"
    ):
        make_surface(with_added({"model": "plane"}, {"model": "dem", "file": file}), "cpu")
    vertices, facets = box_mesh(LOW, HIGH)
    inverted = tmp_path / "inverted.stl"
    inverted.write_text(stl_text(vertices, facets[:, ::-1]))
    with pytest.raises(InputError, match=r"terrain\.added\.0\.orientation: closed bodies with normals .*: 1, in"):
        make_surface(with_added({"model": "mesh", "file": str(inverted)}), "cpu")
    turned = with_added({"model": "mesh", "file": str(inverted), "orientation": "up"})
    assert make_surface(turned, "cpu").ask(np.array([[0.0, 0.0, 0.4]]))[0][0] == pytest.approx(-0.1, abs=1e-14)


def test_a_base_that_is_inside_out_is_refused_unless_it_is_meant(tmp_path: Path) -> None:
    """A lander would settle in the rock; a cave is told."""
    vertices, facets = box_mesh(LOW, HIGH)
    file = tmp_path / "inverted.stl"
    file.write_text(stl_text(vertices, facets[:, ::-1]))
    base = with_added().with_values({"terrain": {"model": "mesh", "file": str(file)}})
    with pytest.raises(InputError, match=r"terrain\.orientation: closed bodies .*: 1, in .*'up', .*'unchecked'"):
        make_surface(base, "cpu")
    middle = np.array([[0.0, 0.0, 0.4]])
    for orientation, gap in (("up", -0.1), ("unchecked", 0.1)):
        found = make_surface(base.with_values({"terrain.orientation": orientation}), "cpu").ask(middle)[0][0]
        assert found == pytest.approx(gap, abs=1e-14)


def test_facets_wound_against_each_other_are_refused_unless_they_are_meant() -> None:
    """A sheet of two facets of which one faces down: it would throw about what touches it."""
    sheet = {"model": "mesh", "vertices": [[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]]}
    mixed = with_added().with_values({"terrain": {**sheet, "facets": [[0, 1, 2], [0, 3, 2]]}})
    with pytest.raises(InputError, match=r"terrain\.orientation: 1 edges join facets that are wound against .*'up'"):
        make_surface(mixed, "cpu")
    above = np.array([[-2.0, 2.0, 0.01]])
    turned, kept = (
        make_surface(mixed.with_values({"terrain.orientation": told}), "cpu").ask(above)[0][0]
        for told in ("up", "unchecked")
    )
    assert turned == pytest.approx(0.01) and kept == pytest.approx(-0.01)


@pytest.mark.parametrize("place", [(1.0, 0.3), (-1.0, 0.3), (0.3, -1.0), (-1.0, -1.0)])
def test_a_start_over_a_vertical_edge_stands_on_its_top(place: tuple[float, float]) -> None:
    """There the nearest facet may be the wall, whose normal is level, but what is seen from above faces up."""
    vertices, facets = box_mesh(LOW, HIGH)
    block = {"model": "mesh", "vertices": vertices.tolist(), "facets": facets.tolist()}
    start = {"terrain": block, "initial": {"position": [*place, 0.0], "height": 2.0}}
    scenario = with_added().with_values(start)
    assert initial_state(scenario, make_surface(scenario, "cpu"))[:3].tolist() == [*place, HIGH[2] + 2.0]


def test_along_the_normal_of_an_edge_there_is_no_start() -> None:
    vertices, facets = box_mesh(LOW, HIGH)
    block = {"model": "mesh", "vertices": vertices.tolist(), "facets": facets.tolist()}
    start = {"position": [-1.0, 0.3, 0.0], "height": 2.0, "height_along": "normal"}
    scenario = with_added().with_values({"terrain": block, "initial": start})
    with pytest.raises(InputError, match=r"initial\.height_along: .* an edge, without a normal; use .* 'vertical'"):
        initial_state(scenario, make_surface(scenario, "cpu"))


def test_notes_of_the_files_go_to_stderr_and_results_to_stdout(tmp_path: Path) -> None:
    """Binary STL stores float32: at a planet's radius in steps of a quarter of a metre, which a user has to know."""
    vertices, facets = box_mesh(LOW, HIGH)
    (tmp_path / "far.stl").write_bytes(stl_binary(vertices + np.array([0.0, 0.0, 3.4e6]), facets))
    sets = [f"--set={key}" for key in (
        'terrain.added=[{model="mesh", file="far.stl"}]', "integrator.method=rk4", "integrator.step=0.001",
        "scenario.duration=0.02",
    )]  # fmt: skip
    expected = "planetfall: note: far.stl (STL, binary): coordinates up to 3.4e+06 m are stored in single precision"
    for words in (("run", "--json", "--no-figures", "--out", "x"), ("show", "--json")):
        done = inside(words[0], "sink-flat", *sets, *words[1:], cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        json.loads(done.stdout)
        assert done.stderr.startswith(expected) and "in steps of 0.25 m" in done.stderr
        assert done.stderr.count("\n") == 1
    assert planetfall.open(tmp_path / "x").scenario.terrain.added[0].file == str(tmp_path / "far.stl")  # type: ignore[union-attr]
