"""From `[[flight.phases]]` to the rows that the kernel takes: codes and numbers of phases and of triggers."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from planetfall.compute.draft import Draft
from planetfall.errors import InputError
from planetfall.flight.allocation import EngineSet, throttle_weights
from planetfall.flight.guidance.model import N_NUMBERS, GuidanceContext, GuidanceLaw
from planetfall.flight.navigation.estimate import rank_of
from planetfall.flight.sensors.mount import places
from planetfall.flight.sequence.phase_steps import phase_steps, strides
from planetfall.flight.sequence.phases import SequenceParams
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.flight.flight import FlightSequence
from planetfall.scenario.tables.flight.phases import ALL_TETHERS, FlightPhase, PhaseEnd
from planetfall.scenario.tables.vehicle.engines import Engine
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.vehicle.engines import STANDARD_GRAVITY

MAX_BITS = 64
"""Engines or tethers that the bits of one word can name."""


@dataclass(frozen=True)
class EngineRows:
    """Engines as numbers: their names, `effect` [engine, 4] of a unit thrust, `high` [N], and the `arm` [m]."""

    names: list[str]
    effect: np.ndarray
    high: np.ndarray
    arm: float


def engine_rows(engines: tuple[Engine, ...]) -> EngineRows:
    """Of a vehicle's engines."""
    arm = max((float(np.linalg.norm(engine.position)) for engine in engines), default=0.0) or 1.0
    high = np.array([engine.thrust_max for engine in engines])
    return EngineRows([engine.name for engine in engines], engine_effects(engines, arm), high, arm)


def engine_effects(engines: tuple[Engine, ...], arm: float) -> np.ndarray:
    """Force along z and moments about the centre of mass over `arm` [m] per thrust, [engine, 4] [-]."""
    if not engines:
        return np.zeros((0, 4))
    (x, y, z), push = np.array([engine.position for engine in engines]).T, np.array([e.direction for e in engines])
    a, b, c = push.T
    return np.column_stack([c, *(moment / arm for moment in (y * c - z * b, z * a - x * c, x * b - y * a))])


def known_engines(engines: tuple[Engine, ...], rows: EngineRows, delay: float) -> Draft:
    """`EngineSet` of a vehicle's engines, whose failures are known after a delay [s]."""
    known = Draft(EngineSet)
    known.effect, known.high, known.weight = rows.effect, rows.high, throttle_weights(rows.high)
    known.low = [engine.thrust_min for engine in engines]
    known.flow = [1.0 / (engine.isp * STANDARD_GRAVITY) for engine in engines]
    known.failed = failures_known(engines, delay)
    return known


def failures_known(engines: tuple[Engine, ...], delay: float) -> np.ndarray:
    """When the failure of each engine is known [s]; infinite for those that do not fail."""
    return np.array([np.inf if engine.fail_time is None else engine.fail_time + delay for engine in engines])


@dataclass(frozen=True)
class SequenceContext:
    """What the rows of a sequence depend on beside its tables; runs of a campaign have few different ones.

    Attributes:
        engines: Their names.
        effect: Bytes of their effects [engine, 4], and `high` of their largest thrusts.
        tethers: Their names.
        sensors: Name, kind, first channel and number of channels of each.
        dry_mass: Of the vehicle without propellant [kg]; None where it has none.
        has_detector: Whether something declares a landing.
        switches: What can be commanded once.
        steps: Of each phase [s].
        is_fixed: Whether steps have fixed lengths.
    """

    engines: tuple[str, ...]
    effect: bytes
    high: bytes
    tethers: tuple[str, ...]
    sensors: tuple[tuple[str, str, int, int], ...]
    dry_mass: float | None
    has_detector: bool
    switches: tuple[str, ...]
    steps: tuple[float, ...]
    is_fixed: bool


@dataclass(frozen=True, eq=False)
class _SameSequence:
    """A sequence that is told from others by identity: to compare its tables takes longer than to read them."""

    sequence: FlightSequence

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SameSequence) and self.sequence is other.sequence

    def __hash__(self) -> int:
        return id(self.sequence)


