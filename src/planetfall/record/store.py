"""Run folders: written whole or not at all, read back by what they hold."""

import csv
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import tomli_w
import xarray as xr

from planetfall.engine.result import Event
from planetfall.errors import InputError
from planetfall.record.trajectory import Trajectory
from planetfall.scenario import load

SCENARIO, TRAJECTORY, SUMMARY, EVENTS = "scenario.toml", "trajectory.nc", "summary.json", "events.csv"


def save_run(trajectory: Trajectory, folder: Path, *, overwrite: bool = False) -> Path:
    """Writes a run folder beside its final place and moves it there when it is complete."""
    check_target(folder, overwrite=overwrite)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise InputError(
            str(folder), f"cannot be written ({error.strerror})", advice="choose another folder with --out"
        ) from None
    try:
        _write(trajectory, part)
        part.chmod(0o777 & ~_umask())
        if folder.exists():
            shutil.rmtree(folder)
        part.rename(folder)
    except OSError as error:
        raise InputError(
            str(folder), f"cannot be written ({error.strerror})", advice="choose another folder with --out"
        ) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def check_target(folder: Path, *, overwrite: bool) -> None:
    """Refuses a folder that is in use by something else, before any work is done."""
    if not folder.exists():
        parent = next(place for place in folder.absolute().parents if place.exists())
        if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
            raise InputError(
                str(folder),
                f"cannot be made: {parent} is not a folder that can be written",
                advice="choose another with --out",
            )
        return
    if not folder.is_dir():
        raise InputError(str(folder), "is a file", "a run is a folder", "choose another with --out")
    if any(folder.iterdir()) and not (folder / SCENARIO).exists():
        raise InputError(
            str(folder), "holds other files", "a new folder, or one of an earlier run", "choose another with --out"
        )
    if any(folder.iterdir()) and not overwrite:
        raise InputError(
            str(folder), "holds an earlier run", advice="choose another with --out, or replace it with --force"
        )


def open_run(folder: str | Path) -> Trajectory:
    """Reads a run folder back."""
    folder = Path(folder)
    missing = [name for name in (SCENARIO, TRAJECTORY, SUMMARY, EVENTS) if not (folder / name).is_file()]
    if missing:
        raise InputError(
            str(folder), f"is no run folder: {', '.join(missing)} missing", "a folder written by planetfall run"
        )
    try:
        with xr.open_dataset(folder / TRAJECTORY, engine="h5netcdf") as data:
            data.load()
    except (OSError, ValueError, KeyError) as error:
        raise InputError(
            str(folder / TRAJECTORY), f"cannot be read ({error})", advice="run the scenario again"
        ) from None
    summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    return Trajectory(load(folder / SCENARIO), data, _read_events(folder / EVENTS, data), summary)


def _write(trajectory: Trajectory, folder: Path) -> None:
    with (folder / SCENARIO).open("wb") as file:
        tomli_w.dump(_plain(trajectory.scenario.to_dict()), file)
    trajectory.data.to_netcdf(folder / TRAJECTORY, engine="h5netcdf")
    (folder / SUMMARY).write_text(json.dumps(trajectory.summary, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    with (folder / EVENTS).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["time", "run", "body", "point", "kind", "value", "x", "y", "z"])
        names = [*trajectory.data.point.values, ""]
        for event in trajectory.events:
            numbers = [repr(number) for number in (event.value, *event.position)]
            writer.writerow([repr(event.time), 0, "vehicle", names[event.point], event.kind, *numbers])


def _read_events(path: Path, data: xr.Dataset) -> list[Event]:
    index = {str(name): i for i, name in enumerate(data.point.values)}
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Event(
                time=float(row["time"]),
                kind=row["kind"],
                point=index.get(row["point"], -1),
                value=float(row["value"]),
                position=(float(row["x"]), float(row["y"]), float(row["z"])),
            )
            for row in csv.DictReader(file)
        ]


def _plain(value: Any) -> Any:
    """Tuples become lists: TOML has no others."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
