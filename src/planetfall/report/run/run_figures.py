"""Figures of a run: where it went (Raiszadeh2012 Figure 6), what it felt (Figure 7), where the energy went."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planetfall.analysis.run.summary import DISCARDED, JUDGED
from planetfall.record.flight_numbers import is_flight
from planetfall.record.trajectory import Trajectory
from planetfall.record.variables.places import heights
from planetfall.report.run.arm_figure import draw_arm
from planetfall.report.run.contact_figures import draw_contact_figures
from planetfall.report.run.energy_figure import draw_energy
from planetfall.report.run.flight_figures import draw_flight
from planetfall.report.run.flight_timeline import draw_timeline
from planetfall.report.run.flywheel_figure import draw_flywheels
from planetfall.report.run.hop_forces import draw_hop_forces, is_hop
from planetfall.report.run.landing import draw_landing
from planetfall.report.run.readings import draw_readings
from planetfall.report.run.small_body_figures import draw_velocities
from planetfall.report.run.tethers import draw_tethers
from planetfall.report.silhouettes import LEAST_SHARE, PALE, PALEST, Silhouette, draw_seen, seen_from_side
from planetfall.report.style import as_written, below_figures, curve, label_axes, new_figure, new_rows, save_figure
from planetfall.scenario.files.changed_keys import changes_text
from planetfall.scenario.scenario import Scenario
from planetfall.scenario.tables.run.attitude import rotation_matrix
from planetfall.scenario.tables.world.terrain import TerrainPlane
from planetfall.viewer.scene.bodies import body_triangles
from planetfall.world.gravity.field import acceleration_at
from planetfall.world.terrain.ground import make_surface

MAX_PATHS = 7
"""Paths that a side view can tell apart; beyond, only that of the centre of mass is drawn."""
ONE_LINE = 0.01
"""Size of a vehicle, as a share of its way, below which paths of its points are one line with that of its centre."""
SLOPING = 1e-6
"""Horizontal part of a unit normal from which on there is a downhill."""
SHOWN_IN_KN = 500.0
"""Largest force [N] from which on an axis is in kN."""
WIDTH, SIDES, TOP_AND_FOOT = 7.2, 1.1, 0.85
"""Of a side view, and what of it is beside and above its axes [inch]."""
TALLEST, FLATTEST = 4.15, 1.5
"""Height of its axes [inch], at most and at least."""
FAR = 100e3
"""Way [m] from which on the tangent plane of a side view would put the start kilometres too low (assumed)."""
LEAST_SHOWN = 2.0
"""Time [s] after a touchdown that is shown, at least."""
SHORT = 0.2
"""Share of a flight below which the time in which it touches the ground is shown alone."""
DIVERGED = 1e15
"""Metres and joules beyond which a frame is not worth drawing."""


@dataclass(frozen=True)
class Level:
    """Axes for a side view: an `origin` [m], and as columns of `axes` two horizontal directions and up, all in S."""

    origin: np.ndarray
    axes: np.ndarray

    def seen(self, positions_S: np.ndarray) -> np.ndarray:
        """Positions [n, 3] [m] in these axes."""
        return (positions_S - self.origin) @ self.axes

    def slope(self, scenario: Scenario) -> np.ndarray:
        """Normal of the ground on the whole, in these axes: a plane's own, else up."""
        terrain = scenario.terrain
        return terrain.outward @ self.axes if isinstance(terrain, TerrainPlane) else np.array([0.0, 0.0, 1.0])


def draw_figures(trajectory: Trajectory, folder: Path) -> list[Path]:
    """Draws every figure that a run gives rise to, as PNG and SVG; returns the PNG files."""
    with below_figures(changes_text(trajectory.scenario)):
        return _draw(replace(trajectory, data=_drawable(trajectory.data)), folder)


