"""Whether a run folder still holds what was written: checksums where it has them, and the form of every part.

`summary.json` keeps the SHA-256 of the files that hold data. Figures, and the summary itself, may be edited.
"""

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from planetfall.errors import InputError
from planetfall.record.files.schema import KEY, checked_schema
from planetfall.scenario.files.files_read import digest_of

CHECKSUMS = "sha256"
"""Key of `summary.json` with the checksums."""
_TEXTS = ("scenario", "outcome", "outcome_sentence")
_TABLES = ("changes", "phases", "started_in_ground", "began_in_ground")
"""Lists of tables in a summary."""
_UNITS = ("_s", "_m", "_N", "_J", "_W", "_kg", "_rad", "_deg")
_HISTORIES = {"position": ("time", "body", "axis"), "velocity": ("time", "body", "axis"),
              "quaternion": ("time", "body", "quat"), "angular_velocity": ("time", "body", "axis")}  # fmt: skip
_AXES = {"axis": ["x", "y", "z"], "quat": ["x", "y", "z", "w"]}


def checksums_of(folder: Path, names: tuple[str, ...]) -> dict[str, str]:
    """SHA-256 of files of a folder, by name."""
    return {name: digest_of(folder / name) for name in names}


def check_checksums(folder: Path, summary_file: str, summary: dict[str, Any]) -> None:
    """Refuses a file that is not as it was written; one without a checksum may be anything.

    Raises:
        InputError: It was changed; the message names it.
    """
    where, known = str(folder / summary_file), summary.get(CHECKSUMS, {})
    if not isinstance(known, dict) or not all(isinstance(value, str) for value in known.values()):
        raise InputError(where, f"is damaged: {CHECKSUMS} is not a table of checksums", advice=f"take {CHECKSUMS} out")
    for name, digest in known.items():
        path = folder / name
        if Path(name).name != name or not path.is_file():
            raise InputError(where, f"is damaged: {CHECKSUMS} names {name[:80]!r}, which is no file of this run")
        if digest_of(path) != digest:
            raise InputError(
                str(path), f"was changed or damaged since it was written: its SHA-256 is not that of {summary_file}",
                advice=f"run the scenario again; if you changed it on purpose, take its line under {CHECKSUMS} in "
                f"{summary_file} out",
            )  # fmt: skip


def checked_summary(found: Any, where: str) -> dict[str, Any]:
    """A summary as `json.loads` gives it, if it has the form of one."""
    if not isinstance(found, dict):
        raise _damaged(where, f"it holds a {type(found).__name__} and no table of numbers")
    checked_schema(found.get(KEY), where)
    for name in _TEXTS:
        if not isinstance(found.get(name), str):
            raise _damaged(where, f"{name} is {_shown(found.get(name))} and no text")
    for name in _TABLES:
        items = found.get(name, [])
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise _damaged(where, f"{name} is no list of tables")
    if not isinstance(found.get("versions", {}), dict):
        raise _damaged(where, "versions is no table")
    _check_points(found, where)
    for name, value in found.items():
        if name.endswith(_UNITS) and not _are_numbers(value):
            raise _damaged(where, f"{name} is {_shown(value)} and no number")
    return found


def _check_points(summary: dict[str, Any], where: str) -> None:
    """Lists by contact point have one entry for each."""
    points = summary.get("points", [])
    if not isinstance(points, list) or not all(isinstance(point, str) for point in points):
        raise _damaged(where, f"points is {_shown(points)} and no list of names")
    for name in ("first_touch_s", "peak_normal_force_N", "final_normal_force_N", "touchdowns"):
        values = summary.get(name, [None] * len(points))
        if not isinstance(values, list) or len(values) != len(points) or not _are_numbers(values):
            raise _damaged(where, f"{name} is {_shown(values)} and no list of {len(points)} numbers")


def check_data(data: xr.Dataset, where: str) -> None:
    """Refuses histories that lack what every run has, or whose parts do not fit each other."""
    checked_schema(data.attrs.get(KEY), where)
    for name, dims in _HISTORIES.items():
        if name not in data or data[name].dims != dims or data[name].dtype.kind != "f":
            raise _damaged(where, f"{name} is missing, or is no history over {', '.join(dims)}")
    for name, labels in _AXES.items():
        if name not in data.coords or data[name].values.tolist() != labels:
            raise _damaged(where, f"the components along {name} are not {', '.join(labels)}")
    time = data["time"].values if "time" in data.coords else np.empty(0)
    if time.ndim != 1 or time.dtype.kind != "f" or not len(time) or not (np.diff(time) >= 0.0).all():
        raise _damaged(where, "time is missing, or does not go forward")
    if {"point", "body", "point_body"} - set(data.variables):
        raise _damaged(where, "point, body or point_body is missing")
    owners = data["point_body"].values
    if data["point_body"].dims != ("point",) or owners.dtype.kind not in "iu":
        raise _damaged(where, "point_body is no list of bodies")
    if owners.size and not (owners.min() >= 0 and owners.max() < data.sizes["body"]):
        raise _damaged(where, "point_body names a body that there is not")


def _are_numbers(value: Any) -> bool:
    if isinstance(value, list | dict):
        return all(_are_numbers(item) for item in (value.values() if isinstance(value, dict) else value))
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _shown(value: Any) -> str:
    return "missing" if value is None else repr(value)[:40]


def _damaged(where: str, problem: str) -> InputError:
    return InputError(where, f"is damaged: {problem}", "a file written by planetfall run", "run the scenario again")
