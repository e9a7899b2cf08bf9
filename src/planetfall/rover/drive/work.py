"""Work of the motors along a drive, as exact as the path that is driven, whatever the distance of its samples.

Between two poses a motor's work is that of its gross traction over the way of the wheel's centre along the rim, plus
what the turn of the link that carries the motor adds,

    dW = (T + R) (dc . t + r (d pitch + sin roll d yaw))

since motor and wheel turn against each other. On soil a wheel that slips by i turns 1/(1 - i) times its way where it
drives and 1 - |i| times where it brakes (Wong2008): dc . t is multiplied by that, and what this adds is lost in the
soil. Where a wheel meets an edge its contact jumps along the rim, from the lowest point to the edge, and tractions jump
with it: the trapezium rule over such a step errs by half the jump times the way, first order in the step. So steps are
halved where the two halves give another work than the whole; what is left of a jump is the rule's error over a step
that is thousands of times shorter.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planetfall.rover.kinematics.forward import Joints, joints_of, lean_axes
from planetfall.rover.kinematics.poses import Poses
from planetfall.rover.statics.statics import Forces

TOLERANCE = 1e-4
"""Error of a step's work above which it is halved, over weight times the distance of the samples."""
MOST_SLIP = 0.99
"""Slip with which work is reckoned at most (assumed): a wheel that slips by 1 turns on the spot."""
MOST_HALVINGS = 14
"""How often a step is halved at most: down to 1/16,384 of the distance of the samples."""


@dataclass(frozen=True)
class DriveState:
    """A rover at n places of a path: its poses and forces.

    `slip_max`: slip at which traction counts as available, beyond which the rover does not stand. Work there is
    reckoned with this slip: a wheel that only digs in would never come on.
    """

    poses: Poses
    forces: Forces
    slip_max: float = 0.0

    def taken(self, which: np.ndarray) -> "DriveState":
        """Some of the places, by index."""
        poses, forces = self.poses, self.forces
        return DriveState(
            Poses(poses.rover, poses.places[which], poses.raw[which]),
            Forces(forces.rover, forces.raw[which]),
            self.slip_max,
        )

    def joined(self, other: "DriveState") -> "DriveState":
        """These places, then others."""
        (poses, forces), (more, pushed) = (self.poses, self.forces), (other.poses, other.forces)
        places, raw = np.concatenate([poses.places, more.places]), np.concatenate([poses.raw, more.raw])
        pushes = Forces(forces.rover, np.concatenate([forces.raw, pushed.raw]))
        return DriveState(Poses(poses.rover, places, raw), pushes, self.slip_max)


Sampler = Callable[[np.ndarray], DriveState]
"""The rover at distances along the path [m]."""


@dataclass(frozen=True)
class StepWork:
    """Work between n + 1 samples of a path [J]; wheels in the order of `model.WHEEL_NAMES`.

    Attributes:
        driving: Of each motor while it drives, [n, 6].
        returned: Of each motor while it brakes, zero or negative: what could be regenerated, [n, 6].
        resistance: Taken by rolling resistance, [n, 6].
        skid: Taken by wheels that are carried sideways, [n, 6].
        slip: Taken by wheels that turn further than they come, zero or positive, [n, 6].
        power: Largest sum of the powers of those motors that drive, per speed of the rover [W s/m = N], [n].
        error_squared: Estimate of what the sum of the motors' work is off by, squared [J^2], [n]: signs are random.
    """

    driving: np.ndarray
    returned: np.ndarray
    resistance: np.ndarray
    skid: np.ndarray
    slip: np.ndarray
    power: np.ndarray
    error_squared: np.ndarray


def step_work(distance: np.ndarray, standing: DriveState, weight: float, sampled: Sampler) -> StepWork:
    """Work between samples, which are halved until it no longer changes.

    Args:
        distance: Of the samples along the path [m], [n + 1].
        standing: The rover at the samples.
        weight: Of the rover [N].
        sampled: Gives it anywhere between the samples.
    """
    n = len(distance) - 1
    work, error, parent = _work(standing), np.zeros(n), np.arange(n)
    start, end = np.arange(n), np.arange(1, n + 1)  # of each piece, as an index into distance and standing
    tolerance = TOLERANCE * weight * np.diff(distance)
    which = np.flatnonzero(np.isfinite(work).all(axis=(1, 2)))
    for _ in range(MOST_HALVINGS):
        if not len(which):
            break
        middle = (distance[start[which]] + distance[end[which]]) / 2
        between = sampled(middle)
        halves = _halves(standing, start[which], end[which], between)
        off = np.abs(halves[:, :, 0].sum(axis=1) - work[which, 0]).sum(axis=-1)
        known = np.isfinite(off)  # without a pose in the middle a piece stays as it is
        which, halves, off = which[known], halves[known], off[known]
        at = len(distance) + np.arange(len(which))
        distance, standing = np.append(distance, middle[known]), standing.joined(between.taken(known))
        start, end = np.append(start, at), np.append(end, end[which])
        end[which] = at
        work[which] = halves[:, 0]
        work = np.concatenate([work, halves[:, 1]])
        error[which] = off / 2
        error, parent = np.append(error, off / 2), np.append(parent, parent[which])
        splits = off > tolerance[parent[which]]
        which = np.concatenate([which[splits], (len(parent) - len(at) + np.arange(len(at)))[splits]])
    order = np.lexsort([distance[start], parent])
    ways = (distance[end] - distance[start])[order]
    return _gathered(work[order], ways, np.searchsorted(parent[order], np.arange(n)), error[order])


