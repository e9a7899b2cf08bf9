"""The signed distance field: laws of trilinear interpolation, exact distances, signs, rays, bricks, and its spring."""

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
import trimesh

from planetfall.errors import InputError
from planetfall.world.preparations import listening
from planetfall.world.terrain.model import GROUND_OFF_MAP, GROUND_OK
from planetfall.world.terrain.noise.build import Noise, noise_statistics
from planetfall.world.terrain.sdf.analytic import AnalyticDistance, AnalyticShape, sdf_from_shape
from planetfall.world.terrain.sdf.build import layout_about, sdf_from_mesh
from planetfall.world.terrain.sdf.mesh_distance import MeshDistance
from planetfall.world.terrain.surface import Surface
from support.bodies import ball, cube, duck
from support.made_ground import brute_gaps, brute_ranges

ROUGH = Noise(0.02, 0.4, octaves=3, gain=0.5, seed=5)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANETFALL_CACHE", str(tmp_path_factory.getbasetemp() / "sdf-cache"))


@lru_cache
def sphere(spacing: float, noise: Noise | None = None) -> Surface:
    return sdf_from_shape(AnalyticShape("sphere", (1.0, 1.0, 1.0)), "cpu", spacing=spacing, noise=noise)


def directions(n: int, seed: int) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(n, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


@pytest.mark.parametrize("h", [0.1, 0.05, 0.025])
def test_surface_of_a_sphere_lies_h2_over_6r_deep(h: float) -> None:
    """The interpolant of a convex distance lies above it by h^2/6R on average; 20,000 points leave 1 % of it."""
    gaps, _, _ = sphere(h).ask(directions(20000, 0))
    assert gaps.mean() == pytest.approx(h * h / 6.0, rel=0.02)


@pytest.mark.parametrize("h", [0.1, 0.05, 0.025])
def test_gradient_is_off_by_19_5_degrees_times_h_over_r(h: float) -> None:
    points = directions(20000, 1)
    normals = sphere(h).ask(points)[1]
    cosine = np.sum(normals * points, axis=1) / np.linalg.norm(normals, axis=1)
    angle = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
    assert np.sqrt(np.mean(angle**2)) == pytest.approx(19.5 * h, rel=0.02)


def test_normal_is_the_gradient_of_the_gap() -> None:
    """Within a cell the interpolant is a polynomial: differences over 1e-6 h see nothing but rounding, 1e-16/1e-7."""
    surface, points, step = sphere(0.1), directions(500, 2) * 1.02, 1e-7
    normals = surface.ask(points)[1]
    slope = [(surface.ask(points + step * u)[0] - surface.ask(points - step * u)[0]) / (2 * step) for u in np.eye(3)]
    off = np.abs(normals - np.array(slope).T).max(axis=1)
    assert np.sort(off)[-5] < 1e-8  # a point or two lies across a face of its cell


def test_a_plane_is_exact() -> None:
    """Trilinear interpolation holds planes; float32 rounds nodes 3 m away by 1e-7 m, and gap and normal by as much."""
    normal = np.array([2.0, -3.0, 6.0]) / 7.0
    shape = AnalyticShape("plane", tuple(normal), (0.1, 0.2, 0.3), extent=2.0)
    points = np.random.default_rng(3).uniform(-2.0, 2.0, (500, 3))
    gaps, normals, statuses = sdf_from_shape(shape, "cpu", spacing=0.1).ask(points)
    np.testing.assert_allclose(gaps, (points - [0.1, 0.2, 0.3]) @ normal, atol=5e-7)
    np.testing.assert_allclose(normals, np.tile(normal, (500, 1)), atol=1e-5)
    assert set(statuses) == {int(GROUND_OK)}


SHAPES = {
    "sphere": AnalyticShape("sphere", (1.5, 1.5, 1.5), (0.2, 0.0, -0.1)),
    "ellipsoid": AnalyticShape("ellipsoid", (3.0, 2.0, 1.0)),
    "box": AnalyticShape("box", (1.0, 2.0, 0.5), (0.5, 0.0, 0.0)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_formulas_are_distances(name: str) -> None:
    """A distance has a gradient of length one, and the nearest point, one distance along it, lies on the surface."""
    source = AnalyticDistance(SHAPES[name], "cpu")
    points = np.random.default_rng(4).uniform(-4.0, 4.0, (600, 3))
    d, h = source.at(points), 1e-6
    slope = np.array([(source.at(points + h * u) - source.at(points - h * u)) / (2 * h) for u in np.eye(3)]).T
    smooth = np.abs(np.linalg.norm(slope, axis=1) - 1.0) < 1e-6
    assert smooth.mean() > 0.98  # the rest lies on the skeleton, where the nearest point is not one
    foot = points - d[:, None] * slope
    np.testing.assert_allclose(source.at(foot)[smooth], 0.0, atol=1e-8)
    assert 10 < (d > 0).sum() < 590


def test_an_ellipsoid_knows_its_planes_of_symmetry() -> None:
    """From the middle the nearest point is the end of the shortest axis; on the long axis, inside the evolute, not."""
    source = AnalyticDistance(AnalyticShape("ellipsoid", (3.0, 2.0, 1.0)), "cpu")
    points = np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.0, 0.0, -0.5], [2.9, 0.0, 0.0], [1.0, 0.0, 0.0]])
    x = 9.0 * 1.0 / (9.0 - 1.0)  # nearest point of (1, 0, 0): e^2 y/(e^2 - c^2), height from the ellipsoid
    nearest = np.hypot(x - 1.0, np.sqrt(1.0 - x * x / 9.0))
    np.testing.assert_allclose(source.at(points), [1.0, -2.0, 0.5, 0.1, nearest], atol=1e-12)


