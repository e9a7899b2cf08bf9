"""Parachutes against closed forms and an independent solution in one dimension."""

import numpy as np
import pytest

import planetfall
from oracles.parachute_drop import Drop
from planetfall import InputError
from planetfall.scenario.tables.vehicle.parachutes import CANOPIES
from support.falling_probe import (
    ADAPTIVE,
    DIAMETER,
    MAIN,
    MASS,
    METHODS,
    PROBE_DIAMETER,
    PROBE_DRAG,
    RK4,
    SOUND,
    falling_probe,
)


def oracle():
    """The same by SciPy."""
    canopy = CANOPIES["disk-gap-band"]
    return Drop(
        mass=MASS, gravity=3.71, drag_area=PROBE_DRAG * np.pi / 4 * PROBE_DIAMETER**2, density=0.02,
        scale_height=11100.0, sound_speed=SOUND, area=np.pi / 4 * DIAMETER**2, mach=canopy["mach"],
        drag_coefficient=canopy["drag_coefficient"], fire_speed=400.0, delay=1.1,
        filling_length=canopy["filling_diameters"] * DIAMETER, exponent=canopy["inflation_exponent"],
        opening_factor=canopy["opening_factor"], settling=0.5,
    )  # fmt: skip


@METHODS
def test_firing_filling_and_fall_are_those_of_an_independent_solution(integrator):
    """With a fixed step the trigger is seen at the end of a step: at 25 m/s^2 half a step is 25 mm/s, and 10 mm.

    The adaptive method locates trigger, line stretch and the full canopy: what is left is its tolerance over 12 s.
    """
    expected = oracle().fly(10000.0, 420.0, 12.0)
    landing = planetfall.run(falling_probe(integrator))
    found = landing.summary["parachute"]
    loose = integrator["method"] == "rk4"
    assert found["deploy_s"] == pytest.approx(expected["fired"], abs=2.1e-3 if loose else 1e-8)
    assert found["deploy_altitude_m"] == pytest.approx(expected["fired_height"], abs=1.0 if loose else 1e-5)
    assert found["deploy_mach"] == pytest.approx(400.0 / SOUND, rel=3e-4 if loose else 1e-9)
    assert found["peak_load_N"] == pytest.approx(expected["first_full_load"], rel=2e-3 if loose else 1e-7)
    end = landing.data.isel(time=-1)
    assert float(end.position[0, 2]) == pytest.approx(expected["height"], abs=1.0 if loose else 1e-4)
    assert float(-end.velocity[0, 2]) == pytest.approx(expected["speed"], rel=1e-3 if loose else 1e-7)
    assert float(landing.data.parachute_load.max()) <= found["peak_load_N"] * (1 + 1e-12)
    assert abs(landing.summary["energy_closure_J"]) < 1e-9 * landing.summary["energy_start_J"]


def test_a_vehicle_too_heavy_to_be_slowed_feels_the_infinite_mass_load():
    """Peak load C_x q S_0 C_D: a mass of 1e12 kg keeps its speed to 1e-6 m/s while the canopy fills."""
    scenario = falling_probe(RK4, **{
        "vehicle.mass": 1e12, "vehicle.inertia": [1e12, 1e12, 1e12], "gravity.acceleration": 1e-9,
        "initial.velocity": [0.0, 0.0, -390.0], "atmosphere.scale_height": 1e12, "scenario.duration": 4.0,
    })  # fmt: skip
    found = planetfall.run(scenario).summary["parachute"]
    c_d = oracle_drag(390.0 / SOUND)
    expected = 1.3 * 0.5 * 0.02 * 390.0**2 * np.pi / 4 * DIAMETER**2 * c_d
    # the first step end after the canopy is full is up to 2 ms late, in which the overshoot decays by 1.3 % of 0.3
    assert found["peak_load_N"] == pytest.approx(expected, rel=4e-3)


def oracle_drag(mach):
    from scipy.interpolate import PchipInterpolator

    canopy = CANOPIES["disk-gap-band"]
    return float(PchipInterpolator(canopy["mach"], canopy["drag_coefficient"])(mach))


