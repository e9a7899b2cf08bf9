"""Poses of the rocker-bogie: the paper's equations, planes in closed form, rough ground, steps and ditches."""

import numpy as np
import pytest

from oracles.rocker_bogie import Links, seven_equations
from planetfall.errors import InputError
from planetfall.rover.kinematics.forward import joints_of
from planetfall.rover.kinematics.poses import Poses, every_pose, find_poses, heading_yaw
from planetfall.rover.model import RoverModel, rover_model
from planetfall.scenario.files.rover_library import load_rover
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.surface import Surface
from support.rovers import TEST_LINKS, bench_rover, grid_surface, random_places, slope_surface, waves

SPACING = 0.05
GENTLE = waves(401, SPACING, 0.05, 1.2, 0)
ROUGH = waves(401, SPACING, 0.10, 1.0, 5) + np.random.default_rng(2).normal(size=(401, 401)) * 0.01


def step_ground(height: float, spacing: float = 0.02) -> Surface:
    """A step up at x = 0, as steep as one cell allows."""
    along = (np.arange(201) - 100) * spacing
    return grid_surface(np.tile(np.where(along > spacing / 10, height, 0.0), (201, 1)), spacing)


def ditch_ground(width: float, depth: float, spacing: float = 0.02) -> Surface:
    along = (np.arange(201) - 100) * spacing
    return grid_surface(np.tile(np.where(np.abs(along) < width / 2, -depth, 0.0), (201, 1)), spacing)


def links_of(rover: RoverModel) -> Links:
    side = rover.sides[0]
    (l1, l2, l3, l4), (gamma, alpha, _, beta) = side.lengths, side.angles
    return Links(l1, l2, l3, l4, alpha, beta, gamma, rover.table.track)


def clearances(poses: Poses, surface: Surface, n: int = 181) -> np.ndarray:
    """Height of the rims over the ground [pose, wheel, n], from forward kinematics and the terrain's own query."""
    joints = joints_of(poses)
    forward = np.column_stack([np.cos(poses.places[:, 2]), np.sin(poses.places[:, 2]), np.zeros(len(poses))])
    left = joints.axis_L[:, 1] - joints.axis_L[:, 0]
    up = np.cross(forward, left / np.linalg.norm(left, axis=1)[:, None])
    theta = np.linspace(-np.pi / 2, np.pi / 2, n)
    rim = np.sin(theta)[None, :, None] * forward[:, None] - np.cos(theta)[None, :, None] * up[:, None]
    points = joints.wheel_L[:, :, None] + poses.rover.table.wheels.radius * rim[:, None]
    gaps, normals, _ = surface.ask(points.reshape(-1, 3))
    return (gaps / normals[:, 2]).reshape(len(poses), 6, n)


def test_the_papers_equations_hold() -> None:
    """(1) to (7), the sign of the last corrected, on rough ground; rounding of lengths of a metre, and the tolerance of
    the contact enters nowhere: the equations are those of the mechanism.
    """
    rover = bench_rover()
    poses = find_poses(rover, grid_surface(ROUGH, SPACING), random_places(400, 8.0, 1))
    assert poses.is_found.all()
    heights = joints_of(poses).wheel_L[:, :, 2]
    links = links_of(rover)
    worst = [
        np.abs(seven_equations(links, roll, pitch, theta, z)).max()
        for roll, pitch, theta, z in zip(poses.roll, poses.pitch, poses.theta, heights, strict=True)
    ]
    assert max(worst) < 1e-12


def test_as_printed_the_last_equation_fails() -> None:
    """With + l4 sin(Theta4 + beta), (7) is off by 2 l4 |sin(Theta4 + beta)| cos(roll): 0.2 m on flat ground."""
    rover = bench_rover()
    poses = find_poses(rover, slope_surface(0.0, 0.0), [0.0, 0.0, 0.0])
    links = links_of(rover)
    z = joints_of(poses).wheel_L[0, :, 2]
    right = seven_equations(links, 0.0, 0.0, poses.theta[0], z)
    printed = right[6] - 2 * links.l4 * np.sin(poses.theta[0, 3] + links.beta)
    assert abs(right[6]) < 1e-15
    assert printed == pytest.approx(0.2, abs=1e-12)


