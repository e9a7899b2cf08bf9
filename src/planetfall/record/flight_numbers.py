"""Names, units and meanings of the numbers that a flight leaves: touchdown, miss, propellant, and of each phase.

What they are is worked out in `analysis.run`: for one run in its summary, for many in the columns of a campaign.
"""

from planetfall.flight.mount_flight import flown_body, phase_names
from planetfall.scenario.scenario import Scenario

TOUCHDOWN = ("touchdown_s", "touchdown_vertical_m_s", "touchdown_horizontal_m_s")
MISS, PROPELLANT, LAST_PHASE, PHASES = "miss_m", "propellant_left_kg", "last_phase", "phases."
"""The last is how the names of a phase's numbers begin."""
MEANINGS = {
    "touchdown_s": ("s", "first touch of a judged vehicle; NaN if there was none"),
    "touchdown_vertical_m_s": ("m/s", "speed of that vehicle along the plumb line when it first touched"),
    "touchdown_horizontal_m_s": ("m/s", "its speed across the plumb line then"),
    MISS: ("m", "from the site to where the first vehicle ended, over the ground; NaN if it ended elsewhere"),
    PROPELLANT: ("kg", "propellant of the vehicle that is flown at the end"),
}
OF_PHASE = {
    "begins_s": ("s", "when the phase {} first began; NaN if it did not"),
    "velocity_m_s": ("m/s", "speed of the vehicle that is flown when {} began"),
    "altitude_m": ("m", "its altitude when {} began"),
    "mach": ("1", "its Mach number when {} began"),
    "dynamic_pressure_Pa": ("Pa", "its dynamic pressure when {} began"),
    "air_density_kg_m3": ("kg/m^3", "density of the air around it when {} began"),
}
"""Numbers of each phase, with unit and meaning; all but the first two need air."""
OF_VARIABLE = {
    "velocity": "velocity_m_s", "altitude": "altitude_m", "mach": "mach", "dynamic_pressure": "dynamic_pressure_Pa",
    "air_density": "air_density_kg_m3",
}  # fmt: skip
"""Under which of these names a variable of the flight is kept."""


def is_flight(scenario: Scenario) -> bool:
    """Whether a vehicle comes from afar, through air or on another: how far it went says nothing of a slide."""
    return scenario.entering_body is not None or any(carrier >= 0 for carrier in scenario.carriers)


def has_propellant(scenario: Scenario) -> bool:
    """Whether a controller flies a vehicle with a tank."""
    return scenario.flight is not None and scenario.vehicles[flown_body(scenario)].propellant is not None


def flight_numbers(scenario: Scenario) -> tuple[str, ...]:
    """Names of `MEANINGS` that runs of a scenario have."""
    of_touchdown = (*TOUCHDOWN, *((MISS,) if scenario.target.site is not None else ())) if is_flight(scenario) else ()
    return (*of_touchdown, *((PROPELLANT,) if has_propellant(scenario) else ()))


def numbers_of_phases(scenario: Scenario) -> tuple[str, ...]:
    """Which of `OF_PHASE` a scenario's phases have."""
    return tuple(OF_PHASE) if scenario.atmosphere.model != "none" else tuple(OF_PHASE)[:2]


def phase_numbers(scenario: Scenario) -> tuple[str, ...]:
    """Names of all numbers of phases that are known before the run, after `LAST_PHASE`."""
    names, numbers = phase_names(scenario)[0], numbers_of_phases(scenario)
    return (LAST_PHASE, *(f"{PHASES}{phase}.{number}" for phase in names for number in numbers)) if names else ()


def flight_meaning(scenario: Scenario, name: str) -> tuple[str, str] | None:
    """Unit and meaning of a number of a flight; None for a name that is none."""
    if name in MEANINGS:
        return MEANINGS[name]
    if name == LAST_PHASE:
        listed = ", ".join(f"{i} {phase}" for i, phase in enumerate(phase_names(scenario)[0]))
        return "1", f"phase in which the run ended: {listed}"
    phase, _, number = name.removeprefix(PHASES).rpartition(".")
    if not name.startswith(PHASES) or number not in OF_PHASE:
        return None
    unit, meaning = OF_PHASE[number]
    return unit, meaning.format(phase)
