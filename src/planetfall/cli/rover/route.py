"""`planetfall rover route`."""

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from planetfall.cli.landing.run import free_folder
from planetfall.cli.output.result_folder import check_result_folder, fill_result_folder
from planetfall.cli.rover.pose import numbers_of
from planetfall.cli.terminal.console import print_note, progress_bar
from planetfall.cli.terminal.inputs import drive_with_sets
from planetfall.errors import InputError
from planetfall.record.files.plain_json import plain_json
from planetfall.rover.drive.prepare import PreparedDrive, prepare
from planetfall.rover.traversability.route import Route, find_route, score_for_routes
from planetfall.rover.traversability.traverse import MapScores
from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.files.changed_keys import changes_text, full_title, title_of
from planetfall.scenario.files.write import scenario_toml
from planetfall.world.terrain.surface_axes import axes_of

ENDINGS = (".toml", ".csv", ".json", ".png", ".svg")


@dataclass(frozen=True)
class RouteRequest:
    """The options of the verb: from where to where, by what, and on how many nodes of the map."""

    start: str | None
    end: str | None
    by: str
    every: int | None


def route_scenario(
    name: str,
    sets: list[str],
    asked: RouteRequest,
    out: Path | None,
    device: str,
    force: bool,
    figures: bool,
    as_json: bool,
) -> None:
    """Searches, saves, draws, and prints the route."""
    scenario = drive_with_sets(name, sets)
    folder = (out or free_folder(Path("runs"), f"{scenario.name}-route")).expanduser()
    check_result_folder(folder, force, "route", ENDINGS)
    start, end = _ends(scenario, asked)
    ready = prepare(scenario, device)
    for note in ready.notes:
        print_note(note)
    with progress_bar(scenario.name) as progress:
        found, route = _search(scenario, ready, asked, start, end, progress)
        values = _values(scenario, ready, asked, route, found)
        changed = _drive_of(scenario, route, asked.by)
        drawn = (ready, route, found, f"{title_of(scenario)}: route by {asked.by}") if figures else None
        place, note = folder.absolute(), changes_text(scenario)
        written = fill_result_folder(folder, force, lambda part: _write(part, place, changed, values, drawn, note))
    if as_json:
        print(json.dumps({**values, "files": list(map(str, written))}, indent=2))
        return
    _print(values, full_title(scenario))
    print(f"\nPath     {folder / 'route.csv'}, {folder / 'route.json'}")
    print(
        f"Drive    {folder / 'route.toml'} (drive it: planetfall rover drive {shlex.quote(str(folder / 'route.toml'))})"
    )
    for path in written:
        if path.suffix == ".png":
            print(f"Figure   {path}")


def _ends(scenario: DriveScenario, asked: RouteRequest) -> tuple[np.ndarray, np.ndarray]:
    """Where the route begins and ends [m]: the path's own ends where nothing else is asked for."""
    given = scenario.path.waypoints
    start = np.array(given[0]) if asked.start is None else numbers_of("--from", asked.start, (2,))
    end = np.array(given[-1]) if asked.end is None else numbers_of("--to", asked.end, (2,))
    if np.array_equal(start, end):
        raise InputError("--to", f"({end[0]:g}, {end[1]:g}) m is where the route begins", "another place")
    return start, end


def _search(
    scenario: DriveScenario,
    ready: PreparedDrive,
    asked: RouteRequest,
    start: np.ndarray,
    end: np.ndarray,
    progress: Any,
) -> tuple[MapScores, Route]:
    stretch, goal = ready.stretches[0], scenario.drive.goal
    on_map = "least effort" if goal == "least effort" else "least slip"
    every = asked.every or _every(ready)
    found = score_for_routes(ready.surface, stretch, ready.gravity, every, on_map, None, progress)
    path = scenario.path
    radius = path.corner_radius or ready.rover.length
    return found, find_route(
        ready.surface, stretch, ready.gravity, found, start, end, asked.by, path.step, radius, goal
    )


def _every(ready: PreparedDrive) -> int:
    """Nodes about a wheel's diameter apart, or all of the map's where these are further."""
    if ready.surface.model.name != "dem":
        return 1  # refused by the search, which says why
    params = ready.surface.params
    spacing = max(float(params.spacing_x), float(params.spacing_y))
    most = min(params.heights.shape) // 2
    return max(1, min(round(2 * ready.rover.table.wheels.radius / spacing), most))


