"""Figures of hops: what turns inside has a panel of its own, and the vehicle's account beside it closes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import planetfall
from planetfall.record.trajectory import Trajectory
from planetfall.report.run.arm_figure import draw_arm
from planetfall.report.run.energy_figure import draw_energy
from planetfall.report.run.flywheel_figure import draw_flywheels
from planetfall.report.run.run_figures import draw_figures


@pytest.fixture(scope="module")
def hop() -> Trajectory:
    """The hedgehog's take-off, with frames 10 ms apart."""
    close = {"scenario.duration": 3.0, "record.interval": 0.01}
    return planetfall.run(planetfall.load("hedgehog-hop").with_values(close))


def curves(figure: Figure, row: int) -> dict[str, np.ndarray]:
    return {str(line.get_label()): np.asarray(line.get_ydata()) for line in figure.axes[row].lines}


def test_a_hop_of_millijoules_is_seen_beside_rotors_of_joules(hop: Trajectory, drawn: dict[str, Figure]) -> None:
    """Energy of the vehicle alone, less all work on it, stays the same, to the closure of the whole account."""
    draw_energy(hop, Path())
    inside, outside = (curves(drawn["energy"], row) for row in range(2))
    assert [axes.get_ylabel() for axes in drawn["energy"].axes] == ["energy, work [J]", "energy, work [mJ]"]
    assert inside["what turns inside"][0] == pytest.approx(0.5 * 1.5e-3 * 40.0**2, rel=1e-12)
    works = sum(values for name, values in outside.items() if name.startswith("work"))
    closure = 1e3 * hop.summary["energy_closure_J"]
    assert np.ptp(outside["energy, total"] - works) <= 2.0 * closure + 1e-9
    assert outside["energy, total"].max() == pytest.approx(6.5, abs=0.5)  # half a per cent of what turned inside


def test_flywheels_are_drawn_about_their_plan(hop: Trajectory, drawn: dict[str, Figure]) -> None:
    """From 0.75 to 2.25 s about a brake from 1 to 1.5 s; all along where frames are too far apart for that."""
    draw_flywheels(hop, Path())
    time = drawn["flywheels"].axes[0].lines[0].get_xdata()
    assert (np.min(time), np.max(time)) == pytest.approx((0.75, 2.25), abs=1e-9)
    assert curves(drawn["flywheels"], 0)["y"][0] == 40.0
    coarse = Trajectory(hop.scenario, hop.data.isel(time=slice(None, None, 25)), hop.events, hop.summary)
    draw_flywheels(coarse, Path())
    assert np.max(drawn["flywheels"].axes[0].lines[0].get_xdata()) > 2.5
    assert "(whole run)" in drawn["flywheels"].axes[0].get_title(loc="left")


def test_a_run_with_flywheels_has_their_figure(hop: Trajectory, drawn: dict[str, Figure]) -> None:
    assert "flywheels.png" in [path.name for path in draw_figures(hop, Path())]
    assert {"energy", "flywheels", "velocities"} <= drawn.keys()


def test_an_arm_is_drawn_even_with_few_frames(drawn: dict[str, Figure]) -> None:
    """The library's interval of 1 s shows no more than the ends of a swing of 0.2 s: then all of the run is drawn."""
    run = planetfall.run(planetfall.load("mascot-hop").with_values({"scenario.duration": 30.0}))
    assert [path.name for path in draw_arm(run, Path())] == ["arm.png"]
    assert curves(drawn["arm"], 0)["arm"][-1] == pytest.approx(200.0, abs=1.0)
    assert np.max(drawn["arm"].axes[0].lines[0].get_xdata()) == 30.0
