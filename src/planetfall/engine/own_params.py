"""Parameters of a batch whose runs differ in more than their starts: one struct per run.

A row is, byte for byte, the struct that `build` would make of the run's own scenario. Most keys reach only a part of
it, so that a row is the nominal struct with some parts written anew, which is many times faster than making it whole.
What is large is shared: a map or a mesh lies on the device once, and every row points to it.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.contact.laws import law_params
from planetfall.engine.array_pool import ArrayPool
from planetfall.engine.assembly import StepParams
from planetfall.engine.build import Model, _params, step_params
from planetfall.scenario.dispersed_keys import PLAIN_GRAVITY, is_bare_plane
from planetfall.scenario.flight import FlightSkyCrane
from planetfall.scenario.scenario import Scenario
from planetfall.world.gravity.field import acceleration_at, gravity_field, gravity_params
from planetfall.world.terrain.ground import make_surface

PARTS = {
    "contact.": frozenset({"law", "end"}),
    "terrain.": frozenset({"terrain"}),
    "gravity.": frozenset({"gravity", "law", "step"}),
    "vehicle.mass": frozenset({"mass", "law", "step"}),
    "initial.": frozenset({"law", "step"}),
}
"""Parts of the parameters that keys reach, by how the keys begin; any other key may reach everything.

Those of the start reach the law through gravity there, which is the same everywhere if it is uniform."""


HOST = "cpu"
"""Where the arrays of a row are made, before all of them are sent to the device together."""


@dataclass(frozen=True)
class OwnParams:
    """Parameter structs of a batch.

    Attributes:
        rows: [run, byte] the structs, as they lie in memory.
        struct: Their `@wp.struct` class.
        has_own_terrain: Whether the ground differs from run to run; if not, the model's own takes its place.
        pool: Arrays that were made for the rows.
        kept: What the rows point to on a device.
    """

    rows: np.ndarray
    struct: Any
    has_own_terrain: bool
    pool: ArrayPool
    kept: list[Any] = field(default_factory=list)

    def fields(self) -> np.ndarray:
        """The rows as a structured array, sharing their memory."""
        return self.rows.view(_row_type(self.struct))[:, 0]

    def on_device(self, shared_terrain: Any, device: str) -> Any:
        """The structs as a Warp array, with the terrain of the batch where it is shared."""
        if not self.has_own_terrain:
            place = self.struct.ctype.terrain
            self.rows[:, place.offset : place.offset + place.size] = _bytes(shared_terrain)
        rows, block = self.pool.on_device(self.rows, device)
        self.kept.append(block)
        return wp.array(rows.view(_row_type(self.struct))[:, 0], dtype=self.struct, device=device)


def is_made_on_host(model: Model, keys: Collection[str]) -> bool:
    """Whether own parameters are made without any Warp array, so that another thread may make them meanwhile."""
    return _parts(keys, model) is not None and not _has_arrays(model)


def needs_own_params(scenario: Scenario, keys: Collection[str]) -> bool:
    """Whether runs that differ in some keys differ in more than their initial states."""
    return not (_start_is_all(scenario) and all(key.startswith("initial.") for key in keys))


def _start_is_all(scenario: Scenario) -> bool:
    """Whether keys of the first vehicle's start reach its state alone: neither gravity there nor what a pilot knows."""
    flight = scenario.flight
    is_known = isinstance(flight, FlightSkyCrane) and flight.stage == scenario.vehicle.name
    return scenario.gravity.model == "uniform" and not is_known


def own_params(
    model: Model, keys: Collection[str], scenarios: Iterable[Scenario], initial_states: np.ndarray
) -> OwnParams:
    """The parameters of runs whose scenarios differ from the model's in `keys`; `initial_states` [run, 13]."""
    rows = np.tile(_bytes(model.params), (len(initial_states), 1))
    parts, struct = _parts(keys, model), model.assembly.params
    pool = ArrayPool(_row_type(struct), _pooled(parts, model))
    own = OwnParams(rows, struct, is_bare_plane(model.scenario), pool)
    rewrite = _whole(own, model) if parts is None else _rewriter(own, model, parts, initial_states)
    for i, scenario in enumerate(scenarios):
        rewrite(i, scenario, initial_states[i])
    return own


