"""Profiles of craters, fresh and worn, and how craters lie over each other."""

import numpy as np
import pytest
from scipy.integrate import quad

from oracles.terrain_laws import diffused
from planetfall.errors import InputError
from planetfall.scenario.tables.world.terrain_procedural import PlacedCrater, TerrainCraters
from planetfall.world.terrain.procedural.crater_profile import fresh_profile, samples, support, worn_profiles
from planetfall.world.terrain.procedural.craters import Craters, crater_relief, draw_craters
from planetfall.world.terrain.procedural.grid import Grid

TABLE = TerrainCraters()
GRID = Grid(241, 201, 0.25)  # 60 m x 50 m


def crater(x: float, y: float, diameter: float, degradation: float = 0.0) -> Craters:
    return Craters(*(np.array([value]) for value in (x, y, diameter, degradation)))


def both(a: Craters, b: Craters) -> Craters:
    return Craters(*(np.concatenate([getattr(c, k) for c in (a, b)]) for k in ("x", "y", "diameter", "degradation")))


def test_fresh_profile_has_floor_crest_and_ejecta() -> None:
    """Depth 0.2 D and rim 0.036 D (Pike1977); (r/R)^-3 (McGetchin1973) but for what is cut off at the reach."""
    assert fresh_profile(TABLE, np.array(0.0)) == pytest.approx(0.036 - 0.2)
    assert fresh_profile(TABLE, np.array(1.0)) == pytest.approx(0.036)
    s = np.linspace(1.0, 5.0, 50)
    np.testing.assert_allclose(fresh_profile(TABLE, s), 0.036 * s**-3, atol=0.036 * 5.0**-3)
    assert fresh_profile(TABLE, np.array(5.0)) == 0.0
    assert not fresh_profile(TABLE, np.array([5.1, 50.0])).any()
    inner = np.linspace(0.0, 1.0, 50)
    np.testing.assert_allclose(np.gradient(fresh_profile(TABLE, inner), inner)[1:-1], 0.4 * inner[1:-1], atol=1e-12)


@pytest.mark.parametrize("exponent", [2.0, 3.0, 4.0])
def test_ejecta_thin_out_with_their_exponent(exponent: float) -> None:
    """The slope of the profile, which the shift to a finite reach does not touch, falls as s^-(exponent + 1)."""
    table = TerrainCraters(ejecta_exponent=exponent, ejecta_reach=8.0)
    s = np.geomspace(1.5, 6.0, 30)
    slope = (fresh_profile(table, s * 1.0001) - fresh_profile(table, s * 0.9999)) / (0.0002 * s)
    fitted = np.polyfit(np.log(s), np.log(-slope), 1)[0]
    assert fitted == pytest.approx(-exponent - 1.0, abs=1e-5)


@pytest.mark.parametrize("tau", [3e-3, 0.03, 0.3, 1.0])
def test_worn_profile_is_the_heat_kernels(tau: float) -> None:
    """Against the kernel's integral, at places inside, on the crest and outside; 2e-6 is the modes' truncation."""
    table = TerrainCraters(degradation=1.0)
    s, worn = samples(table), worn_profiles(table, np.array([tau]))[0]
    for place in (0.0, 0.5, 0.9, 1.0, 1.1, 1.6, 3.0, 5.0, 6.0):
        expected = diffused(lambda t: fresh_profile(table, t), place, tau, table.ejecta_reach)
        assert np.interp(place, s, worn) == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("tau", [1e-7, 1e-5, 1e-4])
def test_hardly_worn_profile_differs_at_the_crest_alone(tau: float) -> None:
    """What the modes leave out is kept as it was: off at the crest by the change of slope 0.508 over pi 250, 6.5e-4."""
    table = TerrainCraters(degradation=0.1)
    s, worn = samples(table), worn_profiles(table, np.array([tau]))[0]
    expected = [
        diffused(lambda t: fresh_profile(table, t), place, tau, table.ejecta_reach) for place in (0.3, 1.0, 1.2)
    ]
    np.testing.assert_allclose(np.interp([0.3, 1.0, 1.2], s, worn), expected, atol=6.6e-4)
    far = np.abs(s - 1.0) > 0.1
    # away from it diffusion does tau times the curvature, up to 1.6; what the modes lack of the crest meets on the axis
    np.testing.assert_allclose(worn[far], fresh_profile(table, s)[far], atol=3.0 * tau + 1e-4)


