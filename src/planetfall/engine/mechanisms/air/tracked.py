"""Which numbers of a flight every run keeps because a limit is on them, recorded or not.

Peaks of g load, heating and dynamic pressure are kept always. A limit on a variable of the flight, over the run or at
its end, adds its least, its largest or its last value.
"""

from dataclasses import dataclass

from planetfall.scenario.scenario import Scenario

LARGEST, LEAST, END = "largest", "least", "end"
G_LOAD = "g_load"
"""The load of the air on a vehicle with its canopies, which `air_load` keeps; the others are of `aerodynamics`."""
TRACKABLE = {
    "altitude": "m", "air_density": "kg_m3", "mach": "", "dynamic_pressure": "Pa", G_LOAD: "", "heating": "W_m2",
    "heat_load": "J_m2", "bank": "rad", "velocity": "m_s",
}  # fmt: skip
"""Variables of a flight, with their unit as it stands in names of numbers."""
ENDS = ("end", "descended", "skip_out", "time_out", "escape")
"""What `at` may be for a value at the end of a run; but for `end` itself, events with which a run ends."""


@dataclass(frozen=True)
class Tracked:
    """A number that is kept: which `variable`, and its `largest`, `least` or `end` value."""

    variable: str
    kind: str

    @property
    def name(self) -> str:
        """Of the number in summaries and campaigns."""
        unit = TRACKABLE[self.variable]
        return f"{self.kind}_{self.variable}" + (f"_{unit}" if unit else "")


def tracked_of(scenario: Scenario) -> tuple[Tracked, ...]:
    """What the limits of a scenario ask to be kept of its first vehicle."""
    found: dict[Tracked, None] = {}
    for limit in scenario.limits.values():
        if limit.of not in TRACKABLE:
            continue
        if limit.at in ENDS:
            found[Tracked(limit.of, END)] = None
        elif limit.at is None:
            found |= {Tracked(limit.of, LARGEST): None} if limit.max is not None else {}
            found |= {Tracked(limit.of, LEAST): None} if limit.min is not None else {}
    return tuple(found)
