"""The coefficients of a harmonic field as plain arrays: what every reader of gravity files returns."""

from dataclasses import dataclass, replace

import numpy as np

from planetfall.errors import InputError

HIGHEST_DEGREE = 1000
"""Beyond it the derived Legendre functions come near the end of float64 (1e172 at 1000)."""


@dataclass(frozen=True)
class HarmonicsData:
    """A gravity field by its coefficients, fully normalised (4 pi).

    Attributes:
        gm: Gravitational parameter [m^3/s^2].
        radius: Reference radius R [m].
        cosine: C_nm [degree + 1, order + 1], C_00 = 1.
        sine: S_nm, the same shape.
        source: File and format, for people.
        notes: What a user should know: sentences.
    """

    gm: float
    radius: float
    cosine: np.ndarray
    sine: np.ndarray
    source: str
    notes: tuple[str, ...] = ()

    @property
    def degree(self) -> int:
        """Largest degree."""
        return self.cosine.shape[0] - 1

    @property
    def order(self) -> int:
        """Largest order."""
        return self.cosine.shape[1] - 1


def truncated(data: HarmonicsData, degree: int | None, order: int | None = None) -> HarmonicsData:
    """The field up to a degree and an order.

    Raises:
        InputError: The file does not reach that far.
    """
    degree = data.degree if degree is None else degree
    order = min(data.order, degree) if order is None else order
    for name, wanted, highest in (("degree", degree, data.degree), ("order", order, min(data.order, degree))):
        if not 0 <= wanted <= highest:
            raise InputError(f"gravity.{name}", f"{wanted} of {data.source}", f"0 to {highest}", f"lower the {name}")
    return replace(data, cosine=data.cosine[: degree + 1, : order + 1], sine=data.sine[: degree + 1, : order + 1])


def checked(where: str, data: HarmonicsData) -> HarmonicsData:
    """Refuses numbers that are no field."""
    if not (np.isfinite(data.gm) and data.gm > 0.0 and np.isfinite(data.radius) and data.radius > 0.0):
        raise InputError(where, f"GM is {data.gm} m^3/s^2 and the radius {data.radius} m", "positive numbers")
    if data.degree > HIGHEST_DEGREE:
        raise InputError(where, f"degree {data.degree}", f"at most {HIGHEST_DEGREE}", "truncate the file")
    if not (np.isfinite(data.cosine).all() and np.isfinite(data.sine).all()):
        raise InputError(where, "a coefficient is not a number", "finite coefficients", "fetch the file again")
    return data


def normalisation(degree: int) -> np.ndarray:
    """[n, m] factors N_nm: fully normalised = unnormalised / N_nm; 1 where m > n.

    N_nm^2 = (2 - delta_m0) (2n + 1) (n - m)!/(n + m)!
    """
    from scipy.special import gammaln

    n, m = np.meshgrid(np.arange(degree + 1), np.arange(degree + 1), indexing="ij")
    below = m <= n
    log = np.where(below, gammaln(np.where(below, n - m, 0) + 1) - gammaln(n + m + 1), 0.0)
    return np.where(below, np.sqrt((2.0 - (m == 0)) * (2 * n + 1)) * np.exp(0.5 * log), 1.0)
