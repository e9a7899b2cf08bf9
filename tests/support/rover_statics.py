"""The forces of standing rovers, handed to the oracle of virtual work and to SciPy's programs."""

from typing import Any

import numpy as np

from oracles.rocker_bogie import Standing, side_program
from planetfall.rover.kinematics.forward import joints_of, lean_axes
from planetfall.rover.kinematics.poses import Poses
from planetfall.rover.model import RoverModel
from planetfall.rover.statics.statics import Forces, Soil, soil_of
from planetfall.scenario.tables.rover import SoilCoulomb
from support.rovers import waves

SPACING = 0.05
ROUGH = waves(401, SPACING, 0.10, 1.0, 5) + np.random.default_rng(2).normal(size=(401, 401)) * 0.01
"""Waves of 1 to 4 m with a centimetre of roughness [m], and the distance of its nodes [m]."""


def coulomb(friction: float, rover: RoverModel) -> Soil:
    """The same friction everywhere."""
    return soil_of(SoilCoulomb(law="coulomb", friction=friction), rover)


def found(poses: Poses) -> Poses:
    """Only the poses that were found."""
    return Poses(poses.rover, poses.places[poses.is_found], poses.raw[poses.is_found])


def standing_rovers(poses: Poses, forces: Forces, gravity: float) -> list[Standing]:
    """Each pose with its forces as the oracle takes it."""
    rover, joints = poses.rover, joints_of(poses)
    lean, angle = lean_axes(poses.places[:, 2], poses.roll), poses.contact_angle
    oracle_order = np.argsort(rover.order)
    out = []
    for i, axes in enumerate(lean):
        normal = -np.outer(np.sin(angle[i]), axes[:, 0]) + np.outer(np.cos(angle[i]), axes[:, 2])
        tangent = np.outer(np.cos(angle[i]), axes[:, 0]) + np.outer(np.sin(angle[i]), axes[:, 2])
        push = forces.normal[i][:, None] * normal + forces.traction[i][:, None] * tangent
        push = push + forces.lateral[i][:, None] * axes[:, 1]
        points, loads = [joints.center_L[i]], [np.array([0.0, 0.0, -rover.mass * gravity])]
        if rover.arm is not None and joints.arm_L is not None:
            points.append(joints.arm_L[i, 2])
            loads.append(joints.R_LB[i] @ rover.arm.tip_force_B)
        middle, contacts = joints.axis_L[i].mean(axis=0), joints.contact_L[i][oracle_order]
        loaded = (push[oracle_order], np.array(points), np.array(loads))
        out.append(Standing(middle, axes, joints.pivot_L[i], contacts, *loaded))
    return out


def side_programs(poses: Poses, forces: Forces) -> list[tuple[np.ndarray, np.ndarray]]:
    """Equations (12)-(15) of every side of every pose, with the body's share taken from what the forces add up to."""
    rover, joints = poses.rover, joints_of(poses)
    lean, angle = lean_axes(poses.places[:, 2], poses.roll), poses.contact_angle
    out = []
    for i, axes in enumerate(lean):
        middle = joints.axis_L[i].mean(axis=0)
        for side in range(2):
            one = slice(3 * side, 3 * side + 3)
            roles = np.argsort(rover.order[:3])
            contact = ((joints.contact_L[i][one] - middle) @ axes)[:, [0, 2]][roles]
            pivot = ((joints.pivot_L[i][side] - middle) @ axes)[[0, 2]]
            theta = angle[i][one][roles]
            normal, tangent = (
                np.column_stack([-np.sin(theta), np.cos(theta)]),
                np.column_stack([np.cos(theta), np.sin(theta)]),
            )
            push: Any = (
                forces.normal[i][one][roles][:, None] * normal + forces.traction[i][one][roles][:, None] * tangent
            )
            turn = np.sum(contact[:, 0] * push[:, 1] - contact[:, 1] * push[:, 0])
            out.append(side_program(contact, normal, tangent, pivot, *push.sum(axis=0), -turn))
    return out
