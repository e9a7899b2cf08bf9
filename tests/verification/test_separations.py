"""Vehicles that start fixed to another: one rigid body until the release, then each on its own."""

import numpy as np
import pytest

import planetfall
from planetfall import InputError, Scenario
from planetfall.campaign.replay import replay
from planetfall.scenario.tables.run.attitude import rotation_matrix

MASSES = np.array([300.0, 500.0, 100.0])
INERTIAS = np.array([np.diag([60.0, 80.0, 90.0]), np.diag([200.0, 220.0, 250.0]), np.diag([30.0, 30.0, 50.0])])
PLACES = np.array([[0.3, 0.1, -0.4], [0.0, 0.0, 0.0], [0.0, 0.0, 0.8]])
QUARTER_TURN = [0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]
STEP = 5e-3


def body(name, mass, inertia):
    """A vehicle with one contact point, far from the ground."""
    points = [{"name": "foot", "position": [0.0, 0.0, -0.3]}]
    return {"name": name, "mass": mass, "inertia": inertia.tolist(), "points": points}


def stack(lander_release=None, springs=(0.0, 0.0, 0.0), **values):
    """A lander and a heat shield on a tumbling shell; the shield leaves after 1.5 s."""
    integrator = {"method": "rk4", "step": STEP, "accept_step": True}
    lander = {"to": "shell", "position": PLACES[0].tolist(), "attitude": QUARTER_TURN}
    if lander_release is not None:
        lander |= {"release": {"after": lander_release}, "separation_velocity": list(springs)}
    shield = {"to": "shell", "position": PLACES[2].tolist(), "release": {"after": 1.5}}
    tables = {
        "scenario": {"name": "stack", "duration": 4.0},
        "gravity": {"model": "uniform", "acceleration": 3.71},
        "terrain": {"model": "plane"},
        "vehicle": body("lander", MASSES[0], INERTIAS[0]),
        "initial": {"attached": lander},
        "companions": [
            {
                "vehicle": body("shell", MASSES[1], INERTIAS[1]),
                "initial": {
                    "position": [0.0, 0.0, 2000.0], "velocity": [30.0, 0.0, -10.0],
                    "angular_velocity": [0.2, -0.1, 0.5],
                },
            },
            {"vehicle": body("shield", MASSES[2], INERTIAS[2]), "initial": {"attached": shield}},
        ],
        "contact": {
            "law": "marker", "rest_penetration": 0.01, "damping_ratio": 0.1, "breakaway_angle_deg": 32.0,
            "sliding_angle_deg": 27.0, "breakaway_speed": 0.05, "sliding_speed": 0.1,
        },
        "integrator": integrator, "record": {"interval": 0.05},
    }  # fmt: skip
    return Scenario.from_dict(tables).with_values(values)


@pytest.fixture(scope="module")
def flight():
    """The lander is pushed off after 3 s with 0.5 m/s."""
    return planetfall.run(stack(3.0, (0.0, 0.0, -0.5)))


def angular_momentum(data, about):
    """Of all bodies [time, 3], surface frame, about points [time, 3] that move with the centre of all mass."""
    position, velocity, omega = data.position.values, data.velocity.values, data.angular_velocity.values
    mean = (velocity * MASSES[:, None]).sum(axis=1) / MASSES.sum()
    total = np.zeros((len(position), 3))
    for b, (mass, inertia) in enumerate(zip(MASSES, INERTIAS, strict=True)):
        R = rotation_matrix(data.quaternion.values[:, b])
        total += mass * np.cross(position[:, b] - about, velocity[:, b] - mean)
        total += (R @ (inertia @ omega[:, b, :, None]))[..., 0]
    return total


def test_momentum_is_kept_over_separations(flight):
    """Linear momentum falls with gravity alone; angular momentum about the common centre stays, but for RK4's error."""
    data = flight.data
    momentum = (data.velocity.values * MASSES[:, None]).sum(axis=1)
    fall = np.array([0.0, 0.0, -3.71 * MASSES.sum()]) * data.time.values[:, None]
    np.testing.assert_allclose(momentum - fall, np.broadcast_to(momentum[0], momentum.shape), atol=1e-8)
    center = (data.position.values * MASSES[:, None]).sum(axis=1) / MASSES.sum()
    turned = angular_momentum(data, center)
    np.testing.assert_allclose(turned, np.broadcast_to(turned[0], turned.shape), rtol=1e-9, atol=1e-7)


def test_what_is_attached_moves_as_one_rigid_body(flight):
    """Until the first release: the motion of one body with the mass, centre and inertia of all three."""
    turn = rotation_matrix(np.array(QUARTER_TURN))
    inertias = [turn @ INERTIAS[0] @ turn.T, INERTIAS[1], INERTIAS[2]]
    center = MASSES @ PLACES / MASSES.sum()
    arms = PLACES - center
    whole = sum(
        inertia + mass * ((r @ r) * np.eye(3) - np.outer(r, r))
        for inertia, mass, r in zip(inertias, MASSES, arms, strict=True)
    )
    start = flight.data.isel(time=0)
    omega = start.angular_velocity.values[1]
    alone = stack().with_values({
        "vehicle": body("whole", float(MASSES.sum()), whole),
        "initial": {
            "position": (np.array([0.0, 0.0, 2000.0]) + center).tolist(),
            "velocity": (np.array([30.0, 0.0, -10.0]) + np.cross(omega, center)).tolist(),
            "angular_velocity": omega.tolist(),
        },
        "companions": [], "scenario.duration": 1.5,
    })  # fmt: skip
    one = planetfall.run(alone).data
    three = flight.data.isel(time=slice(0, len(one.time)))
    np.testing.assert_allclose(three.angular_velocity.values[:, 1], one.angular_velocity.values[:, 0], atol=1e-9)
    R = rotation_matrix(one.quaternion.values[:, 0])
    shell = one.position.values[:, 0] + R @ (PLACES[1] - center)
    np.testing.assert_allclose(three.position.values[:, 1], shell, atol=1e-8)


