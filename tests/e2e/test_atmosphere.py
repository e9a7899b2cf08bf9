"""`planetfall atmosphere`: tables and figures of models, files and scenarios, and mistakes."""

import json
from pathlib import Path

import pytest

from support.command import inside, refuse, succeed

TABLE = "height [m],density [kg/m3],temperature [K]\n0,1.2,288\n10000,0.4,223\n30000,0.018,226\n"


def test_show(tmp_path: Path) -> None:
    """A model by name, with a key changed; as text and as JSON; a scenario with air of its own."""
    text = succeed("atmosphere", "show", "us1976", "--heights", "0,11000", cwd=tmp_path)
    assert text.splitlines()[2].split()[:3] == ["0", "1.225", "1.0132e+05"]
    words = ("atmosphere", "show", "mars", "--heights", "0", "--set", "atmosphere.density_factor=0.8", "--json")
    found = json.loads(succeed(*words, cwd=tmp_path))
    assert found["rows"][0]["pressure_Pa"] == pytest.approx(488.0)
    wave = "atmosphere.perturbation.density_shift=0.1"
    assert len(succeed("atmosphere", "show", "mars", "--set", wave, cwd=tmp_path).splitlines()) == 23
    (tmp_path / "own.toml").write_text('based_on = "free-top"\n[changes]\natmosphere = {model = "mars"}\n')
    assert "610" in succeed("atmosphere", "show", "own.toml", "--heights", "0", cwd=tmp_path)


def test_plot_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "air.csv").write_text(TABLE)
    gas = ("--set", "atmosphere.gas_constant=287.05", "--set", "atmosphere.heat_ratio=1.4")
    said = succeed("atmosphere", "plot", "air.csv", *gas, cwd=tmp_path)
    assert "air-air.png" in said
    assert (tmp_path / "air-air.png").read_bytes().startswith(b"\x89PNG")
    assert "air-air.png" in refuse("atmosphere", "plot", "air.csv", *gas, cwd=tmp_path)


def test_heights_over_the_areoid_are_told(tmp_path: Path) -> None:
    (tmp_path / "gram.txt").write_text("HgtMOLA Denkgm3 Temp\n0.0 0.0146 214\n1.0 0.0139 213\n2.0 0.0130 212\n")
    (tmp_path / "air.csv").write_text(TABLE)
    gas = ("--set", "atmosphere.gas_constant=191.4", "--set", "atmosphere.heat_ratio=1.33")
    said = inside("atmosphere", "show", "gram.txt", *gas, cwd=tmp_path).stderr
    assert "HgtMOLA counts from the areoid, and is taken as a height over the ellipsoid" in said
    assert "areoid" not in inside("atmosphere", "show", "air.csv", *gas, cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("msl-drop",), "is 'none': this scenario has no air"),
        (("marz",), "no such model of air and no such scenario; did you mean mars?"),
        (("venus",), "us1976, mars, a table (.csv"),
        (("mars", "--heights", "low"), "is not a list of numbers"),
        (("mars", "--set", "vehicle.mass=3"), "is not a key of the air"),
        (("air.csv",), "no column of pressure, and nothing that it follows from"),
    ],
)
def test_mistakes(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    (tmp_path / "air.csv").write_text(TABLE)
    assert message in refuse("atmosphere", "show", *words, cwd=tmp_path)