def _draw(trajectory: Trajectory, folder: Path) -> list[Path]:
    drawn = [draw_energy(trajectory, folder)]
    if trajectory.data.sizes["point"]:
        drawn = [draw_track(trajectory, folder), draw_normal_forces(trajectory, folder), *drawn]
        if "contact_anchor" in trajectory.data:
            drawn += draw_contact_figures(trajectory, folder)
        if "rolling_torque" in trajectory.data:
            drawn.append(draw_velocities(trajectory, folder))
    drawn += draw_flight(trajectory, folder)
    drawn += [*draw_flywheels(trajectory, folder), *draw_arm(trajectory, folder)]
    if trajectory.scenario.terrain.model == "sdf":
        from planetfall.report.run.way_figure import draw_way_over_body  # here: few runs need its kernels

        drawn.append(draw_way_over_body(trajectory, folder))
    if trajectory.scenario.sensors:
        drawn.append(draw_readings(trajectory, folder))
    if trajectory.scenario.tethers:
        drawn.append(draw_tethers(trajectory, folder))
        if trajectory.scenario.flight is not None:
            drawn += draw_landing(trajectory, folder)
    if "thrust" in trajectory.data:
        drawn.append(draw_timeline(trajectory, folder))
    return drawn


def _drawable(data: xr.Dataset) -> xr.Dataset:
    """The frames before a run diverged, or all of them."""
    size = np.abs(data.position.values).max(axis=(1, 2)) + np.abs(data.energy_total.values)
    return data if np.all(size < DIVERGED) else data.isel(time=np.flatnonzero(size < DIVERGED))


def draw_track(trajectory: Trajectory, folder: Path) -> Path:
    """Side view, downhill to the right: the paths of the centre of mass and of each distinct contact point."""
    if "latitude" in trajectory.data and is_flight(trajectory.scenario):
        along, altitude = over_the_ellipsoid(trajectory)
        if along[-1] > FAR:
            return _draw_long_track(trajectory, folder, along, altitude)
    data, level = trajectory.data, level_of(trajectory)
    center = level.seen(data.position.values[:, 0])
    ahead = _horizontal_downhill(level.slope(trajectory.scenario), center)
    paths = {"centre of mass": center, **point_paths_shown(data, level, ahead)}
    seen = np.concatenate([np.column_stack([path @ ahead, path[:, 2]]) for path in paths.values()])
    vehicles = vehicles_shown(trajectory, level, ahead, seen)
    seen = np.concatenate([seen, *(vehicle.triangles.reshape(-1, 2) for vehicle, _ in vehicles)])
    margin = 0.1 * float(np.ptp(seen[:, 0])) + 0.1
    span = np.array([seen[:, 0].min() - margin, seen[:, 0].max() + margin])
    profile = ground_profile(trajectory.scenario, level, ahead, center[-1], span)
    frame = frame_of(span, np.concatenate([seen[:, 1], profile[1][np.isfinite(profile[1])]]))
    ground = ground_profile(trajectory.scenario, level, ahead, center[-1], frame[0])
    figure, axes = new_figure(WIDTH, float(np.ptp(frame[1]) / np.ptp(frame[0])) * (WIDTH - SIDES) + TOP_AND_FOOT)
    start = float(center[0] @ ahead)  # distances count from there
    for vehicle, pale in vehicles:
        draw_seen(axes, replace(vehicle, triangles=vehicle.triangles - np.array([start, 0.0])), pale)
    for i, (name, path) in enumerate(paths.items()):
        axes.plot(path @ ahead - start, path[:, 2], label=as_written(_shortened(name)), **curve(i))
    name = "ground" if trajectory.scenario.terrain.model == "plane" else "ground on a line\nthrough the end"
    if len(paths) == 1:
        _mark_touches(axes, trajectory, level, ahead, start)
    axes.plot(ground[0] - start, ground[1], color="0.35", linewidth=1.0, zorder=1.5, label=name)
    lowest = np.min(ground[1], where=np.isfinite(ground[1]), initial=frame[1][0])
    axes.fill_between(ground[0] - start, ground[1], lowest, color="0.93")
    axes.set_xlim(*(frame[0] - start))
    axes.set_ylim(*frame[1])
    axes.set_aspect("equal")
    height = "height [m]" if not np.any(level.origin) else "height over the release [m]"
    title = f"{trajectory.scenario.name}: paths over the ground"
    way = "downhill" if np.hypot(*level.slope(trajectory.scenario)[:2]) > SLOPING else "towards the end"
    label_axes(axes, f"horizontal distance from the start, {way} [m]", height, title)
    return save_figure(figure, folder, "track")


