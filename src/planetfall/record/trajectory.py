"""One run with its history, as an `xarray.Dataset` whose variables say their unit, meaning and frame."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
import xarray as xr

from planetfall.arguments import path_of
from planetfall.contact.laws import contact_law
from planetfall.engine.mechanisms.registry import mechanisms_of
from planetfall.engine.state.result import Frames, RecordedRun, RunEvent
from planetfall.engine.structure.state_sizes import ARMS, BODY_SIZE, ENGINE_SIZE, ENGINES, TETHERS
from planetfall.engine.structure.work_accounts import (
    WORK_ANCHOR,
    WORK_CRASH,
    WORK_DAMPER,
    WORK_EXTERNAL,
    WORK_FRICTION,
    WORK_ROLLING,
    WorkAccount,
)
from planetfall.record.files.schema import KEY, SCHEMA
from planetfall.record.shown import Shown
from planetfall.record.variables.attributes import axes_attribute, indexed, name_coordinates, variable
from planetfall.record.variables.attributes import history as _history
from planetfall.record.variables.engines import engine_names, engine_variables, masses, phase_variable
from planetfall.record.variables.facet_frames import lframe_axes, lframe_origin, normal_east_north
from planetfall.record.variables.mechanisms import (
    labels_of,
    mechanism_variables,
    numbers_of,
    own_works,
    part_variables,
    state_variables,
    tether_variables,
    works_of,
)
from planetfall.record.variables.places import place_variables
from planetfall.record.variables.readings import reading_variables
from planetfall.scenario.files.changed_keys import full_title
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import rotation_matrix

if TYPE_CHECKING:  # only a checker needs the default, which Python has from 3.13 on
    from typing_extensions import TypeVar

    S = TypeVar("S", default=Scenario)
else:
    from typing import TypeVar

    S = TypeVar("S")


@dataclass(frozen=True, repr=False)
class Trajectory(Shown, Generic[S]):
    """A recorded run.

    A notebook shows it as a card; `plot`, `view` and `report` show more.

    Attributes:
        scenario: What was simulated: a `Scenario`, or the `DriveScenario` of a rover's drive.
        data: Histories; the attribute `surface_frame` of the dataset says what S is (L or P).
        events: What happened when, in order of time.
        summary: The run in a few numbers, as in `summary.json`.
    """

    scenario: S
    data: xr.Dataset
    events: list[RunEvent] = field(default_factory=list)
    summary: dict[str, Any] = field(default_factory=dict)

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Writes the run folder: scenario.toml, trajectory.nc, summary.json, events.csv.

        Args:
            folder: New or empty, unless it may be replaced.
            overwrite: Whether an earlier run there may be replaced.

        Returns:
            The folder, which `planetfall.open` reads.
        """
        from planetfall.record.run_folder import save_run

        return save_run(self, path_of("folder", folder), overwrite=overwrite)

    def __repr__(self) -> str:
        name, end = getattr(self.scenario, "name", "?"), self.summary.get("end_s")
        told = f"{self.summary.get('outcome', 'no summary')}{'' if end is None else f', {end:.6g} s'}"
        n_frames, n_variables = self.data.sizes.get("time", 0), len(self.data.data_vars)
        return f"<Trajectory {name}: {told}; {n_variables} variables at {n_frames} times, {len(self.events)} events>"


