"""Sliders for the parameters of a run that may change while it is under way."""

from typing import Any

from planetfall.engine.launch.live_changes import GRAVITY, changeable_keys
from planetfall.scenario.dispersions.keys import place_of
from planetfall.scenario.scenario import Scenario

ANGLES = (0.0, 60.0, 0.5)
"""Lowest, highest and smallest change of an angle of friction [deg]."""
RATIOS = (0.0, 2.0, 0.01)
"""Of what has no unit: coefficients of friction, damping ratios."""
DECADE = 10.0
"""Sliders of all else go from a tenth to ten times the value at the start."""


def controls_of(scenario: Scenario) -> list[dict[str, Any]]:
    """What `docs/reference/viewer-file.md` calls controls, of the scenario's changeable keys."""
    return [_control(scenario, key) for key in changeable_keys(scenario)]


def _control(scenario: Scenario, key: str) -> dict[str, Any]:
    place = place_of(scenario, key)
    value, unit = float(place.nominal), place.unit
    label = "gravity" if key == GRAVITY else key.partition(".")[2].removesuffix("_deg").replace("_", " ")
    out: dict[str, Any] = {"key": key, "label": label, "unit": "" if unit == "-" else unit, "value": value}
    table, _, name = key.partition(".")
    out["help"] = f"{key}: {type(getattr(scenario, table)).model_fields[name].description}"
    if key.endswith("restitution"):
        return {**out, "low": 0.05, "high": 1.0, "step": 0.01}
    if unit in ("deg", "-"):
        low, high, step = ANGLES if unit == "deg" else RATIOS
        return {**out, "low": low, "high": max(high, value), "step": step}
    if value == 0.0:
        return {**out, "low": 0.0, "high": 1.0, "step": 0.01}
    return {**out, "low": value / DECADE, "high": value * DECADE, "step": 0.0, "log": True}
