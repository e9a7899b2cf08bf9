"""Figures of flights through air: what is small is seen, what is nothing is not drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import planetfall
from planetfall.report.run.energy_figure import draw_energy
from planetfall.report.run.flight_figures import draw_flight, marks
from planetfall.report.style import kept_figures


def drawn(run: planetfall.Trajectory) -> dict[str, Figure]:
    with kept_figures() as kept:
        draw_flight(run, Path())
        draw_energy(run, Path())
    return kept


@pytest.fixture(scope="module")
def windy() -> planetfall.Trajectory:
    return planetfall.run("nesc-07")


def test_a_flight_without_forces_has_no_figure_of_forces() -> None:
    found = drawn(planetfall.run("nesc-01"))
    assert set(found) == {"altitude_over_speed", "loads_over_time", "ground_track", "energy"}
    assert [line.get_label() for line in found["energy"].axes[0].lines] == [
        "energy, total", "energy, kinetic", "energy, gravity,\nover its least value"
    ]  # fmt: skip


def test_forces_that_stay_small_are_seen_over_all_the_time(windy: planetfall.Trajectory) -> None:
    """Of 47 N at most: down to the decade below a ten thousandth of that, 1 mN."""
    (axes,) = drawn(windy)["forces_per_vehicle"].axes
    assert axes.get_title(loc="left") == f"{windy.scenario.name}: forces on the vehicle"
    assert axes.get_ylim()[0] == pytest.approx(1e-3)
    assert axes.get_xlim() == (0.0, 30.0)
    force = np.linalg.norm(windy.data.aero_force.values[:, 0], axis=1)
    assert force.max() < 50.0
    np.testing.assert_array_equal(np.asarray(axes.lines[0].get_ydata()), force)


def test_a_short_track_is_in_metres(windy: planetfall.Trajectory) -> None:
    """The wind blows eastward along the equator: its way is that of the position along x, to the Earth's curvature."""
    (axes,) = drawn(windy)["ground_track"].axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("east of the start [m]", "north of the start [m]")
    way = windy.data.position.values[-1, 0, 0] - windy.data.position.values[0, 0, 0]
    assert np.asarray(axes.lines[0].get_xdata())[-1] == pytest.approx(way, rel=2e-3)  # of a height of 9 km over 6378


def test_what_grows_until_the_end_has_no_peak(windy: planetfall.Trajectory) -> None:
    assert windy.summary["peak_g_s"] == 30.0
    assert list(marks(windy)) == []


def test_an_entry_is_drawn_in_gigajoules_and_degrees_with_its_peaks() -> None:
    run = planetfall.run("mars-entry-ballistic")
    found = drawn(run)
    assert found["energy"].axes[0].get_ylabel() == "energy, work [GJ]"
    assert found["ground_track"].axes[0].get_xlabel() == "longitude, east [deg]"
    assert [name for _, name in marks(run)] == ["peak heating", "peak load", "descended"]


@pytest.mark.parametrize("turn", [0.0, -360.0])
def test_a_ground_track_has_the_longitudes_in_which_the_site_was_given(turn: float) -> None:
    """Across the 180th meridian, from 185 to 196 degrees east, whichever turn the site is given in."""
    here = {"initial.longitude_deg": 185.0, "target.site.longitude_deg": 196.5 + turn}
    run = planetfall.run(planetfall.load("mars-entry-ballistic", here))
    (axes,) = drawn(run)["ground_track"].axes
    track = np.asarray(axes.lines[0].get_xdata())
    assert track[0] == pytest.approx(185.0 + turn)
    assert abs(track[-1] - 196.5 - turn) < 5.0
    assert "site (origin of L)" in [line.get_label() for line in axes.lines]
