"""What an output hangs on: rank correlations of any campaign, and Sobol indices of one that was sampled for them."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy import special, stats

from planetfall.analysis.campaign.attitude import mean_attitude, rotation_vectors
from planetfall.analysis.campaign.intervals import Interval
from planetfall.errors import InputError

ATTITUDE_KEY = "in.initial.attitude"
"""Of the columns of a drawn attitude, without the part of the quaternion."""
FIELLER = 1.06
"""Variance of the transformed rank correlation, times n - 3 (Fieller1957)."""


@dataclass(frozen=True)
class SobolIndex:
    """How much of an output's variance an input explains: alone, and with all that it does together with others."""

    first: Interval
    total: Interval


def inputs_of(data: xr.Dataset) -> list[str]:
    """Columns of what was drawn."""
    return [str(name) for name in data.data_vars if str(name).startswith("in.")]


def drawn_numbers(data: xr.Dataset, nominal: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """What was drawn [run], by name; of an attitude its turn from the nominal one, about each body axis [rad].

    The parts of a quaternion depend on each other, and their signs on nothing.

    Args:
        data: Of a campaign.
        nominal: Quaternion of the start without dispersions; the mean attitude if not given.
    """
    parts = [f"{ATTITUDE_KEY}.{i}" for i in range(4)]
    found = {name: data[name].values for name in inputs_of(data) if name not in parts}
    if all(part in data for part in parts):
        quaternions = np.column_stack([data[part].values for part in parts])
        turns = rotation_vectors(quaternions, mean_attitude(quaternions) if nominal is None else nominal)
        found |= {f"{ATTITUDE_KEY} about {axis}": turns[:, i] for i, axis in enumerate("xyz")}
    return found


def rank_correlations(
    data: xr.Dataset, output: str, confidence: float = 0.95, nominal: np.ndarray | None = None
) -> dict[str, Interval]:
    """Spearman's correlation of an output with every input, the strongest first; runs without the output do not count.

    The intervals go through Fisher's transformation. `nominal` is the attitude from which others are turned, as in
    `drawn_numbers`.
    """
    values = np.asarray(data[output].values, dtype=float)
    kept = np.isfinite(values)
    n = int(kept.sum())
    found = {}
    for name, numbers in drawn_numbers(data, nominal).items():
        drawn = numbers[kept]
        if n < 4 or np.ptp(drawn) == 0 or np.ptp(values[kept]) == 0:
            found[name] = Interval(np.nan, -1.0, 1.0, n, confidence)
            continue
        ranks = stats.rankdata(drawn), stats.rankdata(values[kept])
        rho = float(np.clip(np.corrcoef(*ranks)[0, 1], -1.0, 1.0))
        reach = float(special.ndtri(0.5 + 0.5 * confidence)) * np.sqrt(FIELLER / (n - 3))
        with np.errstate(divide="ignore"):
            low, high = (float(np.tanh(np.arctanh(rho) + side * reach)) for side in (-1, 1))
        found[name] = Interval(rho, low, high, n, confidence)
    return dict(sorted(found.items(), key=lambda item: -abs(np.nan_to_num(item[1].value))))


def sobol_indices(outputs: np.ndarray, keys: list[str], confidence: float = 0.95) -> dict[str, SobolIndex]:
    """First and total indices (Saltelli2010) of outputs [run] of a campaign with `sampling = "saltelli"`, by key.

    Args:
        outputs: In the order of the runs, all of them.
        keys: Dispersed keys, in alphabetical order.
        confidence: Of the intervals, which come from resampled points.
    """
    try:
        from SALib.analyze import sobol
    except ImportError:
        raise InputError("sobol", "SALib is not installed", advice="pip install SALib") from None
    if len(outputs) % (len(keys) + 2):
        raise InputError(
            "sobol",
            f"{len(outputs)} runs are not whole blocks of {len(keys) + 2}",
            "a campaign with --sampling saltelli",
        )
    if not np.isfinite(outputs).all():
        n = int(np.count_nonzero(~np.isfinite(outputs)))
        raise InputError("sobol", f"{n} of {len(outputs)} runs have no such output, and every one is needed")
    problem = {"num_vars": len(keys), "names": keys, "bounds": [[0.0, 1.0]] * len(keys)}
    found = sobol.analyze(problem, outputs, calc_second_order=False, conf_level=confidence, seed=1)
    n = len(outputs) // (len(keys) + 2)

    def interval(name: str, i: int) -> Interval:
        value, reach = float(found[name][i]), float(found[f"{name}_conf"][i])
        return Interval(value, value - reach, value + reach, n, confidence)

    return {key: SobolIndex(interval("S1", i), interval("ST", i)) for i, key in enumerate(keys)}
