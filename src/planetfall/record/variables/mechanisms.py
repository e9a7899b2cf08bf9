"""Histories of mechanisms as variables of a dataset: what each observes of the bodies, its account of work, tethers."""

import numpy as np
import xarray as xr

from planetfall.contact.model import ContactLaw
from planetfall.engine.structure.mechanism import Mechanism, accounts_with
from planetfall.engine.structure.state_sizes import TETHER_DAMPER, TETHER_REEL, TETHER_REST, TETHER_SIZE, TETHER_STATUS
from planetfall.engine.structure.work_accounts import ACCOUNTS, WorkAccount
from planetfall.record.variables.attributes import history
from planetfall.scenario.scenario import Scenario


def works_of(mechanisms: tuple[Mechanism, ...], law: ContactLaw, states: np.ndarray) -> dict[WorkAccount, np.ndarray]:
    """Work [frame] [J] by account, from the recorded states [frame, number], whose last numbers they are."""
    accounts = accounts_with(mechanisms, law)
    return dict(zip(accounts, states[:, states.shape[1] - len(accounts) :].T, strict=True))


def own_works(work: dict[WorkAccount, np.ndarray]) -> dict[str, xr.Variable]:
    """The accounts that mechanisms and the contact law have of their own."""
    own = [account for account in work if account not in ACCOUNTS]
    return {account.name: history("J", account.meaning, "", (), work[account]) for account in own}


def mechanism_variables(
    mechanisms: tuple[Mechanism, ...], surface_frame: str, values: np.ndarray, n_bodies: int
) -> dict[str, xr.Variable]:
    """What mechanisms observed, from `values` [frame, column] as `Observed` has them.

    Mechanisms of one kind on several bodies share their variables: each writes NaN for the bodies that are not its own.
    """
    out: dict[str, xr.Variable] = {}
    first = 0
    for mechanism in mechanisms:
        last = first + n_bodies * mechanism.n_columns
        own = values[:, first:last].reshape(len(values), n_bodies, mechanism.n_columns)
        first, column = last, 0
        for variable in mechanism.variables:
            part = own[:, :, column : column + variable.size]
            column += variable.size
            dims, part = (("body", "axis"), part) if variable.size == 3 else (("body",), part[:, :, 0])
            frame = surface_frame if variable.frame == "S" else variable.frame
            if variable.name in out:
                part = np.where(np.isnan(part), out[variable.name].values, part)
            out[variable.name] = history(variable.unit, variable.meaning, frame, dims, part)
    return out


def part_variables(mechanisms: tuple[Mechanism, ...], values: np.ndarray) -> dict[str, xr.Variable]:
    """What mechanisms observed of their parts: the last of the columns [frame, column] that `Observed` has."""
    out: dict[str, xr.Variable] = {}
    first = values.shape[1] - sum(mechanism.n_part_columns for mechanism in mechanisms)
    for mechanism in mechanisms:
        for variable in mechanism.part_variables:
            part = values[:, first : first + mechanism.n_parts]
            out[variable.name] = history(variable.unit, variable.meaning, "", (variable.dim,), part)
            first += mechanism.n_parts
    return out


def state_variables(
    mechanisms: tuple[Mechanism, ...], surface_frame: str, states: np.ndarray
) -> dict[str, xr.Variable]:
    """Histories of the numbers that mechanisms have in the state, from `states` [frame, number], which begin there."""
    out: dict[str, xr.Variable] = {}
    first = 0
    for mechanism in mechanisms:
        own = states[:, first : first + mechanism.n_states]
        first += mechanism.n_states
        for variable in mechanism.state_variables:
            frame = surface_frame if variable.frame == "S" else variable.frame
            values = own[:, variable.first :: variable.step]
            out[variable.name] = history(variable.unit, variable.meaning, frame, (variable.dim,), values)
    return out


def numbers_of(name: str, mechanisms: tuple[Mechanism, ...], states: np.ndarray) -> np.ndarray:
    """The numbers [frame, number] of the mechanism with a name, from `states` that begin with those of the first."""
    first = 0
    for mechanism in mechanisms:
        if mechanism.name == name:
            return states[:, first : first + mechanism.n_states]
        first += mechanism.n_states
    return states[:, :0]


def labels_of(mechanisms: tuple[Mechanism, ...], scenario: Scenario) -> dict[str, list[str]]:
    """Names of the parts of mechanisms, by the dimension along which their histories lie."""
    return {v.dim: v.labels(scenario) for mechanism in mechanisms for v in mechanism.state_variables}


def tether_variables(scenario: Scenario, time: np.ndarray, numbers: np.ndarray) -> dict[str, xr.Variable]:
    """Rest length, work and cut of each tether, from the `numbers` of all in the states [frame, number]."""
    if not scenario.tethers:
        return {}
    from planetfall.engine.mechanisms.connections.tether import cut_instants  # here, or runs without would wait for it
    from planetfall.vehicle.tether_force import STATUS_CUT

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