def sequence_params(
    scenario: Scenario, sequence: FlightSequence, laws: tuple[GuidanceLaw, ...], rows: EngineRows, vehicle: Vehicle
) -> Draft:
    """`SequenceParams` of all phases."""
    tank, placed = vehicle.propellant, zip(scenario.sensors, places(scenario), strict=True)
    context = SequenceContext(
        engines=tuple(rows.names),
        effect=rows.effect.tobytes(),
        high=rows.high.tobytes(),
        tethers=tuple(tether.name for tether in scenario.tethers),
        sensors=tuple((sensor.name, sensor.kind, place.channel, place.n_channels) for sensor, place in placed),
        dry_mass=None if tank is None else vehicle.mass - tank.mass,
        has_detector=scenario.detector is not None,
        switches=tuple(scenario.switches),
        steps=tuple(phase_steps(scenario)),
        is_fixed=scenario.integrator.method == "rk4",
    )
    return _sequence_params(_SameSequence(sequence), laws, context)


@lru_cache(maxsize=64)
def _sequence_params(same: _SameSequence, laws: tuple[GuidanceLaw, ...], context: SequenceContext) -> Draft:
    sequence, tethers = same.sequence, list(context.tethers)
    effect, high = np.frombuffer(context.effect).reshape(-1, 4), np.frombuffer(context.high)
    rows = EngineRows(list(context.engines), effect, high, 0.0)
    p, phases, kinds = Draft(SequenceParams), sequence.phases, [law.name for law in laws]
    names = [phase.name for phase in phases]
    codes, numbers, guidance, engines = [], [], [], []
    trigger_codes, trigger_numbers, ticks = [], [], strides(sequence)
    for i, phase in enumerate(phases):
        law = laws[kinds.index(phase.guidance.law)]
        running = _running(i, phase, sequence, rows) if law.runs_engines else np.zeros(len(rows.names), dtype=bool)
        is_coarse = context.is_fixed and context.steps[i] > min(context.steps)
        codes.append([
            kinds.index(law.name), len(trigger_codes), len(phase.ends), phase.arm, phase.integral == "reset", ticks[i],
            is_coarse,
        ])  # fmt: skip
        tilt = phase.tilt_limit_deg
        cosine = -1.0 if tilt >= 180.0 else float(np.cos(np.radians(tilt)))
        mass = np.nan if phase.mass is None else phase.mass
        numbers.append([mass, phase.blend_time, cosine, phase.carried_mass, context.steps[i]])
        full = float(np.sum((rows.effect[:, 0] * rows.high)[running]))
        own = law.numbers(phase.guidance, GuidanceContext(full, sequence.up))
        guidance.append([*own, *[0.0] * (N_NUMBERS - len(own))])
        engines.append(_bits(np.flatnonzero(running)))
        for k, end in enumerate(phase.ends):
            place = f"flight.phases.{i}.ends.{k}"
            to = i + 1 if end.to is None else names.index(end.to)
            trigger_codes.append([to, len(trigger_codes) + 1, *_sensed(place, end, context)])
            trigger_numbers.append(_bounds(place, end, context.dry_mass))
    p.codes, p.numbers, p.guidance = np.array(codes, dtype=np.int32), np.array(numbers), np.array(guidance)
    p.engines = np.array(engines, dtype=np.uint64)
    for key in ("release", "cut"):
        bits = [
            _tether_bits(f"flight.phases.{i}.{key}", getattr(phase, key), tethers) for i, phase in enumerate(phases)
        ]
        setattr(p, key, np.array(bits, dtype=np.uint64))
    switched = [
        _switch_bits(f"flight.phases.{i}.switch", phase.switch, context.switches) for i, phase in enumerate(phases)
    ]
    p.switches = np.array(switched, dtype=np.uint64)
    p.trigger_codes = np.array(trigger_codes, dtype=np.int32).reshape(-1, 8)
    p.trigger_numbers = np.array(trigger_numbers, dtype=float).reshape(-1, 9)
    return p


