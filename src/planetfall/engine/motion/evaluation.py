"""The evaluation of a state between steps: its rates, with all that is monitored and counted of the bodies in it."""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.engine.body.applied_forces import applied_forces
from planetfall.engine.body.environment import gravity_at
from planetfall.engine.body.mass_properties import inner_state
from planetfall.engine.contact.configured_points import point_switcher
from planetfall.engine.contact.point_loop import monitored_sum
from planetfall.engine.contact.point_loop_anchored import renewed_anchor_sum
from planetfall.engine.contact.point_loop_fields import contact_sum_with_view
from planetfall.engine.contact.resultant import ContactSum
from planetfall.engine.mechanisms.chain import all_mechanisms
from planetfall.engine.motion.anchors import anchors_followed, anchors_kept, anchors_read
from planetfall.engine.motion.body_energy import body_energy
from planetfall.engine.motion.crash import (
    body_stopper,
    carries_judged,
    has_crashed,
    rates_stopper,
    rests_after_crash,
)
from planetfall.engine.motion.equations import body_rate, inner_rates
from planetfall.engine.state.batch import Monitors, evaluation_struct, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.link_wrenches import WRENCH_SIZE, link_wrenches_vector
from planetfall.vehicle.body import BodyState


@lru_cache
def body_counter(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (found, params, y, state, applied, contact)`: adds what was found of one body to that of all.

    A body that crashes and is not judged stays where it hits, also beside the map: that does not end the run.
    """
    applied_type = assembly.plan.applied_forces
    params, vector, books = assembly.params, assembly.layout.vector, assembly.books
    evaluation_type, energy_of = evaluation_struct(vector), body_energy(assembly, i_body)
    returns, most_returned = assembly.law.returned is not None, assembly.law_returned
    may_crash, carries = assembly.may_crash, carries_judged(assembly, i_body)

    @wp.func
    def count(
        found: wp.ref[evaluation_type], p: wp.ref[params], y: wp.ref[vector], state: wp.ref[BodyState],
        applied: wp.ref[applied_type], ground: wp.ref[ContactSum],
    ):  # fmt: skip
        energy = energy_of(p, y, wp.static(i_body), state)
        found.kinetic += energy[0]
        found.stored += energy[1] + ground.elastic
        if wp.static(returns):
            power = ground.friction_power + ground.rolling_power
            found.returned += wp.clamp(power, wp.float64(0.0), most_returned(p.law) * ground.load)
        if wp.static(i_body == 0):
            found.gravity = applied.gravity
        if wp.static(books):
            found.booked += ground.booked
        if wp.static(i_body) < p.end.n_judged:
            found.loaded += ground.loaded
            found.moving += ground.moving
            found.sliding += ground.sliding
        is_told = bool(True)
        if wp.static(may_crash):
            if ground.hit > p.end.crash_speed and wp.static(i_body) >= p.end.n_judged:
                is_told = carries(y, p)
        if is_told:
            found.status = wp.max(found.status, ground.status)

    return count


@lru_cache
def carried_counter(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (found, params, y, state)`: adds what there is of a body that is fixed to another, its energy."""
    applied_type = assembly.plan.applied_forces
    params, vector, gravity = assembly.params, assembly.layout.vector, gravity_at(assembly)
    evaluation_type, count = evaluation_struct(vector), body_counter(assembly, i_body)

    @wp.func
    def count_carried(found: wp.ref[evaluation_type], p: wp.ref[params], y: wp.ref[vector], state: wp.ref[BodyState]):
        applied = applied_type()
        applied.gravity = gravity(p, state.position)
        ground = ContactSum()
        count(found, p, y, state, applied, ground)

    return count_carried


@lru_cache
def monitored_rates(assembly: Assembly, is_answered: bool = False) -> Any:
    """`@wp.func (t, t_branch, y, params, monitors, record, run) -> Evaluation`.

    The derivative at a state between steps, which is also the first slope of the next step; the monitors are brought up
    to date. Where it `is_answered`, the ground under the points is known already (see `gpu.batched_queries`).
    """
    params, vector, record_type = assembly.params, assembly.layout.vector, structs(assembly)[1]
    evaluation_type, find_slope = evaluation_struct(vector), slope_at(assembly, is_answered)

    @wp.func
    def evaluate(
        t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params], m: wp.ref[Monitors],
        record: wp.ref[record_type], run: int,
    ) -> evaluation_type:  # fmt: skip
        out = evaluation_type()
        find_slope(out, t, t_branch, y, p, m, record, run, wp.float64(0.0), 1)
        return out

    return evaluate


@lru_cache
def slope_at(assembly: Assembly, is_answered: bool = False) -> Any:
    """`@wp.func (found, t, t_branch, y, params, monitors, record, run, stage_travel, is_monitored)`: `found.slope`.

    Evaluation and, where `CodePlan.monitors_in_stages`, stage in one: where it `is_monitored`, monitors are brought up
    to date and what is counted is added to `found`; in a stage neither. What has no rates is left as it is.
    `stage_travel` [m]: how far any point may be from where it was at the last evaluation.
    """
    params, vector = assembly.params, assembly.layout.vector
    evaluation_type, write = evaluation_struct(vector), recorder(assembly)
    keep_peaks, keep_extremes = write.peak_frames, write.extreme_frames
    evaluate_bodies, record_type = _evaluation_of_bodies(assembly, 0, is_answered), structs(assembly)[1]
    fill_inner, has_carried = inner_rates(assembly), assembly.has_attachable
    carry = all_mechanisms(assembly, "carried_rates")
    books, booking = assembly.books, assembly.booked_index
    has_links, in_links = assembly.has_links, WRENCH_SIZE * assembly.n_bodies
    has_anchors, read_anchors, keep_anchors, follow = (
        assembly.has_moving_anchors, anchors_read(assembly), anchors_kept(assembly),
        anchors_followed(assembly, is_settled=True),
    )  # fmt: skip

    @wp.func(inline=assembly.plan.inlining_of_parts)
    def slope(
        found: wp.ref[evaluation_type], t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params],
        m: wp.ref[Monitors], record: wp.ref[record_type], run: int, stage_travel: wp.float64, is_monitored: int,
    ):  # fmt: skip
        if wp.static(has_anchors):
            read_anchors(y, m.memory, run)
        link_wrenches = fill_inner(found.slope, t, t_branch, y, p)
        if wp.static(has_links):
            if is_monitored == 1:
                found.stored += link_wrenches[in_links]
        evaluate_bodies(found, t, t_branch, y, p, link_wrenches, m, record, run, stage_travel, is_monitored)
        if wp.static(has_anchors):
            keep_anchors(y, m.memory, run)
            follow(found.slope, y, p, m.memory, run)
        if wp.static(has_carried):
            carry(found.slope, p.mechanisms, y)
        if is_monitored == 1:
            if wp.static(books):
                if t == wp.float64(0.0):
                    found.booked = wp.float64(0.0)  # what is stored at the start was given, not made
                booked_state = y
                booked_state[booking] += found.booked
                keep_peaks(record, m, run, t, booked_state)
                keep_extremes(record, m, run, t, booked_state)
            else:
                keep_peaks(record, m, run, t, y)
                keep_extremes(record, m, run, t, y)

    return slope


def _sum_between_steps(assembly: Assembly, i_body: int, is_answered: bool) -> Any:
    if assembly.plan.monitors_in_stages:
        return contact_sum_with_view(assembly, i_body)
    if assembly.law.is_anchored:
        return renewed_anchor_sum(assembly, i_body)
    return monitored_sum(assembly, i_body, is_answered)


@lru_cache
def _evaluation_of_bodies(assembly: Assembly, i_body: int, is_answered: bool) -> Any:
    """The evaluation of this body and those after it, chained as in `_rates_of_bodies`."""
    params, vector, body_state = assembly.params, assembly.layout.vector, assembly.layout.body
    evaluation_type, record_type = evaluation_struct(vector), structs(assembly)[1]
    link_wrenches_type, is_last = link_wrenches_vector(assembly.n_bodies), i_body + 1 == assembly.n_bodies
    total, in_stages = _sum_between_steps(assembly, i_body, is_answered), assembly.plan.monitors_in_stages
    fill, applied_of, inner = (
        body_rate(assembly, i_body),
        applied_forces(assembly, i_body),
        inner_state(assembly, i_body),
    )
    count, stop_body = body_counter(assembly, i_body), body_stopper(assembly, i_body)
    may_crash, stop_rates = assembly.may_crash, rates_stopper(assembly, i_body)
    is_attachable, carrier_of = assembly.is_attachable(i_body), all_mechanisms(assembly, "carrier")
    count_carried, lies_after_crash = carried_counter(assembly, i_body), rests_after_crash(assembly, i_body)
    switch_points: Any = point_switcher(assembly, i_body)
    has_configured_points = switch_points is not None
    rest: Any = None if is_last else _evaluation_of_bodies(assembly, i_body + 1, is_answered)

    @wp.func(inline=assembly.plan.inlining_of_parts)
    def evaluate(
        found: wp.ref[evaluation_type], t: wp.float64, t_branch: wp.float64, y: wp.ref[vector], p: wp.ref[params],
        link_wrenches: wp.ref[link_wrenches_type], m: wp.ref[Monitors], record: wp.ref[record_type], run: int,
        stage_travel: wp.float64, is_monitored: int,
    ):  # fmt: skip
        state = inner(p, y, wp.static(i_body), body_state(y, wp.static(i_body)))
        is_carried = bool(False)
        if wp.static(is_attachable):
            is_carried = carrier_of(p.mechanisms, y, wp.static(i_body)) >= 0
            if is_carried and is_monitored == 1:
                count_carried(found, p, y, state)
        if wp.static(lies_after_crash):
            if has_crashed(m.memory, wp.static(i_body), run):
                is_carried = True
                stop_rates(found.slope, p, True)
                count_carried(found, p, y, state)
        if not is_carried:
            applied = applied_of(found.slope, t, t_branch, y, p, wp.static(i_body), state, link_wrenches)
            ground = ContactSum()
            is_stopped = bool(False)
            if wp.static(may_crash):
                is_stopped = has_crashed(m.memory, wp.static(i_body), run)
            if not is_stopped:
                if wp.static(has_configured_points):
                    if is_monitored == 1:
                        found.booked += switch_points(t, p, y, state, m, record, run)
                if wp.static(in_stages):
                    ground = total(t, p, state, applied, m, record, run, stage_travel, is_monitored)
                else:
                    ground = total(t, p, state, applied, m, record, run)
            fill(found.slope, t, t_branch, y, p, state, applied, ground)
            if wp.static(may_crash):
                stop_rates(found.slope, p, is_stopped)
            if is_monitored == 1:
                count(found, p, y, state, applied, ground)
                if wp.static(may_crash):
                    stop_body(found, t, y, p, state, ground, m, record, run)
        if wp.static(not is_last):
            rest(found, t, t_branch, y, p, link_wrenches, m, record, run, stage_travel, is_monitored)

    return evaluate
