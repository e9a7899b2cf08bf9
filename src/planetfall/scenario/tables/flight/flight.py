"""`[flight]`: the controller in the loop, its rate, and the sequence of its phases."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from planetfall.scenario.tables.flight.phases import FlightPhase, checked_sequence
from planetfall.scenario.tables.flight.sky_crane import CONTROLLERS, SkyCraneKeys
from planetfall.scenario.tables.open_union import OpenUnion
from planetfall.scenario.tables.table import Table, UnitVec3, Vec3, choice, quantity


class FlightOwn(Table):
    """A controller of your own, a Python object given to `planetfall.run`."""

    controller: Literal["own"] = choice(CONTROLLERS)
    rate: float = quantity(
        "Hz", "number of calls a second; the integrator's step must divide the time between two", gt=0
    )

    @property
    def sequence(self) -> None:
        """The phases are the controller's own."""
        return None


class FlightSequence(Table):
    """Phases one after the other, each with a guidance law and with the triggers that end it, compiled.

    Navigation is by an IMU from a known start, corrected by a velocimeter and an altimeter where there are any.
    """

    controller: Literal["sequence"] = choice(CONTROLLERS)
    rate: float = quantity(
        "Hz", "number of calls a second; the integrator's step must divide the time between two", 64.0, gt=0
    )
    body: str | None = choice("name of the vehicle that flies; the first if not given", None)
    imu: str = choice("name of its IMU")
    navigator: str | None = choice(
        "name of its navigator, which gives position, velocity and attitude; without one they are found from the start "
        "and the IMU",
        None,
    )
    velocimeter: str | None = choice(
        "name of its velocimeter, with three beams or more and signal = 'doppler'; without one the IMU is integrated",
        None,
    )
    altimeter: str | None = choice("name of its altimeter; without one the velocity is integrated", None)
    engines: tuple[str, ...] = choice(
        "engines that run; all if none is named, and all that work if one of them fails", ()
    )
    failure_delay: float = quantity("s", "time after which the failure of an engine is known (assumed)", 0.1, ge=0)
    gravity: float | None = quantity(
        "m/s^2",
        "uniform gravity that the controller assumes; if not given, the scenario's, or that of the target's gm",
        None,
        gt=0,
    )
    up: UnitVec3 = quantity("-", "vertical of the landing site, surface frame", (0.0, 0.0, 1.0))
    site: Vec3 = quantity("m", "place that positions and heights are counted from, surface frame", (0.0, 0.0, 0.0))
    attitude_gain: float = quantity("1/s^2", "angular acceleration per attitude error (tuned)", 9.0, gt=0)
    rate_gain: float = quantity("1/s", "angular acceleration per angular rate (tuned)", 4.2, gt=0)
    phases: tuple[FlightPhase, ...] = Field(
        description="phases of the flight, in the order in which they follow each other", min_length=1
    )

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Self:
        checked_sequence(self.phases)
        return self

    @property
    def sequence(self) -> "FlightSequence":
        """Itself."""
        return self


class FlightSkyCrane(SkyCraneKeys):
    """Short form of a sequence: lowers the first vehicle on its tethers from a flying stage, lands it and flies away.

    The numbers are a workable set that was tuned to one published trace (Raiszadeh2012 Figures 12 and 13), not an
    identification of the flight software.
    """

    @property
    def sequence(self) -> FlightSequence:
        """The phases that it stands for; all tethers are released and cut."""
        return FlightSequence.model_validate(self.written_out())


Flight = Annotated[FlightOwn | FlightSequence | FlightSkyCrane, OpenUnion("flight")]
