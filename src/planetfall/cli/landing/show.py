"""`planetfall list` and `planetfall show`."""

import json
from dataclasses import asdict

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from planetfall.cli.terminal.console import print_note, progress_bar
from planetfall.cli.terminal.inputs import drive_with_sets, is_drive, scenario_with_sets
from planetfall.errors import InputError
from planetfall.record.labels import trim_text
from planetfall.scenario import Scenario, library_names, load
from planetfall.scenario.drive import load_drive
from planetfall.scenario.files.changed_keys import full_title
from planetfall.scenario.files.library_parts import LibraryPart, parts_named
from planetfall.scenario.files.paths import is_path
from planetfall.scenario.files.rows import Row, scenario_rows

GAPS = ("error_gap_mean_m", "error_gap_rms_m", "error_gap_max_m")
VALUE_WIDTH = 24
"""Characters that values are given in a pipe; longer ones push their meaning to the right."""
WIDE = 70
"""Characters beside the longest key from which on value, unit and meaning stand in columns."""
SLOPES = ("slope_bound", "noise_slope_deviation", "noise_slope_bound")


def list_library(as_json: bool) -> None:
    """Prints what is built in."""
    scenarios = {name: load(name).scenario.title for name in library_names()}
    drives = {name: load_drive(name).scenario.title for name in library_names("drives")}
    kinds = ("vehicles", "bodies", "terrains", "rovers")
    vehicles, bodies, terrains, rovers = (library_names(kind) for kind in kinds)
    if as_json:
        found = {"scenarios": scenarios, "vehicles": vehicles, "bodies": bodies, "terrains": terrains}
        print(json.dumps({**found, "drives": drives, "rovers": rovers}, indent=2))
        return
    width = max(map(len, [*scenarios, *drives]))
    print("Scenarios (planetfall run NAME):")
    for name, title in scenarios.items():
        print(f"  {name:<{width}}  {title}")
    print("Drives of rovers (planetfall rover drive NAME):")
    for name, title in drives.items():
        print(f"  {name:<{width}}  {title}")
    print("Vehicles (vehicle.name):", ", ".join(vehicles))
    print("Bodies (target.name):", ", ".join(bodies))
    print("Terrains (terrain.name, with terrain.model = procedural):", ", ".join(terrains))
    print("Rovers (rover.name):", ", ".join(rovers))


def show(name: str, sets: list[str], as_json: bool) -> None:
    """Prints a scenario, or what is built in under a name: a body, a vehicle, a terrain, a rover."""
    parts = [] if is_path(name) or name in (*library_names(), *library_names("drives")) else parts_named(name)
    if parts:
        show_parts(name, parts, sets, as_json)
    else:
        show_scenario(name, sets, as_json)


def show_parts(name: str, parts: list[LibraryPart], sets: list[str], as_json: bool) -> None:
    """Prints what a scenario gets from a built-in name, with units, meanings and sources."""
    if sets:
        raise InputError(
            "--set", f"{name} is a built-in {parts[0].word}, and no scenario",
            advice=f"change it in a scenario that names it: {parts[0].path}.name = {name}",
        )  # fmt: skip
    if as_json:
        print(json.dumps({part.path: part.values for part in parts}, indent=2))
        return
    console = Console(highlight=False, markup=False)
    for part in parts:
        title = f'{name}: a built-in {part.word}; in a scenario, {part.path}.name = "{name}" brings it along'
        console.print(title, style="bold", soft_wrap=True)
        print_rows(console, part.rows)


def show_scenario(name: str, sets: list[str], as_json: bool) -> None:
    """Prints every key of a scenario, and what the contact law and the integrator make of them."""
    scenario = drive_with_sets(name, sets) if is_drive(name) else scenario_with_sets(name, sets)
    with progress_bar(scenario.name):
        follows = derived(scenario) if isinstance(scenario, Scenario) else {}
        start = start_of(scenario) if isinstance(scenario, Scenario) else {}
        trim = trim_of(scenario) if isinstance(scenario, Scenario) else {}
    if as_json:
        found = {"derived": follows, **({"start": start} if start else {}), **({"trim": trim} if trim else {})}
        print(json.dumps({**scenario.to_dict(), **found}, indent=2))
        return
    console = Console(highlight=False, markup=False)
    console.print(f"{scenario.name}: {full_title(scenario)}", style="bold", soft_wrap=True)
    print_rows(console, list(scenario_rows(scenario)))
    if follows:
        console.print("derived", style="bold")
    for key, value in follows.items():
        print(f"  {key} = {value:.9g}")
    if start:
        console.print("start in every convention", style="bold")
        print_start(start)
    if trim:
        console.print("trim at the start", style="bold")
        print(f"  {trim_text(trim)}")


def print_rows(console: Console, rows: list[Row]) -> None:
    """The keys of a scenario: in a wide terminal as a table, in a narrow one with the meaning below each key.

    A pipe or a file has one line for each key, whatever its length: it is searched, cut and folded by other programs.
    """
    longest = max(len(row.key) for row in rows)
    if not console.is_terminal:
        for key, value, unit, meaning in rows:
            print(f"{key:<{longest}}  {f'{value} {unit}'.rstrip():<{VALUE_WIDTH}}  {meaning}".rstrip())
    elif console.width < longest + WIDE:
        for key, value, unit, meaning in rows:
            console.print(Text(f"{key} = {value} {unit}".rstrip()))
            console.print(Padding(Text(meaning, style="dim"), (0, 0, 0, 4)))
    else:
        table = RichTable(box=None, pad_edge=False, header_style="bold")
        table.add_column("key", no_wrap=True)
        for column in ("value", "unit", "meaning"):
            table.add_column(column, overflow="fold")
        for row in rows:
            table.add_row(*map(Text, row))
        console.print(table)


