"""Entry guidance, compiled: the terminal point controller of Apollo's final phase, as MSL had it.

Each cycle takes the navigated speed V and climb h', and the sensed drag D and lift L. About the reference at V, the
range that will be flown and the lift that takes out its error are

    R_p = R_ref + F1 (D - D_ref) + F2 (h' - h'_ref)        u = u_ref + K (R_go - R_p)/F3,   cos(bank) = u D/L

The side of the bank angle is reversed when the cross range leaves a band that narrows with the square of the speed.
Before there is drag the reference's bank angle is flown; below the speed of heading alignment bank follows the error of
the heading. R_go is the range to the site along the way, less what is flown after the trigger.
"""

import numpy as np
import warp as wp

from planetfall.compute.draft import Draft
from planetfall.flight.navigation.memory import SLOT_LAW

SLOT_DUE = wp.constant(int(SLOT_LAW) + 1)
"""When the next cycle is due [s]; NaN before the first. The number before it is a time to go, which it has not."""
SLOT_STAGE = wp.constant(int(SLOT_LAW) + 2)
"""Which of the three stages it is in."""
STAGE_PREBANK, STAGE_RANGE, STAGE_HEADING = (wp.constant(wp.float64(i)) for i in range(3))
DUE_SLACK = wp.constant(wp.float64(1.0 - 1e-9))
"""Of an instant: neither calls nor cycles are at exact times."""
ReferenceRow = wp.types.vector(length=7, dtype=wp.float64)
RANGE, DRAG, CLIMB, LIFT, OF_DRAG, OF_CLIMB, OF_LIFT = (wp.constant(i) for i in range(7))
"""Of a row: range to go [m], drag [m/s^2], climb [m/s], u [-], F1 [s^2], F2 [s], F3 [m]."""


@wp.struct
class EntryGuidanceParams:
    """What entry guidance knows.

    `center` of the planet and `site` as a unit vector from there, surface frame; `radius` [m] on which range is
    counted; `period` [s]; `range_after` [m]; `start_drag` [m/s^2]; `gain`; `bank` [rad] of the reference, with the
    limits `bank_min` and `bank_max`; `band` [m] and `band_fast` [m/(m/s)^2] of the cross range; `heading_speed` [m/s],
    `heading_gain`, `heading_bank_max` [rad]; the reference: `speed` [m/s], rising, and `rows`.
    """

    center: wp.vec3d
    site: wp.vec3d
    radius: wp.float64
    period: wp.float64
    range_after: wp.float64
    start_drag: wp.float64
    gain: wp.float64
    bank: wp.float64
    bank_min: wp.float64
    bank_max: wp.float64
    band: wp.float64
    band_fast: wp.float64
    heading_speed: wp.float64
    heading_gain: wp.float64
    heading_bank_max: wp.float64
    speed: wp.array(dtype=wp.float64)
    rows: wp.array(dtype=ReferenceRow)


@wp.struct
class WayToSite:
    """Angles [rad] to the site: `along` the way, `across` it (right: positive), and `turn`: azimuth less heading."""

    along: wp.float64
    across: wp.float64
    turn: wp.float64


@wp.func
def way_to_site(up: wp.vec3d, velocity: wp.vec3d, site: wp.vec3d) -> WayToSite:
    """From unit vectors of the place and the site, and a velocity, all relative to the planet."""
    ahead = wp.normalize(velocity - up * wp.dot(up, velocity))
    right = wp.cross(ahead, up)
    forward = wp.dot(site, ahead)
    aside = wp.dot(site, right)
    out = WayToSite()
    out.along = wp.atan2(forward, wp.dot(site, up))
    out.across = wp.asin(wp.clamp(aside, wp.float64(-1.0), wp.float64(1.0)))
    out.turn = wp.atan2(aside, forward)
    return out


@wp.func
def reference_at(g: wp.ref[EntryGuidanceParams], speed: wp.float64) -> ReferenceRow:
    """The reference at a speed [m/s], straight between its points, held beyond its ends."""
    last = g.speed.shape[0] - 1
    low = int(0)
    high = last
    while high - low > 1:
        middle = (low + high) // 2
        if g.speed[middle] <= speed:
            low = middle
        else:
            high = middle
    share = wp.clamp((speed - g.speed[low]) / (g.speed[high] - g.speed[low]), wp.float64(0.0), wp.float64(1.0))
    return g.rows[low] * (wp.float64(1.0) - share) + g.rows[high] * share


@wp.func
def controlled_bank(
    g: wp.ref[EntryGuidanceParams], speed: wp.float64, climb: wp.float64, drag: wp.float64, lift: wp.float64,
    to_go: wp.float64,
) -> wp.float64:  # fmt: skip
    """Size of the bank angle [rad] that takes out the error of the range; `to_go` [m]."""
    row = reference_at(g, speed)
    predicted = row[RANGE] + row[OF_DRAG] * (drag - row[DRAG]) + row[OF_CLIMB] * (climb - row[CLIMB])
    u = row[LIFT] + g.gain * (to_go - predicted) / row[OF_LIFT]
    one = wp.float64(1.0)
    return wp.clamp(wp.acos(wp.clamp(u * drag / lift, -one, one)), g.bank_min, g.bank_max)


@wp.func
def entry_bank(
    g: wp.ref[EntryGuidanceParams], position: wp.vec3d, velocity: wp.vec3d, sensed: wp.vec3d, before: wp.float64,
    memory: wp.array2d(dtype=wp.float64), t: wp.float64, run: int,
) -> wp.float64:  # fmt: skip
    """The bank angle [rad] to be flown, positive to the right; `before` is what was commanded last, or NaN.

    `position` [m] and `velocity` [m/s] as navigated, and the sensed specific force [m/s^2], surface frame.
    """
    zero = wp.float64(0.0)
    due = memory[SLOT_DUE, run]
    if t < due * DUE_SLACK:
        return before
    if wp.isnan(due):
        memory[SLOT_STAGE, run] = STAGE_PREBANK
    memory[SLOT_DUE, run] = t + g.period
    speed = wp.length(velocity)
    ahead = velocity / speed
    drag = -wp.dot(sensed, ahead)
    lift = wp.length(sensed + ahead * drag)
    up = wp.normalize(position - g.center)
    way = way_to_site(up, velocity, g.site)
    side = wp.float64(1.0)
    if before < zero or (wp.isnan(before) and way.across < zero):
        side = wp.float64(-1.0)
    if memory[SLOT_STAGE, run] == STAGE_PREBANK and drag > g.start_drag:
        memory[SLOT_STAGE, run] = STAGE_RANGE
    if memory[SLOT_STAGE, run] == STAGE_RANGE and speed < g.heading_speed:
        memory[SLOT_STAGE, run] = STAGE_HEADING
    if memory[SLOT_STAGE, run] == STAGE_PREBANK:
        return side * g.bank
    if memory[SLOT_STAGE, run] == STAGE_HEADING:
        return wp.clamp(g.heading_gain * way.turn, -g.heading_bank_max, g.heading_bank_max)
    cross = g.radius * way.across
    if wp.abs(cross) > g.band + g.band_fast * speed * speed:
        side = wp.sign(cross)
    to_go = g.radius * way.along - g.range_after
    return side * controlled_bank(g, speed, wp.dot(velocity, up), drag, lift, to_go)


def no_entry_guidance() -> Draft:
    """`EntryGuidanceParams` of a flight that has none."""
    p = Draft(EntryGuidanceParams)
    p.speed, p.rows = np.zeros(0), np.zeros((0, ReferenceRow._length_))
    return p
