"""`planetfall entry reference`: table, figure, CSV and JSON of a scenario, and mistakes."""

import csv
import json
from pathlib import Path

import pytest

from support.command import refuse, succeed


def test_reference(tmp_path: Path) -> None:
    said = succeed("entry", "reference", "msl-edl", "--csv", "table.csv", cwd=tmp_path)
    assert "Bank angle of the reference" in said and "msl-edl-reference.png" in said
    assert (tmp_path / "msl-edl-reference.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "table.csv").open() as opened:
        rows = list(csv.DictReader(opened))
    assert float(rows[-1]["speed_m_s"]) == pytest.approx(405.0)
    found = json.loads(succeed("entry", "reference", "msl-edl", "--json", cwd=tmp_path))
    assert found["rows"]["speed_m_s"][::-1] == [float(row["speed_m_s"]) for row in rows]
    assert "exists" in refuse("entry", "reference", "msl-edl", cwd=tmp_path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("msl-edl", "--set", "target.site.longitude_deg=142"), "in reach, at bank angles from 105 to 15 deg"),
        (("msl-edl", "--set", "flight.phases.0.guidance.trigger_speed=60"), "does not get as slow as 60 m/s"),
        (("msl-edl", "--set", "flight.phases.0.guidance.gain=-5"), "gain"),
        (("msl-drop",), "no phase has guidance with law = 'entry'"),
    ],
)
def test_mistakes(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    assert message in refuse("entry", "reference", *words, cwd=tmp_path)