START_ROWS = (
    ("height over the ellipsoid", "height_over_ellipsoid_m", "m"),
    ("height over the sphere of target.radius", "height_over_sphere_m", "m"),
    ("height over the ground below", "height_over_ground_m", "m"),
    ("distance from the centre (radius)", "radius_m", "m"),
    ("latitude, geodetic", "latitude_geodetic_deg", "deg"),
    ("latitude, planetocentric", "latitude_planetocentric_deg", "deg"),
    ("longitude, east", "longitude_deg", "deg"),
    ("speed relative to the turning planet", "speed_relative_m_s", "m/s"),
    ("  flight path, planetocentric horizon", "flight_path_relative_deg", "deg"),
    ("  azimuth from north", "azimuth_relative_deg", "deg"),
    ("  flight path, geodetic horizon", "flight_path_geodetic_deg", "deg"),
    ("  azimuth from north, geodetic", "azimuth_geodetic_deg", "deg"),
    ("speed, inertial", "speed_inertial_m_s", "m/s"),
    ("  flight path, planetocentric horizon", "flight_path_inertial_deg", "deg"),
    ("  azimuth from north", "azimuth_inertial_deg", "deg"),
    ("distance to the site along the ground", "distance_to_site_m", "m"),
)
"""What is printed of a start over a planet."""


def start_of(scenario: Scenario) -> dict[str, float | None]:
    """The start over a planet in every convention, and notes of what looks mixed up in it; empty without a planet."""
    from planetfall.analysis.run.start_conventions import conventions_over
    from planetfall.engine.checks.flight_start import (
        check_air,
        check_descent,
        check_turn,
        flight_notes,
        map_notes,
        switch_notes,
    )
    from planetfall.engine.initial_state import body_states
    from planetfall.world.terrain.ground import make_surface

    if scenario.target.R_SP is None or scenario.target.radius == 0.0 or scenario.target.shape is not None:
        return {}
    surface = make_surface(scenario, "cpu")
    check_turn(scenario, surface)
    state = body_states(scenario, surface)[0]
    for sentence in (*flight_notes(scenario, state), *map_notes(scenario, surface, state[:3]), *switch_notes(scenario)):
        print_note(sentence)
    check_air(scenario, state[None])
    check_descent(scenario, state[None])
    found = conventions_over(scenario, surface)
    return {} if found is None else asdict(found)


def trim_of(scenario: Scenario) -> dict[str, float | None]:
    """At which angle of attack the vehicle enters, and its lift-to-drag ratio there; empty where it holds none."""
    from planetfall.analysis.run.trim_at_start import trim_at_start
    from planetfall.engine.initial_state import body_states
    from planetfall.world.terrain.ground import make_surface

    if scenario.entering_body is None:
        return {}
    return trim_at_start(scenario, body_states(scenario, make_surface(scenario, "cpu")))


def print_start(start: dict[str, float | None]) -> None:
    """A start in every convention, a line each."""
    for words, key, unit in START_ROWS:
        value = start[key]
        print(f"  {words:<40} {'no ground below' if value is None else f'{value:.9g} {unit}'}")


def derived(scenario: Scenario) -> dict[str, float]:
    """Numbers of the contact law, the longest RK4 step, errors of gravity, slopes; prints notes of ground and start."""
    import numpy as np

    from planetfall.contact.laws import coefficients_of
    from planetfall.engine.checks.contact_step import step_limit
    from planetfall.engine.checks.initial_penetration import start_depth, start_notes
    from planetfall.engine.initial_state import body_states
    from planetfall.world.gravity.field import acceleration_at, gravity_field, weighed_at
    from planetfall.world.terrain.ground import make_surface

    if not scenario.vehicle.points:
        return {}
    surface = make_surface(scenario, "cpu")
    for sentence in surface.facts.get("notes", ()):
        print_note(sentence)
    states = body_states(scenario, surface)
    state = states[0]
    for sentence in start_notes(scenario, states, surface):
        print_note(sentence)
    if found := start_depth(scenario, state, surface):
        print_note(found.sentence)
    gravity = float(np.linalg.norm(acceleration_at(scenario, weighed_at(scenario, state[:3]))))
    field = gravity_field(scenario).facts
    errors = {key: value for key, value in field.items() if key.startswith("error_surface")}
    masses = {"gm_m3_s2": "gravity: GM [m^3/s^2]", "density_kg_m3": "gravity: density, GM over G and volume [kg/m^3]"}
    law = coefficients_of(scenario, gravity)
    return {
        **law.shown(),
        **{f"{name.replace('_', ' ')} [-]": value for name, value in law.frictions.items()},
        "longest RK4 step [s]": float(step_limit(scenario, state, surface).step),
        **{words: float(field[key]) for key, words in masses.items() if key in field},
        **{f"gravity {key.replace('_', ' ')} [-]": error for key, error in errors.items()},
        **{f"ground {key[:-2].replace('_', ' ')} [m]": surface.facts[key] for key in GAPS if key in surface.facts},
        **{f"{bound.replace('_', ' ')} [-]": value for bound, value in surface.facts.items() if bound in SLOPES},
    }
