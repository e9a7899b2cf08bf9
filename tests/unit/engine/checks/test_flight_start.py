"""Starts over a planet that look mixed up, tables of air that end too soon, and the start in every convention."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetfall
from planetfall import InputError, Scenario
from planetfall.engine.checks.contact_step import check_step, step_limit
from planetfall.engine.checks.flight_start import (
    altitude_of,
    at_the_site,
    check_air,
    check_descent,
    flight_notes,
    map_notes,
    switch_notes,
)
from planetfall.engine.initial_state import body_states, initial_state
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.world.gravity.field import acceleration_at, weighed_at
from planetfall.world.terrain.ground import make_surface

GALE = {"latitude_deg": -4.5965, "latitude_kind": "planetocentric", "longitude_deg": 137.4019, "height": -4500.0}
ENTRY = {
    "altitude": 125e3, "latitude_deg": -3.92, "latitude_kind": "planetocentric", "longitude_deg": 126.72,
    "speed": 5845.0, "flight_path_deg": -16.1, "azimuth_deg": 93.6,
}  # fmt: skip
AIR = {
    "model": "table", "heights": [0.0, 5e4, 1e5], "density": [0.015, 1e-4, 1e-7], "temperature": [210.0, 140.0, 130.0],
    "gas_constant": 191.4, "heat_ratio": 1.33,
}  # fmt: skip


def scene(initial: dict[str, Any], **values: Any) -> Scenario:
    base = {"target": {"name": "mars", "site": GALE}, "gravity": {"model": "j2"}, "initial": initial}
    ground = {"terrain": {"model": "ellipsoid", "height": -4500.0}}
    return planetfall.load("free-top").with_values({**base, **ground, **values})


def notes(scenario: Scenario) -> list[str]:
    return flight_notes(scenario, initial_state(scenario, make_surface(scenario, "cpu")))


def of_map(scenario: Scenario) -> list[str]:
    surface = make_surface(scenario, "cpu")
    return map_notes(scenario, surface, body_states(scenario, surface)[0, :3])


def air_checked(scenario: Scenario) -> None:
    check_air(scenario, initial_state(scenario, make_surface(scenario, "cpu"))[None])


def test_an_entry_as_it_should_be_has_no_note() -> None:
    assert notes(scene(ENTRY)) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"altitude": -4375.0}, r"125 m over the site's altitude at 5845 m/s: initial\.altitude is in metres"),
        ({"altitude": 125.0}, r"4625 m over the site's altitude at 5845 m/s: initial\.altitude is in metres"),
        ({"speed": 5.845}, r"1\.295e\+05 m up at 5\.845 m/s: initial\.speed is in m/s"),
        ({"altitude": 3522200.0}, r"initial\.altitude is 3\.5222e\+06 m and the planet's radius .* initial\.radius"),
        ({"altitude_over": "sphere", "latitude_deg": 60.0}, r"over the ellipsoid the start is at 1400\d\d m"),
        ({"speed": 58450.0}, r"more than 3 times the escape speed 4\d\d\d\.\d m/s there: initial\.speed is in m/s"),
        ({"flight_path_deg": 16.1}, "climbs at 16.1 deg at the start; a descending flight path is negative"),
    ],
)
def test_what_looks_mixed_up_is_told(change: dict[str, Any], words: str) -> None:
    found = notes(scene({**ENTRY, **change}))
    assert len(found) == 1
    assert re.search(words, found[0]), found


def test_of_a_vehicle_that_is_carried_the_start_of_its_carrier_is_looked_at() -> None:
    landing = planetfall.load("insight-edl", {"companions.0.initial.speed": 5.5422})
    found = flight_notes(landing, body_states(landing, make_surface(landing, "cpu"))[0])
    assert len(found) == 1 and found[0].endswith("at 5.5422 m/s: companions.0.initial.speed is in m/s"), found


def test_columns_of_air_that_are_not_read_are_told(tmp_path: Path) -> None:
    (tmp_path / "air.csv").write_text("h [km],rho [kg/m3],T [K],u [m/s]\n0,0.015,210,30\n130,1e-9,140,-90\n")
    air = {"model": "table", "file": str(tmp_path / "air.csv"), "gas_constant": 191.4, "heat_ratio": 1.33}
    (found,) = notes(scene(ENTRY, atmosphere=air))
    assert re.search(r"not read: 'u \[m/s\]'; the columns that are read are called .*, wind_east, wind_north", found)


def test_uniform_gravity_on_a_turning_planet_is_told() -> None:
    """A scale on the ground shows the centrifugal part already; the turning frame adds it once more."""
    found = notes(scene(ENTRY, gravity={"model": "uniform", "acceleration": 3.71}))
    assert len(found) == 1 and "adds the centrifugal part a second time" in found[0]


def test_a_table_that_ends_below_the_start() -> None:
    with pytest.raises(InputError, match=r"atmosphere\.above: the table ends at 100000 m, below the start at 125000 m"):
        air_checked(scene(ENTRY, atmosphere={**AIR, "below": "continue"}))
    with pytest.raises(
        InputError, match=r"atmosphere\.below: the table begins at 0 m, above the landing site at -4500"
    ):
        air_checked(scene(ENTRY, atmosphere={**AIR, "above": "continue"}))
    air_checked(scene(ENTRY, atmosphere={**AIR, "above": "continue", "below": "continue"}))


def test_a_descent_that_ends_above_the_site_needs_no_air_at_the_site() -> None:
    air = {**AIR, "above": "continue"}
    air_checked(scene(ENTRY, atmosphere=air, outcome={"stop_altitude": 1e4}))
    with pytest.raises(
        InputError,
        match=r"atmosphere\.below: .* above outcome\.stop_altitude at -1000 m; expected a table that reaches",
    ):
        air_checked(scene(ENTRY, atmosphere=air, outcome={"stop_altitude": -1000.0}))


@pytest.mark.parametrize(("offset", "is_told"), [(0.0, True), (4500.0, False)])
def test_a_map_with_heights_over_the_ellipsoid(tmp_path: Path, offset: float, is_told: bool) -> None:
    """Heights of a map count from the site, here 4.5 km below the ellipsoid; the map's are about -4450 m."""
    np.save(tmp_path / "heights.npy", np.full((9, 9), -4450.0))
    ground = {"model": "dem", "file": str(tmp_path / "heights.npy"), "spacing": 50.0, "height_offset": offset}
    told = [one for one in of_map(scene(ENTRY, terrain=ground)) if "height_offset" in one]
    assert [bool(re.search(r"at -4450 m at the site.* give terrain\.height_offset = 4500$", one)) for one in told] == (
        [True] if is_told else []
    )


