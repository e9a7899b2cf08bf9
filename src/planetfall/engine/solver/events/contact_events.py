"""Finding where along a trial step a contact point leaves the mode of the law that is locked during the step.

The step is sampled on its cubic Hermite interpolant, at two instants and at every predicted low point of a gap in
between, so that a graze is not stepped over. The instant found is a first guess: the caller retakes the step to it, and
as the interpolant is exact at the end of a step, repeating this converges quickly.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import warp as wp

from planetfall.contact.model import MODE_APART, ContactMemory
from planetfall.engine.contact.terrain_query import ground_in_body_axes
from planetfall.engine.motion.crash import has_no_contact
from planetfall.engine.solver.dopri5 import hermite, trial_struct
from planetfall.engine.solver.events.anchored_contact_events import first_anchor_change
from planetfall.engine.solver.events.broad_phase_adaptive import broad_phase_lister
from planetfall.engine.solver.events.mechanism_events import BRACKET, HALVING, N_PROBES
from planetfall.engine.solver.events.point_scan import (
    AT_END,
    AT_MIDDLE,
    AT_START,
    MIDDLE,
    NO_EVENT,
    NO_PLACE,
    QueryAnswer,
    Scan,
    apart_scanner,
    nothing_found,
    point_judge,
    point_query,
)
from planetfall.engine.solver.events.search_tasks import (
    CHECKS_TOUCHING,
    IS_OVER,
    PROBES,
    EventSearch,
    checked,
    probed,
    seek,
)
from planetfall.engine.state.batch import structs
from planetfall.engine.structure.assembly import Assembly


@wp.struct
class OffMode:
    """`place` in the list of a point that is off its mode, or NO_PLACE; `gap` [m] of the point queried last."""

    place: wp.int32
    gap: wp.float64


@lru_cache
def modes_differ(assembly: Assembly, i_body: int = 0) -> Any:
    """`@wp.func (y, begin, end, with_apart, params, memory, listed, run) -> OffMode`.

    The first point off its mode of those listed from `begin` to before `end`; those that are apart count if
    `with_apart`.
    """
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    is_last = i_body + 1 == assembly.n_bodies
    rest: Any = None if is_last else modes_differ(assembly, i_body + 1)
    ground_below, query = ground_in_body_axes(assembly)[0], point_query(assembly, i_body)
    is_out, keeps_dent = has_no_contact(assembly, i_body), assembly.law.keeps_dent
    ground_of, judge = ground_in_body_axes(assembly)[1], point_judge(assembly, i_body)

    @wp.func(inline=False)
    def differ(
        y: wp.ref[vector], begin: int, end: int, with_apart: int, p: wp.ref[params],
        memory: wp.ref[ContactMemory], listed: wp.array2d(dtype=wp.int32), run: int,
    ) -> OffMode:  # fmt: skip
        out = OffMode()
        state = body_state(y, wp.static(i_body))
        below = ground_below(p, state)
        velocity_B = wp.transpose(state.R_SB) * state.velocity
        place = wp.max(begin, wp.static(first))
        stop = wp.min(end, wp.static(last))
        if is_out(p, y, memory, run):
            stop = place
        while place < stop:
            j = listed[place, run]
            mode = memory.modes[j, run]
            if mode != MODE_APART or with_apart == 1:
                answer = QueryAnswer()
                if wp.static(keeps_dent):
                    ground = ground_of(p, state, below, j, run)
                    ground.dent = memory.dent[j, run]
                    answer = judge(p, state, ground, velocity_B, j, mode)
                else:
                    answer = query(p, state, below, velocity_B, j, mode, run)
                out.gap = answer.blurred_gap
                if answer.is_off == 1:
                    out.place = place
                    return out
            place += 1
        out.place = NO_PLACE
        if wp.static(not is_last):
            if end > wp.static(last):
                return rest(y, begin, end, with_apart, p, memory, listed, run)
        return out

    return differ


@lru_cache
def probing(assembly: Assembly) -> Any:
    """`@wp.func (search, close, h, y, k1, trial, params, memory, listed, run)`: does a search's probe.

    Where the gap changes its sign the next trial is where a line says that it is zero (with the Illinois rule,
    DowellJarratt1971), elsewhere in the middle.
    """
    params, vector = assembly.params, assembly.layout.vector
    trial_type = trial_struct(vector)
    at, differ = hermite(vector), modes_differ(assembly)

    @wp.func(inline=False)
    def probe(
        search: wp.ref[EventSearch], close: wp.float64, h: wp.float64, y: wp.ref[vector], k1: wp.ref[vector],
        trial: wp.ref[trial_type], p: wp.ref[params], memory: wp.ref[ContactMemory],
        listed: wp.array2d(dtype=wp.int32), run: int,
    ):  # fmt: skip
        place = wp.int32(search.place)
        a = wp.float64(search.low)
        b = wp.float64(search.high)
        half = wp.float64(0.5)
        least = half * close / h
        gap_a = wp.float64(0.0)
        gap_b = wp.float64(0.0)
        moved = int(0)
        i = int(-2)  # two trials for the gaps at the ends
        while i < 0 or (i < wp.static(N_PROBES) and (b - a) * h > close):
            theta = (a + b) * half
            if i == -2:
                theta = a
            elif i == -1:
                theta = b
            elif gap_a * gap_b < wp.float64(0.0) and i % wp.static(HALVING) != wp.static(HALVING - 1):
                theta = wp.clamp(b - gap_b * (b - a) / (gap_b - gap_a), a + least, b - least)
            sample = at(theta, h, y, k1, trial.y, trial.slope)
            found = differ(sample, place, place + 1, 1, p, memory, listed, run)
            if i == -2:
                gap_a = found.gap
            elif i == -1:
                gap_b = found.gap
            elif found.place == place:
                b = theta
                gap_b = found.gap
                if moved == 1:
                    gap_a = gap_a * half
                moved = 1
            else:
                a = theta
                gap_a = found.gap
                if moved == -1:
                    gap_b = gap_b * half
                moved = -1
            i += 1
        probed(search, a, b)

    return probe


@lru_cache
def narrowing(assembly: Assembly) -> Any:
    """`@wp.func (search, scan, close, h, y, k1, trial, params, memory, listed, n_listed, run)`: until it is over."""
    params, vector = assembly.params, assembly.layout.vector
    trial_type = trial_struct(vector)
    at, differ, probe = hermite(vector), modes_differ(assembly), probing(assembly)

    @wp.func
    def narrow(
        search: wp.ref[EventSearch], scan: wp.ref[Scan], close: wp.float64, h: wp.float64, y: wp.ref[vector],
        k1: wp.ref[vector], trial: wp.ref[trial_type], p: wp.ref[params], memory: wp.ref[ContactMemory],
        listed: wp.array2d(dtype=wp.int32), n_listed: int, run: int,
    ):  # fmt: skip
        while search.task != IS_OVER:
            if search.task == PROBES:
                probe(search, close, h, y, k1, trial, p, memory, listed, run)
            else:
                with_apart = wp.where(search.task == CHECKS_TOUCHING, 0, 1)  # the others have been queried already
                sample = at(search.instant, h, y, k1, trial.y, trial.slope)
                found = differ(sample, 0, n_listed, with_apart, p, memory, listed, run)
                checked(search, scan, found.place, 0)

    return narrow


class ModeChangeFinder(NamedTuple):
    """How the first mode change of a trial step is found, in three parts, of which split kernels have the first.

    `list_broad_phase(h, y, k1, trial, params, batch, run)` lists the points to be queried (`broad_phase_adaptive`);
    `scan(h, y, k1, trial, params, batch, run) -> Scan` queries those that are apart; an anchored law has neither.
    `first(scan, h, tolerance, y, k1, trial, params, batch, run) -> theta` in (0, 1], just past the first mode change,
    by `tolerance` [s] at most, or NO_EVENT.
    """

    list_broad_phase: Any
    scan: Any
    first: Any


@lru_cache
def mode_change_finder(assembly: Assembly) -> ModeChangeFinder:
    """The functions of an assembly."""
    if assembly.has_moving_anchors:
        return ModeChangeFinder(None, None, first_anchor_change(assembly))
    return ModeChangeFinder(broad_phase_lister(assembly), _scanner(assembly), _first_mode_change(assembly))


def _scanner(assembly: Assembly) -> Any:
    params, vector = assembly.params, assembly.layout.vector
    batch_type, trial_type = structs(assembly)[0], trial_struct(vector)
    at, scan_points = hermite(vector), apart_scanner(assembly)

    @wp.func(inline=assembly.plan.inlining_of_parts)
    def scanned(
        h: wp.float64, y: wp.ref[vector], k1: wp.ref[vector], trial: wp.ref[trial_type], p: wp.ref[params],
        batch: wp.ref[batch_type], run: int,
    ) -> Scan:  # fmt: skip
        scan = nothing_found()
        where = int(AT_END)
        batch.n_candidates[run] = batch.n_listed[run]
        while where <= AT_MIDDLE and batch.n_candidates[run] > 0:  # a loop that stays one: copies take long to compile
            sample = trial.y
            if where == AT_START:
                sample = y
            elif where == AT_MIDDLE:
                sample = at(MIDDLE, h, y, k1, trial.y, trial.slope)
            scan_points(scan, where, sample, h, p, batch, run)
            if where == AT_END:
                batch.n_candidates[run] = wp.where(scan.bodies > 0, scan.n, 0)
            where += 1
        return scan

    return scanned


def _first_mode_change(assembly: Assembly) -> Any:
    params, vector = assembly.params, assembly.layout.vector
    batch_type, trial_type = structs(assembly)[0], trial_struct(vector)
    narrow = narrowing(assembly)

    @wp.func
    def first(
        scan: wp.ref[Scan], h: wp.float64, tolerance: wp.float64, y: wp.ref[vector], k1: wp.ref[vector],
        trial: wp.ref[trial_type], p: wp.ref[params], batch: wp.ref[batch_type], run: int,
    ) -> wp.float64:  # fmt: skip
        n_candidates = batch.n_candidates[run]
        if n_candidates == 0:
            return NO_EVENT
        search = EventSearch()
        seek(search, scan, 0)
        memory = batch.monitors.memory
        narrow(search, scan, BRACKET * tolerance, h, y, k1, trial, p, memory, batch.candidates, n_candidates, run)
        return search.high

    return first
