"""Forces of the rocker-bogie: closed forms on planes and at walls, virtual work on rough ground."""

import numpy as np
import pytest
from scipy.optimize import brentq

from planetfall.errors import InputError
from planetfall.rover.kinematics.poses import find_poses
from planetfall.rover.model import RoverModel, rover_model
from planetfall.rover.soil.coulomb import SOIL_COULOMB, coulomb_params
from planetfall.rover.statics.statics import Forces, Soil, find_forces, soil_of
from planetfall.scenario.files.rover_library import load_rover
from planetfall.scenario.tables.rover import SoilBekker
from support.rover_statics import ROUGH, SPACING, coulomb, found, standing_rovers
from support.rovers import bench_rover, grid_surface, random_places, slope_surface

W, G = 98.1, 9.81
ARM = {
    "base": (0.2, -0.1, 0.1), "lengths": (0.3, 0.25), "masses": (0.4, 0.3), "payload": 1.0,
    "joints_deg": (30.0, 20.0, -60.0), "tip_force": (3.0, -2.0, 5.0),
}  # fmt: skip


def on_slope(rover: RoverModel, slope: float, heading: float, friction: float, **task: object) -> Forces:
    """Forces on a plane that rises by a slope [rad], driven at a heading [rad] against the direction uphill."""
    poses = find_poses(rover, slope_surface(slope, 0.0), [0.0, 0.0, heading])
    assert poses.status[0] == 0
    return find_forces(poses, coulomb(friction, rover), G, **task)  # type: ignore[arg-type]


def test_flat_ground_loads_all_wheels_alike() -> None:
    """The test geometry: 16.35 N on each wheel, no traction."""
    forces = on_slope(bench_rover(), 0.0, 0.3, 0.6)
    np.testing.assert_allclose(forces.normal, W / 6, rtol=1e-14)
    np.testing.assert_allclose(forces.traction, 0.0, atol=1e-12)
    assert forces.says().startswith("stands")


def test_sensitivity_of_loads_to_tractions() -> None:
    """dN/dT of the test geometry, rows and columns rear, middle, front: what Hacot1998 Figure 4 measures."""
    rover = bench_rover()
    still = on_slope(rover, 0.0, 0.0, 0.6, goal="commanded", torques=np.zeros(6)).normal[0]
    radius = rover.table.wheels.radius
    for first in (0, 3):
        matrix = np.zeros((3, 3))
        for k in range(3):
            torques = np.zeros(6)
            torques[first + k] = radius  # a traction of 1 N
            matrix[:, k] = (on_slope(rover, 0.0, 0.0, 0.6, goal="commanded", torques=torques).normal[0] - still)[
                first : first + 3
            ]
        expected = [[1 / 2, 1 / 6, 1 / 6], [-1 / 4, 5 / 12, 5 / 12], [-1 / 4, -7 / 12, -7 / 12]]
        np.testing.assert_allclose(matrix, expected, atol=1e-13)


