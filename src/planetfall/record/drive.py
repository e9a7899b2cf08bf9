"""A rover's drive under the names that runs have, and those that only rovers have."""

from collections.abc import Callable

import numpy as np
import xarray as xr
from scipy.spatial.transform import Rotation

from planetfall.engine.state.result import RunEvent
from planetfall.record.files.schema import KEY, SCHEMA
from planetfall.record.variables.attributes import axes_attribute, history, indexed, name_coordinates, variable
from planetfall.rover.drive.drive import Drive
from planetfall.rover.kinematics.forward import Joints, lean_axes
from planetfall.rover.model import WHEEL_NAMES, RoverModel
from planetfall.rover.statics.verdict import VERDICTS
from planetfall.scenario.drive import DriveScenario
from planetfall.scenario.files.changed_keys import full_title

LINKS = ("right rocker", "right bogie", "left rocker", "left bogie")
JOINTS = ("right axis", "right pivot", "left axis", "left pivot")
ROUNDING = 1e-9
"""How far the friction used may exceed 1 by rounding, where a constraint is active."""


def n_recorded(scenario: DriveScenario, run: Drive) -> int:
    """Samples that belong to the drive: up to the first that fails, if the drive ends there."""
    return len(run) if run.stop is None or not scenario.drive.stop else run.stop + 1


def dataset_of_drive(scenario: DriveScenario, run: Drive) -> xr.Dataset:
    """The histories of a drive; without a pose all numbers are NaN."""
    rows, found = slice(0, n_recorded(scenario, run)), run.of_poses("is_found")
    variables = {**_body(run), **_contacts(run), **_wheels(run), **_energies(run)}
    for name, column in variables.items():
        if column.dtype.kind == "f" and name not in ("distance", "mass"):
            at = found.reshape(-1, *[1] * (column.ndim - 1))
            column.values = np.where(at, column.values, np.nan)
    data = xr.Dataset(
        {
            **variables,
            "point_body": variable("point", np.zeros(6, np.int32), "1", "body of a wheel"),
            "point_position": variable(
                ("point", "axis"), _flat_contacts(run.parts[0].stretch.rover),
                "m", "contact of a wheel from the centre of mass on flat ground, at the start", "B",
            ),
        },
        coords=indexed({
            "time": variable("time", run.time, "s", "time since the start"),
            **name_coordinates(
                body=["vehicle"], axis="xyz", quat="xyzw", point=WHEEL_NAMES, wheel=WHEEL_NAMES, link=LINKS,
                joint=JOINTS,
            ),
        }),
        attrs={
            "surface_frame": "L", "scenario": scenario.name, "title": full_title(scenario), KEY: SCHEMA,
            **axes_attribute(scenario.terrain),
        },
    )  # fmt: skip
    return data.isel(time=rows)


def events_of_drive(scenario: DriveScenario, run: Drive) -> list[RunEvent]:
    """Where rover or soil change, and every change of the verdict: when, after what distance, which wheel decides."""
    verdict, culprit = run.of_forces("verdict"), run.of_forces("culprit")
    center, n = run.of_joints("center_L"), n_recorded(scenario, run)

    def event(i: int, kind: str, point: int) -> RunEvent:
        place = tuple(center[i].tolist())
        return RunEvent(
            time=float(run.time[i]), kind=kind, point=point, value=float(run.path.distance[i]), position=place
        )

    changed = [event(part.first, "changed", -1) for part in run.parts[1:] if part.first < n]
    judged = [
        event(i, VERDICTS[int(verdict[i])].partition(":")[0], int(culprit[i]))
        for i in np.flatnonzero(np.diff(verdict, prepend=0)).tolist()
        if i < n
    ]
    return sorted([*changed, *judged], key=lambda each: each.time)