def _running(i: int, phase: FlightPhase, sequence: FlightSequence, rows: EngineRows) -> np.ndarray:
    """Which engines [engine] run in a phase."""
    where, wanted = (
        ("flight.engines", sequence.engines) if phase.engines is None else (f"flight.phases.{i}.engines", phase.engines)
    )
    for name in wanted:
        if name not in rows.names:
            raise _unknown(where, "engine", name, rows.names)
    running = np.array([not wanted or name in wanted for name in rows.names])
    if rank_of(rows.effect[running]) < 4:
        raise InputError(
            where, "these engines cannot give a force along the body's z axis and every moment",
            "four or more engines that can",
        )  # fmt: skip
    return running


def _tether_bits(where: str, named: Sequence[str], tethers: list[str]) -> int:
    if tuple(named) == (ALL_TETHERS,) and ALL_TETHERS not in tethers:
        return _bits(range(len(tethers)))
    for name in named:
        if name not in tethers:
            raise _unknown(where, "tether", name, tethers)
    return _bits(tethers.index(name) for name in named)


def _switch_bits(where: str, named: Sequence[str], switches: Sequence[str]) -> int:
    there = list(switches)
    for name in named:
        if name not in there:
            raise _unknown(where, "switch", name, there)
    return _bits(there.index(name) for name in named)


def _bits(places: Any) -> int:
    out = 0
    for i in places:
        if i >= MAX_BITS:
            raise InputError("flight.phases", f"names more than {MAX_BITS} engines or tethers", f"{MAX_BITS} at most")
        out |= 1 << int(i)
    return out


def _bounds(where: str, end: PhaseEnd, dry_mass: float | None) -> list[float]:
    """The numbers of a trigger, NaN for a condition that it does not have."""
    keys = ("after", "height_below", "height_above", "speed_below", "descent_below", "time_to_go_below")
    bounds, left = [getattr(end, key) for key in keys], end.propellant_below
    if left is not None and dry_mass is None:
        raise InputError(f"{where}.propellant_below", "the vehicle has no propellant", advice="add vehicle.propellant")
    bounds.append(None if left is None or dry_mass is None else dry_mass + left)
    return [*(np.nan if bound is None else bound for bound in bounds), end.hold, end.delay]


def _sensed(where: str, end: PhaseEnd, context: SequenceContext) -> list[int]:
    """Whether a landing is asked for, and the channels of switches and beams that a trigger reads."""
    if end.landed and not context.has_detector:
        raise InputError(f"{where}.landed", "nothing declares a landing", advice="add a [detector]")
    switch, n_switches = _channels(f"{where}.switch", end.switch, context, ("switch",))
    beam, n_beams = _channels(f"{where}.acquired", end.acquired, context, ("altimeter", "velocimeter"))
    if n_switches and end.count > n_switches:
        raise InputError(f"{where}.count", f"{end.count} switches, where {end.switch} has {n_switches}")
    return [int(end.landed), switch, n_switches, end.count, beam, n_beams]


def _channels(where: str, name: str | None, context: SequenceContext, kinds: tuple[str, ...]) -> tuple[int, int]:
    """First channel and number of channels of a sensor; none without a name."""
    if name is None:
        return 0, 0
    there = {sensor: (channel, count) for sensor, kind, channel, count in context.sensors if kind in kinds}
    if name not in there:
        raise _unknown(where, " or ".join(kinds), name, list(there))
    return there[name]


def _unknown(where: str, kind: str, name: str, there: list[str]) -> InputError:
    near = difflib.get_close_matches(name, there, n=1, cutoff=0.5)
    return InputError(
        where, f"no {kind} is called {name!r}" + ("" if there else "; there are none"),
        f"one of {', '.join(there)}" if there else "",
        f"did you mean {near[0]}?" if near else "",
    )  # fmt: skip
