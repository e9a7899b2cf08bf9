"""One run with its history, as an `xarray.Dataset` whose variables say their unit, meaning and frame."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic

import numpy as np
import xarray as xr
from typing_extensions import TypeVar

from planetfall.engine.layout_sizes import BODY_SIZE, N_WORK, WORK_ANCHOR, WORK_ROLLING
from planetfall.engine.result import Event, RecordedRun
from planetfall.record.attributes import history as _history
from planetfall.record.attributes import variable_attrs
from planetfall.record.facet_frames import lframe_axes, lframe_origin, normal_east_north
from planetfall.record.readings import reading_variables
from planetfall.scenario.attitude import rotation_matrix
from planetfall.scenario.scenario import Scenario

S = TypeVar("S", default=Scenario)


@dataclass(frozen=True)
class Trajectory(Generic[S]):
    """A recorded run.

    Attributes:
        scenario: What was simulated: a `Scenario`, or the `DriveScenario` of a rover's drive.
        data: Histories; the attribute `surface_frame` of the dataset says what S is (L or P).
        events: What happened when, in order of time.
        summary: The run in a few numbers, as in `summary.json`.
    """

    scenario: S
    data: xr.Dataset
    events: list[Event] = field(default_factory=list)
    summary: dict[str, Any] = field(default_factory=dict)

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Writes the run folder: scenario.toml, trajectory.nc, summary.json, events.csv."""
        from planetfall.record.store import save_run

        return save_run(self, Path(folder), overwrite=overwrite)


def dataset_of(scenario: Scenario, run: RecordedRun) -> xr.Dataset:
    """The histories of a run under the names that other tools rely on."""
    frames, seen, frame = run.frames, run.observed, scenario.target.frame
    n_wheels = len(scenario.vehicle.flywheels)
    bodies = frames.state[:, : -N_WORK - n_wheels].reshape(len(frames.time), -1, BODY_SIZE)
    work = frames.state[:, -N_WORK:]
    names = [point.name for point in scenario.vehicle.points]
    data = xr.Dataset(
        {
            "position": _history("m", "centre of mass", frame, ("body", "axis"), bodies[:, :, 0:3]),
            "velocity": _history("m/s", "velocity of the centre of mass", frame, ("body", "axis"), bodies[:, :, 3:6]),
            "quaternion": _history("1", "attitude, body to surface frame", frame, ("body", "quat"), bodies[:, :, 6:10]),
            "angular_velocity": _history(
                "rad/s", "angular velocity relative to the surface frame", "B", ("body", "axis"), bodies[:, :, 10:13]
            ),
            "mass": _history("kg", "mass", "", ("body",), np.full((len(frames.time), 1), scenario.vehicle.mass)),
            "point_body": xr.Variable(
                "point", np.zeros(len(names), np.int32), variable_attrs("1", "body of a contact point", "")
            ),
            "point_position": xr.Variable(
                ("point", "axis"),
                scenario.vehicle.tips,
                variable_attrs("m", "contact point from the centre of mass", "B"),
            ),
            "contact_gap": _history("m", "gap to the ground, positive apart", "", ("point",), seen.gap),
            "contact_force": _history("N", "ground force on the vehicle", frame, ("point", "axis"), seen.force),
            "contact_normal_force": _history("N", "normal force", "", ("point",), seen.normal_force),
            "contact_friction_force": _history("N", "friction force", "", ("point",), seen.friction_force),
            "contact_mode": _history("1", "0 none, 1 static, 2 kinetic", "", ("point",), seen.mode.astype(np.int8)),
            **_energies(seen.energy, work),
            **_anchors(scenario, run),
            **_frictions(scenario, run),
            **_wheels(scenario, frames.state[:, -N_WORK - n_wheels : -N_WORK]),
            **reading_variables(scenario.sensors, run.samples),
        },
        coords={
            "time": ("time", frames.time, variable_attrs("s", "time since release", "")),
            "body": ["vehicle"],
            "axis": ["x", "y", "z"],
            "quat": ["x", "y", "z", "w"],
            "point": names or np.array([], dtype="<U1"),
            **({} if run.frames.anchor is None else {"nen": ["normal", "east", "north"]}),
            **({"flywheel": [wheel.name for wheel in scenario.vehicle.flywheels]} if n_wheels else {}),
        },
        attrs={"surface_frame": frame, "scenario": scenario.name, "title": scenario.scenario.title},
    )
    return data