def _body(run: Drive) -> dict[str, xr.Variable]:
    center, dims = run.of_joints("center_L"), ("body", "axis")
    attitude = _attitude(run.of_joints("R_LB"))
    return {
        "distance": history("m", "distance along the path, horizontal", "", (), run.path.distance),
        "position": history("m", "centre of mass", "L", dims, center[:, None]),
        "velocity": history("m/s", "velocity of the centre of mass", "L", dims, _by_part(run, _moves)[:, None]),
        "quaternion": history(
            "1", "attitude, body to surface frame", "L", ("body", "quat"), attitude.as_quat()[:, None]
        ),
        "angular_velocity": history(
            "rad/s", "angular velocity relative to the surface frame", "B", dims, _by_part(run, _spins)[:, None]
        ),
        "mass": history("kg", "mass", "", ("body",), run.mass[:, None]),
        "rover_roll": history("rad", "roll, positive with the right side up", "", (), run.of_poses("roll")),
        "rover_pitch": history("rad", "pitch, positive nose up", "", (), run.of_poses("pitch")),
        "rover_angles": history(
            "rad", "pitch of rockers and bogies, nose up, zero on flat ground", "", ("link",),
            run.of_poses("joint_pitch"),
        ),
        "joint_position": history(
            "m", "ends of the differential's axis, pivots of the bogies", "L", ("joint", "axis"),
            np.stack([run.of_joints("axis_L"), run.of_joints("pivot_L")], axis=2).reshape(-1, 4, 3),
        ),
        "wheel_position": history("m", "centres of the wheels", "L", ("wheel", "axis"), run.of_joints("wheel_L")),
    }  # fmt: skip


def _contacts(run: Drive) -> dict[str, xr.Variable]:
    """What the ground does to the wheels, under the names of contact points."""
    normal, traction, lateral = (run.of_forces(name) for name in ("normal", "traction", "lateral"))
    angle, lean = run.of_poses("contact_angle"), lean_axes(run.path.yaw, run.of_poses("roll"))
    along, up = np.cos(angle)[..., None], np.sin(angle)[..., None]
    forward, left, upward = (lean[:, None, :, k] for k in range(3))
    force = normal[..., None] * (along * upward - up * forward) + traction[..., None] * (along * forward + up * upward)
    force = force + lateral[..., None] * left
    # on friction the lateral force counts as well; on soil it is not limited
    is_dry = np.concatenate([np.full(part.n, part.stretch.soil.law.name == "coulomb") for part in run.parts])
    slips = (run.of_forces("slip_ratio") > 1) | (is_dry[:, None] & (run.of_forces("friction_used") > 1 + ROUNDING))
    mode = np.where(run.of_poses("is_found")[:, None] & (normal > 0), np.where(slips, 2, 1), 0).astype(np.int8)
    one = ("point",)
    return {
        "contact_position": history("m", "where the wheels touch", "L", ("point", "axis"), run.of_joints("contact_L")),
        "contact_gap": history("m", "gap to the ground, positive in the air", "", one, run.of_poses("excess")),
        "contact_force": history("N", "ground force on the wheel", "L", ("point", "axis"), force),
        "contact_normal_force": history("N", "load: force in the wheel's plane towards its centre", "", one, normal),
        "contact_friction_force": history("N", "force across the load", "", one, np.hypot(traction, lateral)),
        "contact_mode": history("1", "0 none, 1 holds, 2 slips", "", one, mode),
    }


def _wheels(run: Drive) -> dict[str, xr.Variable]:
    named = {
        "wheel_torque": ("torque", "N m", "torque of the motor, forward, rolling resistance included"),
        "wheel_traction": ("traction", "N", "traction along the rim, forward"),
        "wheel_lateral_force": ("lateral", "N", "lateral force, positive to the left"),
        "wheel_slip_ratio": ("slip_ratio", "1", "use of the grip: |T|/(mu N), or |T + R|/H on soil"),
        "wheel_saturation": ("saturation", "1", "torque over its largest value"),
        "wheel_friction_needed": ("friction_needed", "1", "tangential over normal force in space"),
        "wheel_friction_used": (
            "friction_used",
            "1",
            "friction needed over that of the ground; on soil, with the lateral force, over H",
        ),
        "wheel_sinkage": ("sinkage", "m", "depth of the wheel in the soil"),
        "wheel_slip": ("slip", "1", "slip at which the soil gives the traction"),
    }
    over_time = {
        "margin_stability": ("stability_margin", "1", "least angle to tipping, over its flat value"),
        "margin_unloading": ("unloading_margin", "1", "least angle to the unloading of a wheel, over its flat value"),
        "thrust_left": ("thrust", "N", "forward force that is left unbalanced"),
        "yaw_left": ("yaw", "N m", "yawing moment that is left unbalanced"),
    }
    out: dict[str, xr.Variable] = {}
    for dims, chosen in ((("wheel",), named), ((), over_time)):
        out |= {name: history(unit, said, "", dims, run.of_forces(key)) for name, (key, unit, said) in chosen.items()}
    out["wheel_contact_angle"] = history(
        "rad", "where the wheel touches, forward from the lowest point of its rim", "", ("wheel",),
        run.of_poses("contact_angle"),
    )  # fmt: skip
    listed = "; ".join(f"{code} {text.partition(':')[0]}" for code, text in VERDICTS.items())
    out["verdict"] = history("1", listed, "", (), run.of_forces("verdict").astype(np.int8))
    return out


