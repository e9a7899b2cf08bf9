"""Combined terrains against closed forms: boxes on a plane and on a map, in any order and number."""

from dataclasses import replace

import numpy as np
import pytest
import warp as wp

from planetfall.errors import InputError
from planetfall.world.terrain.combined import combined
from planetfall.world.terrain.combined_build import combined_surface
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.model import GROUND_HOLE, GROUND_OFF_MAP, GROUND_OK
from planetfall.world.terrain.plane import TERRAIN_PLANE
from planetfall.world.terrain.surface import Surface
from support.made_ground import grid_mesh, tilted_grid
from support.rocks import box_gaps, box_normals, box_ranges, box_surface
from support.walked import walked

LOW, HIGH = np.array([-0.5, -0.4, -0.2]), np.array([0.5, 0.4, 0.3])  # a rock, half of it in the ground
SECOND = (np.array([0.3, 0.2, 0.1]), np.array([1.1, 0.9, 0.6]))  # another one that leans on it
NORMAL = np.array([0.2, -0.1, np.sqrt(0.95)])
ROUNDING = 1e-14  # coordinates of the size of one


def plane(normal: np.ndarray = NORMAL) -> Surface:
    params = TERRAIN_PLANE.params()
    params.point, params.normal, params.radius = wp.vec3d(0.0, 0.0, 0.0), wp.vec3d(*normal), np.inf
    return Surface(TERRAIN_PLANE, params, "cpu")


def dem() -> Surface:
    along, heights = tilted_grid(NORMAL, 17, 0.25)
    return dem_surface(heights, np.array([along[0], along[0], 0.0]), (0.25, 0.25), "cpu")


def rock() -> Surface:
    return box_surface(LOW, HIGH)