@pytest.mark.parametrize("body", [cube, duck, ball], ids=["cube", "duck", "ball"])
def test_mesh_distances_are_those_of_every_facet(body) -> None:
    """Brute force over all facets, and the sign of the nearest; float64, so 1e-14 of some metres."""
    vertices, facets = body()
    points = np.random.default_rng(5).uniform(-3.0, 3.0, (300, 3))
    found = MeshDistance(vertices, facets, "cpu").at(points)
    np.testing.assert_allclose(found, -brute_gaps(vertices, facets, points), atol=1e-13)


def brick_values(surface: Surface) -> np.ndarray:
    """d [m] at the nodes [brick, i, j, k]: what follows the coarse nodes."""
    n_coarse = int(np.prod(np.array(surface.params.grid.brick_at.shape) + 1))
    return surface.params.grid.values.numpy()[n_coarse:].reshape(-1, 9, 9, 9)


def test_bricks_hold_exact_distances_at_their_nodes() -> None:
    """Every node of every brick, against a query of its own; float32 rounds distances of 3 m by 1.2e-7 m."""
    vertices, facets = duck()
    surface = sdf_from_mesh(vertices, facets, "cpu", spacing=0.1)
    rng, bricks = np.random.default_rng(6), brick_values(surface)
    where = np.argwhere(surface.params.grid.brick_at.numpy() >= 0)
    chosen = rng.integers(len(where), size=300)
    nodes = rng.integers(9, size=(300, 3))
    places = np.array(surface.params.grid.origin) + 0.1 * (8 * where[chosen] + nodes)
    index = surface.params.grid.brick_at.numpy()[tuple(where[chosen].T)]
    exact = MeshDistance(vertices, facets, "cpu").at(places)
    np.testing.assert_allclose(bricks[index, nodes[:, 0], nodes[:, 1], nodes[:, 2]], exact, atol=2e-7)


def test_neighbouring_bricks_share_the_values_of_their_faces() -> None:
    surface = sdf_from_mesh(*duck(), "cpu", spacing=0.1)
    at, bricks = surface.params.grid.brick_at.numpy(), brick_values(surface)
    pairs = (at[:-1] >= 0) & (at[1:] >= 0)
    assert pairs.sum() > 20
    np.testing.assert_array_equal(bricks[at[:-1][pairs], 8], bricks[at[1:][pairs], 0])


def test_every_point_near_the_surface_is_in_a_brick() -> None:
    """Where there is none the surface is two cells away or more."""
    vertices, facets = duck()
    surface = sdf_from_mesh(vertices, facets, "cpu", spacing=0.1)
    points = np.random.default_rng(7).uniform(vertices.min(axis=0) - 0.2, vertices.max(axis=0) + 0.2, (20000, 3))
    cells = ((points - np.array(surface.params.grid.origin)) / 0.8).astype(int)
    has_brick = surface.params.grid.brick_at.numpy()[tuple(cells.T)] >= 0
    exact = MeshDistance(vertices, facets, "cpu").at(points)
    assert np.abs(exact[~has_brick]).min() > 0.2
    assert has_brick[np.abs(exact) < 0.2].all()
    gaps = surface.ask(points)[0]
    assert np.abs(gaps + exact)[has_brick].max() < np.sqrt(3) / 2 * 0.1
    assert np.array_equal(gaps[~has_brick] > 0, exact[~has_brick] < 0)


