"""Generated craters, rocks and roughness follow the laws that they are made by.

Seeds are fixed. A test of distribution asks for a probability above 1e-4 that the sample is as odd as it is; a count or
a mean has to lie within 4 standard deviations, which come from the law or from the sample. Each is also shown to refuse
a slightly different law.
"""

import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest

from oracles.terrain_laws import rock_number, structure_function
from planetfall.scenario.files.built_in import library_names
from planetfall.scenario.files.load import terrain_from_dict
from planetfall.scenario.tables.world.terrain_procedural import TerrainCraters, TerrainNoise, TerrainRocks
from planetfall.world.terrain.procedural.craters import Craters, crater_diameters, draw_craters
from planetfall.world.terrain.procedural.generate import GeneratedTerrain, generate
from planetfall.world.terrain.procedural.grid import Grid
from planetfall.world.terrain.procedural.rocks import Rocks, draw_rocks, rock_diameters
from planetfall.world.terrain.procedural.roughness import roughness
from support.terrain_files import read_raster

ODD = 1e-4
FIELD = Grid(201, 101, 1.0)  # 200 m x 100 m
AREA = 200.0 * 100.0
SHARED = Path(os.environ.get("PLANETFALL_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


def inside(craters: Craters) -> Craters:
    """Those with their centre in the field: of them the law speaks."""
    return craters.kept((np.abs(craters.x) <= 100.0) & (np.abs(craters.y) <= 50.0))


def crater_cdf(table: TerrainCraters, exponent: float):
    low, high = (d**-exponent for d in (table.diameter_min, table.diameter_max))
    return lambda d: (low - d**-exponent) / (low - high)


@pytest.mark.parametrize("exponent", [1.5, 2.0, 3.0])
def test_craters_follow_their_size_frequency_law(exponent: float) -> None:
    table = TerrainCraters(density=0.05, exponent=exponent, diameter_min=0.8, diameter_max=12.0, degradation=0.3)
    drawn = [inside(draw_craters(table, seed, FIELD, 0.0)) for seed in range(4)]
    sizes = np.concatenate([c.diameter for c in drawn])
    mean = 4 * AREA * 0.05 * (0.8**-exponent - 12.0**-exponent)
    assert abs(len(sizes) - mean) < 4.0 * np.sqrt(mean)
    assert kstest(sizes, crater_cdf(table, exponent)).pvalue > ODD
    assert kstest(sizes, crater_cdf(table, exponent + 0.2)).pvalue < ODD
    for d in (1.0, 2.0, 5.0):  # the cumulative number itself, at some diameters
        expected = 4 * AREA * 0.05 * (d**-exponent - 12.0**-exponent)
        assert abs(np.sum(sizes > d) - expected) < 4.0 * np.sqrt(expected)


def test_craters_are_uniform_in_place_and_in_wear() -> None:
    table = TerrainCraters(density=0.05, diameter_min=0.8, diameter_max=12.0, degradation=0.3)
    drawn = inside(draw_craters(table, 11, FIELD, 0.0))
    assert kstest(drawn.x, "uniform", (-100.0, 200.0)).pvalue > ODD
    assert kstest(drawn.y, "uniform", (-50.0, 100.0)).pvalue > ODD
    assert kstest(drawn.degradation, "uniform", (0.0, 0.3)).pvalue > ODD
    assert abs(np.corrcoef(drawn.x, drawn.y)[0, 1]) < 4.0 / np.sqrt(len(drawn))


def test_craters_of_one_size_are_all_of_that_size() -> None:
    table = TerrainCraters(density=0.05, diameter_min=3.0, diameter_max=3.0)
    np.testing.assert_allclose(crater_diameters(table, np.linspace(0.0, 1.0, 9)), 3.0, rtol=1e-14)


def rock_cdf(cover: float, low: float, high: float):
    edges = np.geomspace(low, high, 400)
    numbers = np.array([rock_number(cover, a, b) for a, b in pairwise(edges)])
    cumulative = np.concatenate([[0.0], np.cumsum(numbers)]) / numbers.sum()
    return lambda d: np.interp(d, edges, cumulative)  # steps of 1 %: wrong by some 1e-6


@pytest.mark.parametrize("cover", [0.02, 0.05, 0.19])
def test_rocks_follow_the_law_of_golombek(cover: float) -> None:
    table = TerrainRocks(cover=cover, diameter_min=0.2, diameter_max=3.0)
    sizes = np.concatenate([draw_rocks(table, seed, FIELD, 0.0).diameter for seed in range(2)])
    mean = 2 * AREA * rock_number(cover, 0.2, 3.0)
    assert abs(len(sizes) - mean) < 4.0 * np.sqrt(mean)
    assert kstest(sizes, rock_cdf(cover, 0.2, 3.0)).pvalue > ODD
    assert kstest(sizes, rock_cdf(1.5 * cover, 0.2, 3.0)).pvalue < ODD


@pytest.mark.parametrize("cover", [0.02, 0.05, 0.19])
def test_rocks_cover_the_ground_that_the_law_says(cover: float) -> None:
    """k (exp(-q D_min) - exp(-q D_max)); its scatter is that of a Poisson number of areas."""
    table = TerrainRocks(cover=cover, diameter_min=0.3, diameter_max=3.0)
    rocks = draw_rocks(table, 5, FIELD, 0.0)
    q = 1.79 + 0.152 / cover
    covered = np.sum(0.25 * np.pi * rocks.diameter**2) / AREA
    expected = cover * (np.exp(-q * 0.3) - np.exp(-q * 3.0))
    scatter = np.sqrt(np.sum((0.25 * np.pi * rocks.diameter**2) ** 2)) / AREA
    assert abs(covered - expected) < 4.0 * scatter
    assert scatter < 0.1 * expected


def test_the_law_of_rocks_is_inverted_to_rounding() -> None:
    """Diameters of given quantiles have the numbers that quadrature gives."""
    table = TerrainRocks(cover=0.1, diameter_min=0.05, diameter_max=4.0)
    u = np.array([0.0, 1e-6, 0.1, 0.5, 0.99, 1.0 - 1e-9, 1.0])
    whole = rock_number(0.1, 0.05, 4.0)
    below = [rock_number(0.1, 0.05, d) if d > 0.05 else 0.0 for d in rock_diameters(table, u)]
    np.testing.assert_allclose(np.array(below) / whole, u, atol=1e-10)


def test_rocks_are_uniform_over_the_field() -> None:
    """They keep clear of each other, which makes them a little more even than chance, never less."""
    rocks = draw_rocks(TerrainRocks(cover=0.05, diameter_min=0.2), 8, FIELD, 0.0)
    assert kstest(rocks.x, "uniform", (-100.0, 200.0)).pvalue > ODD
    assert kstest(rocks.y, "uniform", (-50.0, 100.0)).pvalue > ODD
    large = rocks.diameter > np.median(rocks.diameter)
    assert kstest(rocks.x[large], "uniform", (-100.0, 200.0)).pvalue > ODD


NOISE = {"amplitude": 0.5, "wavelength": 256.0, "octaves": 8}
DISTANCES = (1, 2, 4, 8, 16, 32, 64, 128)  # cells of 0.5 m
LONG_STRIP = Grid(1025, 3, 0.5)  # two wavelengths


def measured_structure(noise: TerrainNoise, seeds: range) -> np.ndarray:
    """[seed, distance] mean square height difference [m^2] along the strip."""
    maps = [roughness(noise, seed, LONG_STRIP) for seed in seeds]
    return np.array([[np.mean((z[:, n:] - z[:, :-n]) ** 2) for n in DISTANCES] for z in maps])


@pytest.mark.parametrize("hurst", [0.5, 0.8, 0.95])
def test_roughness_has_its_structure_function(hurst: float) -> None:
    """The mean of 16 seeds is that of the spectrum, by 4 of its own standard errors, which are a few per cent."""
    noise = TerrainNoise(hurst=hurst, **NOISE)
    found = measured_structure(noise, range(16))
    mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(16)
    expected = structure_function(noise, 0.5 * np.array(DISTANCES))
    assert np.all(np.abs(mean - expected) < 4.0 * error)
    assert np.all(error < 0.1 * expected)
    other = structure_function(noise.model_copy(update={"hurst": hurst - 0.1}), 0.5 * np.array(DISTANCES))
    assert np.any(np.abs(mean - other) > 4.0 * error)


@pytest.mark.parametrize("hurst", [0.3, 0.5, 0.7])
def test_roughness_grows_with_the_power_that_was_asked_for(hurst: float) -> None:
    """Log-log slope 2 H between the ends of the spectrum.

    Over a decade in the middle of thirteen octaves the cut ends still bend the law: the slope of the exact structure
    function differs from 2 H by up to 0.05 there, and the measured one from that by its scatter.
    """
    noise = TerrainNoise(hurst=hurst, amplitude=1.0, wavelength=1024.0, octaves=13)
    strip = Grid(4097, 2, 0.0625)
    cells = np.array([16, 32, 64, 128])  # 1 m to 8 m; the spectrum goes from 0.125 m to 1024 m
    slopes = []
    for seed in range(6):
        z = roughness(noise, seed, strip)
        growth = [np.mean((z[:, n:] - z[:, :-n]) ** 2) for n in cells]
        slopes.append(np.polyfit(np.log(cells), np.log(growth), 1)[0])
    exact = np.polyfit(np.log(cells), np.log(structure_function(noise, 0.0625 * cells)), 1)[0]
    assert abs(exact - 2.0 * hurst) < 0.05
    assert abs(np.mean(slopes) - exact) < 4.0 * np.std(slopes, ddof=1) / np.sqrt(6)
    assert np.std(slopes, ddof=1) < 0.1


def test_roughness_has_its_amplitude() -> None:
    """The mean square over fields of 40 wavelengths, 12 seeds: that of the law, by 4 standard errors of about 1 %."""
    noise = TerrainNoise(amplitude=0.2, wavelength=10.0, octaves=4, hurst=0.6)
    squares = [np.mean(roughness(noise, seed, Grid(801, 201, 0.5)) ** 2) for seed in range(12)]
    error = np.std(squares, ddof=1) / np.sqrt(12)
    assert abs(np.mean(squares) - 0.04) < 4.0 * error
    assert error < 0.02 * 0.04


def test_roughness_is_gaussian_and_the_same_in_all_directions() -> None:
    noise = TerrainNoise(amplitude=1.0, wavelength=16.0, octaves=3, hurst=0.7)
    kurtosis, ratio = [], []
    for seed in range(8):
        z = roughness(noise, seed, Grid(513, 513, 1.0))
        kurtosis.append(np.mean(z**4) / np.mean(z**2) ** 2)
        diagonal = np.mean((z[4:, 4:] - z[:-4, :-4]) ** 2), np.mean((z[4:, :-4] - z[:-4, 4:]) ** 2)
        axial = np.mean((z[6:] - z[:-6]) ** 2), np.mean((z[:, 6:] - z[:, :-6]) ** 2)
        ratio.append([diagonal[0] / diagonal[1], axial[0] / axial[1]])
    # 64 waves an octave: 3 less about 3/2 of the sum of squared variance shares, some 0.02 here
    assert abs(np.mean(kurtosis) - 3.0) < 0.03 + 4.0 * np.std(kurtosis) / np.sqrt(8)
    assert np.all(np.abs(np.mean(ratio, axis=0) - 1.0) < 4.0 * np.std(ratio, axis=0) / np.sqrt(8))


def built_in(name: str) -> GeneratedTerrain:
    return generate(terrain_from_dict({"name": name}))


@pytest.mark.parametrize("name", library_names("terrains"))
def test_built_in_terrains_are_called_what_their_files_are(name: str) -> None:
    table = terrain_from_dict({"name": name})
    assert table.name == name
    assert table.source


def test_hazard_field_has_what_the_one_at_kennedy_is_said_to_have() -> None:
    """100 m x 100 m (Cordova2014), 24 craters and 311 rocks; a clear pad; no size beyond its law."""
    made = built_in("hazard-field")
    in_field = made.craters.kept((np.abs(made.craters.x) <= 50.0) & (np.abs(made.craters.y) <= 50.0))
    assert (len(in_field), len(made.rocks)) == (24, 311)
    assert (made.x_first, made.y_first, made.x[-1]) == (-50.0, -50.0, pytest.approx(50.0))
    assert len(made.hills) >= 1
    assert 9.0 < in_field.diameter.max() <= 10.0
    assert np.all((made.rocks.diameter >= 0.3) & (made.rocks.diameter <= 1.5))
    x, y = np.meshgrid(made.x, made.y)
    assert np.all(made.heights[np.hypot(x, y) < 4.999] == 0.0)
    assert np.all(np.hypot(made.rocks.x, made.rocks.y) > 5.0)
    assert made.rock_mesh is not None


def test_crater_has_the_depth_and_the_rim_of_pike() -> None:
    """Nodes lie on the centre and on the crest, so the figures are exact."""
    made = built_in("crater")
    assert made.heights.min() == pytest.approx(0.36 - 2.0, abs=1e-12)
    assert made.heights.max() == pytest.approx(0.36, abs=1e-12)
    assert made.heights[300, 350] == made.heights.max()  # 5 m east of the centre


def detrended_slopes(heights: np.ndarray, spacing: float) -> list[float]:
    """Rms slope [deg] over 1 m, 10 m and 50 m, best plane removed."""
    y, x = np.mgrid[: heights.shape[0], : heights.shape[1]]
    columns = np.column_stack([x.ravel(), y.ravel(), np.ones(x.size)])
    plane, *_ = np.linalg.lstsq(columns, heights.ravel(), rcond=None)
    rest = heights - (columns @ plane).reshape(heights.shape)
    found = []
    for n in (1, 10, 50):
        parts = np.concatenate([(rest[n:] - rest[:-n]).ravel(), (rest[:, n:] - rest[:, :-n]).ravel()])
        found.append(float(np.degrees(np.arctan(np.sqrt(np.mean(parts**2)) / (n * spacing)))))
    return found


def test_gale_like_has_the_slopes_that_its_file_states() -> None:
    """To half a unit of the last digit."""
    made = built_in("gale-like")
    np.testing.assert_allclose(detrended_slopes(made.heights, made.spacing), [6.8, 5.6, 3.9], atol=0.05)


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"no shared data at {SHARED} (set PLANETFALL_SHARED_DATA)")
def test_gale_like_is_as_steep_as_gale() -> None:
    """Within 10 %: fields of the same law differ by 7 %, 10 % and 20 % over 1, 10 and 50 m from seed to seed."""
    real = read_raster(SHARED / "dem" / "mars" / "mmgis_missionDEM.tif")
    slopes = detrended_slopes(real.heights, real.spacing_x)
    np.testing.assert_allclose(slopes, [6.5, 5.9, 4.2], atol=0.05)
    made = built_in("gale-like")
    np.testing.assert_allclose(detrended_slopes(made.heights, made.spacing), slopes, rtol=0.1)


def test_a_rock_field_has_the_rocks_of_pathfinder() -> None:
    rocks: Rocks = built_in("rock-field").rocks
    mean = 1600.0 * rock_number(0.19, 0.15, 2.5)
    assert abs(len(rocks) - mean) < 4.0 * np.sqrt(mean)