def _mark_touches(axes: Axes, trajectory: Trajectory, level: Level, ahead: np.ndarray, start: float) -> None:
    """Where the centre of mass of a vehicle alone was when a point touched: paths of points do not show it there."""
    touches = [event.position for event in trajectory.events if event.kind == "touch"]
    if not touches or trajectory.scenario.companions:
        return
    seen = level.seen(np.array(touches))
    axes.plot(seen @ ahead - start, seen[:, 2], ".", color="0.2", markersize=5, zorder=4, label="touches")


def over_the_ellipsoid(trajectory: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Distance over the ground from the start, along an arc of the planet, and altitude of the first vehicle [m]."""
    data, target = trajectory.data, trajectory.scenario.target
    latitude, longitude = (data[name].values[:, 0] for name in ("latitude", "longitude"))
    up = np.stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], axis=1
    )
    angle = np.arctan2(np.linalg.norm(np.cross(up, up[0]), axis=1), up @ up[0])
    return target.radius * angle, heights(trajectory.scenario, data.position.values)[:, 0]


def _draw_long_track(trajectory: Trajectory, folder: Path, along: np.ndarray, altitude: np.ndarray) -> Path:
    """Altitude over distance of a flight so long that the ground bends away below it; each axis has its own scale."""
    figure, axes = new_figure()
    axes.plot(along / 1e3, altitude / 1e3, label="centre of mass", **curve(0))
    terrain, site = trajectory.scenario.terrain, trajectory.scenario.target.site
    if terrain.model == "ellipsoid" and site is not None:
        axes.axhline(terrain.height / 1e3, color="0.35", linewidth=1.0, label="ground")
    label_axes(
        axes, "distance over the ground from the start [km]", "altitude over the ellipsoid [km]",
        f"{trajectory.scenario.name}: path over the ground",
    )  # fmt: skip
    return save_figure(figure, folder, "track")


def vehicles_shown(
    trajectory: Trajectory, level: Level, ahead: np.ndarray, seen: np.ndarray
) -> list[tuple[Silhouette, float]]:
    """Vehicles at the start, pale, and at the end; none where the way is so long that they would be specks.

    Each with its share of white; `seen` [n, 2] [m] is all that the picture shows of the paths.
    """
    data, out, width = trajectory.data, [], max(float(np.ptp(seen, axis=0).max()), 1e-12)
    toward = np.cross(ahead, [0.0, 0.0, 1.0])
    for frame, pale in ((0, PALEST), (-1, PALE)):
        for b, vehicle in enumerate(trajectory.scenario.vehicles):
            drawn = body_triangles(vehicle)
            if drawn is None or float(np.ptp(drawn.vertices, axis=0).max()) < LEAST_SHARE * width:
                continue
            turn = level.axes.T @ rotation_matrix(data.quaternion.values[frame, b])
            at = level.seen(data.position.values[frame, b])
            out.append((seen_from_side(drawn, at, turn, ahead, toward), pale))
    return out


def frame_of(span: np.ndarray, heights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Limits [m] of both axes at one scale: of a fall wider than its way, of a flat way higher than it."""
    low, high = float(heights.min()), float(heights.max())
    room = 0.08 * max(high - low, 0.1 * float(np.ptp(span)))
    low, high = low - room, high + room
    widest, flattest = ((WIDTH - SIDES) / tall for tall in (TALLEST, FLATTEST))
    wider = 0.5 * max(widest * (high - low) - float(np.ptp(span)), 0.0)
    span = span + np.array([-wider, wider])
    return span, np.array([low, max(high, low + float(np.ptp(span)) / flattest)])


def draw_normal_forces(trajectory: Trajectory, folder: Path) -> Path:
    """Normal force of each distinct contact point that touched, over time; peaks are those of the full-rate run.

    Where points of several vehicles touched, each vehicle has axes and a scale of its own, the judged ones first.
    """
    data, name = trajectory.data, trajectory.scenario.name
    if is_hop(trajectory):
        return draw_hop_forces(trajectory, folder)
    touched = data.contact_mode.values.any(axis=0)
    bodies = np.unique(data.point_body.values[touched]) if touched.any() else np.array([0])
    titles = [f"{name}: normal forces"] * len(bodies)
    if len(bodies) > 1:
        titles = [f"{data.body.values[b]} ({_role(trajectory, b)}): normal forces" for b in bodies]
    figure, rows = (new_rows(len(bodies), row=2.6)) if len(bodies) > 1 else _in_list(new_figure())
    for axes, b, title in zip(rows, bodies, titles, strict=True):
        own = (data.point_body.values == b) & (touched | ~touched.any())
        unit = _draw_forces(axes, data, own)
        if len(bodies) == 1 and (shown := _around_touchdown(trajectory, own)) is not None:
            axes.set_xlim(*shown)
            for line in axes.lines:  # between sparse frames nothing is known
                line.set(marker="o", markersize=4.0)
            title += " around the touchdown (dots: frames of the record)"
        label_axes(axes, "time [s]" if axes is rows[-1] else "", f"normal force [{unit}]", title)
    return save_figure(figure, folder, "normal_force")


def _around_touchdown(trajectory: Trajectory, own: np.ndarray) -> tuple[float, float] | None:
    """From when to when forces of a flight change [s]: beside the whole flight they would be one line."""
    time, rest = trajectory.data.time.values, trajectory.summary.get("rest_s")
    pressed = np.flatnonzero(trajectory.data.contact_normal_force.values[:, own].any(axis=1))
    if not is_flight(trajectory.scenario) or not len(pressed):
        return None
    first = float(time[pressed[0]])
    last = min(first + LEAST_SHOWN if rest is None else max(float(rest) + 0.5, first + LEAST_SHOWN), float(time[-1]))
    return (first - 0.25 * (last - first), last) if last - first < SHORT * float(np.ptp(time)) else None


def _in_list(made: tuple[Figure, Axes]) -> tuple[Figure, list[Axes]]:
    return made[0], [made[1]]


def _role(trajectory: Trajectory, body: int) -> str:
    return JUDGED if body < trajectory.scenario.n_judged else DISCARDED


def _draw_forces(axes: Axes, data: xr.Dataset, shown: np.ndarray) -> str:
    """The distinct normal forces of the points that are `shown`; says in which unit."""
    force = data.contact_normal_force.values[:, shown]
    curves = _distinct({str(n): force[:, j] for j, n in enumerate(data.point.values[shown])})
    if len(curves) > MAX_PATHS:
        curves = {f"{force.shape[1]} points together": force.sum(axis=1)}
    factor, unit = (1e-3, "kN") if np.nanmax(force, initial=0.0) >= SHOWN_IN_KN else (1.0, "N")
    for i, (name, values) in enumerate(curves.items()):
        axes.plot(data.time.values, factor * values, label=as_written(_shortened(name)), **curve(i))
    return unit


def level_of(trajectory: Trajectory) -> Level:
    """The axes of a local frame themselves; in a body-fixed frame, those of level ground at the release."""
    if trajectory.scenario.target.frame == "L":
        return Level(np.zeros(3), np.eye(3))
    release = trajectory.data.position.values[0, 0]
    gravity = acceleration_at(trajectory.scenario, release)
    up = -gravity / np.linalg.norm(gravity) if np.any(gravity) else np.array([0.0, 0.0, 1.0])
    east = np.cross([0.0, 0.0, 1.0], up) if abs(up[2]) < 1.0 - 1e-9 else np.array([1.0, 0.0, 0.0])
    east /= np.linalg.norm(east)
    return Level(release, np.column_stack([east, np.cross(up, east), up]))


def ground_profile(
    scenario: Scenario, level: Level, ahead: np.ndarray, through: np.ndarray, span: np.ndarray
) -> np.ndarray:
    """Distance and height [2, n] [m] of the ground along a horizontal line through a point; steep planes have none."""
    across = np.array([-ahead[1], ahead[0], 0.0])
    distance = np.linspace(span[0], span[1], 400)
    line = distance[:, None] * ahead + across * (through @ across)
    terrain = scenario.terrain
    if isinstance(terrain, TerrainPlane) and not terrain.added:
        normal = level.slope(scenario)
        if normal[2] < 0.05:
            return np.empty((2, 0))
        return np.array([distance, ((level.seen(np.asarray(terrain.point)) - line) @ normal) / normal[2]])
    high = np.array([0.0, 0.0, 1e4 + through[2]])
    origins_S, down_S = level.origin + (line + high) @ level.axes.T, -level.axes[:, 2]
    ranges, _ = make_surface(scenario, "cpu").cast(origins_S, np.tile(down_S, (len(line), 1)), 2e4)
    return np.array([distance, high[2] - ranges])


def point_paths(data: xr.Dataset) -> dict[str, np.ndarray]:
    """Path [time, 3] of each contact point [m], surface frame."""
    attitudes = [rotation_matrix(data.quaternion.values[:, b]) for b in range(data.sizes["body"])]
    centers = data.position.values
    places = zip(data.point.values, data.point_body.values, data.point_position.values, strict=True)
    return {str(name): centers[:, b] + attitudes[b] @ position for name, b, position in places}


def _horizontal_downhill(normal: np.ndarray, center: np.ndarray) -> np.ndarray:
    """Unit horizontal vector downhill; on level ground along the way travelled, or east."""
    for ahead in (normal, center[-1] - center[0], np.array([1.0, 0.0, 0.0])):
        flat = np.array([ahead[0], ahead[1], 0.0])
        if np.linalg.norm(flat) > SLOPING:
            return flat / np.linalg.norm(flat)
    return np.array([1.0, 0.0, 0.0])


def point_paths_shown(data: xr.Dataset, level: Level, ahead: np.ndarray) -> dict[str, np.ndarray]:
    """Distinct paths of contact points; none where they are a tangle, or one line with that of the centre of mass."""
    center = level.seen(data.position.values[:, 0])
    points = {name: level.seen(path) for name, path in point_paths(data).items()}
    size = max((float(np.linalg.norm(path - center, axis=1).max()) for path in points.values()), default=0.0)
    if size < ONE_LINE * float(np.ptp(center, axis=0).max()):
        return {}
    shown = _distinct(points, ahead)
    return shown if len(shown) < MAX_PATHS else {}


def _distinct(curves: dict[str, np.ndarray], ahead: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """One curve for points that show the same, named after all of them."""
    out: dict[str, np.ndarray] = {}
    for name, values in curves.items():
        seen = _side_view(values, ahead)
        scale = max(float(np.ptp(seen, axis=0).max()), 1e-12)  # of a way, not of the height that it is at
        for other in out:
            if np.max(np.abs(_side_view(out[other], ahead) - seen)) < 1e-3 * scale:
                out[f"{other}, {name}"] = out.pop(other)
                break
        else:
            out[name] = values
    return out


def _shortened(names: str) -> str:
    """The names of a curve, as far as a legend has room."""
    first, *others = names.split(", ")
    return names if len(others) < 6 else f"{first} and {len(others)} others"


def _side_view(values: np.ndarray, ahead: np.ndarray | None) -> np.ndarray:
    return values if ahead is None else np.column_stack([values @ ahead, values[:, 2]])
