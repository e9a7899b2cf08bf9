"""Run folders: written whole or not at all, read back by what they hold."""

import csv
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import xarray as xr

from planetfall.engine.state.result import RunEvent
from planetfall.errors import InputError, PlanetfallError
from planetfall.record.files.intact import CHECKSUMS, check_checksums, check_data, checked_summary, checksums_of
from planetfall.record.files.netcdf import write_netcdf
from planetfall.record.files.plain_json import json_text, writable_part
from planetfall.record.files.schema import (
    DATA,
    EVENTS,
    FIGURES,
    FILES,
    KEY,
    PLAN,
    SCENARIO,
    SCHEMA,
    SUMMARY,
    TRAJECTORY,
)
from planetfall.record.trajectory import Trajectory
from planetfall.scenario.files.load import read_values, scenario_from_dict
from planetfall.scenario.files.write import scenario_toml


@dataclass(frozen=True)
class Advice:
    """What to do about a folder that cannot be taken, in the caller's words."""

    elsewhere: str = "choose another folder"
    replace: str = "pass overwrite=True to replace it"


def save_run(
    trajectory: Trajectory[Any],
    folder: Path,
    *,
    overwrite: bool = False,
    advice: Advice = Advice(),  # noqa: B008  frozen, hence safe to share
) -> Path:
    """Writes a run folder beside its final place and moves it there when it is complete.

    Args:
        trajectory: The run.
        folder: Its final place.
        overwrite: Whether an earlier run there may be replaced.
        advice: Words for the messages.

    Raises:
        InputError: The folder cannot be taken or written.
        PlanetfallError: The data are in place, but a part of the summary is of a kind that cannot be written.
    """
    folder = folder.expanduser()
    check_target(folder, overwrite=overwrite, advice=advice)
    place = folder.resolve()
    made = [parent for parent in place.parents if not parent.exists()]
    part: Path | None = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
        faults = _write(trajectory, part, place)
        part.chmod(0o777 & ~_umask())
        _move_into_place(part, place)
    except OSError as error:
        for parent in made:
            if parent.is_dir() and not any(item for item in parent.iterdir() if item != part):
                shutil.rmtree(parent)
        problem = f"cannot be written ({error.strerror or error})"
        raise InputError(str(folder), problem, advice=advice.elsewhere) from None
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)
    if faults:
        raise PlanetfallError(f"{folder}: the data are written, but not the whole summary: {'; '.join(faults)}")
    return folder


def check_target(folder: Path, *, overwrite: bool, advice: Advice = Advice()) -> None:  # noqa: B008
    """Refuses a folder that is in use by something else, before any work is done."""
    folder = folder.expanduser()
    if not folder.exists():
        parent = next(place for place in folder.absolute().parents if place.exists())
        if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
            problem = f"cannot be made: {parent} is not a folder that can be written"
            raise InputError(str(folder), problem, advice=advice.elsewhere)
        return
    if not folder.is_dir():
        raise InputError(str(folder), "is a file", "a folder for the run", advice.elsewhere)
    held = list(folder.iterdir())
    if held and folder.resolve() in (Path.cwd(), *Path.cwd().parents):
        raise InputError(str(folder), "is the folder you are in", advice=advice.elsewhere)
    others = [item.name for item in held if item.name not in FILES and item.suffix not in FIGURES]
    if held and not all((folder / name).is_file() for name in FILES):
        others = others or [item.name for item in held]
    if others:
        problem = f"holds other files ({others[0]})"
        raise InputError(str(folder), problem, "a new folder, or an earlier run's", advice.elsewhere)
    if held and not overwrite:
        raise InputError(str(folder), "holds an earlier run", advice=f"{advice.elsewhere}, or {advice.replace}")