def test_a_hole_and_repeated_vertices_do_not_flip_the_sign() -> None:
    """Three facets missing, every vertex given once for each facet: the winding number is 1 inside to some percent."""
    vertices, facets = ball(1.0, 3)
    whole = sdf_from_mesh(vertices, facets, "cpu", spacing=0.1)
    torn = facets[3:]
    loose = sdf_from_mesh(vertices[torn].reshape(-1, 3), np.arange(3 * len(torn)).reshape(-1, 3), "cpu", spacing=0.1)
    points = np.random.default_rng(8).uniform(-1.2, 1.2, (4000, 3))
    hole = vertices[facets[:3]].reshape(-1, 3).mean(axis=0)
    away = np.linalg.norm(points - hole, axis=1) > 0.35
    one, other = whole.ask(points)[0], loose.ask(points)[0]
    clear = away & (np.abs(one) > 0.01)
    np.testing.assert_array_equal(one[clear] > 0, other[clear] > 0)
    band = clear & (np.abs(one) < 0.1)
    np.testing.assert_allclose(one[band], other[band], atol=2e-3)


def test_overlapping_parts_are_one_body() -> None:
    """Two balls that share a quarter of themselves: inside both is inside, where the nearest facet alone would not."""
    one, facets = ball(1.0, 2)
    vertices = np.vstack([one, one + np.array([1.0, 0.0, 0.0])])
    source = MeshDistance(vertices, np.vstack([facets, facets + len(one)]), "cpu")
    inside = np.array([[0.5, 0.0, 0.0], [0.2, 0.1, 0.0], [0.9, 0.0, 0.2], [-0.5, 0.0, 0.0]])
    assert (source.at(inside) > 0).all()
    surface = sdf_from_mesh(vertices, np.vstack([facets, facets + len(one)]), "cpu", spacing=0.1)
    assert (surface.ask(inside)[0] < 0).all()


@pytest.mark.parametrize("offset", [0.0, 3.4e6])
def test_outside_the_box_the_gap_is_a_lower_bound_that_grows(offset: float) -> None:
    shift = np.array([0.0, 0.0, offset])
    vertices, facets = ball(1.0, 3)
    surface = sdf_from_mesh(vertices + shift, facets, "cpu", spacing=0.1)
    points = directions(2000, 9) * np.random.default_rng(10).uniform(1.0, 30.0, (2000, 1))
    gaps, _, statuses = surface.ask(points + shift)
    true = np.linalg.norm(points, axis=1) - 1.0
    assert np.all(gaps < true + 0.1 + 0.7)  # half a diagonal of a coarse cell where it is inside the box
    assert np.all(gaps[true > 2.0] > true[true > 2.0] - 1.0)  # a ball fills its box but for the corners
    assert np.all(gaps[true > 0.05] > 0.0)
    assert set(statuses) == {int(GROUND_OK)}
    along = np.column_stack([np.linspace(1.0, 4.0, 30001), np.full((30001, 2), 0.013)])
    steps = np.diff(surface.ask(along + shift)[0])
    assert np.abs(steps).max() < 0.5  # and jumps only where fine nodes end


def test_no_position_no_ground() -> None:
    gaps, _, statuses = sphere(0.1).ask(np.array([[np.nan, 0.0, 0.0], [0.0, np.inf, 0.0]]))
    assert statuses[0] == int(GROUND_OFF_MAP)
    assert np.all(gaps > 1e299)


@pytest.mark.parametrize("body", [cube, duck], ids=["cube", "duck"])
def test_rays_meet_the_mesh_to_what_interpolation_leaves(body) -> None:
    """Against every facet. Off edges the surface is right to h^2/8R, which a slanting ray sees lengthened.

    A ray that only grazes an edge may pass over it, since interpolation rounds it off.
    """
    vertices, facets = body()
    surface = sdf_from_mesh(vertices, facets, "cpu", spacing=0.05)
    rng = np.random.default_rng(11)
    origins = 8.0 * directions(500, 12)
    targets = vertices[facets[rng.integers(len(facets), size=500)]].mean(axis=1)
    rays = (targets - origins) / np.linalg.norm(targets - origins, axis=1)[:, None]
    found, facets_hit = surface.cast(origins, rays, 1e3)
    expected = brute_ranges(vertices, facets, origins, rays)
    is_hit = np.isfinite(found)
    assert is_hit.mean() > 0.99
    off = np.abs(found - expected)[is_hit]
    assert np.median(off) < 2e-3
    assert np.quantile(off, 0.95) < 0.02
    assert set(facets_hit) == {-1}
    hits = (origins + rays * found[:, None])[is_hit]
    np.testing.assert_allclose(surface.ask(hits)[0], 0.0, atol=1e-10)


