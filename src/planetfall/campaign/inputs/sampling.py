"""Uniform numbers for the runs of a campaign: those of run i depend on (seed, input, i), and in a hypercube on n."""

import hashlib
import warnings
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.dispersions.deviates import HALF_STEP

METHODS = ("random", "latin-hypercube", "sobol", "saltelli")
BLOCK = 4
"""Numbers of 64 bits that one count of Philox gives: as many as one run takes of one input, at most."""
SOBOL_BITS = 32
"""More would do, but SciPy 1.17 cannot skip ahead in them."""


@dataclass(frozen=True)
class Sampling:
    """How the uniform numbers of a campaign are made.

    Attributes:
        method: `random` (independent), `latin-hypercube` (each input stratified over all n runs), `sobol` (scrambled
            Sobol points), or `saltelli` (blocks of runs from which Sobol indices are computed).
        seed: Of the campaign.
        n: Number of runs.
        inputs: Names of the inputs, with how many numbers a run takes of each.
    """

    method: str
    seed: int
    n: int
    inputs: tuple[tuple[str, int], ...]

    @property
    def block(self) -> int:
        """Runs that belong together: for `saltelli` two points and one mixture of them per input."""
        return len(self.inputs) + 2 if self.method == "saltelli" else 1

    def check(self) -> None:
        """Refuses what the method cannot do."""
        if self.method not in METHODS:
            raise InputError("--sampling", f"unknown {self.method!r}", f"one of {', '.join(METHODS)}")
        if self.n % self.block:
            nearest = max(1, round(self.n / self.block)) * self.block
            raise InputError(
                "-n", f"{self.n} runs do not make whole blocks of {self.block}",
                f"a multiple of {self.block} runs, since 'saltelli' needs {self.block} for each point of "
                f"{len(self.inputs)} inputs",
                f"use -n {nearest}",
            )  # fmt: skip

    def uniforms(self, first: int, last: int) -> dict[str, np.ndarray]:
        """Numbers between 0 and 1, ends excluded, [run, number] by input, of the runs from `first` to before `last`."""
        if self.method == "random":
            return {name: _philox(self.seed, name, first, last)[:, :width] for name, width in self.inputs}
        if self.method == "latin-hypercube":
            return {
                name: np.column_stack([_stratified(self.seed, f"{name}/{j}", self.n)[first:last] for j in range(width)])
                for name, width in self.inputs
            }
        if self.method == "sobol":
            return self._split(_sobol(self.seed, self._width, first, last))
        return self._saltelli(first, last)

    @property
    def _width(self) -> int:
        return sum(width for _, width in self.inputs)

    def _split(self, points: np.ndarray) -> dict[str, np.ndarray]:
        ends = np.cumsum([width for _, width in self.inputs])
        return dict(zip((name for name, _ in self.inputs), np.split(points, ends[:-1], axis=1), strict=True))

    def _saltelli(self, first: int, last: int) -> dict[str, np.ndarray]:
        """Point A, A with one input after the other taken from B, then B: the order that SALib expects."""
        block, runs = self.block, np.arange(first, last)
        start = first // block
        points = _sobol(self.seed, 2 * self._width, start, (last - 1) // block + 1 if last > first else start)
        mine = points[runs // block - start]
        a, b = self._split(mine[:, : self._width]), self._split(mine[:, self._width :])
        place = runs % block
        return {
            name: np.where(((place == i + 1) | (place == block - 1))[:, None], b[name], a[name])
            for i, (name, _) in enumerate(self.inputs)
        }


def _key(seed: int, name: str) -> list[int]:
    """Philox is keyed by the seed and by a digest of the input's name, so that inputs do not disturb each other."""
    return [seed, int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")]


def _unit(raw: np.ndarray) -> np.ndarray:
    """Odd multiples of 2^-54: never 0, never 1."""
    return (raw >> np.uint64(11)).astype(float) * 2.0**-53 + HALF_STEP


def _philox(seed: int, name: str, first: int, last: int) -> np.ndarray:
    """The counter is the index of the run."""
    stream = np.random.Philox(key=_key(seed, name), counter=[first, 0, 0, 0])
    return _unit(stream.random_raw(BLOCK * (last - first))).reshape(-1, BLOCK)


@lru_cache(maxsize=64)
def _stratified(seed: int, name: str, n: int) -> np.ndarray:
    from scipy.stats import qmc

    rng = np.random.default_rng(_key(seed, name))
    return np.clip(qmc.LatinHypercube(1, rng=rng).random(n)[:, 0], HALF_STEP, 1.0 - 2.0 * HALF_STEP)


def _sobol(seed: int, width: int, first: int, last: int) -> np.ndarray:
    from scipy.stats import qmc

    rng = np.random.default_rng(_key(seed, "sobol"))
    engine = qmc.Sobol(width, scramble=True, bits=SOBOL_BITS, rng=rng)
    with warnings.catch_warnings():  # that balance needs powers of 2 is said in the documentation
        warnings.simplefilter("ignore", UserWarning)
        points = (engine.fast_forward(first) if first else engine).random(last - first)
    return points + 2.0 ** -(SOBOL_BITS + 1)
