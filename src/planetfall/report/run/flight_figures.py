"""Figures of a flight through air: altitude over speed, loads over time with its events, the track on the ground."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from planetfall.flight.mount_flight import flown_body
from planetfall.record.trajectory import Trajectory
from planetfall.report.style import COLORS, curve, label_axes, new_figure, new_rows, save_figure

QUIET = ("touch", "lift_off", "slow", "fast", "time_out", "crash", "overturn")
"""Events that are not marked: they are many, or say nothing of a flight."""
LABEL_WIDTH, LABEL_HEIGHT = 0.2, 0.035
"""Shares of a figure that the name of an event takes, about."""
MOST_MARKS = 12
"""Events and phases that a figure marks."""
LEAST_FORCE = 10.0
"""Force [N] below which none is drawn."""
HIGH = 5e3
"""Largest altitude [m] from which on an axis is in km."""


def draw_flight(trajectory: Trajectory, folder: Path) -> list[Path]:
    """Every figure that a flight through air gives rise to; none of other runs."""
    data = trajectory.data
    if "dynamic_pressure" not in data or len(data.time) < 2:
        return []
    drawn = [draw_corridor(trajectory, folder), draw_loads(trajectory, folder), draw_forces(trajectory, folder)]
    return [*drawn, draw_ground_track(trajectory, folder)] if "latitude" in data else drawn


def draw_corridor(trajectory: Trajectory, folder: Path) -> Path:
    """Altitude over speed relative to the planet, by vehicle, with the instants of the run."""
    data = trajectory.data
    figure, axes = new_figure()
    altitude, unit = _lengths(data.altitude.values)
    speed = np.linalg.norm(data.velocity.values, axis=2)
    flying = [i for i in range(data.sizes["body"]) if np.isfinite(altitude[:, i]).any()]
    for k, i in enumerate(flying):
        axes.plot(speed[:, i], altitude[:, i], label=str(data.body.values[i]), **curve(k))
    width, height = float(np.nanmax(speed[:, flying])), float(np.ptp(altitude[np.isfinite(altitude)])) or 1.0
    labelled: list[tuple[float, float]] = []
    for time, name in marks(trajectory):
        x, y = (float(np.interp(time, data.time.values, each[:, flying[0]])) for each in (speed, altitude))
        axes.plot(x, y, "o", color=COLORS[1], markersize=3.5)
        place = (x / width, y / height)
        if any(abs(place[0] - u) < LABEL_WIDTH and abs(place[1] - v) < LABEL_HEIGHT for u, v in labelled):
            continue  # names on top of each other say nothing; the timeline has them all
        labelled.append(place)
        is_left = place[0] < LABEL_WIDTH
        axes.annotate(
            name, (x, y), xytext=(6, -3) if is_left else (-2, 8), textcoords="offset points", fontsize=7.5,
            color="0.25", ha="left" if is_left else "right",
        )  # fmt: skip
    label_axes(axes, "speed relative to the planet [m/s]", f"altitude [{unit}]", "Altitude over speed", len(flying) > 1)
    return save_figure(figure, folder, "altitude_over_speed")


def forces_on(trajectory: Trajectory, body: int) -> dict[str, np.ndarray]:
    """Sizes of the forces on a vehicle over time [N], by cause; those that never act are left out."""
    data = trajectory.data
    found = {"air": np.linalg.norm(data.aero_force.values[:, body], axis=1)}
    if "parachute_load" in data:
        found["parachutes"] = data.parachute_load.values[:, body]
    if "thrust" in data and body == flown_body(trajectory.scenario):
        found["thrust"] = data.thrust.values.sum(axis=1)
    touching = data.point_body.values == body
    if touching.any():
        found["ground"] = np.linalg.norm(data.contact_force.values[:, touching].sum(axis=1), axis=1)
    if "attached" in data:  # what is fixed to another feels no force of its own
        found = {cause: np.where(data.attached.values[:, body] == 1, np.nan, size) for cause, size in found.items()}
    return {cause: size for cause, size in found.items() if np.nanmax(np.nan_to_num(size)) > LEAST_FORCE}


def draw_forces(trajectory: Trajectory, folder: Path) -> Path:
    """The forces of air, parachutes, engines and ground on each vehicle, over time."""
    data = trajectory.data
    causes = ("air", "parachutes", "thrust", "ground")
    found = {i: forces for i in range(data.sizes["body"]) if (forces := forces_on(trajectory, i))}
    largest = max((float(np.nanmax(size)) for forces in found.values() for size in forces.values()), default=1e3)
    figure, panels = new_rows(max(len(found), 1), row=1.45)
    for k, (axes, (i, forces)) in enumerate(zip(panels, found.items(), strict=False)):
        for cause, size in forces.items():
            shown = np.where(size > LEAST_FORCE, size, np.nan)
            axes.semilogy(data.time.values, shown, label=cause, **curve(causes.index(cause)))
        axes.set_ylim(LEAST_FORCE, 2.0 * largest)
        label_axes(axes, "time [s]" if k + 1 == len(found) else "", "force [N]", str(data.body.values[i]))
    return save_figure(figure, folder, "forces_per_vehicle")


def draw_loads(trajectory: Trajectory, folder: Path) -> Path:
    """G load, heating, Mach number and dynamic pressure of the first vehicle that flies, over time."""
    data = trajectory.data
    i = next(i for i in range(data.sizes["body"]) if np.isfinite(data.altitude.values[:, i]).any())
    altitude, unit = _lengths(data.altitude.values[:, i])
    rows = [
        (altitude, f"altitude [{unit}]"),
        (data.g_load.values[:, i], "load [Earth g]"),
        (data.heating.values[:, i] / 1e4, "heating [W/cm$^2$]"),
        (data.mach.values[:, i], "Mach number"),
        (data.dynamic_pressure.values[:, i] / 1e3, "dynamic\npressure [kPa]"),
    ]
    rows = [row for row in rows if np.isfinite(row[0]).any()]
    figure, panels = new_rows(len(rows), row=1.25)
    time = data.time.values
    for axes, (values, label) in zip(panels, rows, strict=True):
        axes.plot(time, values, **curve(0))
        axes.set_ylabel(label, fontsize=9)
        axes.margins(x=0.0)
    panels[-1].set_xlabel("time [s]")
    _mark_instants(panels, trajectory)
    return save_figure(figure, folder, "loads_over_time")


def draw_ground_track(trajectory: Trajectory, folder: Path) -> Path:
    """Where the vehicles passed over the ground, one degree as long to the north as to the east, and the site."""
    data, target = trajectory.data, trajectory.scenario.target
    figure, axes = new_figure(height=4.0)
    latitude, longitude = np.degrees(data.latitude.values), np.degrees(np.unwrap(data.longitude.values, axis=0))
    bodies = [str(name) for name in data.body.values]
    for i, name in enumerate(bodies):
        axes.plot(longitude[:, i], latitude[:, i], label=name, **curve(i))
    axes.plot(longitude[0, 0], latitude[0, 0], "o", color=COLORS[0], label="start")
    axes.plot(longitude[-1, 0], latitude[-1, 0], "s", color=COLORS[1], label="end")
    if target.site is not None:
        turns = 360.0 * np.round((longitude[-1, 0] - target.site.longitude_deg) / 360.0)
        place = target.site.longitude_deg + turns, np.degrees(target.site_latitude)
        if _is_near(place, longitude, latitude):
            axes.plot(*place, "^", color=COLORS[5], label="site (origin of L)")
    axes.set_aspect(1.0 / max(np.cos(np.radians(float(latitude.mean()))), 0.05), adjustable="datalim")
    label_axes(axes, "longitude, east [deg]", "geodetic latitude [deg]", "Ground track")
    return save_figure(figure, folder, "ground_track")


def marks(trajectory: Trajectory) -> Iterator[tuple[float, str]]:
    """Instants that are marked [s], with their names: phases, and events that are few."""
    found = [(event.time, event.kind.replace("_", " ")) for event in trajectory.events if event.kind not in QUIET]
    for phase in trajectory.summary.get("phases") or ():
        if isinstance(phase, dict) and phase.get("begins_s") is not None and phase.get("name"):
            found.append((float(phase["begins_s"]), str(phase["name"])))
    summary = trajectory.summary
    for key, name in (("peak_g_s", "peak load"), ("peak_heating_s", "peak heating")):
        if summary.get(key):
            found.append((float(summary[key]), name))
    yield from sorted(found)[:MOST_MARKS]


def _mark_instants(panels: list[Axes], trajectory: Trajectory) -> None:
    span = float(trajectory.data.time.values[-1] - trajectory.data.time.values[0]) or 1.0
    rows = [-np.inf] * 3  # where the last name of each row stands
    for time, name in marks(trajectory):
        for axes in panels:
            axes.axvline(time, color="0.6", linewidth=0.8, linestyle=":")
        free = [k for k, last in enumerate(rows) if time - last > LABEL_WIDTH * span]
        if not free:
            continue
        rows[free[0]] = time
        place = (time, 1.02 + 0.11 * free[0])
        panels[0].annotate(name, place, xycoords=("data", "axes fraction"), fontsize=7.5, color="0.25", ha="center")


def _lengths(values: np.ndarray) -> tuple[np.ndarray, str]:
    return (values / 1e3, "km") if np.nanmax(np.abs(values)) > HIGH else (values, "m")


def _is_near(place: tuple[float, float], longitude: np.ndarray, latitude: np.ndarray) -> bool:
    """Whether a place is not so far from a track that the track would shrink to a point."""
    size = max(float(np.ptp(longitude)), float(np.ptp(latitude)), 1e-6)
    distances = np.hypot(longitude[:, 0] - place[0], latitude[:, 0] - place[1])
    return bool(distances.min() < size)
