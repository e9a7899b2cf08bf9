"""Histories of the tethers as variables of a dataset."""

import numpy as np
import xarray as xr

from planetfall.engine.structure.state_sizes import TETHER_DAMPER, TETHER_REEL, TETHER_REST, TETHER_SIZE, TETHER_STATUS
from planetfall.record.variables.attributes import history
from planetfall.scenario.scenario import Scenario


def tether_variables(scenario: Scenario, time: np.ndarray, numbers: np.ndarray) -> dict[str, xr.Variable]:
    """Rest length, work and cut of each tether, from the `numbers` of all in the states [frame, number]."""
    if not scenario.tethers:
        return {}
    from planetfall.engine.mechanisms.connections.tether import cut_instants  # here, or runs without would wait for it
    from planetfall.vehicle.tethers import STATUS_CUT

    n = TETHER_SIZE * len(scenario.tethers)  # locked modes follow
    states = numbers[:, :n].reshape(len(time), -1, TETHER_SIZE)
    rest = states[:, :, TETHER_REST].copy()
    for i, tether in enumerate(scenario.tethers):
        if tether.times:
            rest[:, i] = np.interp(time, tether.times, tether.lengths)
    is_cut = (states[:, :, TETHER_STATUS] == float(STATUS_CUT)) | (time[:, None] > cut_instants(scenario))
    columns = {
        "tether_rest_length": ("m", "length at which a tether goes slack", rest),
        "tether_damper_work": ("J", "work of a tether's damper, and what its cut lost", states[:, :, TETHER_DAMPER]),
        "tether_reel_work": ("J", "work of a tether's reel", states[:, :, TETHER_REEL]),
        "tether_cut": ("1", "1 once a tether is cut, by its time or by the controller, else 0", is_cut.astype(np.int8)),
    }
    return {name: history(unit, meaning, "", ("tether",), values) for name, (unit, meaning, values) in columns.items()}