def test_a_map_that_a_landing_may_miss(tmp_path: Path) -> None:
    """Told of a flight that begins far from a map of 400 m, not of a drop over it, nor of a map of 40 km."""
    np.save(tmp_path / "heights.npy", np.zeros((9, 9)))
    small = {"model": "dem", "file": str(tmp_path / "heights.npy"), "spacing": 50.0}
    told = of_map(scene(ENTRY, terrain=small))
    assert len(told) == 1
    assert re.search(r"the ground reaches 200 m from the site, and the flight begins 65\d.*km away.*off_map", told[0])
    assert of_map(scene(ENTRY, terrain={**small, "spacing": 5e3})) == []
    drop = {"position": [0.0, 0.0, 500.0]}
    assert of_map(scene(drop, terrain=small)) == []


def test_what_navigation_does_not_know_is_told_where_a_map_is_smaller(tmp_path: Path) -> None:
    """Before a campaign: guidance cannot come nearer to the site than navigation knows where it is."""
    np.save(tmp_path / "heights.npy", np.zeros((9, 9)))
    small = {"model": "dem", "file": str(tmp_path / "heights.npy"), "spacing": 50.0}
    told = of_map(planetfall.load("msl-edl-dispersed").with_values({"terrain": small}))
    assert len(told) == 2
    assert told[1].startswith("dispersions.sensors.0.position_error has a sigma of 1000 m, more than the 200 m that")
    assert len(of_map(planetfall.load("msl-edl").with_values({"terrain": small}))) == 1


def test_what_is_asked_for_twice_is_told() -> None:
    """A heat shield separates once: by a trigger of its own or by the phase of the flight, whichever comes first."""
    assert switch_notes(planetfall.load("msl-edl")) == []
    own = {"companions.2.initial.attached.release": {"speed_below": 600.0}}
    own |= {"companions.1.vehicle.parachutes.0.deploy": {"mach_below": 1.5}}
    told = switch_notes(planetfall.load("msl-edl").with_values(own))
    assert [one.partition(" happens once")[0] for one in told] == ["'deploy main'", "'separate heat shield'"]
    assert "by a trigger of its own and by the phase 'heat shield off'" in told[1]


def test_altitude_on_a_planet_and_on_a_plane() -> None:
    scenario = scene(ENTRY)
    state = initial_state(scenario, make_surface(scenario, "cpu"))
    assert altitude_of(scenario, state[:3]) == pytest.approx(125e3, abs=1e-8)
    assert altitude_of(planetfall.load("free-top"), np.array([1e5, 0.0, 7.0])) == 7.0


def test_start_conventions() -> None:
    found = planetfall.start_conventions(scene(ENTRY))
    assert found.height_over_ellipsoid_m == pytest.approx(125e3, abs=1e-8)
    assert found.height_over_ground_m == pytest.approx(129.5e3, abs=1e-6)
    with pytest.raises(InputError, match=r"target\.site: missing, so that the start has no latitude"):
        planetfall.start_conventions(planetfall.load("free-top"))
    with pytest.raises(InputError, match="expected a Scenario"):
        planetfall.start_conventions("msl-drop")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["mars-entry-ballistic", "mars-entry-lifting", "stardust-entry"])
