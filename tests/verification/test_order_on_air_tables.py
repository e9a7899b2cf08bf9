"""The order of a fixed step through a table of air, whose density has a kink at every node.

A body falls straight down without gravity through density that is linear between nodes, so that v(h) is known: v_0
exp(-int rho dh/(2 beta)). The nodes are put where the body is at multiples of the coarsest step, or between them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import planetfall
from support.entries import flight

START, SPEED, COARSEST, N_NODES = 60e3, 6000.0, 0.5, 40
MASS, AREA, DRAG = 500.0, 4.0, 1.5
BETA = MASS / (DRAG * AREA)
PLACES, WEIGHTS = np.polynomial.legendre.leggauss(20)


def smooth(height: np.ndarray | float) -> np.ndarray:
    """Density [kg/m^3] that the table takes at its nodes."""
    return 0.02 * np.exp(-np.asarray(height) / 8000.0)


def after(high: float, low: float | np.ndarray, speed: float, bottom: float) -> np.ndarray:
    """Speed [m/s] at `low`, from a speed at the node `high`, where the next node is `bottom`."""
    slope = (smooth(bottom) - smooth(high)) / (bottom - high)
    depth = high - np.asarray(low)
    return speed * np.exp(-(smooth(high) * depth - 0.5 * slope * depth**2) / (2.0 * BETA))


def seconds(high: float, bottom: float, speed: float) -> float:
    """Time from a node to the next [s], by quadrature."""
    heights = bottom + 0.5 * (1.0 + PLACES) * (high - bottom)
    return float(0.5 * (high - bottom) * np.sum(WEIGHTS / after(high, heights, speed, bottom)))


def nodes(first: float) -> tuple[np.ndarray, np.ndarray]:
    """Heights [m] where the body is `first` seconds after its start and each COARSEST after that; its speeds."""
    heights, speeds = [START], [SPEED]
    for k in range(N_NODES):
        wanted, high, speed = first if k == 0 else COARSEST, heights[-1], speeds[-1]
        low = brentq(
            lambda h, high=high, speed=speed, wanted=wanted: seconds(high, h, speed) - wanted,
            high - 1.01 * SPEED * wanted, high - 1e-3, xtol=1e-10,
        )  # fmt: skip
        heights.append(low)
        speeds.append(float(after(high, low, speed, low)))
    return np.array(heights), np.array(speeds)


def fallen(file: Path, step: float, interpolation: str = "linear") -> tuple[np.ndarray, np.ndarray]:
    """Speed [m/s] and height [m] at multiples of COARSEST."""
    scenario = flight(
        scenario={"name": "table", "duration": COARSEST * (N_NODES - 2)},
        atmosphere={
            "model": "table", "file": str(file), "interpolation": interpolation, "gas_constant": 191.4,
            "heat_ratio": 1.3,
        },
        vehicle={"mass": MASS, "aerodynamics": {"model": "drag", "area": AREA, "drag_coefficient": DRAG}},
        initial={"position": [0.0, 0.0, START], "velocity": [0.0, 0.0, -SPEED]},
        integrator={"method": "rk4", "step": step},
        record={"interval": COARSEST},
    )  # fmt: skip
    data = planetfall.run(scenario).data
    data = data.isel(time=np.isclose(data.time / COARSEST % 1.0, 0.0))  # without the frames of peaks
    return -data.velocity.values[1:, 0, 2], data.altitude.values[1:, 0]


def write_table(file: Path, heights: np.ndarray, density: np.ndarray) -> None:
    """Air of 200 K with these densities [kg/m^3] at heights [m] from the highest down."""
    rows = [f"{h!r},{rho!r},200" for h, rho in zip(heights[::-1].tolist(), density[::-1].tolist(), strict=True)]
    file.write_text("\n".join(["height [m],density [kg/m3],temperature [K]", *rows]) + "\n")


def largest_error(file: Path, step: float, heights: np.ndarray, speeds: np.ndarray) -> float:
    """Of the speed [m/s] over height, at multiples of COARSEST."""
    found, height = fallen(file, step)
    i = np.clip(np.searchsorted(-heights, -height) - 1, 0, N_NODES - 1)
    expected = [after(heights[k], h, speeds[k], heights[k + 1]) for k, h in zip(i, height, strict=True)]
    return float(np.max(np.abs(found - np.array(expected))))


@pytest.mark.parametrize("first", [COARSEST, 0.37 * COARSEST], ids=["steps on nodes", "nodes between steps"])
def test_order_through_a_table(first: float, tmp_path: Path) -> None:
    """Steps that end on the nodes keep the fourth order, 16 for each half; a kink within a step costs two orders.

    Where the body is at a node's time is itself wrong by the step's fourth power, so the kink is passed by no more.
    """
    heights, speeds = nodes(first)
    table = np.concatenate([[START + 10e3], heights, [heights[-1] - 10e3]])
    write_table(tmp_path / "air.csv", table, smooth(table))
    errors = [largest_error(tmp_path / "air.csv", COARSEST / n, heights, speeds) for n in (1, 2, 4)]
    ratios = np.array(errors[:-1]) / errors[1:]
    if first == COARSEST:
        assert np.all((ratios > 12.0) & (ratios < 20.0)), ratios
    else:
        assert np.all(ratios < 10.0), ratios


@pytest.mark.parametrize(("interpolation", "order"), [("linear", 2.0), ("log-cubic", 3.0)])
def test_kinks_within_steps_cost_what_their_smoothness_says(interpolation: str, order: float, tmp_path: Path) -> None:
    """A kink of density costs two orders, one of its slope one: the slope over five halvings, less scattered than each.

    Where a node lies in its step changes from one step to the next, so that single ratios scatter: half an order. The
    density is off an exponential by waves, or its logarithm would be straight and have no kinks in the cubic.
    """
    heights, _ = nodes(0.37 * COARSEST)
    table = np.concatenate([[START + 10e3], heights, [heights[-1] - 10e3]])
    write_table(tmp_path / "air.csv", table, smooth(table) * (1.0 + 0.3 * np.sin(table / 4e3)))
    halvings = 2.0 ** np.arange(6)
    fine, _ = fallen(tmp_path / "air.csv", COARSEST / 512, interpolation)
    errors = [
        np.abs(fallen(tmp_path / "air.csv", COARSEST / n, interpolation)[0] - fine).max() for n in halvings.tolist()
    ]
    assert -np.polyfit(np.log(halvings), np.log(errors), 1)[0] == pytest.approx(order, abs=0.5)
