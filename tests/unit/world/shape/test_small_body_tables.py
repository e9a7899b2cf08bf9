"""Scenario tables of small bodies: shapes and harmonics as gravity, distance fields as ground, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import build
from planetfall.errors import InputError
from planetfall.world.gravity.field import acceleration_at, gravity_field
from planetfall.world.gravity.model import GRAVITATIONAL_CONSTANT as G
from planetfall.world.shape.mass_properties import shape_properties
from planetfall.world.terrain.ground import make_surface
from support.bodies import Mesh, ball, duck, ellipsoid

DUCK_GM = G * 1500.0 * shape_properties(*duck()).volume * 1e9  # [m^3/s^2], the duck in km
BODY = {"name": "duck", "frame": "P", "gm": DUCK_GM}


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANETFALL_CACHE", str(tmp_path_factory.getbasetemp() / "table-cache"))


def write(folder: Path, mesh: Mesh, name: str = "duck.obj") -> str:
    vertices, facets = mesh
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in vertices] + [f"f {a} {b} {c}" for a, b, c in facets + 1]
    (folder / name).write_text("\n".join(lines) + "\n")
    return str(folder / name)


def scenario(folder: Path, gravity: dict | None = None, terrain: dict | None = None, target: dict | None = None):
    file = write(folder, duck())
    return planetfall.load("sink-flat").with_values(
        {
            "target": target or BODY,
            "gravity": gravity or {"model": "polyhedron"},
            "terrain": {"model": "sdf", "file": file, "scale": 1000.0, "resolution": 100.0, **(terrain or {})},
            "initial": {"position": [0.0, 0.0, 2500.0]},
            "integrator": {"method": "rk4", "step": 1e-4},
        }
    )


PLACE = np.array([300.0, -1200.0, 2500.0])


def test_gravity_takes_the_shape_of_the_terrain(tmp_path: Path) -> None:
    one = acceleration_at(scenario(tmp_path), PLACE)
    other = acceleration_at(
        scenario(tmp_path, {"model": "polyhedron", "shape": write(tmp_path, duck()), "scale": 1000.0}), PLACE
    )
    np.testing.assert_array_equal(one, other)
    assert gravity_field(scenario(tmp_path)).facts["density_kg_m3"] == pytest.approx(1500.0)


def test_density_in_place_of_gm(tmp_path: Path) -> None:
    given = scenario(tmp_path, {"model": "polyhedron", "density": 1500.0}, target={"frame": "P"})
    np.testing.assert_allclose(acceleration_at(given, PLACE), acceleration_at(scenario(tmp_path), PLACE), rtol=1e-13)


def test_grid_is_the_polyhedron_to_its_own_error(tmp_path: Path) -> None:
    """With a shape of its own, coarser than the ground's."""
    shape = {"shape": write(tmp_path, ellipsoid((2.5, 0.9, 0.8), 1), "coarse.obj"), "scale": 1000.0}
    baked = scenario(tmp_path, {"model": "grid", "resolution": 300.0, "error_bound": 0.5, **shape})
    exact = acceleration_at(scenario(tmp_path, {"model": "polyhedron", **shape}), PLACE)
    found, facts = acceleration_at(baked, PLACE), gravity_field(baked).facts
    assert np.linalg.norm(found - exact) < facts["error_surface_max"] * np.linalg.norm(exact)
    refused = scenario(tmp_path, {"model": "grid", "resolution": 300.0, "error_bound": 1e-4, **shape})
    with pytest.raises(InputError, match=r"gravity\.resolution.*error_bound"):
        acceleration_at(refused, PLACE)