def test_the_fall_ends_at_terminal_speed():
    """sqrt(2 m g/(rho sum of C S)) in air of one density; v/2g = 7.4 s: after 120 s 1e-7 of the difference is left."""
    scenario = falling_probe(RK4, **{
        "atmosphere.scale_height": 1e12, "initial.velocity": [0.0, 0.0, -70.0], "scenario.duration": 120.0,
        "integrator.step": 0.02,
    })  # fmt: skip
    landing = planetfall.run(scenario)
    speed = float(-landing.data.velocity[-1, 0, 2])
    drag_area = PROBE_DRAG * np.pi / 4 * PROBE_DIAMETER**2 + oracle_drag(speed / SOUND) * np.pi / 4 * DIAMETER**2
    assert speed == pytest.approx(np.sqrt(2 * MASS * 3.71 / (0.02 * drag_area)), rel=1e-6)


def test_a_canopy_that_was_let_go_pulls_no_more():
    """Released at 9 s: the load is zero from there on, and the fall is faster again."""
    scenario = falling_probe(RK4, **{"vehicle.parachutes": [{**MAIN, "release": {"after": 5.0}}]})
    landing = planetfall.run(scenario)
    fired = landing.summary["parachute"]["deploy_s"]
    load = landing.data.parachute_load[:, 0]
    assert float(load.where(landing.data.time > fired + 5.01, drop=True).max()) == 0.0
    assert float(load.where(landing.data.time < fired + 4.9, drop=True)[-1]) > 1000.0
    assert landing.summary["parachute"]["released_s"] == pytest.approx(fired + 5.0, abs=2.1e-3)


def test_a_second_parachute_waits_for_the_first():
    """A drogue at 400 m/s; 3 s later the main one is fired and the drogue let go: located, so that times are exact."""
    drogue = {**MAIN, "name": "drogue", "diameter": 4.0, "release": {"after": 3.0}}
    main = {**MAIN, "deploy": {"after": 3.0, "armed_after": "drogue"}}
    found = planetfall.run(falling_probe(ADAPTIVE, **{"vehicle.parachutes": [drogue, main]})).summary
    first, second = found["parachute.drogue"], found["parachute"]
    assert second["deploy_s"] == pytest.approx(first["deploy_s"] + 3.0, abs=1e-8)
    assert first["released_s"] == pytest.approx(second["deploy_s"], abs=1e-8)
    assert 0.0 < first["peak_load_N"] < second["peak_load_N"]
    assert abs(found["energy_closure_J"]) < 1e-9 * found["energy_start_J"]


def test_conditions_outside_the_box_are_told():
    """Mach 1.72 in a box that ends at 1.5."""
    boxed = {**MAIN, "box": {"mach_min": 1.1, "mach_max": 1.5, "dynamic_pressure_max": 1000.0}}
    found = planetfall.run(falling_probe(RK4, **{"vehicle.parachutes": [boxed]})).summary["parachute"]
    assert len(found["outside_box"]) == 1
    assert found["outside_box"][0].startswith("Mach 1.7") and found["outside_box"][0].endswith("is above 1.5")


@pytest.mark.parametrize(
    ("parachute", "words"),
    [
        ({"name": "main", "diameter": 5.0}, "drag_coefficient: 0 of them for 0 Mach numbers"),
        ({**MAIN, "canopy": "kite"}, "no canopy is called 'kite'; there are disk-gap-band, round"),
        ({**MAIN, "deploy": {}}, "the trigger has no condition"),
        ({**MAIN, "deploy": {"after": 1.0, "armed_after": "pilot"}}, "no other parachute is called 'pilot'"),
        ({**MAIN, "box": {"mach_min": 2.0, "mach_max": 1.0}}, "mach_max: 1 is not more than mach_min, 2"),
    ],
)
def test_what_cannot_be_is_refused_in_words(parachute, words):
    """Each message names the key and what to do."""
    with pytest.raises(InputError, match=words.replace("(", r"\(")):
        planetfall.run(falling_probe(RK4, **{"vehicle.parachutes": [parachute]}))


def test_a_parachute_needs_air():
    """Without an atmosphere nothing fills it."""
    with pytest.raises(InputError, match="needs air"):
        planetfall.run(falling_probe(RK4, **{"atmosphere": {"model": "none"}, "vehicle.aerodynamics": None}))
