"""Paths from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from planetfall.errors import InputError
from planetfall.scenario.files.waypoints import read_path


@pytest.mark.parametrize(
    "text",
    [
        "0,0\n1,2\n",
        "x;y\n0;0\n1;2",
        "# east north\n0 0\n\n1\t2 # the end\n",
        "\ufeffeast, north\r\n0.0, 0\r\n1e0, 2\r\n",
    ],
)
def test_tables_of_places(text: str, tmp_path: Path) -> None:
    file = tmp_path / "way.csv"
    file.write_text(text, encoding="utf-8")
    assert read_path(file) == {"waypoints": [[0.0, 0.0], [1.0, 2.0]]}


def test_the_path_of_a_drive(tmp_path: Path) -> None:
    file = tmp_path / "drive.toml"
    file.write_text("[path]\nwaypoints = [[0, 0], [3, 4]]\nstep = 0.1\n")
    assert read_path(file) == {"waypoints": [[0, 0], [3, 4]], "step": 0.1}


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.csv", "1,2\n", "holds 1 places; expected at least two"),
        ("a.csv", "", "holds 0 places"),
        ("a.csv", "0,0\n1,2,3\n", "line 2: '1,2,3' is not a place"),
        ("a.csv", "0,0\n1,b\n", "line 2"),
        ("a.toml", "[rover]\n", r"no table \[path\]"),
        ("a.csv", None, "cannot be read"),
    ],
)
def test_what_is_no_path(name: str, text: str | None, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / name
    if text is not None:
        file.write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_path(file)
