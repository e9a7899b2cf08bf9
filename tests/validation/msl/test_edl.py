"""`msl-edl`: one run from the entry interface to the wheels, beside what was flown.

Nothing is fitted to the flight. The bands are those of published values and of simulations before the flight: parachute
at Mach 1.5 to 2.0, an opening load of 130 to 200 kN (flown 153.8 kN, median of 8,000 runs before the flight 175 kN),
touchdown 380 to 480 s after the interface (flown about 432 s) with 0.75 m/s +- 20 %, 10.5 to 13 g at the peak. Guided,
it comes within 2 km of the site.
"""

import numpy as np
import pytest

import planetfall
from support.paper_numbers import msl_edl

STAGE, BACKSHELL = 1, 2


@pytest.fixture(scope="module")
def landing():
    """The nominal run."""
    return planetfall.run(planetfall.load("msl-edl"))


def test_the_start_that_is_told_is_that_of_the_entry():
    """The rover starts on the backshell, 1.4 m from its centre of mass, whose start the scenario gives."""
    start = planetfall.start_conventions(planetfall.load("msl-edl"))
    assert start.radius_m == pytest.approx(3522200.0, abs=2.0)
    assert start.speed_relative_m_s == pytest.approx(5845.0, abs=1e-6)


@pytest.mark.slow
def test_it_lands_as_missions_do(landing):
    """Each number in its band; the rover stands on its wheels."""
    found = landing.summary
    assert found["outcome"] == "settled"
    assert found["parachute"]["outside_box"] == []
    assert [number for number in msl_edl(landing) if not number.is_met] == []
    assert found["touchdown_horizontal_m_s"] < 0.1
    assert 10.5 <= found["peak_g"] <= 13.0
    assert found["peak_g"] == found["peak_entry_g"]  # the canopy decelerates less
    assert found["propellant_left_kg"] > 0.0


@pytest.mark.slow
def test_it_is_guided_to_the_site(landing):
    """Within 2 km where the backshell is left; bank within its limits, three reversals."""
    data, flown = landing.data, {phase["name"]: phase["begins_s"] for phase in landing.summary["phases"]}
    i = int(np.searchsorted(data.time.values, flown["backshell off"]))
    assert np.linalg.norm(data.position.values[i, BACKSHELL, :2]) < 2000.0
    time, bank, rate = data.time.values, *np.degrees([data[k].values[:, BACKSHELL] for k in ("bank", "bank_rate")])
    entry = time < flown["balance masses off"]
    assert np.max(np.abs(rate[entry])) <= 20.0 * (1 + 1e-9)
    assert np.max(np.abs(np.diff(rate[entry]) / np.diff(time[entry]))) <= 5.0 * (1 + 1e-9)
    assert np.max(np.abs(bank[entry])) <= 105.0 + 1e-6
    # through lift up: angles are numbers, so that a reversal crosses zero
    speed = np.linalg.norm(data.velocity.values[:, BACKSHELL], axis=1)
    controlled = bank[entry & (speed > 1100.0)]
    assert np.count_nonzero(np.diff(np.sign(controlled))) == 3


@pytest.mark.slow
def test_without_errors_the_navigated_state_is_the_true_one(landing):
    """Position and velocity to rounding at 6.5e5 m, where frames and samples are at the same instants."""
    data = landing.data
    at = data.time.values
    sampled = data["navigation_position"]
    times = data[sampled.dims[0]].values
    i = np.searchsorted(times, at[:300])
    same = np.abs(times[np.minimum(i, len(times) - 1)] - at[:300]) < 1e-12
    assert np.count_nonzero(same) > 100
    found, true = sampled.values[i[same]], data.position.values[:300, STAGE][same]
    np.testing.assert_allclose(found, true, atol=1e-6)
    velocity = data["navigation_velocity"].values[i[same]]
    np.testing.assert_allclose(velocity, data.velocity.values[:300, STAGE][same], atol=1e-8)


@pytest.mark.slow
def test_the_phases_follow_each_other(landing):
    """Every phase of the scenario is flown, in its order, and what they separate is separated then."""
    names = [phase.name for phase in landing.scenario.flight.phases]
    flown = {phase["name"]: phase["begins_s"] for phase in landing.summary["phases"]}
    assert list(flown) == names
    gone = landing.summary["separations"]
    # commands of a tick act at once
    assert gone["heat shield_s"] == pytest.approx(flown["heat shield off"], abs=1e-9)
    assert gone["msl-rover-6_s"] == gone["msl-descent-stage-fuelled_s"]
    assert gone["msl-rover-6_s"] == pytest.approx(flown["backshell off"], abs=1e-9)
    assert landing.summary["parachute"]["deploy_s"] == pytest.approx(flown["parachute"], abs=1e-9)


