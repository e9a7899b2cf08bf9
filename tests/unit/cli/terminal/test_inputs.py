"""`--set KEY=VALUE`: the value as TOML, a bare word as a string."""

from __future__ import annotations

from typing import Any

import pytest

from planetfall.cli.terminal.inputs import parse_set, scenario_with_sets
from planetfall.errors import InputError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b=0.02", ("a.b", 0.02)),
        ("a.b=5", ("a.b", 5)),
        ("a.b=1e-3", ("a.b", 1e-3)),
        ("a.b=true", ("a.b", True)),
        ("a.b=[1, 2.5, 3]", ("a.b", [1, 2.5, 3])),
        ('a.b={name = "x"}', ("a.b", {"name": "x"})),
        ('a.b="5"', ("a.b", "5")),
        ("a.b=rk4", ("a.b", "rk4")),
        ("a.b=per-point", ("a.b", "per-point")),
        ("a.b= two words ", ("a.b", "two words")),
        (" a.b = 3", ("a.b", 3)),
        ("a.b=x=y", ("a.b", "x=y")),
        ("a.b=火星", ("a.b", "火星")),
    ],
)
def test_values(text: str, expected: tuple[str, Any]) -> None:
    key, value = parse_set(text)
    assert (key, value) == expected
    assert type(value) is type(expected[1])


@pytest.mark.parametrize("text", ["", "a.b", "=3", "a.b=", "a.b=  ", "  =1"])
def test_what_is_no_pair_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match=r"is not KEY=VALUE; for example --set contact\.rest_penetration=0\.02"):
        parse_set(text)


def test_the_last_of_two_counts() -> None:
    scenario = scenario_with_sets("msl-drop", ["vehicle.mass=1", "vehicle.mass=2"])
    assert scenario.vehicle.mass == 2.0


def test_a_number_too_long_for_python_is_bad_input() -> None:
    """int() refuses more than 4300 digits with an error that is not TOML's."""
    with pytest.raises(InputError):
        scenario_with_sets("msl-drop", ["vehicle.mass=" + "9" * 5000])
