"""A turning frame: free fall against the exact Kepler arc, the Jacobi integral, and attitude as the stars see it.

The frame's rotation enters through centrifugal, Coriolis and gyroscopic terms (VanWal2017 Eq. 2) and never through a
change of frames, which is what the references use: the motion in the inertial frame, seen from the turning one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import planetfall
from oracles.closed_forms import kepler_arc
from planetfall.record.trajectory import Trajectory
from support.bodies import ellipsoid
from support.free_body import INERTIA, FreeBody, errors
from support.hoppers import COARSE

MARS_GM, MARS_RADIUS, MARS_RATE = 4.282837e13, 3396190.0, 7.088218e-5
CENTER = np.array([0.0, 0.0, -MARS_RADIUS])  # in the frame of a site
GALE_LATITUDE = np.radians(-4.5965)
AXIS_IN_SITE = np.array([0.0, np.cos(GALE_LATITUDE), np.sin(GALE_LATITUDE)])  # of Mars, east-north-up at Gale

DAY = 86400.0
SPIN, POSITION = 6e-4 * np.array([2.0, -3.0, 6.0]) / 7.0, np.array([900.0, -300.0, 400.0])
TUMBLER = FreeBody(  # about an asteroid, on an ellipse from 1 km to 2.4 km, once in 8e4 s
    gm=30.0,
    spin=SPIN,
    position=POSITION,
    velocity=np.array([0.09, 0.17, -0.06]) - np.cross(SPIN, POSITION),
    attitude=Rotation.from_rotvec([0.3, -0.5, 0.7]),
    rates=np.array([2e-3, 3e-3, -1e-3]),
)


def test_orbit_in_a_turning_frame_is_the_kepler_arc() -> None:
    """A quarter of an orbit while the asteroid turns twice: path 1e-9 of itself, attitude and rates too."""
    run = planetfall.run(TUMBLER.scenario(2e4))
    assert errors(TUMBLER, run).max() < 1e-9


def test_fall_at_a_landing_site_is_the_kepler_arc() -> None:
    """From 100 km over Gale, in the site's own frame, whose origin is not the planet's centre.

    1e-9 of the way fallen, which is far stricter than of the distance from the centre.
    """
    start = np.array([2e3, -3e3, 1e5])
    body = FreeBody(
        gm=MARS_GM, spin=MARS_RATE * AXIS_IN_SITE, position=start - CENTER,
        velocity=np.array([300.0, -200.0, 50.0]), attitude=Rotation.identity(), rates=np.array([1e-3, 2e-3, 0.0]),
    )  # fmt: skip
    target = {"name": "mars", "frame": "L", "spin_axis": AXIS_IN_SITE.tolist()}
    scenario = body.scenario(200.0, target=target, initial__position=start.tolist())
    data = planetfall.run(scenario).data.isel(time=-1, body=0)
    position, velocity = body.path(200.0)
    fallen = np.linalg.norm(position - body.position)
    assert fallen > 5e4
    assert np.linalg.norm(data.position.values - CENTER - position) < 1e-9 * fallen
    assert np.linalg.norm(data.velocity.values - velocity) < 1e-9 * np.linalg.norm(velocity)


def test_jacobi_integral_is_conserved() -> None:
    """Energy in the turning frame, centrifugal potential of path and body included, over nearly half an orbit.

    Each part separately would show: kinetic energy alone changes by half of itself. Steps times tolerance, relative.
    """
    run = planetfall.run(TUMBLER.scenario(3.6e4, record__interval=1e3))
    energy, kinetic = run.data.energy_total.values, run.data.energy_kinetic.values
    assert np.ptp(kinetic) > 0.5 * kinetic.max()
    np.testing.assert_allclose(energy, energy[0], rtol=0.0, atol=run.summary["steps"] * 1e-12 * kinetic.max())


@pytest.mark.parametrize("model", ["point", "polyhedron"])
def test_jacobi_constant_over_a_day_in_an_exact_field(model: str, tmp_path: Path) -> None:
    """To 1e-10 of itself, plainly: fields without a seam, at a tolerance of 1e-12 a step; measured 2e-13.

    About an ellipsoid of 320 facets with semi-axes of 900, 600 and 400 m, from 130 m over its tip outwards.
    """
    vertices, facets = ellipsoid((900.0, 600.0, 400.0), 2)
    shape = tmp_path / "body.obj"
    trimesh.Trimesh(vertices, facets, process=False).export(shape)
    gravity = {"model": model} if model == "point" else {"model": model, "shape": str(shape)}
    run = planetfall.run(TUMBLER.scenario(DAY, record__interval=1e3, gravity=gravity))
    assert jacobi_drift(run) < 1e-10


def test_jacobi_constant_over_a_day_in_a_baked_field() -> None:
    """About the made comet, down to 460 m over its ground and through the rim of the inner grid: to 1e-10 of itself.

    The acceleration is the exact gradient of the potential that is baked, so that nothing but the integrator's error is
    left. A spline's third derivative jumps from cell to cell, which costs a step some of its order: it takes 1e-13 a
    step, where an exact field needs 1e-10. Measured: 2e-11, and 4e-12 at a tolerance of 1e-14.
    """
    release = {"carrier": "orbit", "position": [300.0, 0.0, 2600.0], "velocity": [0.05, 0.55, 0.0]}
    values = {"scenario.duration": DAY, "initial.release": release, "integrator.tolerance": 1e-13}
    run = planetfall.run(planetfall.load("minerva-67p").with_values({**COARSE, **values, "record.interval": 600.0}))
    assert run.data.contact_gap.min() > 100.0
    assert jacobi_drift(run) < 1e-10


def jacobi_drift(run: Trajectory) -> float:
    """Largest change of the energy in the turning frame over a whole day, relative to itself at the start."""
    energy, kinetic = run.data.energy_total.values, run.data.energy_kinetic.values
    assert run.data.time.values[-1] == DAY
    assert np.ptp(kinetic) > abs(energy[0])  # it is not for want of motion
    return float(np.abs(energy / energy[0] - 1.0).max())


def test_jacobi_integral_of_the_attitude_alone() -> None:
    """The part that turns with the body is 1e5 times smaller than that of the path, so it is looked at by itself.

    Free of torque, omega I omega/2 - Omega I Omega/2 (all body components, omega relative to the frame) is constant.
    """
    run = planetfall.run(TUMBLER.scenario(2e4, record__interval=5e2))
    omega = run.data.angular_velocity.values[:, 0]
    spin = Rotation.from_quat(run.data.quaternion.values[:, 0]).inv().apply(TUMBLER.spin)
    held = 0.5 * (omega**2 - spin**2) @ INERTIA
    assert np.ptp(0.5 * spin**2 @ INERTIA) > 0.01 * held.max()
    np.testing.assert_allclose(held, held[0], rtol=run.summary["steps"] * 1e-12)


def test_body_at_rest_among_the_stars_turns_backwards() -> None:
    """It appears to turn at -Omega: rates in body components stay put, the attitude is the frame's rotation undone."""
    spin, attitude = TUMBLER.spin, TUMBLER.attitude
    body = FreeBody(TUMBLER.gm, spin, TUMBLER.position, TUMBLER.velocity, attitude, -attitude.inv().apply(spin))
    duration = 2.5 * 2.0 * np.pi / np.linalg.norm(spin)
    run = planetfall.run(body.scenario(float(duration), record__interval=1e3))
    rates = run.data.angular_velocity.values[:, 0]
    allowed = run.summary["steps"] * 1e-12
    np.testing.assert_allclose(rates, np.broadcast_to(body.rates, rates.shape), atol=allowed * np.linalg.norm(spin))
    for t, q in zip(run.data.time.values, run.data.quaternion.values[:, 0], strict=True):
        left = Rotation.from_quat(q) * (Rotation.from_rotvec(-spin * t) * attitude).inv()
        assert left.magnitude() < allowed


