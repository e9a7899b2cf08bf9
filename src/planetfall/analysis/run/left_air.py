"""What became of a flight through air that did not come down: it skipped out, or it left the heights of its table."""

from typing import Any

import numpy as np
import xarray as xr

from planetfall.engine.state.result import RunEvent
from planetfall.outcome import Outcome
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.world.atmosphere import AtmosphereTable
from planetfall.world.air import end_of_air

DIPPED = 1.0
"""By how much [m] a flight has to have come down below its start before it counts as an entry."""
STEEPER = "To come down, enter with a steeper initial.flight_path_deg, or with less lift up"


def left_air(scenario: Scenario, data: xr.Dataset, events: list[RunEvent], outcome: Outcome) -> dict[str, Any]:
    """For the summary: `outcome_sentence` of a flight that left the air, or the heights at which air is known."""
    if "altitude" not in data:
        return {}
    altitude, time = data.altitude.values[:, 0], data.time.values
    if outcome is Outcome.escaped and events and events[-1].kind == "skip_out":
        return {"outcome_sentence": _skipped(scenario, time, altitude, events[-1])}
    if outcome is Outcome.timed_out and altitude[-1] > altitude[0] and _dip(altitude) > DIPPED:
        return {
            "outcome_sentence": "The time ran out with the vehicle out of the air again: "
            f"{_course(time, altitude)}, and was at {_km(altitude[-1])} at the end, over its start at "
            f"{_km(altitude[0])}. {STEEPER}. outcome.skip_altitude would end such a run as escaped."
        }
    if outcome is Outcome.diverged and (below := _below_table(scenario, altitude)) is not None:
        return {
            "outcome_sentence": f"The vehicle came below {below:g} m, where its table of air begins: nothing is known "
            "of the air there. Take a table that reaches the ground, give atmosphere.below = 'continue' to go on with "
            "its first slope of ln rho, or end the run higher, by outcome.stop_altitude."
        }
    return {}


def _skipped(scenario: Scenario, time: np.ndarray, altitude: np.ndarray, event: RunEvent) -> str:
    end, rule = end_of_air(scenario), scenario.outcome.skip_altitude
    over, further = f"the end of its air, {_km(end)},", ""
    if rule is not None and rule <= end:
        over = f"outcome.skip_altitude, {_km(rule)},"
    else:
        further = " A table that reaches higher, or atmosphere.above = 'continue', would let it fly on."
    after = f"{_course(time, altitude)}, and then" if _dip(altitude) > DIPPED else "it"
    return (
        f"The vehicle skipped out of the air: {after} climbed over {over} at {event.time:.4g} s with {event.value:.4g} "
        f"m/s. {STEEPER}.{further}"
    )


def _dip(altitude: np.ndarray) -> float:
    return float(altitude[0] - np.nanmin(altitude))


def _course(time: np.ndarray, altitude: np.ndarray) -> str:
    lowest = int(np.nanargmin(altitude))
    return f"it came down to {_km(altitude[lowest])} at {time[lowest]:.4g} s"


def _below_table(scenario: Scenario, altitude: np.ndarray) -> float | None:
    """The lowest height of a table [m] that a vehicle fell below, within two recorded frames; None if it did not."""
    table, known = scenario.atmosphere, altitude[np.isfinite(altitude)]
    if not isinstance(table, AtmosphereTable) or table.below == "continue" or len(known) < 2:
        return None
    from planetfall.world.atmosphere.columns import columns_of  # here, or runs without air would wait for it

    begin = float(columns_of(table).heights[0])
    return begin if known[-1] < begin + 2.0 * abs(known[-2] - known[-1]) and known[-1] < known[-2] else None


def _km(height: float) -> str:
    return f"{height / 1e3:.4g} km"
