"""`planetfall run`."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from planetfall.analysis.accuracy.checked import Checked
from planetfall.cli.output.saving import ADVICE, run_kept, save_with_figures
from planetfall.cli.terminal.console import print_note, progress_bar
from planetfall.cli.terminal.inputs import is_drive, scenario_with_sets
from planetfall.engine.state.result import ParameterChange
from planetfall.errors import InputError
from planetfall.outcome import Outcome
from planetfall.record.files.plain_json import json_text
from planetfall.record.files.schema import SUMMARY
from planetfall.record.labels import VERDICTS, limit_text, trim_text, words_and_unit
from planetfall.record.run_folder import check_target, open_run
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.files.changed_keys import full_title
from planetfall.scenario.scenario import Scenario

if TYPE_CHECKING:  # Warp is loaded only when something is run
    from planetfall.engine.launch.run_in_progress import Watcher

FAILED = (Outcome.diverged.name, Outcome.step_refused.name, Outcome.controller_error.name, Outcome.sunk.name)
ROUNDED = 1e-9
"""Of a place's largest component, below which another one is nothing but rounding; assumed."""
MILLIONTH = 1e-6
"""Of the error bound of energy, below which a rise is not worth its digits: they differ from processor to processor."""


@dataclass(frozen=True)
class RunOutput:
    """Where a run's results go, and what of them is made and printed."""

    folder: Path
    force: bool
    figures: bool
    as_json: bool
    check: bool = False


@dataclass(frozen=True)
class LiveOptions:
    """How a run is shown while it goes on: `pace` is a number or `max`."""

    pace: str
    port: int
    browser: bool


def live_options(is_live: bool, pace: str | None, port: int | None, browser: bool) -> LiveOptions | None:
    """What was asked of a live run; None where none was asked for.

    Raises:
        InputError: Something was asked of a live run that is none.
    """
    if is_live:
        return LiveOptions(pace or "1", port or 0, browser)
    for option, value in (("--pace", pace), ("--port", port)):
        if value is not None:
            raise InputError(option, "is only for live runs, and this is not one", advice="add --live")
    return None


def run_scenario(
    name: str, sets: list[str], out: Path | None, device: str, force: bool, figures: bool, as_json: bool,
    changes: Path | None = None, live: LiveOptions | None = None, check: bool = False,
) -> None:  # fmt: skip
    """Runs, saves, draws, and prints the summary; a rover drives."""
    if is_drive(name):
        _check_drive(changes, live)
        from planetfall.cli.rover.drive import drive_scenario

        drive_scenario(name, sets, out, device, force, figures, as_json, check)
        return
    scenario = scenario_with_sets(name, sets)
    target = RunOutput(out or free_folder(Path("runs"), scenario.name), force, figures, as_json, check)
    check_target(target.folder, overwrite=force, advice=ADVICE)
    if live is not None:
        if changes is not None:
            raise InputError("--changes", "a live run is changed by hand", advice="leave out --live or --changes")
        if check:
            problem = "a live run, which may be changed by hand, cannot be repeated"
            raise InputError("--check", problem, advice="leave out --live; repeat its changes with --changes --check")
        from planetfall.cli.landing.run_live import run_live

        trajectory = run_live(scenario, target, device, live)
    else:
        from planetfall.engine.launch.run_in_progress import Repeated

        watcher = None if changes is None else Repeated(recorded_changes(changes))
        trajectory = run_and_save(scenario, target, device, watcher)
    if trajectory.summary["outcome"] in FAILED:
        raise typer.Exit(1)


def run_and_save(scenario: Scenario, target: RunOutput, device: str, watcher: "Watcher | None") -> Trajectory:
    """Runs a scenario, writes its folder and prints its summary."""
    from planetfall.simulate import run

    with progress_bar(scenario.name) as progress:
        with run_kept(target.folder, target.force):
            trajectory = run(scenario, device, progress=progress, note=print_note, watcher=watcher, check=target.check)
        saved = save_with_figures(trajectory, target.folder, force=target.force, figures=target.figures)
    if target.as_json:
        print(json_text({**trajectory.summary, "folder": saved.folder}), flush=True)
    else:
        if "problems" not in trajectory.summary:
            from planetfall.analysis.run.validity import model_notes

            notes = model_notes(scenario, trajectory.data, trajectory.summary)
            print_summary(trajectory.summary, full_title(scenario), scenario.scenario.duration, notes)
            print_energy_notes(trajectory)
        _print_files(saved.folder, saved.figures, bool(trajectory.summary.get("changes")))
    saved.check()
    return trajectory


