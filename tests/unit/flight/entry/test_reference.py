"""The reference of an entry: influence coefficients against finite differences, its end, and what is refused."""

from typing import Any

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.flight.entry.mount_entry import entry_guidance_params, with_reference
from planetfall.flight.entry.planar import planar_entry, range_to_site
from planetfall.flight.entry.reference import entry_reference, fly, reference_of
from planetfall.scenario import load
from planetfall.scenario.tables.flight.guidance import GuidanceEntry

LAW = "flight.phases.0.guidance"


@pytest.fixture(scope="module")
def scenario() -> Any:
    return load("msl-edl")


@pytest.fixture(scope="module")
def entry(scenario):
    return planar_entry(scenario)


@pytest.fixture(scope="module")
def law(scenario) -> Any:
    return scenario.flight.phases[0].guidance


@pytest.fixture(scope="module")
def reference(entry, law):
    return reference_of(entry, law, LAW)


def test_it_ends_where_the_trigger_is_to_fire(entry, law, reference):
    """At the trigger's speed, short of the site by what is flown after; the root is found to 1e-8 rad, 1 cm."""
    assert reference.speed[0] == pytest.approx(law.trigger_speed, abs=1e-6)
    assert reference.start_range == pytest.approx(entry.target_range - law.range_after, abs=1.0)
    assert np.all(np.diff(reference.speed) > 0.0) and np.all(np.diff(reference.range_to_go) > 0.0)
    assert 45.0 < np.degrees(reference.bank) < 65.0


@pytest.mark.parametrize("speed", [5800.0, 4500.0, 2500.0, 1300.0, 900.0])
def test_influence_is_that_of_finite_differences(entry, law, reference, speed):
    """F1 by a change of height, F2 of path angle, F3 of u, flown to the end again: to 1 %.

    The adjoint has all that the planar model has, kinks too; what is left is the curvature over the differences.
    """
    i = int(np.argmin(np.abs(reference.speed - speed)))
    start = np.array([0.0, reference.speed[i], reference.path[i], reference.height[i]])

    def flown(change=(0.0, 0.0, 0.0, 0.0), extra=0.0):
        pieces, end = fly(entry, law, start + np.array(change), reference.bank, extra, reference.time[i])
        assert end is not None
        return pieces[-1][1][-1, 0]

    assert flown() == pytest.approx(reference.range_to_go[i], abs=1.0)
    higher, steeper, lift = 50.0, 1e-4, 1e-3
    by_height = (flown((0, 0, 0, higher)) - flown((0, 0, 0, -higher))) / (2 * higher)
    scale_height = -1.0 / float(entry.log_density(start[3], 1))
    by_path = (flown((0, 0, steeper, 0)) - flown((0, 0, -steeper, 0))) / (2 * steeper)
    by_lift = (flown(extra=lift) - flown(extra=-lift)) / (2 * lift)
    assert reference.of_drag[i] == pytest.approx(-scale_height / reference.drag[i] * by_height, rel=0.01)
    assert reference.of_height_rate[i] == pytest.approx(by_path / (start[1] * np.cos(start[2])), rel=0.01)
    assert reference.of_lift[i] == pytest.approx(by_lift, rel=0.01)


def test_signs(law, reference):
    used = reference.speed > law.heading_speed
    assert np.all(reference.of_drag[used] < 0.0)
    assert np.all(reference.of_height_rate[used] > 0.0)
    assert np.all(reference.of_lift[used] > 0.0)


def test_what_campaigns_draw_is_not_known_to_it(scenario):
    """Perturbed air, factors on the coefficients and wind leave the reference as it is."""
    drawn = scenario.with_values(
        {
            "atmosphere.perturbation.density_shift": 0.2,
            "companions.1.vehicle.aerodynamics.axial_factor": 1.1,
            "atmosphere.perturbation.wind_east": 30.0,
        }
    )
    assert entry_reference(drawn).table() == entry_reference(scenario).table()


def test_one_that_is_held_fast_stays(scenario):
    """A campaign's scenario keeps the nominal reference, whatever is drawn for its start; through files, too."""
    held: Any = with_reference(scenario)
    assert held.flight.phases[0].guidance.reference == entry_reference(scenario).table()
    drawn: Any = held.with_values({"companions.1.initial.flight_path_deg": -16.0})
    assert drawn.flight.phases[0].guidance.reference == held.flight.phases[0].guidance.reference
    assert with_reference(drawn) is drawn


def test_the_way_to_a_site():
    """A site 0.1 rad ahead and 0.02 rad to the right, on the equator of a sphere, flying east."""
    r, v = np.array([2.0, 0.0, 0.0]), np.array([0.3, 1.0, 0.0])
    site = np.array([np.cos(0.1) * np.cos(0.02), np.sin(0.1) * np.cos(0.02), -np.sin(0.02)])
    along, across, turn = range_to_site(r, v, site)
    assert along == pytest.approx(0.1) and across == pytest.approx(0.02)
    assert turn == pytest.approx(np.arctan2(np.sin(0.02), np.sin(0.1) * np.cos(0.02)))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"target.site.longitude_deg": 142.0}, "out of reach.*897.8 km.*in reach.*525.2 to 799.5 km"),
        ({f"{LAW}.trigger_speed": 60.0}, "does not get as slow as 60 m/s"),
        ({f"{LAW}.gain": -5.0}, "gain.*greater than 0"),
        ({f"{LAW}.heading_speed": 300.0}, "must be above trigger_speed"),
        (
            {"companions.1.vehicle.aerodynamics.bank_plan": {"times": [50.0], "angles_deg": [0.0]}},
            "a plan and the guidance",
        ),
    ],
)
def test_refused(scenario, values, message):
    with pytest.raises(InputError, match=message):
        entry_guidance_params(scenario.with_values(values))


def test_influence_of_the_wrong_sign_is_refused(scenario, reference):
    """In a reference that somebody wrote."""
    table = reference.table()
    turned = table.model_copy(update={"of_lift": tuple(-value for value in table.of_lift)})
    values = {f"{LAW}.reference": turned.model_dump()}
    with pytest.raises(InputError, match=r"of_lift.*wrong sign.*F3 > 0"):
        entry_guidance_params(scenario.with_values(values))


def test_a_scenario_without_guidance_is_told_so():
    with pytest.raises(InputError, match="no phase has guidance with law = 'entry'"):
        entry_reference(load("msl-drop"))


def test_the_table_of_a_reference_is_checked():
    with pytest.raises(ValueError, match="has 1 numbers for 2 speeds"):
        GuidanceEntry.model_validate(
            {"law": "entry", "reference": {key: [1.0, 2.0] for key in ("speed", "range_to_go", "drag", "height_rate",
             "lift_ratio", "of_drag", "of_height_rate")} | {"bank_deg": 50.0, "of_lift": [1.0]}}
        )  # fmt: skip
