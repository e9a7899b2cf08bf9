"""The anchor law for a method that locates events: its limit for ever shorter steps (`contact.anchor` has the law).

With a fixed step, modes and saved places change once per step. In the limit they do so when a limit is reached, and
the saved place of a sliding point follows all the time. A point in the ground is then on one of these branches:

    STATIC    spring and damper; until |F_lat| = mu_s N
    KINETIC   mu_k N along F_lat, with the saved place at rest; until |F_lat| = mu_k N, or a leash is taut, |delta| = L
    TAUT      the same with |delta| = L(N) = ratio N/k, the saved place following: S' = (V.u - L') u with u along delta,
              and L' = ratio (-k v_n - c a_n)/k; until that would go back, V.u = L', or |F_lat| = mu_k N
    LOOSE     of rule `velocity`, slower than `slip_speed` and not yet stuck
    UNLOADED  still in the ground, but the damper would pull it down: no force; the saved place is below the point

All end where N = 0 or where the point leaves the ground. L' takes the acceleration a_n of the point along the normal,
which the force does not depend on. So S' is found after the accelerations (`engine.motion.anchors`).
"""

from functools import lru_cache
from typing import Any, NamedTuple

import warp as wp

from planetfall.contact.anchor import (
    MODE_LOOSE,
    RULE_DRAG,
    RULE_HOLD,
    RULE_LEASH,
    RULE_VELOCITY,
    AnchorStretch,
    anchor_across,
    anchor_friction_mode,
    anchor_longest,
    anchor_stored,
    anchor_stretch,
    on_the_ground,
)
from planetfall.contact.model import (
    CONTACT_KINETIC,
    CONTACT_NONE,
    CONTACT_STATIC,
    AnchorGround,
    AnchorMemory,
    PointContact,
)

MODE_TAUT = wp.constant(4)
MODE_UNLOADED = wp.constant(5)
N_JUDGEMENTS = 4
"""Changes of mode at one instant, at most: a point that sticks again breaks loose and is loose."""
ROUNDING = wp.constant(wp.float64(16 * 2.0**-52))
"""How closely a place is known, relative to its distance from the origin."""
SLACK = wp.constant(wp.float64(1.0e-13))
"""The same near the origin [m], and of speeds [m/s]."""


@wp.func
def anchor_blur(position: wp.vec3d) -> wp.float64:
    """How closely [m] a point's distance from its saved place is known."""
    return SLACK + ROUNDING * wp.length(position)


@wp.struct
class FollowedAnchor:
    """How a saved place moves: its `velocity` [m/s], and the `power` [W] by which that unwinds the spring."""

    velocity: wp.vec3d
    power: wp.float64


class LocatedAnchor(NamedTuple):
    """The functions of the law for a method that locates events.

    `contact(params, body, saved, position, velocity) -> PointContact` of one branch, continued smoothly beyond its end;
    `renew(params, body, saved, ground, position, velocity) -> AnchorMemory`, between steps; `follow(params, body,
    saved, position, velocity, acceleration) -> FollowedAnchor`; `settle(params, body, saved, position, velocity,
    acceleration) -> mode`: KINETIC or TAUT for a point whose leash is as long as it may be, else as
    it is; `has_left(params, body, saved, ground, position, velocity, acceleration, close) -> 1 if a touching point's
    branch has ended`, or it is `close` [m] farther from the plane that it feels than from the ground, or nearer.
    """

    contact: Any
    renew: Any
    follow: Any
    settle: Any
    has_left: Any


@lru_cache
def located_stretch(params: Any) -> Any:
    """As `anchor_stretch`, with a normal force that may be negative: where it is, the branch has ended."""
    stretch = anchor_stretch(params)

    @wp.func
    def unclamped(
        law: params, body: int, anchor: wp.vec3d, normal: wp.vec3d, position: wp.vec3d, velocity: wp.vec3d
    ) -> AnchorStretch:
        out = stretch(law, body, anchor, normal, position, velocity)
        out.normal_force = -law.stiffness[body] * out.gap - law.damping[body] * out.v_n
        return out

    return unclamped


