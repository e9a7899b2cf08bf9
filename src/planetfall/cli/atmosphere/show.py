"""What `planetfall atmosphere show` and `planetfall atmosphere plot` do."""

import difflib
import json
from pathlib import Path
from typing import Any

import numpy as np

from planetfall.cli.output.out_file import check_out_file, write_whole
from planetfall.cli.terminal.console import print_note
from planetfall.cli.terminal.inputs import parse_set, scenario_with_sets
from planetfall.errors import InputError
from planetfall.scenario import library_names, load
from planetfall.scenario.files.paths import is_path
from planetfall.scenario.tables.world.atmosphere import (
    Atmosphere,
    AtmosphereExponential,
    AtmosphereNone,
    AtmosphereTable,
)
from planetfall.world.atmosphere.columns import columns_of
from planetfall.world.atmosphere.from_scenario import air_at
from planetfall.world.atmosphere.table_file import height_notes, unread_notes

BUILT_IN = ("us1976", "mars")
"""Models that need no numbers."""
TABLES = (".csv", ".dat", ".txt", ".tsv")
CARRIER = "free-top"
"""A built-in scenario without air, which a model or table is put into so that its keys are checked as any."""
COLUMNS = (
    ("density", "kg/m^3", "density_kg_m3"),
    ("pressure", "Pa", "pressure_Pa"),
    ("temperature", "K", "temperature_K"),
    ("sound_speed", "m/s", "sound_speed_m_s"),
    ("wind_east", "m/s", "wind_east_m_s"),
    ("wind_north", "m/s", "wind_north_m_s"),
)


def show_air(name: str, heights: str | None, sets: list[str], as_json: bool) -> None:
    """Prints air at heights."""
    table = air_of(name, sets)
    at = default_heights(table, 21) if heights is None else _numbers(heights)
    air = air_at(table, at)
    if as_json:
        rows = [
            {"height_m": float(h), **{key: _plain(row[member]) for member, _, key in COLUMNS}}
            for h, row in zip(at, air, strict=True)
        ]
        print(json.dumps({"model": table.model, "rows": rows}, indent=2, allow_nan=False))
        return
    print(f"{'height':>10}" + "".join(f"{member.replace('_', ' '):>14}" for member, _, _ in COLUMNS))
    print(f"{'m':>10}" + "".join(f"{unit:>14}" for _, unit, _ in COLUMNS))
    for h, row in zip(at, air, strict=True):
        print(f"{h:>10.6g}" + "".join(f"{_text(row[member]):>14}" for member, _, _ in COLUMNS))


def plot_air(name: str, sets: list[str], out: Path | None, force: bool) -> None:
    """Draws air over height into a PNG file, which is written whole or not at all."""
    from planetfall.report.air.profile_figure import profile_figure

    table = air_of(name, sets)
    out = Path(f"{Path(name).stem}-air.png") if out is None else out.expanduser()
    check_out_file(out, ".png", force)
    heights = default_heights(table, 400)
    write_whole(out, profile_figure(Path(name).stem, heights, air_at(table, heights)))
    print(f"Figure   {out}")


def air_of(name: str, sets: list[str]) -> Atmosphere:
    """The `[atmosphere]` of a built-in model, of a table file or of a scenario, with keys changed.

    Notes which columns of the file are not read, and heights that count from the areoid.
    """
    found = _air_of(name, sets)
    if isinstance(found, AtmosphereTable) and found.file is not None:
        for sentence in (*unread_notes(str(found.file)), *height_notes(str(found.file))):
            print_note(sentence)
    return found


def _air_of(name: str, sets: list[str]) -> Atmosphere:
    if name in BUILT_IN:
        given: dict[str, Any] = {"model": name}
    elif Path(name).suffix.lower() in TABLES:
        given = {"model": "table", "file": name}
    else:
        return _air_of_scenario(name, sets)
    changes = dict(map(parse_set, sets))
    others = [key for key in changes if not key.startswith("atmosphere.")]
    if others:
        raise InputError(f"--set {others[0]}", "is not a key of the air", "keys that begin with atmosphere.")
    own = {key.removeprefix("atmosphere."): value for key, value in changes.items() if key.count(".") == 1}
    deeper = {key: value for key, value in changes.items() if key.count(".") > 1}
    return load(CARRIER, {"atmosphere": {**given, **own}, **deeper}, f"the air of {name}").atmosphere


def _air_of_scenario(name: str, sets: list[str]) -> Atmosphere:
    """The `[atmosphere]` of a scenario; who names neither a scenario nor a model meant a model."""
    allowed = f"{', '.join(BUILT_IN)}, a table ({', '.join(TABLES)}), or a scenario with [atmosphere]"
    known = [*BUILT_IN, *library_names()]
    if name not in known and not is_path(name):
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise InputError(
            f"air {name!r}", f"there is no such model of air and no such scenario{meant}",
            allowed, "for another planet give a table, or --set atmosphere.model=exponential over a scenario",
        )  # fmt: skip
    found = scenario_with_sets(name, sets).atmosphere
    if isinstance(found, AtmosphereNone):
        raise InputError(f"{name}: atmosphere.model", "is 'none': this scenario has no air", allowed)
    return found


def default_heights(table: Atmosphere, n: int) -> np.ndarray:
    """Heights [n] [m] over the range in which a model is meant to be used."""
    if isinstance(table, AtmosphereTable):
        ends = columns_of(table).heights[[0, -1]]
        return np.linspace(ends[0], ends[1], n)
    if isinstance(table, AtmosphereExponential):
        return np.linspace(table.reference_height, table.reference_height + 12.0 * table.scale_height, n)
    low, high = {"us1976": (0.0, 86e3), "mars": (-8e3, 125e3)}[table.model]
    return np.linspace(low, high, n) if n > 100 else np.arange(low, high + 1.0, (high - low) / (n - 1))


def _numbers(text: str) -> np.ndarray:
    try:
        return np.array([float(part) for part in text.split(",")])
    except ValueError:
        raise InputError(
            f"--heights {text}", "is not a list of numbers", advice="for example --heights 0,10000,125000"
        ) from None


def _plain(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _text(value: float) -> str:
    return f"{value:.5g}" if np.isfinite(value) else "no air here"
