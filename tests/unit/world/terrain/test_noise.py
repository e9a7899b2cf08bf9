"""The noise: its derivatives, its variance and slope, its bounds, its regions, and what its seed decides."""

from functools import lru_cache

import numpy as np
import pytest
import warp as wp

from oracles.gradient_noise import noise_of_products, ours_and_plain
from planetfall.compute.device import start_warp
from planetfall.errors import InputError
from planetfall.world.terrain.noise.build import (
    Noise,
    _steepest,
    lattice_constants,
    noise_params,
    noise_statistics,
)
from planetfall.world.terrain.noise.noise import Height, NoiseParams, noise_height, noise_sum, sum_from
from planetfall.world.terrain.noise.regions import Region, region_amplitudes

ROUGH = Noise(0.3, 20.0, octaves=5, gain=0.6, lacunarity=2.1, seed=7)


@lru_cache
def _kernel():
    @wp.kernel(enable_backward=False, module="unique")
    def ask(
        noise: NoiseParams,
        places: wp.array(dtype=wp.vec3d),
        values_out: wp.array(dtype=wp.float64),
        slopes_out: wp.array(dtype=wp.vec3d),
    ):
        i = wp.tid()
        found = noise_height(noise, places[i])
        values_out[i] = found.value
        slopes_out[i] = found.slope

    return ask


def heights(noise: Noise, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    start_warp()
    n = len(places)
    values, slopes = wp.zeros(n, dtype=wp.float64, device="cpu"), wp.zeros(n, dtype=wp.vec3d, device="cpu")
    inputs = [noise_params(noise, "cpu"), wp.array(places, dtype=wp.vec3d, device="cpu")]
    wp.launch(_kernel(), n, inputs=inputs, outputs=[values, slopes], device="cpu")
    return values.numpy(), slopes.numpy()


def places(n: int, seed: int, size: float = 3000.0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-size, size, (n, 3))


def lattice_places() -> tuple[np.ndarray, np.ndarray]:
    """Random places of both signs, nodes, and places on edges and planes of nodes, or a rounding off them; seeds."""
    rng = np.random.default_rng(10)
    u = rng.uniform(-1e4, 1e4, (100_000, 3))
    nodes = rng.integers(-300, 300, (30_000, 3)).astype(float)
    on_plane = rng.random((30_000, 3)) < 0.5
    on_plane[:5_000] = True
    u[:30_000] = np.where(on_plane, nodes, nodes + rng.random((30_000, 3)))
    u[20_000:30_000] = np.nextafter(u[20_000:30_000], rng.choice([-1e9, 1e9], (10_000, 3)))
    return u, rng.integers(2**32, size=len(u), dtype=np.uint32)


def test_gradient_noise_is_the_sum_of_eight_products() -> None:
    """Some sixty roundings of terms of up to 5, and in NumPy of 1 - t: 60 x 5 x 1.1e-16."""
    start_warp()
    u, seeds = lattice_places()
    ours, _ = ours_and_plain(u, seeds)
    value, gradient = noise_of_products(u, seeds)
    np.testing.assert_allclose(ours[:, 0], value, rtol=0.0, atol=4e-14)
    np.testing.assert_allclose(ours[:, 1:], gradient, rtol=0.0, atol=4e-14)


def test_fused_signs_have_the_bits_of_plain_sums() -> None:
    """Of every number, signs of zeros included: a product with +-1 is exact, so that nothing is lost by fusing it."""
    start_warp()
    ours, plain = ours_and_plain(*lattice_places())
    assert np.abs(ours).max() > 1.0
    np.testing.assert_array_equal(ours.view(np.uint64), plain.view(np.uint64))


def test_gradient_is_that_of_the_formula() -> None:
    """Differences over h = 1e-3 m: rounding of positions of 3000 m, 5e-13 m/h times slopes of 1.

    Across a plane of a lattice the third derivative jumps: h^2 of some tenths per m^2.
    """
    points, h = places(300, 0), 1e-3
    _, found = heights(ROUGH, points)
    stencil = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))
    slope = [sum(w * heights(ROUGH, points + k * h * u)[0] for k, w in stencil) / (12 * h) for u in np.eye(3)]
    np.testing.assert_allclose(found, np.array(slope).T, atol=2e-7)
    assert np.median(np.abs(found - np.array(slope).T)) < 1e-9