@pytest.mark.parametrize("noise", [None, ROUGH], ids=["smooth", "rough"])
def test_no_ray_passes_through_the_ground(noise: Noise | None) -> None:
    """Between start and hit the gap is positive, looked at a thousand times on the way; beyond a miss too."""
    surface = sphere(0.1, noise)
    rng = np.random.default_rng(13)
    origins = 3.0 * directions(150, 14)
    rays = rng.uniform(-1.2, 1.2, (150, 3)) - origins
    rays /= np.linalg.norm(rays, axis=1)[:, None]
    found, _ = surface.cast(origins, rays, 10.0)
    assert 20 < np.isnan(found).sum() < 130
    share = np.linspace(0.0, 1.0, 1000, endpoint=False)
    ends = np.where(np.isnan(found), 10.0, found - 1e-6)
    points = origins[:, None, :] + rays[:, None, :] * (ends[:, None] * share)[:, :, None]
    surface.params.is_exact_far = 1
    gaps = surface.ask(points.reshape(-1, 3))[0]
    surface.params.is_exact_far = 0
    assert gaps.min() > -1e-4 * 0.1


@pytest.mark.parametrize(
    ("start", "direction", "reach", "expected"),
    [
        pytest.param([0, 0, 3.0], [0, 0, -1.0], 10.0, 2.0, id="from above"),
        pytest.param([0, 0, 3.0], [0, 0, 1.0], 10.0, np.nan, id="away from it"),
        pytest.param([0, 0, 0.0], [0, 0, 1.0], 10.0, np.nan, id="back face, from inside"),
        pytest.param([0, 0, 3.0], [0, 0, -1.0], 1.9, np.nan, id="out of reach"),
        pytest.param([0, 5.0, 3.0], [0, 0, -1.0], 10.0, np.nan, id="past the box"),
        pytest.param([0, 1.1, 3.0], [0, 0, -1.0], 10.0, np.nan, id="past the body, through the box"),
    ],
)
def test_rays_hit_front_faces_within_reach(start, direction, reach: float, expected: float) -> None:
    found, _ = sphere(0.025).cast(np.array([start], float), np.array([direction], float), reach)
    np.testing.assert_allclose(found, [expected], atol=1e-3)


def test_a_ray_from_inside_one_lobe_hits_the_next_body() -> None:
    one, facets = ball(1.0, 3)
    vertices = np.vstack([one, one + np.array([4.0, 0.0, 0.0])])
    surface = sdf_from_mesh(vertices, np.vstack([facets, facets + len(one)]), "cpu", spacing=0.05)
    found, _ = surface.cast(np.array([[0.0, 0.0, 0.0]]), np.array([[1.0, 0.0, 0.0]]), 10.0)
    assert found[0] == pytest.approx(3.0, abs=0.01)


def test_spring_on_the_raw_gradient_does_no_work_around_a_loop() -> None:
    """F = -k d grad d is the gradient of k d^2/2: what remains is quadrature, half a step at each face of a cell.

    A unit normal in its place does work of some 1e-4 of the elastic energy at h/R = 0.1.
    """
    surface = sphere(0.1)
    t = np.linspace(0.0, 2.0 * np.pi, 200001)
    path = np.column_stack([0.07 + 0.15 * np.cos(t), 0.13 + 0.11 * np.sin(t), 0.9 + 0.03 * np.sin(2.0 * t)])
    middle, step = 0.5 * (path[1:] + path[:-1]), np.diff(path, axis=0)
    gaps, normals, _ = surface.ask(middle)
    assert gaps.max() < 0.0
    energy = 0.5 * np.mean(gaps**2)
    raw = np.sum(-gaps[:, None] * normals * step)
    unit = np.sum(-gaps[:, None] * normals / np.linalg.norm(normals, axis=1)[:, None] * step)
    assert abs(raw) < 1e-5 * energy
    assert abs(unit) > 1e-4 * energy


