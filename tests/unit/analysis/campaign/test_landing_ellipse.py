"""Landing ellipses of clouds whose covariance is known, on sites and on bodies."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import planetfall
from planetfall.analysis.campaign.landing_ellipse import landing_ellipse, landing_hull, landing_of, relief
from planetfall.world.terrain.ground import make_surface


def cloud(n: int = 40_000, angle: float = 0.6) -> np.ndarray:
    rng = np.random.Generator(np.random.Philox(key=1))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.array([3.0, -1.0]) + (rng.normal(size=(n, 2)) * [2.0, 0.5]) @ turn.T


def test_an_ellipse_is_that_of_its_cloud() -> None:
    """40,000 points: axes within 5/sqrt(2n) of themselves, the angle within 5 of 0.5 2/(4 - 0.25)/sqrt(n) rad."""
    ellipse = landing_ellipse(cloud())
    assert ellipse is not None
    np.testing.assert_allclose(ellipse.semi_axes, [2.0, 0.5], rtol=5 / np.sqrt(80_000))
    np.testing.assert_allclose(ellipse.center, [3.0, -1.0], atol=5 * 2.0 / 200)
    assert abs(ellipse.angle - 0.6) < 5 * 0.27 / 200


@pytest.mark.parametrize("sigmas", [1.0, 2.0, 3.0])
def test_it_holds_the_share_of_a_normal_law(sigmas: float) -> None:
    share = 1.0 - np.exp(-(sigmas**2) / 2)
    ellipse = landing_ellipse(cloud())
    assert ellipse is not None
    assert abs(ellipse.share_inside(cloud(), sigmas) - share) < 5 * np.sqrt(share * (1 - share) / 40_000)
    outline = ellipse.outline(sigmas)
    assert ellipse.share_inside(outline * (1 - 1e-9) + 1e-9 * ellipse.center, sigmas) == 1.0
    assert ellipse.share_inside(outline + 1e-6 * (outline - ellipse.center), sigmas) == 0.0


def test_the_hull_is_around_all() -> None:
    corners = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0]])
    inside = corners.mean(axis=0) + 0.4 * np.random.default_rng(1).uniform(-1, 1, (50, 2))
    assert {tuple(corner) for corner in landing_hull(np.vstack([inside, corners]))} == {tuple(c) for c in corners}
    assert len(landing_hull(np.column_stack([np.arange(9.0), np.arange(9.0)]))) == 0


def test_too_few_points_have_none() -> None:
    assert landing_ellipse(np.zeros((2, 2))) is None


def places(positions: np.ndarray, outcomes: list[str], frame: str, touch: float | list[float] = 9.0) -> xr.Dataset:
    columns = {name: ("run", positions[:, i]) for i, name in enumerate(("x_m", "y_m", "z_m"))}
    columns["first_touch_s"] = ("run", np.broadcast_to(touch, len(outcomes)))
    return xr.Dataset({**columns, "outcome": ("run", np.array(outcomes))}, {"run": np.arange(len(outcomes))},
                      {"surface_frame": frame})  # fmt: skip


def test_only_what_came_down_counts() -> None:
    positions = np.array([[1.0, 2.0, 3.0], [np.nan] * 3, [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    found = landing_of(places(positions, ["settled", "bad_input", "escaped", "overturned"], "L"))
    assert found.runs.tolist() == [0, 3]
    assert found.points.tolist() == [[1.0, 2.0], [7.0, 8.0]]


def test_what_ran_out_of_time_in_the_air_has_not_come_down() -> None:
    """Nor what left the map or turned over before it touched; what ends at a height by `stop_altitude` has."""
    outcomes = ["timed_out", "timed_out", "off_map", "off_map", "overturned", "descended", "settled"]
    touch = [np.nan, 3.0, np.nan, 3.0, np.nan, np.nan, 3.0]
    found = landing_of(places(np.ones((7, 3)), outcomes, "L", touch))
    assert found.runs.tolist() == [1, 3, 5, 6]


def test_on_a_body_places_lie_in_the_plane_under_their_mean() -> None:
    """A ring of 1 m about a place of a sphere: east is along the spin, north towards the pole."""
    turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    up, east, north = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
    ring = 500.0 * up + np.cos(turn)[:, None] * east + np.sin(turn)[:, None] * north
    found = landing_of(places(ring, ["settled"] * 12, "P"))
    np.testing.assert_allclose(found.points, np.column_stack([np.cos(turn), np.sin(turn)]), atol=1e-12)


def test_the_ground_under_places_on_a_body() -> None:
    """Over the plane that touches a sphere, a place at distance d lies d^2/(2 R) lower, to d^4/(8 R^3)."""
    scenario = planetfall.load("cube-67p").with_values(
        {
            "target.frame": "P",
            "terrain": {"model": "sdf", "shape": "sphere", "half_sizes": [50.0, 50.0, 50.0], "resolution": 1.0},
            "initial.position": [0.0, 0.0, 60.0],
        }
    )
    found = landing_of(places(np.array([[50.0, 0.1, 0.0], [50.0, -0.1, 0.0]]), ["settled"] * 2, "P"))
    across = np.array([-4.0, 0.0, 3.0])
    heights = relief(make_surface(scenario, "cpu"), found, across, across)
    # the table of distances is trilinear between samples 1 m apart: wrong by at most 3/8 of h^2/R
    expected = -(across[None, :] ** 2 + across[:, None] ** 2) / 100.0
    np.testing.assert_allclose(heights, expected, atol=0.02 + 32.0**2 / (8 * 50.0**3))
