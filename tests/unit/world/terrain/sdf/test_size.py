"""How large a distance field will be is known before it is built, and too large a one is refused at once."""

from __future__ import annotations

import re

import numpy as np
import pytest

import planetfall
from planetfall import InputError
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.sdf import size as sdf_size
from planetfall.world.terrain.sdf.analytic import AnalyticDistance, AnalyticShape, sdf_from_shape
from planetfall.world.terrain.sdf.build import Distance, build_field, layout_about
from planetfall.world.terrain.sdf.mesh_distance import MeshDistance
from support.bodies import duck

ELLIPSOID = AnalyticShape("ellipsoid", (300.0, 200.0, 150.0))


@pytest.mark.parametrize(
    ("body", "spacing", "reach"), [("ellipsoid", 3.0, 0.0), ("ellipsoid", 5.0, 40.0), ("duck", 0.03, 0.0)]
)
def test_bricks_are_reckoned_before_they_are_made(body: str, spacing: float, reach: float) -> None:
    """Within 5 %: a shell of the surface's area, by probes a thirtieth of the body apart; coarse cells exactly."""
    source: Distance
    if body == "duck":
        vertices, facets = duck()
        source = MeshDistance(vertices, facets.astype(np.int32), "cpu")
    else:
        source = AnalyticDistance(ELLIPSOID, "cpu")
    size, layout = sdf_size._measured(source.at, source.bounds, reach), layout_about(source.bounds, spacing, reach)
    entry = build_field(source, layout)
    assert size.bricks(spacing) == pytest.approx(entry.arrays["bricks"].nbytes, rel=0.05)
    assert size.coarse(spacing) == sdf_size.COARSE_BYTES * np.prod(layout.cells)


@pytest.mark.parametrize("spacing", [0.09, 0.01, 1e-9])
def test_too_fine_is_refused_before_anything_is_sampled(spacing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the memory that it would take and the resolution to use, which does fit, and little finer does not."""
    monkeypatch.setattr(AnalyticDistance, "sample", None)
    with pytest.raises(
        InputError, match=rf"terrain\.resolution: {spacing:g} m takes .* GiB.* at most 4 GiB and 1 GiB"
    ) as no:
        sdf_from_shape(ELLIPSOID, "cpu", spacing=spacing)
    finest = float(re.findall(r"use terrain\.resolution = ([\d.]+)", str(no.value))[0])
    source = AnalyticDistance(ELLIPSOID, "cpu")
    size = sdf_size._measured(source.at, source.bounds, 0.0)
    assert size.fits(finest)
    assert not size.fits(0.9 * finest)


def test_where_all_of_the_box_fits_nothing_is_asked() -> None:
    def at(_: np.ndarray) -> np.ndarray:
        raise AssertionError

    sdf_size.check_size(at, ELLIPSOID.bounds, 0.0, 3.0)


def test_noise_that_reaches_the_middle_of_the_body_is_refused() -> None:
    """It is long and so not steep; half the smallest extent is 150 m, the bound of four octaves 8.504 amplitudes."""
    body = {"model": "sdf", "shape": "ellipsoid", "half_sizes": list(ELLIPSOID.half), "resolution": 25.0}
    noise = {"amplitude": 1000.0, "wavelength": 1e5}
    scenario = planetfall.load("cube-phobos").with_values({"terrain": {**body, "noise": noise}})
    words = r"terrain\.noise: .* by 8504 m; .*150 m.*is the shape's unit right.*at most 17\.6 m"
    with pytest.raises(InputError, match=words):
        make_surface(scenario, "cpu")
    surface = make_surface(scenario.with_values({"terrain.noise.amplitude": 17.6}), "cpu")
    assert surface.facts["noise_bound_m"] < 150.0
