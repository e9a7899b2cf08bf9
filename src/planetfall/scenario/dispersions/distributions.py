"""`[dispersions]`: how keys vary from run to run, one table per dotted key.

    [dispersions.terrain.slope_deg]
    distribution = "normal"
    sigma = 2.0                       # about the scenario's own value, unless `mean` is given

A distribution turns numbers that are uniform between 0 and 1 into values.
"""

import math
from abc import abstractmethod
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, BeforeValidator, field_validator, model_validator

from planetfall.scenario.dispersions.deviates import (
    cut_normal,
    each,
    exponential,
    normal_deviates,
    perpendicular,
    quaternion_product,
    symmetric_root,
    unit,
)
from planetfall.scenario.files.paths import FileName
from planetfall.scenario.tables.table import Table, UnitVec3, Vec3, choice, quantity
from planetfall.scenario.tables.vehicle.vehicle import Matrix3

KINDS = (
    "kind of distribution: normal | log-normal | uniform | triangular | categorical | multivariate-normal | cone | "
    "table | grid | cases | equal"
)


def _dotted(value: Any) -> Any:
    return dict(flat_numbers(value)) if isinstance(value, dict) else value


class Frozen(dict[str, Any]):
    """A mapping that cannot be changed, and can therefore be part of a frozen table."""

    def __hash__(self) -> int:  # type: ignore[override]  dictionaries have none because they change
        return hash(frozenset(self.items()))

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("a scenario cannot be changed; with_values makes a changed copy")

    __setitem__ = __delitem__ = __ior__ = pop = popitem = clear = _refuse
    update = setdefault = _refuse  # type: ignore[assignment]  overloaded there, refused in any form here


Correlations = Annotated[Annotated[dict[str, float], AfterValidator(Frozen)] | None, BeforeValidator(_dotted)]
"""Other dispersed keys, each with the correlation of the normal deviates behind the two."""
CORRELATED = choice("other dispersed keys, each with the correlation of the normal deviates behind the two", None)


class Dispersion(Table):
    """What all distributions have in common."""

    @property
    def n_uniforms(self) -> int:
        """How many uniform numbers a run takes."""
        return 1


class Formula(Dispersion):
    """A distribution whose values follow from uniform numbers and the nominal value alone."""

    @abstractmethod
    def values(self, uniforms: np.ndarray, nominal: Any) -> np.ndarray:
        """Values [run], or [run, component], of uniform numbers [run, n_uniforms] between 0 and 1."""


class DispersionNormal(Formula):
    """Normal, cut off at `low` and `high` where they are given."""

    distribution: Literal["normal"] = choice(KINDS)
    mean: float | None = quantity("of the key", "middle of the distribution; the scenario's value if not given", None)
    sigma: float = quantity("of the key", "standard deviation, before anything is cut off", gt=0)
    low: float | None = quantity("of the key", "bound below which no value lies", None)
    high: float | None = quantity("of the key", "bound above which no value lies", None)
    correlated: Correlations = CORRELATED

    @model_validator(mode="after")
    def _something_is_left(self) -> Self:
        check_order(self.low, self.high)
        return self

    def values(self, uniforms: np.ndarray, nominal: Any) -> np.ndarray:
        """See `Formula`."""
        mean = nominal if self.mean is None else self.mean
        return cut_normal(uniforms[:, 0], mean, self.sigma, self.low, self.high)


class DispersionLogNormal(Formula):
    """The logarithm is normal, cut off at `low` and `high` where they are given."""

    distribution: Literal["log-normal"] = choice(KINDS)
    median: float | None = quantity(
        "of the key", "middle of the distribution; the scenario's value if not given", None, gt=0
    )
    sigma_log: float = quantity("-", "standard deviation of the natural logarithm, before anything is cut off", gt=0)
    low: float | None = quantity("of the key", "bound below which no value lies", None, gt=0)
    high: float | None = quantity("of the key", "bound above which no value lies", None, gt=0)
    correlated: Correlations = CORRELATED

    @model_validator(mode="after")
    def _something_is_left(self) -> Self:
        check_order(self.low, self.high)
        return self

    def values(self, uniforms: np.ndarray, nominal: Any) -> np.ndarray:
        """See `Formula`."""
        median = nominal if self.median is None else self.median
        low, high = (None if bound is None else math.log(bound) for bound in (self.low, self.high))
        logarithms = cut_normal(uniforms[:, 0], math.log(median), self.sigma_log, low, high)
        return np.clip(each(exponential, logarithms), self.low, self.high)  # exp and log are not quite inverse


