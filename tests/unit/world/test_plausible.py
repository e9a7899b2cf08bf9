"""Bodies that cannot be: a shape in the wrong unit, a spin that throws off the ground, an axis that no body keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.scenario.load import scenario_from_dict
from planetfall.scenario.scenario import Scenario
from planetfall.world.plausible import body_notes
from planetfall.world.shape import shape_properties
from support.bodies import ellipsoid

GM = 666.2
SEMI_AXES = (900.0, 700.0, 500.0)


def about(target: dict[str, Any], gravity: dict[str, Any] | None = None) -> Scenario:
    """A cube over a body whose shape is given by hand."""
    return scenario_from_dict(
        {
            "scenario": {"name": "test", "duration": 1.0},
            "target": {"name": "own", "gm": GM, "frame": "P", **target},
            "gravity": gravity or {"model": "point"},
            "terrain": {"model": "sdf", "shape": "sphere", "half_sizes": [500.0] * 3, "resolution": 50.0},
            "vehicle": {"name": "cube"},
            "contact": {"law": "distributed", "stiffness": 1.0, "damping": 0.0, "friction": 0.0},
            "initial": {"position": [2000.0, 0.0, 0.0]},
            "integrator": {"method": "adaptive"},
        }
    )


def test_kilometres_taken_for_metres_are_refused() -> None:
    """The mass of a comet in a thousandth of its size has a density a thousand million times its own."""
    vertices, facets = ellipsoid(SEMI_AXES)
    assert body_notes(about({"spin_rate": 1.4e-4}), shape_properties(vertices, facets)) == ()
    with pytest.raises(InputError, match=r"density of .*e\+12 kg/m\^3.*a file in km needs scale = 1000"):
        body_notes(about({}), shape_properties(1e-3 * vertices, facets))


def test_a_spin_that_gravity_cannot_hold_is_told() -> None:
    """Break-up of a ball: 3.3 h over the square root of the density in g/cm^3; a tenth either side of it."""
    shape = shape_properties(*ellipsoid(SEMI_AXES))
    density = 2000.0
    period = 3600.0 * 3.30 / np.sqrt(density / 1000.0)
    given = {"model": "polyhedron", "density": density, "shape": "x.obj"}
    for factor, n_notes in ((1.1, 0), (0.9, 1)):
        scenario = about({"gm": 0.0, "spin_rate": 2.0 * np.pi / (factor * period)}, given)
        notes = body_notes(scenario, shape)
        assert len(notes) == n_notes
    assert "throws off" in notes[0] and "unit of the shape" in notes[0]


def test_an_axis_that_is_none_of_inertia_is_refused_when_asked() -> None:
    shape = shape_properties(*ellipsoid(SEMI_AXES))
    for axis in ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, np.sin(0.01), np.cos(0.01)]):
        body_notes(about({"spins_about_principal_axis": True, "spin_axis": axis}), shape)
    tilted = [0.0, np.sin(0.03), np.cos(0.03)]
    with pytest.raises(InputError, match=r"target\.spin_axis: lies 1\.72 deg from the nearest axis"):
        body_notes(about({"spins_about_principal_axis": True, "spin_axis": tilted}), shape)
    body_notes(about({"spin_axis": tilted}), shape)  # it was not asked