def _drive_of(scenario: DriveScenario, route: Route, by: str) -> DriveScenario:
    """The scenario with the route for its path."""
    title = full_title(scenario) or scenario.name
    return scenario.with_values(
        {
            "scenario.name": f"{scenario.name}-route",
            "scenario.title": f"{title}: route by {by}",
            "path.waypoints": [[float(x), float(y)] for x, y in route.waypoints],
            "path.corner_radius": route.corner_radius,
            "changes": [],
        }
    )


def _values(
    scenario: DriveScenario, ready: PreparedDrive, asked: RouteRequest, route: Route, found: MapScores
) -> dict[str, Any]:
    return plain_json(
        {
            "scenario": scenario.name,
            "rover": ready.rover.table.name,
            "by": asked.by,
            "searched_by": route.searched_by,
            "routes_driven": route.tries,
            "corners_left_out": route.left_out,
            "nodes": [len(found.y), len(found.x)],
            "node_spacing_m": [found.x[1] - found.x[0], found.y[1] - found.y[0]],
            "waypoints_m": route.waypoints,
            "corner_radius_m": route.corner_radius,
            "length_m": route.run.path.distance[-1],
            "time_s": route.time,
            "positive_work_J": route.energy,
            "rise_J": route.run.rise_work[-1],
            "least_margin": route.margin,
            "least_margins": route.margins,
            "speed_m_s": ready.rover.table.speed,
        }
    )


def _write(
    folder: Path, place: Path, drive: DriveScenario, values: dict[str, Any],
    drawn: tuple[PreparedDrive, Route, MapScores, str] | None, note: str,
) -> list[Path]:  # fmt: skip
    """Writes a folder that will be at another place."""
    toml, csv, summary = (folder / f"route.{ending}" for ending in ("toml", "csv", "json"))
    toml.write_bytes(scenario_toml(drive, place))
    rows = [f"{x!r},{y!r}" for x, y in values["waypoints_m"]]
    head = "east_m,north_m" if axes_of(drive.terrain).names[0] == "east" else "x_m,y_m"
    csv.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    summary.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    written = [toml, csv, summary]
    if drawn is not None:
        from planetfall.report.rover.plan_view import draw_route
        from planetfall.report.style import below_figures

        with below_figures(note):
            ready, route, found, title = drawn
            written.append(draw_route(ready, route, found, folder, title))
    return written


def _chosen(values: dict[str, Any]) -> str:
    """Why this route: the searches by all goals find one each, and these are compared as driven, straightened too."""
    best = {"energy": "needs the least energy", "time": "takes the least time", "margin": "keeps the largest margin"}
    n = values["corners_left_out"]
    straight = f"{n} of its corners left out" if n else "with all its corners"
    return (
        f"that of the search by {values['searched_by']}, {straight}: of the routes driven here (found by energy, time "
        f"and margin, and straightened) it {best[values['by']]}; another --every may find a better one"
    )


def _driven(values: dict[str, Any]) -> str:
    """How many routes that search took."""
    failed = values["routes_driven"] - 1
    if not failed:
        return "1 in that search: it could be driven to its end"
    return f"{failed + 1} in that search: {failed} could not be driven to the end, the next one could"


def _margins(values: dict[str, Any]) -> str:
    """The margins that there are."""
    found = values["least_margins"]
    return (
        f"stability {found['stability']:.4g}, grip {found['grip']:.4g} (lateral force included) and "
        f"torque {found['torque']:.4g}"
    )


def _print(values: dict[str, Any], title: str) -> None:
    print(f"{title or values['scenario']}: route by {values['by']}")
    (x0, y0), (x1, y1) = values["waypoints_m"][0], values["waypoints_m"][-1]
    (rows, columns), apart = values["nodes"], f"{values['node_spacing_m'][0]:.4g} m apart"
    lines = {
        "From, to": f"({x0:g}, {y0:g}), ({x1:g}, {y1:g}) m",
        "Searched on": f"{rows} x {columns} nodes {apart}, 8 headings",
        "Chosen": _chosen(values),
        "Routes driven": _driven(values),
        "Length": f"{values['length_m']:.6g} m, {len(values['waypoints_m'])} waypoints",
        "Time": f"{values['time_s']:.6g} s, at {values['speed_m_s']:g} m/s horizontal (rover.speed)",
        "Work of driving motors": f"{values['positive_work_J']:.6g} J, without regeneration",
        "Weight times rise": f"{values['rise_J']:.6g} J",
        "Least margin": f"{values['least_margin']:.4g}, the least of {_margins(values)}",
    }
    for label, text in lines.items():
        print(f"  {label:<24} {text}")