def test_gradient_is_continuous_across_lattice_planes() -> None:
    """Two continuous derivatives: over 2e-9 m the slope changes by no more than its own slope, some 10/m."""
    points = places(2000, 1)
    offset = np.array([1e-9, 0.0, 0.0])
    _, one = heights(ROUGH, points)
    _, other = heights(ROUGH, points + offset)
    assert np.abs(one - other).max() < 1e-6


@wp.kernel(enable_backward=False, module="unique", module_options={"fuse_fp": False})
def sum_both_ways(
    noise: NoiseParams, places: wp.array(dtype=wp.vec3d), ours_out: wp.array(dtype=Height),
    one_by_one_out: wp.array(dtype=Height),
):  # fmt: skip
    i = wp.tid()
    ours_out[i] = noise_sum(noise, places[i])
    one_by_one_out[i] = sum_from(noise, places[i], 0)


@pytest.mark.parametrize("octaves", [1, 2, 3, 4, 5, 8, 9, 24])
def test_octaves_at_once_have_the_bits_of_octaves_one_by_one(octaves: int) -> None:
    """Also on nodes, far away and where there is no number."""
    start_warp()
    rng = np.random.default_rng(octaves)
    points = rng.normal(size=(4000, 3)) * 10.0 ** rng.uniform(-3, 6, (4000, 1))
    points[:200] = np.round(points[:200])
    points[200:203] = [[np.nan, 0.0, 0.0], [0.0, np.inf, 0.0], [0.0, 0.0, -0.0]]
    noise = noise_params(Noise(0.3, 20.0, octaves=octaves, gain=0.6, lacunarity=2.1, seed=octaves), "cpu")
    found = [wp.zeros(len(points), dtype=Height, device="cpu") for _ in range(2)]
    inputs = [noise, wp.array(points, dtype=wp.vec3d, device="cpu")]
    wp.launch(sum_both_ways, len(points), inputs=inputs, outputs=found, device="cpu")
    ours, one_by_one = (out.numpy().copy() for out in found)
    for name in ("value", "slope"):
        assert np.array_equal(ours[name], one_by_one[name], equal_nan=True)
    good = np.isfinite(points).all(axis=1)
    assert ours[good].tobytes() == one_by_one[good].tobytes()
    assert np.ptp(ours["value"][good]) > 1.0


def test_variance_and_slope_are_the_sums_over_octaves() -> None:
    """A^2 sum gain^2i and A^2 sum (gain lacunarity)^2i s^2/wavelength^2, from 60,000 points in cells of their own."""
    values, slopes = heights(ROUGH, places(60000, 2))
    expected = noise_statistics(ROUGH)
    assert expected.deviation == pytest.approx(0.3 * np.sqrt(np.sum(0.6 ** (2 * np.arange(5)))))
    assert values.std() == pytest.approx(expected.deviation, rel=0.02)
    assert abs(values.mean()) < 0.02 * expected.deviation
    assert np.sqrt(np.mean(np.sum(slopes**2, axis=1))) == pytest.approx(expected.slope_deviation, rel=0.02)
    variances = [np.mean(slopes[:, k] ** 2) for k in range(3)]
    np.testing.assert_allclose(variances, np.mean(variances), rtol=0.1)  # no direction is special


def test_bounds_hold_everywhere() -> None:
    found = noise_statistics(ROUGH)
    values, slopes = heights(ROUGH, places(200000, 3))
    assert np.abs(values).max() <= found.bound
    assert np.linalg.norm(slopes, axis=1).max() <= found.slope_bound


