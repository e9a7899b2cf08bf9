"""Figure of where the energy of a run went; what turns inside a vehicle has a panel of its own."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from planetfall.analysis.bodies import DISCARDED, JUDGED
from planetfall.analysis.inner_energy import inner_energy
from planetfall.record.trajectory import Trajectory
from planetfall.report.style import curve, label_axes, new_figure, new_rows, save_figure

ENERGIES = ("energy_total", "energy_kinetic", "energy_gravity", "energy_elastic", "work_damper", "work_friction")
WORKS = ("work_rolling", "work_external", "work_anchor", "work_changes", "work_crash")
"""Drawn where there is any."""
SHOWN_IN_MJ = 0.5
"""Largest energy [J] below which a panel of a vehicle with rotors is in mJ."""
SHOWN_IN_KJ = 2e4
"""Largest energy [J] from which on a panel is in kJ."""
ROOM = 0.25
"""Share of the height of the curves that is left free above them for a row of the legend."""


def draw_energy(trajectory: Trajectory, folder: Path) -> Path:
    """Energies, and the work that dampers, friction and external forces have done, which closes the account."""
    curves, scenario = _account(trajectory), trajectory.scenario
    title = f"{scenario.name}: energy account"
    if scenario.companions:
        return _draw_by_body(trajectory, folder, curves, title)
    if not any(vehicle.flywheels or vehicle.arm for vehicle in scenario.vehicles):
        figure, axes = new_figure()
        _draw(axes, trajectory, curves)
        label_axes(axes, "time [s]", "energy, work [J]", title, columns=2)
        return save_figure(figure, folder, "energy")
    figure, (inside, outside) = new_rows(2, row=2.5)
    turning = inner_energy(scenario, trajectory.data)
    done = curves.pop("work, external", np.zeros_like(turning))
    for name in ("energy, total", "energy, kinetic"):
        curves[name] = curves[name] - turning
    curves["work, from inside"] = done - (turning - turning[0])
    units = [
        _draw_in_unit(inside, trajectory, {"what turns inside": turning, "work of motors, brakes and forces": done}, 1),
        _draw_in_unit(outside, trajectory, curves, 3),
    ]
    label_axes(inside, "", f"energy, work [{units[0]}]", f"{title}, inside the vehicle")
    label_axes(
        outside, "time [s]", f"energy, work [{units[1]}]", "of the vehicle, without what turns inside", columns=3
    )
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
        held["gravity, from the start"] = gravity - gravity[0]
        unit = _draw_in_unit(axes, trajectory, held, 3)
        role = JUDGED if b < n_judged else DISCARDED
        label_axes(axes, "", f"energy [{unit}]", f"{name} ({role})", columns=3)
    account = {name: values for name, values in curves.items() if not name.startswith("energy") or "total" in name}
    unit = _draw_in_unit(rows[-1], trajectory, account, 3)
    label_axes(rows[-1], "time [s]", f"energy, work [{unit}]", f"{title}, all together", columns=3)
    figure.align_ylabels(rows)
    return save_figure(figure, folder, "energy")


def _account(trajectory: Trajectory) -> dict[str, np.ndarray]:
    """Energies and works [time] [J] by what a legend calls them."""
    data = trajectory.data
    names = ENERGIES + tuple(name for name in WORKS if name in data and np.any(data[name].values))
    names += tuple(name for name in ("tether_damper_work", "tether_reel_work") if name in data)
    sums = {name: data[name].sum("tether") if "tether" in data[name].dims else data[name] for name in names}
    return {name.replace("_", ", "): values.values for name, values in sums.items()}


def _draw_in_unit(axes: Axes, trajectory: Trajectory, curves: dict[str, np.ndarray], columns: int) -> str:
    """Draws in J, mJ or kJ, with room above for a legend of so many columns, and says which."""
    values = np.array(list(curves.values()))
    most = np.abs(values).max()
    factor, unit = (1e3, "mJ") if most < SHOWN_IN_MJ else (1e-3, "kJ") if most >= SHOWN_IN_KJ else (1.0, "J")
    _draw(axes, trajectory, {name: factor * one for name, one in curves.items()})
    room = ROOM * -(-len(curves) // columns)
    axes.set_ylim(top=factor * (values.max() + room * max(float(np.ptp(values)), 1e-12)))
    return unit


def _draw(axes: Axes, trajectory: Trajectory, curves: dict[str, np.ndarray]) -> None:
    for i, (name, values) in enumerate(curves.items()):
        axes.plot(trajectory.data.time.values, values, label=name, **curve(i))
