"""The scenario of each run of a campaign: the nominal one with the drawn values in it, and the state it starts from."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
from pydantic import ValidationError

from planetfall.campaign.inputs.draws import Columns, Draws
from planetfall.campaign.inputs.remade_tables import table_maker
from planetfall.engine.initial_state import after_bodies, initial_state, initial_states, lift_of, lifted, with_attached
from planetfall.engine.mechanisms.registry import mechanisms_of
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.errors import InputError
from planetfall.scenario.dispersions.keys import is_bare_plane
from planetfall.scenario.files.messages import input_error
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import quaternion_from_euler_ned
from planetfall.scenario.tables.run.initial import Initial
from planetfall.scenario.tables.run.release import velocity_at_release
from planetfall.scenario.tables.run.start import start_attitude, start_state
from planetfall.world.terrain.ground import make_surface
from planetfall.world.terrain.surface import Surface


@dataclass
class Variants:
    """Some consecutive runs of a campaign.

    Attributes:
        draws: Of the campaign.
        first: Index of the first of these runs.
        values: What they drew.
        problems: What is wrong with a run's inputs together, by place among these runs; such runs are not simulated.
    """

    draws: Draws
    first: int
    values: Columns
    problems: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, draws: Draws, first: int, last: int) -> "Variants":
        """Draws the runs from `first` to before `last`, and checks each run's tables."""
        made = cls(draws, first, draws.values(first, last))
        for i, tables in enumerate(made._tables):
            if isinstance(tables, str):
                made.problems[i] = tables
        return made

    @property
    def n(self) -> int:
        """Number of runs."""
        return len(next(iter(self.values.values())))

    def row(self, i: int) -> dict[str, Any]:
        """What one run drew, as plain values by dotted key."""
        return {key: self._plain(key, i) for key in self.draws.keys}

    def states(self, surface: Surface) -> np.ndarray:
        """Initial states [run, number]: bodies, flywheels, tethers; notes a problem where a run cannot start."""
        if self._is_converted:
            first = self._converted()
            position, velocity, attitude, rate = np.split(first, [3, 6, 10], axis=1)
        else:
            position, velocity, rate = (self._vector(name) for name in ("position", "velocity", "angular_velocity"))
            if self.draws.scenario.initial.release is not None:
                position, velocity = self._released()
            attitude = self._attitudes()
        first = np.column_stack([position, velocity, attitude, rate])
        if self.heights is not None:
            first[:, :3] = self._lift(surface, first, self.heights)
        bodies = np.column_stack([first, self._companions(surface)]).reshape(self.n, -1, BODY_SIZE)
        bodies = with_attached(self.draws.scenario, bodies).reshape(self.n, -1)
        return np.column_stack([bodies, self._wheels_and_lines()])

    @property
    def heights(self) -> np.ndarray | None:
        """To which runs are lifted over the ground [run] [m]; None where they start at their positions."""
        start = self.draws.scenario.initial
        nominal, key = lift_of(start)[0], "initial.altitude" if start.is_over_ground else "initial.height"
        return self.values.get(key, None if nominal is None else np.full(self.n, nominal))

    @property
    def _is_converted(self) -> bool:
        """Whether starts are more than vectors of the surface frame, so that each run's is worked out by itself."""
        start = self.draws.scenario.initial
        return start.is_placed or start.angular_velocity_relative_to == "inertial"

    def places(self, surface: Surface) -> np.ndarray:
        """Where the vehicle starts [run, 3] [m], as in `states`; asks for no table that this does not need."""
        start = self.draws.scenario.initial
        if start.attached is not None or start.height_of == "lowest point":
            return self.states(surface)[:, :3]
        is_released = start.release is not None
        if self._is_converted:
            position = self._converted()[:, :3]
            return position if self.heights is None else self._lift(surface, position, self.heights)
        position = self._vector("release.position" if is_released else "position")
        return position if self.heights is None else self._lift(surface, position, self.heights)

    def planes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points [run, 3] [m], outward normals [run, 3] and radii [run] [m] of bare planes; one row if all share it."""
        is_shared = "terrain" not in self._keys_by_table
        planes: list[Any] = [self.draws.scenario.terrain] if is_shared else list(self._each("terrain"))
        radii = np.array([np.inf if plane.radius is None else plane.radius for plane in planes])
        return np.array([plane.point for plane in planes]), np.array([plane.outward for plane in planes]), radii

    def scenarios(self, states: np.ndarray) -> Iterator[Scenario]:
        """The scenario of each run, without dispersions, that starts from given states.

        Only the tables that vary were checked; the others are the nominal scenario's.
        """
        nominal = self.draws.scenario.model_copy(update={"dispersions": {}, "cases": {}})
        for tables, state in zip(self._tables, states.tolist(), strict=True):
            changes = {} if isinstance(tables, str) else tables
            start = _start(state) if nominal.initial.attached is None else nominal.initial
            yield nominal.model_copy(update={**changes, "initial": start})

    @cached_property
    def _keys_by_table(self) -> dict[str, list[str]]:
        """Keys that vary, by table; those of the start are put into the states."""
        grouped: dict[str, list[str]] = {}
        for key in self.draws.keys:
            table = key.partition(".")[0]
            if table != "initial":
                grouped.setdefault(table, []).append(key)
        return grouped

    @cached_property
    def _tables(self) -> list[dict[str, Any] | str]:
        """The changed tables of every run, or what is wrong with them."""
        makers = {
            name: table_maker(getattr(self.draws.scenario, name), keys) for name, keys in self._keys_by_table.items()
        }
        columns = {key: self._column(key) for keys in self._keys_by_table.values() for key in keys}
        made: list[dict[str, Any] | str] = []
        for i in range(self.n):
            try:
                made.append(
                    {
                        name: makers[name]([columns[key][i] for key in keys])
                        for name, keys in self._keys_by_table.items()
                    }
                )
            except (ValidationError, ValueError) as error:
                made.append(_said(error))
        return made

    def _each(self, name: str) -> Iterator[Any]:
        """A table of every run; the nominal one where it does not vary or is wrong."""
        nominal = getattr(self.draws.scenario, name)
        return (nominal if isinstance(tables, str) else tables.get(name, nominal) for tables in self._tables)

    def _column(self, key: str) -> list[Any]:
        is_whole = self.draws.places[key].is_whole
        return [int(v) for v in self.values[key]] if is_whole else self.values[key].tolist()

    def _plain(self, key: str, i: int) -> Any:
        value = self.values[key][i].tolist()
        return int(value) if self.draws.places[key].is_whole else value

    def _vector(self, name: str) -> np.ndarray:
        """A vector of the start [run, 3], whole or by components."""
        nominal = attrgetter(name)(self.draws.scenario.initial)
        out = np.tile(np.asarray(nominal, dtype=float), (self.n, 1))
        key = f"initial.{name}"
        if key in self.values:
            out[:] = self.values[key]
        for i in range(3):
            if f"{key}.{i}" in self.values:
                out[:, i] = self.values[f"{key}.{i}"]
        return out

    def _attitudes(self) -> np.ndarray:
        if "initial.attitude" in self.values:
            return self.values["initial.attitude"]
        if any(key.startswith("initial.euler_ned_deg") for key in self.values):
            return np.array([quaternion_from_euler_ned(angles) for angles in np.radians(self._vector("euler_ned_deg"))])
        return np.tile(start_attitude(self.draws.scenario.initial, self.draws.scenario.target), (self.n, 1))

    def _converted(self) -> np.ndarray:
        """States [run, 13] of starts over a planet, or with rates in inertial space, before they are lifted."""
        nominal, keys = self.draws.scenario.initial, [key for key in self.draws.keys if key.startswith("initial.")]
        make = table_maker(nominal, keys) if keys else lambda values: nominal
        out = np.tile(start_state(nominal, self.draws.scenario.target), (self.n, 1))
        for i, target in enumerate(self._each("target")):
            try:
                out[i] = start_state(make([self._plain(key, i) for key in keys]), target)
            except (ValidationError, ValueError) as error:
                self.problems.setdefault(i, _said(error))
        return out

    def _released(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities [run, 3] of vehicles that a mothership lets go."""
        release, keys = self.draws.scenario.initial.release, [key for key in self.values if _is_of_release(key)]
        assert release is not None
        position, separation = self._vector("release.position"), self._vector("release.separation")
        carrier = np.zeros(3) if release.velocity is None else self._vector("release.velocity")
        self._check_release(keys)
        if "target" in self._keys_by_table:
            targets = [(target.omega, target.center_S) for target in self._each("target")]
            omega, center = (np.array(vectors) for vectors in zip(*targets, strict=True))
        else:
            target = self.draws.scenario.target
            omega, center = target.omega, target.center_S
        return position, velocity_at_release(release.carrier, position - center, carrier, separation, omega)

    def _check_release(self, keys: list[str]) -> None:
        """Notes what is wrong with drawn numbers of a release: of its vectors, only that a component is not finite."""
        drawn = np.column_stack([np.zeros(self.n), *(self.values[key] for key in keys)])
        bad = np.flatnonzero(~np.isfinite(drawn).all(axis=1))
        if not len(bad):
            return
        make = table_maker(self.draws.scenario.initial, keys)
        for i in bad.tolist():
            try:
                make([self._plain(key, i) for key in keys])
            except (ValidationError, ValueError) as error:
                self.problems[i] = _said(error)

    def _companions(self, surface: Surface) -> np.ndarray:
        """States [run, 13 * companions] of the other bodies, each as `build` finds it."""
        nominal = self.draws.scenario
        n_others = len(nominal.companions)
        if not {"companions", "gravity", "target", "terrain"} & self._keys_by_table.keys():
            states = [initial_state(solo, surface) for solo in nominal.solos[1:]]
            return np.tile(np.concatenate([[], *states]), (self.n, 1))
        out = np.zeros((self.n, n_others, BODY_SIZE))
        runs = list(self.scenarios(np.zeros((self.n, BODY_SIZE)))) if n_others else []
        for some, ground in self._by_ground(runs, surface):
            for k in range(n_others):
                given = [runs[i] for i in some]
                out[some, k], found = initial_states(given, [run.companions[k].initial for run in given], ground)
                for i, problem in found.items():
                    self.problems.setdefault(some[i], str(problem))
        return out.reshape(self.n, -1)

    def _by_ground(self, runs: list[Scenario], surface: Surface) -> Iterator[tuple[list[int], Surface]]:
        """Places of runs that share the ground, and that: every run has its own plane where planes vary."""
        if not is_bare_plane(self.draws.scenario) or "terrain" not in self._keys_by_table:
            yield list(range(len(runs))), surface
            return
        for i, run in enumerate(runs):
            yield [i], make_surface(run, surface.device)

    def _wheels_and_lines(self) -> np.ndarray:
        """What follows the bodies in the states."""
        out = np.tile(after_bodies(self.draws.scenario), (self.n, 1))
        of_mechanisms = tuple(key for each in mechanisms_of(self.draws.scenario) if each.initial for key in each.reads)
        of_all = ("vehicle.", "companions.", "tethers.", *of_mechanisms)
        if out.size and any(key.startswith(of_all) for key in self.draws.keys):
            for i, run in enumerate(self.scenarios(np.zeros((self.n, BODY_SIZE)))):
                out[i] = after_bodies(run)
        return out

    def _lift(self, surface: Surface, start: np.ndarray, height: np.ndarray) -> np.ndarray:
        """Positions lifted to a height over the ground; `start` [run, 3 or 13] has at least those."""
        scenario, out = self.draws.scenario, start[:, :3].copy()
        gravity_tables = {"gravity", "target"} & self._keys_by_table.keys()
        along = lift_of(scenario.initial)[1]
        is_plain = along in ("vertical", "normal") and scenario.gravity.model == "uniform" and not gravity_tables
        if is_bare_plane(scenario) and is_plain:
            return self._lift_over_planes(out, height)
        runs = list(self.scenarios(np.zeros((self.n, BODY_SIZE))))
        for some, ground in self._by_ground(runs, surface):
            good = [i for i in some if i not in self.problems]
            if not good:
                continue
            out[good], found = lifted([runs[i] for i in good], ground, start[good], height[good], along)
            self.problems |= {good[i]: str(problem) for i, problem in found.items()}
        return out

    def _lift_over_planes(self, position: np.ndarray, height: np.ndarray) -> np.ndarray:
        """The same for planes under uniform gravity, all runs at once; sums are written out, run by run the same."""
        scenario = self.draws.scenario
        normal = np.array([plane.outward for plane in self._each("terrain")])
        point = np.array([plane.point for plane in self._each("terrain")])
        up = -np.asarray(scenario.gravity.direction)  # type: ignore[union-attr]  uniform gravity has a direction
        gap, slope = _dot(position - point, normal), _dot(up, normal)
        for i in np.flatnonzero(slope <= 0):
            self.problems.setdefault(int(i), "initial.height: the ground under initial.position faces down")
        foot = position - up * (gap / np.where(slope > 0, slope, 1.0))[:, None]
        return foot + height[:, None] * (normal if scenario.initial.height_along == "normal" else up)


