"""Numbers in no more digits than are true."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetfall.analysis.accuracy.true_digits import (
    error_digit,
    is_converged,
    resolved,
    true_digits,
    unchecked,
    with_error,
)

NUMBERS = st.floats(1e-9, 1e9).flatmap(lambda x: st.sampled_from([x, -x]))


@pytest.mark.parametrize(
    ("value", "difference", "shown"),
    [
        (4.058468, 0.003999, "4.058 ± 0.004"),
        (19731.045, 46.3, "19730 ± 50"),
        (5.111, 0.002, "5.111 ± 0.002"),
        (501.95, 3.7e-11, "501.950 ± 4e-11"),
        (0.0554614, 1.2e-4, "0.0555 ± 0.0002"),
        (153276.1, 169.0, "153300 ± 200"),
        (1175.9, 27.1, "1180 ± 30"),
        (0.00104139, 1.2e-8, "0.00104139 ± 2e-08"),
        (9.96, 0.6, "10.0 ± 0.6"),
        (2.5e-7, 3e-9, "2.50e-07 ± 3e-09"),
        (2.5e9, 1e7, "2.50e+09 ± 1e+07"),
        (333883.5176, 0.0, "333884"),
        (0.0, 0.0, "0"),
        (-0.0134, 0.0008, "-0.0134 ± 0.0008"),
    ],
)
def test_a_number_ends_where_its_difference_begins(value: float, difference: float, shown: str) -> None:
    assert with_error(value, difference) == shown


@pytest.mark.parametrize(
    ("value", "difference", "shown"),
    [(4.058468, 0.004, "4.06"), (4.058468, 0.006, "4.1"), (4.058468, 3e-9, "4.05847"), (39.52, 0.0175, "39.5"),
     (0.7, 0.6, "0.7"), (19731.0, 46.0, "19700")],
)  # fmt: skip
def test_a_number_alone_is_true_to_half_a_unit(value: float, difference: float, shown: str) -> None:
    assert true_digits(value, difference) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(10.0, "10.0"), (4.058468, "4.06"), (1045.91, "1050"), (153276.1, "153000"), (0.0, "0"), (1.0197e-08, "1.02e-08"),
     (-1578.3, "-1580"), (9.999, "10.00")],
)  # fmt: skip
def test_three_digits_of_what_nobody_checked(value: float, shown: str) -> None:
    assert unchecked(value) == shown


@given(NUMBERS, st.floats(1e-7, 0.1))
def test_rounding_hides_less_than_the_difference_or_the_sixth_digit(value: float, share: float) -> None:
    """The last digit is that of the difference or the sixth, so rounding moves by half a unit of either at most."""
    number, _, error = with_error(value, share * value).partition(" ± ")
    assert abs(float(number) - value) <= max(0.5 * float(error), 0.5e-5 * abs(value)) * (1 + 1e-9)
    assert abs(share * value) * (1 - 1e-8) <= float(error) <= 2.0 * abs(share * value) * (1 + 1e-9)


@given(NUMBERS, st.floats(1e-6, 0.1))
def test_a_finer_number_shares_the_digits_of_one_alone(value: float, share: float) -> None:
    """Half a unit is ten differences at most, and the finer number is one more away."""
    shown = float(true_digits(value, share * value))
    assert abs(shown - value * (1 + share)) <= 11.0 * abs(share * value) + 1e-5 * abs(value)


@pytest.mark.parametrize(
    ("value", "finer", "is_it"), [(1.0, 0.9, True), (1.0, 0.89, False), (0.0, 0.0, True), (0.0, 1e-9, False)]
)
def test_converged_is_within_a_tenth(value: float, finer: float, is_it: bool) -> None:
    assert is_converged(value, finer) == is_it


def test_a_difference_is_never_made_smaller() -> None:
    assert [error_digit(x) for x in (0.0, 0.00101, 0.002, 0.0099, 96.0, 3.1e-12)] == [
        "0", "0.002", "0.002", "0.01", "100", "4e-12",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "way", "shown"),
    [
        (-4454.8629, 1.71, "-4454.86"), (13.31315, 1.71, "13.31"), (0.0123456, 1.71, "0.0123"),
        (-4454.8629, 0.0, "-4450"), (1234567.8912, 1e-4, "1234567.89"), (3.552, 4.06, "3.55"),
        (123456.0, 6e5, "123000"),
    ],
)  # fmt: skip
def test_a_place_has_the_digits_of_the_way_to_it(value: float, way: float, shown: str) -> None:
    assert resolved(value, way) == shown