def _energies(run: Drive) -> dict[str, xr.Variable]:
    """Quasi-static: what the motors spend is the rise of the centre of mass and what the ground takes."""
    work, driving, returned = run.motor_work, run.driving_work, run.returned_work
    return {
        "energy_gravity": history("J", "weight times rise of the centre of mass", "", (), run.rise_work),
        "energy_total": history("J", "the same: the drive is quasi-static", "", (), run.rise_work),
        "work_motor": history("J", "net work of each motor: driving and braking", "", ("wheel",), work),
        "work_motor_positive": history("J", "work of each motor while it drives", "", ("wheel",), driving),
        "work_motor_regenerated": history(
            "J", "work of each motor while it brakes, negative: what could be regenerated", "", ("wheel",), returned
        ),
        "work_rolling": history("J", "work of rolling resistance on each wheel", "", ("wheel",), -run.resistance_work),
        "work_contact": history(
            "J", "work of the ground on each wheel, which is carried sideways", "", ("wheel",), -run.skid_work
        ),
        "work_slip": history("J", "work of the soil on each wheel that slips in it", "", ("wheel",), -run.slip_work),
        "wheel_power": history("W", "power of each motor, positive driving", "", ("wheel",), _rate(run, work)),
        "power_peak": history(
            "W", "largest power of all motors that drive, since the frame before", "", (), run.peak_power
        ),
    }


def _flat_contacts(rover: RoverModel) -> np.ndarray:
    """Contacts on flat ground from the centre of mass [m], body frame, [6, 3]."""
    radius, out = rover.table.wheels.radius, []
    for i, side in enumerate(rover.sides):
        wheels = np.array([side.rocker, np.add(side.pivot, side.inner), np.add(side.pivot, side.outer)])
        wheels = wheels[rover.order[:3]]
        out.append(np.column_stack([wheels[:, 0], rover.aside[3 * i : 3 * i + 3], wheels[:, 1] - radius]))
    return np.concatenate(out) - rover.center_of_mass_B


def _rate(run: Drive, values: np.ndarray) -> np.ndarray:
    """Derivative by time, by central differences."""
    return np.gradient(values, run.time, axis=0)


def _by_part(run: Drive, rate: Callable[[Joints, np.ndarray], np.ndarray]) -> np.ndarray:
    """A rate [n, 3] of every part from its joints and times [s]: where another rover takes over, nothing has moved.

    The last sample of a drive that is a part by itself has the rate with which the rover before it arrived.
    """
    out: list[np.ndarray] = []
    arriving = np.zeros((1, 3))
    for part, joints in zip(run.parts, run.joints, strict=True):
        time = run.time[part.first : part.first + len(part.poses)]
        rates = rate(joints, time) if len(time) > 1 else arriving
        out.append(rates[: part.n])
        arriving = rates[-1:]
    return np.concatenate(out)


def _moves(joints: Joints, time: np.ndarray) -> np.ndarray:
    """Velocity of the centre of mass [m/s], surface frame."""
    return np.gradient(joints.center_L, time, axis=0)


def _spins(joints: Joints, time: np.ndarray) -> np.ndarray:
    """Angular velocity [rad/s], body components, from the turns to both neighbours."""
    attitude = _attitude(joints.R_LB)
    step = (attitude[:-1].inv() * attitude[1:]).as_rotvec() / np.diff(time)[:, None]
    return np.concatenate([step[:1], (step[:-1] + step[1:]) / 2, step[-1:]])


def _attitude(R_LB: np.ndarray) -> Rotation:
    """Where there is no pose, the numbers made of this are left out afterwards."""
    known = np.isfinite(R_LB).all(axis=(1, 2), keepdims=True)
    return Rotation.from_matrix(np.where(known, R_LB, np.eye(3)))