def _energies(energy: np.ndarray, work: np.ndarray) -> dict[str, xr.Variable]:
    columns = {
        "energy_kinetic": (energy[:, 0], "kinetic energy relative to the surface frame"),
        "energy_gravity": (energy[:, 1], "gravitational energy, with the centrifugal part in a rotating frame"),
        "energy_elastic": (energy[:, 2], "elastic energy stored in the ground"),
        "energy_total": (energy.sum(axis=1), "sum of kinetic, gravitational and elastic energy"),
        "work_damper": (work[:, 0], "work of the ground's dampers on the vehicle"),
        "work_friction": (work[:, 1], "work of friction on the vehicle"),
        "work_external": (work[:, 2], "work of the scenario's forces on the vehicle"),
    }
    return {name: _history("J", meaning, "", (), values) for name, (values, meaning) in columns.items()}


def _anchors(scenario: Scenario, run: RecordedRun) -> dict[str, xr.Variable]:
    """What a remembering law keeps, and the frames that its paper uses."""
    frames, frame = run.frames, scenario.target.frame
    if frames.anchor is None or frames.normal is None:
        return {}
    center, axes = frames.state[:, :3], rotation_matrix(frames.state[0, 6:10])
    tips = center[0] + scenario.vehicle.tips @ axes.T
    is_held = (frames.modes != 0)[:, :, None]
    anchor, normal = (np.where(is_held, values, np.nan) for values in (frames.anchor, frames.normal))
    lframe = lframe_axes(center[0], frame)
    lowest = tips[np.argmin(tips @ lframe[0])] if len(tips) else center[0]
    origin = lframe_origin(center[0], lowest, bool(is_held[0].any()), frame, scenario.target.radius)
    pframe = normal_east_north(normal, frame)
    positions = center[:, None] + np.einsum(
        "tij,pj->tpi", rotation_matrix(frames.state[:, 6:10]), scenario.vehicle.tips
    )
    work = frames.state[:, -N_WORK + WORK_ANCHOR]
    across = ("point", "nen")

    def in_pframe(vectors: np.ndarray) -> np.ndarray:
        return np.einsum("tpij,tpj->tpi", pframe, vectors)

    return {
        "contact_anchor": _history("m", "saved place on the ground", frame, ("point", "axis"), anchor),
        "contact_normal": _history("1", "outward normal of the facet there", frame, ("point", "axis"), normal),
        "contact_force_pframe": _history(
            "N", "ground force along the facet's normal, east, north", "PFRAME", across, in_pframe(run.observed.force)
        ),
        "contact_delta_pframe": _history(
            "m", "contact point from its saved place", "PFRAME", across, in_pframe(positions - anchor)
        ),
        "position_lframe": _history(
            "m", "centre of mass, up, east, north", "LFRAME", ("nen",), (center - origin) @ lframe.T
        ),
        "lframe_origin": xr.Variable("axis", origin, variable_attrs("m", "origin of LFRAME", frame)),
        "lframe_axes": xr.Variable(("nen", "axis"), lframe, variable_attrs("1", "up, east, north of LFRAME", frame)),
        "work_anchor": _history("J", "energy that saved places made or lost", "", (), work),
    }


def _frictions(scenario: Scenario, run: RecordedRun) -> dict[str, xr.Variable]:
    """What a gathering law adds to the normal forces of a body's vertices."""
    found, frame, dims = run.observed.friction, scenario.target.frame, ("body", "axis")
    if found is None:
        return {}
    work = run.frames.state[:, -N_WORK + WORK_ROLLING]
    return {
        "application_point": _history("m", "where friction acts", frame, dims, found.application_point),
        "friction_force": _history("N", "friction at the application point", frame, dims, found.force),
        "rolling_torque": _history("N m", "rolling resistance", frame, dims, found.rolling_torque),
        "rolling_force": _history(
            "N", "its companion at the centre of mass, which leaves sliding alone", frame, dims, found.rolling_force
        ),
        "work_rolling": _history("J", "work of rolling resistance on the vehicle", "", (), work),
    }


def _wheels(scenario: Scenario, speeds: np.ndarray) -> dict[str, xr.Variable]:
    if not scenario.vehicle.flywheels:
        return {}
    return {"flywheel_speed": _history("rad/s", "flywheel relative to the vehicle", "B", ("flywheel",), speeds)}
