"""What a planar drop under the marker law of `Raiszadeh2012` gives: instants, peak loads, travel, rest."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar, root_scalar

from oracles.planar_arcs import Arc, Event, Kind, Trajectory, integrate
from oracles.planar_law import Array, Contact, PlanarCase, lost_power, mechanical_energy, wheel_force, wheel_motion

__all__ = ["PlanarCase", "PlanarResult", "drop", "energy_residual", "mechanical_energy"]


@dataclass(frozen=True)
class PlanarResult:
    """Outcome of a drop; tuples are per planar wheel, in the order of `PlanarCase.wheels`.

    Attributes:
        case: The inputs.
        trajectory: Arcs and events, for whoever needs more than the numbers below.
        touch_times: Every instant at which the gap falls through zero [s].
        first_touch: The first of them [s]; NaN if there is none.
        lift_off_times: Every instant at which the gap rises through zero [s].
        unload_times: Every instant at which the normal force falls to zero [s], shortly before the lift-off.
        peak_normal: Largest normal force on one real wheel [N].
        peak_time: When it acts [s].
        stop_time: Last instant at which the speed of the centre of mass falls below V1 for good [s]; NaN if never.
        last_bounce_time: Last instant at which a wheel touched while the ground acted on none [s]; NaN if never.
        slide_distance: Travel of the centre of mass down the incline, release to `stop_time` [m].
        slide_after_last_bounce: Same, from `last_bounce_time` [m].
        final_normal: Normal force on one real wheel at the end [N].
        final_state: State at the end, shape (6,).
    """

    case: PlanarCase
    trajectory: Trajectory
    touch_times: tuple[tuple[float, ...], ...]
    first_touch: tuple[float, ...]
    lift_off_times: tuple[tuple[float, ...], ...]
    unload_times: tuple[tuple[float, ...], ...]
    peak_normal: tuple[float, ...]
    peak_time: tuple[float, ...]
    stop_time: float
    last_bounce_time: float
    slide_distance: float
    slide_after_last_bounce: float
    final_normal: tuple[float, ...]
    final_state: Array

    @property
    def final_velocity(self) -> tuple[float, float]:
        """Velocity of the centre of mass at the end, downhill and along the normal [m/s]."""
        sine, cosine = math.sin(self.case.slope), math.cos(self.case.slope)
        v_east, v_up = float(self.final_state[3]), float(self.final_state[4])
        return v_east * cosine - v_up * sine, v_east * sine + v_up * cosine

    def state(self, t: float) -> Array:
        """State at t [s], shape (6,): east, up [m], pitch [rad] and their rates."""
        return self.trajectory.state(t)

    def normal_forces(self, t: float) -> tuple[float, ...]:
        """Normal force on one real wheel of each planar wheel at t [s], in N."""
        arc = next(arc for arc in reversed(self.trajectory.arcs) if arc.start <= t)
        return tuple(float(_normal(self.case, arc, i, t)) for i in range(len(self.case.wheels)))


def drop(case: PlanarCase, rtol: float = 1e-11) -> PlanarResult:
    """Simulate a drop.

    Args:
        case: The inputs.
        rtol: Relative tolerance of the DOP853 steps; the absolute one is a thousandth of it.
    """
    path = integrate(case, rtol)
    wheels = range(len(case.wheels))
    touches = tuple(_times(path.events, i, "touch") for i in wheels)
    peaks = [_peak(case, path, i) for i in wheels]
    stop = _stop_time(case, path)
    bounces = [event.time for event in path.events if event.kind == "touch" and event.is_from_free]
    last_bounce = bounces[-1] if bounces else math.nan
    end = path.arcs[-1].end
    return PlanarResult(
        case=case,
        trajectory=path,
        touch_times=touches,
        first_touch=tuple(times[0] if times else math.nan for times in touches),
        lift_off_times=tuple(_times(path.events, i, "lift-off") for i in wheels),
        unload_times=tuple(_times(path.events, i, "unload") for i in wheels),
        peak_normal=tuple(peak for peak, _ in peaks),
        peak_time=tuple(time for _, time in peaks),
        stop_time=stop,
        last_bounce_time=last_bounce,
        slide_distance=_travel(case, path, 0.0, stop),
        slide_after_last_bounce=_travel(case, path, last_bounce, stop),
        final_normal=tuple(float(_normal(case, path.arcs[-1], i, end)) for i in wheels),
        final_state=path.state(end),
    )


def energy_residual(result: PlanarResult) -> float:
    """Energy at release less energy at the end less the energy lost on the way [J]: zero but for the integrator.

    The loss is summed by Gauss-Legendre quadrature over each step, apart from the integrator's own arithmetic.
    """
    nodes, weights = np.polynomial.legendre.leggauss(10)
    lost = 0.0
    for arc in result.trajectory.arcs:
        for start, end in zip(arc.knots[:-1], arc.knots[1:], strict=True):
            times = 0.5 * (start + end) + 0.5 * (end - start) * nodes
            power = lost_power(result.case, arc.regimes, arc.dense(times))
            lost += 0.5 * (end - start) * float(weights @ power)
    initial, final = (mechanical_energy(result.case, y) for y in (result.case.initial_state(), result.final_state))
    return float(initial - final) - lost


def _times(events: tuple[Event, ...], i_wheel: int, kind: Kind) -> tuple[float, ...]:
    """Instants [s] of one kind of event of one wheel."""
    return tuple(event.time for event in events if event.i_wheel == i_wheel and event.kind == kind)


def _normal(case: PlanarCase, arc: Arc, i_wheel: int, t: ArrayLike) -> Array:
    """Normal force on one real wheel [N] at an instant or instants of an arc."""
    return wheel_force(case, arc.regimes[i_wheel], *wheel_motion(case, i_wheel, arc.dense(t)))[0]


def _peak(case: PlanarCase, path: Trajectory, i_wheel: int) -> tuple[float, float]:
    """Largest normal force of a wheel [N] and its instant [s]; zero and NaN if it was never loaded."""
    best, best_time, best_arc = 0.0, math.nan, None
    for arc in path.arcs:
        if arc.regimes[i_wheel].contact is not Contact.LOADED:
            continue
        times = arc.samples()
        loads = _normal(case, arc, i_wheel, times)
        i_best = int(np.argmax(loads))
        if loads[i_best] > best:
            best, best_time, best_arc = float(loads[i_best]), float(times[i_best]), (arc, times, i_best)
    if best_arc is None:
        return best, best_time
    arc, times, i_best = best_arc
    around = float(times[max(i_best - 1, 0)]), float(times[min(i_best + 1, times.size - 1)])
    found = minimize_scalar(
        lambda t: -float(_normal(case, arc, i_wheel, t)), bounds=around, method="bounded", options={"xatol": 1e-12}
    )
    return (-float(found.fun), float(found.x)) if -found.fun > best else (best, best_time)


def _stop_time(case: PlanarCase, path: Trajectory) -> float:
    """Last fall of the centre of mass's speed through V1 [s]; NaN if it ends above, the start if it never was above."""

    def excess(arc: Arc, t: ArrayLike) -> Array:
        y = arc.dense(t)
        return np.hypot(y[3], y[4]) - case.speed_stick

    for arc in reversed(path.arcs):
        times = arc.samples()
        above = np.flatnonzero(excess(arc, times) > 0.0)
        if above.size == 0:
            continue
        last = int(above[-1])
        if last < times.size - 1:
            around = (times[last], times[last + 1])
            return float(root_scalar(lambda t, arc=arc: float(excess(arc, t)), bracket=around, xtol=1e-15).root)
        return math.nan if arc is path.arcs[-1] else arc.end
    return path.arcs[0].start


def _travel(case: PlanarCase, path: Trajectory, start: float, end: float) -> float:
    """Displacement of the centre of mass down the incline between two instants [m]; NaN if either is."""
    if math.isnan(start) or math.isnan(end):
        return math.nan
    east, up = (path.state(end) - path.state(start))[:2]
    return float(east * math.cos(case.slope) - up * math.sin(case.slope))
