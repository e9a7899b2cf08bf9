"""The baked field: its acceleration is the exact gradient of its potential, its error what it says, and it is kept."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.world.gravity.grid import build as grid_build
from planetfall.world.gravity.grid import nodes as grid_nodes
from planetfall.world.gravity.grid.build import Box, drawn_nodes, grid_field, nested_boxes, spline_coefficients
from planetfall.world.gravity.on_device import GravityField
from planetfall.world.gravity.polyhedron.build import polyhedron_field
from planetfall.world.preparations import listening
from support.bodies import ball, duck, ellipsoid

SHAPE = ellipsoid((300.0, 200.0, 150.0), 1)
DENSITY, SPACING = 2000.0, 20.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def own_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANETFALL_CACHE", str(folder))


def baked(**given: float) -> GravityField:
    return grid_field(*SHAPE, "cpu", **{"density": DENSITY, "spacing": SPACING, **given})


def around(n: int, low: float, high: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 3))
    return points / np.linalg.norm(points, axis=1)[:, None] * rng.uniform(low, high, (n, 1))


def test_who_listens_is_told_how_far_the_baking_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """From nothing to all, never back; what is read from the cache is not baked, and nothing is told."""
    monkeypatch.setenv("PLANETFALL_CACHE", str(tmp_path))
    monkeypatch.setattr(grid_nodes, "CHUNK", 1000)
    told: list[tuple[str, float]] = []
    with listening(lambda what, share: told.append((what, share))):
        nodes = baked(spacing=50.0).facts["nodes"]
        shares = [share for _, share in told]
        baked(spacing=50.0)
    (what,) = {what for what, _ in told}
    assert re.fullmatch(rf"baking the gravity of {len(SHAPE[1])} facets into {nodes} nodes, about \d+ s", what)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert len(shares) > 5 and shares == sorted(shares)
    assert len(told) == len(shares)


def test_a_cubic_is_interpolated_exactly_up_to_the_faces() -> None:
    """A spline of degree three holds every cubic; coefficients of the B-spline of x^3 are i^3 - i."""
    i = np.arange(9.0)
    values = i[:, None, None] ** 3 + 2.0 * i[None, :, None] ** 2 - i[None, None, :] + 1.0
    found = spline_coefficients(values)
    j = np.arange(-1.0, 10.0)
    expected = (j**3 - j)[:, None, None] + 2.0 * (j**2 - 1.0 / 3.0)[None, :, None] - j[None, None, :] + 1.0
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_acceleration_is_the_gradient_of_the_potential_across_all_boxes_and_rims() -> None:
    """Differences over h = 0.1 m: rounding is 1e-16 U/(g h) = 1e-12.

    Across a cell's face the third derivative jumps, by some hundredths of g per squared spacing: (h/20 m)^2/100.
    """
    field, points, h = baked(), around(1500, 100.0, 1500.0, 0), 0.1
    stencil = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))
    slope = [sum(w * field.potential(points + k * h * unit) for k, w in stencil) / (12 * h) for unit in np.eye(3)]
    found = field.acceleration(points)
    error = np.linalg.norm(found + np.array(slope).T, axis=1) / np.linalg.norm(found, axis=1)
    assert error.max() < 2.5e-7
    assert np.median(error) < 1e-11


def test_no_work_is_done_around_a_closed_path_through_the_rims() -> None:
    """A tilted circle from 200 to 1100 m; the trapezoid rule converges for a field with two derivatives."""
    field, turn = baked(), np.linspace(0.0, 2.0 * np.pi, 8001)[:-1]
    a, b, middle = np.array([450.0, 0.0, 90.0]), np.array([0.0, 400.0, 200.0]), np.array([650.0, 0.0, 0.0])
    points = middle + np.outer(np.cos(turn), a) + np.outer(np.sin(turn), b)
    tangents = np.outer(-np.sin(turn), a) + np.outer(np.cos(turn), b)
    work = np.einsum("pi,pi->p", field.acceleration(points), tangents)
    assert abs(work.mean()) < 1e-9 * np.abs(work).max()


def middles() -> np.ndarray:
    """Of the facets [facet, 3]."""
    vertices, facets = SHAPE
    return vertices[facets].mean(axis=1)


def test_error_is_what_was_measured_and_falls_with_the_spacing() -> None:
    """On the surface and up to two cells above; the largest of many grows slowly with their number.

    The potential that is continued inward has a jump in its third derivative, by which the error falls like the square
    of the spacing, and kinks below the edges of this body of 80 facets, by which it falls like the spacing.
    """
    exact = polyhedron_field(*SHAPE, "cpu", density=DENSITY)
    errors = []
    for spacing in (40.0, 20.0):
        field, found = baked(spacing=spacing), []
        for where, heights in (("surface", [1.0]), ("near", [1.03, 1.1])):
            points = np.vstack([k * middles() for k in heights])
            true = exact.acceleration(points)
            off = np.linalg.norm(field.acceleration(points) - true, axis=1) / np.linalg.norm(true, axis=1).mean()
            found.append(np.sqrt(np.mean(off**2)))
            assert off.max() < 1.5 * field.facts[f"error_{where}_max"]
            assert found[-1] < 2.0 * field.facts[f"error_{where}_rms"]
        errors.append(found)
    assert np.all(np.array(errors[0]) / errors[1] > 2.0)


def test_gravity_on_the_ground_is_not_biased() -> None:
    """A spline through the potential itself is 2.9 % too weak here: it cannot follow the jump at the surface."""
    exact, field = polyhedron_field(*SHAPE, "cpu", density=DENSITY), baked()
    found, true = (np.linalg.norm(body.acceleration(middles()), axis=1) for body in (field, exact))
    assert abs(found.mean() / true.mean() - 1.0) < 2e-3
    assert abs(field.facts["error_surface_mean"]) < 1e-3


def test_beyond_the_body_it_is_the_exact_field_to_what_it_says() -> None:
    """Splines of a field like 1/r take over where they are right to 2e-4; harmonics of degree 16 beyond."""
    vertices, facets = SHAPE
    exact, field = polyhedron_field(vertices, facets, "cpu", density=DENSITY), baked()
    points = around(400, 450.0, 4000.0, 3)
    true = exact.acceleration(points)
    error = np.linalg.norm(field.acceleration(points) - true, axis=1) / np.linalg.norm(true, axis=1)
    assert error.max() < 5e-4
    far = np.linalg.norm(points, axis=1) > 1500.0
    assert error[far].max() < 1e-9


def test_the_second_time_it_comes_from_the_cache() -> None:
    first, second = baked(), baked(density=3000.0)
    assert second.facts["cache"] == "read"
    points = around(20, 200.0, 900.0, 4)
    np.testing.assert_allclose(second.acceleration(points), 1.5 * first.acceleration(points), rtol=1e-14)


def test_a_bound_that_is_not_met_is_refused_with_advice() -> None:
    worst = baked().facts["error_surface_max"]
    assert baked(error_bound=1.1 * worst).facts["error_surface_max"] == worst
    with pytest.raises(InputError, match=r"error_bound.*gravity\.resolution = "):
        baked(error_bound=0.5 * worst)


def test_a_bound_that_will_not_be_met_is_refused_before_anything_is_baked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With a finer spacing that was looked at, and that keeps the bound when it is baked."""
    monkeypatch.setenv("PLANETFALL_CACHE", str(tmp_path))
    with monkeypatch.context() as nothing_baked:
        nothing_baked.setattr(grid_build, "continued_potentials", None)
        with pytest.raises(InputError, match=r"60 m makes .* gravity\.error_bound = 0\.02") as refused:
            baked(spacing=60.0, error_bound=0.02)
    (advised,) = re.findall(r"gravity\.resolution = (\S+),", str(refused.value))
    facts = baked(spacing=float(advised), error_bound=0.02).facts
    assert 0.002 < facts["error_surface_max"] < 0.02


