"""The small-body law against closed forms: stick, restitution, a ball that starts to roll, inclines, a cube at rest."""

import numpy as np
import pytest

from planetfall.engine.build import build
from planetfall.engine.run import run_batch
from planetfall.errors import InputError
from planetfall.report.run.small_body_figures import sliding_speed
from planetfall.scenario.files.load import load, scenario_from_dict
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.contact.distributed import damping_ratio, restitution_of
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.simulate import run
from support.random_states import random_inertia, random_quaternion

FAR_FROM_ANY_LIMIT = 1e6


def scene(vehicle: dict, contact: dict, **tables: dict) -> Scenario:
    """One vehicle on a plane."""
    return scenario_from_dict(
        {
            "scenario": {"name": "test", "duration": 1.0},
            "gravity": {"model": "none"},
            "terrain": {"model": "plane"},
            "vehicle": {"name": "test vehicle", "mass": 1.2, "inertia": [0.008, 0.008, 0.008], **vehicle},
            "contact": {
                "law": "distributed", "stiffness": 250.0, "damping": 0.0, "friction": 0.5, **contact,
            },
            "integrator": {"method": "adaptive", "tolerance": 1e-10},
            **tables,
        }
    )  # fmt: skip


def one_point(position: list[float]) -> dict:
    """A single vertex."""
    return {"points": [{"name": "vertex", "position": position}]}


@pytest.mark.parametrize("seed", range(4))
def test_stick_keeps_the_application_point(seed):
    """A point that does not slide, on a spinning target: its tangential velocity grows as h^2, so over h it vanishes.

    The sum of all accelerations is of the order of 1 m/s^2 here, and its rate of the order of 10 /s times that. The
    centre of mass may lie below its only point, which is refused of a vehicle and matters to no formula.
    """
    rng = np.random.default_rng(seed)
    inertia, q, arm = random_inertia(rng) * 0.01, random_quaternion(rng), rng.normal(size=3) * 0.1
    omega, spin = rng.normal(size=3), rng.normal(size=3)
    R = rotation_matrix(q)
    velocity = -np.cross(R @ omega, R @ arm)  # the vertex stands still
    position = np.array([0.3, -0.2, -0.01]) - R @ arm
    h = 1e-7
    scenario = scene(
        {**one_point(arm.tolist()), "inertia": inertia.tolist()},
        {"friction": FAR_FROM_ANY_LIMIT, "slip_speed": 1e3, "damping": 2.0},
        scenario={"name": "test", "duration": h},
        gravity={"model": "uniform", "acceleration": 0.7},
        target={
            "name": "none", "spin_rate": float(np.linalg.norm(spin)),
            "spin_axis": (spin / np.linalg.norm(spin)).tolist(),
        },
        initial={
            "position": position.tolist(), "velocity": velocity.tolist(), "attitude": q.tolist(),
            "angular_velocity": omega.tolist(),
        },
        integrator={"method": "rk4", "step": h, "accept_step": True},
    )  # fmt: skip
    model = build(scenario, is_recorded=False, is_checked=False)
    end = run_batch(model, model.initial_state[None])
    frictionless = build(scenario.with_values({"contact.friction": 0.0}), is_recorded=False, is_checked=False)
    free = run_batch(frictionless, model.initial_state[None])
    held, moved = (_point_velocity(result.state[0], arm)[:2] / h for result in (end, free))
    assert np.linalg.norm(moved) > 0.1  # what friction has to hold
    assert np.linalg.norm(held) < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_rolling_stick_keeps_the_attitude(seed):
    """On a spinning target, at omega = 0: torque and friction of all else are answered, to the order of h.

    Without rolling resistance it would turn by 1 rad/s^2 and more: spring, weight and stick.
    """
    rng = np.random.default_rng(seed + 10)
    inertia, q, arm = random_inertia(rng) * 0.01, random_quaternion(rng), rng.normal(size=3) * 0.1
    spin = rng.normal(size=3)
    R, h = rotation_matrix(q), 1e-7
    scenario = scene(
        {**one_point(arm.tolist()), "inertia": inertia.tolist()},
        {"friction": FAR_FROM_ANY_LIMIT, "rolling_resistance": 100.0, "slip_speed": 1e3, "roll_rate": 1e3},
        scenario={"name": "test", "duration": h},
        gravity={"model": "uniform", "acceleration": 0.7},
        target={
            "name": "none", "spin_rate": float(np.linalg.norm(spin)),
            "spin_axis": (spin / np.linalg.norm(spin)).tolist(),
        },
        initial={"position": (np.array([0.0, 0.0, -0.01]) - R @ arm).tolist(), "attitude": q.tolist()},
        integrator={"method": "rk4", "step": h, "accept_step": True},
    )  # fmt: skip
    model = build(scenario, is_recorded=False)
    state = run_batch(model, model.initial_state[None]).state[0]
    rolls = build(scenario.with_values({"contact.rolling_resistance": 0.0}), is_recorded=False)
    free = run_batch(rolls, model.initial_state[None]).state[0]
    assert np.linalg.norm(free[10:13]) / h > 1.0  # what rolling resistance has to hold
    assert np.linalg.norm(state[10:13]) / h < 1e-6
    assert np.linalg.norm(_point_velocity(state, arm)[:2]) / h < 1e-6


