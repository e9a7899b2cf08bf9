"""The page "Extend it" shows the examples themselves, and names all that a force gets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planetfall.plugins import BodyState, Environment, Wrench

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
LONG = ("soft_sand.py", "leaking_tank.py")
"""Examples with pages of their own, or too long to be read as a whole."""


def test_the_texts_of_the_short_examples_are_taken_from_their_files() -> None:
    shown = set(re.findall(r'^ *--8<-- "examples/plugins/(.+)"$', PAGE, re.M))
    assert shown >= {path.name for path in (ROOT / "examples" / "plugins").glob("*.py")} - set(LONG)
    assert all((ROOT / "examples" / "plugins" / name).is_file() for name in shown)


@pytest.mark.parametrize("struct", [Wrench, BodyState, Environment])
def test_the_members_of_what_a_force_gets_are_named(struct: type) -> None:
    (row,) = (line for line in PAGE.splitlines() if line.startswith(f"| `{struct.__name__}` |"))
    assert [name for name in struct.__annotations__ if f"`{name}`" not in row] == []