def scenario_of(draws: Draws, run: int, surface: Surface) -> Scenario:
    """The complete scenario of one run, checked as if it had been written by hand; it starts from an explicit state."""
    one = Variants.of(draws, run, run + 1)
    state = one.states(surface)[0]
    if one.problems:
        raise InputError(f"run {run}", f"was not simulated: {one.problems[0]}")
    drawn = {key: value for key, value in one.row(0).items() if not key.startswith("initial.")}
    made = _start(state.tolist()) if draws.scenario.initial.attached is None else draws.scenario.initial
    start = made.model_dump(exclude_none=True)
    return draws.scenario.with_values({**drawn, "initial": start, "dispersions": {}, "cases": {}})


def _is_of_release(key: str) -> bool:
    return key.startswith("initial.release.")


def _start(state: list[float]) -> Initial:
    """A start that is a state in so many words, unchecked: it was made of checked values."""
    return Initial.model_construct(
        position=tuple(state[0:3]), height=None, height_of="center of mass", height_along="vertical",
        velocity=tuple(state[3:6]),
        attitude=tuple(state[6:10]), euler_ned_deg=None, release=None, angular_velocity=tuple(state[10:13]),
    )  # fmt: skip


def _said(error: Exception) -> str:
    """What is wrong with a run's inputs, in one sentence."""
    if isinstance(error, ValidationError):
        made = input_error(error, Scenario, "the inputs drawn")
        return f"{made.where}: {made.problem}"
    return str(error)


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[:, 0] + a[..., 1] * b[:, 1] + a[..., 2] * b[:, 2]
