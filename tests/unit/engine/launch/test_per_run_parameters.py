"""Runs with parameters of their own: the struct of each row, and the run that comes of it, are its scenario's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall import InputError
from planetfall.engine.build import Model, build
from planetfall.engine.initial_state import initial_state
from planetfall.engine.launch.per_run_parameters import needs_per_run_parameters, per_run_parameters
from planetfall.engine.parameters import PARTS, make_params, parts_that_read
from planetfall.engine.run import run_batch
from planetfall.scenario.dispersions.keys import is_bare_plane, place_of
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.table import Table
from planetfall.world.terrain.ground import make_surface
from support.block_scene import assert_same_bits, block, spread
from support.guided_capsule import guided_capsule
from support.hoppers import hopper, releases
from support.structs import contents

LEANING = {
    "target": {"name": "ball", "gm": 4.4e3, "frame": "P"},
    "gravity": {"model": "point"},
    "terrain": {"model": "plane", "slope_deg": 5.0, "point": [0.0, 0.0, 2000.0]},
    "initial": {"position": [300.0, 0.0, 2000.0], "height": 1.0},
}
"""Where slope and size of the vehicle decide where it starts, and so how strong gravity is there."""
SCENES: list[tuple[str, dict[str, Any]]] = [
    ("msl-skycrane", {"tethers.0.cut_time": 30.0, "companions.0.vehicle.engines.0.fail_time": 9.0}),
    ("hedgehog-hop", {"vehicle.flywheels.0.brake_time": 1.0, "vehicle.flywheels.0.brake_torque": 0.1}),
    ("mascot-hop", {}),
    ("free-top", {"target": {"name": "ball", "gm": 1e3, "radius": 10.0, "j2": 1e-3}, "gravity.model": "j2"}),
    ("sensed-landing", {"outcome.escape_radius": 1e5, "target.gm": 5.0}),
    ("msl-drop", {}),
    ("morpheus-drop-legs", {"terrain.radius": 300.0}),
    ("cube-phobos", LEANING),
    ("mars-entry-ballistic", {}),
    ("cube-67p", {"vehicle": {"name": "brick", "mass": 1.0, "shape": {"kind": "box", "size": [0.2, 0.1, 0.1]}}}),
]
"""Together they have every table that holds a number, forces as in `test_of_forces` apart."""


def test_of_entry_guidance() -> None:
    """What its reference is computed from reaches the row, where none is held fast."""
    nominal = guided_capsule()
    model = build(nominal, is_recorded=False, is_checked=False)
    for key, value in (
        ("atmosphere.density_factor", 0.81), ("vehicle.aerodynamics.drag_coefficient", 1.46), ("vehicle.mass", 3260.0),
        ("vehicle.aerodynamics.axial_factor", 1.01), ("initial.flight_path_deg", -16.05),
    ):  # fmt: skip
        assert is_told_apart(model, nominal.with_values({key: value}), [key])


def numbers(node: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Keys of all single numbers of a scenario, with their values; of lists of tables, the first two."""
    if isinstance(node, Table):
        for name in type(node).model_fields:
            yield from numbers(getattr(node, name), f"{path}.{name}".removeprefix("."))
    elif isinstance(node, tuple):
        for i, item in enumerate(node[:2]):
            yield from numbers(item, f"{path}.{i}")
    elif isinstance(node, float) and not path.startswith("record."):
        yield path, node


@pytest.mark.parametrize(("name", "values"), SCENES)
def test_a_row_is_the_struct_of_its_scenario(name: str, values: dict[str, Any]) -> None:
    """Key after key is changed a little: the row, of which only the parts that read the key are made, is all of it."""
    nominal = planetfall.load(name).with_values(values)
    model = build(nominal, is_recorded=False, is_checked=False)
    n_changed = 0
    for key, value in numbers(nominal):
        try:
            place_of(nominal, key)
            changed = nominal.with_values({key: value * 1.001 if value else 1e-3})
        except (ValueError, InputError):  # one component of a direction, or a number that must stay as it is
            continue
        n_changed += is_told_apart(model, changed, [key])
    assert n_changed > 12