def scattered(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform([-1.5, -1.5, -0.6], [1.5, 1.5, 1.2], (n, 3))


@pytest.mark.parametrize("base", [plane, dem])
def test_gap_is_the_smaller_of_the_two_closed_forms(base) -> None:
    points = scattered(4000, 0)
    of_base, of_rock = points @ NORMAL, box_gaps(LOW, HIGH, points)
    surface = combined_surface(base(), rock())
    gaps, normals, statuses = surface.ask(points)
    np.testing.assert_allclose(gaps, np.minimum(of_base, of_rock), atol=ROUNDING)
    is_rock = of_rock < of_base - ROUNDING
    np.testing.assert_allclose(normals[~is_rock], np.tile(NORMAL, ((~is_rock).sum(), 1)), atol=ROUNDING)
    # of a short way from an edge the direction is rounding over its length, 1e-3 m here
    np.testing.assert_allclose(normals[is_rock], box_normals(LOW, HIGH, points[is_rock]), atol=1e3 * ROUNDING)
    np.testing.assert_array_equal(surface.facets_at(points) >= base().n_facets, is_rock)
    assert set(statuses) == {int(GROUND_OK)}
    assert 500 < is_rock.sum() < 3500


def test_a_fillet_has_one_potential_and_changes_nothing_beyond_it() -> None:
    """Central differences over d = 1e-5 m see the gradient to w^-1 d of its kink at the border, 1e-3 here.

    A corner is filled by w/4 at most; where the parts differ by more than w the answers are those without it.
    """
    fillet, d = 0.05, 1e-5
    points = scattered(4000, 3)
    of_base, of_rock = points @ NORMAL, box_gaps(LOW, HIGH, points)
    sharp, round_ = combined_surface(plane(), rock()), combined_surface(plane(), rock(), fillet=fillet)
    gaps, normals, statuses = round_.ask(points)
    is_inside = np.abs(of_base - of_rock) < fillet - 1e-9
    for found, expected in zip(round_.ask(points[~is_inside]), sharp.ask(points[~is_inside]), strict=True):
        np.testing.assert_array_equal(found, expected)
    share = 0.5 + 0.5 * (of_rock - of_base)[is_inside] / fillet
    filled = np.minimum(of_base, of_rock)[is_inside] - gaps[is_inside]
    assert np.all(filled >= 0.0) and np.all(filled <= 0.25 * fillet + ROUNDING)
    expected = share * of_base[is_inside] + (1.0 - share) * of_rock[is_inside] - fillet * share * (1.0 - share)
    np.testing.assert_allclose(gaps[is_inside], expected, atol=ROUNDING)
    away = np.abs(box_gaps(LOW, HIGH, points)) > 0.02  # edges of the box have kinks of their own
    some = points[is_inside & away]
    slopes = np.stack(
        [(round_.ask(some + d * e)[0] - round_.ask(some - d * e)[0]) / (2.0 * d) for e in np.eye(3)], axis=1
    )
    error = np.abs(slopes - normals[is_inside & away]).max(axis=1)
    assert np.mean(error < 1e-3) > 0.98  # but across the middle planes of the box, where its own normal jumps
    assert is_inside.sum() > 200 and set(statuses) == {int(GROUND_OK)}


@pytest.mark.parametrize("base", [plane, dem])
def test_a_ray_meets_the_nearer_of_the_two(base) -> None:
    rng = np.random.default_rng(1)
    origins = rng.uniform([-1.2, -1.2, 0.8], [1.2, 1.2, 1.5], (4000, 3))
    directions = rng.normal(size=(4000, 3)) * [0.3, 0.3, 1.0]
    directions[:, 2] = -np.abs(directions[:, 2]) - 0.5
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    to_plane, to_rock = -(origins @ NORMAL) / (directions @ NORMAL), box_ranges(LOW, HIGH, origins, directions)
    ranges, facets = combined_surface(base(), rock()).cast(origins, directions, 100.0)
    on_map = np.abs(origins + to_plane[:, None] * directions)[:, :2].max(axis=1) < 2.0
    expected = np.minimum(np.where(on_map | (base is plane), to_plane, np.inf), to_rock)
    np.testing.assert_allclose(np.where(np.isnan(ranges), np.inf, ranges), expected, rtol=1e-13)
    seen = np.isfinite(expected)
    np.testing.assert_array_equal((facets >= base().n_facets)[seen], (to_rock < to_plane)[seen])
    assert 500 < (to_rock < to_plane).sum() < 3500


def test_order_does_not_matter_apart_from_facet_numbers() -> None:
    """Three ways to put two rocks and a plane together; where gaps are equal, either part may answer."""
    parts = {"plane": plane(), "rock": rock(), "second": box_surface(*SECOND)}
    points, found = scattered(4000, 2), {}
    own = np.array([part.ask(points)[0] for part in parts.values()])
    clear = np.diff(np.sort(own, axis=0), axis=0).min(axis=0) > ROUNDING
    for order in (("plane", "rock", "second"), ("second", "plane", "rock"), ("rock", "second", "plane")):
        surface = combined_surface(*(parts[name] for name in order))
        first = np.cumsum([0, *(parts[name].n_facets for name in order)])
        assert surface.n_facets == first[-1] == 25
        gaps, normals, _ = surface.ask(points)
        facets = surface.facets_at(points)
        which = np.array(order)[np.searchsorted(first, facets, side="right") - 1]
        local = facets - first[np.searchsorted(first, facets, side="right") - 1]
        found[order] = (gaps, normals[clear], which[clear], local[clear])
    for other in list(found.values())[1:]:
        for one, two in zip(found["plane", "rock", "second"], other, strict=True):
            np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(found["plane", "rock", "second"][0], own.min(axis=0))
    assert set(found["plane", "rock", "second"][2]) == set(parts)


def test_the_base_decides_where_the_map_ends_and_where_it_has_holes() -> None:
    heights = np.zeros((5, 5))
    heights[2, 2] = np.nan
    base = dem_surface(heights, np.array([-2.0, -2.0, 0.0]), (1.0, 1.0), "cpu")
    rocks = box_surface(np.array([-0.5, -0.5, -1.0]), np.array([4.0, 0.5, 1.0]))
    inside, off_map, in_hole = [1.5, 0.2, 0.5], [3.0, 0.0, 0.5], [0.1, 0.1, 0.5]
    gaps, _, statuses = combined_surface(base, rocks).ask(np.array([inside, off_map, in_hole]))
    assert list(statuses) == [int(GROUND_OK), int(GROUND_OFF_MAP), int(GROUND_HOLE)]
    assert gaps[0] == pytest.approx(-0.3, abs=ROUNDING)
    assert np.all(gaps[1:] > 1e299)  # no ground there, not even the rock's


def test_an_added_sheet_says_nothing_beyond_its_border_and_over_its_holes() -> None:
    along = np.arange(-2.0, 2.5, 0.5)
    vertices, facets = grid_mesh(along, np.full((9, 9), 0.25))
    middles = vertices[facets].mean(axis=1)
    sheet = mesh_surface(vertices, facets[~np.all(np.abs(middles[:, :2] - 0.25) < 0.25, axis=1)], "cpu", reach=0.2)
    points = np.array([[-1.1, -1.2, 0.5], [-1.1, -1.2, 0.1], [0.25, 0.25, 0.5], [3.0, 0.0, 0.5], [3.0, 0.0, -0.1]])
    assert list(sheet.ask(points)[2][2:]) == [int(GROUND_HOLE), int(GROUND_OFF_MAP), int(GROUND_OFF_MAP)]
    gaps, _, statuses = combined_surface(plane(np.array([0.0, 0.0, 1.0])), sheet).ask(points)
    np.testing.assert_allclose(gaps, [0.25, -0.15, 0.5, 0.5, -0.1], atol=ROUNDING)
    assert set(statuses) == {int(GROUND_OK)}


def test_a_bound_of_the_distance_to_a_rock_is_never_taken_for_contact() -> None:
    """A rock's bound may be the smaller number high over the plane; it stays a bound, and all contact is exact."""
    reach, t = 0.05, np.linspace(0.0, 1.0, 20_000)[:, None]
    surface = combined_surface(plane(), box_surface(LOW, HIGH, reach), box_surface(*SECOND, reach))
    path = np.array([0.0, 0.0, 0.7]) + [2.5, 2.0, 1.2] * np.sin(t * [19.0, 33.0, 61.0])
    true = np.minimum(path @ NORMAL, np.minimum(box_gaps(LOW, HIGH, path), box_gaps(*SECOND, path)))
    gaps = walked(surface, path)
    assert np.all(gaps <= true + ROUNDING)
    np.testing.assert_array_equal(gaps > 0, true > 0)
    np.testing.assert_allclose(gaps[true < reach], true[true < reach], atol=10 * ROUNDING)
    is_bound = gaps < true - 1e-9
    assert is_bound.sum() > 1000 and np.all(gaps[is_bound] >= reach)
    assert (true < 0).sum() > 1000


def test_looking_ahead_and_room_reach_every_part() -> None:
    """With them a point of many asks on its own, and far gaps are exact; without looking ahead some are bounds."""
    surface = combined_surface(rock(), plane(), box_surface(*SECOND))
    path = scattered(500, 5) * 3.0 + np.array([0.0, 0.0, 3.0])
    exact = surface.ask(path)[0]
    assert surface.model.look_ahead is not None
    surface.model.look_ahead(surface.params, True)
    np.testing.assert_allclose(walked(surface, path, 3, 7), exact, atol=ROUNDING)
    surface.model.look_ahead(surface.params, False)
    bounds = walked(surface, path, 3, 7)
    assert np.all(bounds <= exact + ROUNDING) and np.any(bounds < exact - 0.01)


def test_what_is_known_of_the_parts_is_kept() -> None:
    one = mesh_surface(*grid_mesh(np.arange(3.0), np.zeros((3, 3))), "cpu", reach=1.0, source="a", notes=("first",))
    two = mesh_surface(*grid_mesh(np.arange(2.0), np.ones((2, 2))), "cpu", reach=1.0, source="b", notes=("second",))
    surface = combined_surface(replace(one, kept=("its own",)), plane(), replace(two, kept=("another's",)))
    assert surface.facts["notes"] == ("first", "second")
    assert [part["first_facet"] for part in surface.facts["parts"]] == [0, 8, 9]
    assert [part.get("source") for part in surface.facts["parts"]] == ["a", None, "b"]
    assert surface.kept == ("its own", "another's")
    np.testing.assert_array_equal(surface.box, [[0.0, 0.0, 0.0], [2.0, 2.0, 1.0]])
    assert combined_surface(one) is one
    assert combined_surface(plane(), plane()).box is None


def test_kernels_are_made_once_and_a_plane_with_rocks_is_not_flat() -> None:
    assert combined(plane().model, rock().model) is combined(plane().model, box_surface(*SECOND).model)
    assert not combined_surface(plane(), rock()).model.is_flat


def test_too_many_facets_are_refused() -> None:
    with pytest.raises(InputError, match="2147483648 facets in all"):
        combined_surface(replace(plane(), n_facets=2**31 - 12), rock())
