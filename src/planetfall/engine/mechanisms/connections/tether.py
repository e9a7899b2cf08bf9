"""The tethers of a scenario as a mechanism: how they pull on the bodies, pay out, and what energy they store and take.

Each tether has TETHER_SIZE numbers in the state: the length that a brake has let out [m], the work [J] of its damper
and of its reel on bodies and spring, and whether it is free, held or cut, which a controller may change between steps.
Where the method locks modes during a step, that of each tether is one number more, after those of all.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft, padded
from planetfall.compute.in_place import number
from planetfall.engine.mechanisms.connections.tether_events import tether_events
from planetfall.engine.structure.link_wrenches import WRENCH_SIZE, link_wrenches_vector
from planetfall.engine.structure.mechanism import Mechanism, PartVariable, StateSlot
from planetfall.engine.structure.run_params import StepParams
from planetfall.engine.structure.start import end_of_step_at
from planetfall.engine.structure.state_sizes import (
    TETHER_DAMPER,
    TETHER_REEL,
    TETHER_REST,
    TETHER_SIZE,
    TETHER_STATUS,
    TETHERS,
)
from planetfall.flight.commands import Commands
from planetfall.scenario.scenario import Scenario
from planetfall.vehicle.tether_force import (
    STATUS_CUT,
    STATUS_FREE,
    STATUS_HELD,
    TETHER_JUDGED,
    TETHER_SLACK,
    TetherParams,
    TetherState,
    tether_between,
)

VARIABLES = (
    PartVariable("tether_tension", "N", "tension", "tether"),
    PartVariable("tether_length", "m", "distance of a tether's ends", "tether"),
)


def tethers_of(scenario: Scenario) -> Mechanism | None:
    """The tethers of a scenario; None where it has none."""
    n, is_locked = len(scenario.tethers), scenario.integrator.method == "adaptive"
    return tethers_mechanism(n, len(scenario.vehicles), is_locked) if n else None


@lru_cache
def tethers_mechanism(n: int, n_bodies: int, is_locked: bool) -> Mechanism:
    """So many tethers between some bodies; `is_locked`: whether the method locks modes during a step."""
    return Mechanism(
        name=TETHERS,
        params=TetherParams,
        fill=lambda scenario, start: tether_params(scenario),
        reads=("tethers.", "integrator."),
        n_states=(TETHER_SIZE + is_locked) * n,
        initial=lambda scenario: tether_states(scenario, is_locked),
        link=lambda slot: _link(n, n_bodies, is_locked, slot),
        put_in=lambda slot: _put_in(n, slot),
        stored=lambda slot: _stored(n, is_locked, slot),
        after_frame=lambda slot: _cut_at_time(n, is_locked, slot),
        events=lambda slot: tether_events(n, tether_at(n, is_locked, slot), slot),
        next_break=lambda slot: _next_break(n),
        error=lambda slot: _error(n, slot),
        obey=lambda slot: _obey(n, is_locked, slot),
        part_variables=VARIABLES,
        n_parts=n,
        observe_parts=lambda slot: _observe(n, is_locked, slot),
        rounds_alike=True,
    )


@lru_cache
def tether_at(n: int, is_locked: bool, slot: StateSlot) -> Any:
    """`@wp.func (t, t_branch, y, params, tether index) -> TetherState`."""
    vector, offset, body_state, modes = slot.vector, slot.offset, slot.body, slot.offset + TETHER_SIZE * n

    @wp.func
    def tether_of(
        t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[TetherParams], i: int
    ) -> TetherState:  # fmt: skip
        a = body_state(y, p.body_a[i])
        b = body_state(y, p.body_b[i])
        o = offset + i * TETHER_SIZE
        locked = wp.int32(TETHER_JUDGED)
        if wp.static(is_locked):
            locked = wp.int32(number(y[modes + i]))
        return tether_between(p, i, t, t_branch, number(y[o + TETHER_REST]), number(y[o + TETHER_STATUS]), locked, a, b)

    return tether_of


@lru_cache
def _link(n: int, n_bodies: int, is_locked: bool, slot: StateSlot) -> Any:
    """See `Mechanism.link`: where tethers pull."""
    vector, offset, tether_of = slot.vector, slot.offset, tether_at(n, is_locked, slot)
    wrenches_type, modes = link_wrenches_vector(n_bodies), slot.offset + TETHER_SIZE * n

    @wp.func(inline=False)  # called between steps and in stages
    def link(
        dy: wp.ref[vector], p: wp.ref[TetherParams], y: wp.ref[vector], t: wp.float64, t_branch: wp.float64,
        wrenches: wp.ref[wrenches_type],
    ):  # fmt: skip
        i = int(0)
        while i < wp.static(n):
            o = offset + i * TETHER_SIZE
            found = TetherState()
            pulls = number(y[o + TETHER_STATUS]) != STATUS_CUT and t_branch <= p.cut_time[i]
            if wp.static(is_locked):  # a slack one does nothing, and one without a table keeps its length
                pulls = pulls and (wp.int32(number(y[modes + i])) != TETHER_SLACK or p.rows[i] > 0)
            if pulls:
                found = tether_of(t, t_branch, y, p, i)
                force = found.direction * found.tension
                turn_a = wp.cross(found.arm_a, force)
                turn_b = wp.cross(found.arm_b, force)
                a = WRENCH_SIZE * p.body_a[i]
                b = WRENCH_SIZE * p.body_b[i]
                for k in range(3):
                    wrenches[a + k] = number(wrenches[a + k]) + force[k]
                    wrenches[a + 3 + k] = number(wrenches[a + 3 + k]) + turn_a[k]
                    wrenches[b + k] = number(wrenches[b + k]) - force[k]
                    wrenches[b + 3 + k] = number(wrenches[b + 3 + k]) - turn_b[k]
                stored = wp.static(WRENCH_SIZE * n_bodies)
                wrenches[stored] = number(wrenches[stored]) + found.elastic
            dy[o + TETHER_REST] = wp.where(p.brake_give[i] > wp.float64(0.0), found.rest_rate, wp.float64(0.0))
            dy[o + TETHER_DAMPER] = found.damper_power
            dy[o + TETHER_REEL] = found.reel_power
            i += 1

    return link


@lru_cache
def _put_in(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.put_in`: reels."""
    vector, offset = slot.vector, slot.offset

    @wp.func
    def put_in(y: wp.ref[vector], p: wp.ref[TetherParams], energy: wp.float64) -> wp.float64:
        out = energy
        for i in range(wp.static(n)):
            out -= y[offset + i * TETHER_SIZE + TETHER_REEL]
        return out

    return put_in