@pytest.mark.parametrize("name", ["lsr-1", "msl-class", "mer-class"])
def test_plane_of_any_tilt(name: str) -> None:
    """On a plane all joints keep their flat angles relative to each other: rockers and bogies pitch alike.

    With the plane's normal n in the heading frame (forward, left, up), the roll is atan2(n_left, n_up) and the pitch
    asin(-n_forward). Sixteen headings, slopes of up to 66 degrees: far beyond those on which a rover stands.
    """
    rover = rover_model(load_rover(name))
    for slope in (0.0, 0.2, 0.6, 0.9, 1.15):
        for heading in np.arange(16) * np.pi / 8:
            poses = find_poses(rover, slope_surface(slope, 0.0), [0.3, -0.2, heading])
            n_forward, n_left = -np.sin(slope) * np.cos(heading), np.sin(slope) * np.sin(heading)
            roll, pitch = np.arctan2(n_left, np.cos(slope)), np.arcsin(-n_forward)
            assert poses.status[0] == 0
            assert poses.roll[0] == pytest.approx(roll, abs=1e-12)
            np.testing.assert_allclose(poses.joint_pitch[0], pitch, atol=1e-11)
            np.testing.assert_allclose(poses.contact_angle[0], pitch, atol=1e-11)


def test_no_wheel_is_below_ground() -> None:
    """Discs tilted with the rover, placed by forward kinematics, against the map's own gaps: 1e-11 m is the solver's
    tolerance; a rim sampled at every degree touches within r (pi/180) times the steepest slope, about 1.
    """
    surface, rover = grid_surface(ROUGH, SPACING), bench_rover()
    poses = find_poses(rover, surface, random_places(300, 8.0, 3))
    assert poses.is_found.all()
    assert np.degrees(np.abs(poses.roll)).max() > 15
    clear = clearances(poses, surface)
    assert clear.min() > -1e-9
    assert clear.min(axis=2).max() < 0.1 * np.pi / 180


def test_wide_wheels_keep_all_their_rims_above_ground() -> None:
    surface = grid_surface(ROUGH, SPACING)
    rover = bench_rover(wheels={"radius": 0.1, "width": 0.12, "contact": "wide", "torque_max": 2.0})
    poses = find_poses(rover, surface, random_places(200, 8.0, 3))
    assert poses.is_found.sum() >= 199
    kept = Poses(rover, poses.places[poses.is_found], poses.raw[poses.is_found])
    left = joints_of(kept).axis_L[:, 1] - joints_of(kept).axis_L[:, 0]
    left /= np.linalg.norm(left, axis=1)[:, None]
    touching = np.full((len(kept), 6), np.inf)
    for off in (-0.06, 0.0, 0.06):
        shifted = kept.raw.copy()
        moved = Poses(rover, kept.places + off * np.column_stack([left[:, :2], np.zeros(len(kept))]), shifted)
        shifted["stance"]["ground"][:, 1] += off * left[:, 2]
        clear = clearances(moved, surface)
        assert clear.min() > -1e-9
        touching = np.minimum(touching, clear.min(axis=2))
    assert touching.max() < 0.1 * np.pi / 180


def test_decoupled_method_is_within_one_percent_of_newton() -> None:
    """The paper's figures, over 10,000 poses on smooth ground (slopes of up to 18 degrees): less than one percent of
    the wheel's diameter in the mean after one pass, for every wheel after two, and not more than ten repetitions.
    """
    surface, rover, places = grid_surface(GENTLE, SPACING), bench_rover(), random_places(10000, 8.5, 1)
    newton = find_poses(rover, surface, places)
    assert (newton.status == 0).all()
    wheels, percent = joints_of(newton).wheel_L, 100 / (2 * rover.table.wheels.radius)
    one, two = (find_poses(rover, surface, places, "decoupled", passes) for passes in (1, 2))
    errors = [np.linalg.norm(joints_of(d).wheel_L - wheels, axis=2) * percent for d in (one, two)]
    assert errors[0].mean() < 1.0
    assert errors[1].max() < 1.0
    assert two.iterations.max() <= 10
    assert errors[1].mean() < errors[0].mean() / 5  # a second pass is worth its while


def test_a_rover_driven_backwards_is_one_with_its_bogie_at_the_other_end() -> None:
    """The same steel, named from the other end: the middle right wheel becomes the middle left one."""
    surface = grid_surface(ROUGH, SPACING)
    front = rover_model(load_rover("mer-class", {"center_of_mass": (0.0, 0.0, 0.1), "bogie": "rear"}))
    points = front.table.linkage.model_dump()
    mirrored = {"form": "points", **{
        a: (-points[b][0], points[b][1]) for a, b in
        (("axis", "axis"), ("pivot", "pivot"), ("rear", "front"), ("middle", "middle"), ("front", "rear"))
    }}  # fmt: skip
    other = rover_model(load_rover("mer-class", {"linkage": mirrored, "bogie": "front"}))
    one = find_poses(front, surface, random_places(100, 8.0, 4))
    joints = joints_of(one)
    places = np.column_stack([joints.wheel_L[:, 4, :2], one.places[:, 2] + np.pi])
    two = find_poses(other, surface, places)
    kept = one.is_found & two.is_found
    assert kept.sum() >= 99
    np.testing.assert_allclose(two.roll[kept], -one.roll[kept], atol=1e-9)
    np.testing.assert_allclose(two.joint_pitch[kept], -one.joint_pitch[kept][:, [2, 3, 0, 1]], atol=1e-9)


