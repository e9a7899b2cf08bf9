"""Runs with parameters of their own: the struct of each row, and the run that comes of it, are its scenario's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import Model, _params, build
from planetfall.engine.own_params import PARTS, needs_own_params, own_params
from planetfall.engine.run import run_batch
from planetfall.scenario.dispersed_keys import is_bare_plane
from planetfall.world.terrain.ground import make_surface
from support.block_scene import assert_same_bits, block, spread

CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("msl-drop", {"contact.breakaway_angle_deg": 33.0}),
    ("msl-drop", {"contact.rest_penetration": 0.02, "contact.damping_ratio": 0.2}),
    ("msl-drop", {"terrain.slope_deg": 17.0}),
    ("msl-drop", {"gravity.acceleration": 3.6}),
    ("msl-drop", {"vehicle.mass": 950.0}),
    ("msl-drop", {"vehicle.mass": 950.0, "terrain.aspect_deg": 10.0, "contact.sliding_speed": 0.2}),
    ("msl-drop", {"initial.velocity": [1.0, 0.0, 0.0], "contact.damping_ratio": 0.2}),
    ("msl-drop", {"vehicle.points.1.position": [0.9, -1.0, -1.0], "outcome.rest_speed": 0.01}),
    ("msl-drop", {"integrator.step": 5e-4, "scenario.duration": 3.0}),
    ("free-top", {"initial.velocity": [2.0, 0.0, 0.0]}),
    ("morpheus-incline", {"contact.friction_static": 0.7, "vehicle.mass": 1500.0, "terrain.slope_deg": 5.0}),
    ("morpheus-static-kinetic", {"forces.0.magnitudes": [0.0, 9000.0], "contact.friction_kinetic": 0.25}),
    ("cube-67p", {"contact.friction": 0.4, "gravity.acceleration": 1e-4}),
    ("sensed-landing", {"gravity.acceleration": 1.5}),
    ("sensed-landing", {"contact.damping_ratio": 0.25}),
]


@pytest.mark.parametrize(("name", "values"), CHANGES)
def test_a_row_is_the_struct_of_its_scenario(name: str, values: dict[str, Any]) -> None:
    """Byte for byte, but for the addresses of arrays."""
    nominal = planetfall.load(name)
    model = build(nominal, is_recorded=False, is_checked=False)
    changed = nominal.with_values(values)
    surface = make_surface(changed, "cpu") if is_bare_plane(changed) else model.surface
    expected = _params(changed, model.assembly, model.initial_state, surface)
    own = own_params(model, list(values), [nominal, changed], np.tile(model.initial_state, (2, 1)))
    on_device = own.on_device(model.params.terrain, "cpu").numpy()
    whole = np.frombuffer(bytearray(expected.__ctype__()), dtype=on_device.dtype)
    first = np.frombuffer(bytearray(model.params.__ctype__()), dtype=on_device.dtype)
    assert flat(on_device[1]) == flat(whole[0])
    assert flat(on_device[0]) == flat(first[0])
    assert flat(on_device[0]) != flat(on_device[1])


def flat(row: Any, path: str = "") -> dict[str, list[float]]:
    """The numbers of a struct by name, without the addresses of its arrays."""
    if row.dtype.names is None:
        return {path: np.nan_to_num(np.atleast_1d(row).astype(float), nan=-1.0).ravel().tolist()}
    out = {}
    for name in row.dtype.names:
        if name not in ("data", "grad") or "shape" not in row.dtype.names:
            out |= flat(row[name], f"{path}.{name}")
    return out


def test_all_shortcuts_are_tried_here() -> None:
    assert all(any(key.startswith(start) for _, values in CHANGES for key in values) for start in PARTS)


def test_starts_alone_need_no_parameters_of_their_own() -> None:
    assert not needs_own_params(planetfall.load("msl-drop"), ["initial.velocity.0", "initial.height"])
    assert needs_own_params(planetfall.load("msl-drop"), ["initial.velocity.0", "vehicle.mass"])
    assert needs_own_params(planetfall.load("free-top"), ["initial.velocity.0"])


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
def test_a_run_with_its_own_parameters_is_the_run_of_its_scenario(method: str) -> None:
    keys = ["contact.breakaway_angle_deg", "terrain.slope_deg", "vehicle.mass"]
    nominal = block(method)
    model = build(nominal, is_recorded=False)
    rng = np.random.default_rng(3)
    scenarios = [
        nominal.with_values(dict(zip(keys, map(float, row), strict=True)))
        for row in np.column_stack([rng.uniform(30, 35, 6), rng.uniform(5, 20, 6), rng.uniform(80, 120, 6)])
    ]
    states = spread(model.initial_state, 6, seed=2)
    together = run_batch(model, states, own=own_params(model, keys, scenarios, states))
    assert len(np.unique(together.state[:, 0])) == 6
    for i, scenario in enumerate(scenarios):
        alone = run_batch(build(scenario, is_recorded=False), states[i : i + 1])
        assert_same_bits(alone, together, slice(i, i + 1))


def test_a_mesh_is_shared() -> None:
    """Runs on a mesh keep lists of facets in arrays of the batch, to which every row has to point."""
    model = mesh_model()
    states = np.tile(model.initial_state, (4, 1))
    states[:, 0] += [0.0, 0.3, -0.2, 0.1]
    same = own_params(model, ["contact.friction_kinetic"], [model.scenario] * 4, states)
    assert not same.has_own_terrain
    assert_same_bits(run_batch(model, states, own=same), run_batch(model, states))


def mesh_model() -> Model:
    return build(planetfall.load("morpheus-static-kinetic").with_values({"scenario.duration": 0.05}), is_recorded=False)