@lru_cache
def _stored(n: int, is_locked: bool, slot: StateSlot) -> Any:
    """See `Mechanism.stored`."""
    vector, tether_of = slot.vector, tether_at(n, is_locked, slot)

    @wp.func
    def stored(p: wp.ref[TetherParams], y: wp.ref[vector], t: wp.float64) -> wp.float64:
        out = wp.float64(0.0)
        i = int(0)
        while i < wp.static(n):
            out += tether_of(t, t, y, p, i).elastic
            i += 1
        return out

    return stored


@lru_cache
def _cut_at_time(n: int, is_locked: bool, slot: StateSlot) -> Any:
    """See `Mechanism.after_frame`: gives the energy of tethers cut at t, to the bit, to their dampers."""
    vector, offset, tether_of = slot.vector, slot.offset, tether_at(n, is_locked, slot)

    @wp.func
    def cut(y: wp.ref[vector], p: wp.ref[TetherParams], t: wp.float64):
        i = int(0)
        while i < wp.static(n):
            if p.cut_time[i] == t:
                o = offset + i * TETHER_SIZE + TETHER_DAMPER
                y[o] = number(y[o]) - tether_of(t, t, y, p, i).elastic
            i += 1

    return cut


@lru_cache
def _obey(n: int, is_locked: bool, slot: StateSlot) -> Any:
    """See `Mechanism.obey`: tethers are released and cut."""
    vector, offset, tether_of = slot.vector, slot.offset, tether_at(n, is_locked, slot)

    @wp.func
    def obey(y: wp.ref[vector], p: wp.ref[TetherParams], t: wp.float64, commands: Commands, run: int):
        i = int(0)
        while i < wp.static(n):
            o = offset + i * TETHER_SIZE
            if commands.release[i, run] == 1 and number(y[o + TETHER_STATUS]) == STATUS_HELD:
                y[o + TETHER_STATUS] = STATUS_FREE
            if commands.cut[i, run] == 1 and number(y[o + TETHER_STATUS]) != STATUS_CUT:
                y[o + TETHER_DAMPER] = number(y[o + TETHER_DAMPER]) - tether_of(t, t, y, p, i).elastic
                y[o + TETHER_STATUS] = STATUS_CUT
            i += 1

    return obey