def test_noise_moves_gap_and_normal_together() -> None:
    """The gap is the smooth one less the height, the normal its gradient, in a field that has both."""
    smooth, rough = sphere(0.1), sphere(0.1, ROUGH)
    points = directions(400, 15) * 1.01
    difference = smooth.ask(points)[0] - rough.ask(points)[0]
    found = noise_statistics(ROUGH)
    assert difference.std() == pytest.approx(found.deviation, rel=0.3)
    assert np.abs(difference).max() <= found.bound
    step = 1e-7
    slope = [(rough.ask(points + step * u)[0] - rough.ask(points - step * u)[0]) / (2 * step) for u in np.eye(3)]
    off = np.abs(rough.ask(points)[1] - np.array(slope).T).max(axis=1)
    assert np.sort(off)[-10] < 1e-7


def test_far_from_the_ground_noise_is_a_lower_bound_unless_it_is_asked_for() -> None:
    smooth, rough = sphere(0.1), sphere(0.1, ROUGH)
    bound = noise_statistics(ROUGH).bound
    points = directions(300, 16) * 1.35
    smooth_gaps, bounds = smooth.ask(points)[0], rough.ask(points)[0]
    assert rough.model.look_ahead is not None
    rough.model.look_ahead(rough.params, True)
    exact = rough.ask(points)[0]
    rough.model.look_ahead(rough.params, False)
    assert np.all(bounds <= exact)
    assert np.all(bounds > 0.0)
    np.testing.assert_allclose(exact, smooth_gaps, atol=bound)
    assert np.abs(exact - bounds).max() > 0.5 * bound


def test_noise_of_no_amplitude_changes_nothing() -> None:
    points = directions(200, 17) * 1.01
    still = sdf_from_shape(SHAPES["sphere"], "cpu", spacing=0.1, noise=Noise(0.0, 1.0, octaves=4))
    plain = sdf_from_shape(SHAPES["sphere"], "cpu", spacing=0.1)
    assert still.model is plain.model
    np.testing.assert_array_equal(still.ask(points)[0], plain.ask(points)[0])


def test_the_second_time_it_comes_from_the_cache_with_the_same_bits(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PLANETFALL_CACHE", str(tmp_path))
    told = []
    with listening(lambda what, share: told.append((what, share))):
        first, second = (sdf_from_mesh(*duck(), "cpu", spacing=0.2) for _ in range(2))
    shares = [share for _, share in told]  # of the first alone: the second has nothing to wait for
    assert shares == sorted(shares) and (shares[0], shares.count(0.0), shares[-1]) == (0.0, 1, 1.0)
    assert told[0][0].startswith("measuring distances")
    assert (first.facts["cache"], second.facts["cache"]) == ("made", "read")
    for name in ("values", "brick_at"):
        np.testing.assert_array_equal(
            getattr(first.params.grid, name).numpy(), getattr(second.params.grid, name).numpy()
        )
    assert sdf_from_mesh(*duck(), "cpu", spacing=0.25).facts["cache"] == "made"


def test_a_spacing_that_would_fill_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planetfall.world.terrain.sdf.size.MAX_BRICKS", 1 << 16)
    with pytest.raises(InputError, match=r"terrain\.resolution: 0\.02 m takes .* at most .*use terrain\.resolution = "):
        sphere.__wrapped__(0.02)


def test_the_box_holds_the_body_and_its_noise() -> None:
    bounds = np.array([[-1.0, -2.0, -3.0], [1.0, 2.0, 3.0]])
    layout = layout_about(bounds, 0.1, reach=0.7)
    size = np.array(layout.cells) * 0.8
    assert np.all(layout.origin < layout.body[0])
    assert np.all(layout.origin + size > layout.body[1])
    np.testing.assert_allclose(layout.body, bounds + np.outer([-1.0, 1.0], [0.8, 0.8, 0.8]))
    assert layout.band >= 0.7


def test_trimesh_agrees_on_what_is_inside() -> None:
    pytest.importorskip("embreex", reason="trimesh finds out what is inside by rays, for which it needs embreex")
    vertices, facets = duck()
    points = np.random.default_rng(18).uniform(-3.0, 3.0, (500, 3))
    inside = trimesh.Trimesh(vertices, facets, process=False).contains(points)
    np.testing.assert_array_equal(MeshDistance(vertices, facets, "cpu").at(points) > 0, inside)
