"""Regions of noise with amplitudes of their own: right however small they are, or refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import RegularGridInterpolator

import planetfall
from planetfall import InputError
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.noise import regions as noise_regions
from planetfall.world.terrain.noise.regions import Region, region_amplitudes

HALF = np.array([300.0, 200.0, 150.0])
BOUNDS = np.array([-HALF, HALF])


def share(r: np.ndarray | float) -> np.ndarray:
    """The amplitude of a region over its distance from the middle, in radii: falls smoothly over the last fifth."""
    t = np.clip((1.0 - np.asarray(r)) / 0.2, 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def amplitudes(regions: list[Region], places: np.ndarray, base: float = 0.0) -> np.ndarray:
    """As the kernel has them: linear between nodes, and beyond the grid those of its rim."""
    grid, origin, steps = region_amplitudes(BOUNDS, base, regions)
    axes = [origin[k] + steps[k] * np.arange(grid.shape[k]) for k in range(3)]
    inside = np.clip(places, [axis[0] for axis in axes], [axis[-1] for axis in axes])
    return RegularGridInterpolator(axes, grid)(inside)


@pytest.mark.parametrize("radius", [400.0, 60.0, 10.0, 1.0, 0.05])
def test_middle_and_area_are_right_at_any_size(radius: float) -> None:
    """A six-thousandth of the body to more than all of it.

    Exact in the inner half: no cell of R/6 that reaches in has a node in the last fifth, as 0.8 - sqrt(3)/6 > 0.5. The
    area that a plane cuts out, the integral of the amplitude, is right to 2 %: the change is 1.2 steps wide and linear
    in between (1.5 % at worst over places of the nodes), and there are 200,000 samples (0.3 %).
    """
    center = np.array([0.3, -0.2, 0.1])
    rng = np.random.default_rng(4)
    ball = Region(center, radius, 2.0)
    places = rng.normal(size=(20_000, 3))
    places *= 0.5 * radius * rng.random((20_000, 1)) / np.linalg.norm(places, axis=1)[:, None]
    places = places[np.all(np.abs(center + places) < HALF, axis=1)]
    np.testing.assert_allclose(amplitudes([ball], center + places, 0.1), 2.0, rtol=1e-12)
    if radius <= 100.0:
        across = np.column_stack([rng.uniform(-radius, radius, (200_000, 2)), np.zeros(200_000)])
        area = 2.0 * quad(lambda r: float(share(r)) * r, 0.0, 1.0)[0] * np.pi / 4.0
        assert amplitudes([ball], center + across).mean() / 2.0 == pytest.approx(area, rel=0.02)


def test_beyond_the_grid_all_is_as_elsewhere() -> None:
    """Two balls, the later over the earlier where they overlap; everywhere else the base."""
    regions = [Region(np.array([50.0, 0.0, 0.0]), 30.0, 1.0), Region(np.array([70.0, 0.0, 0.0]), 12.0, 0.0)]
    places = np.random.default_rng(5).uniform(BOUNDS[0], BOUNDS[1], (50_000, 3))
    away = np.min([np.linalg.norm(places - r.center, axis=1) - r.radius for r in regions], axis=0)
    found = amplitudes(regions, places, 0.25)
    np.testing.assert_allclose(found[away > 2.0 * np.sqrt(3.0)], 0.25, rtol=1e-12)  # a cell, of 12/6 m
    np.testing.assert_allclose(amplitudes(regions, np.array([[70.0, 0.0, 0.0], [35.0, 0.0, 0.0]]), 0.25), [0.0, 1.0])


def test_a_small_region_of_a_body_is_as_rough_as_it_is_said_to_be() -> None:
    """A region of 1/60 of the body, on its surface: the noise that contact feels.

    Wavelengths are an eighth of the inner half's width, so that some 500 cells of it are seen: 5 % of the deviation.
    """
    center, radius = np.array([3.0, 3.0, 149.0]), 5.0
    body = {"model": "sdf", "shape": "ellipsoid", "half_sizes": HALF.tolist(), "resolution": 6.0}
    noise = {"octaves": 1, "wavelength": 0.6, "slope_limit": 5.0}
    smooth = planetfall.load("cube-phobos").with_values({"terrain": body})
    region = {"center": center.tolist(), "radius": radius, "amplitude": 0.2}
    rough = smooth.with_values({"terrain": {**body, "noise": {**noise, "regions": [region]}}})
    directions = np.random.default_rng(6).normal(size=(40_000, 3))
    places = center + 0.5 * radius * directions / np.linalg.norm(directions, axis=1)[:, None]
    places = np.vstack([places, center + (places - center) * 0.5])
    gaps, noisy = (make_surface(scenario, "cpu").ask(places)[0] for scenario in (smooth, rough))
    seen = gaps < 0.0  # farther out than noise can reach it is left out
    assert (noisy - gaps)[seen].std() == pytest.approx(0.2, rel=0.05)


def test_too_small_for_how_far_apart_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the radius to use, which does fit in what is allowed, and comes near it."""
    monkeypatch.setattr(noise_regions, "MAX_BYTES", 8 << 20)
    ends = [np.array([0.9, 0.8, 0.7]) * HALF, np.array([-0.9, -0.8, -0.7]) * HALF]
    said = r"terrain\.noise\.regions\.1\.radius: 0\.5 m takes [\d,.]+ GiB .* 570 x 360 x 256 m.*at most 0\.00781 GiB"
    with pytest.raises(InputError, match=said) as refused:
        region_amplitudes(BOUNDS, 0.0, [Region(ends[0], 60.0, 1.0), Region(ends[1], 0.5, 1.0)])
    least = float(re.findall(r"give at least ([\d.]+) m", str(refused.value))[0])
    grid, _, _ = region_amplitudes(BOUNDS, 0.0, [Region(ends[0], 60.0, 1.0), Region(ends[1], least, 1.0)])
    assert 0.6 * (8 << 20) < grid.nbytes <= 8 << 20


def test_a_region_that_does_not_reach_the_body_is_refused() -> None:
    with pytest.raises(InputError, match=r"terrain\.noise\.regions\.0: a ball of 10 m .* does not reach the body"):
        region_amplitudes(BOUNDS, 0.0, [Region(np.array([0.0, 0.0, 161.0]), 10.0, 1.0)])
