"""What the gravity readers share: numbers of Fortran, and coefficients in their places."""

import numpy as np

from planetfall.errors import InputError
from planetfall.world.gravity.harmonics.data import HIGHEST_DEGREE


def number(where: str, text: str) -> float:
    """A number, also with Fortran's D for the exponent."""
    try:
        value = float(text.strip().replace("D", "E").replace("d", "e"))
    except ValueError:
        raise InputError(where, f"{text.strip()[:40]!r} is not a number", "a complete gravity file") from None
    if not np.isfinite(value):
        raise InputError(where, f"{text.strip()[:40]!r} is not finite", "finite numbers")
    return value


def whole(where: str, text: str) -> int:
    """A whole number."""
    value = number(where, text)
    if value != int(value):
        raise InputError(where, f"{text.strip()[:40]!r} is no whole number", "a degree or an order")
    return int(value)


class Coefficients:
    """Coefficients as they come, by degree and order; C_00 is 1 unless given."""

    def __init__(self, where: str, degree: int, order: int) -> None:
        """Makes room for all degrees and orders."""
        if not 0 <= order <= degree <= HIGHEST_DEGREE:
            raise InputError(
                where, f"the header claims degree {degree} and order {order}", f"order <= degree <= {HIGHEST_DEGREE}"
            )
        self.where = where
        self.cosine, self.sine = np.zeros((degree + 1, order + 1)), np.zeros((degree + 1, order + 1))
        self.is_given = np.zeros((degree + 1, order + 1), dtype=bool)
        self.cosine[0, 0] = 1.0

    def put(self, line: int, n: int, m: int, c: float, s: float) -> None:
        """One coefficient; refuses one that has no place or comes twice."""
        degree, order = (size - 1 for size in self.cosine.shape)
        where = f"{self.where}, line {line}"
        if not (0 <= m <= n <= degree and m <= order):
            raise InputError(where, f"degree {n} and order {m}", f"0 <= order <= degree <= {degree}, order <= {order}")
        if self.is_given[n, m]:
            raise InputError(where, f"degree {n} and order {m} come twice", "each once")
        if m == 0 and s != 0.0:
            raise InputError(where, f"S_{n}0 is {s:g}", "0: a zonal term has no sine")
        self.cosine[n, m], self.sine[n, m], self.is_given[n, m] = c, s, True

    def keep_complete(self, least: int) -> int:
        """Drops the degrees from the first that is not whole, but none up to `least`; the last degree that is left."""
        n, m = np.meshgrid(*(np.arange(size) for size in self.cosine.shape), indexing="ij")
        is_short = (np.logical_not(self.is_given) & (m <= n) & (n >= 2)).any(axis=1)
        last = self.cosine.shape[0] - 1 if not is_short.any() else max(int(np.argmax(is_short)) - 1, least)
        shape = (last + 1, min(last + 1, self.cosine.shape[1]))
        self.cosine, self.sine, self.is_given = (
            array[: shape[0], : shape[1]] for array in (self.cosine, self.sine, self.is_given)
        )
        return last

    def check_complete(self) -> None:
        """Refuses a file that ends before its last degree: a truncated field looks like a smooth one."""
        n, m = np.meshgrid(*(np.arange(size) for size in self.cosine.shape), indexing="ij")
        missing = np.logical_not(self.is_given) & (m <= n) & (n >= 2)
        if missing.any():
            first = np.argwhere(missing)[0]
            raise InputError(
                self.where, f"{int(missing.sum())} coefficients are missing, the first of degree {first[0]} and order "
                f"{first[1]}", "all from degree 2 to that of the header", "the file is truncated; fetch it again",
            )  # fmt: skip
