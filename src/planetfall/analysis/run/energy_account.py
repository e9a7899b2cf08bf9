"""The energy account of a run: what it had, what forces put in and took, and how well that adds up."""

from collections.abc import Collection

import numpy as np
import xarray as xr


def works_beside(data: xr.Dataset, known: Collection[str]) -> list[str]:
    """Names of accounts of work that are neither among the `known` nor damper, friction or external forces."""
    named = (str(name) for name in data.data_vars if str(name).startswith("work_"))
    return [name for name in named if name not in {*known, "work_damper", "work_friction", "work_external"}]


def energy_account(data: xr.Dataset) -> dict[str, float]:
    """Energy at start and end, how well the account closes, and what crashes took [J]."""
    total = data.energy_total.values
    with np.errstate(invalid="ignore", over="ignore"):  # a run that diverged has no account
        held = total - data.work_external.values
        balance = held - held[0] - data.work_damper.values - data.work_friction.values
        known = ("work_anchor", "work_changes", "work_rolling", "work_crash")
        for name in (*(name for name in known if name in data), *works_beside(data, known)):
            balance = balance - (data[name].values - data[name].values[0])
        if "tether_reel_work" in data:
            reel, damper = (data[f"tether_{part}_work"].values.sum(axis=1) for part in ("reel", "damper"))
            balance = balance - reel - damper
    return {
        "energy_start_J": total[0],
        "energy_end_J": total[-1],
        "energy_closure_J": float(np.abs(balance).max()),
        **({"energy_crash_J": float(-data.work_crash.values[-1])} if "work_crash" in data else {}),
    }
