"""What becomes of a body that hits the ground faster than `outcome.crash_speed`.

The run of a vehicle that is judged, or is attached to what crashes, ends there, as `crashed`. One that is not judged,
such as a descent stage that has flown away, stays where it hits: a contact law for landings says nothing of how it
breaks, and a step made for landings does not resolve it. All that moves in it stops at once, the ground does not feel
it, and the energy that it had is booked as `work_crash`. Whatever is still tied to it hangs on a fixed point.
"""

from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.compute.in_place import count_up
from planetfall.contact.model import CONTACT_CRASHED, MODE_APART, ContactMemory
from planetfall.engine.body.mass_properties import inner_state
from planetfall.engine.contact.monitors import note_first_touch
from planetfall.engine.contact.resultant import ContactSum
from planetfall.engine.mechanisms.chain import all_mechanisms
from planetfall.engine.motion.body_energy import body_energy
from planetfall.engine.state.batch import EVENT_CRASH, Monitors, evaluation_struct, structs
from planetfall.engine.state.recorder import recorder
from planetfall.engine.structure.assembly import Assembly
from planetfall.engine.structure.state_sizes import BODY_SIZE
from planetfall.engine.structure.work_accounts import WORK_CRASH
from planetfall.vehicle.body import BodyState


@wp.func
def has_crashed(memory: wp.ref[ContactMemory], i_body: int, run: int) -> wp.bool:
    """Whether a body lies where it hit the ground."""
    return not wp.isnan(memory.crash[i_body, run])


