"""`planetfall hop`: flywheel speeds for a hop to a place."""

import json
from pathlib import Path

import numpy as np
import tomli_w

from planetfall.cli.inputs import scenario_with_sets
from planetfall.errors import InputError


def plan_a_hop(name: str, to: str, sets: list[str], out: Path | None, device: str, as_json: bool) -> None:
    """Searches for the hop, prints it, and writes the scenario with it where a file is named."""
    from planetfall.analysis.hop_plan import plan_hop

    scenario = scenario_with_sets(name, sets)
    if out is not None and out.exists():
        raise InputError("--out", f"{out} is there already", "a new file")
    plan = plan_hop(scenario, _place(to), device=device)
    speeds = {wheel.name: float(s) for wheel, s in zip(scenario.vehicle.flywheels, plan.wheel_speeds, strict=True)}
    if out is not None:
        out.write_text(tomli_w.dumps(plan.applied_to(scenario).to_dict()), encoding="utf-8")
    came = int(np.sum(np.isfinite(plan.tried.rest[:, 0])))
    if as_json:
        found = {
            "wheel_speeds_rad_s": speeds, "momentum_N_m_s": plan.momentum, "heading_deg": np.degrees(plan.heading),
            "rest_m": plan.rest.tolist(), "miss_m": plan.miss, "spread_m": plan.spread,
            "tried": len(plan.tried.momentum), "came_to_rest": came,
        }  # fmt: skip
        print(json.dumps(found, indent=2))
        return
    print(
        f"Of {len(plan.tried.momentum)} hops {came} came to rest; the nearest rests {plan.miss:.3g} m from the target."
    )
    for wheel, speed in speeds.items():
        print(f"  flywheel {wheel:<12} {speed:>12.4f} rad/s at time zero")
    print(f"  momentum              {plan.momentum:>12.6g} N m s")
    print(f"  heading               {np.degrees(plan.heading):>12.3f} deg from the target's bearing")
    print(f"  rests at              [{', '.join(f'{x:.3f}' for x in plan.rest)}] m")
    print(f"  its neighbours miss   {plan.spread:>12.3g} m, in the median: what a small error of speed costs")
    if out is not None:
        print(f"Scenario  {out} (planetfall run {out})")


def _place(text: str) -> np.ndarray:
    try:
        place = np.array([float(part) for part in text.split(",")])
    except ValueError:
        place = np.zeros(0)
    if place.shape != (3,) or not np.all(np.isfinite(place)):
        raise InputError("--to", f"{text!r} is no place", "X,Y,Z [m] in the surface frame", "for example --to 12,5,0")
    return place
