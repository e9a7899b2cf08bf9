"""Figure of a hop by an eccentric arm: what the motor does, how the body turns, what the ground feels."""

from pathlib import Path

import numpy as np

from planetfall.record.trajectory import Trajectory
from planetfall.report.run.plan_span import around_plan
from planetfall.report.style import curve, label_axes, new_rows, save_figure
from planetfall.scenario.tables.vehicle.eccentric_arm import EccentricArm


def draw_arm(trajectory: Trajectory, folder: Path) -> list[Path]:
    """Angle, rate and ground force about the plan of the first vehicle's arm where frames are close, else all along."""
    arm, data = trajectory.scenario.vehicle.arm, trajectory.data
    if arm is None or len(arm.times) < 2:
        return []
    data, remark = around_plan(data, arm.times[0], arm.times[-1])
    time = data.time.values
    figure, rows = new_rows(3, row=1.7)
    rows[0].plot(time, np.degrees(data.arm_angle.values[:, 0]), label="arm", **curve(0))
    if arm.angles_deg:
        rows[0].plot(time, planned(arm, time), label="plan", **curve(1))
    rates = data.angular_velocity.values[:, 0]
    for i, name in enumerate("xyz"):
        rows[1].plot(time, rates[:, i], label=name, **curve(i))
    rows[2].plot(time, data.contact_normal_force.values.sum(axis=1), **curve(0))
    label_axes(rows[0], "", "angle [deg]", f"{trajectory.scenario.name}: the arm, the body, the ground{remark}")
    label_axes(rows[1], "", "body rate [rad/s]", "")
    label_axes(rows[2], "time [s]", "normal force [N]", "", has_legend=False)
    figure.align_ylabels(rows)
    return [save_figure(figure, folder, "arm")]


def planned(arm: EccentricArm, time: np.ndarray) -> np.ndarray:
    """Angle [deg] that the motor is told, at each time [s]."""
    return np.interp(time, arm.times, arm.angles_deg)