def _parts(keys: Collection[str], model: Model) -> frozenset[str] | None:
    """What some keys reach; None for everything, as in a landing detector that weighs by gravity at the start."""
    reached: frozenset[str] = frozenset()
    for key in keys:
        if key.startswith("initial.") and _start_is_all(model.scenario):
            continue
        parts = next((parts for start, parts in PARTS.items() if key.startswith(start)), None)
        is_flown = key.startswith("initial.") and model.assembly.flight.is_flown
        if parts is None or is_flown or ("step" in parts and model.assembly.sensors):
            return None
        reached |= parts
    return reached


def _pooled(parts: frozenset[str] | None, model: Model) -> list[str]:
    """Members of the struct that are made anew on the host; terrain and gravity are on the device from the start."""
    names = frozenset(model.assembly.params.vars) if parts is None else parts
    return sorted(names - {"terrain", "gravity"})


Rewrite = Callable[[int, Scenario, np.ndarray], None]
"""Writes the row of a run, given its index in the batch, its scenario and its initial state."""


def _whole(own: OwnParams, model: Model) -> Rewrite:
    def rewrite(i: int, scenario: Scenario, state: np.ndarray) -> None:
        surface = make_surface(scenario, model.device) if own.has_own_terrain else model.surface
        made = _params(scenario, model.assembly, state, surface, HOST)
        own.rows[i] = _bytes(made)
        own.pool.take(own.rows[i])

    return rewrite


def _rewriter(own: OwnParams, model: Model, parts: frozenset[str], initial_states: np.ndarray) -> Rewrite:
    """Writes only the parts that the keys reach."""
    fields, device = own.fields(), model.device
    mass, mass_inverse, slow_speed = fields["mass"], fields["mass_inverse"], fields["end"]["slow_speed"]
    pull = _gravity_at_start(model, "gravity" in parts, initial_states)

    def write(i: int, part: str, made: Any) -> None:
        place = getattr(own.struct.ctype, part)
        own.rows[i, place.offset : place.offset + place.size] = _bytes(made)

    def rewrite(i: int, scenario: Scenario, state: np.ndarray) -> None:
        if "terrain" in parts:
            write(i, "terrain", make_surface(scenario, device).params)
        if "gravity" in parts:
            write(i, "gravity", gravity_params(scenario, device))
        if "mass" in parts:
            mass[i, 0], mass_inverse[i, 0] = scenario.vehicle.mass, 1.0 / scenario.vehicle.mass
        if "end" in parts:
            slow_speed[i] = scenario.contact.stop_speed
        if "law" in parts:
            gravity = pull(i, scenario, state)
            law = law_params(scenario, gravity, HOST)
            write(i, "law", law)
            if "step" in parts:
                write(i, "step", step_params(scenario, StepParams(), gravity))
        own.pool.take(own.rows[i])

    return rewrite


def _gravity_at_start(
    model: Model, is_dispersed: bool, initial_states: np.ndarray
) -> Callable[[int, Scenario, np.ndarray], float]:
    """Its magnitude [m/s^2] for a run, in the very bits that `build` finds."""

    def asked(i: int, scenario: Scenario, state: np.ndarray) -> float:
        return float(np.linalg.norm(acceleration_at(scenario, state[:3])))

    if model.scenario.gravity.model not in PLAIN_GRAVITY:  # asked by a kernel, so all at once
        found = gravity_field(model.scenario).acceleration(initial_states[:, :3])
        return lambda i, scenario, state: float(np.linalg.norm(found[i]))
    if model.scenario.gravity.model != "uniform" or is_dispersed:
        return asked
    everywhere = asked(0, model.scenario, model.initial_state)
    return lambda i, scenario, state: everywhere


def _has_arrays(model: Model) -> bool:
    """Whether the law's parameters point to arrays."""
    return any(isinstance(var.type, wp.array) for var in model.params.law._cls.vars.values())


@lru_cache
def _row_type(struct: Any) -> np.dtype:
    """Made once: NumPy reads such types with `ast`, which in Python 3.11 fails if two threads do it at a time."""
    return np.dtype(struct.numpy_dtype())


def _bytes(struct: Any) -> np.ndarray:
    """The memory of a filled Warp struct."""
    return np.frombuffer(bytearray(struct.__ctype__()), dtype=np.uint8)
