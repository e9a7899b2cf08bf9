"""Parameters of a batch whose runs differ in more than their starts: one struct per run.

A row is, byte for byte, the struct that `build` would make of the run's own scenario. Most keys reach only some parts
of it (`engine.parameters`), so that a row is the nominal struct with those written anew. What is large is shared: a map
or a mesh lies on the device once, and every row points to it.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.array_pool import ArrayPool, array_places
from planetfall.compute.draft import Draft
from planetfall.engine.build import Model
from planetfall.engine.parameters import SHARED, moves_gravity_at_start, parts_of, parts_that_read
from planetfall.engine.structure.run_params import StepParams
from planetfall.engine.structure.start import Start
from planetfall.flight.mount_flight import flown_body
from planetfall.scenario.dispersions.keys import PLAIN_GRAVITY, is_bare_plane
from planetfall.scenario.scenario import Scenario
from planetfall.world.gravity.field import acceleration_at, gravity_field, weighed_at

N_TOGETHER = 64
"""Runs whose values are written down before they are put into their rows: enough to be quick, few enough to forget."""


@dataclass(frozen=True)
class PerRunParameters:
    """Parameter structs of a batch.

    Attributes:
        rows: [run, byte] the structs, as they lie in memory.
        struct: Their `@wp.struct` class.
        has_per_run_terrain: Whether the ground differs from run to run; if not, the model's own takes its place.
        pool: Arrays that were made for the rows.
        kept: What the rows point to on a device.
    """

    rows: np.ndarray
    struct: Any
    has_per_run_terrain: bool
    pool: ArrayPool
    kept: list[Any] = field(default_factory=list)

    def fields(self) -> np.ndarray:
        """The rows as a structured array, sharing their memory."""
        return self.rows.view(_row_type(self.struct))[:, 0]

    def of_runs(self, runs: np.ndarray, shared: Any) -> "PerRunParameters":
        """Those of some runs [place], for a device where `shared` is a copy of the model's parameters.

        They are the same bytes, addresses apart: nothing is found again, for another device may find other bits.
        """
        rows, of_model = self.rows[runs], _bytes(shared)
        every = {place for place, _, _ in array_places(_row_type(self.struct))}
        for place in every.difference(self.pool.places):
            rows[:, place : place + 8] = of_model[place : place + 8]
        return PerRunParameters(rows, self.struct, self.has_per_run_terrain, self.pool.elsewhere)

    def differ_in_speed_alone(self) -> bool:
        """Whether all rows are the same but for `step.speed`, against which errors are measured.

        So it is where runs have their own starts in a field of gravity, and nothing else.
        """
        speed = StepParams.ctype.speed
        begin = self.struct.ctype.step.offset + speed.offset
        end = begin + speed.size
        for first in range(0, len(self.rows), 4096):  # a comparison of all at once would take as much memory as they
            some = self.rows[first : first + 4096]
            if np.any(some[:, :begin] != self.rows[0, :begin]) or np.any(some[:, end:] != self.rows[0, end:]):
                return False
        return True

    def on_device(self, shared_terrain: Any, device: str) -> Any:
        """The structs as a Warp array, with the terrain of the batch where it is shared."""
        if not self.has_per_run_terrain:
            place = self.struct.ctype.terrain
            self.rows[:, place.offset : place.offset + place.size] = _bytes(shared_terrain)
        rows, block = self.pool.on_device(self.rows, device)
        self.kept.append(block)
        return wp.array(rows.view(_row_type(self.struct))[:, 0], dtype=self.struct, device=device)


def needs_per_run_parameters(scenario: Scenario, keys: Collection[str]) -> bool:
    """Whether runs that differ in some keys differ in more than their initial states."""
    return not (_start_is_all(scenario) and all(key.startswith("initial.") for key in keys))


def _start_is_all(scenario: Scenario) -> bool:
    """Whether keys of the first vehicle's start reach its state alone: neither gravity there nor its controller."""
    is_known = scenario.flight is not None and scenario.flight.sequence is not None and flown_body(scenario) == 0
    return scenario.gravity.model == "uniform" and not is_known