def recorded_changes(folder: Path) -> list[ParameterChange]:
    """The changes that were made during an earlier run.

    Raises:
        InputError: The folder holds no run, or none that was changed.
    """
    changes = open_run(folder).summary.get("changes")
    if not changes:
        raise InputError(f"--changes {folder}", "nothing was changed during that run", advice="leave it out")
    return [_change(folder / SUMMARY, i, change) for i, change in enumerate(changes)]


def _change(path: Path, i: int, given: dict[str, Any]) -> ParameterChange:
    """A change as a summary has it, if it is one."""
    if not isinstance(given.get("key"), str):
        raise InputError(str(path), f"is damaged: changes.{i}.key is not text", advice="leave --changes out")
    for name in ("time_s", "step", "from", "to", "energy_J"):
        value = given.get(name)
        if isinstance(value, bool) or not isinstance(value, int if name == "step" else int | float):
            raise InputError(str(path), f"is damaged: changes.{i}.{name} is not a number", advice="leave --changes out")
    return ParameterChange(given["time_s"], given["step"], given["key"], given["from"], given["to"], given["energy_J"])


def _check_drive(changes: Path | None, live: LiveOptions | None) -> None:
    if live is not None or changes is not None:
        option, advice = ("--live", "planetfall rover live shows it") if live else ("--changes", "leave it out")
        raise InputError(option, "is for landings, and this is a rover's drive", advice=advice)


def _print_files(folder: Path, drawn: list[Path], has_changes: bool) -> None:
    print(f"\nData     {folder / 'trajectory.nc'}, {folder / 'events.csv'}, {folder / 'summary.json'}")
    again = shlex.quote(str(folder / "scenario.toml"))
    if has_changes:
        again += f" --changes {shlex.quote(str(folder))}"
    print(f"Inputs   {folder / 'scenario.toml'} (run it again: planetfall run {again})")
    for path in drawn:
        print(f"Figure   {folder / path.name}")


def print_summary(summary: dict[str, Any], title: str, duration: float, notes: Sequence[str] = ()) -> None:
    """The summary for people: what happened, then the numbers by point, each in the digits that are true.

    `notes` say which limits of the models were crossed.
    """
    checked = Checked(summary, duration)
    print_outcome(summary, title, checked)
    lines = {
        "Ended": ("end_s", "s"),
        "Came to rest": ("rest_s", "s"),
        "Final speed": ("final_speed_m_s", "m/s"),
        **_slide_lines(summary),
        "First touch to the end": ("first_touch_to_end_m", "m, in a straight line"),
        "Deepest penetration": ("max_penetration_m", "m"),
        "Energy account closes to": ("energy_closure_J", "J"),
    }
    if summary["points"]:
        lines |= _coefficient_lines(summary)
    else:  # nothing can come to rest on the ground, slide or sink in
        lines = {label: line for label, line in lines.items() if label in FREE_LINES}
    if "touchdown_s" in summary:  # of a flight how far it went says nothing of a slide
        lines = {label: line for label, line in lines.items() if not label.startswith(("Slide", "First touch"))}
    if "phases" in summary:  # nor does it of a vehicle that is flown, but for its last touchdown
        lines.pop("Slide distance", None)
    if "landed_s" in summary:
        lines["Landing detected"] = ("landed_s", "s")
    for label, (key, unit) in lines.items():
        print_line(label, checked.text(key, summary[key]), unit)
        if key == "rest_s" or (key == "end_s" and "rest_s" not in summary):
            print_place(summary, checked)
    print_flight(summary, checked)
    print_parachutes(summary)
    print_recontacts(summary)
    print_began_in_ground(summary)
    print_timeline(summary)
    print_limits(summary.get("limits", {}))
    if (rise := _rise(summary)) is not None:
        print_line("Energy rose at most by", rise, "")
    for label, words in _world_lines(summary).items():
        print_line(label, words, "")
    if summary["points"]:
        _print_points(summary, checked)
    _print_bodies(summary.get("bodies", []), checked)
    print_check(checked)
    for note in notes:
        print(f"Validity {note}")


