"""What the sensors read, against geometry, differences of the recorded motion, statics and forces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall.engine.build import build
from planetfall.engine.run import run_recorded
from planetfall.engine.state.result import RecordedRun
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.simulate import trajectory_of
from planetfall.world.terrain.dem.build import dem_surface
from planetfall.world.terrain.mesh.build import mesh_surface
from planetfall.world.terrain.surface import Surface
from support.fitted import order
from support.made_ground import brute_ranges, grid_mesh
from support.sensed_block import ALTIMETER, IMU, VELOCIMETER, sensed_block

BOTH = pytest.mark.parametrize("method", ["rk4", "adaptive"])
SUITE = [ALTIMETER, VELOCIMETER, IMU]
"""All scenes have this suite, with other numbers, so that they share kernels."""
TUMBLE: dict[str, Any] = {
    "initial__height": 5.0, "initial__velocity": [0.7, -0.4, 0.5], "initial__angular_velocity": [0.4, -0.6, 0.9],
    "record__interval": 0.01, "scenario__duration": 0.8,
}  # fmt: skip
"""In the air all the time, over a slope of 12 degrees."""


def suite(**changes: dict[str, Any]) -> list[dict[str, Any]]:
    """The suite with some numbers of each sensor changed, by its name."""
    return [{**sensor, **changes.get(sensor["name"], {})} for sensor in SUITE]


def fly(method: str = "adaptive", surface: Surface | None = None, sensors: Any = None, **values: Any) -> RecordedRun:
    tight = {"integrator__tolerance": 1e-13} if method == "adaptive" else {}
    scenario = sensed_block(method, sensors or suite(), **{**TUMBLE, **tight, **values})
    return run_recorded(build(scenario, surface=surface))


def poses(run: RecordedRun, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity, attitude [n, 3, 3] and rates at recorded instants."""
    at = np.argmin(np.abs(run.frames.time[:, None] - times), axis=0)
    np.testing.assert_allclose(run.frames.time[at], times, rtol=0.0, atol=1e-12)
    state = run.frames.state[at]
    return state[:, :3], state[:, 3:6], rotation_matrix(state[:, 6:10]), state[:, 10:13]


