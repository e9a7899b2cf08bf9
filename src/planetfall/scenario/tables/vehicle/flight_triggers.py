"""Triggers of what happens once in a flight: a parachute is fired or let go, a vehicle is released."""

from typing import Self

from pydantic import model_validator

from planetfall.scenario.tables.table import Table, choice, quantity

CONDITIONS = (
    "after", "speed_below", "mach_below", "dynamic_pressure_below", "altitude_below", "height_below",
)  # fmt: skip


class FlightTrigger(Table):
    """What must hold together, of the vehicle's true motion; at least one condition is given."""

    after: float | None = quantity("s", "time since the start of the run, or since `armed_after`", None, ge=0)
    speed_below: float | None = quantity("m/s", "speed relative to the planet, at most", None, gt=0)
    mach_below: float | None = quantity("-", "Mach number relative to the air, at most", None, gt=0)
    dynamic_pressure_below: float | None = quantity("Pa", "dynamic pressure, at most", None, gt=0)
    altitude_below: float | None = quantity("m", "height as the model of the air counts it, at most", None)
    height_below: float | None = quantity("m", "height over the origin of the surface frame, its z, at most", None)
    armed_above_dynamic_pressure: float = quantity(
        "Pa", "nothing happens before the dynamic pressure has been above this; speed rises before it falls", 0.0, ge=0
    )
    armed_after: str | None = choice("name of the parachute that must have been fired before", None)

    @model_validator(mode="after")
    def _waits_for_something(self) -> Self:
        if all(getattr(self, key) is None for key in CONDITIONS):
            raise ValueError(f"after: the trigger has no condition; give one of {', '.join(CONDITIONS)}")
        return self
