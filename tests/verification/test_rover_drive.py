"""Drives: energy, symmetry, controllers on boulders, changes on the way."""

import numpy as np
import pytest

import planetfall
from planetfall.errors import InputError
from planetfall.rover.drive.drive import Drive, Stretch, drive
from planetfall.rover.drive.path import sample_path
from planetfall.rover.model import RoverModel, rover_model
from planetfall.rover.statics.statics import soil_of
from planetfall.scenario.drive import load_drive
from planetfall.scenario.files.rover_library import load_rover
from planetfall.scenario.tables.rover import SoilBekker, SoilCoulomb
from planetfall.world.terrain.surface import Surface
from support.rovers import bench_rover, grid_surface, slope_surface, waves

G = 9.81
SPACING = 0.05
ALONG = (np.arange(201) - 100) * SPACING


def hill(height: float = 0.5, width: float = 1.0) -> Surface:
    """A ridge across the path, symmetric about x = 0."""
    return grid_surface(np.tile(height * np.exp(-((ALONG / width) ** 2)), (201, 1)), SPACING)


def boulders(seed: int = 0) -> Surface:
    """Flat ground with forty half-sunk round rocks of 0.1 to 0.3 m across the way."""
    rng = np.random.default_rng(seed)
    fine = (np.arange(401) - 200) * 0.025
    x, y = np.meshgrid(fine, fine)
    heights = np.zeros((401, 401))
    for _ in range(40):
        cx, cy, r = rng.uniform(-3, 3), rng.uniform(-1, 1), rng.uniform(0.1, 0.3)
        inside = np.maximum(r**2 - (x - cx) ** 2 - (y - cy) ** 2, 0.0)
        heights = np.maximum(heights, 0.5 * np.sqrt(inside))
    return grid_surface(heights, 0.025)


def across(
    surface: Surface, rover: RoverModel, step: float, goal: str = "least effort", friction: float = 0.9, way: int = 1,
    half: float = 3.5,
) -> Drive:  # fmt: skip
    soil = soil_of(SoilCoulomb(law="coulomb", friction=friction), rover)
    path = sample_path([(-half * way, 0.0), (half * way, 0.0)], step)
    return drive(surface, path, [Stretch(0.0, rover, soil)], G, goal)


def test_over_a_closed_hill_the_motors_do_no_work_on_the_whole() -> None:
    """Without resistance what is spent uphill comes back downhill. Where a contact jumps from facet to facet, by 0.03
    rad here, the trapezium rule errs by load times jump times half a step, at random: first order in the step.
    """
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 20.0})
    closures = []
    for step in (0.02, 0.001):
        run = across(hill(), rover, step)
        assert run.says() == "drives all of the 7 m"
        total = run.motor_work.sum(axis=1)
        assert total.max() == pytest.approx(98.1 * 0.5, rel=0.1)
        closures.append(np.abs(total - run.rise_work).max())
        assert abs(total[-1]) < 0.02
    assert closures[0] < 1e-3 * 98.1 * 0.5
    assert closures[1] < closures[0] / 5


def test_on_soil_the_motors_pay_for_resistance_and_slip() -> None:
    rover = rover_model(load_rover("mer-class"))
    sand = SoilBekker(
        law="bekker", cohesive_modulus=1400.0, frictional_modulus=820e3, exponent=1.0, cohesion=170.0,
        friction_angle_deg=35.0, shear_modulus=0.018, slip_max=0.8,
    )  # fmt: skip
    path = sample_path([(-3.0, 0.0), (3.0, 0.0)], 0.02)
    run = drive(hill(0.1, 1.0), path, [Stretch(0.0, rover, soil_of(sand, rover))], 3.71)
    spent, lost, slipped = (work.sum(axis=1) for work in (run.motor_work, run.resistance_work, run.slip_work))
    assert lost[-1] > 50.0 and np.all(np.diff(slipped) > 0.0)
    np.testing.assert_allclose(spent - lost - slipped, run.rise_work, atol=0.01 * lost[-1])


