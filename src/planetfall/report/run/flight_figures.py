"""Figures of a flight through air: altitude over speed, loads over time with its events, the track on the ground."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from planetfall.flight.mount_flight import flown_body
from planetfall.record.trajectory import Trajectory
from planetfall.report.style import COLORS, as_written, curve, label_axes, new_figure, new_rows, save_figure
from planetfall.scenario.scenario import Scenario

QUIET = ("touch", "lift_off", "slow", "fast", "time_out", "crash", "overturn")
"""Events that are not marked: they are many, or say nothing of a flight."""
LABEL_WIDTH, LABEL_HEIGHT = 0.2, 0.035
"""Shares of a figure that the name of an event takes, about."""
MOST_LINES = 6
"""Lines over which the names of instants go: so many phases may follow each other closely."""
MOST_MARKS = 12
"""Events and phases that a figure marks."""
LEAST_FORCE = 10.0
"""Force [N] below which none is drawn, where the largest is not small itself."""
DECADES = 1e-4
"""The least force that is drawn is no more than this share of the largest."""
SHORT = 0.02
"""Length of a track [deg] below which it is drawn in metres from its start."""
HIGH = 5e3
"""Largest altitude [m] from which on an axis is in km."""


def draw_flight(trajectory: Trajectory, folder: Path) -> list[Path]:
    """Every figure that a flight through air gives rise to; none of other runs."""
    data = trajectory.data
    if "dynamic_pressure" not in data or len(data.time) < 2:
        return []
    drawn = [draw_corridor(trajectory, folder), draw_loads(trajectory, folder)]
    if any(forces_on(trajectory, i) for i in range(data.sizes["body"])):
        drawn.append(draw_forces(trajectory, folder))
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
    return {cause: size for cause, size in found.items() if np.any(np.nan_to_num(size))}


def draw_forces(trajectory: Trajectory, folder: Path) -> Path:
    """The forces of air, parachutes, engines and ground on each vehicle, over time."""
    data = trajectory.data
    causes = ("air", "parachutes", "thrust", "ground")
    found = {i: forces for i in range(data.sizes["body"]) if (forces := forces_on(trajectory, i))}
    largest = max(float(np.nanmax(size)) for forces in found.values() for size in forces.values())
    least = min(LEAST_FORCE, 10.0 ** np.floor(np.log10(DECADES * largest)))
    shown = {i: {cause: size for cause, size in forces.items() if np.nanmax(size) > least}
             for i, forces in found.items()}  # fmt: skip
    shown = {i: forces for i, forces in shown.items() if forces}
    titles = [str(name) for name in data.body.values]
    if len(titles) == 1:
        titles = [f"{trajectory.scenario.name}: forces on the vehicle"]
    figure, panels = new_rows(len(shown), row=1.45)
    for k, (axes, (i, forces)) in enumerate(zip(panels, shown.items(), strict=True)):
        for cause, size in forces.items():
            axes.semilogy(data.time.values, np.where(size > least, size, np.nan), label=cause,
                          **curve(causes.index(cause)))  # fmt: skip
        axes.set_ylim(least, 2.0 * largest)
        axes.set_xlim(data.time.values[0], data.time.values[-1])
        label_axes(axes, "time [s]" if k + 1 == len(shown) else "", "force [N]", titles[i])
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
    time, crash = data.time.values, _crash_time(trajectory, i)
    flown = time <= crash  # what lies on the ground has no load
    for axes, (values, label) in zip(panels, rows, strict=True):
        axes.plot(time[flown], values[flown], **curve(0))
        axes.set_ylabel(label, fontsize=9)
        axes.margins(x=0.0)
    if np.isfinite(crash):
        last = max([crash, *(instant for instant, _ in marks(trajectory))])
        panels[0].set_xlim(time[0], min(time[-1], last + 0.02 * (last - time[0])))
    panels[-1].set_xlabel("time [s]")
    figure.align_ylabels(panels)
    n_rows = _mark_instants(panels, trajectory)
    panels[0].set_title(as_written(f"{data.body.values[i]}: loads over time"), loc="left", pad=6.0 + 9.5 * n_rows)
    return save_figure(figure, folder, "loads_over_time")


def draw_ground_track(trajectory: Trajectory, folder: Path) -> Path:
    """Where the vehicles passed over the ground, one degree as long to the north as to the east, and the site.

    In degrees, by the turn in which the site or else the start was given; of a track that is short in metres from its
    start.
    """
    data, target = trajectory.data, trajectory.scenario.target
    figure, axes = new_figure(height=4.0)
    latitude, longitude = np.degrees(data.latitude.values), np.degrees(np.unwrap(data.longitude.values, axis=0))
    longitude -= 360.0 * np.round((longitude[-1, 0] - _longitude_given(trajectory.scenario)) / 360.0)
    squeeze = max(np.cos(np.radians(float(latitude.mean()))), 0.05)
    start, scale = np.zeros(2), np.ones(2)
    is_short = max(np.ptp(longitude) * squeeze, np.ptp(latitude)) < SHORT
    if is_short:
        start = np.array([longitude[0, 0], latitude[0, 0]])
        scale = np.radians(target.radius) * np.array([squeeze, 1.0])
    bodies = [str(name) for name in data.body.values]
    for i, name in enumerate(bodies):
        places = (np.stack([longitude[:, i], latitude[:, i]], axis=1) - start) * scale
        axes.plot(*places.T, label=name, **curve(i))
        if i == 0:
            axes.plot(*places[0], "o", color=COLORS[0], label="start")
            axes.plot(*places[-1], "s", color=COLORS[1], label="end")
    if target.site is not None:
        place = target.site.longitude_deg, np.degrees(target.site_latitude)
        if _is_near(place, longitude, latitude):
            axes.plot(*((np.array(place) - start) * scale), "^", color=COLORS[5], label="site (origin of L)")
    axes.set_aspect(1.0 if is_short else 1.0 / squeeze, adjustable="datalim")
    names = ("east of the start [m]", "north of the start [m]") if is_short else (
        "longitude, east [deg]", "geodetic latitude [deg]")  # fmt: skip
    label_axes(axes, *names, "Ground track")
    return save_figure(figure, folder, "ground_track")


def _longitude_given(scenario: Scenario) -> float:
    """The longitude [deg] of the site, or else of the start, as the scenario writes it; 0 if it writes none."""
    if scenario.target.site is not None:
        return scenario.target.site.longitude_deg
    return scenario.starts[max(scenario.carriers[0], 0)].longitude_deg or 0.0


def marks(trajectory: Trajectory) -> Iterator[tuple[float, str]]:
    """Instants that are marked [s], with their names: phases, and events that are few."""
    found = [(event.time, event.kind.replace("_", " ")) for event in trajectory.events if event.kind not in QUIET]
    for phase in trajectory.summary.get("phases") or ():
        if isinstance(phase, dict) and phase.get("begins_s") is not None and phase.get("name"):
            found.append((float(phase["begins_s"]), str(phase["name"])))
    summary = trajectory.summary
    for key, name in (("peak_g_s", "peak load"), ("peak_heating_s", "peak heating")):
        if summary.get(key) and summary[key] < trajectory.data.time.values[-1]:  # at the end it is no peak
            found.append((float(summary[key]), name))
    yield from sorted(found)[:MOST_MARKS]


def _crash_time(trajectory: Trajectory, body: int) -> float:
    """When a vehicle hit the ground and stayed there [s]; infinite if it did not."""
    bodies = trajectory.summary.get("bodies") or ()
    crash = bodies[body].get("crash_s") if body < len(bodies) else None
    return np.inf if crash is None else float(crash)


def _mark_instants(panels: list[Axes], trajectory: Trajectory) -> int:
    """Marks them in all panels, and says over how many lines the names go above the first."""
    span = float(np.ptp(panels[0].get_xlim())) or 1.0
    rows = [-np.inf] * MOST_LINES  # where the last name of each row stands
    for time, name in marks(trajectory):
        for axes in panels:
            axes.axvline(time, color="0.6", linewidth=0.8, linestyle=":")
        free = [k for k, last in enumerate(rows) if time - last > LABEL_WIDTH * span]
        if not free:
            continue
        rows[free[0]] = time
        place = (time, 1.02 + 0.11 * free[0])
        panels[0].annotate(name, place, xycoords=("data", "axes fraction"), fontsize=7.5, color="0.25", ha="center")
    return int(np.count_nonzero(np.isfinite(rows)))


def _lengths(values: np.ndarray) -> tuple[np.ndarray, str]:
    return (values / 1e3, "km") if np.nanmax(np.abs(values)) > HIGH else (values, "m")


def _is_near(place: tuple[float, float], longitude: np.ndarray, latitude: np.ndarray) -> bool:
    """Whether a place is not so far from a track that the track would shrink to a point."""
    size = max(float(np.ptp(longitude)), float(np.ptp(latitude)), 1e-6)
    distances = np.hypot(longitude[:, 0] - place[0], latitude[:, 0] - place[1])
    return bool(distances.min() < size)
