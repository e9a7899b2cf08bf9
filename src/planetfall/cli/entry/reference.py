"""What `planetfall entry reference` does."""

import json
from pathlib import Path

import numpy as np

from planetfall.cli.output.out_file import check_out_file, write_whole
from planetfall.cli.terminal.inputs import scenario_with_sets
from planetfall.flight.entry.reference import EntryReference, entry_reference

COLUMNS = (
    ("time", "time", "s", "time_s"),
    ("speed", "speed", "m/s", "speed_m_s"),
    ("height", "height", "m", "height_m"),
    ("range_to_go", "to go", "m", "range_to_go_m"),
    ("drag", "drag", "m/s^2", "drag_m_s2"),
    ("height_rate", "climb", "m/s", "height_rate_m_s"),
    ("lift_ratio", "u", "-", "lift_ratio"),
    ("of_drag", "F1", "s^2", "F1_s2"),
    ("of_height_rate", "F2", "s", "F2_s"),
    ("of_lift", "F3", "m", "F3_m"),
)
"""Member of the reference, heading, unit, and name in files."""
N_PRINTED = 20


def show_reference(name: str, sets: list[str], csv: Path | None, out: Path | None, force: bool, as_json: bool) -> None:
    """Prints the reference of a scenario, and writes its figure and its table, each whole or not at all."""
    scenario = scenario_with_sets(name, sets)
    out = Path(f"{Path(name).stem}-reference.png") if out is None else out.expanduser()
    if not as_json:
        check_out_file(out, ".png", force)
    if csv is not None:
        csv = csv.expanduser()
        check_out_file(csv, ".csv", force)
    found = entry_reference(scenario)
    if csv is not None:
        write_whole(csv, _csv(found))
    if as_json:
        rows = {key: getattr(found, member).tolist() for member, _, _, key in COLUMNS}
        head = {"bank_deg": float(np.degrees(found.bank)), "range_m": found.start_range}
        print(json.dumps({**head, "rows": rows}, indent=2, allow_nan=False))
        return
    _print(found)
    from planetfall.report.entry.reference_figure import reference_figure

    write_whole(out, reference_figure(Path(name).stem, found))
    if csv is not None:
        print(f"Table    {csv}")
    print(f"Figure   {out}")


def _print(found: EntryReference) -> None:
    print(f"Bank angle of the reference  {np.degrees(found.bank):.2f} deg")
    print(f"Range from the start         {found.start_range / 1e3:.1f} km to {found.speed[0]:g} m/s")
    print("u is (L/D) cos(bank); F1, F2, F3 are range per drag, per climb, per u.\n")
    print("".join(f"{heading:>12}" for _, heading, _, _ in COLUMNS))
    print("".join(f"{unit:>12}" for _, _, unit, _ in COLUMNS))
    for i in np.unique(np.linspace(len(found.speed) - 1, 0, N_PRINTED).round().astype(int))[::-1]:
        print("".join(f"{getattr(found, member)[i]:>12.5g}" for member, _, _, _ in COLUMNS))
    print()


def _csv(found: EntryReference) -> bytes:
    """Every point, from the start of the reference to its end."""
    lines = [",".join(key for _, _, _, key in COLUMNS)]
    for i in range(len(found.speed) - 1, -1, -1):
        lines.append(",".join(repr(float(getattr(found, member)[i])) for member, _, _, _ in COLUMNS))
    return ("\n".join(lines) + "\n").encode()