def test_the_account_closes_on_rough_ground_around_a_curve() -> None:
    """Motors, rise and the work at contacts that are carried sideways, on ground that slopes every way. Per step the
    trapezium rule's account errs by the third power of its length, some 1e-3 J/m at 2 cm, and steps over the map's
    creases, where it would err most, are halved.
    """
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 20.0}, center_of_mass=(0.02, 0.01, 0.05))
    ground = grid_surface(waves(401, 0.025, 0.06, 2.0, 3), 0.025)
    soil = soil_of(SoilCoulomb(law="coulomb", friction=0.9), rover)
    closures = []
    for step in (0.02, 0.01):
        path = sample_path([(-3.0, -2.0), (1.0, -1.0), (1.5, 3.0)], step, corner_radius=1.5)
        run = drive(ground, path, [Stretch(0.0, rover, soil)], G)
        spent, skid = run.motor_work.sum(axis=1), run.skid_work.sum(axis=1)
        assert np.abs(skid).max() > 0.05  # without it the account would not close
        assert np.ptp(run.rise_work) > 5.0
        closures.append(np.abs(spent - skid - run.rise_work).max())
    assert closures[0] < 1e-5
    assert closures[1] < closures[0]


def test_on_a_tilted_plane_around_a_curve_the_account_closes() -> None:
    """Here everything but the turn is exact: second order in the step's angle."""
    rover = bench_rover()
    soil = soil_of(SoilCoulomb(law="coulomb", friction=0.9), rover)
    path = sample_path([(0.0, 0.0), (3.0, 0.0), (3.0, 3.0)], 0.005, corner_radius=1.5)
    run = drive(slope_surface(0.2, 2.0), path, [Stretch(0.0, rover, soil)], G)
    closure = run.motor_work.sum(axis=1) - run.skid_work.sum(axis=1) - run.rise_work
    assert np.ptp(run.rise_work) > 40.0
    assert np.abs(closure).max() < 1e-5


def test_a_drive_from_the_other_side_of_a_symmetric_hill_is_the_same() -> None:
    """Half a turn keeps the map's diagonals; every curve over distance is the same, and left is right. The path avoids
    the map's nodes, over which a wheel touches on both sides alike.
    """
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 20.0}, center_of_mass=(0.02, 0.0, 0.05))
    there, back = (across(hill(), rover, 0.0531, "least slip", way=way, half=3.517) for way in (1, -1))
    for name in ("normal", "traction", "slip_ratio", "saturation"):
        np.testing.assert_allclose(back.of_forces(name), there.of_forces(name)[:, [3, 4, 5, 0, 1, 2]], atol=1e-6)
        np.testing.assert_allclose(back.of_forces(name), there.of_forces(name), atol=1e-6)
    for name in ("pitch", "roll"):
        np.testing.assert_allclose(back.of_poses(name), there.of_poses(name), atol=1e-8)


def test_controllers_on_a_boulder_field() -> None:
    """The optimum bounds the others; the fuzzy controller lowers the worst slip ratio against equal torques."""
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 20.0})
    surface = boulders()
    worst = {}
    for goal in ("least slip", "fuzzy", "equal"):
        run = across(surface, rover, 0.02, goal, half=3.0)
        worst[goal] = np.minimum(run.of_forces("slip_ratio").max(axis=1), 3.0)
        assert (run.of_poses("status") <= 1).all()
    assert np.all(worst["least slip"] <= worst["fuzzy"] + 1e-9)
    assert np.all(worst["least slip"] <= worst["equal"] + 1e-9)
    assert worst["fuzzy"].mean() < 0.9 * worst["equal"].mean()
    assert np.mean(worst["fuzzy"] < worst["equal"] - 1e-6) > 0.9


def test_parameters_may_change_on_the_way() -> None:
    """A sample taken up in the middle: heavier by its weight from there on, and nothing else."""
    flat = grid_surface(np.zeros((201, 201)), SPACING)
    light = bench_rover()
    heavy = bench_rover(arm={"base": (0.0, 0.0, 0.1), "lengths": (0.1, 0.1), "payload": 2.0})
    soil = soil_of(SoilCoulomb(law="coulomb", friction=0.5), light)
    path = sample_path([(-2.0, 0.0), (2.0, 0.0)], 0.1)
    run = drive(flat, path, [Stretch(0.0, light, soil), Stretch(2.0, heavy, soil)], G)
    load = run.of_forces("normal").sum(axis=1)
    np.testing.assert_allclose(load, np.where(path.distance < 2.0 - 1e-9, 98.1, 98.1 + 2 * G), rtol=1e-12)
    np.testing.assert_allclose(run.time[-1], 4.0 / 0.03)