def test_of_forces() -> None:
    nominal = planetfall.load("morpheus-static-kinetic")
    model = build(nominal, is_recorded=False, is_checked=False)
    changed = nominal.with_values({"forces.0.magnitudes": [0.0, 9000.0], "contact.friction_kinetic": 0.25})
    assert is_told_apart(model, changed, ["forces.0.magnitudes.1", "contact.friction_kinetic"])


def test_a_key_that_no_part_is_known_to_read_reaches_all() -> None:
    assert parts_that_read(PARTS, ["future.key"], has_uniform_gravity=True) == PARTS.keys()


def is_told_apart(model: Model, changed: Scenario, keys: list[str]) -> bool:
    """Whether a change shows in the parameters; asserts that the rows of both scenarios are their structs."""
    surface = make_surface(changed, "cpu") if is_bare_plane(changed) else model.surface
    state = np.concatenate([initial_state(solo, surface) for solo in changed.solos])
    expected = make_params(changed, model.assembly, state, surface)
    own = per_run_parameters(model, keys, [model.scenario, changed], np.array([model.initial_state, state]))
    rows = own.on_device(model.params.terrain, "cpu").numpy()
    first, second = (np.frombuffer(bytearray(p.__ctype__()), dtype=rows.dtype)[0] for p in (model.params, expected))
    assert contents(rows[0]) == contents(first)
    assert contents(rows[1]) == contents(second), keys
    return contents(rows[0]) != contents(rows[1])


def test_starts_alone_need_no_parameters_of_their_own() -> None:
    assert not needs_per_run_parameters(planetfall.load("msl-drop"), ["initial.velocity.0", "initial.height"])
    assert needs_per_run_parameters(planetfall.load("msl-drop"), ["initial.velocity.0", "vehicle.mass"])
    assert needs_per_run_parameters(planetfall.load("free-top"), ["initial.velocity.0"])


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
    together = run_batch(model, states, run_params=per_run_parameters(model, keys, scenarios, states))
    assert len(np.unique(together.state[:, 0])) == 6
    for i, scenario in enumerate(scenarios):
        alone = run_batch(build(scenario, is_recorded=False), states[i : i + 1])
        assert_same_bits(alone, together, slice(i, i + 1))


def test_runs_in_a_field_of_gravity_differ_in_their_starts_alone_or_in_physics() -> None:
    """A start changes nothing but the speed that errors are measured against; a friction of its own is told apart."""
    model = hopper()
    states, key = releases(model), "initial.release.position.2"
    states[:, 2] += 20.0 * np.arange(len(states))
    starts = [model.scenario.with_values({key: 1500.0 + 20.0 * i}) for i in range(len(states))]
    own = per_run_parameters(model, [key], starts, states)
    assert len(np.unique(own.fields()["step"]["speed"])) > 1
    assert own.differ_in_speed_alone()
    rough = [model.scenario.with_values({"contact.friction": 0.6 + 0.01 * i}) for i in range(len(states))]
    assert not per_run_parameters(model, ["contact.friction"], rough, states).differ_in_speed_alone()


def test_a_mesh_is_shared() -> None:
    """Runs on a mesh keep lists of facets in arrays of the batch, to which every row has to point."""
    model = mesh_model()
    states = np.tile(model.initial_state, (4, 1))
    states[:, 0] += [0.0, 0.3, -0.2, 0.1]
    same = per_run_parameters(model, ["contact.friction_kinetic"], [model.scenario] * 4, states)
    assert not same.has_per_run_terrain
    assert_same_bits(run_batch(model, states, run_params=same), run_batch(model, states))


def mesh_model() -> Model:
    return build(planetfall.load("morpheus-static-kinetic").with_values({"scenario.duration": 0.05}), is_recorded=False)
