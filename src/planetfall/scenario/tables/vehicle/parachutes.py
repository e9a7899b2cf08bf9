"""`[[vehicle.parachutes]]`: canopies, when they are fired and let go, and in which conditions they may open."""

from itertools import pairwise
from typing import Any, Self

import numpy as np
from pydantic import Field, model_validator

from planetfall.scenario.tables.table import Table, Vec3, choice, quantity
from planetfall.scenario.tables.vehicle.flight_triggers import FlightTrigger

CANOPIES: dict[str, dict[str, Any]] = {
    "disk-gap-band": {
        "mach": (0.0, 0.5, 0.8, 1.0, 1.3, 1.7, 2.0, 2.5, 3.0),
        "drag_coefficient": (0.60, 0.60, 0.58, 0.62, 0.68, 0.64, 0.58, 0.48, 0.42),
        "inflation_exponent": 3.0, "opening_factor": 1.3, "filling_diameters": 12.0,
    },
    "round": {
        "mach": (0.0, 0.5, 0.8),
        "drag_coefficient": (0.75, 0.75, 0.72),
        "inflation_exponent": 2.0, "opening_factor": 1.7, "filling_diameters": 8.0,
    },
}  # fmt: skip
"""Built-in canopies. Disk-gap-band: drag assumed, in the shape of Viking's tunnel data behind a forebody, with the
subsonic value reconstructed for MSL; opening factor and filling distance after Knacke1992. Round: a flat circular
canopy of low
speed, after the ranges of Knacke1992."""


class DeploymentBox(Table):
    """Conditions at firing for which the parachute is qualified; outside of them is told, not prevented."""

    mach_min: float = quantity("-", "smallest Mach number at which the parachute may open", 0.0, ge=0)
    mach_max: float | None = quantity("-", "largest Mach number at which it may open; any if not given", None, gt=0)
    dynamic_pressure_min: float = quantity("Pa", "smallest dynamic pressure at which the parachute may open", 0.0, ge=0)
    dynamic_pressure_max: float | None = quantity(
        "Pa", "largest dynamic pressure at which it may open; any if not given", None, gt=0
    )

    @model_validator(mode="after")
    def _is_not_empty(self) -> Self:
        for what in ("mach", "dynamic_pressure"):
            low, high = getattr(self, f"{what}_min"), getattr(self, f"{what}_max")
            if high is not None and high <= low:
                raise ValueError(f"{what}_max: {high:g} is not more than {what}_min, {low:g}")
        return self

    @property
    def text(self) -> str:
        """What is inside, in words."""
        ranges = (
            ("Mach", "", self.mach_min, self.mach_max),
            ("dynamic pressure", " Pa", self.dynamic_pressure_min, self.dynamic_pressure_max),
        )
        parts = [
            f"{name} {low:g} to {high:g}{unit}" if high is not None else f"{name} from {low:g}{unit} on"
            for name, unit, low, high in ranges
            if low > 0.0 or high is not None
        ]
        return " and ".join(parts)

    def violations(self, mach: float, pressure: float) -> list[str]:
        """What is outside, in words; empty where all is inside."""
        found = []
        for name, unit, value, low, high in (
            ("Mach", "", mach, self.mach_min, self.mach_max),
            ("dynamic pressure", " Pa", pressure, self.dynamic_pressure_min, self.dynamic_pressure_max),
        ):
            if value < low:
                found.append(f"{name} {value:.4g}{unit} is below {low:g}{unit}")
            if high is not None and value > high:
                found.append(f"{name} {value:.4g}{unit} is above {high:g}{unit}")
        return found


class Parachute(Table):
    """A canopy on a riser. A built-in `canopy` fills in what is not given."""

    name: str = Field(description="name used in events, results and triggers", min_length=1)
    canopy: str | None = choice(
        f"a built-in kind ({' | '.join(CANOPIES)}) that gives drag and filling where these are not given", None
    )
    diameter: float = quantity("m", "nominal diameter D_0; the area pi D_0^2/4 is that of drag_coefficient", gt=0)
    attachment: Vec3 = quantity("m", "where the riser pulls, from the centre of mass, body frame", (0.0, 0.0, 0.0))
    drag_coefficient: tuple[float, ...] = quantity(
        "-", "drag coefficient at each of `mach`; monotone cubic between, held outside", ()
    )
    mach: tuple[float, ...] = quantity("-", "Mach numbers of drag_coefficient, rising", ())
    delay: float = quantity("s", "time from firing to line stretch (assumed for MSL)", 1.1, ge=0)
    filling_diameters: float = quantity("-", "filling takes the time in which it flies so many diameters", 0.0, ge=0)
    inflation_exponent: float = quantity("-", "n: drag grows with the time since line stretch to this power", 0.0, ge=0)
    opening_factor: float = quantity("-", "C_x: drag when it is first full, over the steady one", 0.0, ge=0)
    settling: float = quantity("-", "filling times in which the overshoot decays by a factor e (assumed)", 0.5, gt=0)
    drag_factor: float = quantity("-", "factor on the drag coefficient, for campaigns", 1.0, gt=0)
    deploy: FlightTrigger | None = choice("when it is fired; by a phase of the flight if not given", None)
    release: FlightTrigger | None = choice("when it is released; if not given, never or by a phase of the flight", None)
    box: DeploymentBox | None = choice("conditions that it may be fired in", None)
    source: str = choice("where the numbers come from", "")

    @model_validator(mode="before")
    @classmethod
    def _canopy_gives_the_rest(cls, values: Any) -> Any:
        if not isinstance(values, dict) or values.get("canopy") is None:
            return values
        if values["canopy"] not in CANOPIES:
            raise ValueError(f"canopy: no canopy is called {values['canopy']!r}; there are {', '.join(CANOPIES)}")
        return {**CANOPIES[values["canopy"]], **values}

    @model_validator(mode="after")
    def _has_its_numbers(self) -> Self:
        if not self.mach or len(self.mach) != len(self.drag_coefficient):
            raise ValueError(
                f"drag_coefficient: {len(self.drag_coefficient)} of them for {len(self.mach)} Mach numbers; give as "
                f"many of each, or a canopy ({', '.join(CANOPIES)})"
            )
        if any(later <= earlier for earlier, later in pairwise(self.mach)):
            raise ValueError(f"mach: they must rise, these are {list(self.mach)}")
        if min(self.drag_coefficient) < 0:
            raise ValueError(
                f"drag_coefficient: {min(self.drag_coefficient)} would push the vehicle on; it must be >= 0"
            )
        for key in ("filling_diameters", "inflation_exponent", "opening_factor"):
            if getattr(self, key) <= 0:
                raise ValueError(f"{key}: missing; give a number above 0, or a canopy ({', '.join(CANOPIES)})")
        return self

    @property
    def area(self) -> float:
        """Nominal area [m^2]."""
        return float(np.pi / 4 * self.diameter**2)
