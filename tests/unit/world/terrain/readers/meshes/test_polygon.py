"""Polygons become triangles that cover them: same area, same winding, nothing outside."""

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.world.terrain.readers.meshes.polygon import MAX_CORNERS, split_polygons

TILT = np.array([[1.0, 0.0, 0.2], [0.0, 1.0, -0.4]])


def lifted(points: np.ndarray) -> np.ndarray:
    """Plane points on a tilted plane in space."""
    return np.asarray(points, float) @ TILT + [3.0, -2.0, 7.0]


def outline_area(points: np.ndarray) -> float:
    """Signed area of a plane outline."""
    x, y = np.asarray(points, float).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def split(points) -> tuple[np.ndarray, int]:
    """Signed areas, in the plane, of the triangles of one polygon, and whether it was irregular."""
    points = np.asarray(points, float)
    n = len(points)
    facets, owners, n_irregular = split_polygons("a", lifted(points), np.arange(n), np.array([n]))
    assert facets.shape == (n - 2, 3)
    assert not owners.any()
    return np.array([outline_area(points[facet]) for facet in facets]), n_irregular


L_SHAPE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
COMB = [(0, 0), (7, 0), (7, 3), (6, 3), (6, 1), (5, 1), (5, 3), (4, 3), (4, 1), (3, 1), (3, 3), (2, 3), (2, 1), (0, 1)]
SPIRAL = [
    (0, 0),
    (9, 0),
    (9, 9),
    (2, 9),
    (2, 4),
    (5, 4),
    (5, 6),
    (4, 6),
    (4, 5),
    (3, 5),
    (3, 8),
    (8, 8),
    (8, 1),
    (0, 1),
]
DART = [(2, 0), (0, 1), (0.5, 0), (0, -1)]


@pytest.mark.parametrize("outline", [DART, L_SHAPE, COMB, SPIRAL], ids=["dart", "L", "comb", "spiral"])
@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize("is_turned", [False, True])
def test_concave_polygons_from_any_corner_and_either_way(outline, start, is_turned):
    points = np.roll(np.array(outline, float), start, axis=0)
    points = points[::-1] if is_turned else points
    areas, n_irregular = split(points)
    total = outline_area(points)
    assert n_irregular == 0
    # No triangle is turned against the outline, and they add up to it: they cannot overlap or lie outside.
    assert (areas * np.sign(total) >= 0.0).all()
    assert areas.sum() == pytest.approx(total, rel=1e-12)


def test_random_stars():
    random = np.random.default_rng(3)
    for n in (5, 8, 13, 40):
        angle = np.sort(random.uniform(0.0, 2.0 * np.pi, n))
        radius = random.uniform(0.3, 1.0, n)
        points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
        areas, n_irregular = split(points)
        if np.diff(np.append(angle, angle[0] + 2 * np.pi)).max() < np.pi:
            assert n_irregular == 0
            assert (areas > 0.0).all()
            assert areas.sum() == pytest.approx(outline_area(points), rel=1e-12)


def test_corners_on_a_straight_side_and_a_keyhole():
    side = [(0, 0), (1, 0), (2, 0), (3, 0), (3, 2), (0, 2)]
    areas, n_irregular = split(side)
    assert (n_irregular, areas.sum()) == (0, 6.0)
    # A square with a square hole, joined by a slit that is walked twice.
    keyhole = [(0, 0), (4, 0), (4, 4), (0, 4), (0, 0), (1, 1), (1, 3), (3, 3), (3, 1), (1, 1)]
    areas, n_irregular = split(keyhole)
    assert n_irregular == 0
    assert areas.sum() == pytest.approx(12.0)
    assert (areas >= -1e-12).all()


def test_outlines_that_cross_themselves_become_fans_and_are_counted():
    pentagram = [(np.cos(4 * np.pi * k / 5), np.sin(4 * np.pi * k / 5)) for k in range(5)]
    assert split(pentagram)[1] == 1
    flat = [(0, 0), (1, 0), (2, 0), (1, 0), (0.5, 0)]
    assert split(flat)[1] == 1


def test_many_polygons_keep_their_order():
    points = lifted([(0, 0), (1, 0), (1, 1), (0, 1), (-0.5, 0.5)])
    corners = np.array([0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 3, 4, 2, 3, 0])
    facets, owners, _ = split_polygons("a", points, corners, np.array([3, 4, 5, 3]))
    assert owners.tolist() == [0, 1, 1, 2, 2, 2, 3]
    assert facets[0].tolist() == [0, 1, 2]
    assert facets[-1].tolist() == [2, 3, 0]


def test_large_concave_polygons_take_little_time():
    n = 1000
    teeth = np.array([(x, 2.0 if x % 2 else 1.0) for x in range(n)], float)
    points = np.concatenate([[(0.0, 0.0), (n - 1.0, 0.0)], teeth[::-1]])
    areas, n_irregular = split(points)
    assert n_irregular == 0
    assert areas.sum() == pytest.approx(outline_area(points), rel=1e-12)


@pytest.mark.parametrize(
    ("corners", "sizes"),
    [([0, 1], [2]), ([0, 1, 9], [3]), ([0, 1, -1], [3]), ([0] * (MAX_CORNERS + 1), [MAX_CORNERS + 1])],
)
def test_what_is_refused(corners, sizes):
    with pytest.raises(InputError):
        split_polygons("a", np.zeros((4, 3)), np.array(corners), np.array(sizes))