def per_run_parameters(
    model: Model, keys: Collection[str], scenarios: Iterable[Scenario], initial_states: np.ndarray
) -> PerRunParameters:
    """The parameters of runs whose scenarios differ from the model's in `keys`; `initial_states` [run, 13]."""
    struct, names, parts = model.assembly.params, _reached(model, keys), parts_of(model.assembly)
    pool = ArrayPool(_row_type(struct), sorted(names - SHARED))
    out = PerRunParameters(
        np.tile(_bytes(model.params), (len(initial_states), 1)), struct, is_bare_plane(model.scenario), pool
    )
    rows, gravity_of, runs = out.fields(), _gravity_at_start(model, keys, initial_states), enumerate(scenarios)
    while some := list(islice(runs, N_TOGETHER)):
        made: dict[str, list[Any]] = {name: [] for name in names}
        for i, scenario in some:
            start = Start(initial_states[i], gravity_of(i, scenario))
            for name, values in made.items():
                values.append(parts[name].make(scenario, start))
        for name, values in made.items():
            _fill(rows[some[0][0] : some[-1][0] + 1], struct, name, values, pool)
    return out


def _reached(model: Model, keys: Collection[str]) -> frozenset[str]:
    """Parts that some keys reach; those that all runs share are left alone."""
    scenario = model.scenario
    is_all = _start_is_all(scenario)
    counted = [key for key in keys if not (is_all and key.startswith("initial."))]
    reached = parts_that_read(parts_of(model.assembly), counted, scenario.gravity.model == "uniform")
    shared = {"terrain"} if not is_bare_plane(scenario) else set()
    return reached - shared - ({"gravity"} if scenario.gravity.model not in PLAIN_GRAVITY else set())


def _fill(rows: np.ndarray, struct: Any, name: str, values: Sequence[Any], pool: ArrayPool) -> None:
    """Writes a member of some structs, one value for each row."""
    kind = struct.vars[name].type
    if isinstance(values[0], Draft):
        for member in values[0].values:
            _fill(rows[name], kind, member, [getattr(value, member) for value in values], pool)
    elif isinstance(kind, wp.array):
        pool.fill(rows[name], np.array(values, dtype=_number_type(kind.dtype)))
    else:
        rows[name] = values


def _gravity_at_start(
    model: Model, keys: Collection[str], initial_states: np.ndarray
) -> Callable[[int, Scenario], float]:
    """Its magnitude [m/s^2] for a run, in the very bits that `build` finds."""

    def gravity_at(i: int, scenario: Scenario) -> float:
        return float(np.linalg.norm(acceleration_at(scenario, weighed_at(scenario, initial_states[i, :3]))))

    field = model.scenario.gravity.model
    if field not in PLAIN_GRAVITY:  # evaluated by a kernel, so all at once
        found = gravity_field(model.scenario).acceleration(weighed_at(model.scenario, initial_states[:, :3]))
        return lambda i, scenario: float(np.linalg.norm(found[i]))
    if any(moves_gravity_at_start(key, field == "uniform") for key in keys):
        return gravity_at
    everywhere = gravity_at(0, model.scenario)
    return lambda i, scenario: everywhere


@lru_cache
def _row_type(struct: Any) -> np.dtype:
    """Made once: NumPy reads such types with `ast`, which in Python 3.11 fails if two threads do it at a time."""
    return np.dtype(struct.numpy_dtype())


@lru_cache
def _number_type(kind: Any) -> np.dtype:
    """Of the numbers in an array of numbers, vectors or matrices."""
    return np.dtype(wp.dtype_to_numpy(getattr(kind, "_wp_scalar_type_", kind)))


def _bytes(struct: Any) -> np.ndarray:
    """The memory of a filled Warp struct."""
    return np.frombuffer(bytearray(struct.__ctype__()), dtype=np.uint8)
