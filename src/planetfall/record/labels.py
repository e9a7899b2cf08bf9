"""Names of columns, variables and summary entries as people read them: words, and the unit in brackets. Also limits."""

from collections.abc import Mapping
from typing import Any

UNITS = {
    "s": "s", "N": "N", "m": "m", "m_s": "m/s", "J": "J", "N_m": "N/m", "N_s_m": "N s/m", "rad": "rad", "kg": "kg",
    "W": "W", "deg": "deg", "N_m_n": "N/m^n", "s_m": "s/m",
    "Pa": "Pa", "W_m2": "W/m^2", "J_m2": "J/m^2", "N_m2": "N/m^2", "N_s_m2": "N s/m^2",
}  # fmt: skip
"""Units at the end of names."""
WORDS = {
    "rest_s": "time to rest",
    "n_contacts": "touchdowns",
    "peak_force_N": "peak normal force",
    "max_penetration_m": "deepest penetration",
    "distance_m": "distance from release to the end",
    "speed_m_s": "speed at the end",
    **{f"{axis}_m": f"{axis} at the end" for axis in "xyz"},
    **{f"q{axis}": f"attitude at the end, {axis}" for axis in "xyzw"},
    "peak_g": "peak load of the air in Earth g, with parachutes",
    "peak_g_s": "time of that peak load",
    "peak_entry_g": "peak load of the air in Earth g, without parachutes",
    "peak_entry_g_s": "time of the peak load without parachutes",
    "peak_heating_s": "time of the peak heating",
    "peak_dynamic_pressure_s": "time of the peak dynamic pressure",
    "miss_m": "distance from the site",
    "out.end_s": "end of the run",
    "out.solar_incidence_deg": "angle of the sun from the ground's normal",
}
"""Names whose own words do not say enough."""
VERDICTS = {True: "kept", False: "BROKEN", None: "not judged"}


def words_and_unit(name: str) -> tuple[str, str]:
    """A name as words, and the unit at its end, if any. A dispersed input keeps its key, which people type."""
    if name.startswith("in."):
        return name.removeprefix("in."), UNITS["deg"] if name.endswith("_deg") else ""
    for end in sorted(UNITS, key=len, reverse=True):
        if name.endswith(f"_{end}"):
            stem, unit = name.removesuffix(f"_{end}"), UNITS[end]
            if end == "N_m" and "torque" in stem:  # a stiffness has the same ending
                unit = "N m"
            break
    else:
        stem, unit = name, ""
    own = WORDS.get(name) or WORDS.get(name.removeprefix("out."))
    return own or stem.removeprefix("out.").replace("_", " ").replace(".", " "), unit


def label_of(name: str, unit: str | None = None) -> str:
    """A name as an axis or the head of a column has it: `energy_rise_J` is `energy rise [J]`.

    Args:
        name: Of a column, a variable, or an entry of a summary.
        unit: As the column itself says it, where it does; else that at the end of the name.
    """
    words, own = words_and_unit(name)
    shown = unit_text(own if unit is None else unit)
    return f"{words} [{shown}]" if shown else words


def unit_text(unit: str) -> str:
    """A unit as it is printed, squares and cubes raised; nothing for a plain number."""
    return "" if unit in ("", "1", "-") else unit.replace("^2", "²").replace("^3", "³")


def limit_text(limit: Mapping[str, Any]) -> str:
    """A limit of a summary for people: what it is on, the value, and what is allowed."""
    where = f" at {limit['at']}" if limit["at"] else ""
    parts = (("at least", limit["min"]), ("at most", limit["max"]))
    allowed = " and ".join(f"{words} {value:g}" for words, value in parts if value is not None)
    if limit.get("kept") is None and "least" in limit:
        return f"{limit['of']}{where}: never came, allowed {allowed}"
    if "least" not in limit:
        return f"{limit['of']}{where}: {limit.get('allowed') or allowed}"
    least, largest = limit["least"], limit["largest"]
    value = f"{largest:.5g}" if least == largest else f"{least:.5g} to {largest:.5g}"
    return f"{limit['of']}{where} {value}, allowed {allowed}"


def trim_text(trim: Mapping[str, float | None]) -> str:
    """How a vehicle is trimmed at the start, as a summary has it, for people."""
    ratio = trim["lift_to_drag"]
    lift = "" if ratio is None else f", lift-to-drag ratio {ratio:.3g}"
    return f"angle of attack {trim['angle_of_attack_deg']:.1f} deg{lift}, at Mach {trim['mach']:.3g}"