@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.40474, 0.9])
def test_restitution_of_a_central_impact(ratio):
    """e = exp(-zeta acos(zeta)/sqrt(1 - zeta^2)), without gravity."""
    k, m = 250.0, 1.2
    scenario = scene(
        one_point([0.0, 0.0, 0.0]),
        {"damping": 2.0 * ratio * np.sqrt(k * m)},
        scenario={"name": "test", "duration": 4.0},
        initial={"position": [0.0, 0.0, 0.05], "velocity": [0.0, 0.0, -0.05]},
    )
    model = build(scenario, is_recorded=False)
    end = run_batch(model, model.initial_state[None])
    assert end.state[0, 5] / 0.05 == pytest.approx(restitution_of(ratio), rel=1e-7)
    assert end.penetration[0] == pytest.approx(restitution_of(ratio) * 0.05 / np.sqrt(k / m), rel=1e-4)


@pytest.mark.parametrize("is_sticking", [False, True])
def test_restitution_at_a_corner(is_sticking):
    """The mass that a corner feels is 1/(n K n) without friction, and less the part that stick takes with it.

    Stiff springs keep the turn during the impact, and hence the change of the arm, at 1e-5. It touches after 2 ms and
    has left within 0.05 ms; there the run ends, before the corner has turned on.
    """
    k, m, ratio = 2.5e9, 1.2, 0.3
    arm, inertia = np.array([0.1, 0.04, -0.07]), np.diag([0.008, 0.007, 0.009])
    skew = np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
    K = np.eye(3) / m - skew @ np.linalg.inv(inertia) @ skew
    felt = K[2, 2] - (K[2, :2] @ np.linalg.solve(K[:2, :2], K[:2, 2]) if is_sticking else 0.0)
    scenario = scene(
        {**one_point(arm.tolist()), "inertia": inertia.tolist()},
        {
            "stiffness": k, "damping": 2.0 * ratio * np.sqrt(k / felt), "friction": 1e4 if is_sticking else 0.0,
            "slip_speed": 1e3,
        },
        scenario={"name": "test", "duration": 0.00205},
        initial={"position": [0.0, 0.0, 0.0701], "velocity": [0.0, 0.0, -0.05]},
    )  # fmt: skip
    model = build(scenario, is_recorded=False)
    state = run_batch(model, model.initial_state[None]).state[0]
    after = _point_velocity(state, arm)
    corner = state[:3] + rotation_matrix(state[6:10]) @ arm
    assert corner[2] > 0.0  # it has left the ground
    assert after[2] / 0.05 == pytest.approx(restitution_of(ratio), abs=1e-4)


def test_ball_that_grips_keeps_five_sevenths():
    """A solid ball lands sliding and grips: 5/7 of its speed is left, whatever the friction that got it there.

    Its vertex turns with it while it grips, for a time that falls as the root of the stiffness; two stiffnesses take
    that out, and leave its square, 1e-9.
    """
    m, r, v = 1.0, 0.1, 0.1
    speeds = []
    for stiffness in (1e12, 4e12):
        scenario = scene(
            {**one_point([0.0, 0.0, -r]), "mass": m, "inertia": [0.4 * m * r * r] * 3},
            {"stiffness": stiffness, "damping": 0.0, "friction": 3.0, "slip_speed": 1e-3},
            scenario={"name": "test", "duration": 0.002},
            initial={"position": [0.0, 0.0, r + 1e-4], "velocity": [v, 0.0, -0.5]},
        )
        model = build(scenario, is_recorded=False)
        speeds.append(run_batch(model, model.initial_state[None]).state[0, 3])
    assert 2 * speeds[1] - speeds[0] == pytest.approx(5.0 / 7.0 * v, rel=1e-6)