@pytest.mark.parametrize("tau", [0.01, 0.1, 1.0])
def test_wear_fills_the_floor_by_the_closed_form(tau: float) -> None:
    """On the axis diffusion makes 1 - 4 tau (1 - exp(-1/(4 tau))) of the bowl 1 - s^2."""
    table = TerrainCraters(degradation=1.0, rim_ratio=0.0)
    expected = -0.2 * (1.0 - 4.0 * tau * (1.0 - np.exp(-0.25 / tau)))
    assert worn_profiles(table, np.array([tau]))[0, 0] == pytest.approx(expected, abs=1e-7)


def test_wear_moves_ground_and_makes_none() -> None:
    """The volume stays; the trapezoidal rule is off by h^2/12 times the slope of s z at 0, the floor: 1.4e-6."""
    table = TerrainCraters(degradation=1.0)
    s = samples(table)
    before = quad(lambda t: t * fresh_profile(table, np.array(t)), 0.0, 1.0)[0]
    before += quad(lambda t: t * fresh_profile(table, np.array(t)), 1.0, 5.0)[0]
    after = np.trapezoid(s * worn_profiles(table, np.array([0.02, 0.2, 1.0])), s, axis=1)
    np.testing.assert_allclose(after, before, atol=2e-6)


def test_older_craters_are_shallower_with_lower_rims() -> None:
    table = TerrainCraters(degradation=1.0)
    worn = worn_profiles(table, np.array([1e-3, 1e-2, 1e-1, 1.0]))
    depth = worn.max(axis=1) - worn[:, 0]
    assert np.all(np.diff(depth) < 0.0)
    assert depth[0] < 0.2
    assert np.all(np.diff(worn.max(axis=1)) < 0.0)


def test_a_worn_profile_ends_where_it_is_cut() -> None:
    """At five standard deviations beyond the ejecta's reach: a step of less than a millionth of the diameter."""
    table = TerrainCraters(degradation=1.0)
    tau = np.array([0.01, 0.1, 1.0])
    for profile, end in zip(worn_profiles(table, tau), (support(table, t) for t in tau), strict=True):
        assert abs(np.interp(end, samples(table), profile)) < 1e-6


@pytest.mark.parametrize("tau", [0.0, 0.05])
def test_relief_is_the_profile_at_every_node(tau: float) -> None:
    """Off the grid's nodes and not in the middle; 1e-9 m is left at the corners of the square that is filled in."""
    table = TerrainCraters(degradation=0.05)
    one = crater(3.3, -7.1, 6.0, tau)
    relief = crater_relief(table, one, GRID)
    x, y = np.meshgrid(GRID.x, GRID.y)
    s = np.hypot(x - 3.3, y + 7.1) / 3.0
    profile = np.interp(s, samples(table), worn_profiles(table, np.array([tau]))[0]) if tau else fresh_profile(table, s)
    profile[s > support(table, tau)] = 0.0
    np.testing.assert_allclose(relief, 6.0 * profile, atol=1e-9)


def test_craters_apart_add_up() -> None:
    a, b = crater(-14.0, 0.0, 4.0), crater(14.0, 3.0, 5.0)
    together = crater_relief(TABLE, both(a, b), GRID)
    np.testing.assert_allclose(together, crater_relief(TABLE, a, GRID) + crater_relief(TABLE, b, GRID), atol=1e-12)