def test_nothing_jumps_but_what_springs_add(flight):
    """Positions are continuous; 0.5 m/s apart after the release; accounts close with the springs' energy."""
    data = flight.data
    assert flight.summary["separations"] == {
        "lander_s": pytest.approx(3.0), "shield_s": pytest.approx(1.5), "lander_recontact_s": None,
        "shield_recontact_s": None,
    }  # fmt: skip
    position = data.position.values
    assert np.abs(np.diff(position, axis=0)).max() < 40.0 * 0.0501  # at 40 m/s at most, in an interval of 0.05 s
    apart = np.linalg.norm(position[:, 0] - position[:, 1], axis=1)
    held = data.time.values <= 3.0
    assert np.ptp(apart[held]) < 1e-12
    assert abs(flight.summary["energy_closure_J"]) < 1e-12 * flight.summary["energy_start_J"]
    # J.u/2 with the mass that the springs feel: that of two points or less, since the shell turns away
    put_in, reduced = float(data.work_separation[-1]), MASSES[0] * MASSES[1] / (MASSES[0] + MASSES[1])
    assert 0.5 * 0.5 * reduced * 0.25 < put_in < 0.5 * reduced * 0.25
    np.testing.assert_array_equal(data.attached.values[0], [1, 0, 1])
    np.testing.assert_array_equal(data.attached.values[-1], [0, 0, 0])


def test_runs_of_a_campaign_have_the_bits_of_single_runs(tmp_path):
    """The carrier's start is dispersed; what is on it starts with it, and a replay ends where its row says."""
    scenario = stack(3.0).with_values({
        "terrain.point": [0.0, 0.0, 10.0],  # the origin is in the ground, and nothing starts there
        "dispersions": {"companions.0.initial.velocity.0": {"distribution": "uniform", "low": 20.0, "high": 40.0}}
    })  # fmt: skip
    folder = tmp_path / "campaign"
    x = planetfall.montecarlo(scenario, n=3, seed=1, out=folder).data["x_m"].values
    assert len(set(x)) == 3
    assert float(replay(folder, 1).data.position[-1, 0, 0]) == x[1]


@pytest.mark.parametrize(
    ("attached", "words"),
    [
        ({"to": "mast", "position": [0, 0, 0]}, "no other vehicle is called 'mast'; there are shell, shield"),
        ({"to": "shield", "position": [0, 0, 0]}, "'shield' is attached itself"),
        (
            {"to": "shell", "position": [0, 0, 0], "release": {"mach_below": 0.7}},
            "there is no air",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_words(attached, words):
    """Each message says what there is, or what to do."""
    with pytest.raises(InputError, match=words):
        planetfall.run(stack().with_values({"initial": {"attached": attached}}))


def chased(push: float, speed: float, release: float) -> planetfall.Scenario:
    """Springs take the lander off its shell with a speed [m/s], and a push [N] takes the shell after it."""
    return stack(
        release, (0.0, 0.0, -speed), **{
            "initial.attached.position": [0.0, 0.0, -0.4], "companions.0.initial.angular_velocity": [0.0, 0.0, 0.0],
            "scenario.duration": 3.5, "companions.1.initial.attached.release.after": 3.4,
            "forces": [{
                "kind": "push", "body": "shell", "direction": [0.0, 0.0, -1.0], "times": [release, 10.0],
                "magnitudes": [push, push],
            }],
        },
    )  # fmt: skip


def test_a_shell_that_catches_up_is_told():
    """Springs take the lander off with 2 m/s and a thrust takes the shell after it: the spheres meet when theory says.

    Without a turn the distance is d + u s - a s^2/2 along the axis, s after the release, with d = 0.4 m between the
    bodies; contact points are 0.3 m from each, so that the spheres meet when it falls to 0.6 m, seen at a step's end.
    """
    push, speed, release = 1000.0, 2.0, 0.5
    run = planetfall.run(chased(push, speed, release))
    acceleration = push / (MASSES[1] + MASSES[2])
    after = (speed + np.sqrt(speed**2 + 2.0 * acceleration * (0.4 - 0.6))) / acceleration
    found = run.summary["separations"]["lander_recontact_s"]
    assert release + after <= found <= release + after + STEP * (1.0 + 1e-9)
    assert run.summary["separations"]["shield_recontact_s"] is None
    assert [event.time for event in run.events if event.kind == "recontact"] == [found]


def test_a_shell_that_falls_back_before_they_have_parted_is_told():
    """Springs take the lander off with 1 m/s, and the shell is pushed after it harder: it never gets clear.

    The distance grows from 0.4 m to 0.45 m, less than the spheres' 0.6 m, and is 0.15 m less again, a quarter of those.
    """
    push, speed, release = 6000.0, 1.0, 0.5
    run = planetfall.run(chased(push, speed, release))
    acceleration = push / (MASSES[1] + MASSES[2])
    top = 0.4 + speed**2 / (2.0 * acceleration)
    assert top < 0.6
    after = (speed + np.sqrt(speed**2 + 2.0 * acceleration * (0.4 - (top - 0.15)))) / acceleration
    found = run.summary["separations"]["lander_recontact_s"]
    assert release + after - STEP <= found <= release + after + 2.0 * STEP