@lru_cache
def located_contact(params: Any) -> Any:
    """Force, energy and power of one point on its branch."""
    stretch, across = located_stretch(params), anchor_across(params)

    @wp.func
    def lateral_force(law: params, mode: wp.int32, at: AnchorStretch) -> wp.vec3d:
        limit = law.friction_kinetic * at.normal_force
        if mode == MODE_UNLOADED:
            return wp.vec3d()
        if mode == CONTACT_STATIC:
            return at.pull
        if mode == MODE_LOOSE:
            return at.v_lat * (-limit / law.slip_speed)
        along = at.pull
        if law.rule == RULE_VELOCITY:
            along = -at.v_lat
        size = wp.length(along)
        if size == wp.float64(0.0):
            return wp.vec3d()
        return along * (limit / size)

    @wp.func
    def contact(law: params, body: int, saved: AnchorMemory, position: wp.vec3d, velocity: wp.vec3d) -> PointContact:
        if saved.mode == CONTACT_NONE:
            return PointContact()
        at = stretch(law, body, saved.anchor, saved.normal, position, velocity)
        if saved.mode == MODE_UNLOADED:
            at.normal_force = wp.float64(0.0)
        out = across(law, body, saved, at, lateral_force(law, saved.mode, at))
        out.damper_power += (at.normal_force + law.stiffness[body] * at.gap) * at.v_n
        return out

    return contact


@lru_cache
def located_renew(params: Any) -> Any:
    """The memory of one point at the end of a step: brought onto the branch that begins there."""
    stretch, stored = located_stretch(params), anchor_stored(params)
    longest, friction_mode = anchor_longest(params), anchor_friction_mode(params)

    @wp.func
    def next_mode(law: params, mode: wp.int32, at: AnchorStretch) -> wp.int32:
        if at.normal_force <= wp.float64(0.0):
            return MODE_UNLOADED
        judged = mode
        if mode == MODE_TAUT or mode == MODE_UNLOADED:
            judged = CONTACT_KINETIC
            if mode == MODE_UNLOADED and law.rule == RULE_VELOCITY:
                judged = MODE_LOOSE
        after = friction_mode(law, judged, at)
        return wp.where(mode == MODE_TAUT and after == CONTACT_KINETIC, MODE_TAUT, after)

    @wp.func
    def stays_behind(law: params, body: int, mode: wp.int32, was: wp.int32, at: AnchorStretch) -> wp.float64:
        """How far [m] the saved place is behind the point, for the mode that it has now."""
        length = wp.length(at.delta)
        if mode == MODE_UNLOADED:
            return wp.where(law.rule == RULE_HOLD, length, wp.float64(0.0))
        if law.rule == RULE_VELOCITY:
            is_below = mode == CONTACT_KINETIC or was == CONTACT_KINETIC
            return wp.where(is_below, wp.float64(0.0), length)
        if mode == MODE_TAUT:
            return longest(law, body, at)
        if mode == CONTACT_KINETIC:
            return wp.min(length, longest(law, body, at))
        return length

    @wp.func
    def renew(
        law: params, body: int, saved: AnchorMemory, ground: AnchorGround, position: wp.vec3d, velocity: wp.vec3d
    ) -> AnchorMemory:
        at = stretch(law, body, saved.anchor, saved.normal, position, velocity)
        before = stored(law, body, saved.mode, at)
        out = AnchorMemory()
        if ground.is_touching == 0:
            out.booked = -before
            return out
        out = on_the_ground(saved, ground)
        is_judged = bool(False)
        i = int(0)
        while i < wp.static(N_JUDGEMENTS) and not is_judged:
            at = stretch(law, body, out.anchor, out.normal, position, velocity)
            was = wp.int32(out.mode)
            out.mode = next_mode(law, was, at)
            length = wp.length(at.delta)
            behind = stays_behind(law, body, out.mode, was, at)
            if length > wp.float64(0.0):
                out.anchor += at.delta * (wp.float64(1.0) - behind / length)
            is_judged = out.mode == was
            i += 1
        at = stretch(law, body, out.anchor, out.normal, position, velocity)
        out.booked = stored(law, body, out.mode, at) - before
        return out

    return renew


@lru_cache
def located_creep(params: Any) -> Any:
    """`@wp.func (params, body, stretch, normal, acceleration) -> V.u - L' [m/s]`: how fast a taut leash is drawn."""

    @wp.func
    def creep(law: params, body: int, at: AnchorStretch, normal: wp.vec3d, acceleration: wp.vec3d) -> wp.float64:
        ratio = law.friction_kinetic
        if law.rule == RULE_LEASH:
            ratio = law.leash_ratio * law.friction_static
        growth = -at.v_n - law.damping[body] / law.stiffness[body] * wp.dot(acceleration, normal)
        length = wp.length(at.delta)
        along = wp.length(at.v_lat)
        if length > wp.float64(0.0):
            along = wp.dot(at.v_lat, at.delta) / length
        return along - ratio * growth

    return creep


