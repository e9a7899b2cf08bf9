"""The dispersed inputs of a campaign's runs, as columns of values."""

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from planetfall.campaign.inputs.sampling import Sampling
from planetfall.errors import InputError
from planetfall.scenario.dispersions.correlations import correlate, correlated_groups
from planetfall.scenario.dispersions.distributions import Dispersion, DispersionCone, DispersionGrid, DispersionTable
from planetfall.scenario.dispersions.keys import KeyPlace, place_of, samples_of
from planetfall.scenario.dispersions.linked import DispersionCases, DispersionEqual, drawn_cases
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.start import start_attitude

CASES = "cases"
"""The input that decides which case a run is; no key is called so."""
Columns = dict[str, np.ndarray]
"""Values by dotted key: [run] for numbers, [run, component] for vectors and attitudes."""


@dataclass(frozen=True)
class Draws:
    """What varies in a campaign, and by which numbers.

    Attributes:
        scenario: With its dispersions.
        n: Number of runs.
        seed: Of the campaign.
        method: One of `sampling.METHODS`.
    """

    scenario: Scenario
    n: int
    seed: int
    method: str = "random"

    def check(self) -> None:
        """Refuses a campaign that has nothing to vary, or more runs than rows."""
        if not self.keys:
            key, table = _example(self.scenario)
            raise InputError(
                "dispersions", f"{self.scenario.name} has none, so that all runs would be the same",
                f"one table per key, for example [dispersions.{key}]",
                f"add some to the scenario, or with --set 'dispersions.{key}={table}'",
            )  # fmt: skip
        self.sampling.check()
        if self.n % self.n_cells:
            nearest = max(1, round(self.n / self.n_cells)) * self.n_cells
            raise InputError(
                "-n", f"{self.n} runs are not whole sweeps of {self.n_cells} combinations", advice=f"use -n {nearest}"
            )
        for key, samples in self._samples.items():
            table = self.scenario.dispersions[key]
            if isinstance(table, DispersionTable) and table.pick == "row" and self.n > len(samples):
                raise InputError(
                    f"dispersions.{key}", f"has {len(samples)} rows for {self.n} runs",
                    advice=f"use -n {len(samples)}, or pick = 'random'",
                )  # fmt: skip
        if self.method == "saltelli":
            self._check_independent()

    @property
    def keys(self) -> tuple[str, ...]:
        """Dispersed keys, in alphabetical order."""
        return tuple(sorted(self.scenario.dispersions))

    @cached_property
    def places(self) -> dict[str, KeyPlace]:
        """Where each key leads."""
        return {key: place_of(self.scenario, key) for key in self.keys}

    @cached_property
    def sampling(self) -> Sampling:
        """Where the uniform numbers come from; files of samples take one number for all their columns."""
        inputs = {
            self._input(key, dispersion): dispersion.n_uniforms
            for key, dispersion in sorted(self.scenario.dispersions.items())
            if not isinstance(dispersion, DispersionGrid) and dispersion.n_uniforms
        }
        if self.scenario.cases:
            inputs[CASES] = 1
        return Sampling(self.method, self.seed, self.n, tuple(inputs.items()))

    @property
    def n_cells(self) -> int:
        """How many combinations the grids have; 1 without any."""
        return prod(len(grid.steps) for grid in self._grids.values())

    def cases(self, first: int, last: int) -> np.ndarray | None:
        """Names [run] of the cases that the runs from `first` to before `last` are; None where there are none."""
        return self._cases(self.sampling.uniforms(first, last)) if self.scenario.cases else None

    def _cases(self, uniforms: dict[str, np.ndarray]) -> np.ndarray:
        return drawn_cases(self.scenario.cases, uniforms[CASES])

    def values(self, first: int, last: int) -> Columns:
        """What the runs from `first` to before `last` get."""
        uniforms = self.sampling.uniforms(first, last)
        for keys, root in correlated_groups(self.scenario.dispersions):
            mixed = correlate(np.column_stack([uniforms[key][:, 0] for key in keys]), root)
            uniforms |= {key: mixed[:, i : i + 1] for i, key in enumerate(keys)}
        runs, out = np.arange(first, last), {}
        for key in self.keys:
            dispersion = self.scenario.dispersions[key]
            if isinstance(dispersion, DispersionGrid):
                out[key] = np.array(dispersion.steps)[self._cell(key, runs)]
            elif isinstance(dispersion, DispersionTable):
                samples = self._samples[key]
                out[key] = samples[dispersion.rows(uniforms[self._input(key, dispersion)], first, len(samples))]
            elif isinstance(dispersion, DispersionCone) and key == "initial.attitude":
                nominal = start_attitude(self.scenario.initial, self.scenario.target)
                axis = np.array(self.scenario.vehicle.up)
                out[key] = dispersion.attitudes(uniforms[key], nominal, axis)
            elif isinstance(dispersion, DispersionCases):
                out[key] = dispersion.values(uniforms[key], self.places[key].nominal, self._cases(uniforms))
            elif not isinstance(dispersion, DispersionEqual):
                out[key] = dispersion.values(uniforms[key], self.places[key].nominal)
        equal = {key: item.to for key, item in self.scenario.dispersions.items() if isinstance(item, DispersionEqual)}
        return {key: out[equal.get(key, key)] for key in self.keys}

    @cached_property
    def _samples(self) -> dict[str, np.ndarray]:
        tables = {key: item for key, item in self.scenario.dispersions.items() if isinstance(item, DispersionTable)}
        return {key: samples_of(key, table) for key, table in tables.items()}

    @property
    def _grids(self) -> dict[str, DispersionGrid]:
        """In the order of the scenario."""
        return {key: item for key, item in self.scenario.dispersions.items() if isinstance(item, DispersionGrid)}

    def _cell(self, key: str, runs: np.ndarray) -> np.ndarray:
        """Which step of a grid each run takes."""
        grids = self._grids
        after = list(grids)[list(grids).index(key) + 1 :]
        return runs // prod(len(grids[name].steps) for name in after) % len(grids[key].steps)

    def _input(self, key: str, dispersion: Dispersion) -> str:
        """Which input gives a key its numbers: the first of those that share a file, else the key itself."""
        if not isinstance(dispersion, DispersionTable) or dispersion.file is None:
            return key
        sharing = [
            name for name, item in self.scenario.dispersions.items()
            if isinstance(item, DispersionTable) and item.file == dispersion.file
        ]  # fmt: skip
        return min(sharing)

    def _check_independent(self) -> None:
        for key, item in self.scenario.dispersions.items():
            is_bound = isinstance(item, DispersionTable) and (item.pick == "row" or item.file is not None)
            is_linked = isinstance(item, DispersionCases | DispersionEqual) or bool(getattr(item, "correlated", None))
            if isinstance(item, DispersionGrid) or is_bound or is_linked:
                raise InputError(
                    f"dispersions.{key}", "sampling = 'saltelli' needs independent random inputs",
                    "no grids, no files of samples, no tables taken row by row, no correlations, cases or equal keys",
                )  # fmt: skip


def _example(scenario: Scenario) -> tuple[str, str]:
    """A key of this very scenario that can be dispersed, and a table for it as TOML writes it."""
    try:
        scenario.with_values({"dispersions.terrain.slope_deg": {"distribution": "normal", "sigma": 2.0}})
    except InputError:  # its ground has no slope, or one that the runs share, or one that would turn negative
        low, high = (f"{share * scenario.vehicle.mass:.4g}" for share in (0.95, 1.05))
        return "vehicle.mass", f'{{distribution="uniform", low={low}, high={high}}}'
    return "terrain.slope_deg", '{distribution="normal", sigma=2.0}'