def _slide_lines(summary: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Key and unit by label of a slide, with what it is measured along, and what it means that it is negative."""
    from planetfall.analysis.run.slide import DESCENT, HORIZONTAL, STRAIGHT

    whole, after, back = {
        DESCENT: ("m down the slope from release to the stop, fall and bounces included", "m", "uphill"),
        HORIZONTAL: (
            "m from release to the stop, straight and horizontal",
            "m along the line from release to the stop",
            "back",
        ),
        STRAIGHT: ("m from release to the stop, straight, fall and bounces included", "m, straight", ""),
    }.get(summary.get("slide_along", ""), ("m", "m", ""))
    keys = {"Slide distance": "slide_distance_m", "Slide after the last bounce": "slide_after_last_bounce_m"}
    notes = [f" (negative: {back})" if back and (summary[key] or 0.0) < 0.0 else "" for key in keys.values()]
    units = (unit + note for unit, note in zip((whole, after), notes, strict=True))
    return {label: (key, unit) for (label, key), unit in zip(keys.items(), units, strict=True)}


def print_energy_notes(trajectory: Trajectory) -> None:
    """Where the energy account says that the numbers above are wrong: each in a line of its own."""
    from planetfall.analysis.run.validity import energy_notes

    for sentence in energy_notes(trajectory.data, trajectory.summary):
        print(f"\nWARNING  {sentence}")


FREE_LINES = ("Ended", "Final speed", "Energy account closes to")
"""What is told of a vehicle without contact points."""
FLIGHT_LINES = {
    "Touchdown": ("touchdown_s", "s"),
    "Touchdown, vertical": ("touchdown_vertical_m_s", "m/s"),
    "Touchdown, horizontal": ("touchdown_horizontal_m_s", "m/s"),
    "Distance from the site": ("miss_m", "m"),
    "Peak load of the air": ("peak_g", "Earth g"),
    "  without parachutes": ("peak_entry_g", "Earth g"),
    "Peak dynamic pressure": ("peak_dynamic_pressure_Pa", "Pa"),
    "Peak heating": ("peak_heating_W_m2", "W/m^2"),
    "Heat load": ("heat_load_J_m2", "J/m^2"),
}
"""Key and unit by label of what a flight through air adds; what has a time of its own is told with it."""


def print_place(summary: dict[str, Any], checked: Checked) -> None:
    """Where the centre of mass was at the end, on a whole body with latitude and longitude."""
    values: list[Any] = summary.get("end_position_m") or [None]
    if None in values:  # of a run that diverged
        return
    whole = [0.0 if abs(value) < ROUNDED * max(map(abs, values)) else value for value in values]
    place = ", ".join(checked.text("end_position_m", value, i) for i, value in enumerate(whole))
    angles = ""
    if "end_latitude_deg" in summary:
        latitude, longitude = (checked.text(key, summary[key]) for key in ("end_latitude_deg", "end_longitude_deg"))
        angles = f"; latitude {latitude}, longitude {longitude} deg"
    print_line("Place at the end", f"[{place}]", f"m{angles}")


def print_flight(summary: dict[str, Any], checked: Checked) -> None:
    """What the air did to the first vehicle."""
    if summary.get("trim"):
        print_line("Trim at the start", trim_text(summary["trim"]), "")
    for label, (key, unit) in FLIGHT_LINES.items():
        if key == "peak_entry_g" and summary.get(key) == summary.get("peak_g"):
            continue
        if summary.get(key) is not None:
            when = summary.get(f"{key.removesuffix('_W_m2').removesuffix('_Pa')}_s")
            print_line(label, checked.text(key, summary[key]), unit + ("" if when is None else f" at {when:.1f} s"))
        if key == "miss_m" and summary.get("far_from_site"):
            print(f"    {summary['far_from_site']}")


def print_parachutes(summary: dict[str, Any]) -> None:
    """When each parachute was fired, in which conditions, and how hard it pulled."""
    for place, chute in ((key, value) for key, value in summary.items() if key.partition(".")[0] == "parachute"):
        name = place.partition(".")[2] or "parachute"
        if chute["deploy_s"] is None:
            print_line(name.capitalize(), "was not fired", "")
            continue
        words = f"fired at {chute['deploy_s']:.2f} s, Mach {chute['deploy_mach']:.3g}, "
        words += f"{chute['deploy_dynamic_pressure_Pa']:.3g} Pa, {chute['deploy_altitude_m'] / 1e3:.3g} km"
        if chute["peak_load_N"] is not None:
            words += f"; peak load {chute['peak_load_N'] / 1e3:.3g} kN"
        print_line(name.capitalize(), words, "")
        for violation in chute.get("outside_box", ()):
            print_line("", f"outside of its box: {violation}", "")


def print_recontacts(summary: dict[str, Any]) -> None:
    """Of vehicles that met what had carried them again."""
    for name, when in (summary.get("separations") or {}).items():
        if name.endswith("_recontact_s") and when is not None:
            part = name.removesuffix("_recontact_s")
            words = f"{part} met what had carried it again at {when:.4g} s, within 10 s of its separation: "
            print_line("Recontact", f"{words}a separation_velocity or a divert takes it clear", "")


def print_began_in_ground(summary: dict[str, Any]) -> None:
    """Of contact points that were in the ground when a release made them count."""
    for found in summary.get("began_in_ground") or []:
        words = f"{found['point']} began to count {found['depth_m']:.3g} m deep, at {found['time_s']:.4g} s"
        print_line("In the ground", words, "")


def print_limits(limits: dict[str, dict[str, Any]]) -> None:
    """Whether the run kept to its limits."""
    if limits:
        print(f"\n  {'Limit':<24} {'':<10} value, allowed")
    for name, limit in limits.items():
        print(f"  {name:<24} {VERDICTS[limit['kept']]:<10} {limit_text(limit)}")


def print_timeline(summary: dict[str, Any]) -> None:
    """The phases of a flight with the cause of each, what it was still waiting for, and what it burnt."""
    phases = [phase for phase in summary.get("phases", ()) if "begins_s" in phase]
    if phases:
        print(f"\n  {'Phase':<24} {'begins [s]':>11}  because")
    for phase in phases:
        print(f"  {phase['name'] or '-':<24} {phase['begins_s']:>11.3f}  {phase['cause'] or '-'}")
    if summary.get("waiting_for"):
        print(f"  {summary['waiting_for']}")
    if summary.get("propellant_left_kg") is not None:
        print_line("Propellant left", f"{summary['propellant_left_kg']:.1f}", "kg")
    if summary.get("propellant_gone_s") is not None:
        print_line(
            "Propellant gone at", f"{summary['propellant_gone_s']:.3f}", "s; the engines gave no thrust from then on"
        )
    if summary.get("thrust_shortfall_N"):
        print_line("Thrust wanted beyond limits", f"{summary['thrust_shortfall_N']:.3g}", "N at most")


def _coefficient_lines(summary: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Key and unit by label of what the contact law makes of its inputs."""
    named = {"stiffness_N_m": "Stiffness K, per point", "damping_N_s_m": "Damping C, per point"}
    lines: dict[str, tuple[str, str]] = {}
    for name in summary.get("coefficients", named):
        words, unit = words_and_unit(name)
        lines[named.get(name, words.capitalize())] = (name, unit)
    return lines | {
        name.replace("_", ", ").capitalize(): (name, "") for name in summary if name.startswith("friction_")
    }


def _rise(summary: dict[str, Any]) -> str | None:
    """The rise of energy with the bound of integration errors."""
    rise, bound = summary.get("energy_rise_J"), summary.get("energy_rise_bound_J")
    if rise is None or bound is None:
        return None
    if rise < MILLIONTH * bound and "touchdown_s" in summary:
        return None  # the bound is that of a whole flight, beside which nothing shows that happens on the ground
    if rise < MILLIONTH * bound:
        return f"less than a millionth of its error bound, {bound:.3g} J"
    return f"{rise:.3g} J ({'within' if rise <= bound else 'BEYOND'} the error bound of {bound:.3g} J)"


def _print_bodies(bodies: list[dict[str, Any]], checked: Checked) -> None:
    """Where there are several vehicles: each with its own figures, those the run is judged by first."""
    if not bodies:
        return
    heads = ("first touch [s]", "peak N [N]", "deepest [m]", "end [m/s]")
    keys = ("first_touch_s", "peak_normal_force_N", "max_penetration_m", "final_speed_m_s")
    cells = [[checked.text(f"bodies.{i}.{key}", body[key]) for key in keys] for i, body in enumerate(bodies)]
    width = max(16, *(len(body["name"]) + 1 for body in bodies))
    column = max(16, *(len(cell) + 2 for row in cells for cell in row))
    print(f"  {'Vehicle':<{width}}{'':<11}" + "".join(f"{head:>{column}}" for head in heads))
    for i, (body, row) in enumerate(zip(bodies, cells, strict=True)):
        print(f"  {body['name']:<{width}}{body['role']:<11}" + "".join(f"{cell:>{column}}" for cell in row))
        crash = [checked.text(f"bodies.{i}.{key}", body[key]) for key in ("crash_s", "crash_speed_m_s")]
        if body["crash_s"] is not None:
            print(f"    crashed at {crash[0]} s with {crash[1]} m/s and stays there")
        elif checked.finer(f"bodies.{i}.crash_s") is not None:
            print(f"    did not crash here, but in the finer run: {crash[0]} s")


def print_outcome(summary: dict[str, Any], title: str, checked: Checked) -> None:
    """How it ended; before anything else, whether a finer run ended otherwise."""
    if checked.other_outcome is not None:
        print(f"WARNING  {checked.sentences[0]}\n")
    print(title or summary["scenario"])
    print(f"Outcome  {summary['outcome']}: {summary['outcome_sentence']}")
    for change in summary.get("changes", ()):
        if "time_s" in change:
            print(f"Changed  {change['key']} from {change['from']:g} to {change['to']:g} at {change['time_s']:.6g} s")


def print_line(label: str, shown: str, unit: str, width: int = 28) -> None:
    """One number with its unit."""
    print(f"  {label:<{width}} {shown} {unit}".rstrip())


def print_check(checked: Checked) -> None:
    """How true the digits are, or how to know."""
    if not checked.check:
        print("\nDigits   not checked, three are shown; with --check each number comes with its numerical error")
        return
    if checked.is_checked:
        more = ", and what poses miss, by those beside them" if "path_step_m" in checked.check else ""
        print(f"\nCheck    ± is the difference to the same run at {checked.check['by']}{more}")
    for sentence in checked.sentences:
        print(f"{'' if checked.is_checked else chr(10)}Check    {sentence}")


def _print_points(summary: dict[str, Any], checked: Checked) -> None:
    """A row for each point that touched the ground, here or in the finer run."""
    columns = {
        "first touch [s]": "first_touch_s", "peak N [N]": "peak_normal_force_N", "final N [N]": "final_normal_force_N",
        "touchdowns": "touchdowns",
    }  # fmt: skip
    touched = [i for i, count in enumerate(summary["touchdowns"]) if count or checked.finer("touchdowns", i)]
    table = {head: [checked.text(key, summary[key][i], i) for i in touched] for head, key in columns.items()}
    rows = [[str(summary["points"][i]) for i in touched], *table.values()]
    heads = ["Point", *table]
    widths = [
        max(least, *(len(cell) + 2 for cell in (head, *row)))
        for head, row, least in zip(heads, rows, (16, 16, 14, 14, 12), strict=True)
    ]
    print(f"  {heads[0]:<{widths[0]}}" + "".join(f"{head:>{w}}" for head, w in zip(heads[1:], widths[1:], strict=True)))
    for name, *cells in zip(*rows, strict=True):
        print(f"  {name:<{widths[0]}}" + "".join(f"{cell:>{w}}" for cell, w in zip(cells, widths[1:], strict=True)))
    n_apart = len(summary["points"]) - len(touched)
    if n_apart:
        print(f"  {n_apart} of {len(summary['points'])} points never touched the ground")


def _world_lines(summary: dict[str, Any]) -> dict[str, str]:
    """How far ground and gravity can be trusted, where that was measured."""
    gravity, ground = summary.get("gravity", {}), summary.get("ground", {})
    lines = {}
    if "mean_radius_m" in ground:
        lines["Mean radius of the body"] = f"{ground['mean_radius_m']:.4g} m"
    if "error_surface_rms" in gravity:
        mean, rms, most = (gravity[f"error_surface_{kind}"] for kind in ("mean", "rms", "max"))
        lines["Gravity error on the ground"] = f"{mean:+.2%} in the mean, {rms:.2%} rms, {most:.2%} at most"
    if "error_gap_rms_m" in ground:
        mean, rms, most = (ground[f"error_gap_{kind}_m"] for kind in ("mean", "rms", "max"))
        errors = f"{mean:+.2g} m in the mean, {rms:.2g} m rms, {most:.2g} m at most"
        lines["Gap error of the ground"] = f"{errors}; cells of {ground['spacing_m']:.3g} m"
    if "noise_slope_bound" in ground:
        rms, most = ground["noise_slope_deviation"], ground["noise_slope_bound"]
        lines["Slope of the noise"] = f"{rms:.3g} rms, {most:.3g} at most"
    return lines


def free_folder(parent: Path, name: str) -> Path:
    """runs/NAME, or the first of NAME-2, NAME-3, ... that does not exist."""
    folder, number = parent / name, 2
    while folder.exists():
        folder, number = parent / f"{name}-{number}", number + 1
    return folder