def test_the_ground_below_an_entry_is_the_planet(name: str) -> None:
    """Over a site's plane, 700 km away, the height over the ground was 51 km instead of 128 km."""
    scenario = planetfall.load(name)
    found, site = planetfall.start_conventions(scenario), scenario.target.site
    assert site is not None
    assert found.height_over_ground_m == pytest.approx(found.height_over_ellipsoid_m - site.height, abs=1e-3)


def test_a_step_is_checked_at_the_site_where_the_start_is_far_from_its_map() -> None:
    """The limit of a vehicle at rest over the site, whatever its entry: 0.1 s is refused, and says what to use."""
    disc = {"model": "plane", "slope_deg": 3.0, "radius": 2e3}
    far = planetfall.load("msl-drop").with_values(
        {"target": {"name": "mars", "site": GALE}, "gravity": {"model": "j2"}, "terrain": disc, "initial": ENTRY}
    )
    surface = make_surface(far, "cpu")
    state = at_the_site(far, initial_state(far, surface), surface)
    gap, normal, is_ground = surface.ground_at(state[:3])
    assert is_ground and gap == pytest.approx(far.vehicle.extent * normal[2])
    np.testing.assert_allclose(rotation_matrix(state[6:10]) @ far.vehicle.up, [0.0, 0.0, 1.0], atol=1e-15)
    limit = step_limit(far, initial_state(far, surface), surface)
    assert limit.step == step_limit(far, state, surface).step < 0.1
    with pytest.raises(InputError, match=r"integrator\.step: 0\.1 s is too long for"):
        check_step(far.with_values({"integrator.step": 0.1}), initial_state(far, surface), surface)


def test_weights_are_those_at_the_site() -> None:
    """At Gale |g| is 3.7341 m/s^2; at 125 km it is 7 % less, and no contact is scaled by that."""
    scenario = scene(ENTRY)
    state = initial_state(scenario, make_surface(scenario, "cpu"))
    there = np.linalg.norm(acceleration_at(scenario, weighed_at(scenario, state[:3])))
    assert there == pytest.approx(3.7341, abs=1e-4)
    assert np.linalg.norm(acceleration_at(scenario, state[:3])) == pytest.approx(3.46, abs=0.01)


@pytest.mark.parametrize(
    ("altitude", "path", "is_refused"), [(125.0, -16.1, True), (125.0, 16.1, False), (125e3, -16.1, False)]
)
def test_a_descent_that_would_end_at_once(altitude: float, path: float, is_refused: bool) -> None:
    """Kilometres for metres: the start lies below the height at which the run ends; who climbs may come down."""
    made = scene({**ENTRY, "altitude": altitude, "flight_path_deg": path}).with_values({"outcome.stop_altitude": 10e3})
    states = initial_state(made, make_surface(made, "cpu"))[None]
    if not is_refused:
        check_descent(made, states)
        return
    with pytest.raises(InputError, match=r"the start is at 125 m, below the 10000 m at which the descent ends"):
        check_descent(made, states)


def test_ground_at_another_height_than_the_site_is_told() -> None:
    flat = planetfall.load("insight-edl")
    assert not any("the ground is" in one for one in of_map(flat))
    raised = flat.with_values({"target.site.height": flat.target.site.height - 100.0})  # type: ignore[union-attr]
    assert any("the ground is 100 m above the site: terrain.height is" in one for one in of_map(raised))


def test_latitudes_of_different_kinds_are_told_with_their_distance():
    """13.2 km at 20.5 deg, 3.1 km at 4.5 deg, at Mars; no scenario of the library has any."""
    for name in ("insight-edl", "msl-edl", "mars-entry-ballistic", "stardust-entry"):
        scenario = planetfall.load(name)
        state = np.array([0.0, 0.0, 1e5, *np.zeros(10)])
        assert [note for note in flight_notes(scenario, state) if "latitude_kind" in note] == []
    base = planetfall.load("insight-edl")
    state = np.array([0.0, 0.0, 1e5, *np.zeros(10)])
    for latitude, apart in ((20.5, "13.2 km"), (4.5, "3.1")):
        site = {"latitude_deg": latitude, "longitude_deg": 135.6, "height": -2613.0}
        told = [
            note for note in flight_notes(base.with_values({"target.site": site}), state) if "latitude_kind" in note
        ]
        assert len(told) == 1
        assert "companions.0.initial.latitude_deg is planetocentric and target.site.latitude_deg geodetic" in told[0]
        assert apart in told[0]
