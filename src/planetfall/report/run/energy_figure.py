"""Figure of where the energy of a run went; what turns inside a vehicle has a panel of its own."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from planetfall.analysis.run.inner_energy import inner_energy
from planetfall.analysis.run.summary import DISCARDED, JUDGED, works_beside
from planetfall.record.trajectory import Trajectory
from planetfall.report.style import curve, label_axes, new_figure, new_rows, save_figure

ENERGIES = ("energy_total", "energy_kinetic", "energy_gravity")
WORKS = (
    "energy_elastic", "work_damper", "work_friction", "work_rolling", "work_external", "work_anchor", "work_changes",
    "work_crash",
)  # fmt: skip
"""Drawn where there is any."""
UNITS = ((1e-3, "mJ"), (1.0, "J"), (1e3, "kJ"), (1e6, "MJ"), (1e9, "GJ"))
"""Units [J] of an axis, the smallest first."""
SLIGHT = 1e-3
"""Of the largest of a figure: what stays below it all along cannot be seen, and is named in the legend alone."""
SMALLEST_SHOWN = 0.5
"""Largest value, in a unit, from which on an axis is in that unit."""


def draw_energy(trajectory: Trajectory, folder: Path) -> Path:
    """Energies, and the work that dampers, friction and external forces have done, which closes the account."""
    curves, scenario = _account(trajectory), trajectory.scenario
    title = f"{scenario.name}: energy account"
    if scenario.companions:
        return _draw_by_body(trajectory, folder, curves, title)
    if not any(vehicle.flywheels or vehicle.arm for vehicle in scenario.vehicles):
        figure, axes = new_figure()
        unit = _draw_in_unit(axes, trajectory, curves)
        label_axes(axes, "time [s]", f"energy, work [{unit}]", title)
        return save_figure(figure, folder, "energy")
    figure, (inside, outside) = new_rows(2, row=2.5)
    turning = inner_energy(scenario, trajectory.data)
    done = curves.pop("work, external", np.zeros_like(turning))
    for name in ("energy, total", "energy, kinetic"):
        curves[name] = curves[name] - turning
    curves["work, from inside"] = done - (turning - turning[0])
    units = [
        _draw_in_unit(inside, trajectory, {"what turns inside": turning, "work of motors, brakes and forces": done}),
        _draw_in_unit(outside, trajectory, curves),
    ]
    label_axes(inside, "", f"energy, work [{units[0]}]", f"{title}, inside the vehicle")
    label_axes(outside, "time [s]", f"energy, work [{units[1]}]", "of the vehicle, without what turns inside")
    figure.align_ylabels([inside, outside])
    return save_figure(figure, folder, "energy")


def _draw_by_body(trajectory: Trajectory, folder: Path, curves: dict[str, np.ndarray], title: str) -> Path:
    """What each vehicle holds, each on a scale of its own, and below their sum with the works on all of them."""
    data, n_judged = trajectory.data, trajectory.scenario.n_judged
    names = [str(name) for name in data.body.values]
    figure, rows = new_rows(len(names) + 1, row=2.4)
    for b, (axes, name) in enumerate(zip(rows, names, strict=False)):
        held = {kind: data[f"body_energy_{kind}"].values[:, b] for kind in ("kinetic", "gravity", "elastic")}
        gravity = held.pop("gravity")
        left = (
            data.mass.values[:, b] / data.mass.values[0, b] if "mass" in data else 1.0
        )  # what is burnt takes its share
        held["gravity, from the start"] = gravity - gravity[0] * left
        unit = _draw_in_unit(axes, trajectory, held)
        role = JUDGED if b < n_judged else DISCARDED
        label_axes(axes, "", f"energy [{unit}]", f"{name} ({role})")
    account = {name: values for name, values in curves.items() if not name.startswith("energy") or "total" in name}
    largest = max(np.nanmax(np.abs(values)) for values in account.values())
    slight = [name for name, values in account.items() if np.nanmax(np.abs(values)) < SLIGHT * largest]
    unit = _draw_in_unit(rows[-1], trajectory, {name: account[name] for name in account if name not in slight})
    if slight:
        rows[-1].plot([], [], linestyle="none", label="\n  ".join([f"less than {SLIGHT:.1%}:", *slight]))
    label_axes(rows[-1], "time [s]", f"energy, work [{unit}]", f"{title}, all together")
    figure.align_ylabels(rows)
    return save_figure(figure, folder, "energy")


def _account(trajectory: Trajectory) -> dict[str, np.ndarray]:
    """Energies and works [time] [J] by what a legend calls them."""
    data = trajectory.data
    works = (*WORKS, *works_beside(data, WORKS))
    names = ENERGIES + tuple(name for name in works if name in data and np.any(data[name].values))
    names += tuple(name for name in ("tether_damper_work", "tether_reel_work") if name in data)
    sums = {name: data[name].sum("tether") if "tether" in data[name].dims else data[name] for name in names}
    curves = {name.replace("_", ", "): values.values for name, values in sums.items()}
    burnt = _of_what_was_burnt(trajectory)
    for name in ("energy, total", "energy, gravity", "work, external"):
        if name in curves:
            curves[name] = curves[name] - burnt
    least = float(np.nanmin(curves["energy, gravity"], initial=np.inf))  # where heights are counted from is arbitrary
    if np.isfinite(least):
        curves["energy, total"] = curves["energy, total"] - least
        curves["energy, gravity"] = curves["energy, gravity"] - least
    labels = {"energy, gravity": "energy, gravity,\nover its least value", "energy, total": "energy, total"}
    return {labels.get(name, name): values for name, values in curves.items()}


def _of_what_was_burnt(trajectory: Trajectory) -> np.ndarray | float:
    """Potential energy [time] [J] that each vehicle's mass lost, by its potential at the start.

    Propellant leaves with the potential energy of its mass, far below zero on a planet, and a descent would look like a
    climb. Without it heights count from the start. Energy and the engines' work change alike, so that the account
    closes as before.
    """
    data = trajectory.data
    if "mass" not in data:
        return 0.0
    bodies = data["body_energy_gravity" if "body_energy_gravity" in data else "energy_gravity"].values
    mass = data.mass.values.reshape(len(data.time), -1)
    potential = np.reshape(bodies[0], -1) / mass[0]
    return (mass - mass[0]) @ potential


def _draw_in_unit(axes: Axes, trajectory: Trajectory, curves: dict[str, np.ndarray]) -> str:
    """Draws in the unit that suits the largest value, and says which."""
    largest = max((float(np.nanmax(np.abs(values), initial=0.0)) for values in curves.values()), default=0.0)
    scale, unit = next((u for u in reversed(UNITS) if largest >= SMALLEST_SHOWN * u[0]), UNITS[0])
    for i, (name, values) in enumerate(curves.items()):
        axes.plot(trajectory.data.time.values, values / scale, label=name, **curve(i))
    return unit