def test_a_scene_turned_by_half_and_moved_is_the_same() -> None:
    """Half a turn keeps the diagonals of the map's cells, so that the facets are the same ones; rounding only."""
    rover, places = bench_rover(), random_places(100, 5.0, 6)
    one = find_poses(rover, grid_surface(ROUGH, SPACING), places)
    turned = np.column_stack([-places[:, :2] + 100.0, places[:, 2] + np.pi])
    origin = np.array([100.0 - 200 * SPACING, 100.0 - 200 * SPACING, 7.0])
    other = dem_surface(ROUGH[::-1, ::-1], origin, (SPACING, SPACING), "cpu")
    two = find_poses(rover, other, turned)
    assert one.is_found.all()
    np.testing.assert_allclose(two.raw["q"], one.raw["q"], atol=1e-9)


@pytest.mark.parametrize(("height", "least"), [(0.2, 1), (0.3, 1), (0.5, 2)])
def test_several_poses_on_a_step_are_all_found(height: float, least: int) -> None:
    """Before a high step a bogie may stand against it or on top: more than one pose, each with all wheels on the
    ground, and the one that the solver takes is among them.
    """
    surface, rover = step_ground(height), bench_rover()
    counts = []
    for x in np.linspace(-0.5, 0.5, 26):
        place = [x, 0.0, 0.0]
        poses, one = every_pose(rover, surface, place), find_poses(rover, surface, place)
        counts.append(len(poses))
        if len(poses):
            assert clearances(poses, surface).min() > -1e-9
            assert poses.residual.max() < 1e-10
            if one.is_found[0]:
                assert np.abs(poses.raw["q"] - one.raw["q"]).max(axis=1).min() < 1e-6
    assert max(counts) > 1
    assert sum(count > 1 for count in counts) >= least