def _gathered(work: np.ndarray, ways: np.ndarray, firsts: np.ndarray, error: np.ndarray) -> StepWork:
    """Sums over the pieces of each step, in their order along the path, and the largest power among them."""
    total = lambda values: np.add.reduceat(values, firsts, axis=0)  # noqa: E731
    driving, returned = np.maximum(work[:, 0], 0.0), np.minimum(work[:, 0], 0.0)
    power = np.maximum.reduceat(driving.sum(axis=1) / ways, firsts)
    resistance, skid, slip = (total(work[:, kind]) for kind in (1, 2, 3))
    return StepWork(total(driving), total(returned), resistance, skid, slip, power, total(error**2))


def _halves(standing: DriveState, start: np.ndarray, end: np.ndarray, between: DriveState) -> np.ndarray:
    """Work over both halves of pieces [J], [n, 2, 4, 6], with the rover in their middles."""
    n, size = len(start), len(standing.poses)
    threes = np.stack([start, size + np.arange(n), end], axis=1).ravel()
    work = _work(standing.joined(between).taken(threes))
    return np.concatenate([work, work[:1]]).reshape(n, 3, 4, 6)[:, :2]


def _work(standing: DriveState) -> np.ndarray:
    """Work of motors, resistance, skidding and slip between places [J], [n - 1, 4, 6], by the trapezium rule."""
    poses, forces = standing.poses, standing.forces
    joints, radius = joints_of(poses), poses.rover.table.wheels.radius
    gross = forces.torque / radius
    rolled, resisted = (_rolled(poses, joints, force, radius) for force in (gross, gross - forces.traction))
    most = min(standing.slip_max, MOST_SLIP)
    slipped = _slipped(poses, joints, gross, np.clip(forces.slip, -most, most))
    return np.stack([rolled + slipped, resisted, _skidded(poses, joints, forces), slipped], axis=1)


def _pushed(poses: Poses, joints: Joints, force: np.ndarray) -> np.ndarray:
    """Work of forces [N] along the ways of the wheels' centres along their rims [J], [n - 1, 6], trapezium rule."""
    angle, lean = poses.contact_angle, lean_axes(poses.places[:, 2], poses.roll)
    tangent = np.cos(angle)[..., None] * lean[:, None, :, 0] + np.sin(angle)[..., None] * lean[:, None, :, 2]
    push = force[..., None] * tangent
    return np.sum((push[:-1] + push[1:]) / 2 * np.diff(joints.wheel_L, axis=0), axis=-1)


def _slipped(poses: Poses, joints: Joints, gross: np.ndarray, slip: np.ndarray) -> np.ndarray:
    """Work that wheels lose in the soil as they slip [J], [n - 1, 6]: a slip has the sign of the gross traction [N].

    None where an edge rolls a wheel back against its torque.
    """
    driving, braking = np.maximum(slip, 0.0), np.maximum(-slip, 0.0)
    return np.maximum(_pushed(poses, joints, gross * (driving / (1.0 - driving) - braking)), 0.0)


def _rolled(poses: Poses, joints: Joints, force: np.ndarray, radius: float) -> np.ndarray:
    """Work of forces [N] at the rims between samples [J], [n - 1, 6], by the trapezium rule."""
    order = poses.rover.order
    carrier = np.array([2 * (k // 3) + (k % 3 > 0) for k in range(6)])[order]
    leaned = np.sin((poses.roll[:-1] + poses.roll[1:]) / 2) * np.diff(poses.places[:, 2])
    turn = (np.diff(poses.joint_pitch[:, carrier], axis=0) + leaned[:, None]) * radius
    return _pushed(poses, joints, force) + (force[:-1] + force[1:]) / 2 * turn


def _skidded(poses: Poses, joints: Joints, forces: Forces) -> np.ndarray:
    """Work against loads and lateral forces at the contacts between samples [J], [n - 1, 6], by the trapezium rule.

    A wheel that is carried sideways over ground that slopes across it moves along its normal as well.
    """
    lean, angle = lean_axes(poses.places[:, 2], poses.roll), poses.contact_angle
    rim = poses.rover.table.wheels.radius * np.stack([np.sin(angle), np.zeros_like(angle), -np.cos(angle)], axis=-1)
    rim[..., 1] += poses.raw["stance"]["off"][:, poses.rover.order]
    # the point of the wheel that touches, carried along by the wheel's plane
    way = np.diff(joints.wheel_L, axis=0) + np.einsum("nij,nwj->nwi", np.diff(lean, axis=0), (rim[:-1] + rim[1:]) / 2)
    inward = np.cos(angle)[..., None] * lean[:, None, :, 2] - np.sin(angle)[..., None] * lean[:, None, :, 0]
    push = forces.normal[..., None] * inward + forces.lateral[..., None] * lean[:, None, :, 1]
    return -np.sum(way * (push[:-1] + push[1:]) / 2, axis=-1)
