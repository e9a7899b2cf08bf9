"""Files of air over height: columns with names and units, separated by commas, semicolons, tabs or blanks.

    Height [km], Density [kg/m^3], Temperature [K]        CSV; units in brackets, or on a line of their own
    #H, m   T, K   P, Nm2   rho, kg m3   a, m/s            AMAT's tables
    Time HgtMOLA LatPC ... Denkgm3 Temp EWind NWind ...    Mars-GRAM's list output, whose units its manual fixes

Columns of other names are passed over. Latitude and longitude of a Mars-GRAM list are, too: it is one profile.
"""

import re
from itertools import zip_longest
from pathlib import Path

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.files.files_read import remembered, report_read

NAMES = {
    "heights": ("height", "heights", "altitude", "alt", "h", "z"),
    "density": ("density", "rho"),
    "temperature": ("temperature", "temp", "t"),
    "pressure": ("pressure", "p"),
    "sound_speed": ("sound_speed", "speed_of_sound", "a"),
    "wind_east": ("wind_east", "ewind", "east_wind", "eastward_wind"),
    "wind_north": ("wind_north", "nwind", "north_wind", "northward_wind"),
}
"""What a column may be called, in small letters, with underscores for blanks."""
UNITS = {
    "heights": {"m": 1.0, "km": 1e3, "ft": 0.3048},
    "density": {"kgm3": 1.0, "gcm3": 1e3},
    "temperature": {"k": 1.0, "kelvin": 1.0},
    "pressure": {"pa": 1.0, "nm2": 1.0, "hpa": 100.0, "mbar": 100.0, "kpa": 1e3},
    "sound_speed": {"ms": 1.0, "kms": 1e3},
    "wind_east": {"ms": 1.0},
    "wind_north": {"ms": 1.0},
}
"""Factors to SI, by the letters and digits of a unit: kg/m^3, kg m-3 and kg_m3 are the same."""
OVER_AREOID = "hgtmola"
MARS_GRAM = {
    OVER_AREOID: ("heights", 1e3),
    "denkgm3": ("density", 1.0),
    "temp": ("temperature", 1.0),
    "ewind": ("wind_east", 1.0),
    "nwind": ("wind_north", 1.0),
}
SHOWN_UNITS = {
    "kgm3": "kg/m3",
    "gcm3": "g/cm3",
    "k": "K",
    "pa": "Pa",
    "nm2": "N/m2",
    "hpa": "hPa",
    "kpa": "kPa",
    "ms": "m/s",
    "kms": "km/s",
}
"""Units as people write them, where that is not by small letters and digits alone."""


def _shown(unit: str) -> str:
    return SHOWN_UNITS.get(unit, unit)


def _example(column: str) -> str:
    """A title that is read."""
    return f"{NAMES[column][0]} [{_shown(next(iter(UNITS[column])))}]"


@remembered(maxsize=8)
def read_air_file(file: str, where: str = "atmosphere.file") -> dict[str, np.ndarray]:
    """Columns in SI by their name in `AirColumns`, as the file has them."""
    header, units, rows = _parts(file, where)
    places = _places(f"{where} {file}", header, units)
    return {name: _numbers(f"{where} {file}", rows, i, header[i], factor) for name, (i, factor) in places.items()}


def unread_columns(file: str) -> list[str]:
    """Titles of columns that are passed over though their unit is one that air has, such as a wind's m/s."""
    where = "atmosphere.file"
    header, units, _ = _parts(file, where)
    read = [i for i, _ in _places(f"{where} {file}", header, units).values()]
    of_air = {unit for column in UNITS.values() for unit in column}
    given = [_name_and_unit(title, unit)[1] for title, unit in zip_longest(header, units[: len(header)], fillvalue="")]
    return [title for i, title in enumerate(header) if i not in read and _letters(given[i]) in of_air]


def unread_notes(file: str) -> list[str]:
    """A sentence that names them, where there are some."""
    titles = ", ".join(map(repr, unread_columns(file)))
    names = ", ".join(names[0] for names in NAMES.values())
    return [f"atmosphere.file {file}: not read: {titles}; the columns that are read are called {names}"] * bool(titles)


def height_notes(file: str) -> list[str]:
    """A sentence where the heights count from the areoid."""
    header, _, _ = _parts(file, "atmosphere.file")
    title = next((title for title in header if title.lower() == OVER_AREOID), None)
    return [
        f"atmosphere.file {file}: {title} counts from the areoid, and is taken as a height over the ellipsoid, "
        "hundreds of metres away; give the heights of site, ground and start likewise"
    ] * (title is not None)