@lru_cache
def located_follow(params: Any) -> Any:
    """How a saved place moves."""
    stretch, creep = located_stretch(params), located_creep(params)

    @wp.func
    def follow(
        law: params, body: int, saved: AnchorMemory, position: wp.vec3d, velocity: wp.vec3d, acceleration: wp.vec3d
    ) -> FollowedAnchor:
        out = FollowedAnchor()
        at = stretch(law, body, saved.anchor, saved.normal, position, velocity)
        is_below = saved.mode == MODE_UNLOADED and law.rule != RULE_HOLD
        if is_below or (saved.mode == CONTACT_KINETIC and law.rule == RULE_VELOCITY):
            out.velocity = at.v_lat
        if saved.mode == MODE_TAUT:
            length = wp.length(at.delta)
            out.velocity = at.v_lat
            if length > wp.float64(0.0):
                out.velocity = at.delta * (creep(law, body, at, saved.normal, acceleration) / length)
        if law.rule != RULE_VELOCITY:
            out.power = -law.stiffness[body] * wp.dot(at.delta, out.velocity)
        return out

    return follow


@lru_cache
def located_settle(params: Any) -> Any:
    """Whether the leash of a sliding point is taut, once the accelerations are known."""
    stretch, creep, longest = located_stretch(params), located_creep(params), anchor_longest(params)

    @wp.func
    def settle(
        law: params, body: int, saved: AnchorMemory, position: wp.vec3d, velocity: wp.vec3d, acceleration: wp.vec3d
    ) -> wp.int32:
        if law.rule != RULE_LEASH and law.rule != RULE_DRAG:
            return saved.mode
        if saved.mode != CONTACT_KINETIC and saved.mode != MODE_TAUT:
            return saved.mode
        at = stretch(law, body, saved.anchor, saved.normal, position, velocity)
        is_long = saved.mode == MODE_TAUT or wp.length(at.delta) >= longest(law, body, at) - anchor_blur(position)
        is_drawn = creep(law, body, at, saved.normal, acceleration) > wp.float64(0.0)
        return wp.where(is_long and is_drawn, MODE_TAUT, CONTACT_KINETIC)

    return settle


@lru_cache
def located_has_left(params: Any) -> Any:
    """Whether the branch of a point in the ground has ended."""
    stretch, creep, longest = located_stretch(params), located_creep(params), anchor_longest(params)

    @wp.func
    def has_slid(
        law: params, body: int, saved: AnchorMemory, at: AnchorStretch, blur: wp.float64, acceleration: wp.vec3d
    ) -> bool:
        """Whether a point that is loaded has left its branch by friction."""
        size = wp.length(at.pull)
        if saved.mode == CONTACT_STATIC:
            return size > law.friction_static * at.normal_force
        speed = wp.length(at.v_lat)
        if law.rule == RULE_VELOCITY and saved.mode == CONTACT_KINETIC:
            return speed < law.slip_speed
        if size <= law.friction_kinetic * at.normal_force:
            return True
        if saved.mode == MODE_LOOSE:
            return speed >= law.slip_speed
        if saved.mode == MODE_TAUT:
            return creep(law, body, at, saved.normal, acceleration) < -SLACK
        return wp.length(at.delta) > longest(law, body, at) + blur

    @wp.func
    def has_left(
        law: params, body: int, saved: AnchorMemory, ground: AnchorGround, position: wp.vec3d, velocity: wp.vec3d,
        acceleration: wp.vec3d, close: wp.float64,
    ) -> wp.int32:  # fmt: skip
        at = stretch(law, body, saved.anchor, saved.normal, position, velocity)
        blur = anchor_blur(position)
        if wp.abs(wp.dot(position - ground.place, ground.normal) - at.gap) > close:
            return 1
        if saved.mode == MODE_UNLOADED:
            return wp.where(at.normal_force > law.stiffness[body] * blur, 1, 0)
        if at.normal_force < -law.stiffness[body] * blur:
            return 1
        if at.normal_force > wp.float64(0.0) and has_slid(law, body, saved, at, blur, acceleration):
            return 1
        return 0

    return has_left


@lru_cache
def anchor_located(params: Any) -> LocatedAnchor:
    """The functions for one kind of parameter struct."""
    return LocatedAnchor(
        located_contact(params),
        located_renew(params),
        located_follow(params),
        located_settle(params),
        located_has_left(params),
    )
