"""`planetfall hop`: flywheel speeds for a hop to a place."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from planetfall.cli.output.out_file import check_out_file, write_whole
from planetfall.cli.terminal.console import print_note, progress_bar
from planetfall.cli.terminal.inputs import scenario_with_sets
from planetfall.errors import InputError
from planetfall.scenario import Scenario
from planetfall.scenario.files.write import scenario_toml

if TYPE_CHECKING:
    from planetfall.analysis.hop.hop_plan import HopPlan


@dataclass(frozen=True)
class Wish:
    """What is asked of a hop, as it was typed: place [m], miss that is good [m], errors of speed [%], heading [deg]."""

    to: str
    within: float | None
    is_robust: bool
    speed_error: float
    heading_error: float


def plan_a_hop(name: str, sets: list[str], wish: Wish, out: Path | None, device: str, as_json: bool) -> None:
    """Searches for the hop, prints it, and writes the scenario with it where a file is named.

    Exit code 1 if the hop misses by more than is good.
    """
    from planetfall.analysis.hop.hop_plan import HopErrors, plan_hop

    scenario, place = scenario_with_sets(name, sets), _place(wish.to)
    if out is not None:
        check_out_file(out, ".toml")
    errors = HopErrors(wish.speed_error / 100.0, float(np.radians(wish.heading_error)))
    with progress_bar(f"hops of {scenario.name}") as progress:
        plan = plan_hop(
            scenario, place, errors=errors, within=wish.within, is_robust=wish.is_robust, device=device,
            progress=progress,
        )  # fmt: skip
    if abs(plan.target.off_ground) > scenario.vehicle.extent:
        side = "above" if plan.target.off_ground > 0.0 else "below"
        there = f"the place {'under' if side == 'above' else 'over'} it, [{_listed(plan.target.ground)}] m, was taken"
        print_note(f"--to {wish.to} is {abs(plan.target.off_ground):.3g} m {side} the ground; {there}")
    (_print_json if as_json else _print_text)(scenario, plan)
    if out is not None:
        write_whole(out, scenario_toml(plan.applied_to(scenario), out.expanduser().absolute().parent))
        if not as_json:
            print(f"Scenario  {out} (planetfall run {out})")
    if not plan.is_reached:
        raise typer.Exit(1)


def _print_json(scenario: Scenario, plan: "HopPlan") -> None:
    found: dict[str, Any] = {
        "wheel_speeds_rad_s": _speeds(scenario, plan), "momentum_N_m_s": plan.momentum,
        "heading_deg": float(np.degrees(plan.heading)), "target_m": plan.target.ground.tolist(),
        "distance_m": plan.target.distance, "rest_m": plan.rest.tolist(), "miss_m": plan.miss, "within_m": plan.within,
        "is_reached": plan.is_reached, "is_at_limit": plan.is_at_limit, "tried": plan.tried.n,
        "came_to_rest": plan.tried.n_at_rest,
        "with_errors": {
            "speed_error_percent": 100.0 * plan.errors.speed,
            "heading_error_deg": float(np.degrees(plan.errors.heading)), "hops": plan.repeated.n,
            "came_to_rest": plan.repeated.n_at_rest, "seed": plan.errors.seed,
            "miss_half_m": _finite(plan.missed_by(0.5)), "miss_90_percent_m": _finite(plan.missed_by(0.9)),
        },
    }  # fmt: skip
    print(json.dumps(found, indent=2, allow_nan=False))


def _print_text(scenario: Scenario, plan: "HopPlan") -> None:
    print(f"Of {plan.tried.n} hops {plan.tried.n_at_rest} came to rest; this one {plan.miss:.3g} m from the target.")
    if not plan.is_reached:
        why = "; a flywheel is as fast as it may be" if plan.is_at_limit else ""
        way = f"{plan.target.distance:.4g} m away"
        print(f"  NOT REACHED: no hop came within {plan.within:.3g} m of the target, {way}{why}")
    for wheel, speed in _speeds(scenario, plan).items():
        print(f"  flywheel {wheel:<12} {speed:>12.4f} rad/s at time zero")
    print(f"  momentum              {plan.momentum:>12.6g} N m s")
    print(f"  heading               {np.degrees(plan.heading):>12.3f} deg from the target's bearing")
    print(f"  rests at              [{_listed(plan.rest)}] m")
    print(f"With errors of {100.0 * plan.errors.speed:g} % of speed and {np.degrees(plan.errors.heading):g} deg of "
          f"heading (standard deviations, {plan.repeated.n} hops, {plan.repeated.n_at_rest} came to rest)")  # fmt: skip
    print(f"  half of the hops miss by less than {_distance(plan.missed_by(0.5))}, 90 % by less than "
          f"{_distance(plan.missed_by(0.9))}")  # fmt: skip


def _speeds(scenario: Scenario, plan: "HopPlan") -> dict[str, float]:
    return {wheel.name: float(s) for wheel, s in zip(scenario.vehicle.flywheels, plan.wheel_speeds, strict=True)}


def _finite(value: float) -> float | None:
    """None, which JSON knows, for a distance that is infinite since too few came to rest."""
    return value if np.isfinite(value) else None


def _distance(value: float) -> str:
    return f"{value:.3g} m" if np.isfinite(value) else "any distance (too few came to rest)"


def _listed(place: np.ndarray) -> str:
    return ", ".join(f"{x:.3f}" for x in place)


def _place(text: str) -> np.ndarray:
    try:
        place = np.array([float(part) for part in text.split(",")])
    except ValueError:
        place = np.zeros(0)
    if place.shape != (3,) or not np.all(np.isfinite(place)):
        raise InputError(
            "--to", f"{text!r} is not a place", "X,Y,Z [m] in the surface frame", "for example --to 12,5,0"
        )
    return place
