"""How many digits of a number are true, by how much it differs from that of a finer run; and numbers with no more.

Beside its difference a number ends with the digit that the difference begins with: `19730 ± 50`. Alone it ends with the
last digit of which the difference is no more than half a unit.
"""

from math import ceil, floor, log10

MOST = 6
"""Significant digits of a number that was checked."""
UNCHECKED = 3
"""Significant digits of a number whose error nobody looked at (assumed: what the built-in scenarios are good for)."""
MOST_RESOLVED = 9
"""Significant digits of a place, at most: a centimetre of one that is a thousand kilometres from the origin."""
SHARE = 0.1
"""Difference over the number beyond which not even one digit is true."""


def unchecked(value: float) -> str:
    """A computed number whose error is not known."""
    return rounded(value, _exponent(value) - UNCHECKED + 1)


def resolved(value: float, scale: float, digits: int = UNCHECKED) -> str:
    """A number down to the last of the first `digits` digits of `scale`, though with three digits of its own at least.

    Of a place far from the origin the first digits say nothing of a motion as large as `scale`.
    """
    if not scale:
        return unchecked(value)
    first = _exponent(value)
    return rounded(value, max(min(_exponent(scale) - digits, first - UNCHECKED) + 1, first - MOST_RESOLVED + 1))


def exact(value: float) -> str:
    """A number that follows from the inputs by a formula, or that came out the same twice."""
    return f"{value:.{MOST}g}"


def true_digits(value: float, difference: float) -> str:
    """A number alone, with as many digits as are true, one at least and six at most."""
    return _cut(value, ceil(log10(2.0 * abs(difference)) - 1e-12)) if difference else exact(value)


def with_error(value: float, difference: float) -> str:
    """A number and how much it differs, for example `4.058 ± 0.004`; one that does not differ stands alone."""
    if not difference:
        return exact(value)
    shown = error_digit(difference)
    return f"{_cut(value, _exponent(float(shown)))} ± {shown}"


def error_digit(difference: float) -> str:
    """A difference with one digit, rounded up."""
    size = abs(difference)
    if size == 0.0:
        return "0"
    unit = 10.0 ** _exponent(size)
    up = ceil(size / unit - 1e-9) * unit
    return f"{up:.15g}" if 1e-4 <= up < 1e7 else f"{up:.0e}"


def is_converged(value: float, finer: float) -> bool:
    """Whether at least one digit is true."""
    return abs(value - finer) <= SHARE * max(abs(value), abs(finer))


def rounded(value: float, place: int) -> str:
    """A number down to the digit of 10^place, without an exponent where it is neither tiny nor huge."""
    number = round(value, -place)
    if number == 0.0:
        return "0"
    if 1e-4 <= abs(number) < 1e7:
        return f"{number:.{max(-place, 0)}f}"
    return f"{number:.{max(_exponent(number) - place, 0)}e}"


def _cut(value: float, place: int) -> str:
    """Down to a digit, but one digit at least and six at most."""
    first = _exponent(value)
    return rounded(value, min(max(place, first - MOST + 1), first))


def _exponent(value: float) -> int:
    """Of the first digit."""
    return floor(log10(abs(value))) if value else 0
