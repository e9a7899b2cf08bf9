"""Figure of a hop by flywheels: how they turn, and how the body does."""

from pathlib import Path

import numpy as np

from planetfall.record.trajectory import Trajectory
from planetfall.report.run.plan_span import around_plan
from planetfall.report.style import as_written, curve, label_axes, new_rows, save_figure
from planetfall.scenario.tables.vehicle.flywheel import Flywheel


def draw_flywheels(trajectory: Trajectory, folder: Path) -> list[Path]:
    """Speeds of all flywheels and rates of the first body, about their plans where frames are close, else all along."""
    wheels = [wheel for vehicle in trajectory.scenario.vehicles for wheel in vehicle.flywheels]
    if not wheels:
        return []
    instants = [t for wheel in wheels for t in _instants(wheel)]
    data, remark = around_plan(trajectory.data, min(instants), max(instants)) if instants else (trajectory.data, "")
    time = data.time.values
    figure, (speeds, rates) = new_rows(2, row=2.1)
    for i, name in enumerate(data.flywheel.values):
        speeds.plot(time, data.flywheel_speed.values[:, i], label=as_written(str(name)), **curve(i))
    for i, name in enumerate("xyz"):
        rates.plot(time, data.angular_velocity.values[:, 0, i], label=name, **curve(i))
    label_axes(speeds, "", "flywheel speed [rad/s]", f"{trajectory.scenario.name}: the flywheels, the body{remark}")
    label_axes(rates, "time [s]", "body rate [rad/s]", "")
    figure.align_ylabels([speeds, rates])
    return [save_figure(figure, folder, "flywheels")]


def _instants(wheel: Flywheel) -> list[float]:
    """When its motor and brake begin and end [s]."""
    return [float(t) for t in (*wheel.times, wheel.brake_time, wheel.brake_end) if t is not None and np.isfinite(t)]