@lru_cache
def _next_break(n: int) -> Any:
    """See `Mechanism.next_break`: when a tether is cut or has a row of its table."""

    @wp.func
    def next_break(p: wp.ref[TetherParams], t: wp.float64) -> wp.float64:
        out = wp.float64(1.0e300)
        for i in range(wp.static(n)):
            if p.cut_time[i] > t:
                out = wp.min(out, p.cut_time[i])
            for row in range(p.rows[i]):
                if p.times[row, i] > t:
                    out = wp.min(out, p.times[row, i])
        return out

    return next_break


@lru_cache
def _error(n: int, slot: StateSlot) -> Any:
    """See `Mechanism.error`: the line that a brake lets out is measured against the vehicle's size."""
    vector, offset = slot.vector, slot.offset

    @wp.func
    def worst(p: wp.ref[TetherParams], y: wp.ref[vector], error: wp.ref[vector], step: StepParams) -> wp.float64:
        out = wp.float64(0.0)
        for i in range(wp.static(n)):
            out = wp.max(out, wp.abs(error[offset + i * TETHER_SIZE + TETHER_REST]) / step.length)
        return out

    return worst


@lru_cache
def _observe(n: int, is_locked: bool, slot: StateSlot) -> Any:
    """See `Mechanism.observe_parts`."""
    vector, tether_of = slot.vector, tether_at(n, is_locked, slot)

    @wp.func
    def observe(
        p: wp.ref[TetherParams], y: wp.ref[vector], t: wp.float64, values: wp.array2d(dtype=wp.float64), frame: int,
        column: int,
    ):  # fmt: skip
        i = int(0)
        while i < wp.static(n):
            found = tether_of(t, t, y, p, i)
            values[frame, column + i] = found.tension
            values[frame, column + wp.static(n) + i] = found.length
            i += 1

    return observe


def tether_states(scenario: Scenario, is_locked: bool) -> np.ndarray:
    """Numbers of the tethers at time zero, and a mode for each where modes are locked: that is judged at once."""
    out = np.zeros((len(scenario.tethers), TETHER_SIZE))
    out[:, TETHER_REST] = [tether.first_length for tether in scenario.tethers]
    out[:, TETHER_STATUS] = [float(STATUS_HELD) if tether.held else 0.0 for tether in scenario.tethers]
    return np.concatenate([out.ravel(), np.zeros(len(scenario.tethers) if is_locked else 0)])


def tether_params(scenario: Scenario) -> Draft:
    """`TetherParams` of a scenario."""
    p, tethers = Draft(TetherParams), scenario.tethers
    p.body_a, p.body_b = ([scenario.body_index(t.bodies[end]) for t in tethers] for end in (0, 1))
    p.point_a_B, p.point_b_B = ([t.points[end] for t in tethers] for end in (0, 1))
    p.stiffness, p.damping = [t.stiffness for t in tethers], [t.damping for t in tethers]
    p.rows = [len(t.times) for t in tethers]
    p.times, p.lengths = padded([t.times for t in tethers]), padded([t.lengths for t in tethers])
    p.brake_force = [t.brake_force for t in tethers]
    p.brake_give = [0.0 if t.brake_drag is None else 1.0 / t.brake_drag for t in tethers]
    p.full_length = [t.full_length or 0.0 for t in tethers]
    p.taper_length = [t.taper_length or 1.0 for t in tethers]
    p.cut_time = cut_instants(scenario)
    return p


def cut_instants(scenario: Scenario) -> np.ndarray:
    """When each tether is cut by its own time [s], with a fixed step at the end of one; infinite without a time."""
    return np.array([end_of_step_at(scenario, tether.cut_time) for tether in scenario.tethers])
