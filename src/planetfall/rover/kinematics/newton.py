"""The pose of the rover on the ground: Newton on the equations of Hacot1998, with a bracketing fall-back.

Equations (1) and (2) are explicit (body pitch, height of the middle right wheel), so that five unknowns and the five
excesses of `stance` remain. The slopes of the ground at the contacts give the exact Jacobian; on a facet Newton is
quadratic. On a crease it can alternate between two facets, and near a step there may be no way down: then it sets out
again from nine other postures, and where that fails too, the roots are bracketed one by one (`bracket`). The pose says
so.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import warp as wp

from planetfall.rover.kinematics.bracket import SPAN, bracket_func
from planetfall.rover.kinematics.decoupled import mean_roll, with_sides
from planetfall.rover.kinematics.stance import (
    Place,
    Stance,
    first_status,
    largest_excess,
    newton_system,
    solve5,
    stance_funcs,
)
from planetfall.rover.params import LinkParams, posture_of, vec5d
from planetfall.rover.wheel_ground.footing import Footing
from planetfall.world.terrain.model import GROUND_OFF_MAP, GROUND_OK

POSE_OK = wp.constant(0)
POSE_RETRIED = wp.constant(1)
POSE_NONE = wp.constant(2)
POSE_OFF_MAP = wp.constant(3)
POSE_HOLE = wp.constant(4)
POSE_STOP = wp.constant(5)
POSE_SAYS = {
    0: "all six wheels stand on the ground",
    1: "all six wheels stand on the ground; Newton did not settle at first, and a fall-back found the pose",
    2: "no pose with all six wheels on the ground was found: the ground asks for more than the mechanism can follow",
    3: "a wheel is off the map",
    4: "the ground under a wheel is unknown",
    5: "a joint would have to go beyond its stop",
}
"""What each status of a pose means."""

AGAIN = wp.constant(16)
"""Added to the status of a pose that Newton did not find at first, until the fall-backs have been tried."""
LARGEST_STEP = wp.constant(wp.float64(0.3))
"""Newton never turns a joint by more than this at once [rad]."""
MOST_ITERATIONS = wp.constant(12)
OTHER_START = wp.constant(wp.float64(0.35))
"""How far rockers and bogies are turned for another start [rad]."""


@wp.struct
class Pose:
    """A pose of the rover over a place.

    `q` [rad]: roll, rocker and bogie pitch of the right side, of the left side; `stance`: the wheels over the ground;
    `residual` [m]: the worst wheel's excess; `iterations` of Newton; `status`, one of POSE_*.
    """

    q: vec5d
    stance: Stance
    residual: wp.float64
    iterations: wp.int32
    status: wp.int32


@wp.func
def beyond_stops(links: LinkParams, q: vec5d) -> wp.bool:
    """Whether a bogie turns against its rocker, or a rocker against the body, by more than its stop."""
    against = wp.abs(q[1] - q[3]) * wp.float64(0.5) > links.rocker_stop
    return against or wp.abs(q[2] - q[1]) > links.bogie_stop or wp.abs(q[4] - q[3]) > links.bogie_stop


@wp.func
def largest_turn(q: vec5d) -> wp.float64:
    """The largest of five angles."""
    worst = wp.float64(0.0)
    for k in range(5):
        worst = wp.max(worst, wp.abs(q[k]))
    return worst


@wp.func
def shortened(step: vec5d) -> vec5d:
    """A Newton step, scaled so that no joint turns by more than LARGEST_STEP."""
    worst = largest_turn(step)
    if worst > LARGEST_STEP:
        return step * (LARGEST_STEP / worst)
    return step


@dataclass(frozen=True)
class NewtonFuncs:
    """Poses over one kind of terrain.

    Attributes:
        pose: `@wp.func (ground, links, place, tolerance) -> Pose`, with the fall-back.
        first: The same without it; a pose that is worth another try has AGAIN added to its status.
        again: `@wp.func (ground, links, place, pose, tolerance) -> Pose`, the fall-back for a pose of `first`.
        refined: `@wp.func (ground, links, place, start, tolerance) -> Pose`, Newton alone from a given start.
    """

    pose: Any
    first: Any
    again: Any
    refined: Any


@lru_cache
def newton_funcs(footing: Footing) -> NewtonFuncs:
    """The solvers for a kind of terrain."""
    ground_params, stance_of, bracketed = footing.params, stance_funcs(footing).stance, bracket_func(footing)

    @wp.func(inline=False)
    def refined(ground: ground_params, links: LinkParams, place: Place, start: vec5d, tolerance: wp.float64) -> Pose:
        """Newton from a start; POSE_NONE where it does not settle, POSE_OFF_MAP or _HOLE where it strays there."""
        pose = Pose()
        pose.q = start
        pose.status = POSE_NONE
        while pose.status == POSE_NONE and pose.iterations <= MOST_ITERATIONS:
            posture = posture_of(pose.q)
            pose.stance = stance_of(ground, links, place, posture)
            status = first_status(pose.stance)
            if status == GROUND_OFF_MAP:
                pose.status = POSE_OFF_MAP
            elif status != GROUND_OK:
                pose.status = POSE_HOLE
            pose.residual = largest_excess(pose.stance)
            if pose.residual <= tolerance and pose.status == POSE_NONE and largest_turn(pose.q) < SPAN:
                pose.status = POSE_OK
            if pose.status == POSE_NONE:
                pose.q = pose.q + shortened(solve5(newton_system(links, posture, pose.stance)))
                pose.iterations += 1
        return pose

    @wp.func(inline=False)
    def retried(
        ground: ground_params, links: LinkParams, place: Place, start: vec5d, failed: Pose, tolerance: wp.float64
    ) -> Pose:
        """The fall-backs: of the poses from other starts, the one with the least turned joint; else brackets."""
        out = failed
        k = int(0)
        while k < 9:
            other = start
            other[1] = start[1] + wp.float64(k // 3 - 1) * OTHER_START
            other[2] = start[2] + wp.float64(k % 3 - 1) * OTHER_START
            other[3] = start[3] + wp.float64(k // 3 - 1) * OTHER_START
            other[4] = start[4] + wp.float64(k % 3 - 1) * OTHER_START
            trial = refined(ground, links, place, other, tolerance)
            if trial.status == POSE_OK:
                if out.status != POSE_RETRIED or largest_turn(trial.q) < largest_turn(out.q):
                    out = trial
                    out.status = POSE_RETRIED
            k += 1
        if out.status != POSE_RETRIED:
            found = bracketed(ground, links, place, start, tolerance)
            if not wp.isnan(found.value) and largest_turn(found.q) < SPAN:
                out.q = found.q
                out.stance = stance_of(ground, links, place, posture_of(found.q))
                out.residual = largest_excess(out.stance)
                out.status = POSE_RETRIED
        out.iterations = failed.iterations
        return out

    @wp.func
    def started(links: LinkParams, flat: Stance) -> vec5d:
        """The closed form over the heights under the flat pose."""
        start = vec5d()
        if first_status(flat) == GROUND_OK:
            start = with_sides(links, flat.ground, mean_roll(links, flat.ground))
        return start

    @wp.func
    def stopped(links: LinkParams, given: Pose) -> Pose:
        """The pose, unless a joint is beyond its stop."""
        pose = given
        if pose.status <= POSE_RETRIED:
            if beyond_stops(links, pose.q):
                pose.status = POSE_STOP
        return pose

    @wp.func(inline=False)
    def first(ground: ground_params, links: LinkParams, place: Place, tolerance: wp.float64) -> Pose:
        flat = stance_of(ground, links, place, posture_of(vec5d()))
        pose = refined(ground, links, place, started(links, flat), tolerance)
        # an iterate that strays off the map says nothing of the pose, unless the flat one stands there already
        if pose.status != POSE_OK and first_status(flat) == GROUND_OK:
            pose.status += AGAIN
            return pose
        return stopped(links, pose)

    @wp.func(inline=False)
    def again(ground: ground_params, links: LinkParams, place: Place, given: Pose, tolerance: wp.float64) -> Pose:
        failed = given
        failed.status -= AGAIN
        flat = stance_of(ground, links, place, posture_of(vec5d()))
        return stopped(links, retried(ground, links, place, started(links, flat), failed, tolerance))

    @wp.func
    def newton(ground: ground_params, links: LinkParams, place: Place, tolerance: wp.float64) -> Pose:
        pose = first(ground, links, place, tolerance)
        if pose.status >= AGAIN:
            pose = again(ground, links, place, pose, tolerance)
        return pose

    return NewtonFuncs(newton, first, again, refined)
