"""Fills the generated parts of the pages: keys of a scenario, built-in library, help texts, result variables, output.

    .venv/bin/python tools/reference_tables.py            # rewrite what has changed
    .venv/bin/python tools/reference_tables.py --check    # only say whether something has; exit code 1 if so

A page marks each part with a pair of comments, `begin NAME` and `end NAME`. The rest of the page is written by hand.
"""

import importlib
import os
import re
import sys
import types
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from annotated_types import Ge, Gt, Le, Lt
from pydantic import AfterValidator
from pydantic.fields import FieldInfo
from typer.main import get_command
from typer.testing import CliRunner

import planetfall
from planetfall.cli.app import app
from planetfall.scenario.combinations import REFUSALS
from planetfall.scenario.drive import DriveScenario, load_drive
from planetfall.scenario.files.built_in import library_names, read_library
from planetfall.scenario.files.paths import FileName
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.drawing import DrawnPart
from planetfall.scenario.tables.flight.guidance import EntryReferenceTable
from planetfall.scenario.tables.flight.phases import FlightPhase, PhaseEnd
from planetfall.scenario.tables.rover import Rover
from planetfall.scenario.tables.run.initial import Initial
from planetfall.scenario.tables.run.release import Release
from planetfall.scenario.tables.table import Table, UnitVec3
from planetfall.scenario.tables.vehicle.aerodynamics import Aerodynamics
from planetfall.scenario.tables.vehicle.configuration import Configuration
from planetfall.scenario.tables.vehicle.eccentric_arm import EccentricArm
from planetfall.scenario.tables.vehicle.engines import Engine, Propellant
from planetfall.scenario.tables.vehicle.flywheel import Flywheel
from planetfall.scenario.tables.vehicle.shape import VehicleShape
from planetfall.scenario.tables.vehicle.vehicle import NO_INERTIA, ContactPoint, Matrix3, Vehicle
from planetfall.scenario.tables.world.atmosphere import Perturbation, Wind
from planetfall.scenario.tables.world.target import Site, Target
from planetfall.scenario.tables.world.terrain_procedural import TerrainProcedural
from planetfall.scenario.tables.world.terrain_sdf import NoiseRegion, SdfNoise, SdfRocks

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
PART = re.compile(r"(<!-- begin (\S+) -->\n).*?(<!-- end \2 -->)", re.DOTALL)
SIGNS = {Gt: ">", Ge: "≥", Lt: "<", Le: "≤"}
OF_DRIVES = ("rover", "soil", "path", "drive", "changes")
"""Tables that only drives of rovers have."""