def dataset_of(scenario: Scenario, run: RecordedRun) -> xr.Dataset:
    """The histories of a run under the names that other tools rely on."""
    frames, seen, frame = run.frames, run.observed, scenario.target.frame
    vehicles, names = scenario.vehicles, scenario.point_names
    engines = engine_names(scenario)
    bodies, own_states = np.split(frames.state, [BODY_SIZE * len(vehicles)], axis=1)
    mechanisms = mechanisms_of(scenario)
    thrusts, burnt = np.split(numbers_of(ENGINES, mechanisms, own_states), [ENGINE_SIZE * len(engines)], axis=1)
    work = works_of(mechanisms, contact_law(scenario), frames.state)
    bodies = bodies.reshape(len(frames.time), -1, BODY_SIZE)
    data = xr.Dataset(
        {
            "position": _history("m", "centre of mass", frame, ("body", "axis"), bodies[:, :, 0:3]),
            "velocity": _history("m/s", "velocity of the centre of mass", frame, ("body", "axis"), bodies[:, :, 3:6]),
            "quaternion": _history("1", "attitude, body to surface frame", frame, ("body", "quat"), bodies[:, :, 6:10]),
            "angular_velocity": _history(
                "rad/s", "angular velocity relative to the surface frame", "B", ("body", "axis"), bodies[:, :, 10:13]
            ),
            "mass": _history("kg", "mass", "", ("body",), masses(scenario, burnt, len(frames.time))),
            "point_body": variable(
                "point",
                np.repeat(np.arange(len(vehicles), dtype=np.int32), [len(vehicle.points) for vehicle in vehicles]),
                "1", "body of a contact point",
            ),
            "point_position": variable(
                ("point", "axis"), np.vstack([vehicle.tips for vehicle in vehicles]),
                "m", "contact point from the centre of mass", "B",
            ),
            "contact_gap": _history("m", "gap to the ground, positive in the air", "", ("point",), seen.gap),
            "contact_force": _history("N", "ground force on the vehicle", frame, ("point", "axis"), seen.force),
            "contact_normal_force": _history("N", "normal force", "", ("point",), seen.normal_force),
            "contact_friction_force": _history("N", "friction force", "", ("point",), seen.friction_force),
            "contact_mode": _history("1", "0 none, 1 static, 2 kinetic", "", ("point",), seen.mode.astype(np.int8)),
            **_energies(seen.energy, work),
            **_energies_by_body(scenario, seen.body_energy),
            **_crashes(scenario, work),
            **_changes(run),
            **_anchors(scenario, run, work),
            **_frictions(scenario, run, work),
            **state_variables(mechanisms, frame, own_states),
            **tether_variables(scenario, frames.time, numbers_of(TETHERS, mechanisms, own_states)),
            **engine_variables(scenario, thrusts, burnt, numbers_of(ARMS, mechanisms, own_states)),
            **phase_variable(run.end.transitions[0], frames.time),
            **reading_variables(scenario.sensors, run.samples),
            **place_variables(scenario, bodies[:, :, 0:3]),
            **mechanism_variables(mechanisms, frame, seen.mechanisms, len(vehicles)),
            **part_variables(mechanisms, seen.mechanisms),
            **own_works(work),
            **_dents(frames),
            **_target(scenario, frames.time),
        },
        coords=indexed({
            "time": variable("time", frames.time, "s", "time since release"),
            **name_coordinates(
                body=scenario.body_names if scenario.companions else ["vehicle"], axis="xyz", quat="xyzw", point=names
            ),
            **({} if run.frames.anchor is None else name_coordinates(nen=["normal", "east", "north"])),
            **name_coordinates(**labels_of(mechanisms, scenario)),
            **(name_coordinates(engine=engines) if engines else {}),
            **(name_coordinates(tether=[tether.name for tether in scenario.tethers]) if scenario.tethers else {}),
        }),
        attrs={
            "surface_frame": frame, "scenario": scenario.name, "title": full_title(scenario), KEY: SCHEMA,
            **axes_attribute(scenario.ground),
        },
    )  # fmt: skip
    return data


def _target(scenario: Scenario, times: np.ndarray) -> dict[str, xr.Variable]:
    """How the surface frame lies among the stars, unless it never differs from the inertial one."""
    if not scenario.target.is_turned:
        return {}
    meaning = "attitude of the target, surface to inertial frame"
    return {"target_quaternion": _history("1", meaning, "I", ("quat",), scenario.target.attitude_at(times))}


Works = dict[WorkAccount, np.ndarray]
"""Work [time] [J] by account."""


def _work(account: WorkAccount, work: Works) -> dict[str, xr.Variable]:
    return {account.name: _history("J", account.meaning, "", (), work[account])}