def test_incline_below_friction_angle_holds():
    """Below atan(mu), with C_RR = 0: stick answers gravity exactly, and no creep is left."""
    slope = np.radians(20.0)
    tilt = [0.0, float(np.sin(slope / 2)), 0.0, float(np.cos(slope / 2))]
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])
    scenario = scene(
        {"name": "cube", "points": cube_points()},
        {"damping": 14.0},
        scenario={"name": "test", "duration": 400.0},
        gravity={"model": "uniform", "acceleration": 5.8e-3},
        terrain={"model": "plane", "slope_deg": 20.0, "aspect_deg": 90.0},
        initial={"position": (normal * 0.1).tolist(), "attitude": tilt},
    )
    model = build(scenario, is_recorded=False)
    end = run_batch(model, model.initial_state[None])
    assert np.linalg.norm(end.state[0, 3:6]) < 1e-9


def test_incline_above_friction_angle_slides():
    """Above atan(mu): g (sin - mu cos), once the springs have come to rest."""
    slope, g, mu = np.radians(40.0), 5.8e-3, 0.5
    tilt = [0.0, float(np.sin(slope / 2)), 0.0, float(np.cos(slope / 2))]
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])
    scenario = scene(
        {"name": "cube", "points": cube_points()},
        {"damping": 14.0, "friction": mu},
        scenario={"name": "test", "duration": 60.0},
        gravity={"model": "uniform", "acceleration": g},
        terrain={"model": "plane", "slope_deg": 40.0, "aspect_deg": 90.0},
        initial={"position": (normal * 0.1).tolist(), "attitude": tilt},
        record={"interval": 1.0},
    )
    data = run(scenario).data
    along = data.velocity.values[:, 0] @ np.array([np.cos(slope), 0.0, -np.sin(slope)])
    late = data.time.values > 40.0
    rate = np.polyfit(data.time.values[late], along[late], 1)[0]
    assert rate == pytest.approx(g * (np.sin(slope) - mu * np.cos(slope)), rel=1e-5)


def test_stick_slides_in_proportion_to_its_tolerance():
    """VanWal2017, Figure 9 below: a narrower transition from slip to stick is closer to stick.

    In stick the force that is left to do is a share of the load, which eta gives at a speed proportional to v* where
    it is small; eta bends by 2 % at 2 % of v*, and which corners touch changes little.
    """
    slides = {
        v: sliding_speed(
            run(
                load("cube-phobos").with_values(
                    {
                        "scenario.duration": 0.09, "record.interval": 0.002, "contact.slip_speed": v,
                        "initial.position": [0.0, 0.0, 0.1007], "initial.velocity": [0.0, 0.005, -0.03],
                        "initial.attitude": [0.0027, -0.0008, 0.0, 0.9999960],
                        "initial.angular_velocity": [0.0, 0.0, -0.043],
                    }
                )
            )
        )
        for v in (3e-3, 1e-3, 3e-4)
    }  # fmt: skip
    least = {v: np.nanmin(speeds) / v for v, speeds in slides.items()}
    assert least[1e-3] == pytest.approx(least[3e-4], rel=0.05)
    assert least[3e-3] == pytest.approx(least[3e-4], rel=0.1)
    assert least[3e-4] < 0.03


@pytest.mark.parametrize("name", ["cube-phobos", "cube-67p", "cube-itokawa"])
def test_cube_settles_on_a_face(name):
    """Rest energy m g a/2 - (m g)^2/(8 k), an account that closes, energy that never rises."""
    trajectory = run(load(name))
    summary, mg = trajectory.summary, 1.2 * trajectory.scenario.gravity.acceleration
    assert summary["outcome"] == "settled"
    assert summary["energy_end_J"] == pytest.approx(mg * 0.1 - mg**2 / (8 * 250.0), rel=1e-6)
    assert summary["energy_rise_J"] < 1e-6 * summary["energy_start_J"]
    assert summary["energy_closure_J"] < 1e-6 * summary["energy_start_J"]
    assert (trajectory.data.contact_mode.values[-1] == 1).sum() == 4
    for work in ("work_damper", "work_friction", "work_rolling"):
        assert trajectory.data[work].values[-1] < 0.0


