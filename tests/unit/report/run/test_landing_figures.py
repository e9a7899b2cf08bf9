"""Figures of a landing: what is drawn of histories made by hand."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure

from planetfall.report.run.energy_figure import draw_energy
from planetfall.report.run.landing import draw_load_transfer, draw_touchdown
from planetfall.report.run.readings import draw_readings
from planetfall.report.run.tethers import draw_tethers

TIME = np.array([0.0, 0.5, 1.0, 1.5, 2.0])


def landed(**scenario: Any) -> Any:
    """Two vehicles with a point each; the tether between them is cut at 1.5 s, and its ends part."""
    histories = {
        "tether_tension": ("tether", [[1e3], [1e3], [1e3], [0.0], [0.0]]),
        "tether_length": ("tether", [[7.0], [7.5], [7.5], [50.0], [300.0]]),
        "tether_rest_length": ("tether", [[7.5]] * 5),
        "tether_cut": ("tether", [[0], [0], [0], [1], [1]]),
        "contact_normal_force": ("point", [[0.0, 0.0], [9.0, 9.0], [5.0, 9.0], [5.0, 9.0], [5.0, 9.0]]),
        "body_energy_kinetic": ("body", [[9e6, 9e6], [8e6, 8e6], [7e6, 7e6], [6e6, 6e6], [5e6, 5e6]]),
        "body_energy_elastic": ("body", np.zeros((5, 2))),
        "body_energy_gravity": ("body", [[-4e6, -8e6], [-4e6, -8e6], [-4e6, -6e6], [-4e6, -4e6], [-5e6, -5e6]]),
        "mass": ("body", [[10.0, 20.0], [10.0, 20.0], [10.0, 15.0], [10.0, 10.0], [10.0, 10.0]]),
    }
    single = {
        "energy_total": np.linspace(1e9, 0.0, 5), "energy_kinetic": np.ones(5), "energy_gravity": np.zeros(5),
        "energy_elastic": np.zeros(5), "work_damper": np.full(5, -10.0), "work_friction": np.full(5, -2e6),
    }  # fmt: skip
    data = xr.Dataset(
        {name: (("time", dim), np.asarray(values, dtype=float)) for name, (dim, values) in histories.items()}
        | {name: ("time", values) for name, values in single.items()}
        | {"radar": ("radar_time", np.arange(4.0), {"units": "m"}), "point_body": ("point", [0, 1])},
        {"time": TIME, "radar_time": np.arange(4.0), "tether": ["t"], "point": ["foot", "rim"], "body": ["a", "b"]},
    )  # fmt: skip
    radar = SimpleNamespace(kind="altimeter", name="radar", variables=("radar",))
    given = {
        "name": "made", "n_judged": 1, "sensors": (radar,), "record": SimpleNamespace(interval=0.5),
        "companions": (1,), **scenario,
    }  # fmt: skip
    summary = {"first_touch_s": [1.25, 0.25], "landed_s": 1.4}
    return SimpleNamespace(scenario=SimpleNamespace(**given), data=data, summary=summary, events=[])


def test_readings_mark_the_touch_of_what_is_judged(drawn: dict[str, Figure]) -> None:
    """A heat shield comes down long before the vehicle."""
    draw_readings(landed(), Path())
    marks = {line.get_linestyle(): line.get_xdata() for line in drawn["readings"].axes[0].lines[1:]}
    assert marks[":"] == [1.25, 1.25] and marks["-"] == [1.4, 1.4]


def test_a_tether_is_drawn_until_it_is_cut(drawn: dict[str, Figure]) -> None:
    draw_tethers(landed(), Path())
    length, rest = (np.asarray(line.get_ydata(), dtype=float) for line in drawn["tethers"].axes[1].lines)
    np.testing.assert_array_equal(length, [7.0, 7.5, 7.5, np.nan, np.nan])
    np.testing.assert_array_equal(rest, [7.5, 7.5, 7.5, np.nan, np.nan])


@pytest.mark.parametrize(("interval", "style"), [(0.5, "None"), (0.001, "-")])
def test_few_frames_are_drawn_as_points(drawn: dict[str, Figure], interval: float, style: str) -> None:
    """A line from the peak of a touch to a frame half a second later shows a force that there never was."""
    run = landed(record=SimpleNamespace(interval=interval))
    draw_touchdown(run, Path(), 0.5)
    draw_load_transfer(run, Path(), 0.5)
    first = drawn["touchdown_forces"].axes[0].lines[0]
    assert first.get_linestyle() == style
    title = drawn["touchdown_forces"].axes[0].get_title(loc="left")
    assert title.endswith("frames every 0.5 s and of peaks" if style == "None" else "after the first touch")
    assert drawn["load_transfer"].axes[0].lines[1].get_linestyle() == style


def test_energies_of_vehicles_that_burn_and_works_that_cannot_be_seen(drawn: dict[str, Figure]) -> None:
    """Potential energy of the mass that is left: b burns half of its mass at one height, and then falls."""
    draw_energy(landed(), Path())
    rows = drawn["energy"].axes
    held = {str(line.get_label()): np.asarray(line.get_ydata()) for line in rows[1].lines}
    np.testing.assert_allclose(held["gravity, from the start"], [0.0, 0.0, 0.0, 0.0, -1.0])  # in MJ
    labels = [str(line.get_label()) for line in rows[-1].lines]
    assert labels == ["energy, total", "work, friction", "less than 0.1%:\n  work, damper"]


def test_what_is_burnt_does_not_climb(drawn: dict[str, Figure]) -> None:
    """A vehicle at rest that burns half of its mass: its potential energy halves, and nothing of that is drawn."""
    names = ("energy_total", "energy_kinetic", "energy_gravity", "energy_elastic", "work_damper", "work_friction")
    given = {name: ("time", np.zeros(5)) for name in names}
    mass = np.array([20.0, 20.0, 15.0, 10.0, 10.0])
    given |= {"energy_gravity": ("time", -4e5 * mass), "energy_total": ("time", -4e5 * mass)}
    given |= {"mass": (("time", "body"), mass[:, None]), "work_external": ("time", -4e5 * (mass - mass[0]))}
    vehicle = SimpleNamespace(flywheels=(), arm=None)
    scenario = SimpleNamespace(name="made", companions=(), vehicles=(vehicle,))
    draw_energy(SimpleNamespace(scenario=scenario, data=xr.Dataset(given, {"time": TIME})), Path())  # type: ignore[arg-type]
    drawn_of = {str(line.get_label()).split(",")[0] for line in drawn["energy"].axes[0].lines}
    assert drawn_of == {"energy", "work"}
    for line in drawn["energy"].axes[0].lines:
        np.testing.assert_allclose(np.asarray(line.get_ydata()), 0.0, atol=1e-9)