def open_run(folder: str | Path) -> Trajectory[Any]:
    """Reads a run folder back; that of a rover's drive has a `DriveScenario`.

    Raises:
        InputError: A file is missing, damaged, changed since it was written, or of a newer version; it is named.
    """
    folder = Path(folder).expanduser()
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        problem = _why_no_run(folder, missing)
        inside = sorted(str(path.parent) for path in folder.glob(f"*/{TRAJECTORY}"))
        advice = f"did you mean {inside[0]}?" if inside else ""
        raise InputError(str(folder), problem, "a folder written by planetfall run", advice)
    with _reading(folder / SUMMARY):
        summary = checked_summary(json.loads((folder / SUMMARY).read_text(encoding="utf-8")), str(folder / SUMMARY))
        check_checksums(folder, SUMMARY, summary)
    with _reading(folder / TRAJECTORY):
        with h5py.File(folder / TRAJECTORY, "r") as file:
            dict(file.attrs)  # where these are damaged, h5netcdf would print a traceback besides
        with xr.open_dataset(folder / TRAJECTORY, engine="h5netcdf") as data:
            data.load()
        check_data(data, str(folder / TRAJECTORY))
    with _reading(folder / EVENTS):
        events = _read_events(folder / EVENTS, data)
    values, source = read_values(folder / SCENARIO)
    read = scenario_from_dict
    if "rover" in values:
        from planetfall.scenario.drive import drive_from_dict as read  # here, or others would wait for it

    kept = {name: value for name, value in summary.items() if name != CHECKSUMS}  # they are of these files alone
    return Trajectory(read(values, source), data, events, kept)


def _why_no_run(folder: Path, missing: list[str]) -> str:
    """What is at the place of a run folder, where that is none."""
    if not folder.is_dir():
        return "is a file" if folder.exists() else "there is no such folder"
    return (
        "is a campaign, not a run"
        if (folder / PLAN).is_file()
        else f"is not a run folder: {', '.join(missing)} missing"
    )


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Whatever a damaged file makes the packages raise that read it, it means one thing to a user."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        problem = f"cannot be read ({type(error).__name__}: {' '.join(str(error).split())[:300]})"
        raise InputError(str(path), problem, advice="run the scenario again") from None


def _write(trajectory: Trajectory[Any], folder: Path, place: Path) -> list[str]:
    """Writes all files into a folder that is moved to its place later.

    Returns what is in the way of parts of the summary, which are left out then.
    """
    (folder / SCENARIO).write_bytes(scenario_toml(trajectory.scenario, place))
    write_netcdf(trajectory.data.assign_attrs({KEY: SCHEMA}), folder / TRAJECTORY)
    with (folder / EVENTS).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["time", "run", "body", "point", "kind", "value", "x", "y", "z"])
        data = trajectory.data
        names, bodies = [*data.point.values, ""], [*data.body.values[data.point_body.values], data.body.values[0]]
        for event in trajectory.events:
            numbers = [repr(number) for number in (event.value, *event.position)]
            writer.writerow([repr(event.time), 0, bodies[event.point], names[event.point], event.kind, *numbers])
    summary, faults = writable_part(trajectory.summary)
    summary = {KEY: SCHEMA} | summary | {KEY: SCHEMA, CHECKSUMS: checksums_of(folder, DATA)}
    (folder / SUMMARY).write_text(json_text(summary) + "\n", encoding="utf-8")
    return faults


def _move_into_place(part: Path, place: Path) -> None:
    """An earlier run goes only when the new one stands in its place."""
    if not place.exists():
        part.rename(place)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent)) / "earlier"
    try:
        place.rename(aside)
        try:
            part.rename(place)
        except BaseException:
            aside.rename(place)
            raise
    finally:
        shutil.rmtree(aside.parent, ignore_errors=True)


def _read_events(path: Path, data: xr.Dataset) -> list[RunEvent]:
    index = {str(name): i for i, name in enumerate(data.point.values)}
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        if "time" not in (rows.fieldnames or ()):
            raise ValueError("it has no column time")
        return [
            RunEvent(
                time=float(row["time"]),
                kind=row["kind"],
                point=index.get(row["point"], -1),
                value=float(row["value"]),
                position=(float(row["x"]), float(row["y"]), float(row["z"])),
            )
            for row in rows
        ]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
