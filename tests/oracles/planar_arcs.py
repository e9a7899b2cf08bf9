"""Integration of the planar drop as a chain of smooth arcs, each non-smooth instant located and restarted at.

Within an arc the regime of every wheel is frozen and the force is its smooth continuation, so that a step may look past
the end of the arc without meeting a kink. A regime ends where one of its guards, positive inside, falls through zero;
which guard it was decides the next regime, never the sign of a quantity that is zero to rounding there.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.integrate import DOP853, DenseOutput, OdeSolution
from scipy.optimize import root_scalar

from oracles.planar_law import (
    Array,
    Contact,
    PlanarCase,
    Regime,
    band_edges,
    band_of,
    initial_regime,
    state_rate,
    wheel_motion,
)

Kind = Literal["touch", "lift-off", "unload", "reload", "faster downhill", "slower downhill"]

SAMPLES_PER_STEP = 9  # guards are looked at here within a step, so that a crossing and its return are both seen
MAX_STEP = 0.01  # [s]: the longest look-ahead, short against a bounce
MAX_EVENTS = 20_000  # more means that the regimes chatter, which a law that is continuous in the speed should not


@dataclass(frozen=True)
class Event:
    """A wheel's change of regime.

    Attributes:
        time: Instant [s].
        i_wheel: Index of the planar wheel.
        kind: The guard that ended the regime.
        is_from_free: Whether no wheel at all was acted on by the ground just before.
    """

    time: float
    i_wheel: int
    kind: Kind
    is_from_free: bool


@dataclass(frozen=True)
class Arc:
    """A stretch of the motion with frozen regimes.

    Attributes:
        start: First instant [s].
        end: Last instant [s].
        regimes: One per planar wheel.
        knots: Ends of the integrator's steps [s], shape (n_steps + 1,).
        dense: State as a function of time, shape (6,) or (6, n_times).
    """

    start: float
    end: float
    regimes: tuple[Regime, ...]
    knots: Array
    dense: OdeSolution

    def samples(self) -> Array:
        """Instants, several within each step and both ends [s], shape (n_samples,)."""
        parts = [np.linspace(a, b, SAMPLES_PER_STEP) for a, b in zip(self.knots[:-1], self.knots[1:], strict=True)]
        return np.unique(np.concatenate(parts))


@dataclass(frozen=True)
class Trajectory:
    """The whole motion: its arcs in order and the events between them."""

    arcs: tuple[Arc, ...]
    events: tuple[Event, ...]

    def state(self, t: float) -> Array:
        """State at t [s], shape (6,): east, up, pitch and their rates."""
        if not self.arcs[0].start <= t <= self.arcs[-1].end:
            raise ValueError(f"state: t = {t} [s] is outside the run, {self.arcs[0].start} to {self.arcs[-1].end} [s]")
        i_arc = bisect_right([arc.start for arc in self.arcs], t) - 1
        return np.asarray(self.arcs[i_arc].dense(t))


def guards(case: PlanarCase, regime: Regime, i_wheel: int, y: Array) -> list[tuple[Kind, Array]]:
    """The guards of a wheel's regime: what their end would be called, and their value, positive inside the regime.

    Args:
        case: The drop.
        regime: The wheel's regime.
        i_wheel: Index of the planar wheel.
        y: State, shape (6,) or (6, n_samples).
    """
    gap, rate, v_t = wheel_motion(case, i_wheel, y)
    normal = -case.stiffness * gap - case.damping * rate
    if regime.contact is Contact.APART:
        return [("touch", gap)]
    if regime.contact is Contact.LOADED:
        # Without a damper the force and the gap vanish together and the wheel leaves at once.
        found: list[tuple[Kind, Array]] = [("unload", normal) if case.damping > 0.0 else ("lift-off", -gap)]
    else:
        found = [("lift-off", -gap), ("reload", -normal)]
    lower, upper = band_edges(case)[regime.band + 2 : regime.band + 4]
    if regime.is_forced and upper < math.inf:
        found.append(("faster downhill", upper - v_t))
    if regime.is_forced and lower > -math.inf:
        found.append(("slower downhill", v_t - lower))
    return found


def next_regime(case: PlanarCase, regime: Regime, i_wheel: int, kind: Kind, y: Array) -> Regime:
    """Regime of a wheel after the guard `kind` ended `regime` at state y."""
    if kind == "lift-off":
        return Regime(Contact.APART)
    if kind == "unload":
        return replace(regime, contact=Contact.SLACK if case.is_clamped else Contact.PULLED)
    if kind == "faster downhill":
        return replace(regime, band=regime.band + 1)
    if kind == "slower downhill":
        return replace(regime, band=regime.band - 1)
    if regime.is_forced:
        return replace(regime, contact=Contact.LOADED)
    return Regime(Contact.LOADED, band_of(case, float(wheel_motion(case, i_wheel, y)[2])))


def first_crossing(
    case: PlanarCase, regimes: tuple[Regime, ...], dense: DenseOutput, start: float, end: float
) -> tuple[float, int, Kind] | None:
    """Earliest fall of a guard through zero in one step: instant [s], wheel, guard; None if there is none."""
    times = np.linspace(start, end, SAMPLES_PER_STEP)
    states = dense(times)
    best: tuple[float, int, Kind] | None = None
    for i_wheel, regime in enumerate(regimes):
        for i_guard, (kind, values) in enumerate(guards(case, regime, i_wheel, states)):
            below = np.flatnonzero(values[1:] < 0.0)
            if below.size == 0:
                continue
            low, high = int(below[0]), int(below[0]) + 1

            def value(t: float, i_wheel: int = i_wheel, regime: Regime = regime, i_guard: int = i_guard) -> float:
                return float(guards(case, regime, i_wheel, dense(t))[i_guard][1])

            # A guard that starts at zero to rounding and falls has turned round at once: its root is the start.
            is_root_inside = values[low] > 0.0 and value(times[low]) > 0.0 and value(times[high]) < 0.0
            root = float(times[low])
            if is_root_inside:
                root = float(root_scalar(value, bracket=(times[low], times[high]), xtol=1e-16).root)
            if best is None or root < best[0]:
                best = (root, i_wheel, kind)
    return best


def run_arc(
    case: PlanarCase, regimes: tuple[Regime, ...], start: float, y: Array, rtol: float
) -> tuple[Arc, tuple[int, Kind] | None]:
    """Integrate from `start` until a guard falls or the run ends.

    Returns:
        The arc, and the wheel and guard that ended it (None at the end of the run).
    """
    # A thousandth of rtol: gaps of micrometres decide forces, while the coordinates they come from are metres.
    solver = DOP853(
        lambda _, y: state_rate(case, regimes, y),
        start,
        y,
        case.duration,
        max_step=MAX_STEP,
        rtol=rtol,
        atol=1e-3 * rtol,
    )
    knots, pieces, crossing = [start], [], None
    while solver.status == "running" and crossing is None:
        # A first guess of a step far too long overflows in the continued force; it is rejected like any other.
        with np.errstate(over="ignore", invalid="ignore"):
            failure = solver.step()
        if failure:
            raise RuntimeError(f"run_arc: DOP853 failed at t = {solver.t} [s]: {failure}")
        pieces.append(solver.dense_output())
        crossing = first_crossing(case, regimes, pieces[-1], knots[-1], solver.t)
        knots.append(float(solver.t) if crossing is None else crossing[0])
    if knots[-1] == knots[-2] and len(pieces) > 1:
        knots, pieces = knots[:-1], pieces[:-1]
    arc = Arc(start, knots[-1], regimes, np.array(knots), OdeSolution(_increasing(knots), pieces))
    return arc, None if crossing is None else crossing[1:]


def _increasing(knots: list[float]) -> list[float]:
    """Knots that OdeSolution accepts: it refuses an arc of no length, which two simultaneous events leave."""
    return knots if knots[-1] > knots[0] else [knots[0], math.nextafter(knots[0], math.inf)]


def integrate(case: PlanarCase, rtol: float = 1e-11) -> Trajectory:
    """Integrate the drop from release to `case.duration`."""
    t, y = 0.0, case.initial_state()
    regimes = tuple(initial_regime(case, i, y) for i in range(len(case.wheels)))
    arcs: list[Arc] = []
    events: list[Event] = []
    while t < case.duration:
        arc, ending = run_arc(case, regimes, t, y, rtol)
        arcs.append(arc)
        t, y = arc.end, np.asarray(arc.dense(arc.end))
        if ending is None:
            break
        i_wheel, kind = ending
        events.append(Event(t, i_wheel, kind, not any(regime.is_forced for regime in regimes)))
        if len(events) > MAX_EVENTS:
            raise RuntimeError(f"integrate: more than {MAX_EVENTS} events by t = {t} [s]; the regimes chatter")
        changed = next_regime(case, regimes[i_wheel], i_wheel, kind, y)
        regimes = (*regimes[:i_wheel], changed, *regimes[i_wheel + 1 :])
    return Trajectory(tuple(arcs), tuple(events))
