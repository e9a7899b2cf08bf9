"""Paths: lengths, tangents and arcs."""

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.rover.drive.path import sample_path
from support.rovers import bench_rover


def test_a_straight_path_ends_where_it_should() -> None:
    path = sample_path([(1.0, 2.0), (4.0, 6.0)], 0.3)
    assert path.distance[-1] == pytest.approx(5.0)
    np.testing.assert_allclose(path.xy[[0, -1]], [(1.0, 2.0), (4.0, 6.0)])
    np.testing.assert_allclose(path.yaw, np.arctan2(4, 3))
    np.testing.assert_allclose(np.diff(path.distance)[:-1], 0.3)


@pytest.mark.parametrize("end", [(4.0, 3.0), (4.0, -3.0), (1.0, 3.0)])
def test_corners_are_arcs_that_the_heading_follows(end: tuple[float, float]) -> None:
    """Length: legs less twice the cut R tan(turn/2), plus the arc R turn. A chord ends within step^2/8R of the mean
    heading, which is met where an arc begins.
    """
    path = sample_path([(0.0, 0.0), (4.0, 0.0), end], 0.001, corner_radius=0.8)
    legs = np.array([[4.0, 0.0], [end[0] - 4.0, end[1]]])
    turn = abs(np.arctan2(legs[1, 1], legs[1, 0]))
    expected = np.linalg.norm(legs, axis=1).sum() - 2 * 0.8 * np.tan(turn / 2) + 0.8 * turn
    assert path.distance[-1] == pytest.approx(expected, rel=1e-12)
    steps = np.diff(path.xy, axis=0)
    np.testing.assert_allclose(np.linalg.norm(steps, axis=1), np.diff(path.distance), rtol=1e-6)
    middle = (path.yaw[1:] + path.yaw[:-1]) / 2
    np.testing.assert_allclose(
        steps[:, 0] * np.sin(middle), steps[:, 1] * np.cos(middle), atol=1.01 * 0.001**2 / (8 * 0.8)
    )


def test_the_middle_is_between_the_middle_wheels() -> None:
    rover = bench_rover()
    path = sample_path([(0.0, 0.0), (0.0, 1.0)], 0.5)
    np.testing.assert_allclose(path.places(rover)[:, :2], path.xy + np.array([0.3, 0.0]), atol=1e-15)


@pytest.mark.parametrize(
    ("points", "step", "radius", "words"),
    [
        ([(0, 0)], 0.1, 0.0, "waypoints"),
        ([(0, 0), (0, 0)], 0.1, 0.0, "the same"),
        ([(0, 0), (np.nan, 0)], 0.1, 0.0, "waypoints"),
        ([(0, 0), (1, 0)], 0.0, 0.0, "step"),
        ([(0, 0), (1, 0)], 1e-9, 0.0, "longer step"),
        ([(0, 0), (1, 0), (1, 1)], 0.1, 2.0, "smaller radius"),
        ([(0, 0), (1, 0), (1, 1)], 0.1, -1.0, "corner_radius"),
    ],
)
def test_bad_paths_are_refused(points: list, step: float, radius: float, words: str) -> None:
    with pytest.raises(InputError, match=words):
        sample_path(points, step, radius)