def test_the_error_of_the_ground_is_measured_and_coarse_cells_are_noted(tmp_path: Path) -> None:
    """The chord of a cell sags by its square over 8 R: the error of the gap falls by four where cells are halved.

    A ball of facets a quarter of a cell wide: inside the ground the exact distances bend with 1/R = 1/1000 m.
    """
    file = write(tmp_path, ball(1000.0, 4), "ball.obj")
    found = {}
    for spacing in (200.0, 100.0, 50.0):
        table = {"model": "sdf", "file": file, "scale": 1.0, "resolution": spacing}
        facts = make_surface(scenario(tmp_path).with_values({"terrain": table}), "cpu").facts
        found[spacing] = facts["error_gap_rms_m"]
        assert facts["error_gap_max_m"] < 3 * spacing**2 / 8 / 1000.0 * 1.5 + 4.0  # and the facets' own sagitta
        assert any("larger than the facets' edges" in note for note in facts["notes"]) == (spacing > 70.0)
    assert found[200.0] / found[100.0] == pytest.approx(4.0, rel=0.25)
    assert found[100.0] > found[50.0]


def test_the_cost_of_an_exact_field_of_many_facets_is_told(tmp_path: Path) -> None:
    """Before a run, with what is quicker; few facets cost nothing worth a word."""
    shape = {"shape": write(tmp_path, ellipsoid((2.5, 0.9, 0.8), 4), "fine.obj"), "scale": 1000.0}
    (note,) = gravity_field(scenario(tmp_path, {"model": "polyhedron", **shape})).facts["notes"]
    assert "sums 5120 facets" in note and "0.31 ms" in note and "'grid'" in note
    assert gravity_field(scenario(tmp_path)).facts["notes"] == []


def test_centering_moves_ground_and_gravity(tmp_path: Path) -> None:
    placed = {"center": "mass"}
    moved = scenario(tmp_path, terrain=placed)
    center = 1000.0 * shape_properties(*duck()).center_of_mass
    np.testing.assert_allclose(
        acceleration_at(moved, PLACE - center), acceleration_at(scenario(tmp_path), PLACE), rtol=1e-12
    )
    gaps = [make_surface(s, "cpu").ask(p)[0][0] for s, p in ((scenario(tmp_path), PLACE), (moved, PLACE - center))]
    assert gaps[0] == pytest.approx(gaps[1], abs=60.0)  # nodes lie elsewhere: interpolation of 800 m cells


def test_a_shape_of_gravity_s_own_has_the_axes_of_the_ground(tmp_path: Path) -> None:
    """Unless it says otherwise."""
    own = {"model": "polyhedron", "shape": write(tmp_path, duck(), "own.obj"), "scale": 1000.0}
    turned = {"center": "principal"}
    expected = acceleration_at(scenario(tmp_path, terrain=turned), PLACE)
    np.testing.assert_array_equal(acceleration_at(scenario(tmp_path, own, terrain=turned), PLACE), expected)
    as_filed = acceleration_at(scenario(tmp_path, {**own, "center": "file"}, terrain=turned), PLACE)
    np.testing.assert_array_equal(as_filed, acceleration_at(scenario(tmp_path), PLACE))
    assert np.linalg.norm(as_filed - expected) > 0.01 * np.linalg.norm(expected)


def test_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    given = scenario(tmp_path)
    before = acceleration_at(given, PLACE)
    vertices, facets = duck()
    write(tmp_path, (1.2 * vertices, facets))
    after = acceleration_at(given, PLACE)
    assert not np.allclose(before, after, rtol=1e-3)


def test_noise_and_its_regions_are_built(tmp_path: Path) -> None:
    noise = {
        "amplitude": 1.0,
        "wavelength": 90.0,
        "regions": [{"center": [2000.0, 0, 0], "radius": 900, "amplitude": 5}],
    }
    surface = make_surface(scenario(tmp_path, terrain={"noise": noise}), "cpu")
    assert surface.model.name == "sdf-noise"
    assert surface.facts["noise_deviation_m"] == pytest.approx(5.0 * np.sqrt(sum(0.25**i for i in range(4))))
    assert surface.facts["noise_slope_bound"] > surface.facts["noise_slope_deviation"] > 0.0


def test_noise_through_dotted_keys(tmp_path: Path) -> None:
    given = scenario(tmp_path).with_values({"terrain.noise.amplitude": 0.5, "terrain.noise.wavelength": 40.0})
    assert given.terrain.noise.amplitude == 0.5
    assert given.terrain.model == "sdf"
    other = given.with_values({"terrain.file": write(tmp_path, ball(2.0), "ball.obj")})
    assert (other.terrain.model, other.terrain.noise.amplitude) == ("sdf", 0.5)