def test_a_few_places_foretell_the_error() -> None:
    """A place's error but for what nodes farther than five away add, 0.27^5 = 1e-3; half are the worst."""
    vertices, facets = SHAPE
    box = nested_boxes(vertices, SPACING)[0]
    foretold = grid_build._probes(vertices, facets, "cpu").error(box.origin, SPACING)
    measured = baked().facts["error_surface_max"]
    assert 0.5 * measured < foretold < 1.1 * measured


def test_boxes_hold_the_body_and_end_a_radius_from_it() -> None:
    vertices, _ = duck()
    boxes = nested_boxes(vertices, 0.1)
    for inner, outer in itertools.pairwise(boxes):
        assert np.all(inner.origin > outer.origin)
        assert np.all(inner.origin + inner.size < outer.origin + outer.size)
        assert outer.spacing == 2.0 * inner.spacing
    assert np.all(boxes[0].origin < vertices.min(axis=0) - 0.8 + 1e-9)
    assert np.all(vertices.min(axis=0) - boxes[-1].origin >= np.linalg.norm(vertices, axis=1).max())


def test_the_nodes_that_are_timed_are_drawn_from_all_alike() -> None:
    """Each is a node of a box, and those beyond the first box are as many as in all, to five standard deviations."""
    boxes, n = nested_boxes(ball(100.0, 2)[0], 5.0), 4000
    drawn = drawn_nodes(boxes, n)
    beyond = [_beyond(boxes[0], _all_nodes(box)).sum() for box in boxes]
    share = sum(beyond) / sum(box.n_nodes for box in boxes)
    rows = [(drawn - box.origin) / box.spacing for box in boxes]
    assert len(boxes) > 1
    assert np.all(np.any([np.all(np.abs(row - np.round(row)) < 1e-9, axis=1) for row in rows], axis=0))
    assert abs(_beyond(boxes[0], drawn).mean() - share) < 5.0 * np.sqrt(share * (1.0 - share) / n)


def _all_nodes(box: Box) -> np.ndarray:
    return box.origin + box.spacing * np.moveaxis(np.indices(box.shape), 0, -1).reshape(-1, 3)


def _beyond(box: Box, places: np.ndarray) -> np.ndarray:
    return np.any((places < box.origin) | (places > box.origin + box.size), axis=1)


def test_a_spacing_that_would_fill_the_memory_is_refused() -> None:
    vertices, _ = ball(1000.0)
    with pytest.raises(InputError, match="million nodes") as refused:
        nested_boxes(vertices, 0.5)
    (advised,) = re.findall(r"at least (\S+) m", str(refused.value))
    assert 0.5e8 < sum(box.n_nodes for box in nested_boxes(vertices, float(advised))) < 3e8


def test_a_position_that_is_not_a_number_has_no_gravity() -> None:
    potential, acceleration = baked().at(np.array([[np.nan, 0.0, 0.0]]))
    assert np.isnan(potential).all()
    assert np.isnan(acceleration).all()