def _parts(file: str, where: str) -> tuple[list[str], list[str], list[tuple[int, str]]]:
    """Titles of the columns, the units of a line of their own, and the rows with the numbers of their lines."""
    report_read(file)
    try:
        lines = Path(file).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise InputError(where, f"{file} cannot be read ({error})", "a text file with named columns") from None
    numbered = [(i, line.strip()) for i, line in enumerate(lines, start=1) if line.strip()]
    if not numbered:
        raise InputError(where, f"{file} is empty", "a line of names, then numbers")
    header = _cells(numbered[0][1].lstrip("# "), is_header=True)
    rows = numbered[1:]
    units: list[str] = []
    if rows and all(cell.startswith("[") for cell in _cells(rows[0][1], is_header=True)):
        units, rows = [cell.strip("[] ") for cell in _cells(rows[0][1], is_header=True)], rows[1:]
    return header, units, rows


def _cells(line: str, is_header: bool = False) -> list[str]:
    """The cells of a line; names hold commas and blanks where tabs stand between them."""
    if "\t" in line:
        return [cell.strip() for cell in line.split("\t") if cell.strip() or (not is_header and "," in line)]
    mark = next((mark for mark in ";," if mark in line), None)
    return [cell.strip() for cell in line.split(mark)]


def _places(where: str, header: list[str], units: list[str]) -> dict[str, tuple[int, float]]:
    """Index and factor to SI of every column that is known."""
    is_gram = OVER_AREOID in map(str.lower, header)
    found: dict[str, tuple[int, float]] = {}
    for i, title in enumerate(header):
        if is_gram:
            known = MARS_GRAM.get(title.lower())
        else:
            known = _known(where, title, units[i] if i < len(units) else "")
        if known is None:
            continue
        if known[0] in found:
            raise InputError(where, f"two columns hold {known[0]}: {header[found[known[0]][0]]!r} and {title!r}", "one")
        found[known[0]] = (i, known[1])
    for needed in ("heights", "density"):
        if needed not in found:
            raise InputError(
                where, f"has no column of {needed}; its columns are {', '.join(header)[:200]}",
                f"one called {NAMES[needed][0]} with its unit, as in '{_example(needed)}'",
            )  # fmt: skip
    return found


def _known(where: str, title: str, unit: str) -> tuple[str, float] | None:
    """Which column a title names, and its factor to SI; None for others."""
    name, given = _name_and_unit(title, unit)
    for column, names in NAMES.items():
        for known in names:
            if name == known or (not given and name.startswith(f"{known}_")):
                return column, _factor(where, title, column, given or name[len(known) + 1 :])
    return None


def _name_and_unit(title: str, unit: str) -> tuple[str, str]:
    """A title's name, in small letters with underscores for blanks, and the unit that it has, or else this one."""
    match = re.fullmatch(r"\s*([^\[\](),]+?)\s*(?:[\[(,]\s*([^\])]*?)\s*[\])]?)?\s*", title)
    return (re.sub(r"\s+", "_", match[1].lower()), match[2] or unit) if match else ("", "")


def _letters(unit: str) -> str:
    return re.sub(r"[^a-z0-9]", "", unit.lower())


def _factor(where: str, title: str, column: str, unit: str) -> float:
    letters = _letters(unit)
    if letters not in UNITS[column]:
        raise InputError(
            where, f"column {title!r} has {f'the unit {unit!r}' if unit else 'no unit'}",
            f"one of {', '.join(map(_shown, UNITS[column]))}",
            f"write it into the header, as in '{_example(column)}'",
        )  # fmt: skip
    return UNITS[column][letters]


def _numbers(where: str, rows: list[tuple[int, str]], i: int, title: str, factor: float) -> np.ndarray:
    out = []
    for line, text in rows:
        if text.startswith("#"):
            continue
        cells = _cells(text)
        try:
            out.append(float(cells[i]) * factor)
        except (IndexError, ValueError):
            said = f"{cells[i]!r}" if i < len(cells) and cells[i] else "nothing"
            raise InputError(
                f"{where}, line {line}", f"has {said} in column {title!r}", "a number in every cell: no gaps",
                "take the line out, or fill it in",
            ) from None  # fmt: skip
    return np.array(out)
