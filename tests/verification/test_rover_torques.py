"""Torques of the rocker-bogie: optima against SciPy, equal and fuzzy torques beside them."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import block_diag, csr_matrix

from oracles.rocker_bogie import least_squares_traction
from planetfall.rover.kinematics.poses import Poses, find_poses
from planetfall.rover.model import RoverModel
from planetfall.rover.statics.statics import Forces, Soil, find_forces
from support.rover_statics import ROUGH, SPACING, coulomb, found, side_programs
from support.rovers import bench_rover, grid_surface, random_places

G = 9.81


def rough_poses(n: int, seed: int) -> tuple[RoverModel, Poses]:
    rover = bench_rover(center_of_mass=(0.05, 0.02, 0.08))
    return rover, found(find_poses(rover, grid_surface(ROUGH, SPACING), random_places(n, 8.5, seed)))


def test_least_slip_is_the_optimum_of_linear_programs() -> None:
    """1,000 poses on rough ground, both sides each. At the share s that was found the least violation v of
    |T| - s mu N <= v, under (12)-(15), motors and N >= 0, is nil; 1e-4 below s it is positive. All sides are blocks
    of one sparse program. Its tolerance is 1e-7 N; loads are about 10 N, so that 1e-4 of s is worth 1e-3 N on most
    sides, and more than 1e-5 N even where a wheel carries a hundredth of that.
    """
    rover, poses = rough_poses(1000, 1)
    friction, motor = 0.6, rover.table.wheels.torque_max / rover.table.wheels.radius
    forces = find_forces(poses, coulomb(friction, rover), G)
    share = forces.slip_ratio.reshape(-1, 3).max(axis=1)
    is_free = (share < 1e3) & (forces.saturation.reshape(-1, 3).max(axis=1) <= 1.0 + 1e-9)
    programs = [p for p, keep in zip(side_programs(poses, forces), is_free, strict=True) if keep]
    share = share[is_free]
    assert len(programs) > 1900
    at = violations(programs, share * (1 + 1e-9), friction, motor)
    below = violations(programs, share - 1e-4, friction, motor)
    assert at.max() < 1e-6
    assert below.min() > 1e-6
    assert np.median(below) > 1e-4


def violations(programs: list, shares: np.ndarray, friction: float, motor: float) -> np.ndarray:
    """Least violation [N] of each side's grip at a given share of it, by SciPy's HiGHS."""
    eye, blocks, equal = np.eye(3), [], []
    for (equations, _), share in zip(programs, shares, strict=True):
        rows = [np.hstack([-share * friction * eye, sign * eye, -np.ones((3, 1))]) for sign in (1.0, -1.0)]
        blocks.append(csr_matrix(np.vstack(rows)))
        equal.append(csr_matrix(np.hstack([equations, np.zeros((4, 1))])))
    n = len(programs)
    found = linprog(
        np.tile([0.0] * 6 + [1.0], n), A_ub=block_diag(blocks, "csr"), b_ub=np.zeros(6 * n),
        A_eq=block_diag(equal, "csr"), b_eq=np.concatenate([right for _, right in programs]),
        bounds=([(0, None)] * 3 + [(-motor, motor)] * 3 + [(None, None)]) * n, method="highs",
    )  # fmt: skip
    assert found.status == 0
    return found.x.reshape(n, 7)[:, 6]


def test_least_effort_is_the_optimum_of_slsqp() -> None:
    """A hundred poses; SLSQP stops at 1e-15 of the objective, which is quadratic about its minimum."""
    rover, poses = rough_poses(100, 2)
    friction, motor = 0.6, rover.table.wheels.torque_max / rover.table.wheels.radius
    forces = find_forces(poses, coulomb(friction, rover), G, "least effort")
    n_compared = 0
    for k, (equations, right) in enumerate(side_programs(poses, forces)):
        i, one = k // 2, slice(3 * (k % 2), 3 * (k % 2) + 3)
        if forces.slip_ratio[i, one].max() > 1 + 1e-9 or forces.saturation[i, one].max() > 1 + 1e-9:
            continue
        other = least_squares_traction(equations, right, np.full(3, friction), motor)
        if np.isfinite(other).all():
            n_compared += 1
            assert np.sum(forces.traction[i, one] ** 2) == pytest.approx(np.sum(other[3:] ** 2), rel=1e-6, abs=1e-6)
    assert n_compared > 150


def equal_torques(poses: Poses, soil: Soil) -> Forces:
    """The three wheels of a side pull alike, each side so that neither thrust nor yaw is left.

    Both are nearly linear in the torques: the loads by which lateral forces are shared change a little with them.
    """
    n = len(poses)
    sides = np.repeat(np.eye(2), 3, axis=1)

    def left_by(torques: np.ndarray) -> np.ndarray:
        forces = find_forces(poses, soil, G, "commanded", torques)
        return np.stack([forces.thrust, forces.yaw], axis=1)

    torques = np.zeros((n, 2))
    rates = np.stack([(left_by(0.1 * one) - left_by(np.zeros(6))) / 0.1 for one in sides], axis=2)
    for _ in range(12):
        torques -= np.linalg.solve(rates, left_by(torques @ sides)[:, :, None])[:, :, 0]
    forces = find_forces(poses, soil, G, "commanded", torques @ sides)
    np.testing.assert_allclose(np.abs(forces.thrust) + np.abs(forces.yaw), np.zeros(n), atol=1e-9)
    return forces


def test_optimal_torques_are_feasible_and_never_worse_than_equal_ones() -> None:
    """Against equal torques per side, which satisfy the same balance: better at nearly every pose of rough ground."""
    rover, poses = rough_poses(300, 3)
    soil = coulomb(0.6, rover)
    best, equal = find_forces(poses, soil, G), equal_torques(poses, soil)
    same = find_forces(poses, soil, G, "equal")
    np.testing.assert_allclose(same.normal, equal.normal, atol=1e-9)
    np.testing.assert_allclose(same.traction, equal.traction, atol=1e-9)
    is_compared = (equal.normal > 0).all(axis=1) & (equal.saturation <= 1).all(axis=1)
    assert is_compared.sum() > 200
    gain = equal.slip_ratio[is_compared].max(axis=1) - best.slip_ratio[is_compared].max(axis=1)
    assert gain.min() > -1e-9
    assert np.mean(gain > 1e-3) > 0.9
    stands = best.verdict == 0
    assert np.all(best.normal[stands] >= -1e-9)
    assert np.all(np.abs(best.traction[stands]) <= 0.6 * best.normal[stands] * (1 + 1e-9) + 1e-9)


def test_the_fuzzy_controller_lies_between_equal_and_optimal_torques() -> None:
    """Over rough ground it takes most of the way from equal torques to the optimum, which bounds it from below. Slip
    ratios beyond 3 count as 3: the wheel spins.
    """
    rover, poses = rough_poses(500, 4)
    soil = coulomb(0.6, rover)
    found = [find_forces(poses, soil, G, goal) for goal in ("least slip", "fuzzy", "equal")]
    is_compared = found[0].verdict != 4
    assert is_compared.sum() > 490
    best, fuzzy, equal = (forces.slip_ratio[is_compared].max(axis=1) for forces in found)
    assert np.all(fuzzy >= best - 1e-9)
    assert np.mean(fuzzy < equal - 1e-3) > 0.9
    spins = [np.mean(np.minimum(each, 3.0) - best) for each in (fuzzy, equal)]
    assert spins[0] < 0.1 * spins[1]


@pytest.mark.parametrize("x", [-0.46, -0.43, -0.05, 0.33])
def test_optimal_torques_are_strictly_better_on_a_step(x: float) -> None:
    """A step of 0.08 m, less than the wheels' radius: one pair of wheels after the other climbs it."""
    along = (np.arange(401) - 200) * 0.01
    surface = grid_surface(np.tile(np.where(along > 0.001, 0.08, 0.0), (401, 1)), 0.01)
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 20.0})
    poses = find_poses(rover, surface, [x, 0.0, 0.0])
    assert np.degrees(np.abs(poses.contact_angle)).max() > 15
    soil = coulomb(0.8, rover)
    best, equal = find_forces(poses, soil, G), equal_torques(poses, soil)
    assert best.slip_ratio.max() < equal.slip_ratio.max() - 0.01
