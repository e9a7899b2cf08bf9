"""Runs one campaign on two devices and says whether they give the same: first impacts, outcomes, settling.

    python benchmarks/two_devices.py [minerva-67p] [-n 10000] [--device cuda:0] [--reference cpu] [--seed 1]
                                     [--other-seed SEED] [--set KEY=VALUE]

First impacts are those of the same starts, and have to be equal to 1e-9 of their times. Later bounces are chaotic:
outcomes are compared by a chi-square test of their counts, and times to rest, distances, touches, forces and depths by
the test of Kolmogorov and Smirnov. `by_chance` is how often chance alone makes two samples of one distribution as
different; less than 0.001, shared among all that is compared, is called a difference. Of the same starts the samples
are not independent but more alike, so that these tests are lenient; the number of runs with the same bits in every
column is told beside them. With `--other-seed` the second device draws other starts: then the samples are independent,
and first impacts are not compared.

Prints `name.metric value`; the exit status is 1 where something differs. Seconds include what is compiled and prepared.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy import stats

import planetfall
from planetfall.analysis.campaign.comparison import column_difference
from planetfall.cli.terminal.inputs import scenario_with_sets
from planetfall.compute.device import check_device
from planetfall.record.ensemble import Ensemble

FIRST_IMPACT = 1e-9
"""Largest difference of two first impacts, of their time."""
BY_CHANCE = 1e-3
"""Less is called a difference."""
SETTLING = ("rest_s", "distance_m", "n_contacts", "peak_force_N", "max_penetration_m")


@dataclass(frozen=True)
class Agreement:
    """Two campaigns of one scenario beside each other.

    Attributes:
        n_same: Runs with the same bits in every column; NaN equals NaN.
        first_impact: Largest difference of first impacts, of their time; infinite where one has none. None where the
            starts are not the same.
        outcomes: How often chance alone makes counts of outcomes as different.
        settling: The same for each column of settling that both have.
    """

    n_same: int
    first_impact: float | None
    outcomes: float
    settling: dict[str, float]

    @property
    def problems(self) -> list[str]:
        """What differs more than it may."""
        least = BY_CHANCE / (1 + len(self.settling))
        found = [f"{name} by chance {chance:.2g}" for name, chance in self.settling.items() if chance < least]
        if self.outcomes < least:
            found.append(f"outcomes by chance {self.outcomes:.2g}")
        if self.first_impact is not None and self.first_impact > FIRST_IMPACT:
            found.append(f"first impacts by {self.first_impact:.2g}")
        return found


def agreement(first: xr.Dataset, second: xr.Dataset, are_same_starts: bool) -> Agreement:
    """Compares the tables of two campaigns."""
    differences = {name: column_difference(first[name].values, second[name].values) for name in SETTLING}
    return Agreement(
        int(np.count_nonzero(same_rows(first, second))) if are_same_starts else 0,
        impact_difference(first.first_touch_s.values, second.first_touch_s.values) if are_same_starts else None,
        outcome_chance(first.outcome.values, second.outcome.values),
        {name: found.chance for name, found in differences.items() if found is not None},
    )


def same_rows(first: xr.Dataset, second: xr.Dataset) -> np.ndarray:
    """Which runs [run] have the same bits in every column."""
    same = np.ones(first.sizes["run"], dtype=bool)
    for name in first.data_vars:
        a, b = first[name].values, second[name].values
        same &= (a == b) | ((a != a) & (b != b))
    return same


def impact_difference(first: np.ndarray, second: np.ndarray) -> float:
    """Largest difference of two columns of times, of the first; infinite where only one has a time."""
    one, other = np.isfinite(first), np.isfinite(second)
    if np.any(one != other):
        return np.inf
    return float(np.max(np.abs(second[one] - first[one]) / np.maximum(first[one], 1e-300), initial=0.0))


def outcome_chance(first: np.ndarray, second: np.ndarray) -> float:
    """How often chance alone makes the counts of two samples as different (chi-square); 1 where all ended alike."""
    names = sorted({*np.unique(first), *np.unique(second)})
    counts = np.array([[np.count_nonzero(each == name) for name in names] for each in (first, second)])
    return 1.0 if len(names) < 2 else float(stats.chi2_contingency(counts, correction=False).pvalue)


def told(found: Agreement, ensembles: Sequence[Ensemble], seconds: Sequence[float], devices: Sequence[str]) -> None:
    """Prints what was found."""
    for device, ensemble, took in zip(devices, ensembles, seconds, strict=True):
        outcomes = {name: share["count"] for name, share in ensemble.summary["outcomes"].items()}
        print(f"{device}.seconds {took:.1f}  outcomes {outcomes}")
    if found.first_impact is not None:
        print(f"first_impact.difference {found.first_impact:.3g}")
        print(f"runs.same_bits {found.n_same} of {ensembles[0].data.sizes['run']}")
    print(f"outcomes.by_chance {found.outcomes:.4g}")
    for name, chance in found.settling.items():
        medians = " and ".join(f"{float(each.data[name].median()):.6g}" for each in ensembles)
        print(f"{name}.by_chance {chance:.4g}  medians {medians}")
    print("devices.differ " + ("; ".join(found.problems) or "no"), flush=True)


def main(words: Sequence[str] | None = None) -> int:
    """Runs both campaigns, compares and tells; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", nargs="?", default="minerva-67p")
    parser.add_argument("-n", type=int, default=10_000)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--reference", default="cpu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--other-seed", type=int)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="sets")
    options = parser.parse_args(words)
    devices = (options.reference, options.device)
    try:
        scenario = scenario_with_sets(options.scenario, options.sets)
        for device in devices:
            check_device(device)  # now, not when the first campaign is done
    except planetfall.InputError as error:
        parser.error(str(error))
    seeds = (options.seed, options.seed if options.other_seed is None else options.other_seed)
    ensembles, seconds = [], []
    for device, seed in zip(devices, seeds, strict=True):
        begun = time.perf_counter()
        ensembles.append(planetfall.montecarlo(scenario, options.n, seed, device=device))
        seconds.append(time.perf_counter() - begun)
    found = agreement(ensembles[0].data, ensembles[1].data, are_same_starts=seeds[0] == seeds[1])
    told(found, ensembles, seconds, devices)
    return 1 if found.problems else 0


if __name__ == "__main__":
    sys.exit(main())
