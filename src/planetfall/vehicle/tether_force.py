"""Tethers: massless lines between two bodies that pull and never push.

With l the distance of the attachment points, L the rest length and e = l - L the stretch:

    T = max(k e + c e', 0) where e > 0, else 0

Nothing pulls on what is cut. L follows a table over time, linear between its rows and held outside, or a brake that
lets the reel turn, unless it is held, while the tension exceeds F0, at a speed that tapers to zero over the last of the
line:

    L' = s (T - F0)/b where T > F0, else 0           s = clamp((L_full - L)/L_taper, 0, 1)

T depends on L' through the damper; the two are solved together. Energy: the bodies get -T l', the spring holds
k e^2/2, so the damper takes (T - k e) e' and the reel T L'.

A tether is always on one smooth branch of this, its *mode*. A fixed step judges it in every stage; an adaptive one
locks it and ends where `tether_margin`, the distance from the branch's border, falls to zero.
"""

import warp as wp

from planetfall.vehicle.body import BodyState

STATUS_FREE = wp.constant(wp.float64(0.0))
STATUS_HELD = wp.constant(wp.float64(1.0))
STATUS_CUT = wp.constant(wp.float64(2.0))

TETHER_JUDGED = wp.constant(-1)
"""In place of a mode: that of the state itself."""
TETHER_SLACK, TETHER_UNLOADED, TETHER_TAUT, TETHER_PAYING, TETHER_TAPERING = (wp.constant(i) for i in range(5))
"""Modes: e <= 0; stretched, but the damper takes all the tension; pulled with the reel standing or on its table; paying
out through the brake; the same over the last of the line, where it tapers."""


@wp.struct
class TetherParams:
    """The tethers of a scenario; arrays [tether] or, for the tables, [row, tether].

    A tether without a table has no `rows`, one without a brake a `brake_give` of zero; `cut_time` may be infinite.
    """

    body_a: wp.array(dtype=wp.int32)
    body_b: wp.array(dtype=wp.int32)
    point_a_B: wp.array(dtype=wp.vec3d)  # [m] from the centre of mass
    point_b_B: wp.array(dtype=wp.vec3d)
    stiffness: wp.array(dtype=wp.float64)  # k [N/m]
    damping: wp.array(dtype=wp.float64)  # c [N s/m]
    times: wp.array2d(dtype=wp.float64)  # [s]
    lengths: wp.array2d(dtype=wp.float64)  # [m]
    rows: wp.array(dtype=wp.int32)
    brake_force: wp.array(dtype=wp.float64)  # F0 [N]
    brake_give: wp.array(dtype=wp.float64)  # 1/b [m/(N s)]
    full_length: wp.array(dtype=wp.float64)  # L_full [m]
    taper_length: wp.array(dtype=wp.float64)  # L_taper [m]
    cut_time: wp.array(dtype=wp.float64)  # [s]


@wp.struct
class TetherState:
    """One tether at an instant.

    `direction` from its first end to its second, surface frame; `arm_a` and `arm_b` [m] from the centres of mass to the
    ends, surface frame; `length` [m]; `rest_rate` [m/s]; `tension` [N]; `elastic` energy [J]; the powers [W] of damper
    and reel on bodies and spring.
    """

    direction: wp.vec3d
    arm_a: wp.vec3d
    arm_b: wp.vec3d
    length: wp.float64
    rest_rate: wp.float64
    tension: wp.float64
    elastic: wp.float64
    damper_power: wp.float64
    reel_power: wp.float64


@wp.func
def tabled_length(tethers: wp.ref[TetherParams], i: int, t: wp.float64, t_branch: wp.float64) -> wp.vec2d:
    """Rest length [m] of tether i by its table at t, on the line on both sides of t_branch, and its rate [m/s]."""
    last = tethers.rows[i] - 1
    if t_branch < tethers.times[0, i]:
        return wp.vec2d(tethers.lengths[0, i], wp.float64(0.0))
    if t_branch > tethers.times[last, i]:
        return wp.vec2d(tethers.lengths[last, i], wp.float64(0.0))
    row = int(0)
    while row < last - 1 and t_branch > tethers.times[row + 1, i]:
        row += 1
    rate = (tethers.lengths[row + 1, i] - tethers.lengths[row, i]) / (tethers.times[row + 1, i] - tethers.times[row, i])
    return wp.vec2d(tethers.lengths[row, i] + (t - tethers.times[row, i]) * rate, rate)


@wp.struct
class TetherStretch:
    """One tether before it is known how it pulls.

    `direction`, `arm_a`, `arm_b`, `length` as in `TetherState`; `rest` [m] length and its rate by a table [m/s];
    `stretch` e [m]; `parting` l' [m/s] of the ends; `force` [N]: k e + c e' with the reel standing, or on its table.
    """

    direction: wp.vec3d
    arm_a: wp.vec3d
    arm_b: wp.vec3d
    length: wp.float64
    rest: wp.float64
    rest_rate: wp.float64
    stretch: wp.float64
    parting: wp.float64
    spring: wp.float64
    force: wp.float64


@wp.func
def tether_stretch(
    tethers: wp.ref[TetherParams], i: int, t: wp.float64, t_branch: wp.float64, reeled: wp.float64, a: BodyState,
    b: BodyState,
) -> TetherStretch:  # fmt: skip
    """Tether i at t between its two bodies, arguments as in `tether_between`; of a slack one the lengths alone."""
    out = TetherStretch()
    out.arm_a = a.R_SB * tethers.point_a_B[i]
    out.arm_b = b.R_SB * tethers.point_b_B[i]
    across = b.position - a.position + out.arm_b - out.arm_a
    out.length = wp.length(across)
    out.rest = reeled
    if tethers.rows[i] > 0:
        tabled = tabled_length(tethers, i, t, t_branch)
        out.rest = tabled[0]
        out.rest_rate = tabled[1]
    out.stretch = out.length - out.rest
    return out


