"""Files of air: CSV with units, AMAT's and Mars-GRAM's columns, and what is wrong with some."""

from pathlib import Path

import numpy as np
import pytest

from planetfall.errors import InputError
from planetfall.scenario.tables.world.atmosphere import AtmosphereTable
from planetfall.world.atmosphere.columns import columns_of
from planetfall.world.atmosphere.from_scenario import air_at
from planetfall.world.atmosphere.table_file import read_air_file, unread_columns
from support.shared_data import DATA

AMAT = DATA / "mars_entry" / "mars-gram-avg.dat"
GRAM = DATA / "atmosphere" / "MarsGRAMNominal.txt"
CSV = "Height [km], Density [kg/m^3], T (K), wind_east_m_s, note\n0, 1.2, 288, 1, a\n10, 0.4, 223, -2, b\n"


def written(folder: Path, text: str) -> str:
    file = folder / "air.csv"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_columns_with_units(tmp_path: Path) -> None:
    """Units in brackets, in parentheses, after the name; other columns are passed over; kilometres become metres."""
    found = read_air_file(written(tmp_path, CSV))
    assert {key: column.tolist() for key, column in found.items()} == {
        "heights": [0.0, 10e3],
        "density": [1.2, 0.4],
        "temperature": [288.0, 223.0],
        "wind_east": [1.0, -2.0],
    }


def test_columns_between_semicolons(tmp_path: Path) -> None:
    text = "h [km];rho, kg/m3;T (K)\n0;1.2;288\n10;0.4;223\n"
    found = read_air_file(written(tmp_path, text))
    assert {key: column.tolist() for key, column in found.items()} == {
        "heights": [0.0, 10e3],
        "density": [1.2, 0.4],
        "temperature": [288.0, 223.0],
    }


def test_columns_that_look_like_air_and_are_not_read(tmp_path: Path) -> None:
    """By their unit; what has none, or one of something else, is passed over in silence, and so is Mars-GRAM's rest."""
    text = "h [m],rho [kg/m3],u [m/s],v [m/s],mu [Pa s],note\n0,1.2,5,9,1,a\n9,0.4,5,9,1,b\n"
    assert unread_columns(written(tmp_path, text)) == ["u [m/s]", "v [m/s]"]
    assert unread_columns(written(tmp_path, "h,rho,u\n[m],[kg/m3],[m/s]\n0,1.2,5\n9,0.4,5\n")) == ["u"]
    assert unread_columns(written(tmp_path, "HgtMOLA Denkgm3 Temp DensP\n0 0.0146 214 1\n1 0.0139 213 1\n")) == []


def test_units_on_a_line_of_their_own(tmp_path: Path) -> None:
    found = read_air_file(
        written(tmp_path, "Altitude,Pressure,Density\n[ft],[hPa],[g/cm3]\n0,1013.25,0.001225\n1,1,1\n")
    )
    assert found["heights"][1] == 0.3048
    assert found["pressure"][0] == pytest.approx(101325.0)
    assert found["density"][0] == pytest.approx(1.225)


@pytest.mark.parametrize("separator", ["\t", "\t\t", "  "])
def test_columns_of_amat(tmp_path: Path, separator: str) -> None:
    """Names with commas between tabs, numbers between tabs or blanks."""
    rows = "".join(separator.join(row) + "\n" for row in (["0", "227.5", "566.9", "1.319E-02", "236.38"],) * 1)
    text = "#H, m\tT, K\tP, Nm2\t\trho, kg m3\ta, m/s\n" + rows + rows.replace("0", "1000", 1)
    found = read_air_file(written(tmp_path, text))
    assert {key: column[0] for key, column in found.items()} == {
        "heights": 0.0,
        "temperature": 227.5,
        "pressure": 566.9,
        "density": 0.01319,
        "sound_speed": 236.38,
    }