def test_steepest_slope_is_not_exceeded_by_any_signs() -> None:
    """37/8 per octave, in the middle of a cell along an axis: 8 |1/8 - 15/64| + 16 (15/32)/2; less at 3,000 others."""
    assert _steepest() == pytest.approx(37.0 / 8.0, rel=1e-12)
    rng = np.random.default_rng(3)
    places, ways = rng.uniform(size=(3000, 1, 3)), rng.normal(size=(3000, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    away = places - np.array(list(np.ndindex(2, 2, 2)))
    near = np.abs(away)
    fall, rate = 1.0 - near**3 * (near * (6.0 * near - 15.0) + 10.0), -30.0 * (near * (near - 1.0)) ** 2 * np.sign(away)
    weight = fall.prod(axis=2)
    gradient = np.stack([rate[..., k] * np.delete(fall, k, axis=2).prod(axis=2) for k in range(3)], axis=-1)
    along = np.einsum("nck,nk->nc", gradient, ways)
    most = np.abs(weight[..., None] * ways[:, None] + along[..., None] * away).sum(axis=(1, 2))
    assert most.max() <= 37.0 / 8.0


def test_the_bound_of_one_octave_is_attained() -> None:
    """In the middle of a cell |N| reaches 3/2 for the right signs: 2^-16 of all cells; half of it is common."""
    values, _ = heights(Noise(1.0, 1.0), places(200000, 4))
    bound = 1.5 / np.sqrt(lattice_constants()[0])
    assert 0.6 * bound < np.abs(values).max() <= bound


def test_same_seed_same_ground_and_another_seed_another() -> None:
    points = places(500, 5)
    one, again, other = (heights(Noise(0.3, 20.0, octaves=3, seed=seed), points)[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.2


def test_octaves_are_independent() -> None:
    points = places(20000, 6)
    one, two = (heights(Noise(1.0, 20.0, octaves=n, gain=1.0), points)[0] for n in (1, 2))
    assert abs(np.corrcoef(one, two - one)[0, 1]) < 0.03


def test_no_amplitude_no_noise() -> None:
    values, slopes = heights(Noise(0.0, 20.0, octaves=3), places(50, 7))
    assert not values.any()
    assert not slopes.any()


def test_each_region_has_its_own_variance() -> None:
    """A rocky ball in a sandy body: variance inside and outside, away from the change between them."""
    bounds = np.array([[-1000.0] * 3, [1000.0] * 3])
    grid, origin, spacing = region_amplitudes(bounds, 0.1, [Region(np.array([400.0, 0.0, 0.0]), 500.0, 2.0)])
    noise = Noise(grid, 10.0, octaves=2, gain=0.5, seed=3, origin=origin, spacing=spacing)
    points = places(120000, 8, 1000.0)
    values, _ = heights(noise, points)
    away = np.linalg.norm(points - [400.0, 0.0, 0.0], axis=1)
    unit = np.sqrt(1.25)
    assert values[away < 340.0].std() == pytest.approx(2.0 * unit, rel=0.03)
    assert values[away > 560.0].std() == pytest.approx(0.1 * unit, rel=0.03)


def test_a_varying_amplitude_is_in_the_gradient() -> None:
    rng = np.random.default_rng(9)
    noise = Noise(rng.uniform(0.0, 1.0, (4, 5, 6)), 30.0, 2, origin=(-9.0, -9.0, -9.0), spacing=(6.0, 5.0, 4.0))
    points, h = rng.uniform(-15.0, 15.0, (400, 3)), 1e-4
    _, found = heights(noise, points)
    slope = [
        (heights(noise, points + h * u)[0] - heights(noise, points - h * u)[0]) / (2 * h) for u in np.eye(3)
    ]  # fmt: skip
    off = np.abs(found - np.array(slope).T).max(axis=1)
    assert np.sort(off)[-5] < 1e-7  # a point or two has a node's plane within h
    assert np.linalg.norm(found, axis=1).max() <= noise_statistics(noise).slope_bound


@pytest.mark.parametrize(
    "given",
    [
        Noise(-1.0, 1.0), Noise(np.nan, 1.0), Noise(1.0, 0.0), Noise(1.0, 1.0, octaves=0), Noise(1.0, 1.0, gain=0.0),
        Noise(1.0, 1.0, lacunarity=0.5), Noise(np.ones((1, 2, 2)), 1.0), Noise(1.0, 1.0, spacing=(0.0, 1.0, 1.0)),
    ],
)  # fmt: skip
def test_what_is_no_noise_is_refused(given: Noise) -> None:
    with pytest.raises(InputError, match=r"terrain\.noise"):
        noise_params(given, "cpu")