def test_turning_and_inertial_frames_give_one_motion() -> None:
    """The same tumble by two kernels of the package, one of which knows no rotation, mapped onto each other."""
    duration = 5e3
    turning = planetfall.run(TUMBLER.scenario(duration))
    inertial = planetfall.run(
        planetfall.load("free-top").with_values(
            {
                "scenario.duration": duration,
                "vehicle.inertia": INERTIA.tolist(),
                "initial.attitude": TUMBLER.attitude.as_quat().tolist(),
                "initial.angular_velocity": TUMBLER.rates_inertial.tolist(),
                "integrator.max_step": 1e9,
                "record.interval": duration,
            }
        )
    )
    seen, true = (run.data.isel(time=-1, body=0) for run in (turning, inertial))
    back = Rotation.from_rotvec(TUMBLER.spin * duration)
    attitude = Rotation.from_quat(true.quaternion.values)
    allowed = (turning.summary["steps"] + inertial.summary["steps"]) * 1e-12
    assert (back * Rotation.from_quat(seen.quaternion.values) * attitude.inv()).magnitude() < allowed
    rates = seen.angular_velocity.values + attitude.inv().apply(TUMBLER.spin)
    np.testing.assert_allclose(
        rates, true.angular_velocity.values, atol=allowed * float(np.linalg.norm(TUMBLER.rates_inertial))
    )
    assert inertial.summary["steps"] > 100


