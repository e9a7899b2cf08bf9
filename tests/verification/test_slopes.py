"""The slope battery: creep, runaway and sliding of a block under Mars, Moon and Earth gravity, against closed forms.

The block stands on four feet that it cannot lift here. Once it has stopped rocking its pose is constant, so that the
sums of normal and friction forces over its feet are those of a point mass, whatever each foot carries: creep at
V1 tan(slope)/mu1 below theta1, acceleration g (sin - mu2 cos) above V2. Rocking and bouncing decay at 0.5 sqrt(g/h_eq)
or faster (damping ratio 0.5, feet with their share of the mass): 9, 14 and 22 per second.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import planetfall
from oracles import closed_forms as cf
from planetfall.record.trajectory import Trajectory

GRAVITIES = {"mars": 3.71, "moon": 1.62, "earth": 9.81}  # [m/s^2]
SINK, V1, V2 = 0.005, 0.01, 0.02
MU1, MU2 = math.tan(math.radians(32.0)), math.tan(math.radians(27.0))
TOLERANCE = 1e-10
LAUNCH = 10.0  # [m/s]
SETTLED = 3.0  # [s]: 27 time constants on the Moon, the slowest, leave 2e-12 of speeds of millimetres a second


def on_slope(gravity: float, slope_deg: float, speed: float, duration: float, tilt: float = 0.0) -> Trajectory:
    """The block set down parallel to the slope but for `tilt` [rad], at the depth that carries it, moving downhill."""
    slope = math.radians(slope_deg)
    pitch = slope + tilt
    return planetfall.run(
        planetfall.load("slope-slide").with_values(
            {
                "scenario.duration": duration,
                "gravity.acceleration": gravity,
                "terrain.slope_deg": slope_deg,
                "contact.rest_penetration": SINK,
                "initial": {
                    "height": 0.2 - SINK * math.cos(slope),
                    "height_along": "normal",
                    "velocity": [speed * math.cos(slope), 0.0, -speed * math.sin(slope)],
                    "attitude": [0.0, math.sin(pitch / 2.0), 0.0, math.cos(pitch / 2.0)],
                },
                "integrator.tolerance": TOLERANCE,
                "record.interval": 0.5,
            }
        )
    )


def downhill_speeds(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Instants [s] from `SETTLED` on, and downhill speeds there [m/s]; across the slope only a step's error moves."""
    slope = math.radians(run.scenario.terrain.slope_deg)
    time, velocity = run.data.time.values, run.data.velocity.values[:, 0]
    late = time >= SETTLED
    np.testing.assert_allclose(velocity[:, 1], 0.0, atol=speed_error(run, float(velocity.max())))
    return time[late], velocity[late] @ [math.cos(slope), 0.0, -math.sin(slope)]


def speed_error(run: Trajectory, speed: float) -> float:
    """What a step may be off [m/s]: the tolerance, times the speed and the speed of a fall of the block's size."""
    size = math.sqrt(0.5**2 + 0.5**2 + 0.2**2)
    return TOLERANCE * (speed + math.sqrt(run.scenario.gravity.acceleration * size))


@pytest.mark.parametrize("slope_deg", [20.0, 22.0, 25.0, 30.0])
@pytest.mark.parametrize("world", GRAVITIES)
def test_creep(world: str, slope_deg: float) -> None:
    """Released at rest. Friction forgets errors within V1/(mu1 g cos), some 3 ms; a step's error is all there is."""
    run = on_slope(GRAVITIES[world], slope_deg, 0.0, 5.0)
    _, speeds = downhill_speeds(run)
    expected = cf.creep_speed(math.radians(slope_deg), V1, MU1)
    assert expected < V1
    np.testing.assert_allclose(speeds, expected, atol=speed_error(run, V1))
    np.testing.assert_array_equal(run.data.contact_mode.values[-1], 1)


@pytest.mark.parametrize("slope_deg", [33.0, 35.0, 40.0])
@pytest.mark.parametrize("world", GRAVITIES)
def test_runaway(world: str, slope_deg: float) -> None:
    """Released at rest above theta1: it breaks away, and from then on gains speed as a point would."""
    run = on_slope(GRAVITIES[world], slope_deg, 0.0, 5.0)
    time, speeds = downhill_speeds(run)
    assert speeds[0] > V2
    assert_acceleration(run, time, speeds, slope_deg)
    np.testing.assert_array_equal(run.data.contact_mode.values[-1], 2)


@pytest.mark.parametrize("slope_deg", [20.0, 22.0, 25.0, 27.0, 30.0])
@pytest.mark.parametrize("world", GRAVITIES)
def test_launched(world: str, slope_deg: float) -> None:
    """Launched faster than V2 (and than the unstable speed, which is below V2): it slides on, slowing below theta2."""
    run = on_slope(GRAVITIES[world], slope_deg, LAUNCH, 5.0)
    time, speeds = downhill_speeds(run)
    assert speeds[-1] > V2
    assert_acceleration(run, time, speeds, slope_deg)
    assert np.sign(round(speeds[-1] - speeds[0], 11)) == np.sign(slope_deg - 27.0)


@pytest.mark.parametrize("world", GRAVITIES)
def test_launched_at_the_sliding_angle_keeps_its_speed(world: str) -> None:
    """theta2 is the slope on which a sliding vehicle neither gains nor loses speed (Raiszadeh2012 Eq. 15)."""
    run = on_slope(GRAVITIES[world], 27.0, LAUNCH, 5.0)
    _, speeds = downhill_speeds(run)
    np.testing.assert_allclose(speeds, LAUNCH, atol=1e-12)  # 200 roundings of 10 m/s are 4e-13; nothing else acts


@pytest.mark.parametrize("slope_deg", [28.0, 30.0])
def test_between_the_angles_the_start_decides(slope_deg: float) -> None:
    """Bistable: below the unstable speed it comes to creep, above it it runs away.

    Rocking would decide otherwise, so the block starts leaning by what friction at its feet, equal to the pull of
    gravity at that speed, makes it lean: 0.4 M g sin between its pairs of feet, of stiffness M g/2 h_eq, 1 m apart.
    """
    slope = math.radians(slope_deg)
    edge = cf.bistable_speed(slope, V1, V2, MU1, MU2)
    assert V1 < 0.9 * edge < 1.1 * edge < V2
    lean = 0.8 * SINK * math.sin(slope)
    slower, faster = (on_slope(GRAVITIES["mars"], slope_deg, factor * edge, 5.0, lean) for factor in (0.9, 1.1))
    assert downhill_speeds(slower)[1][-1] < V1
    assert downhill_speeds(faster)[1][-1] > V2


def assert_acceleration(run: Trajectory, time: np.ndarray, speeds: np.ndarray, slope_deg: float) -> None:
    """Every gain of speed is acceleration times time, which the method integrates exactly.

    What is left is rounding, once a step, and what has not decayed of rocking at less than 0.1 m/s.
    """
    expected = cf.slide_acceleration(run.scenario.gravity.acceleration, math.radians(slope_deg), MU2)
    decayed = 0.1 * math.exp(-0.5 * math.sqrt(run.scenario.gravity.acceleration / SINK) * SETTLED)
    allowed = decayed + run.summary["steps"] * np.finfo(float).eps * float(speeds.max())
    np.testing.assert_allclose(speeds - speeds[0], expected * (time - time[0]), atol=allowed)
