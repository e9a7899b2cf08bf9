"""Roughness as a function of position: nothing but the table and the seed decides it."""

import numpy as np

from planetfall.scenario.tables.world.terrain_procedural import TerrainNoise
from planetfall.world.terrain.procedural.draw import Stream, poisson_count, uniforms
from planetfall.world.terrain.procedural.grid import Grid
from planetfall.world.terrain.procedural.roughness import draw_waves, roughness

NOISE = TerrainNoise(amplitude=0.3, wavelength=20.0, octaves=4, hurst=0.7)


def test_heights_are_the_sum_of_the_waves() -> None:
    """One matrix product and a cosine for each wave agree to rounding."""
    grid, waves = Grid(9, 7, 1.3), draw_waves(NOISE, 3)
    x, y = np.meshgrid(grid.x, grid.y)
    phase = np.multiply.outer(x, waves.k_x) + np.multiply.outer(y, waves.k_y) + waves.phase
    np.testing.assert_allclose(roughness(NOISE, 3, grid), np.cos(phase) @ waves.amplitude, atol=1e-13)


def test_waves_are_between_the_longest_and_the_shortest_and_their_squares_sum_up() -> None:
    waves = draw_waves(NOISE, 3)
    lengths = 2.0 * np.pi / np.hypot(waves.k_x, waves.k_y)
    assert NOISE.shortest == 20.0 / 16.0
    assert np.all((lengths > NOISE.shortest * (1 - 1e-12)) & (lengths < 20.0 * (1 + 1e-12)))
    np.testing.assert_allclose(np.sum(waves.amplitude**2) / 2.0, 0.09, rtol=1e-13)


def test_each_octave_is_rougher_than_the_next_by_the_hurst_exponent() -> None:
    """Variances fall by lacunarity^(-2 H) from octave to octave, exactly."""
    noise = TerrainNoise(amplitude=1.0, lacunarity=3.0, hurst=0.6, octaves=5, wavelength=500.0)
    shares = np.sum(draw_waves(noise, 0).amplitude.reshape(5, -1) ** 2, axis=1)
    np.testing.assert_allclose(shares[1:] / shares[:-1], 3.0**-1.2, rtol=1e-12)


def test_a_finer_or_wider_map_shows_the_same_ground() -> None:
    """At the nodes that they share, to rounding of arguments of some hundred radians."""
    coarse, fine, wide = Grid(11, 11, 2.0), Grid(41, 41, 0.5), Grid(31, 21, 2.0)
    expected = roughness(NOISE, 5, coarse)
    np.testing.assert_allclose(roughness(NOISE, 5, fine)[::4, ::4], expected, atol=1e-12)
    np.testing.assert_allclose(roughness(NOISE, 5, wide)[5:-5, 10:-10], expected, atol=1e-12)


def test_another_octave_leaves_the_first_ones_where_they_are() -> None:
    """Up to their share of the whole variance."""
    few, more = (draw_waves(NOISE.model_copy(update={"octaves": n}), 5) for n in (3, 4))
    n = len(few.k_x)
    np.testing.assert_array_equal(more.k_x[:n], few.k_x)
    np.testing.assert_array_equal(more.phase[:n], few.phase)
    ratio = more.amplitude[:n] / few.amplitude
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-12)


def test_rows_in_several_blocks_are_the_same_rows() -> None:
    grid = Grid(2, 2500, 0.7)
    blocks = roughness(NOISE, 1, grid)
    waves = draw_waves(NOISE, 1)
    row = 2300
    phase = grid.y[row] * waves.k_y + waves.phase
    np.testing.assert_allclose(blocks[row, 1], np.cos(phase + grid.x[1] * waves.k_x) @ waves.amplitude, atol=1e-12)


def test_no_amplitude_is_smooth_and_seeds_differ() -> None:
    grid = Grid(9, 7, 1.3)
    assert not roughness(TerrainNoise(), 0, grid).any()
    assert np.abs(roughness(NOISE, 0, grid) - roughness(NOISE, 1, grid)).max() > 0.1


def test_streams_and_indices_have_numbers_of_their_own() -> None:
    draws = [uniforms(7, stream, index, (50,)) for stream in Stream for index in (0, 1)]
    draws.append(uniforms(8, Stream.noise, 0, (50,)))
    for i, a in enumerate(draws):
        for b in draws[:i]:
            assert not np.intersect1d(a, b).size
    np.testing.assert_array_equal(uniforms(7, Stream.noise, 0, (5,)), uniforms(7, Stream.noise, 0, (50,))[:5])
    assert uniforms(2**63 - 1, Stream.rocks, 0, (1,))[0] != uniforms(0, Stream.rocks, 0, (1,))[0]


def philox(key: tuple[int, int], counter: int) -> list[int]:
    """A block of Philox 4x64 with ten rounds, written down again from its definition."""
    mask = 2**64 - 1
    a, b, c, d = counter, 0, 0, 0
    k0, k1 = key
    for _ in range(10):
        p, q = 0xD2E7470EE14C6C93 * a, 0xCA5A826395121157 * c
        a, b, c, d = (q >> 64) ^ b ^ k0, q & mask, (p >> 64) ^ d ^ k1, p & mask
        k0, k1 = (k0 + 0x9E3779B97F4A7C15) & mask, (k1 + 0xBB67AE8584CAA73B) & mask
    return [a, b, c, d]


def test_uniform_numbers_are_those_of_philox() -> None:
    """Keyed by seed and stream, blocks counted from 1, the upper 53 bits: so no version of NumPy moves a terrain."""
    words = philox((77, (4 << 32) + 3), 1) + philox((77, (4 << 32) + 3), 2)
    np.testing.assert_array_equal(uniforms(77, Stream.rocks, 3, (2, 4)).ravel(), [(w >> 11) / 2**53 for w in words])


def test_poisson_counts_invert_the_distribution() -> None:
    """The least n with P(N <= n) > u, by adding up the probabilities."""
    for mean in (0.3, 4.0, 60.0):
        n = np.arange(400)
        with np.errstate(under="ignore"):
            cumulative = np.cumsum(np.exp(n * np.log(mean) - mean - np.cumsum(np.log(np.maximum(n, 1)))))
        for u in (0.0, 0.01, 0.5, 0.77, 0.999, 1.0 - 1e-9):
            assert poisson_count(mean, u) == np.argmax(cumulative > u)
    assert poisson_count(0.0, 0.9) == 0
    assert abs(poisson_count(1e5, 0.5) - 1e5) < 2