def test_a_change_that_changes_nothing_changes_no_number() -> None:
    """The work on the way to where another rover takes over counts as well, to the last bit."""
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 20.0})
    soil = soil_of(SoilCoulomb(law="coulomb", friction=0.9), rover)
    path = sample_path([(-3.5, 0.0), (3.5, 0.0)], 0.02)
    whole = drive(hill(), path, [Stretch(0.0, rover, soil)], G)
    starts = (0.0, 1.0, 1.005, 1.02, 3.0, 3.001)  # some within one step
    parts = drive(hill(), path, [Stretch(start, rover, soil) for start in starts], G)
    assert np.ptp(whole.rise_work) > 40.0
    for name in ("time", "mass", "motor_work", "resistance_work", "skid_work", "rise_work"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    np.testing.assert_array_equal(parts.of_forces("normal"), whole.of_forces("normal"))
    np.testing.assert_array_equal(parts.of_joints("wheel_L"), whole.of_joints("wheel_L"))


def test_a_payload_is_weight_where_it_is() -> None:
    """2 kg over the rear axle of a level rover of 10 kg with its centre halfway between the axles: the loads have the
    moment of both weights.
    """
    flat = grid_surface(np.zeros((201, 201)), SPACING)
    soil = SoilCoulomb(law="coulomb", friction=0.5)
    rover = bench_rover(payload=2.0, payload_position=(-0.4, 0.0, 0.1))
    assert rover.mass == 12.0
    np.testing.assert_allclose(rover.center_of_mass_B, [-0.8 / 12, 0.0, 0.2 / 12])
    path = sample_path([(-0.5, 0.0), (0.5, 0.0)], 0.5)
    run = drive(flat, path, [Stretch(0.0, rover, soil_of(soil, rover))], G)
    loads, arms = run.of_forces("normal"), np.array([-0.4, 0.0, 0.4, -0.4, 0.0, 0.4])
    np.testing.assert_allclose(loads.sum(axis=1), 12.0 * G, rtol=1e-12)
    np.testing.assert_allclose(loads @ arms, -0.8 * G, rtol=1e-9)


def test_a_drive_stops_where_it_must_and_says_why() -> None:
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 20.0})
    steep = across(hill(), rover, 0.02, "least slip", friction=0.3)
    assert steep.stop is not None
    assert steep.says().startswith("stops after")
    assert "slides" in steep.says()
    beyond = across(hill(), rover, 0.02, "least slip", half=6.0)
    assert beyond.says() == "stops after 0 m: a wheel is off the map"


@pytest.mark.parametrize(("friction", "mode"), [(0.5, 1), (0.3, 2)])
def test_wheels_that_slide_aside_are_recorded_as_sliding(friction: float, mode: int) -> None:
    """Along a slope of 0.4 every wheel needs its tangent across, and nothing along its rim."""
    scenario = load_drive("lsr1-flat").with_values(
        {
            "terrain": {"model": "plane", "slope_deg": float(np.degrees(np.arctan(0.4))), "aspect_deg": 180.0},
            "soil": {"law": "coulomb", "friction": friction},
            "path": {"waypoints": [[0.0, 0.0], [1.0, 0.0]]},
            "drive.stop": False,
        }
    )
    data = planetfall.drive(scenario).data
    np.testing.assert_allclose(data.wheel_friction_used, 0.4 / friction, rtol=1e-9)
    assert float(data.wheel_slip_ratio.max()) < 1.0
    assert np.all(data.contact_mode == mode)


def test_bad_stretches_are_refused() -> None:
    rover = bench_rover()
    soil = soil_of(SoilCoulomb(law="coulomb", friction=0.5), rover)
    path = sample_path([(0.0, 0.0), (1.0, 0.0)], 0.1)
    for starts in ([], [0.5], [0.0, 0.0], [0.0, 1.0]):
        with pytest.raises(InputError, match="stretches"):
            drive(hill(), path, [Stretch(start, rover, soil) for start in starts], G)
    with pytest.raises(InputError, match="commanded"):
        drive(hill(), path, [Stretch(0.0, rover, soil)], G, "commanded")