def test_a_cube_at_rest_stays_at_rest_on_a_spinning_target():
    """Ground that turns as 67P does, a kilometre from its centre: friction holds what the frame pushes.

    The centrifugal acceleration, up to 2e-5 m/s^2, tilts gravity of 2e-4 by some degrees, far below atan(mu). It
    starts as if it were not there: what the springs then ring is damped, and the cube creeps by a share of slip_speed.
    """
    spin, mg = 1.4e-4, 1.2 * 2e-4
    scenario = scene(
        {"name": "cube", "points": cube_points()},
        {"damping": 14.0, "rolling_resistance": 1e-3},
        scenario={"name": "test", "duration": 2000.0},
        gravity={"model": "uniform", "acceleration": 2e-4},
        target={"name": "none", "spin_rate": spin, "spin_axis": [0.0, 0.6, 0.8], "radius": 1000.0},
        initial={"position": [0.0, 0.0, 0.1 - mg / (4 * 250.0)]},
    )
    model = build(scenario, is_recorded=False)
    state = run_batch(model, model.initial_state[None]).state[0]
    assert np.linalg.norm(state[3:6]) < 1e-9 and np.linalg.norm(state[10:13]) < 1e-9
    assert np.linalg.norm(state[:2]) < 1e-4


def test_restitution_and_depth_give_the_spring():
    """k = m (e v/x)^2 and c = 2 zeta sqrt(k m): the impact asked for is the impact seen."""
    scenario = scene(
        one_point([0.0, 0.0, 0.0]),
        {"stiffness": None, "damping": None, "restitution": 0.6, "impact_speed": 0.05, "impact_depth": 0.002},
        scenario={"name": "test", "duration": 4.0},
        initial={"position": [0.0, 0.0, 0.05], "velocity": [0.0, 0.0, -0.05]},
    )
    model = build(scenario, is_recorded=False)
    end = run_batch(model, model.initial_state[None])
    assert end.state[0, 5] == pytest.approx(0.03, rel=1e-7)
    assert end.penetration[0] == pytest.approx(0.002, rel=1e-4)
    assert damping_ratio(0.6) == pytest.approx(0.40474, abs=5e-6)
    assert restitution_of(damping_ratio(0.2)) == pytest.approx(0.2, rel=1e-12)


def test_restitution_with_a_stiffness_gives_the_damping_alone():
    """c = 2 zeta(e) sqrt(k m); the depth follows, x = e v sqrt(m/k), and so does the rebound, e v."""
    for e in (0.2, 0.8):
        scenario = scene(
            one_point([0.0, 0.0, 0.0]),
            {"stiffness": 250.0, "damping": None, "restitution": e},
            scenario={"name": "test", "duration": 4.0},
            initial={"position": [0.0, 0.0, 0.05], "velocity": [0.0, 0.0, -0.05]},
        )
        model = build(scenario, is_recorded=False)
        end = run_batch(model, model.initial_state[None])
        assert end.state[0, 5] == pytest.approx(0.05 * e, rel=1e-7)
        assert end.penetration[0] == pytest.approx(0.05 * e * np.sqrt(scenario.vehicle.mass / 250.0), rel=1e-4)
    with pytest.raises(InputError, match=r"contact\.stiffness: .*stiffness, restitution; restitution, impact_speed"):
        scene(one_point([0.0, 0.0, 0.0]), {"restitution": 0.5})


def test_rolling_resistance_beyond_the_bound_is_refused():
    """C_RR <= mu I_min/(m r_max), or its companion force may leave the friction cone."""
    with pytest.raises(InputError, match=r"rolling_resistance: .*beyond mu I_min.*lower it, or raise"):
        scene({"name": "cube", "points": cube_points()}, {"rolling_resistance": 0.05})


def _point_velocity(state: np.ndarray, arm: np.ndarray) -> np.ndarray:
    R = rotation_matrix(state[6:10])
    return state[3:6] + np.cross(R @ state[10:13], R @ arm)


def cube_points() -> list[dict]:
    """Corners of a cube of 0.2 m."""
    corners = np.array(np.meshgrid(*[[-0.1, 0.1]] * 3)).reshape(3, -1).T
    return [{"name": str(i), "position": corner.tolist()} for i, corner in enumerate(corners)]