@pytest.mark.slow
def test_the_account_of_every_phase_closes(landing):
    """To 1e-6 of what each phase turns over, so that the entry's 57 GJ do not hide the landing."""
    data, time = landing.data, landing.data.time.values
    works = [name for name in data if name.startswith("work_")]
    lines = data.tether_damper_work.sum("tether").values + data.tether_reel_work.sum("tether").values
    account = data.energy_total.values - sum(data[name].values for name in works) - lines
    begins = [phase["begins_s"] for phase in landing.summary["phases"]]
    for first, last in zip(begins, [*begins[1:], time[-1]], strict=True):
        i, j = np.searchsorted(time, first), min(int(np.searchsorted(time, last)), len(time) - 1)
        histories = [data[name].values[i : j + 1] for name in (*works, "energy_kinetic", "energy_gravity")]
        turnover = sum(np.abs(np.diff(history)).sum() for history in histories)
        assert abs(account[j] - account[i]) < 1e-6 * turnover


@pytest.mark.slow
def test_mass_is_kept_and_nothing_jumps(landing):
    """Masses of all vehicles and what was burnt add up exactly; places go on from frame to frame."""
    data = landing.data
    start = sum(vehicle.mass for vehicle in landing.scenario.vehicles)
    burnt = 390.0 - landing.summary["propellant_left_kg"]
    assert float(data.mass[0].sum()) == pytest.approx(start, abs=1e-9)
    assert float(data.mass[-1].sum()) == pytest.approx(start - burnt, abs=1e-6)
    steps = np.linalg.norm(np.diff(data.position.values, axis=0), axis=2)
    speeds = np.linalg.norm(data.velocity.values, axis=2)
    spans = np.diff(data.time.values)[:, None]
    # in an interval nothing goes farther than at the faster of its ends, and by the 120 m/s^2 of the entry's peak
    assert np.all(steps <= spans * (np.maximum(speeds[1:], speeds[:-1]) + 120.0 * spans) + 1e-6)


@pytest.mark.slow
def test_while_attached_all_is_one_body(landing):
    """Rover and stage keep their distance from the backshell, to rounding at 6.5e5 m from the site."""
    data = landing.data
    held = data.attached.values[:, 0] == 1
    apart = np.linalg.norm(data.position.values[held, 0] - data.position.values[held, BACKSHELL], axis=1)
    assert np.ptp(apart) < 1e-6
    assert data.attached.values[-1].sum() == 0


@pytest.mark.slow
def test_it_lands_on_a_map(landing, tmp_path):
    """By terrain.file: waves of 2 m over 8 km. To the heat shield the instants are those over the ellipsoid."""
    east = np.linspace(-4e3, 4e3, 401)
    np.save(tmp_path / "waves.npy", np.tile(2.0 * np.sin(east / 300.0), (401, 1)))
    ground = {"model": "dem", "file": str(tmp_path / "waves.npy"), "spacing": 20.0}
    run = planetfall.run(planetfall.load("msl-edl").with_values({"terrain": ground}))
    assert run.summary["outcome"] == "settled"
    assert run.summary["touchdown_vertical_m_s"] == pytest.approx(0.75, abs=0.15)
    times = [[phase["begins_s"] for phase in one.summary["phases"][:4]] for one in (run, landing)]
    assert times[0] == times[1]
    # centre of mass of a rover on its wheels, over level ground: that falls away from the plane of the map by s^2/2R
    place, (x, _, z) = landing.data.position.values[-1, 0], run.data.position.values[-1, 0]
    stood = place[2] + (place[0] ** 2 + place[1] ** 2) / (2.0 * 3.39e6)
    assert z - np.interp(x, east, 2.0 * np.sin(east / 300.0)) == pytest.approx(stood, abs=0.01)


@pytest.mark.long
def test_fixed_steps_land_where_adaptive_ones_do():
    """RK4 with steps per phase, through fifteen phases, three separations and the parachute: the same instants.

    Steps of 1/32 s leave 16 mm of the 126 km of the entry, and the engines' lag 1e-3 m/s where thrust changes most.
    """
    base = planetfall.load("msl-edl")
    lengths = [1 / 32] * 2 + [1 / 128] * 2 + [1 / 512] * 6 + [1 / 1024] * 5
    steps = {f"flight.phases.{i}.step": step for i, step in enumerate(lengths)}
    method = {"method": "rk4", "step": 1 / 32, "accept_step": True}
    fixed = planetfall.run(base.with_values({"integrator": method, **steps}))
    adaptive = planetfall.run(base.with_values({"integrator.tolerance": 1e-10}))
    for name in ("name", "begins_s"):
        assert [one[name] for one in fixed.summary["phases"]] == [one[name] for one in adaptive.summary["phases"]]
    assert fixed.summary["separations"] == adaptive.summary["separations"]
    cut = adaptive.summary["phases"][11]["begins_s"]
    times = np.arange(0.0, cut, 0.5)
    frames = [run.data.sel(time=times, method="nearest") for run in (fixed, adaptive)]
    apart = np.linalg.norm(frames[0].position.values - frames[1].position.values, axis=2)
    assert apart.max() < 0.1
    assert fixed.summary["miss_m"] == pytest.approx(adaptive.summary["miss_m"], abs=0.1)
    assert fixed.summary["touchdown_s"] == pytest.approx(adaptive.summary["touchdown_s"], abs=0.01)
    assert fixed.summary["outcome"] == adaptive.summary["outcome"] == "settled"