def _energies(energy: np.ndarray, work: Works) -> dict[str, xr.Variable]:
    columns = {
        "energy_kinetic": (energy[:, 0], "kinetic energy relative to the surface frame"),
        "energy_gravity": (energy[:, 1], "gravitational energy, with the centrifugal part in a rotating frame"),
        "energy_elastic": (energy[:, 2], "elastic energy stored in the ground and in tethers"),
        "energy_total": (energy.sum(axis=1), "sum of kinetic, gravitational and elastic energy"),
    }
    energies = {name: _history("J", meaning, "", (), values) for name, (values, meaning) in columns.items()}
    return energies | _work(WORK_DAMPER, work) | _work(WORK_FRICTION, work) | _work(WORK_EXTERNAL, work)


def _energies_by_body(scenario: Scenario, energy: np.ndarray) -> dict[str, xr.Variable]:
    """Where there are several vehicles: what each of them holds; tethers hold the rest."""
    if not scenario.companions:
        return {}
    meanings = {
        "kinetic": "kinetic energy of each vehicle, relative to the surface frame",
        "gravity": "gravitational energy of each vehicle, with the centrifugal part in a rotating frame",
        "elastic": "elastic energy stored in the ground by each vehicle",
    }
    return {
        f"body_energy_{kind}": _history("J", meaning, "", ("body",), energy[:, :, i])
        for i, (kind, meaning) in enumerate(meanings.items())
    }


def _crashes(scenario: Scenario, work: Works) -> dict[str, xr.Variable]:
    """What crashes of discarded vehicles took, where they may crash."""
    if scenario.outcome.crash_speed is None or scenario.n_judged == len(scenario.vehicles):
        return {}
    return _work(WORK_CRASH, work)


def _changes(run: RecordedRun) -> dict[str, xr.Variable]:
    """What changes of parameters on the way did to stored energy; from its instant on, a change holds."""
    if not run.changes:
        return {}
    moved = np.cumsum([0.0, *(change.energy for change in run.changes)])
    values = moved[np.searchsorted([change.time for change in run.changes], run.frames.time, side="right")]
    meaning = "energy that changes of parameters during the run put in"
    return {"work_changes": _history("J", meaning, "", (), values)}


def _anchors(scenario: Scenario, run: RecordedRun, work: Works) -> dict[str, xr.Variable]:
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
    positions = np.concatenate(
        [
            _tip_paths(frames.state[:, BODY_SIZE * i : BODY_SIZE * (i + 1)], vehicle.tips)
            for i, vehicle in enumerate(scenario.vehicles)
        ],
        axis=1,
    )
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
        "lframe_origin": variable("axis", origin, "m", "origin of LFRAME", frame),
        "lframe_axes": variable(("nen", "axis"), lframe, "1", "up, east, north of LFRAME", frame),
        **_work(WORK_ANCHOR, work),
    }


def _dents(frames: Frames) -> dict[str, xr.Variable]:
    """Where a law keeps them."""
    if frames.dent is None:
        return {}
    return {
        "contact_dent": _history("m", "how deep the ground has been pressed at a point", "", ("point",), frames.dent)
    }


def _tip_paths(states: np.ndarray, tips: np.ndarray) -> np.ndarray:
    """Paths [frame, point, 3] [m] of a body's contact points, surface frame."""
    return states[:, None, :3] + np.einsum("tij,pj->tpi", rotation_matrix(states[:, 6:10]), tips)


def _frictions(scenario: Scenario, run: RecordedRun, work: Works) -> dict[str, xr.Variable]:
    """What a gathering law adds to the normal forces of a body's vertices."""
    found, frame, dims = run.observed.friction, scenario.target.frame, ("body", "axis")
    if found is None:
        return {}
    return {
        "application_point": _history("m", "where friction acts", frame, dims, found.application_point),
        "friction_force": _history("N", "friction at the application point", frame, dims, found.force),
        "rolling_torque": _history("N m", "rolling resistance", frame, dims, found.rolling_torque),
        "rolling_force": _history(
            "N", "its companion at the centre of mass, which leaves sliding alone", frame, dims, found.rolling_force
        ),
        **_work(WORK_ROLLING, work),
    }