class DispersionUniform(Formula):
    """Equally likely from `low` to `high`."""

    distribution: Literal["uniform"] = choice(KINDS)
    low: float = quantity("of the key", "smallest value that is drawn")
    high: float = quantity("of the key", "largest value that is drawn")
    correlated: Correlations = CORRELATED

    @model_validator(mode="after")
    def _rises(self) -> Self:
        check_order(self.low, self.high)
        return self

    def values(self, uniforms: np.ndarray, nominal: Any) -> np.ndarray:
        """See `Formula`."""
        return self.low + (self.high - self.low) * uniforms[:, 0]


class DispersionTriangular(Formula):
    """Rises from `low` to `mode` and falls to `high`."""

    distribution: Literal["triangular"] = choice(KINDS)
    low: float = quantity("of the key", "smallest value that is drawn")
    mode: float | None = quantity("of the key", "likeliest value; the scenario's if not given", None)
    high: float = quantity("of the key", "largest value that is drawn")
    correlated: Correlations = CORRELATED

    @model_validator(mode="after")
    def _rises(self) -> Self:
        check_order(self.low, self.high)
        if self.mode is not None:
            self.peak(self.mode)
        return self

    def peak(self, nominal: float) -> float:
        """The mode, which has to lie between the ends."""
        mode = nominal if self.mode is None else self.mode
        if not self.low <= mode <= self.high:
            raise ValueError(f"mode: {mode:g} does not lie between low = {self.low:g} and high = {self.high:g}")
        return mode

    def values(self, uniforms: np.ndarray, nominal: Any) -> np.ndarray:
        """See `Formula`."""
        u, mode, width = uniforms[:, 0], self.peak(nominal), self.high - self.low
        rising = self.low + np.sqrt(u * (width * (mode - self.low)))
        falling = self.high - np.sqrt((1.0 - u) * (width * (self.high - mode)))
        return np.where(u * width < mode - self.low, rising, falling)


class DispersionCategorical(Formula):
    """One of some values, equally likely or by weight."""

    distribution: Literal["categorical"] = choice(KINDS)
    options: tuple[float, ...] = quantity("of the key", "the values to choose from")
    weights: tuple[float, ...] = quantity("-", "how likely each is, in any common unit; the same if not given", ())

    @model_validator(mode="after")
    def _weights_fit(self) -> Self:
        if not self.options:
            raise ValueError("options: at least one value is needed")
        if self.weights and len(self.weights) != len(self.options):
            raise ValueError(f"weights: {len(self.weights)} weights for {len(self.options)} options")
        if self.weights and (min(self.weights) < 0 or sum(self.weights) <= 0):
            raise ValueError("weights: must not be negative, and some must be positive")
        return self

    def values(self, uniforms: np.ndarray, nominal: Any) -> np.ndarray:
        """See `Formula`."""
        weights = np.array(self.weights or [1.0] * len(self.options))
        edges = np.cumsum(weights) / weights.sum()
        return np.array(self.options)[np.searchsorted(edges[:-1], uniforms[:, 0], side="right")]


class DispersionVector(Formula):
    """Three numbers together, normal, with a covariance or with a standard deviation along each axis."""

    distribution: Literal["multivariate-normal"] = choice(KINDS)
    mean: Vec3 | None = quantity("of the key", "middle of the distribution; the scenario's value if not given", None)
    sigma: Vec3 | None = quantity("of the key", "standard deviation of each component", None)
    covariance: Matrix3 | None = quantity(
        "of the key, squared", "covariance of the components, in place of sigma", None
    )

    @field_validator("covariance", mode="before")
    @classmethod
    def _diagonal_is_enough(cls, value: Any) -> Any:
        if isinstance(value, list | tuple) and len(value) == 3 and all(isinstance(v, int | float) for v in value):
            return tuple(tuple(float(v) if i == j else 0.0 for j in range(3)) for i, v in enumerate(value))
        return value

    @model_validator(mode="after")
    def _one_spread(self) -> Self:
        if (self.sigma is None) == (self.covariance is None):
            raise ValueError("sigma: give either sigma or covariance")
        if self.sigma is not None and min(self.sigma) < 0:
            raise ValueError(f"sigma: must not be negative, this is {list(self.sigma)}")
        if self.covariance is not None:
            matrix = np.asarray(self.covariance)
            if not np.allclose(matrix, matrix.T, rtol=1e-12, atol=0):
                raise ValueError("covariance: must be symmetric")
            if np.linalg.eigvalsh(matrix)[0] < -1e-12 * np.abs(matrix).max():
                raise ValueError("covariance: has a negative variance along some direction (it is not semidefinite)")
        return self

    @property
    def n_uniforms(self) -> int:
        """See `Formula`."""
        return 3

    def values(self, uniforms: np.ndarray, nominal: Any) -> np.ndarray:
        """See `Formula`."""
        mean = np.asarray(nominal if self.mean is None else self.mean, dtype=float)
        root = np.diag(self.sigma) if self.sigma is not None else symmetric_root(np.asarray(self.covariance))
        deviates = normal_deviates(uniforms)
        return mean + deviates[:, :1] * root[0] + deviates[:, 1:2] * root[1] + deviates[:, 2:] * root[2]