def markdown_table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table; bars inside cells are escaped."""
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


def models_of(annotation: Any) -> list[type[Table]]:
    """The tables that a field of the scenario may hold."""
    if isinstance(annotation, type) and issubclass(annotation, Table):
        return [annotation]
    return [model for part in typing.get_args(annotation) for model in models_of(part)]


def allowed(field: FieldInfo) -> str:
    """What a key accepts, in words."""
    annotation, is_unit = field.annotation, any(isinstance(m, AfterValidator) for m in field.metadata)
    if annotation == (float | FileName):
        return "number, or text"
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        annotation = next(part for part in typing.get_args(annotation) if part is not type(None))
    if typing.get_origin(annotation) is typing.Annotated:
        annotation, is_unit = typing.get_args(annotation)[0], True
    limits = ", ".join(
        f"{sign} {getattr(m, kind.__name__.lower()):g}" for m in field.metadata for kind, sign in SIGNS.items()
        if isinstance(m, kind)
    )  # fmt: skip
    if models_of(annotation) and typing.get_origin(annotation) is not tuple:
        return "table"
    if typing.get_origin(annotation) is typing.Literal:
        return ", ".join(f"`{value}`" for value in typing.get_args(annotation))
    parts = typing.get_args(annotation)
    if typing.get_origin(annotation) is dict:
        return "values by key"
    if annotation == Matrix3:
        return "3 numbers, or 3 rows of 3"
    if parts and parts[-1] is Ellipsis:
        if parts[0] == UnitVec3:
            return "list of 3 numbers of length 1"
        if parts[0] is str:
            return "list of names"
        if typing.get_args(parts[0]) == (float, float, float):
            return "list of 3 numbers"
        return "array of tables" if models_of(parts[0]) else "list of numbers"
    if parts and parts[0] is str:
        return f"{len(parts)} names"
    if parts and typing.get_args(parts[0]):
        return f"{len(parts)} lists of {len(typing.get_args(parts[0]))} numbers"
    if parts:
        return f"{len(parts)} numbers" + (" of length 1" if is_unit else "")
    words = {float: "number", int: "whole number", bool: "`true`, `false`", str: "text"}[annotation]
    return f"{words} {limits}".strip()


def default(field: FieldInfo) -> str:
    """The default as TOML would write it."""
    if field.is_required():
        return "required"
    value = field.default
    if value is None or value == () or value == "" or value is NO_INERTIA:
        return "none"
    if isinstance(value, Table):
        return "its defaults"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple) and isinstance(value[0], tuple):
        return "`[" + ", ".join("[" + ", ".join(f"{x:g}" for x in part) + "]" for part in value) + "]`"
    if isinstance(value, tuple):
        return "`[" + ", ".join(f"{part:g}" for part in value) + "]`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def key_rows(model: type[Table]) -> list[tuple[str, ...]]:
    """One row per key of a table."""
    rows = []
    for name, field in model.model_fields.items():
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        unit = str(extra.get("unit", ""))
        rows.append((f"`{name}`", unit, allowed(field), default(field), field.description or ""))
    return rows


def key_tables() -> Iterator[tuple[str, str]]:
    """The keys of each table of a scenario; one table per choice of model where there is a choice."""
    header = ("key", "unit", "allowed", "default", "meaning")
    fields = {**Scenario.model_fields, **{name: DriveScenario.model_fields[name] for name in OF_DRIVES}}
    for name, field in fields.items():
        models, parts = models_of(field.annotation), []
        for model in models:
            first = next(iter(model.model_fields.items()))
            if len(models) > 1:
                parts.append(f'With `{first[0]} = "{typing.get_args(first[1].annotation)[0]}"`: {model.__doc__}')
            if len(models) == 1 or len(model.model_fields) > 1:
                parts.append(markdown_table(header, key_rows(model)))
        yield f"keys-{name}", "\n\n".join(parts)
    for key, model in (("engines", Engine), ("propellant", Propellant)):
        yield f"keys-vehicle.{key}", f"{model.__doc__}\n\n{markdown_table(header, key_rows(model))}"
    for key, model in (("phases", FlightPhase), ("phases.ends", PhaseEnd)):
        yield f"keys-flight.{key}", f"{model.__doc__}\n\n{markdown_table(header, key_rows(model))}"
    laws = [
        f'With `law = "{typing.get_args(model.model_fields["law"].annotation)[0]}"`: {model.__doc__}\n\n'
        + markdown_table(header, key_rows(model)[1:])
        for model in models_of(FlightPhase.model_fields["guidance"].annotation)
        if len(model.model_fields) > 1
    ]
    yield "keys-flight.phases.guidance", "\n\n".join(laws)
    for name in ("linkage", "wheels", "arm"):
        models = models_of(Rover.model_fields[name].annotation)
        tables = [f"{model.__doc__}\n\n{markdown_table(header, key_rows(model))}" for model in models]
        yield f"keys-rover.{name}", "\n\n".join(tables)
    yield "keys-vehicle.points", markdown_table(header, key_rows(ContactPoint))
    yield "keys-vehicle.configurations", f"{Configuration.__doc__}\n\n{markdown_table(header, key_rows(Configuration))}"
    yield "keys-vehicle.flywheels", markdown_table(header, key_rows(Flywheel))
    yield "keys-vehicle.arm", markdown_table(header, key_rows(EccentricArm))
    yield "keys-vehicle.shape", markdown_table(header, key_rows(VehicleShape))
    yield "keys-vehicle.drawing", markdown_table(header, key_rows(DrawnPart))
    yield "keys-target.site", f"{Site.__doc__}\n\n{markdown_table(header, key_rows(Site))}"
    for key, model in (("wind", Wind), ("perturbation", Perturbation)):
        yield f"keys-atmosphere.{key}", f"{model.__doc__}\n\n{markdown_table(header, key_rows(model))}"
    yield from nested_tables()
    yield "keys-initial.release", markdown_table(header, key_rows(Release))
    yield "keys-sdf.noise", f"{SdfNoise.__doc__}\n\n{markdown_table(header, key_rows(SdfNoise))}"
    yield "keys-sdf.rocks", f"{SdfRocks.__doc__}\n\n{markdown_table(header, key_rows(SdfRocks))}"
    yield "keys-sdf.noise.regions", markdown_table(header, key_rows(NoiseRegion))
    for name, field in TerrainProcedural.model_fields.items():
        for model in models_of(field.annotation):
            yield f"keys-terrain.{name}", f"{model.__doc__}\n\n{markdown_table(header, key_rows(model))}"
            for placed in models_of(model.model_fields["placed"].annotation) if "placed" in model.model_fields else ():
                yield f"keys-terrain.{name}.placed", markdown_table(header, key_rows(placed))


def nested_tables() -> Iterator[tuple[str, str]]:
    """The keys of tables in tables; what all models of the aerodynamics have in common stands once."""
    header = ("key", "unit", "allowed", "default", "meaning")
    inner = Vehicle.model_fields, Target.model_fields, Initial.model_fields, Scenario.model_fields
    vehicle, target, initial, scenario = (
        {name: models_of(field.annotation) for name, field in f.items()} for f in inner
    )
    [parachute], [attached] = vehicle["parachutes"], initial["attached"]
    found = {
        "target.spice": target["spice"],
        "vehicle.parachutes": [parachute],
        "vehicle.parachutes.deploy": models_of(parachute.model_fields["deploy"].annotation),
        "vehicle.parachutes.box": models_of(parachute.model_fields["box"].annotation),
        "initial.attached": [attached],
        "flight.phases.guidance.reference": [EntryReferenceTable],
        "limits": scenario["limits"],
        "comparison": scenario["comparison"],
    }
    for name, models in found.items():
        yield f"keys-{name}", "\n\n".join(f"{m.__doc__}\n\n{markdown_table(header, key_rows(m))}" for m in models)
    common = key_rows(Aerodynamics)
    parts = ["With every `model`:", markdown_table(header, common)]
    for model in vehicle["aerodynamics"]:
        kind = typing.get_args(model.model_fields["model"].annotation)[0]
        own = [row for row in key_rows(model) if row[0] not in {name for name, *_ in common}]
        parts += [f'With `model = "{kind}"`: {model.__doc__}', markdown_table(header, own)]
    yield "keys-vehicle.aerodynamics", "\n\n".join(parts)
    [plan] = models_of(Aerodynamics.model_fields["bank_plan"].annotation)
    yield "keys-vehicle.aerodynamics.bank_plan", f"{plan.__doc__}\n\n{markdown_table(header, key_rows(plan))}"


def library() -> str:
    """The built-in scenarios, vehicles, bodies and terrains."""
    scenarios = [(f"`{name}`", planetfall.load(name).scenario.title) for name in library_names()]
    vehicles = [
        (f"`{name}`", f"{made.mass:g}", ", ".join(f"{made.inertia[i][i]:.6g}" for i in range(3)), str(len(made.points)),
         made.source)
        for name, made in ((name, Vehicle(**read_library("vehicles", name))) for name in library_names("vehicles"))
    ]  # fmt: skip
    bodies = [
        (
            f"`{name}`",
            *(f"{data.get(key, 0.0):.10g}" for key in ("gm", "radius", "flattening", "j2", "spin_rate")),
            *(", ".join(f"{part:.10g}" for part in data.get(key, ())) for key in ("semi_axes", "pole_deg")),
            f"{data['density']:g}",
            data["source"],
        )
        for name, data in ((name, read_library("bodies", name)) for name in library_names("bodies"))
    ]
    drives = [(f"`{name}`", load_drive(name).scenario.title) for name in library_names("drives")]
    rovers = [
        (f"`{name}`", f"{data['mass']:g}", f"{data['track']:g}", f"{2 * data['wheels']['radius']:g}", data["source"])
        for name, data in ((name, read_library("rovers", name)) for name in library_names("rovers"))
    ]
    terrains = [
        (f"`{name}`", "{:g} x {:g}".format(*data["extent"]), f"{data['resolution']:g}", data["source"])
        for name, data in ((name, read_library("terrains", name)) for name in library_names("terrains"))
    ]
    return "\n\n".join(
        [
            markdown_table(("scenario", "what it is"), scenarios),
            markdown_table(("vehicle", "mass [kg]", "inertia [kg m^2]", "points", "source"), vehicles),
            markdown_table(
                (
                    "body",
                    "gm [m^3/s^2]",
                    "radius [m]",
                    "flattening [-]",
                    "j2 [-]",
                    "spin_rate [rad/s]",
                    "semi_axes [m]",
                    "pole_deg [deg]",
                    "density [kg/m^3]",
                    "source",
                ),
                bodies,
            ),
            markdown_table(("drive of a rover", "what it is"), drives),
            markdown_table(("rover", "mass [kg]", "track [m]", "wheels [m]", "source"), rovers),
            markdown_table(("terrain", "extent [m]", "resolution [m]", "source"), terrains),
        ]
    )


def help_text(verb: str) -> str:
    """What `planetfall VERB --help` prints, 80 columns wide."""
    result = CliRunner().invoke(
        app, [*verb.split(), "--help"], prog_name="planetfall", env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"}
    )
    return f"```text\n{result.output.rstrip()}\n```"


def verbs(group: Any = None, before: str = "") -> Iterator[str]:
    """Every verb of the program, as it is typed."""
    for name, command in (group or get_command(app)).commands.items():
        yield f"{before}{name}"
        if hasattr(command, "commands"):
            yield from verbs(command, f"{before}{name} ")


def output(*commands: str) -> str:
    """What commands print, run one after the other in an empty folder; sizes of files are no part of it."""
    here, printed = Path.cwd(), []
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for command in commands:
                done = CliRunner().invoke(app, command.split(), env={"COLUMNS": "120"})
                if done.exit_code:
                    raise RuntimeError(f"planetfall {command}: {done.output}")
                printed.append(done.stdout.strip("\n"))
        finally:
            os.chdir(here)
    lines = re.sub(r" \([\d.]+ MB\)", "", "\n".join(printed)).splitlines()
    return "```text\n" + "\n".join(line.rstrip() for line in lines) + "\n```"


def variables(scenario: str, but_not_of: str = "") -> str:
    """The variables of a result, read off a short run, without those that another scenario has too."""
    known = set(_short_run(but_not_of).data_vars) | {"time"} if but_not_of else set()
    return variable_table(_short_run(scenario), known)


def variable_table(data: Any, known: set[Any]) -> str:
    """The variables of a dataset but for those that are known."""
    rows = [
        (f"`{name}`", ", ".join(map(str, item.dims)), item.attrs["units"], item.attrs["frame"], item.attrs["long_name"])
        for name, item in {"time": data.time, **data.data_vars}.items() if name not in known
    ]  # fmt: skip
    return markdown_table(("variable", "dimensions", "units", "frame", "meaning (`long_name`)"), rows)


def _short_run(scenario: str, changes: dict[str, Any] | None = None) -> Any:
    return planetfall.run(planetfall.load(scenario).with_values({"scenario.duration": 0.02, **(changes or {})})).data


def refusals() -> str:
    """Features that are refused together, and why."""
    rows = [(*refusal.features, refusal.reason, refusal.instead) for refusal in REFUSALS]
    return markdown_table(("feature", "with", "why not", "instead"), rows)


def combinations() -> str:
    """Which methods take which law on which ground, with all features at once, by the table that the tests run."""
    sys.path.insert(0, str(ROOT / "tests"))
    every = importlib.import_module("support.every_combination")
    return markdown_table(("law", *every.GROUNDS), every.overview())


def parts() -> dict[str, Callable[[], str]]:
    """Every generated part by name."""
    made: dict[str, Callable[[], str]] = {name: (lambda text=text: text) for name, text in key_tables()}
    made |= {
        f"help-{verb.replace(' ', '-') or 'planetfall'}": (lambda verb=verb: help_text(verb)) for verb in ("", *verbs())
    }
    return made | {
        "library": library,
        "refusals": refusals,
        "combinations": combinations,
        "output-list": lambda: output("list"),
        "output-demo": lambda: output(
            "run msl-drop --out runs/msl-drop", "report runs/msl-drop --out runs/msl-drop-report.html"
        ),
        "variables": lambda: variables("msl-drop"),
        "variables-rover": lambda: variable_table(
            planetfall.drive(load_drive("lsr1-flat")).data, set(_short_run("msl-drop").data_vars) | {"time"}
        ),
        "variables-sun": lambda: variable_table(
            _short_run("msl-drop", {"target.attitude": [0.0, 0.0, 0.6, 0.8], "target.sun_direction": [0.0, 0.6, 0.8]}),
            set(_short_run("msl-drop").data_vars) | {"time"},
        ),
        "variables-anchor": lambda: variables("morpheus-incline", but_not_of="msl-drop"),
    }


def main() -> None:
    """Brings every page up to date, or checks that it is."""
    made, stale = parts(), []
    marked = set()
    for page in PAGES:
        old = page.read_text(encoding="utf-8")
        new = PART.sub(lambda match: f"{match[1]}\n{made[match[2]]()}\n\n{match[3]}", old)
        marked |= {match[2] for match in PART.finditer(old)}
        if new != old:
            stale.append(page.name)
            if "--check" not in sys.argv:
                page.write_text(new, encoding="utf-8")
    missing = sorted(name for name in made if name.startswith("help-") and name not in marked)
    if missing:
        sys.exit(f"no page has a place for {', '.join(missing)}: mark it with begin and end comments")
    if stale:
        print("out of date:" if "--check" in sys.argv else "rewritten:", ", ".join(stale))
    sys.exit("--check" in sys.argv and bool(stale))


if __name__ == "__main__":
    main()
