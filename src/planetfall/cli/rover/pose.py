"""`planetfall rover pose`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from planetfall.cli.terminal.console import print_note, progress_bar
from planetfall.cli.terminal.inputs import drive_with_sets
from planetfall.errors import InputError
from planetfall.record.files.plain_json import plain_json
from planetfall.rover.drive.drive import Stretch
from planetfall.rover.drive.path import middle_places
from planetfall.rover.drive.prepare import PreparedDrive, prepare
from planetfall.rover.kinematics.poses import Poses, every_pose, find_poses, heading_yaw
from planetfall.rover.model import WHEEL_NAMES, RoverModel
from planetfall.rover.statics.statics import Forces, find_forces
from planetfall.scenario.files.changed_keys import changes_text, full_title, title_of
from planetfall.world.terrain.surface_axes import axes_of_surface


@dataclass(frozen=True)
class PoseRequest:
    """The options of the verb: where, with which torques, by which method, and whether all poses are wanted."""

    along: float
    at: str | None
    heading_deg: float | None
    torques: str | None
    method: str
    every: bool


def show_pose(name: str, sets: list[str], asked: PoseRequest, out: Path | None, as_json: bool) -> None:
    """Prints one pose with its forces; draws it where a folder is given."""
    scenario = drive_with_sets(name, sets)
    ready = prepare(scenario)
    for note in ready.notes:
        print_note(note)
    torques = None if asked.torques is None else numbers_of("--torques", asked.torques, (1, 6))
    goal = scenario.drive.goal if torques is None else "commanded"
    length = ready.path.distance[-1]
    if not 0.0 <= asked.along <= length:
        raise InputError("--along", f"{asked.along:g} m", f"0 to {length:g} m, the length of the path")
    with progress_bar(scenario.name):
        stretch = ready.stretch_at(asked.along)
        place = _place(ready, stretch.rover, asked)
        poses = find_poses(stretch.rover, ready.surface, place, asked.method)
        forces = find_forces(poses, stretch.soil, ready.gravity, goal, torques)
        others = len(every_pose(stretch.rover, ready.surface, place)) if asked.every else None
    values, at = _values(poses, forces, goal, others), _at(asked)
    counted_from = axes_of_surface(ready.surface).ahead
    drawn = (
        []
        if out is None or not poses.is_found[0]
        else _draw(ready, stretch, poses, forces, out, changes_text(scenario), f"{title_of(scenario)}, {at}")
    )
    if as_json:
        print(json.dumps({"scenario": scenario.name, **values, "figures": list(map(str, drawn))}, indent=2))
        return
    _print(values, full_title(scenario), counted_from)
    for path in drawn:
        print(f"Figure   {path}")


def _place(ready: PreparedDrive, rover: RoverModel, asked: PoseRequest) -> np.ndarray:
    """The place of the middle right wheel."""
    if asked.at is not None:
        xy = numbers_of("--at", asked.at, (2,))
        yaw = heading_yaw([90.0 if asked.heading_deg is None else asked.heading_deg])
        return middle_places(rover, xy[None], yaw)
    if asked.heading_deg is not None:
        raise InputError("--heading-deg", "is given without --at: along the path, the path gives the heading")
    i = int(np.argmin(np.abs(ready.path.distance - asked.along)))
    return ready.path.places(rover)[i : i + 1]


def numbers_of(option: str, text: str, lengths: tuple[int, ...]) -> np.ndarray:
    """The numbers of an option, separated by commas."""
    try:
        found = np.array([float(part) for part in text.split(",")])
    except ValueError:
        found = np.array([np.nan])
    if len(found) not in lengths or not np.all(np.isfinite(found)):
        raise InputError(option, f"{text!r}", f"{' or '.join(map(str, lengths))} numbers, separated by commas")
    return found


def _values(poses: Poses, forces: Forces, goal: str, others: int | None) -> dict[str, Any]:
    x, y, yaw = poses.places[0]
    angles = (poses.roll, poses.pitch, poses.joint_pitch, poses.contact_angle)
    roll, pitch, joints, contacts = (np.degrees(values[0]) for values in angles)
    place = {
        "middle_right_wheel_m": [x, y],
        "heading_deg": (90.0 - np.degrees(yaw)) % 360.0,
        "pose": poses.says(),
        "iterations": poses.iterations[0],
        "residual_m": poses.residual[0],
        **({} if others is None else {"poses_found": others}),
    }
    if not poses.is_found[0]:
        return plain_json({**place, "verdict": "no pose"})
    wheels = {
        "contact_angle_deg": contacts,
        "normal_force_N": forces.normal[0],
        "traction_N": forces.traction[0],
        "lateral_force_N": forces.lateral[0],
        "torque_N_m": forces.torque[0],
        "saturation": forces.saturation[0],
        "slip_ratio": forces.slip_ratio[0],
        "friction_needed": forces.friction_needed[0],
        "friction_used": forces.friction_used[0],
    }
    return plain_json(
        {
            **place,
            "roll_deg": roll,
            "pitch_deg": pitch,
            "rockers_and_bogies_deg": joints,
            "goal": goal,
            "verdict": forces.says(),
            "margin_stability": forces.stability_margin[0],
            "margin_unloading": forces.unloading_margin[0],
            "thrust_left_N": forces.thrust[0],
            "yaw_left_N_m": forces.yaw[0],
            "wheels": list(WHEEL_NAMES),
            **wheels,
        }
    )


def _print(values: dict[str, Any], title: str, counted_from: str) -> None:
    print(title)
    x, y = values["middle_right_wheel_m"]
    heading = f"heading {values['heading_deg']:g} deg from {counted_from}"
    print(f"Place    middle right wheel at ({x:.4f}, {y:.4f}) m, {heading}")
    found = f" ({values['iterations']} iterations, off by {values['residual_m']:.1e} m)" if "wheels" in values else ""
    print(f"Pose     {values['pose']}{found}")
    if "poses_found" in values:
        print(f"         poses found from many starts: {values['poses_found']}")
    if "wheels" not in values:
        return
    shown = [f"{round(angle, 3) + 0.0:.3f}" for angle in values["rockers_and_bogies_deg"]]
    roll, pitch = (f"{round(values[key], 3) + 0.0:.3f}" for key in ("roll_deg", "pitch_deg"))
    print(f"         roll {roll}, pitch {pitch} deg; rocker and bogie right {', '.join(shown[:2])}, "
          f"left {', '.join(shown[2:])} deg")  # fmt: skip
    print(f"Verdict  {values['verdict']}; torques: {values['goal']}")
    print(f"Margins  stability {values['margin_stability']:.4f}, unloading {values['margin_unloading']:.4f} of flat")
    thrust, yaw = (_rounded(values[key]) for key in ("thrust_left_N", "yaw_left_N_m"))
    print(f"Left     thrust {thrust} N, yaw {yaw} N m unbalanced")
    columns = {
        "contact [deg]": "contact_angle_deg", "load [N]": "normal_force_N", "traction [N]": "traction_N",
        "lateral [N]": "lateral_force_N", "torque [N m]": "torque_N_m", "saturation": "saturation",
        "slip ratio": "slip_ratio", "needs mu": "friction_needed", "friction used": "friction_used",
    }  # fmt: skip
    print(f"  {'Wheel':<14}" + "".join(f"{word:>14}" for word in columns))
    for i, wheel in enumerate(values["wheels"]):
        row = (values[key][i] for key in columns.values())
        print(f"  {wheel:<14}" + "".join(f"{_rounded(number):>14}" for number in row))
    print("  needs mu: tangential over normal force, lateral force included; friction used: that over what there is")


def _rounded(number: float) -> str:
    """Four digits; rounding errors are nought."""
    return f"{round(number, 9) + 0.0:.4g}"


def _at(asked: PoseRequest) -> str:
    """Where the pose is, in words."""
    return f"{asked.along:g} m along the path" if asked.at is None else f"at ({asked.at}) m"


def _draw(
    ready: PreparedDrive, stretch: Stretch, poses: Poses, forces: Forces, out: Path, changed: str, title: str
) -> list[Path]:
    from planetfall.report.rover.drive_figures import draw_load_torque
    from planetfall.report.rover.pose_figures import draw_side_view
    from planetfall.report.style import below_figures

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--out {out}", f"cannot be made ({error.strerror or error})", "a folder") from None
    with below_figures(changed):
        return [
            draw_side_view(poses, forces, ready.surface, out, title=title),
            draw_load_torque(poses, stretch.soil, ready.gravity, out, title),
        ]