def beam_of(run: RecordedRun, sensor: dict[str, Any], beam_B: Any, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Origins and directions of a beam, surface frame."""
    position, _, R_SB, _ = poses(run, times)
    return position + R_SB @ np.asarray(sensor["position"]), R_SB @ np.asarray(beam_B)


SLOPE = np.radians(12.0)
NORMAL = np.array([np.sin(SLOPE), 0.0, np.cos(SLOPE)])  # descends to the east


@BOTH
def test_range_on_a_tilted_plane(method: str) -> None:
    """(x . n)/(-d . n) with the recorded poses. Ranges of 5 m, positions to 1e-14 m: rounding."""
    beam = [0.28, 0.0, -0.96]
    run = fly(method, sensors=suite(altimeter={"beam": beam}))
    taken = run.samples["altimeter"]
    origins, directions = beam_of(run, ALTIMETER, beam, taken.time)
    assert len(taken.time) == 81
    np.testing.assert_allclose(taken.value[:, 0], (origins @ NORMAL) / -(directions @ NORMAL), rtol=1e-12)


ROUGH = np.random.default_rng(5).uniform(-0.4, 0.4, (25, 25))
ALONG = (np.arange(25) - 12) * 0.5


def dem() -> Surface:
    return dem_surface(ROUGH, np.array([ALONG[0], ALONG[0], 0.0]), (0.5, 0.5), "cpu")


def mesh() -> Surface:
    return mesh_surface(*grid_mesh(ALONG, ROUGH), "cpu", reach=0.2)


@pytest.mark.parametrize("make", [dem, mesh])
def test_range_over_rough_ground_is_that_of_the_first_facet(make: Any) -> None:
    """Against a search over every facet. Rounding of 5 m over cosines of some tenths.

    A ray within 1e-5 of a facet's edge may be measured on the facet beside it, which there is as near to that fraction.
    """
    run = fly("rk4", surface=make())
    taken = run.samples["altimeter"]
    origins, directions = beam_of(run, ALTIMETER, [0.0, 0.0, -1.0], taken.time)
    expected = brute_ranges(*grid_mesh(ALONG, ROUGH), origins, directions)
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(taken.value[:, 0], expected, rtol=1e-12)


UP, DOWN = [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]


@pytest.mark.parametrize(
    ("height", "direction", "range_max"),
    [
        pytest.param(5.0, DOWN, 1.0, id="out of range"),
        pytest.param(5.0, UP, 100.0, id="into the sky"),
        pytest.param(-5.0, DOWN, 100.0, id="from below the ground"),
        pytest.param(-5.0, UP, 100.0, id="at the back of the ground"),
    ],
)
def test_no_return_is_nan_with_a_status(height: float, direction: list[float], range_max: float) -> None:
    sensors = suite(
        altimeter={"range_max": range_max, "beam": direction},
        velocimeter={"range_max": range_max, "beams": [direction] * 3},
    )
    start = {"initial": {"position": [0.0, 0.0, height]}, "scenario__duration": 0.02}
    model = build(sensed_block("rk4", sensors, **start), is_checked=False)  # a start below the ground is refused else
    data = trajectory_of(model, run_recorded(model)).data
    assert np.isnan(data.altimeter).all()
    assert np.isnan(data.velocimeter).all()
    assert (data.altimeter_status == 1).all()
    assert (data.velocimeter_status == 1).all()
    assert np.isfinite(data.imu_specific_force).all()


@pytest.mark.parametrize(("limit", "returns"), [(16.2, False), (16.3, True), (90.0, True)])
def test_a_beam_returns_up_to_its_angle_of_incidence(limit: float, returns: bool) -> None:
    """A beam of (0.28, 0, -0.96), 16.26 degrees from the normal of level ground; others look straight down."""
    slanted = [0.28, 0.0, -0.96]
    sensors = suite(
        altimeter={"beam": slanted, "incidence_max_deg": limit},
        velocimeter={"beams": [DOWN, slanted, DOWN], "incidence_max_deg": limit},
    )
    level = {"terrain": {"model": "plane"}, "initial": {"position": [0.0, 0.0, 5.0]}, "scenario__duration": 0.02}
    data = planetfall.run(sensed_block("rk4", sensors, **level)).data
    assert np.isfinite(data.altimeter.values).all() == returns
    np.testing.assert_array_equal(np.isfinite(data.velocimeter.values), [[True, returns, True]] * 2)


def test_a_beam_off_the_map_has_no_return_and_the_others_do() -> None:
    """A metre from the western edge of the map, 5 m up: the beam that looks west passes over it."""
    run = fly("rk4", surface=dem(), initial__position=[-5.0, 0.0, 0.0], initial__angular_velocity=[0.0, 0.0, 0.0])
    rates = run.samples["velocimeter"].value
    assert np.isfinite(rates[:, 0]).all()
    assert np.isfinite(rates[:, 1]).all()
    assert np.isnan(rates[0, 2])


@pytest.mark.parametrize("i_beam", range(3))
def test_range_rate_is_the_rate_of_the_range(i_beam: int) -> None:
    """Central differences of the altimeter's range, mounted like the beam: order 2, and Richardson's next order.

    After eliminating h^2 the error is of order h^4 times the fifth derivative, here below 1e3 m/s^5, at h = 1 ms; plus
    the rounding of ranges of 5 m over 1 ms.
    """
    beam, step = VELOCIMETER["beams"][i_beam], 1e-3
    sensors = suite(
        altimeter={"rate": 1e3, "beam": beam, "position": VELOCIMETER["position"]}, velocimeter={"rate": 1e3}
    )
    run = fly(sensors=sensors)
    reach, rate = run.samples["altimeter"].value[:, 0], run.samples["velocimeter"].value[:, i_beam]
    inner = np.arange(20, len(reach) - 20)
    lags = np.array([1, 2, 4, 8, 16])
    found = np.array([(reach[inner + lag] - reach[inner - lag]) / (2 * lag * step) for lag in lags])
    errors = np.abs(found - rate[inner]).max(axis=1)
    assert np.ptp(rate) > 0.5
    assert order(lags, errors) == pytest.approx(2.0, abs=0.05)
    richardson = (4.0 * found[0] - found[1]) / 3.0
    assert np.abs(richardson - rate[inner]).max() < 4.0 * step**4 * 1e3 / 30.0 + 8.0 * 2.2e-16 * 5.0 / step


@pytest.mark.parametrize("make", [dem, mesh])
def test_range_rate_over_facets_is_that_of_the_facet_hit(make: Any) -> None:
    """Over three samples on one facet, Simpson's rule makes the change of the range from the rates; not across an edge.

    The rule is off by h^5/90 of the fifth derivative. The range over a facet met at the angle g by a beam that turns at
    w has its next pole g/w away in time, so Cauchy's estimate of that derivative is 5! r (w/g)^5.
    """
    beam, step = VELOCIMETER["beams"][1], 2e-3
    sensors = suite(
        altimeter={"rate": 500.0, "beam": beam, "position": VELOCIMETER["position"]}, velocimeter={"rate": 500.0}
    )
    surface = make()
    run = fly("rk4", surface=surface, sensors=sensors, record__interval=step, scenario__duration=0.7)
    reach, rate = run.samples["altimeter"].value[:, 0], run.samples["velocimeter"].value[:, 1]
    origins, directions = beam_of(run, VELOCIMETER, beam, run.samples["altimeter"].time)
    _, facets = surface.cast(origins, directions, 100.0)
    vertices, index = grid_mesh(ALONG, ROUGH)
    corners = vertices[index[facets]]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    grazing = np.min(-np.sum(directions * across, axis=1) / np.linalg.norm(across, axis=1))
    turning = np.linalg.norm(TUMBLE["initial__angular_velocity"])
    same = (facets[2:] == facets[1:-1]) & (facets[1:-1] == facets[:-2])
    off = np.abs(reach[2:] - reach[:-2] - step / 3.0 * (rate[2:] + 4.0 * rate[1:-1] + rate[:-2]))
    assert same.sum() > 200
    assert (~same).sum() > 20
    assert off[same].max() < step**5 / 90.0 * 120.0 * reach.max() * (turning / grazing) ** 5
    assert np.median(off[~same]) > 1e3 * off[same].max()


def test_doppler_is_the_speed_along_the_beam() -> None:
    """-v . d of the sensor's own velocity; over a slope that is not the rate of the range."""
    run = fly(sensors=suite(velocimeter={"signal": "doppler"}))
    ranged = fly()
    taken = run.samples["velocimeter"]
    _, velocity, R_SB, omega = poses(run, taken.time)
    moving = velocity + np.einsum("nij,nj->ni", R_SB, np.cross(omega, VELOCIMETER["position"]))
    expected = [-np.sum(moving * (R_SB @ np.asarray(beam)), axis=1) for beam in VELOCIMETER["beams"]]
    np.testing.assert_allclose(taken.value, np.transpose(expected), rtol=0.0, atol=1e-12)
    assert np.abs(taken.value - ranged.samples["velocimeter"].value).max() > 0.1


def test_doppler_and_range_rate_agree_straight_down_on_level_ground() -> None:
    still = {"terrain__slope_deg": 0.0, "initial__angular_velocity": [0.0, 0.0, 0.0]}
    both = [
        fly(sensors=suite(velocimeter={"signal": signal}), **still).samples["velocimeter"].value[:, 0]
        for signal in ("doppler", "range-rate")
    ]
    np.testing.assert_allclose(both[0], both[1], rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(both[0], 0.5 - 3.7132 * np.arange(41) / 50.0, rtol=0.0, atol=1e-12)


@BOTH
def test_free_fall_reads_zero(method: str) -> None:
    """Exactly: the rate of the velocity is the field itself, and nothing turns."""
    run = fly(method, initial__angular_velocity=[0.0, 0.0, 0.0])
    np.testing.assert_array_equal(run.samples["imu"].value, 0.0)


def second_differences(path: np.ndarray, step: float) -> np.ndarray:
    """Acceleration [n - 4, 3] by the five-point formula of order 4."""
    a, b, c, d, e = (path[i : len(path) - 4 + i] for i in range(5))
    return (-a + 16.0 * b - 30.0 * c + 16.0 * d - e) / (12.0 * step**2)


def test_lever_arm_of_a_tumbling_body() -> None:
    """Second differences of the path of the point where it is mounted, less gravity, in body axes.

    h^4/90 of the sixth derivative: rates of 1.2 rad/s at 0.4 m make it about 1 m/s^6, at h = 5 ms; rounding of paths of
    5 m, 64 ulp over 12 h^2, is larger: 3e-10.
    """
    step = 1.0 / IMU["rate"]
    run = fly(record__interval=step)
    taken = run.samples["imu"]
    position, _, R_SB, omega = poses(run, taken.time)
    path = position + R_SB @ np.asarray(IMU["position"])
    force_S = second_differences(path, step) - np.array([0.0, 0.0, -3.7132])
    expected = np.einsum("nji,nj->ni", R_SB[2:-2], force_S)
    assert np.abs(expected).max() > 0.3
    np.testing.assert_allclose(taken.value[2:-2, :3], expected, rtol=0.0, atol=2e-9)
    np.testing.assert_allclose(taken.value[:, 3:], omega, rtol=0.0, atol=1e-12)


@BOTH
def test_in_contact_it_reads_the_ground_forces(method: str) -> None:
    """At the centre of mass, specific force is the sum of the contact forces over the mass: rounding of 1e4 N."""
    run = fly(
        method, sensors=suite(imu={"position": [0.0, 0.0, 0.0]}), initial__height=0.5, scenario__duration=2.0,
        record__interval=5e-3,
    )  # fmt: skip
    taken = run.samples["imu"]
    at = np.argmin(np.abs(run.frames.time[:, None] - taken.time), axis=0)
    _, _, R_SB, _ = poses(run, taken.time)
    expected = np.einsum("nji,nj->ni", R_SB, run.observed.force[at].sum(axis=1)) / 100.0
    assert np.abs(expected).max() > 10.0
    np.testing.assert_allclose(taken.value[:, :3], expected, rtol=0.0, atol=1e-9)


@BOTH
def test_at_rest_it_reads_gravity_upwards(method: str) -> None:
    """On level ground, 3.7132 m/s^2 along the body's own z; adaptive: the tolerance of 1e-8 on 1 m over 0.05^2 s^2."""
    run = fly(
        method, terrain__slope_deg=0.0, initial__height=0.19, initial__velocity=[0.0, 0.0, 0.0],
        initial__angular_velocity=[0.0, 0.0, 0.0], scenario__duration=3.0,
    )  # fmt: skip
    last = run.samples["imu"].value[-1]
    np.testing.assert_allclose(last, [0.0, 0.0, 3.7132, 0.0, 0.0, 0.0], rtol=0.0, atol=4e-6)


GM, RADIUS, RATE, LATITUDE = 2500.0, 500.0, 2e-3, np.radians(40.0)
SPIN = RATE * np.array([0.0, np.cos(LATITUDE), np.sin(LATITUDE)])
CENTER = np.array([0.0, 0.0, -RADIUS])


def gravitation(position: np.ndarray) -> np.ndarray:
    r = position - CENTER
    return -GM * r / np.linalg.norm(r, axis=-1, keepdims=True) ** 3


def on_a_spinning_rock(**values: Any) -> planetfall.Scenario:
    """A site on a rock of 1 km whose spin takes away a fifth of its weak gravity."""
    target = {
        "name": "rock", "frame": "L", "gm": GM, "radius": RADIUS, "spin_rate": RATE,
        "spin_axis": (SPIN / RATE).tolist(),
    }  # fmt: skip
    return sensed_block(
        "adaptive", suite(), target=target, gravity={"model": "point"}, integrator__tolerance=1e-13,
        **{"record__interval": 0.5, **values},
    )  # fmt: skip


def test_at_rest_on_a_spinning_rock_it_reads_minus_effective_gravity() -> None:
    """Omega x (Omega x (r + p)) - g(x), p where it is mounted: the planet carries the IMU around its axis.

    The ground is square to effective gravity, so that the block stands; its feet start at rest depth, and what is left
    of the settling after 60 s, at 1 rad/s and half of critical damping, is exp(-30); friction brakes at mu1 g/V1 = 1/s.
    What creep there is, about 1e-6 m/s, adds the acceleration of Coriolis.
    """
    down = gravitation(np.zeros(3)) - np.cross(SPIN, np.cross(SPIN, -CENTER))
    up = -down / np.linalg.norm(down)
    half = np.arccos(up[2]) / 2.0
    axis = np.cross([0.0, 0.0, 1.0], up)
    quaternion = [*(np.sin(half) * axis / np.linalg.norm(axis)), np.cos(half)]
    scenario = on_a_spinning_rock(
        scenario__duration=60.0, terrain={"model": "plane", "normal": up.tolist()},
        contact__reference_gravity=float(np.linalg.norm(down)), contact__breakaway_speed=5e-3,
        initial={"height": 0.19, "height_along": "normal", "attitude": quaternion},
    )  # fmt: skip
    run = run_recorded(build(scenario))
    position, velocity, R_SB, _ = poses(run, run.frames.time[-1:])
    mounted = position[0] + R_SB[0] @ np.asarray(IMU["position"])
    carried = np.cross(SPIN, np.cross(SPIN, mounted - CENTER))
    expected = R_SB[0].T @ (carried - gravitation(position[0]))
    last = run.samples["imu"].value[-1]
    assert np.linalg.norm(down) < 0.9 * np.linalg.norm(gravitation(np.zeros(3)))
    coriolis = 2.0 * RATE * float(np.linalg.norm(velocity))
    assert coriolis < 1e-6 * float(np.linalg.norm(expected))
    np.testing.assert_allclose(last[:3], expected, rtol=0.0, atol=coriolis + 1e-11)
    np.testing.assert_allclose(last[3:], R_SB[0].T @ SPIN, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(last[2], np.linalg.norm(down), rtol=1e-3)


def test_tumbling_over_a_spinning_rock_it_reads_what_the_stars_see() -> None:
    """Second differences of the mounting point's path among the stars, less gravitation, in body axes.

    Coriolis, centrifugal and the frame's own turning must all drop out. Paths of 500 m over h = 1/4 s round to
    64 half ulps over 12 h^2 = 5e-12 m/s^2; the formula's error is h^4/90 of the sixth derivative, about
    (0.1 rad/s)^6 times 0.4 m: 2e-11.
    """
    step = 0.25
    scenario = on_a_spinning_rock(
        scenario__duration=40.0, record__interval=step,
        initial={"position": [5.0, -3.0, 60.0], "velocity": [0.3, 0.2, 0.1], "angular_velocity": [0.03, -0.02, 0.05]},
    ).with_values({"sensors.2.rate": 1.0 / step})  # fmt: skip
    run = run_recorded(build(scenario))
    taken = run.samples["imu"]
    position, _, R_SB, omega = poses(run, taken.time)
    R_IS = rotation_matrix(
        np.column_stack([np.sin(RATE * taken.time / 2)[:, None] * SPIN / RATE, np.cos(RATE * taken.time / 2)])
    )
    path = np.einsum("nij,nj->ni", R_IS, position + R_SB @ np.asarray(IMU["position"]) - CENTER)
    pull = np.einsum("nij,nj->ni", R_IS, gravitation(position))
    force_I = second_differences(path, step) - pull[2:-2]
    expected = np.einsum("nji,nj->ni", (R_IS @ R_SB)[2:-2], force_I)
    assert np.abs(expected).max() > 5e-4
    np.testing.assert_allclose(taken.value[2:-2, :3], expected, rtol=0.0, atol=2.5e-11)
    np.testing.assert_allclose(taken.value[:, 3:], omega + np.einsum("nji,j->ni", R_SB, SPIN), rtol=0.0, atol=1e-12)