@lru_cache
def has_no_contact(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (params, y, memory, run) -> bool`: a body lies where it hit, or its carrier has the contact."""
    params, vector = assembly.params, assembly.layout.vector
    may_crash, is_attachable = assembly.may_crash, assembly.is_attachable(i_body)
    carrier_of = all_mechanisms(assembly, "carrier")

    @wp.func
    def is_out(p: wp.ref[params], y: wp.ref[vector], memory: wp.ref[ContactMemory], run: int) -> wp.bool:
        out = bool(False)
        if wp.static(may_crash):
            out = has_crashed(memory, wp.static(i_body), run)
        if wp.static(is_attachable):
            out = out or carrier_of(p.mechanisms, y, wp.static(i_body)) >= 0
        return out

    return is_out


def rests_after_crash(assembly: Assembly, i_body: int) -> bool:
    """Whether nothing of a body that has crashed is evaluated any more.

    Not where engines may go on burning, and not with a fixed step, whose stages take over the rates of the evaluation.
    A body that carries others is left to its equations: the others go by them.
    """
    return assembly.may_crash and assembly.is_mode_locked and not assembly.loses_mass(i_body)


@lru_cache
def rates_stopper(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (dy, params, is_stopped)`: a body that `is_stopped`, and all that turns in it, has no rates."""
    params, lay = assembly.params, assembly.layout
    vector, has_rotors, stop_parts = lay.vector, assembly.has_rotors, all_mechanisms(assembly, "stop")
    has_joint, joint = assembly.has_joint(i_body), assembly.joint_offset(i_body)

    @wp.func
    def stop(dy: wp.ref[vector], p: wp.ref[params], is_stopped: wp.bool):
        if is_stopped:
            for i in range(BODY_SIZE):
                dy[wp.static(i_body * BODY_SIZE) + i] = wp.float64(0.0)
            if wp.static(has_joint):
                dy[joint] = wp.float64(0.0)
                dy[joint + 1] = wp.float64(0.0)
            if wp.static(has_rotors):
                stop_parts(dy, p.mechanisms, wp.static(i_body))

    return stop


@lru_cache
def carries_judged(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (y, params) -> bool`: whether a body that is judged is attached to this one."""
    params, vector, carrier_of = assembly.params, assembly.layout.vector, all_mechanisms(assembly, "carrier")
    may_carry, n_bodies = assembly.carries(i_body), assembly.n_bodies

    @wp.func
    def carries(y: wp.ref[vector], p: wp.ref[params]) -> bool:
        if wp.static(may_carry):
            for k in range(wp.static(n_bodies)):
                if k < p.end.n_judged and carrier_of(p.mechanisms, y, k) == wp.static(i_body):
                    return True
        return False

    return carries


@lru_cache
def body_stopper(assembly: Assembly, i_body: int) -> Any:
    """`@wp.func (found, t, y, params, state, contact, monitors, record, run)`: ends a motion at a hit that was a crash.

    After the evaluation of a body, whose speeds in `y` and rates in `found` it takes.
    """
    params, lay, (_, record_type) = assembly.params, assembly.layout, structs(assembly)
    vector, has_rotors, booking = lay.vector, assembly.has_rotors, lay.work_index(WORK_CRASH)
    stop_parts = all_mechanisms(assembly, "stop")
    has_joint, joint = assembly.has_joint(i_body), assembly.joint_offset(i_body)
    first, last = assembly.point_starts[i_body], assembly.point_starts[i_body + 1]
    evaluation_type, energy_of = evaluation_struct(vector), body_energy(assembly, i_body)
    inner, body_state = inner_state(assembly, i_body), lay.body
    carries = carries_judged(assembly, i_body)
    stop_rates, note_event, offset = rates_stopper(assembly, i_body), recorder(assembly).event, i_body * BODY_SIZE

    @wp.func
    def stop_motion(y: wp.ref[vector], p: wp.ref[params], ahead: wp.float64):
        """Takes the body to where it hits, so long ahead, and stops it there."""
        for i in range(3):
            y[offset + i] += y[offset + 3 + i] * ahead
            y[offset + 3 + i] = wp.float64(0.0)
            y[offset + 10 + i] = wp.float64(0.0)
        if wp.static(has_joint):
            y[joint + 1] = wp.float64(0.0)
        if wp.static(has_rotors):
            stop_parts(y, p.mechanisms, wp.static(i_body))

    @wp.func
    def discard(
        found: wp.ref[evaluation_type], y: wp.ref[vector], p: wp.ref[params], state: wp.ref[BodyState],
        ground: wp.ref[ContactSum], m: wp.ref[Monitors], run: int,
    ):  # fmt: skip
        had = energy_of(p, y, wp.static(i_body), state)
        stop_motion(y, p, ground.ahead)
        then = inner(p, y, wp.static(i_body), body_state(y, wp.static(i_body)))
        left = energy_of(p, y, wp.static(i_body), then)
        taken = wp.vec2d(had[0] - left[0], had[1] - left[1] + ground.elastic)
        if wp.static(booking >= 0):
            y[booking] -= taken[0] + taken[1]
        found.kinetic -= taken[0]
        found.stored -= taken[1]
        found.is_broken = 1
        stop_rates(found.slope, p, True)
        for j in range(wp.static(first), wp.static(last)):
            m.memory.modes[j, run] = MODE_APART

    @wp.func
    def judge(
        found: wp.ref[evaluation_type], t: wp.float64, y: wp.ref[vector], p: wp.ref[params], state: wp.ref[BodyState],
        ground: wp.ref[ContactSum], m: wp.ref[Monitors], record: wp.ref[record_type], run: int,
    ):  # fmt: skip
        if ground.hit > p.end.crash_speed:
            instant = t + ground.ahead
            m.memory.crash[wp.static(i_body), run] = instant
            if ground.ahead > wp.float64(0.0):  # else it was noted as a touchdown
                count_up(m.touches, ground.hit_point, run)
                note_first_touch(m, ground.hit_point, run, instant, state, ground.ahead)
            note_event(record, run, instant, EVENT_CRASH, ground.hit_point, ground.hit, state.position)
            if wp.static(i_body) < p.end.n_judged or carries(y, p):
                found.status = wp.max(found.status, CONTACT_CRASHED)
            else:
                discard(found, y, p, state, ground, m, run)

    return judge