def test_a_young_crater_wipes_out_the_old_one_inside_it() -> None:
    """Its bowl is the fresh bowl on the old ground's plane: near the middle the old crest has left no trace."""
    old, young = crater(0.0, 0.0, 3.0), crater(0.5, 0.0, 12.0)
    alone = crater_relief(TABLE, young, GRID)
    together = crater_relief(TABLE, both(old, young), GRID)
    added = crater_relief(TABLE, old, GRID) + alone
    x, y = np.meshgrid(GRID.x, GRID.y)
    middle = np.hypot(x - 0.5, y) < 3.0
    assert np.ptp((together - alone)[middle]) < 0.5 * np.ptp((added - alone)[middle])
    outside = np.hypot(x - 0.5, y) > 6.0
    np.testing.assert_allclose(together[outside], added[outside], atol=1e-12)


def test_a_small_young_crater_on_a_wall_keeps_the_wall_s_slope() -> None:
    """The mean plane is kept: far inside a large bowl the ground around and under it stays inclined."""
    large, small = crater(0.0, 0.0, 40.0), crater(10.0, 0.0, 2.0)
    together, alone = crater_relief(TABLE, both(large, small), GRID), crater_relief(TABLE, large, GRID)
    x, y = np.meshgrid(GRID.x, GRID.y)
    own = 2.0 * fresh_profile(TABLE, np.hypot(x - 10.0, y))
    # what is lost is the curvature of the large bowl over a radius of 1 m: (1 m / 20 m)^2 of 8 m
    np.testing.assert_allclose(together, alone + own, atol=0.02)


def test_the_oldest_come_first() -> None:
    table = TerrainCraters(density=0.02, degradation=0.5, placed=(PlacedCrater(diameter=9.0),))
    drawn = draw_craters(table, 4, GRID, 0.0)
    age = drawn.degradation * drawn.diameter**2
    assert np.all(np.diff(age) <= 0.0)
    assert (drawn.diameter[-1], drawn.degradation[-1]) == (9.0, 0.0)
    assert len(drawn) > 50


def test_fresh_ones_come_by_size() -> None:
    drawn = draw_craters(TerrainCraters(density=0.02), 4, GRID, 0.0)
    assert np.all(np.diff(drawn.diameter) <= 0.0)


def test_craters_beside_the_field_are_kept_only_where_they_reach_it() -> None:
    drawn = draw_craters(TerrainCraters(density=0.02, diameter_max=20.0), 4, GRID, 0.0)
    beside = (np.abs(drawn.x) > 30.0) | (np.abs(drawn.y) > 25.0)
    reach = 2.5 * drawn.diameter
    assert beside.any()
    assert np.all((np.abs(drawn.x) < 30.0 + reach) & (np.abs(drawn.y) < 25.0 + reach))


def test_the_edge_is_as_cratered_as_the_middle() -> None:
    """Mean square relief in the outer and the inner half of the area, 40 fields: equal by 4 standard errors."""
    table = TerrainCraters(density=0.02, diameter_min=3.0, diameter_max=6.0)
    grid = Grid(61, 51, 1.0)
    x, y = np.meshgrid(grid.x, grid.y)
    is_outer = np.maximum(np.abs(x) / 30.0, np.abs(y) / 25.0) > np.sqrt(0.5)
    gaps = []
    for seed in range(40):
        z = crater_relief(table, draw_craters(table, seed, grid, 0.0), grid)
        gaps.append(np.mean(z[is_outer] ** 2) - np.mean(z[~is_outer] ** 2))
    assert abs(np.mean(gaps)) < 4.0 * np.std(gaps, ddof=1) / np.sqrt(40)


def test_no_drawn_crest_enters_the_pad() -> None:
    drawn = draw_craters(TerrainCraters(density=0.05), 4, GRID, 8.0)
    assert np.all(np.hypot(drawn.x, drawn.y) >= 8.0 + 0.5 * drawn.diameter)
    assert np.any(np.hypot(drawn.x, drawn.y) < 15.0)


def test_too_many_craters_are_refused_before_they_are_drawn() -> None:
    with pytest.raises(
        InputError, match=r"terrain\.craters: the law asks for .*e\+.* craters; expected at most 200000"
    ):
        draw_craters(TerrainCraters(density=1e6), 0, GRID, 0.0)