class DispersionCone(Formula):
    """A direction, or the attitude of an axis of the vehicle, spread evenly over a cone about its nominal one."""

    distribution: Literal["cone"] = choice(KINDS)
    half_angle_deg: float = quantity("deg", "angle from the middle of the cone to its edge", gt=0, le=180)
    twist_deg: float = quantity("deg", "attitudes: largest turn about the axis, to either side", 0.0, ge=0, le=180)
    axis: UnitVec3 | None = quantity("-", "attitudes: the axis, body frame; vehicle.up if not given", None)

    @property
    def n_uniforms(self) -> int:
        """See `Formula`."""
        return 3

    def values(self, uniforms: np.ndarray, nominal: Any) -> np.ndarray:
        """Directions [run, 3] about a nominal one."""
        half, azimuth = self._tilt(uniforms)
        direction = np.asarray(nominal, dtype=float)
        across, along = perpendicular(direction)
        sine, cosine = 2.0 * half[0] * half[1], 1.0 - 2.0 * half[0] * half[0]
        sideways = azimuth[1][:, None] * across + azimuth[0][:, None] * along
        return unit(cosine[:, None] * direction + sine[:, None] * sideways)

    def attitudes(self, uniforms: np.ndarray, nominal: np.ndarray, axis_B: np.ndarray) -> np.ndarray:
        """Quaternions [run, 4] about a nominal one, x y z w from body to surface frame."""
        half, azimuth = self._tilt(uniforms)
        axis = np.asarray(axis_B if self.axis is None else self.axis, dtype=float)
        across, along = perpendicular(axis)
        about = azimuth[1][:, None] * across + azimuth[0][:, None] * along
        tilt = np.column_stack([about * half[0][:, None], half[1]])
        turn = math.radians(self.twist_deg) * (uniforms[:, 2] - 0.5)  # half of the turn, -twist/2 to twist/2
        twist = np.column_stack([axis * each(math.sin, turn)[:, None], each(math.cos, turn)])
        return unit(quaternion_product(quaternion_product(np.asarray(nominal, dtype=float), tilt), twist))

    def _tilt(self, uniforms: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
        """Sine and cosine of half the tilt, and of the azimuth: even over the cone's solid angle."""
        sine = math.sin(0.5 * math.radians(self.half_angle_deg)) * np.sqrt(uniforms[:, 0])
        turn = 2.0 * math.pi * uniforms[:, 1]
        return (sine, np.sqrt((1.0 - sine) * (1.0 + sine))), (each(math.sin, turn), each(math.cos, turn))


class DispersionTable(Dispersion):
    """Samples from elsewhere: a list, or a column of a CSV file. Keys that name one file take their rows together."""

    distribution: Literal["table"] = choice(KINDS)
    samples: tuple[float, ...] = quantity("of the key", "the samples, in place of a file", ())
    file: FileName | None = choice("CSV file whose first line names the columns", None)
    column: str | None = choice("column of the file; the key itself if not given", None)
    pick: Literal["row", "random"] = choice("row: run i takes row i, so runs may not outnumber rows; random: any row",
                                            "row")  # fmt: skip

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.file is None) == (not self.samples):
            raise ValueError("samples: give either samples or a file")
        if self.column is not None and self.file is None:
            raise ValueError("column: belongs to a file; give one")
        return self

    def rows(self, uniforms: np.ndarray, first: int, n_rows: int) -> np.ndarray:
        """Which rows the runs from `first` on take."""
        if self.pick == "row":
            return np.arange(first, first + len(uniforms))
        return np.minimum((uniforms[:, 0] * n_rows).astype(np.int64), n_rows - 1)


class DispersionGrid(Dispersion):
    """A sweep: every value in turn, and every combination with the other grids; the first grid changes slowest."""

    distribution: Literal["grid"] = choice(KINDS)
    steps: tuple[float, ...] = quantity("of the key", "values that are stepped through")

    @model_validator(mode="after")
    def _has_values(self) -> Self:
        if not self.steps:
            raise ValueError("steps: at least one value is needed")
        return self


def check_order(low: float | None, high: float | None) -> None:
    """Refuses an interval that does not rise."""
    if low is not None and high is not None and low >= high:
        raise ValueError(f"low: {low:g} must be less than high = {high:g}")


def flat_numbers(tree: Any, path: str = "") -> Iterable[tuple[str, Any]]:
    """Leaves by dotted key, of `correlated = { contact.sliding_angle_deg = 0.5 }` in either spelling."""
    for name, item in tree.items():
        key = f"{path}.{name}" if path else str(name)
        if isinstance(item, dict):
            yield from flat_numbers(item, key)
        else:
            yield key, item