def test_columns_of_mars_gram(tmp_path: Path) -> None:
    """Heights in km, no pressure: with a gas constant and a ratio of heats the table is complete."""
    text = (
        "  Time  HgtMOLA LatPC   LonE    Denkgm3   Temp  EWind  NWind  sigD\n"
        "   0.   0.00  18.44   77.45 1.466E-02  214.1    5.4    9.2   2.0\n"
        "   0.   0.50  18.44   77.45 1.394E-02  214.9    6.3    9.0   2.0\n"
    )
    table = AtmosphereTable(model="table", file=written(tmp_path, text), gas_constant=191.4, heat_ratio=1.33)
    found = columns_of(table)
    np.testing.assert_array_equal(found.heights, [0.0, 500.0])
    np.testing.assert_allclose(found.pressure, [1.466e-2 * 191.4 * 214.1, 1.394e-2 * 191.4 * 214.9])
    np.testing.assert_allclose(found.sound_speed, np.sqrt(1.33 * 191.4 * np.array([214.1, 214.9])))
    assert found.wind_north.tolist() == [9.2, 9.0]


@pytest.mark.skipif(not AMAT.is_file(), reason=f"{AMAT} is not here")
def test_the_table_of_the_reference_entries() -> None:
    """126 rows in steps of 1 km; between them density in straight lines, as the references have it."""
    table = AtmosphereTable(model="table", file=str(AMAT), interpolation="linear")
    found = columns_of(table)
    np.testing.assert_array_equal(found.heights, np.arange(126) * 1e3)
    middle = air_at(table, np.array([25.5e3]))["density"][0]
    assert middle == pytest.approx(0.5 * (found.density[25] + found.density[26]), rel=1e-14)


@pytest.mark.skipif(not GRAM.is_file(), reason=f"{GRAM} is not here")
def test_a_profile_of_mars_gram() -> None:
    """Our own Mars is within the quarter that its page states of this profile up to 50 km."""
    from planetfall.scenario.tables.world.atmosphere import AtmosphereMars

    table = AtmosphereTable(model="table", file=str(GRAM), gas_constant=191.4, heat_ratio=1.33)
    heights = np.linspace(0.0, 50e3, 26)
    ratio = air_at(AtmosphereMars(model="mars"), heights)["density"] / air_at(table, heights)["density"]
    assert ratio.min() > 0.75 and ratio.max() < 1.25


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            CSV.replace("0.4", ""),
            r"line 3: has nothing in column 'Density \[kg/m\^3\]'; expected a number in every cell: no gaps",
        ),
        (CSV.replace("0.4", "thin"), "line 3: has 'thin' in column"),
        (CSV.replace(" [km]", ""), "column 'Height' has no unit; expected one of m, km, ft"),
        (CSV.replace("[km]", "[miles]"), "column 'Height .miles.' has the unit 'miles'"),
        (CSV.replace("Density", "Mass"), "has no column of density; its columns are Height"),
        (CSV.replace("T (K)", "rho [kg/m3]"), "two columns hold density"),
        ("", "is empty"),
    ],
)
def test_refused_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_air_file(written(tmp_path, text))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"atmosphere\.file: .*none\.csv cannot be read"):
        read_air_file(str(tmp_path / "none.csv"))


@pytest.mark.parametrize(("unit", "top"), [("km", 80000.0), ("m", 80.0)])
def test_heights_in_a_wrong_unit(tmp_path: Path, unit: str, top: float) -> None:
    """Metres under a header of kilometres, and the other way: no atmosphere falls off over 10 m or 10,000 km."""
    rows = "".join(f"{top * i / 8}, {0.015 * np.exp(-i)}, 200\n" for i in range(9))
    file = written(tmp_path, f"Height [{unit}], Density [kg/m^3], Temperature [K]\n{rows}")
    with pytest.raises(InputError, match="m and km may be mixed up"):
        columns_of(AtmosphereTable(model="table", file=file, gas_constant=191.4, heat_ratio=1.33))