def test_flat_statics_of_any_linkage() -> None:
    """N2 - N3 = h_B (T2 + T3)/a and N1 = [d2 Fz + h_A T1 + (h_A - h_B)(T2 + T3) + My]/(d1 + d2), bogie wheels alike."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        d1, d2, a = rng.uniform(0.3, 0.5), rng.uniform(0.15, 0.3), rng.uniform(0.1, 0.2)
        h_a, h_b, ahead = rng.uniform(0.25, 0.4), rng.uniform(0.15, 0.24), rng.uniform(-0.05, 0.05)
        points = {"form": "points", "axis": (0.0, h_a), "pivot": (d2, h_b)}
        points |= {"rear": (-d1, 0.1), "middle": (d2 - a, 0.1), "front": (d2 + a, 0.1)}
        torques = rng.uniform(-0.3, 0.3, 3)
        t1, t2, t3 = torques / 0.1
        rover = bench_rover(linkage=points, center_of_mass=(ahead, 0.0, 0.03))
        n1, n2, n3 = on_slope(rover, 0.0, 0.0, 0.6, goal="commanded", torques=np.tile(torques, 2)).normal[0, :3]
        moment = -ahead * W / 2
        assert n2 - n3 == pytest.approx(h_b * (t2 + t3) / a, abs=1e-11)
        expected = (d2 * W / 2 + h_a * t1 + (h_a - h_b) * (t2 + t3) + moment) / (d1 + d2)
        assert n1 == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("slope_deg", [5.0, 20.0, 30.0, 40.0, 44.0])
def test_least_slip_on_a_slope_is_its_tangent(slope_deg: float) -> None:
    """Up or down; strong motors. Halving ends at 1e-13, the slack of a constraint is 1e-13 of the load: the worst
    wheel of 44 degrees, which carries a hundredth, has 1e-10.
    """
    slope = np.radians(slope_deg)
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 20.0})
    for heading in (0.0, np.pi):
        forces = on_slope(rover, slope, heading, 1.0)
        assert forces.slip_ratio.max() == pytest.approx(np.tan(slope), rel=1e-9)
        np.testing.assert_allclose(np.sign(forces.traction), np.cos(heading), atol=1e-12)
        assert abs(forces.thrust[0]) + abs(forces.yaw[0]) < 1e-10


@pytest.mark.parametrize("friction", [0.3, 0.6, 0.9])
def test_steepest_climb_is_the_angle_of_friction(friction: float) -> None:
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 20.0})
    limit = np.arctan(friction)
    assert on_slope(rover, limit - 1e-6, 0.0, friction).says().startswith("stands")
    assert on_slope(rover, limit + 1e-6, 0.0, friction).says().startswith("slides:")


def test_a_bogie_wheel_unloads_before_the_rover_tips() -> None:
    """Uphill the front wheel of the test geometry unloads at 45 degrees, the polygon tips at 53.13."""
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 50.0})
    tips, unloads = np.arctan(0.4 / 0.3), np.pi / 4
    assert np.degrees(tips) == pytest.approx(53.13, abs=0.005)
    np.testing.assert_allclose(
        rover.flat_margins, [np.pi / 4, np.pi / 4], rtol=1e-14
    )  # the first one: sideways, 0.3/0.3
    for slope in np.radians([10.0, 30.0, 44.0, 46.0, 53.0, 53.2]):
        forces = on_slope(rover, slope, 0.0, 2.0)
        assert forces.raw["stability"]["angle"][0] == pytest.approx(tips - slope, abs=1e-9)
        assert forces.raw["unloading"]["angle"][0] == pytest.approx(unloads - slope, abs=1e-9)
        assert forces.says().startswith("tips") == (slope > tips)
    nearly = on_slope(rover, unloads - 1e-3, 0.0, 2.0)
    assert nearly.normal[0, 2] < 0.01 * W / 6
    assert nearly.normal[0].argmin() in (2, 5)


@pytest.mark.parametrize("slope_deg", [-15.0, 10.0, 30.0])
def test_side_slope_shifts_the_load(slope_deg: float) -> None:
    """N_left - N_right = 2 W sin(Theta) h/w, with the centre of mass at A, h = 0.30 m, w = 0.60 m."""
    slope = np.radians(slope_deg)
    forces = on_slope(bench_rover(), abs(slope), np.copysign(np.pi / 2, slope), 1.0)
    right, left = forces.normal[0, :3].sum(), forces.normal[0, 3:].sum()
    assert left - right == pytest.approx(2 * W * np.sin(slope) * 0.3 / 0.6, rel=1e-9)
    share = forces.normal[0] / forces.normal[0].sum()
    np.testing.assert_allclose(forces.lateral[0], -W * np.sin(slope) * share, rtol=1e-9)  # the pose: 1e-11 m over 0.6 m


@pytest.mark.parametrize("friction", [0.2, 0.4, 0.7])
def test_a_side_slope_is_slid_down_beyond_the_angle_of_friction(friction: float) -> None:
    """Lateral forces in proportion to the loads need the same friction of every wheel, the tangent of the slope."""
    limit = np.arctan(friction)
    steady, sliding = (on_slope(bench_rover(), limit + off, np.pi / 2, friction) for off in (-1e-6, 1e-6))
    assert steady.says().startswith("stands")
    assert sliding.says().startswith("slides aside")
    np.testing.assert_allclose(sliding.friction_needed, np.tan(limit + 1e-6), rtol=1e-9)


@pytest.mark.parametrize(("friction", "slope_deg"), [(0.6, 25.0), (0.6, 32.0), (0.5, 20.0)])
def test_friction_used_counts_the_lateral_force(friction: float, slope_deg: float) -> None:
    """Across a slope nothing pulls along the rims, and every wheel needs its tangent; beyond 1 it slides aside."""
    across = on_slope(bench_rover(), np.radians(slope_deg), np.pi / 2, friction)
    used = np.tan(np.radians(slope_deg)) / friction
    np.testing.assert_allclose(across.slip_ratio, 0.0, atol=1e-12)
    np.testing.assert_allclose(across.friction_used, used, rtol=1e-9)
    assert across.says().startswith("slides aside" if used > 1.0 else "stands")


def test_friction_used_on_soil_adds_lateral_force_and_traction() -> None:
    """Both against the traction H that the soil can give, which the slip ratio |T + R|/H tells."""
    rover = bench_rover()
    soil = SoilBekker(
        law="bekker", cohesive_modulus=990.0, frictional_modulus=1.528e6, exponent=1.1, cohesion=1040.0,
        friction_angle_deg=28.0, shear_modulus=0.01,
    )  # fmt: skip
    poses = find_poses(rover, slope_surface(np.radians(8.0), 0.0), [0.0, 0.0, np.pi / 3])
    forces = find_forces(poses, soil_of(soil, rover), G)
    hold = np.abs(forces.torque) / rover.table.wheels.radius / forces.slip_ratio
    gross = forces.torque / rover.table.wheels.radius
    np.testing.assert_allclose(forces.friction_used, np.hypot(gross, forces.lateral) / hold, rtol=1e-9)
    assert (forces.friction_used > 1.05 * forces.slip_ratio).all()


def test_an_unloaded_wheel_does_not_slide_aside() -> None:
    """Down a steep slope the least slip unloads the rear wheels of a long rover. A wheel without load holds nothing and
    needs nothing, straight down as well as a little aside, where all wheels lose as much as the slope across.
    """
    rover = rover_model(load_rover("msl-class", {"wheels.torque_max": 5000.0}))
    worst = []
    for aside_deg in (0.0, 1e-9, 1e-3, 0.1, 1.0):
        forces = on_slope(rover, np.radians(36.0), np.pi + np.radians(aside_deg), 1.0)
        assert forces.normal[0, [0, 3]] == pytest.approx(0.0, abs=1e-6 * forces.normal.sum())
        assert forces.says().startswith("stands"), forces.says()
        worst.append(forces.friction_needed.max())
    np.testing.assert_allclose(worst[:4], worst[0], atol=0.01)
    assert worst[0] == pytest.approx(0.7553, abs=1e-4)


def test_payload_at_a_known_reach_shifts_the_loads() -> None:
    """2 kg at 0.5 m ahead of the axis: the pitching moment goes half to each side (differential), and per side
    N1 = [d2 Fz + My]/(d1 + d2); the bogie's wheels share the rest.
    """
    arm = {"base": (0.2, 0.0, 0.1), "lengths": (0.2, 0.1), "payload": 2.0}
    forces = on_slope(bench_rover(arm=arm), 0.0, 0.0, 0.8, goal="commanded", torques=np.zeros(6))
    per_side, moment = 12.0 * G / 2, -2.0 * G * 0.5 / 2
    rear = (0.2 * per_side + moment) / 0.6
    np.testing.assert_allclose(forces.normal[0], [rear, (per_side - rear) / 2, (per_side - rear) / 2] * 2, rtol=1e-12)


def test_payload_aside_shifts_the_load_between_the_sides() -> None:
    """2 kg at 0.4 m to the left: 2 g 0.4/0.6 goes from right to left besides its weight."""
    arm = {"base": (0.0, 0.1, 0.1), "lengths": (0.2, 0.1), "payload": 2.0, "joints_deg": (90.0, 0.0, 0.0)}
    forces = on_slope(bench_rover(arm=arm), 0.0, 0.0, 0.8, goal="commanded", torques=np.zeros(6))
    right, left = forces.normal[0, :3].sum(), forces.normal[0, 3:].sum()
    assert right + left == pytest.approx(12.0 * G, rel=1e-13)
    assert left - right == pytest.approx(2 * 2.0 * G * 0.4 / 0.6, rel=1e-12)


def test_tip_force_enters_the_balance() -> None:
    """Pressing down with 10 N at 0.5 m ahead relieves the wheels by 10 N; being pushed by 6 N asks them for -6 N."""
    arm = {"base": (0.2, 0.0, 0.0), "lengths": (0.2, 0.1), "tip_force": (6.0, 0.0, 10.0)}
    forces = on_slope(bench_rover(arm=arm), 0.0, 0.0, 0.8)
    assert forces.normal.sum() == pytest.approx(W - 10.0, rel=1e-12)
    assert forces.traction.sum() == pytest.approx(-6.0, rel=1e-12)
    rear = 2 * (0.2 * (W - 10.0) / 2 + 10.0 * 0.5 / 2) / 0.6
    still = on_slope(bench_rover(arm=arm), 0.0, 0.0, 0.8, goal="commanded", torques=np.zeros(6))
    assert still.normal[0, [0, 3]].sum() == pytest.approx(rear, rel=1e-12)
    assert still.thrust[0] == pytest.approx(6.0, rel=1e-12)


def test_a_payload_that_tips_the_rover_is_said() -> None:
    arm = {"base": (0.3, 0.0, 0.1), "lengths": (0.5, 0.5), "payload": 10.0}
    forces = on_slope(bench_rover(arm=arm), 0.0, 0.0, 0.8)
    assert forces.says().startswith("tips")
    assert forces.raw["stability"]["angle"][0] < 0


@pytest.mark.parametrize("goal", ["commanded", "least slip", "least effort", "fuzzy"])
@pytest.mark.parametrize("name", ["bench", "arm", "msl-class", "unlike sides", "wide wheels"])
def test_virtual_work_of_the_nine_coordinates(name: str, goal: str) -> None:
    """Random poses on rough ground, random torques: no work in any virtual displacement, but for the two residuals that
    the paper's assumptions leave with commanded torques, thrust and yaw, which are those reported. Relative to the
    weight 1e-9; where wheels stand off their side's plane, the correction ends at 1e-13 of weight times radius.
    """
    rovers = {
        "bench": bench_rover(center_of_mass=(0.05, 0.02, 0.08)),
        "arm": bench_rover(center_of_mass=(0.05, 0.02, 0.08), arm=ARM),
        "msl-class": rover_model(load_rover("msl-class")),
        "unlike sides": bench_rover(linkage_left={
            "form": "points", "axis": (0.0, 0.3), "pivot": (0.22, 0.19), "rear": (-0.5, 0.1), "middle": (0.0, 0.1),
            "front": (0.4, 0.1),
        }),
        "wide wheels": bench_rover(wheels={"radius": 0.1, "width": 0.12, "contact": "wide", "torque_max": 2.0}),
    }  # fmt: skip
    rover = rovers[name]
    scale = rover.table.wheels.radius / 0.1
    surface = grid_surface(ROUGH * scale, SPACING * scale)
    poses = found(find_poses(rover, surface, random_places(60, 7.0 * scale, 9)))
    assert len(poses) > 55
    weight = rover.mass * 3.71
    torques = np.random.default_rng(4).uniform(-0.2, 0.2, (len(poses), 6)) * weight * rover.table.wheels.radius
    extra = {"torques": torques} if goal == "commanded" else {}
    forces = find_forces(poses, coulomb(0.7, rover), 3.71, goal, **extra)
    for i, standing in enumerate(standing_rovers(poses, forces, 3.71)):
        work = standing.generalised_forces()
        work[0] -= forces.thrust[i]
        work[5] -= forces.yaw[i]
        np.testing.assert_allclose(work, 0.0, atol=1e-9 * weight * scale)
    left = np.abs(forces.thrust).max() / weight
    assert left > 0.01 if goal == "commanded" else left < 1e-9


def wall_friction(wheel: int) -> float:
    """Least friction with which the level test rover climbs a vertical wall with one pair of wheels, slipping alike.

    With T = mu N everywhere, the climbing wheel touching at the height of its axle (N backwards, T up), lift, bogie
    and rocker are linear in the loads; the forward balance is then an equation for mu. From the axis A: contacts
    (-0.4, -0.3), (0, -0.3), (0.4, -0.3), the one at the wall 0.1 further on and 0.1 higher; B (0.2, -0.1).
    """
    place = np.array([[-0.4, -0.3], [0.0, -0.3], [0.4, -0.3]])
    place[wheel] += [0.1, 0.1]
    normal, tangent = np.tile([0.0, 1.0], (3, 1)), np.tile([1.0, 0.0], (3, 1))
    normal[wheel], tangent[wheel] = [-1.0, 0.0], [0.0, 1.0]
    from_pivot = (place - [0.2, -0.1]) * np.array([[0.0], [1.0], [1.0]])

    def forward(friction: float) -> float:
        force = normal + friction * tangent  # per unit of load
        turn = place[:, 0] * force[:, 1] - place[:, 1] * force[:, 0]
        bogie = from_pivot[:, 0] * force[:, 1] - from_pivot[:, 1] * force[:, 0]
        loads = np.linalg.solve(np.array([force[:, 1], turn, bogie]), [1.0, 0.0, 0.0])
        return float(force[:, 0] @ loads)

    grid = np.linspace(0.02, 3.0, 3000)
    values = np.array([forward(mu) for mu in grid])
    k = np.flatnonzero((values[:-1] < 0) & (values[1:] > 0))[0]
    return float(brentq(forward, grid[k], grid[k + 1], xtol=1e-14))


@pytest.mark.parametrize(("wheel", "expected"), [(0, 2 / 3), (1, (np.sqrt(41) - 5) / 2), (2, 0.5665305)])
def test_least_friction_at_a_vertical_wall(wheel: int, expected: float) -> None:
    """Rear, middle and front pair of the level rover against a wall. The pose is put together by hand: a map of
    heights has no vertical face.
    """
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 1e3})
    poses = find_poses(rover, slope_surface(0.0, 0.0), [0.0, 0.0, 0.0])
    for side in range(2):
        poses.raw["stance"]["t"][0, 3 * side + wheel] = 1.0  # tangent of half a right angle
    forces = find_forces(poses, coulomb(1.0, rover), G)
    assert forces.slip_ratio.max() == pytest.approx(wall_friction(wheel), rel=1e-9)
    assert forces.slip_ratio.max() == pytest.approx(expected, abs=1e-6)


def test_each_verdict_names_the_constraint_that_fails() -> None:
    weak = bench_rover(wheels={"radius": 0.1, "torque_max": 0.5})
    strong = bench_rover(wheels={"radius": 0.1, "torque_max": 50.0})
    slope = np.radians(25.0)
    assert on_slope(weak, slope, 0.0, 0.8).says().startswith("saturates")
    assert on_slope(strong, slope, 0.0, 0.8).says().startswith("stands")
    assert on_slope(strong, slope, 0.0, 0.4).says().startswith("slides:")
    lifted = on_slope(strong, 0.0, 0.0, 0.8, goal="commanded", torques=[0, 0, 5.0, 0, 0, 0])
    assert lifted.says() == "lifts: a wheel would have to be pulled to the ground (front right wheel)"
    spun = on_slope(strong, 0.0, 0.0, 0.3, goal="commanded", torques=[1.0, 0, 0, 0, 0, 0])
    assert spun.says().startswith("slides:")
    assert "rear right" in spun.says()


def test_friction_may_vary_from_place_to_place() -> None:
    """Ice under the left wheels: their slip ratios use its friction, the others theirs."""
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 20.0})
    poses = find_poses(rover, slope_surface(np.radians(10.0), 0.0), [0.0, -0.3, 0.0])
    patchy = Soil(SOIL_COULOMB, coulomb_params(np.array([[0.8], [0.2]]), "cpu", first=(0.0, -0.3), spacing=(0.6, 0.6)))
    forces = find_forces(poses, patchy, G, "commanded", torques=np.full(6, 0.25))
    use = np.abs(forces.traction) / forces.normal
    np.testing.assert_allclose(forces.slip_ratio, use / np.repeat([0.8, 0.2], 3), rtol=1e-12)


def test_soil_asks_for_torque_on_flat_ground_and_limits_the_slope() -> None:
    """On a plane the tractions add up to the weight's share downhill, the torques to that and all resistances. With the
    least slip every wheel uses its grip alike: were one to use less, it could take over from another.
    """
    rover = rover_model(load_rover("mer-class"))
    lunar = SoilBekker(
        law="bekker", cohesive_modulus=1400.0, frictional_modulus=820e3, exponent=1.0, cohesion=170.0,
        friction_angle_deg=35.0, shear_modulus=0.018,
    )  # fmt: skip
    soil = soil_of(lunar, rover)
    flat = find_forces(find_poses(rover, slope_surface(0.0, 0.0), [0.0, 0.0, 0.0]), soil, 3.71)
    assert flat.traction.sum() == pytest.approx(0.0, abs=1e-7)
    assert (flat.torque > 0).all()
    # all wheels use the same share, sum of resistances over sum of tractions
    np.testing.assert_allclose(flat.slip_ratio, flat.slip_ratio[0, 0], rtol=1e-7)
    assert flat.sinkage.min() > 1e-3
    again = find_forces(
        find_poses(rover, slope_surface(0.0, 0.0), [0.0, 0.0, 0.0]), soil, 3.71, "commanded", flat.torque
    )
    np.testing.assert_allclose(again.normal, flat.normal, rtol=1e-8)
    np.testing.assert_allclose(again.traction, flat.traction, atol=1e-6)
    assert 0 < flat.slip.max() < 0.3
    climbs = []
    for slope in np.radians([2.0, 4.0, 8.0, 16.0]):
        poses = find_poses(rover, slope_surface(slope, 0.0), [0.0, 0.0, 0.0])
        forces = find_forces(poses, soil, 3.71)
        np.testing.assert_allclose(forces.slip_ratio, forces.slip_ratio[0, 0], rtol=1e-6)
        assert forces.traction.sum() == pytest.approx(rover.mass * 3.71 * np.sin(slope), rel=1e-9)
        climbs.append(forces.slip_ratio.max())
    assert np.all(np.diff(climbs) > 0)
    assert climbs[0] < 1.0 < climbs[-1]
    assert forces.says().startswith("slides:")


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ({"goal": "best"}, "least slip"),
        ({"goal": "commanded"}, "torques"),
        ({"torques": [0.0] * 6}, "torques"),
        ({"goal": "commanded", "torques": [np.nan] * 6}, "finite"),
        ({"gravity": 0.0}, "gravity"),
        ({"gravity": np.nan}, "gravity"),
    ],
)
def test_bad_tasks_are_refused(task: dict, words: str) -> None:
    rover = bench_rover()
    poses = find_poses(rover, slope_surface(0.0, 0.0), [0.0, 0.0, 0.0])
    with pytest.raises(InputError, match=words):
        find_forces(poses, coulomb(0.6, rover), **{"gravity": G, **task})
