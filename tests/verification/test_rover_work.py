"""Work and power of a rover's motors: closed forms on slopes, energy balance over edges, independence of the step."""

import numpy as np
import pytest

from planetfall.rover.drive.drive import Drive, Stretch, drive
from planetfall.rover.drive.path import sample_path
from planetfall.rover.drive.prepare import prepare
from planetfall.scenario.drive import load_drive
from support.rover_statics import coulomb
from support.rovers import bench_rover, slope_surface

G, W = 9.81, 98.1


def driven(name: str, step: float) -> Drive:
    """A built-in drive with another distance of its samples [m]."""
    ready = prepare(load_drive(name).with_values({"path.step": step}))
    return drive(ready.surface, ready.path, ready.stretches, ready.gravity)


@pytest.mark.parametrize("up", [1, -1])
def test_on_a_slope_the_motors_lift_the_weight_or_hold_it_back(up: int) -> None:
    """Uphill every motor drives and none brakes, downhill the other way round: weight times rise, at the rate of weight
    times speed times gradient, since a path is as long as its plan.
    """
    slope, length = np.radians(15.0), 2.0
    rover = bench_rover(wheels={"radius": 0.1, "torque_max": 20.0})
    path = sample_path([(0.0, 0.0), (up * length, 0.0)], 0.1)
    run = drive(slope_surface(slope, 0.0), path, [Stretch(0.0, rover, coulomb(0.9, rover))], G)
    rise = W * length * np.tan(slope)
    expected = (rise, 0.0) if up > 0 else (0.0, -rise)
    assert run.driving_work[-1].sum() == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
    assert run.returned_work[-1].sum() == pytest.approx(expected[1], rel=1e-9, abs=1e-9)
    power = W * rover.table.speed * np.tan(slope) if up > 0 else 0.0
    np.testing.assert_allclose(run.peak_power[1:], power, rtol=1e-9, atol=1e-9)


def test_over_an_edge_the_motors_spend_what_the_rover_rises_whatever_the_step() -> None:
    """Three pairs of wheels go up a vertical step of 8 cm without slip or resistance: all work is weight times rise.

    Each of the three edges errs by half the tolerance of a step's halving or less on either side; with the smooth steps
    between them this is a few times the estimate that the drive gives of its error. Without halving, the net work was
    4.07 of 5.49 J with samples 2 cm apart.
    """
    works, powers = [], []
    for step in (0.05, 0.02, 0.007):
        run = driven("lsr1-step", step)
        net, spent, rise = run.motor_work[-1].sum(), run.driving_work[-1].sum(), run.rise_work[-1]
        assert rise == pytest.approx(7.0 * G * 0.08, rel=1e-9)
        assert run.work_error[-1] < 1e-3 * rise
        assert net == pytest.approx(rise, abs=3 * run.work_error[-1])
        assert spent >= rise - 3 * run.work_error[-1]
        assert spent - net == pytest.approx(-run.returned_work[-1].sum(), abs=1e-12)
        works.append(net)
        powers.append(run.peak_power.max())
    assert np.ptp(works) < 1e-3 * works[0]
    assert np.ptp(powers) < 0.02 * powers[0]


def test_across_a_ditch_what_is_spent_comes_back_only_with_regeneration() -> None:
    """The rover ends as high as it began: net nothing, but without regeneration the climb out is paid in full."""
    spent = []
    for step in (0.05, 0.02):
        run = driven("lsr1-ditch", step)
        assert abs(run.rise_work[-1]) < 1e-9
        assert run.motor_work[-1].sum() == pytest.approx(0.0, abs=3 * run.work_error[-1])
        spent.append(run.driving_work[-1].sum())
        assert spent[-1] >= np.max(run.rise_work) - 3 * run.work_error[-1]
        assert run.returned_work[-1].sum() == pytest.approx(-spent[-1], abs=3 * run.work_error[-1])
    assert spent[0] > 0.5
    assert spent[1] == pytest.approx(spent[0], rel=2e-3)


@pytest.mark.parametrize("slope_deg", [8.0, -14.0])
def test_on_soil_the_motors_pay_for_slip(slope_deg: float) -> None:
    """On a plane each wheel turns 1/(1 - i) times its way uphill; downhill, where all brake, 1 - |i| times.

    Forces are the same everywhere, so that its work is its gross traction over that way. Before, uphill work and power
    were those of wheels that roll, 24 % less.
    """
    ready = prepare(load_drive("lsr1-sandslope"))
    rover, soil = ready.stretches[0].rover, ready.stretches[0].soil
    slope = np.radians(slope_deg)
    path = sample_path([(0.0, 0.0), (2.0, 0.0)], 0.1)
    run = drive(slope_surface(slope, 0.0), path, [Stretch(0.0, rover, soil)], G)
    assert run.stop is None
    way = 2.0 / np.cos(slope)
    gross, slip = run.of_forces("torque")[0] / rover.table.wheels.radius, run.of_forces("slip")[0]
    assert np.all(np.sign(gross) == np.sign(slope)) and np.abs(slip).min() > 0.01
    expected = gross * way * (1.0 / (1.0 - slip) if slope > 0.0 else 1.0 - np.abs(slip))
    np.testing.assert_allclose(run.motor_work[-1], expected, rtol=1e-6)
    np.testing.assert_allclose(run.slip_work[-1], expected - gross * way, rtol=1e-6)
    assert np.all(run.slip_work[-1] > 0.0)
    spent = run.resistance_work[-1].sum() + run.slip_work[-1].sum() + run.skid_work[-1].sum()
    assert run.motor_work[-1].sum() == pytest.approx(run.rise_work[-1] + spent, abs=1e-9)
    power = rover.table.speed * max(expected.sum(), 0.0) / 2.0  # a path is as long as its plan
    np.testing.assert_allclose(run.peak_power[1:], power, rtol=1e-6)