def symmetric_poses(profile: np.ndarray, spacing: float, x: float) -> list[tuple[float, float]]:
    """Rocker and bogie pitch of every pose with both sides alike on a profile [m], by changes of sign over two angles.

    Oracle for the test geometry: the bogie's angle sets the front wheel down, then the rocker's the rear one. The
    disc's envelope is sampled at every quarter of a degree.
    """
    along = (np.arange(len(profile)) - len(profile) // 2) * spacing
    theta = np.linspace(-np.pi / 2, np.pi / 2, 721)

    def rest(at: np.ndarray) -> np.ndarray:
        under = np.atleast_1d(at)[:, None] + 0.1 * np.sin(theta)
        return (np.interp(under, along, profile) + 0.1 * np.cos(theta)).max(axis=1)

    def turned(link: tuple[float, float], angle: np.ndarray) -> np.ndarray:
        c, s = np.cos(angle), np.sin(angle)
        return np.stack([c * link[0] - s * link[1], s * link[0] + c * link[1]], axis=-1)

    def roots(excess: np.ndarray, angle: np.ndarray) -> np.ndarray:
        k = np.flatnonzero((excess[:-1] < 0) != (excess[1:] < 0))
        return angle[k]

    angle = np.linspace(-1.2, 1.2, 2400)
    middle = np.array([x, rest(np.array([x]))[0]])
    front = middle + turned((0.2, -0.1), angle) - turned((-0.2, -0.1), angle)
    found = []
    for bogie in roots(front[:, 1] - rest(front[:, 0]), angle):
        rear = middle - turned((-0.2, -0.1), bogie) - turned((0.2, -0.1), angle) + turned((-0.4, -0.2), angle)
        found += [(float(rocker), float(bogie)) for rocker in roots(rear[:, 1] - rest(rear[:, 0]), angle)]
    return found


@pytest.mark.parametrize("height", [0.2, 0.5, 0.7])
def test_poses_before_a_step_are_those_of_a_search_over_all_angles(height: float) -> None:
    """Where the search finds no pose the solver says so; where it finds one with both sides alike, so does the
    solver, within the search's grid of 1e-3 rad, times a few for the way from bogie to rocker.
    """
    along = (np.arange(201) - 100) * 0.02
    profile = np.where(along > 0.002, height, 0.0)
    surface, rover = grid_surface(np.tile(profile, (201, 1)), 0.02), bench_rover()
    n_none = 0
    for x in np.linspace(-0.52, 0.52, 14):
        expected = symmetric_poses(profile, 0.02, x)
        poses = find_poses(rover, surface, [x, 0.0, 0.0])
        n_none += not expected
        assert poses.is_found[0] == bool(expected), (x, poses.says())
        if expected and abs(poses.roll[0]) < 1e-9:
            near = np.abs(np.array(expected) - poses.joint_pitch[0, :2]).max(axis=1).min()
            assert near < 1e-2
    assert (n_none > 0) == (height > 0.3)


def test_a_ditch_traps_or_does_not() -> None:
    """Narrower than a wheel's chord it is rolled over: edges 0.08 m apart let a wheel of 0.1 m down by 8 mm, a bogie by
    0.021 rad. Wider, wheels go down; deeper than the links reach, none stands.
    """
    rover, xs = bench_rover(), np.linspace(-0.8, 0.8, 81)
    places = np.column_stack([xs, np.zeros((81, 2))])
    narrow = find_poses(rover, ditch_ground(0.06, 0.5), places)
    assert narrow.is_found.all()
    assert np.abs(narrow.joint_pitch).max() < 0.0211
    wide = find_poses(rover, ditch_ground(0.5, 0.2), places)
    assert wide.is_found.all()
    assert np.abs(wide.joint_pitch).max() > 0.3
    deep = find_poses(rover, ditch_ground(0.5, 1.5), places)
    assert (deep.status == 2).any()


def test_stops_limit_the_joints() -> None:
    surface, place = step_ground(0.15), [-0.22, 0.0, 0.0]
    free = find_poses(bench_rover(), surface, place)
    turn = abs(free.joint_pitch[0, 1] - free.joint_pitch[0, 0])
    assert turn > np.radians(5)
    stopped = find_poses(bench_rover(bogie_stop_deg=np.degrees(turn) * 0.9), surface, place)
    assert stopped.status[0] == 5
    assert find_poses(bench_rover(bogie_stop_deg=np.degrees(turn) * 1.1), surface, place).status[0] == 0


def test_missing_ground_is_said() -> None:
    heights = np.zeros((201, 201))
    heights[100, 110] = np.nan
    surface = grid_surface(heights, 0.02)
    poses = find_poses(bench_rover(), surface, [[0.2, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 3.0, 0.0], [1.95, 0.0, 0.0]])
    assert [int(s) for s in poses.status] == [4, 0, 3, 3]


def test_links_that_differ_from_side_to_side() -> None:
    """A longer left rocker: level on flat ground all the same, and the equations of each side are its own."""
    left = {**TEST_LINKS, "rear": (-0.55, 0.1)}
    rover = bench_rover(linkage=TEST_LINKS, linkage_left=left)
    flat = find_poses(rover, slope_surface(0.0, 0.0), [0.0, 0.0, 0.7])
    np.testing.assert_allclose(flat.raw["q"], 0.0, atol=1e-14)
    surface = grid_surface(ROUGH, SPACING)
    poses = find_poses(rover, surface, random_places(50, 8.0, 7))
    assert poses.is_found.all()
    assert clearances(poses, surface).min() > -1e-9
    wheels = joints_of(poses).wheel_L
    for (a, b), length in {(0, 1): 0.4, (3, 4): 0.55}.items():
        assert np.ptp(np.linalg.norm(wheels[:, a] - wheels[:, b], axis=1)) > 0.001, length
    axis, pivot = joints_of(poses).axis_L, joints_of(poses).pivot_L
    np.testing.assert_allclose(np.linalg.norm(wheels[:, 3] - axis[:, 1], axis=1), np.hypot(0.55, 0.2), rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(wheels[:, 5] - pivot[:, 1], axis=1), np.hypot(0.2, 0.1), rtol=1e-12)


def test_headings_are_read_from_north() -> None:
    np.testing.assert_allclose(heading_yaw([0.0, 90.0, 180.0]), [np.pi / 2, 0.0, -np.pi / 2], atol=1e-15)


@pytest.mark.parametrize("places", [[0.0, 0.0], [[0.0, 0.0, np.nan]], [[[0.0, 0.0, 0.0]]]])
def test_bad_places_are_refused(places: list) -> None:
    with pytest.raises(InputError, match="places"):
        find_poses(bench_rover(), slope_surface(0.0, 0.0), places)


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(InputError, match="newton or decoupled"):
        find_poses(bench_rover(), slope_surface(0.0, 0.0), [0.0, 0.0, 0.0], method="guess")