def test_attitude_of_the_target_and_the_sun_that_it_sees() -> None:
    """From a random attitude at time zero, through more than a turn about a skew axis.

    Q(t) = Q(0) turned about the body's own axis; the sun stands at Q(t)^-1 s in the surface frame; and the path, taken
    to inertial axes by Q(t), is the Kepler arc that Q(0) takes there. Angles of ten radians are rounded to 2e-15.
    """
    start, sun = Rotation.random(rng=np.random.default_rng(9)), np.array([0.6, -0.48, 0.64])
    target = {
        **TUMBLER.scenario(1.0).target.model_dump(exclude_unset=True),
        "attitude": start.as_quat().tolist(),
        "sun_direction": sun.tolist(),
    }
    data = planetfall.run(TUMBLER.scenario(2e4, target=target, record__interval=5e2)).data
    assert data.target_quaternion.dims == ("time", "quat")
    assert (data.target_quaternion.attrs["units"], data.target_quaternion.attrs["frame"]) == ("1", "I")
    expected = start * Rotation.from_rotvec(data.time.values[:, None] * TUMBLER.spin)
    found = Rotation.from_quat(data.target_quaternion.values)
    assert (found * expected.inv()).magnitude().max() < 1e-14
    np.testing.assert_allclose(data.sun_direction.values, expected.inv().apply(sun), atol=1e-14)
    inertial = found.apply(data.position.values[:, 0])
    v_inertial = TUMBLER.velocity + np.cross(TUMBLER.spin, TUMBLER.position)
    arcs = [kepler_arc(TUMBLER.position, v_inertial, TUMBLER.gm, float(t))[0] for t in data.time.values]
    np.testing.assert_allclose(inertial, start.apply(np.array(arcs)), atol=1e-9 * np.linalg.norm(arcs[-1]))


def test_without_an_attitude_the_frames_coincide_at_time_zero() -> None:
    """The identity changes no bit of the sun's direction; a frame at rest among the stars has no attitude."""
    sun = (0.6, -0.48, 0.64)
    target = TUMBLER.scenario(1.0).target.model_copy(update={"sun_direction": sun})
    assert target.sun_S is not None
    np.testing.assert_array_equal(target.sun_S, sun)
    np.testing.assert_array_equal(target.attitude_at(np.zeros(1)), [[0.0, 0.0, 0.0, 1.0]])
    assert target.is_turned
    assert not target.model_copy(update={"spin_rate": 0.0}).is_turned


@pytest.mark.parametrize("omega_sign", [1.0, -1.0])
def test_sense_of_rotation(omega_sign: float) -> None:
    """A body dropped at the equator of a target that turns east falls east of the vertical, and west if it turns west.

    First order in time and rate: d = Omega g t^3/3; the next terms are of relative size g t^2/r = 1e-3 and Omega t.
    """
    radius, gm, rate, t = 1e6, 1e12, 1e-5, 30.0
    target = {"name": "equator", "gm": gm, "radius": radius, "frame": "L", "spin_rate": omega_sign * rate,
              "spin_axis": [0.0, 1.0, 0.0]}  # fmt: skip
    scenario = TUMBLER.scenario(t, target=target, initial={"position": [0.0, 0.0, 1e3]})
    drift = planetfall.run(scenario).data.position.values[-1, 0]
    gravity = gm / (radius + 1e3) ** 2
    assert drift[0] == pytest.approx(omega_sign * rate * gravity * t**3 / 3.0, rel=2e-3)
    assert abs(drift[1]) < 1e-9
