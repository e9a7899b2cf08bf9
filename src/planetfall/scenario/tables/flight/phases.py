"""`[[flight.phases]]`: what a flight does one after the other, what ends each phase, and what is commanded with it."""

from collections.abc import Sequence
from typing import Self

from pydantic import Field, model_validator

from planetfall.scenario.tables.flight.guidance import Guidance, GuidanceOff
from planetfall.scenario.tables.table import Table, choice, quantity

ALL_TETHERS = "all"
"""In `release` and `cut`: every tether of the scenario."""
MAX_ENDS = 8
"""Triggers of one phase: each keeps one number in the controller's memory."""


class PhaseEnd(Table):
    """A trigger that ends a phase; where it has several conditions, all of them must hold."""

    after: float | None = quantity("s", "time since the phase began", None, ge=0)
    height_below: float | None = quantity("m", "height at or below this; false while the altimeter has no return", None)
    height_above: float | None = quantity("m", "height at or above this", None)
    speed_below: float | None = quantity("m/s", "speed against the ground at or below this", None, ge=0)
    descent_below: float | None = quantity("m/s", "speed of the descent at or below this", None)
    time_to_go_below: float | None = quantity(
        "s", "time to go of guidance by a polynomial at or below this", None, ge=0
    )
    propellant_below: float | None = quantity("kg", "propellant left, as the controller counts it", None, ge=0)
    landed: bool = choice("whether the landing detector must have declared", False)
    switch: str | None = choice("name of a switch sensor that must be closed", None)
    count: int = Field(1, description="how many of its switches must be closed", ge=1)
    acquired: str | None = choice("name of an altimeter or velocimeter of which every beam must return", None)
    hold: float = quantity("s", "how long the conditions must hold without a break", 0.0, ge=0)
    delay: float = quantity("s", "time from then until the phase ends, whatever happens meanwhile", 0.0, ge=0)
    to: str | None = choice("name of the phase that follows; the next one if not given", None)
    cause: str | None = choice("cause shown in the timeline; made from the condition if not given", None)

    @model_validator(mode="after")
    def _has_a_condition(self) -> Self:
        if not self.conditions:
            raise ValueError(f"after: the trigger has no condition; give one of {', '.join(_WORDS)}")
        return self

    @property
    def conditions(self) -> tuple[str, ...]:
        """Keys of the conditions that it has."""
        values = ((key, getattr(self, key)) for key in _WORDS)
        return tuple(key for key, value in values if value is not None and value is not False)  # 0.0 is one

    @property
    def cause_said(self) -> str:
        """What the timeline says."""
        return self.cause or " and ".join(_WORDS[key] for key in self.conditions)

    @property
    def said(self) -> str:
        """The conditions with their values, for messages."""
        values = {key: getattr(self, key) for key in self.conditions}
        return " and ".join(key if value is True else f"{key} = {value}" for key, value in values.items())


_WORDS = {
    "after": "time passed", "height_below": "height reached", "height_above": "height reached",
    "speed_below": "speed reached", "descent_below": "speed reached", "time_to_go_below": "time to go over",
    "propellant_below": "propellant low", "landed": "landing detected", "switch": "switch closed",
    "acquired": "beams returned",
}  # fmt: skip
"""Conditions of a trigger, and what each is called as a cause."""


class FlightPhase(Table):
    """One phase of a flight."""

    name: str = Field(description="name in the timeline, in results and in `to` of others", min_length=1)
    guidance: Guidance = choice("law of the force that is wanted, with its numbers", GuidanceOff(law="off"))
    ends: tuple[PhaseEnd, ...] = choice("triggers, of which the first that is met ends the phase", ())
    engines: tuple[str, ...] | None = choice("engines that run in it; those of flight.engines if not given", None)
    mass: float | None = quantity(
        "kg",
        "mass that the controller assumes; if not given, the vehicle's mass less the burnt propellant",
        None,
        gt=0,
    )
    carried_mass: float = quantity(
        "kg", "suspended mass, added to the vehicle's own where `mass` is not given", 0.0, ge=0
    )
    release: tuple[str, ...] = choice("tethers whose held reels are released when it begins; `all` names every one", ())
    cut: tuple[str, ...] = choice("tethers that are cut when it begins; `all` names every one", ())
    switch: tuple[str, ...] = choice(
        "one-time commands when it begins: `deploy NAME` and `release NAME` of a parachute, `separate NAME` of an "
        "attached vehicle",
        (),
    )
    arm: bool = choice("whether the landing detector may declare from its beginning on", False)
    rate: float | None = quantity(
        "Hz",
        "number of calls a second in it, a whole fraction of flight.rate, which it is if not "
        "given; while it is lower, sensors are sampled at the calls alone",
        None,
        gt=0,
    )
    step: float | None = quantity(
        "s",
        "step of the integrator in it (adaptive: the longest), up to integrator.step or max_step, which it is if not "
        "given",
        None,
        gt=0,
    )
    integral: str = Field(
        "keep", description="integral of hold-velocity at its beginning: keep | reset", pattern="^(keep|reset)$"
    )
    blend_time: float = quantity("s", "time in which the force changes over from the previous command", 0.0, ge=0)
    tilt_limit_deg: float = quantity("deg", "largest tilt of the thrust axis from flight.up", 180.0, gt=0, le=180)

    @model_validator(mode="after")
    def _keeps_few_numbers(self) -> Self:
        if len(self.ends) > MAX_ENDS:
            raise ValueError(f"ends: {len(self.ends)} triggers; a phase has up to {MAX_ENDS}")
        return self


def _reached_from(first: int, phases: Sequence[FlightPhase]) -> set[int]:
    """Phases that triggers lead to from one on."""
    names, new = [phase.name for phase in phases], [first]
    reached: set[int] = set()
    while new:
        i = new.pop()
        leads = {i + 1 if end.to is None else names.index(end.to) for end in phases[i].ends} - reached
        reached |= leads
        new += leads
    return reached


def _checked_switches(phases: Sequence[FlightPhase]) -> None:
    """Raises ValueError where a phase commands again what one before it has commanded: it happens once."""
    for i, phase in enumerate(phases):
        for k in _reached_from(i, phases) - {i}:
            for name in sorted(set(phase.switch) & set(phases[k].switch)):
                raise ValueError(
                    f"phases.{k}.switch: {name!r} was commanded by {phase.name!r} already, and happens once; take it "
                    "out of one of the two"
                )


def checked_sequence(phases: Sequence[FlightPhase]) -> None:
    """Raises ValueError where names are not unique, a phase leads nowhere, or no trigger leads to one."""
    names = [phase.name for phase in phases]
    for i, phase in enumerate(phases):
        if names.index(phase.name) != i:
            raise ValueError(f"phases.{i}.name: {phase.name!r} is taken; give it another name")
        for k, end in enumerate(phase.ends):
            if end.to is not None and end.to not in names:
                raise ValueError(f"phases.{i}.ends.{k}.to: no phase is called {end.to!r}; there are {', '.join(names)}")
            if end.to is None and i + 1 == len(phases):
                raise ValueError(f"phases.{i}.ends.{k}.to: missing, as no phase follows {phase.name!r}; name one")
    reached = _reached_from(0, phases) | {0}
    for i, name in enumerate(names):
        if i not in reached:
            raise ValueError(
                f"phases.{i}.name: no trigger leads to {name!r}; give the phase before it an `ends`, name it in `to`, "
                "or take it out"
            )
    _checked_switches(phases)