def test_rocks_are_built(tmp_path: Path) -> None:
    rocks = {"density": 1e-6, "reference_diameter": 300.0, "diameter_min": 300.0, "diameter_max": 600.0}
    smooth, rocky = (make_surface(scenario(tmp_path, terrain=given), "cpu") for given in ({}, {"rocks": rocks}))
    assert rocky.facts["bricks"] > smooth.facts["bricks"]
    with pytest.raises(InputError, match=r"rocks\.diameter_min.*at least 300"):
        make_surface(scenario(tmp_path, terrain={"rocks": {**rocks, "diameter_min": 99.0}}), "cpu")


@pytest.mark.parametrize("shape", ["sphere", "ellipsoid", "box"])
def test_a_body_by_a_formula(tmp_path: Path, shape: str) -> None:
    half = [500.0, 500.0, 500.0] if shape == "sphere" else [800.0, 500.0, 400.0]
    table = {"model": "sdf", "shape": shape, "half_sizes": half, "resolution": 20.0}
    given = scenario(tmp_path, {"model": "point"}).with_values({"terrain": table})
    gaps = make_surface(given, "cpu").ask(np.array([[0.0, 0.0, half[2] + 3.0], [half[0], 0.0, 0.0]]))[0]
    np.testing.assert_allclose(gaps, [3.0, 0.0], atol=0.3)


def test_a_scenario_runs_from_build_to_its_first_step(tmp_path: Path) -> None:
    model = build(scenario(tmp_path))
    assert model.assembly.gravity.name == "polyhedron"
    assert model.assembly.terrain.name == "sdf"


