"""The made comet: closed, of the volume and axes it claims, the same body for ground and gravity."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import planetfall
from planetfall.errors import InputError
from planetfall.world.shape.enclosure import check_closed
from planetfall.world.shape.made_shapes import COARSE, FINE, VOLUME, made_shape
from planetfall.world.shape.mass_properties import shape_properties
from planetfall.world.shape.self_crossing import crossed_facets


def test_comet_is_a_body_about_its_own_axes() -> None:
    mesh = made_shape("bilobed-comet")
    check_closed(mesh, "here")
    assert len(crossed_facets(mesh.vertices, mesh.facets)) == 0
    found = shape_properties(mesh.vertices, mesh.facets)
    assert found.volume == pytest.approx(VOLUME, rel=1e-12)
    np.testing.assert_allclose(found.center_of_mass, 0.0, atol=1e-8)
    np.testing.assert_allclose(found.inertia, np.diag(found.moments), atol=1e-9 * found.moments[2])
    assert 4500.0 < np.ptp(mesh.vertices[:, 0]) < 5500.0  # 67P is 5.0 km long


def test_it_has_two_lobes() -> None:
    """Sections across x are smaller at the neck than on either side, by a fifth at least."""
    vertices = made_shape("bilobed-comet").vertices
    slabs = [vertices[np.abs(vertices[:, 0] - x) < 60.0] for x in np.arange(-2000.0, 2400.0, 100.0)]
    area = np.array([np.ptp(slab[:, 1]) * np.ptp(slab[:, 2]) for slab in slabs])
    neck = 10 + int(np.argmin(area[10:36]))
    assert area[neck] < 0.8 * min(area[neck:].max(), area[:neck].max())


def test_coarse_one_is_the_same_body() -> None:
    """Its vertices are vertices of the fine one; it has 2 % less volume and its centre within metres."""
    fine, coarse = made_shape("bilobed-comet", FINE), made_shape("bilobed-comet", COARSE)
    apart = np.linalg.norm(coarse.vertices[:, None] - fine.vertices[None], axis=2).min(axis=1)
    assert apart.max() < 1e-6
    found = shape_properties(coarse.vertices, coarse.facets)
    assert 0.97 * VOLUME < found.volume < VOLUME
    assert np.linalg.norm(found.center_of_mass) < 5.0


def test_ground_and_gravity_take_the_targets_shape() -> None:
    scenario = planetfall.load("minerva-67p")
    assert scenario.terrain.file is None
    assert scenario.ground.file == "bilobed-comet"
    other = scenario.with_values({"target.shape": "own.obj", "target.shape_scale": 1000.0})
    assert (other.ground.file, other.ground.scale) == (str(Path("own.obj").absolute()), 1000.0)
    assert (other.target.gm, other.target.spin_rate) == (scenario.target.gm, scenario.target.spin_rate)


def test_a_body_without_a_shape_is_refused() -> None:
    scenario = planetfall.load("minerva-67p")
    with pytest.raises(InputError, match=r"terrain\.file.*target\.shape"):
        scenario.with_values({"target": {"name": "own", "gm": 600.0, "frame": "P"}})
