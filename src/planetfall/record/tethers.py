"""Histories of the tethers as variables of a dataset."""

import numpy as np
import xarray as xr

from planetfall.engine.mechanisms.tether_params import cut_instants
from planetfall.engine.state.result import Observed
from planetfall.engine.structure.state_sizes import TETHER_DAMPER, TETHER_REEL, TETHER_REST, TETHER_SIZE, TETHER_STATUS
from planetfall.record.attributes import history
from planetfall.scenario.scenario import Scenario
from planetfall.vehicle.tethers import STATUS_CUT


def tether_variables(scenario: Scenario, seen: Observed, time: np.ndarray, lines: np.ndarray) -> dict[str, xr.Variable]:
    """Tension, lengths, work and cut of each tether: what was observed, and `lines`, its numbers in the states."""
    if not scenario.tethers:
        return {}
    states = lines.reshape(len(time), -1, TETHER_SIZE)
    rest = states[:, :, TETHER_REST].copy()
    for i, tether in enumerate(scenario.tethers):
        if tether.times:
            rest[:, i] = np.interp(time, tether.times, tether.lengths)
    is_cut = (states[:, :, TETHER_STATUS] == float(STATUS_CUT)) | (time[:, None] > cut_instants(scenario))
    columns = {
        "tether_tension": ("N", "tension", seen.tether_tension),
        "tether_length": ("m", "distance of a tether's ends", seen.tether_length),
        "tether_rest_length": ("m", "length at which a tether goes slack", rest),
        "tether_damper_work": ("J", "work of a tether's damper, and what its cut lost", states[:, :, TETHER_DAMPER]),
        "tether_reel_work": ("J", "work of a tether's reel", states[:, :, TETHER_REEL]),
        "tether_cut": ("1", "1 once a tether is cut, by its time or by the controller, else 0", is_cut.astype(np.int8)),
    }
    return {name: history(unit, meaning, "", ("tether",), values) for name, (unit, meaning, values) in columns.items()}
