"""What one parameter does to settling: time to rest, distance and touches at each of its values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from planetfall.errors import InputError
from planetfall.record.ensemble import Ensemble
from planetfall.scenario.dispersions.distributions import DispersionCategorical, DispersionGrid
from planetfall.scenario.dispersions.keys import place_of
from planetfall.scenario.files.overrides import SELECTORS
from planetfall.scenario.scenario import Scenario

Quartiles = tuple[float, float, float]
"""Lower quartile, median, upper quartile."""
BY_CAMPAIGN = "campaign"
"""What campaigns are told apart by where more than one key, or none, differs between them."""
NOT_COMPARED = (
    "scenario.name",
    "scenario.title",
    "scenario.changed",
    "scenario.changed_from",
    "scenario.seed",
    "record",
)
"""What may differ between campaigns without a part in what comes of them, but for the draw."""


@dataclass(frozen=True)
class Settling:
    """Settling at one value of a parameter.

    Attributes:
        value: Of the parameter, in its own unit; a word where it is none that has a size.
        n: Runs.
        n_at_rest: Those that came to rest.
        rest_s: Quartiles of the time to rest [s]; NaN where none came to rest.
        distance_m: Quartiles of the distance from start to end [m], of all runs.
        touches: Quartiles of the number of touchdowns of all points together, of all runs.
    """

    value: float | str
    n: int
    n_at_rest: int
    rest_s: Quartiles
    distance_m: Quartiles
    touches: Quartiles


@dataclass(frozen=True)
class Sweep:
    """Settling over one parameter.

    Attributes:
        key: Dotted key of the parameter, or `campaign`.
        unit: Its unit; empty where it has none.
        steps: One per value, in ascending order, or in that of the campaigns.
    """

    key: str
    unit: str
    steps: tuple[Settling, ...]


def settling_by(data: xr.Dataset, key: str) -> list[Settling]:
    """Settling of a campaign's runs for each value of a swept key, ascending.

    Args:
        data: `Ensemble.data`.
        key: Dotted key of a `grid`, such as `contact.restitution`.
    """
    name = f"in.{key}"
    if name not in data:
        swept = [str(column)[3:] for column in data.data_vars if str(column).startswith("in.")]
        raise InputError(key, "this campaign did not vary it", f"one of {', '.join(sorted(swept))}")
    values = data[name].values
    return [_at(float(value), data, values == value) for value in np.unique(values)]


def sweeps_of(ensemble: Ensemble) -> list[Sweep]:
    """Settling over every key that a campaign steps through; the runs of all its other values together."""
    listed = {
        key: item for key, item in ensemble.scenario.dispersions.items()
        if isinstance(item, DispersionGrid | DispersionCategorical)
    }  # fmt: skip
    found = (Sweep(key, _unit(ensemble.scenario, key), tuple(settling_by(ensemble.data, key))) for key in listed)
    return [sweep for sweep in found if len(sweep.steps) > 1]


def sweep_between(campaigns: Mapping[str, Ensemble]) -> Sweep:
    """Settling of whole campaigns, over the one key in which their scenarios differ, else by their names.

    This is how a parameter is swept that all runs of a campaign share, as the noise of the ground.
    """
    scenarios = [item.scenario for item in campaigns.values()]
    keys = differing_keys(scenarios)
    values: Sequence[Any] = [_value_at(scenario, keys[0]) for scenario in scenarios] if len(keys) == 1 else [None]
    if not all(_has_one_size(value) for value in values) or len(set(values)) < len(scenarios):
        keys, values = [BY_CAMPAIGN], list(campaigns)
    steps = [_at(value, item.data, slice(None)) for value, item in zip(values, campaigns.values(), strict=True)]
    if not any(isinstance(value, str) for value in values):
        steps.sort(key=lambda step: step.value)
    return Sweep(keys[0], "" if keys[0] == BY_CAMPAIGN else _unit(scenarios[0], keys[0]), tuple(steps))


def differing_keys(scenarios: Sequence[Scenario]) -> list[str]:
    """Dotted keys that are not the same in all scenarios; where the selector of a table differs, that alone."""
    trees = [dict(_leaves(scenario.to_dict())) for scenario in scenarios]
    ignored = tuple(f"{key}." for key in NOT_COMPARED)
    keys = dict.fromkeys(key for tree in trees for key in tree if not f"{key}.".startswith(ignored))
    differing = [key for key in keys if any(tree.get(key) != trees[0].get(key) for tree in trees)]
    return [key for key in differing if _selector_of(key) == key or _selector_of(key) not in differing]


def _selector_of(key: str) -> str:
    table = key.partition(".")[0]
    return f"{table}.{SELECTORS.get(table, '')}"


def _leaves(node: Any, path: str = "") -> Iterable[tuple[str, Any]]:
    """Values by dotted key; lists are tables whose keys count from 0."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for name, item in items:
        key = f"{path}.{name}" if path else str(name)
        if isinstance(item, dict | list):
            yield from _leaves(item, key)
        else:
            yield key, item


def _value_at(scenario: Scenario, key: str) -> Any:
    try:
        return place_of(scenario, key).nominal
    except ValueError:
        return None


def _has_one_size(value: Any) -> bool:
    return isinstance(value, int | float | str) and not isinstance(value, bool)


def _unit(scenario: Scenario, key: str) -> str:
    unit = place_of(scenario, key).unit
    return "" if unit == "-" else unit


def _at(value: float | str, data: xr.Dataset, chosen: Any) -> Settling:
    rest, distance = data.rest_s.values[chosen], data.distance_m.values[chosen]
    came, touches = np.isfinite(rest), data.n_contacts.values[chosen]
    return Settling(value, len(rest), int(came.sum()), _quartiles(rest), _quartiles(distance), _quartiles(touches))


def _quartiles(values: np.ndarray) -> Quartiles:
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return (np.nan, np.nan, np.nan)
    low, middle, high = np.percentile(known, [25.0, 50.0, 75.0])
    return (float(low), float(middle), float(high))
