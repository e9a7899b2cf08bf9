"""Files of aerodynamic coefficients: CSV with named columns, one row for each combination of Mach number and angles."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planetfall.errors import InputError
from planetfall.scenario.files.files_read import remembered, report_read

SYMMETRIC = ("CA", "CN", "Cm")
SIDED = ("CX", "CY", "CZ", "Cl", "Cm", "Cn")
WHERE = "vehicle.aerodynamics.file"


@dataclass(frozen=True)
class CoefficientFile:
    """Coefficients on a full grid.

    Attributes:
        mach: Mach numbers, rising.
        alpha: Angles of attack [rad], rising; total ones of a body of revolution.
        beta: Angles of sideslip [rad], rising; None of a body of revolution.
        entries: [coefficient, mach, alpha] or [coefficient, mach, alpha, beta].
    """

    mach: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray | None
    entries: np.ndarray


@remembered(maxsize=8)
def read_coefficients(file: str) -> CoefficientFile:
    """Reads and checks a file.

    Raises:
        InputError: It is no such table, or has gaps.
    """
    report_read(file)
    columns = _columns(file)
    is_sided = "beta_deg" in columns
    keys = ["mach", "alpha_deg", *(["beta_deg"] if is_sided else [])]
    names = SIDED if is_sided else SYMMETRIC
    for name in (*keys, *names):
        if name not in columns:
            expected = ", ".join((*keys, *names))
            raise InputError(WHERE, f"{file} has no column {name}; it has {', '.join(columns)}", expected)
    axes = [np.unique(columns[key]) for key in keys]
    places = [np.searchsorted(axis, columns[key]) for axis, key in zip(axes, keys, strict=True)]
    entries = np.full((len(names), *map(len, axes)), np.nan)
    for i, name in enumerate(names):
        entries[(i, *places)] = columns[name]
    _check(file, keys, axes, entries, len(columns["mach"]))
    mach, alpha, beta = axes[0], np.radians(axes[1]), np.radians(axes[2]) if is_sided else None
    return CoefficientFile(mach, alpha, beta, entries)


def _columns(file: str) -> dict[str, np.ndarray]:
    """Numbers of each column by its name."""
    try:
        with Path(file).open(newline="", encoding="utf-8-sig") as opened:
            rows = [(i, row) for i, row in enumerate(csv.reader(opened), start=1) if any(cell.strip() for cell in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(WHERE, f"{file} cannot be read ({error})", "a CSV file with named columns") from None
    if len(rows) < 2:
        raise InputError(WHERE, f"{file} has no numbers", "a line of names, then a row for each Mach number and angle")
    names = [cell.strip() for cell in rows[0][1]]
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise InputError(WHERE, f"{file} has {names.count(twice[0])} columns {twice[0]}", "each column once")
    values = np.empty((len(rows) - 1, len(names)))
    for k, (line, row) in enumerate(rows[1:]):
        try:
            numbers = [float(cell) for cell in row]
        except ValueError:
            numbers = []
        if len(numbers) != len(names):
            said = f"{file}, line {line}: {','.join(row)} is not {len(names)} numbers"
            raise InputError(WHERE, said, f"one number for each of {', '.join(names)}")
        values[k] = numbers
    return dict(zip(names, values.T, strict=True))


def _check(file: str, keys: list[str], axes: list[np.ndarray], entries: np.ndarray, n_rows: int) -> None:
    """Refuses gaps, rows that are given twice, and what no vehicle can have."""
    gaps = np.argwhere(np.isnan(entries[0]))
    if gaps.size:
        missing = ", ".join(f"{key} = {axis[i]:g}" for key, axis, i in zip(keys, axes, gaps[0], strict=True))
        raise InputError(
            WHERE, f"{file} has no row for {missing} ({len(gaps)} such gaps)",
            "every Mach number with the same angles", "add the rows, or leave out the Mach number or the angle",
        )  # fmt: skip
    if n_rows > entries[0].size:
        raise InputError(WHERE, f"{file} has {n_rows} rows for {entries[0].size} places: some are given twice")
    if not np.all(np.isfinite(entries)):
        raise InputError(WHERE, f"{file} has coefficients that are not finite numbers")
    if axes[0][0] < 0:
        raise InputError(WHERE, f"{file} has the Mach number {axes[0][0]:g}", "Mach numbers of 0 or more")
    if len(keys) == 2:
        if axes[1][0] != 0 or axes[1][-1] > 180:
            said = f"{file}: alpha_deg goes from {axes[1][0]:g} to {axes[1][-1]:g}"
            raise InputError(WHERE, said, "total angles of attack from 0 to at most 180 deg")
        if np.any(entries[1:, :, 0] != 0.0):
            raise InputError(
                WHERE, f"{file}: CN or Cm is not 0 at alpha_deg = 0", "0, since this is a body of revolution"
            )
