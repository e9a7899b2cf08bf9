"""Boulders on a body: their law, their places, and the field that holds them."""

import numpy as np
import pytest
import trimesh

from planetfall.errors import InputError
from planetfall.world.terrain.sdf.build import sdf_from_mesh
from planetfall.world.terrain.sdf.mesh_distance import MeshDistance
from planetfall.world.terrain.sdf.rocks import Boulders, boulder_diameters, scatter_boulders
from support.bodies import ball, ellipsoid

LAW = Boulders(2e-5, 10.0, 3.0, 15.0, 60.0, seed=3)
BODY = ellipsoid((2000.0, 1000.0, 800.0), 4)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANETFALL_CACHE", str(tmp_path_factory.getbasetemp() / "rock-cache"))


def bodies(law: Boulders) -> list[trimesh.Trimesh]:
    made = trimesh.Trimesh(*scatter_boulders(*BODY, law), process=False)
    return list(made.split(only_watertight=False))


def test_sizes_follow_the_power_law() -> None:
    """Kolmogorov's distance of 20,000 uniform numbers through the inverse: below 1.95/sqrt(n) at 1 in 1000."""
    u = np.random.default_rng(0).uniform(size=20000)
    found = np.sort(boulder_diameters(LAW, u))
    high, low = LAW.number(15.0), LAW.number(60.0)
    share = (LAW.number(found) - low) / (high - low)
    expected = 1.0 - (np.arange(20000) + 0.5) / 20000
    assert np.abs(share - expected).max() < 1.95 / np.sqrt(20000)
    assert found.min() >= 15.0
    assert found.max() <= 60.0


def test_as_many_as_the_law_asks_for_all_closed_and_outward() -> None:
    made = bodies(LAW)
    mean = trimesh.Trimesh(*BODY).area * float(LAW.number(15.0) - LAW.number(60.0))
    assert abs(len(made) - mean) < 4.0 * np.sqrt(mean)
    assert all(body.is_watertight and body.volume > 0.0 for body in made)


def test_places_are_uniform_over_the_surface() -> None:
    """Halves of the body by the sign of x hold as many each, within four deviations of a coin."""
    middles = np.array([body.vertices.mean(axis=0) for body in bodies(LAW)])
    n = len(middles)
    assert abs((middles[:, 0] > 0).sum() - n / 2) < 2.0 * np.sqrt(n)
    depth = MeshDistance(*BODY, "cpu").at(middles)
    assert np.abs(depth).max() < 60.0


def test_a_boulder_stands_out_by_its_height_and_is_as_deep_as_it_is_buried() -> None:
    deep = Boulders(2e-5, 10.0, 3.0, 30.0, 30.0001, height_ratio=0.4, buried=0.25, seed=5)
    source = MeshDistance(*BODY, "cpu")
    for body in bodies(deep)[:20]:
        depths = source.at(np.array(body.vertices))
        assert -depths.min() == pytest.approx(0.4 * 30.0, rel=0.15)  # the ground curves away below it
        assert depths.max() == pytest.approx(0.4 * 30.0 / 3.0, rel=0.4)


def test_the_field_holds_body_and_boulders() -> None:
    """Inside a boulder or the body is inside; above, the nearer of the two."""
    law = Boulders(4e-3, 10.0, 3.0, 150.0, 300.0, seed=1)
    rocks = scatter_boulders(*BODY, law)
    surface = sdf_from_mesh(*BODY, "cpu", spacing=50.0, boulders=rocks)
    plain = sdf_from_mesh(*BODY, "cpu", spacing=50.0)
    body, stones = MeshDistance(*BODY, "cpu"), MeshDistance(*rocks, "cpu")
    rng = np.random.default_rng(2)
    near = rocks[0][rng.integers(len(rocks[0]), size=4000)] + rng.normal(size=(4000, 3)) * 10.0
    exact = np.maximum(body.at(near), stones.at(near))
    gaps = surface.ask(near)[0]
    assert np.abs(gaps + exact).max() < np.sqrt(3.0) / 2.0 * 50.0
    assert (gaps < plain.ask(near)[0] - 5.0).any()
    assert surface.facts["cache"] == plain.facts["cache"] == "made"


def test_too_many_are_refused() -> None:
    with pytest.raises(InputError, match="boulders"):
        scatter_boulders(*ball(2000.0), Boulders(1.0, 1.0, 3.0, 1.0, 5.0))


def test_none_are_none() -> None:
    vertices, facets = scatter_boulders(*BODY, Boulders(1e-12, 10.0, 3.0, 15.0, 60.0))
    assert vertices.shape == (0, 3)
    assert facets.shape == (0, 3)