@wp.func
def tether_strain(tethers: wp.ref[TetherParams], i: int, a: BodyState, b: BodyState, out: wp.ref[TetherStretch]):
    """Adds direction, speed and force to the lengths of a tether whose ends are apart."""
    across = b.position - a.position + out.arm_b - out.arm_a
    out.direction = across / out.length
    swing = wp.cross(b.R_SB * b.omega_B, out.arm_b) - wp.cross(a.R_SB * a.omega_B, out.arm_a)
    out.parting = wp.dot(b.velocity - a.velocity + swing, out.direction)
    out.spring = tethers.stiffness[i] * out.stretch
    out.force = out.spring + tethers.damping[i] * (out.parting - out.rest_rate)


@wp.func
def reel_share(tethers: wp.ref[TetherParams], i: int, rest: wp.float64) -> wp.float64:
    """What is left on reel i over the length of its taper: s, where it is below 1."""
    return (tethers.full_length[i] - rest) / tethers.taper_length[i]


@wp.func
def tether_mode(tethers: wp.ref[TetherParams], i: int, status: wp.float64, at: wp.ref[TetherStretch]) -> wp.int32:
    """The mode that a state belongs to."""
    if not at.stretch > wp.float64(0.0):
        return TETHER_SLACK
    if at.force <= wp.float64(0.0):
        return TETHER_UNLOADED
    if tethers.brake_give[i] > wp.float64(0.0) and status == STATUS_FREE and at.force > tethers.brake_force[i]:
        if reel_share(tethers, i, at.rest) < wp.float64(1.0):
            return TETHER_TAPERING
        return TETHER_PAYING
    return TETHER_TAUT


@wp.func
def tether_margin(
    tethers: wp.ref[TetherParams], i: int, status: wp.float64, mode: wp.int32, at: wp.ref[TetherStretch],
    blur: wp.float64,
) -> wp.float64:  # fmt: skip
    """How far [m] tether i is from the border of its mode: stretch, or force over stiffness; negative beyond it.

    By a `blur` [m] farther, so that one at rest on a border is not found on either side of it in turn.
    """
    give = wp.float64(1.0) / tethers.stiffness[i]
    if mode == TETHER_SLACK:
        return blur - at.stretch
    least = at.stretch
    if mode == TETHER_UNLOADED:
        least = wp.min(least, -at.force * give)
    elif mode == TETHER_TAUT:
        least = wp.min(least, at.force * give)
        if tethers.brake_give[i] > wp.float64(0.0) and status == STATUS_FREE:
            least = wp.min(least, (tethers.brake_force[i] - at.force) * give)
    else:
        least = wp.min(least, (at.force - tethers.brake_force[i]) * give)
        if mode == TETHER_PAYING:
            least = wp.min(least, tethers.full_length[i] - at.rest - tethers.taper_length[i])
    return least + blur


@wp.func
def braked_tension(tethers: wp.ref[TetherParams], i: int, share: wp.float64, held: wp.float64) -> wp.vec2d:
    """Tension [N] and rate of the rest length [m/s] of tether i, from the tension `held` of a reel that stands.

    T = held - c L' and L' = s (T - F0)/b, with s the `share`.
    """
    give = share * tethers.brake_give[i]
    back = tethers.damping[i] * give
    tension = (held + back * tethers.brake_force[i]) / (wp.float64(1.0) + back)
    return wp.vec2d(tension, give * (tension - tethers.brake_force[i]))


@wp.func
def tether_between(
    tethers: wp.ref[TetherParams], i: int, t: wp.float64, t_branch: wp.float64, reeled: wp.float64, status: wp.float64,
    locked: wp.int32, a: BodyState, b: BodyState,
) -> TetherState:  # fmt: skip
    """Tether i at t between its two bodies, with `reeled` [m] of line out where a brake decides; cut if so by t_branch.

    Args:
        tethers: Of the scenario.
        i: Which.
        t: [s].
        t_branch: An instant inside the step [s], which decides on the row of the table and whether it is cut.
        reeled: Rest length [m] in the state; without meaning for a tether with a table.
        status: STATUS_FREE, STATUS_HELD or STATUS_CUT.
        locked: The mode that is locked during the step, or TETHER_JUDGED.
        a: First body.
        b: Second body.
    """
    at = tether_stretch(tethers, i, t, t_branch, reeled, a, b)
    out = TetherState()
    out.arm_a = at.arm_a
    out.arm_b = at.arm_b
    out.length = at.length
    out.rest_rate = at.rest_rate
    if t_branch > tethers.cut_time[i] or status == STATUS_CUT or locked == TETHER_SLACK:
        return out
    if locked == TETHER_JUDGED and not at.stretch > wp.float64(0.0):
        return out
    tether_strain(tethers, i, a, b, at)
    mode = wp.int32(locked)
    if locked == TETHER_JUDGED:
        mode = tether_mode(tethers, i, status, at)
    out.direction = at.direction
    if mode == TETHER_TAUT:
        out.tension = at.force
    elif mode >= TETHER_PAYING:
        share = wp.float64(1.0)
        if mode == TETHER_TAPERING:
            share = wp.max(reel_share(tethers, i, at.rest), wp.float64(0.0))
        braked = braked_tension(tethers, i, share, at.force)
        out.tension = braked[0]
        out.rest_rate = braked[1]
    out.elastic = wp.float64(0.5) * at.spring * at.stretch
    out.damper_power = (at.spring - out.tension) * (at.parting - out.rest_rate)
    out.reel_power = -out.tension * out.rest_rate
    return out
