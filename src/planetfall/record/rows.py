"""The table of a campaign: one row per run, a fixed set of columns, then what was drawn and what a scenario adds."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from planetfall.engine.mechanisms.registry import mechanisms_of
from planetfall.outcome import Outcome
from planetfall.record.flight_numbers import flight_meaning
from planetfall.record.variables.attributes import variable_attrs
from planetfall.scenario.dispersions.keys import place_of
from planetfall.scenario.files.changed_keys import full_title
from planetfall.scenario.scenario import Scenario

if TYPE_CHECKING:
    import pyarrow as pa

INCIDENCE, IS_LIT = "out.solar_incidence_deg", "out.is_lit"
"""Columns of a campaign whose target has a sun."""
KEPT = "out.kept."
"""Of the column of a limit: 1 where it was kept, 0 where not, NaN where its instant never came."""
LOOSEST = "out.loosest_tolerance"
"""Column of a campaign by error control."""
RUN, SEED, OUTCOME, CASE = "run", "seed", "outcome", "case"
NUMBERS = {
    "first_touch_s": ("s", "first touch of any point of a judged vehicle; NaN if there was none"),
    "rest_s": ("s", "when the vehicle came to rest; NaN if it did not"),
    "n_contacts": ("1", "touchdowns of all points of judged vehicles together"),
    "peak_force_N": ("N", "largest normal force of any point of a judged vehicle"),
    "max_penetration_m": ("m", "deepest penetration of any point of a judged vehicle"),
    "energy_rise_J": ("J", "largest rise of energy beyond what was put in, over all steps"),
    "x_m": ("m", "centre of mass at the end, x"),
    "y_m": ("m", "centre of mass at the end, y"),
    "z_m": ("m", "centre of mass at the end, z"),
    "qx": ("1", "attitude at the end, body to surface frame, x"),
    "qy": ("1", "attitude at the end, body to surface frame, y"),
    "qz": ("1", "attitude at the end, body to surface frame, z"),
    "qw": ("1", "attitude at the end, body to surface frame, w"),
    "speed_m_s": ("m/s", "speed of the centre of mass at the end"),
    "distance_m": ("m", "from release to the end: horizontal in a site's frame (L), straight on a whole body (P)"),
}
"""Columns that every campaign has beside run, seed and outcome, with unit and meaning."""
ADDED = {
    "out.end_s": ("s", "end of the run"),
    "out.overturn_s": ("s", "when the vehicle first tilted too far; NaN if it never did"),
    "out.steps": ("1", "accepted steps"),
    "out.energy_rise_bound_J": ("J", "the rise of energy that errors of the integration explain"),
    LOOSEST: ("1", "largest tolerance of a run that crept along a jump of the force; NaN if all of it kept to its own"),
    INCIDENCE: ("deg", "sun from the ground's normal at the end; NaN if not on the ground"),
    IS_LIT: ("1", "1: the ground at the end is lit; 0: night or shadow; NaN if not on the ground"),
    "out.detected_s": ("s", "when the landing detector declared a landing; NaN if it did not"),
    "out.contact_s": ("s", "first touch of the vehicle that lands; NaN if it never touched"),
    "out.delay_s": ("s", "from contact to declaration; NaN if one of them is missing"),
    "out.is_false": ("1", "1: a landing was declared before contact, or without any"),
    "out.is_missed": ("1", "1: the vehicle touched the ground, and no landing was declared"),
    "out.slope_deg": ("deg", "slope of the ground under the vehicle at the end, without what is added to it"),
}
"""Columns that some campaigns have."""
NAME = f"<U{max(len(outcome.name) for outcome in Outcome)}"
"""Texts that hold any outcome."""
WHOLE = ("n_contacts", "out.steps")
ATTITUDE = ("qx", "qy", "qz", "qw")
FRAMED = ("x_m", "y_m", "z_m", *ATTITUDE)


def table_of(runs: np.ndarray, seed: int, outcomes: np.ndarray, columns: Mapping[str, np.ndarray]) -> "pa.Table":
    """An Arrow table of some runs; `outcomes` are codes, `columns` come in the order they are to have."""
    import pyarrow as pa

    names = pa.array([outcome.name for outcome in Outcome])
    places = {int(outcome): i for i, outcome in enumerate(Outcome)}
    codes = np.array([places[int(code)] for code in outcomes], dtype=np.int8)
    arrays: dict[str, Any] = {
        RUN: pa.array(runs.astype(np.int64)),
        SEED: pa.array(np.full(len(runs), seed, dtype=np.int64)),
        OUTCOME: pa.DictionaryArray.from_arrays(pa.array(codes), names),
    }
    for name, values in columns.items():
        if values.dtype.kind in "UO":
            arrays[name] = pa.array(values.tolist()).dictionary_encode()
            continue
        kind = np.int32 if name in WHOLE else np.float64
        arrays[name] = pa.array(np.ascontiguousarray(values, dtype=kind))
    return pa.table(arrays)


def dataset_of_rows(table: "pa.Table", scenario: Scenario) -> xr.Dataset:
    """The same as labelled arrays along `run`; every variable says its unit, meaning and frame."""
    variables = {}
    for name in table.column_names:
        column = table.column(name)
        values = outcome_names(column) if name == OUTCOME else _values(name, column)
        variables[name] = xr.Variable(RUN, values, attrs_of(name, scenario))
    coords = {RUN: variables.pop(RUN)}
    attrs = {"surface_frame": scenario.target.frame, "scenario": scenario.name, "title": full_title(scenario)}
    return xr.Dataset(variables, coords, attrs)


def _values(name: str, column: "pa.ChunkedArray") -> np.ndarray:
    return names_of(column) if name == CASE else column.to_numpy()


def outcome_names(column: "pa.ChunkedArray") -> np.ndarray:
    """The names in the column of outcomes."""
    return names_of(column, NAME)


def names_of(column: "pa.ChunkedArray", kind: str | None = None) -> np.ndarray:
    """The names in a column of names."""
    coded = column.cast("string").combine_chunks().dictionary_encode()
    return np.array(coded.dictionary.to_pylist(), dtype=kind or np.str_)[coded.indices.to_numpy()]


def attrs_of(name: str, scenario: Scenario) -> dict[str, str]:
    """Unit, meaning and frame of a column."""
    fixed = {
        RUN: ("1", "index of the run"),
        SEED: ("1", "seed of the campaign"),
        OUTCOME: ("1", "how the run ended"),
        CASE: ("1", "which of the scenario's cases the run is"),
        **NUMBERS,
        **ADDED,
    }
    if name in fixed:
        return variable_attrs(*fixed[name], scenario.target.frame if name in FRAMED else "")
    if name.startswith(KEPT):
        limit = name.removeprefix(KEPT)
        return variable_attrs("1", f"1: limit {limit} was kept; 0: it was not; NaN: it was not judged", "")
    if name.startswith("in."):
        return variable_attrs(_unit(scenario, name.removeprefix("in.")), f"drawn {name.removeprefix('in.')}", "")
    if (told := flight_meaning(scenario, name.removeprefix("out."))) is not None:
        return variable_attrs(*told, "")
    for result in (result for mechanism in mechanisms_of(scenario) for result in mechanism.results):
        if name == f"out.{result.name}":
            return variable_attrs(result.unit, result.meaning, "")
    return variable_attrs("1", name, "")


def _unit(scenario: Scenario, key: str) -> str:
    """Unit of a key, or of the vector that it is a component of."""
    for path in (key, key.rpartition(".")[0]):
        try:
            unit = place_of(scenario, path).unit
        except ValueError:
            continue
        return unit if unit not in ("", "-") else "1"
    return "1"