REFUSED = {
    "frame L": ({}, {}, {"name": "duck", "gm": DUCK_GM, "radius": 1000.0}, r"target\.frame"),
    "gm and density": ({"model": "polyhedron", "density": 1500.0}, {}, None, "both"),
    "neither": ({}, {}, {"frame": "P"}, r"gravity\.density.*missing"),
    "a shape in km": ({}, {"scale": 1.0, "resolution": 0.1}, None, "scale = 1000"),
    "no shape anywhere": (
        {},
        {"file": None, "shape": "sphere", "half_sizes": [9.0, 9.0, 9.0]},
        None,
        r"gravity\.shape",
    ),
    "no such shape": ({"model": "polyhedron", "shape": "nowhere.obj"}, {}, None, r"gravity\.shape.*cannot be opened"),
    "no such gravity": ({"model": "harmonics", "file": "nowhere.sha"}, {}, None, r"gravity\.file.*cannot be opened"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    gravity, terrain, target, words = REFUSED[name]
    with pytest.raises(InputError, match=words):
        acceleration_at(scenario(tmp_path, gravity or None, terrain, target), PLACE)


def twice(vertices: np.ndarray, facets: np.ndarray) -> Mesh:
    """A body and its copy, one in the other."""
    return np.vstack([vertices, vertices + np.array([1.3, 0.1, 0.2])]), np.vstack([facets, facets + len(vertices)])


BAD_TERRAIN = {
    "open": (lambda v, f: (v, f[5:]), {}, "open: "),
    "steep noise": (lambda v, f: (v, f), {"noise": {"amplitude": 9.0, "wavelength": 10.0}}, "slope_limit"),
    "through itself": (twice, {}, "passes through itself"),
}


@pytest.mark.parametrize("name", BAD_TERRAIN)
def test_bad_ground_is_refused(tmp_path: Path, name: str) -> None:
    change, terrain, words = BAD_TERRAIN[name]
    given = scenario(tmp_path, terrain=terrain)
    write(tmp_path, change(*duck()))
    with pytest.raises(InputError, match=words):
        make_surface(given, "cpu")


def folded(vertices: np.ndarray, facets: np.ndarray) -> Mesh:
    """One vertex pushed through the other side of the body."""
    moved = vertices.copy()
    moved[0] = -1.5 * moved[0]
    return moved, facets


def test_folds_are_accepted_by_their_number(tmp_path: Path) -> None:
    """Refused with the number to accept, the first pair and its place; accepted, both ground and gravity say so."""
    given = scenario(tmp_path)
    write(tmp_path, folded(*duck()))
    for ask in (lambda run: make_surface(run, "cpu"), gravity_field):
        with pytest.raises(InputError, match=r"^terrain\.file: .*through itself.* near \[.*\] m \(facets \d") as caught:
            ask(given)
        number = int(caught.value.advice.rpartition("terrain.crossed_facets = ")[2])
        assert f": {number} of {len(duck()[1])} facets" in str(caught.value)
        with pytest.raises(InputError, match=f"at most {number - 1} such facets"):
            ask(given.with_values({"terrain.crossed_facets": number - 1}))
        found = ask(given.with_values({"terrain.crossed_facets": number}))
        assert any("crossed by others" in note for note in found.facts["notes"])


def test_tables_refuse_what_contradicts_itself() -> None:
    from planetfall.scenario.tables.world.gravity_shape import GravityHarmonics
    from planetfall.scenario.tables.world.terrain_sdf import TerrainSdf

    for given, words in (
        ({"file": "a.obj", "shape": "box"}, "either a file or a shape"),
        ({"shape": "box"}, "half_sizes"),
        ({"shape": "sphere", "half_sizes": (1.0, 2.0, 1.0)}, "no sphere"),
    ):
        with pytest.raises(ValueError, match=words):
            TerrainSdf(model="sdf", **given)
    with pytest.raises(ValueError, match="more than the degree"):
        GravityHarmonics(model="harmonics", file="f", degree=2, order=3)


SHA = "1.6E+01, 4.5E-04, 0.0, 2, 2, 1, 0.0, 0.0\n2, 0, -5.0E-02, 0.0\n2, 1, 0.0, 0.0\n2, 2, 8.0E-02, 0.0\n"


def harmonic(folder: Path, target: dict, **given: object):
    (folder / "field.sha").write_text(SHA)
    gravity = {"model": "harmonics", "file": str(folder / "field.sha"), **given}
    return planetfall.load("sink-flat").with_values({"target": target, "gravity": gravity})


def test_harmonics_in_frame_p_and_at_a_site(tmp_path: Path) -> None:
    """The same place, 20 km out on the equator at 90 E, seen in P and from L: x east, y north, z up."""
    in_p = acceleration_at(harmonic(tmp_path, {"frame": "P"}), np.array([0.0, 20000.0, 0.0]))
    site = {"radius": 16000.0, "spin_axis": [0.0, 1.0, 0.0]}
    in_l = acceleration_at(harmonic(tmp_path, site, longitude_deg=90.0), np.array([0.0, 0.0, 4000.0]))
    np.testing.assert_allclose(in_l, [-in_p[0], in_p[2], in_p[1]], atol=1e-18)
    assert in_l[2] < 0.0


def test_harmonics_say_where_they_hold(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="need not converge"):
        acceleration_at(harmonic(tmp_path, {"frame": "P"}), np.array([0.0, 8000.0, 0.0]))


@pytest.mark.parametrize(
    ("target", "given", "words"),
    [
        ({"radius": 16000.0}, {}, "longitude_deg"),
        ({"radius": 16000.0}, {"longitude_deg": 3.0}, "on the spin axis"),
        ({"frame": "P", "gm": 9.0e5}, {}, r"its GM is 450000"),
        ({"frame": "P"}, {"degree": 3}, "0 to 2"),
        ({"frame": "P", "gm": 4.5e5}, {"unit": "m"}, "unit"),
    ],
)
def test_harmonics_of_another_body_or_place_are_refused(tmp_path: Path, target, given, words: str) -> None:
    with pytest.raises(InputError, match=words):
        acceleration_at(harmonic(tmp_path, target, **given), np.array([0.0, 20000.0, 0.0]))
