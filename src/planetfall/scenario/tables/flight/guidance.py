"""`guidance` of a flight's phase: the law that says which force is wanted, with numbers of its own.

Heights are over the ground under the altimeter's beam, of the altimeter; without an altimeter, over `flight.site`.
"""

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from planetfall.scenario.tables.table import Table, Vec3, choice, quantity

LAWS = (
    "kind of guidance: hold-velocity | hold-position | constant-deceleration | polynomial | gravity-turn | "
    "attitude-hold | entry | off"
)
DRIFT = "horizontal acceleration per horizontal speed (tuned)"
TILT = "largest tilt against horizontal motion (assumed)"


class GuidanceHoldVelocity(Table):
    """Holds a vertical speed by a PI law and stops horizontal motion by a proportional one."""

    law: Literal["hold-velocity"] = choice(LAWS)
    speed: float = quantity("m/s", "speed of the descent; negative to climb", 0.0)
    speed_gain: float = quantity("1/s", "vertical acceleration per error of vertical speed (tuned)", 3.0, gt=0)
    speed_integral: float = quantity("1/s^2", "vertical acceleration per integral of that error (tuned)", 2.0, ge=0)
    drift_gain: float = quantity("1/s", DRIFT, 0.3, ge=0)
    tilt_limit_deg: float = quantity("deg", TILT, 10.0, gt=0, lt=60)


class GuidanceHoldPosition(Table):
    """Flies to a place and stays there: acceleration by position and speed."""

    law: Literal["hold-position"] = choice(LAWS)
    target: Vec3 | None = quantity("m", "place from flight.site; where the phase begins if not given", None)
    position_gain: float = quantity("1/s^2", "acceleration per distance (assumed)", 0.25, gt=0)
    speed_gain: float = quantity("1/s", "acceleration per speed (assumed)", 1.0, gt=0)
    tilt_limit_deg: float = quantity("deg", TILT, 10.0, gt=0, lt=60)


class GuidanceConstantDeceleration(Table):
    """Slows the descent evenly, from what it is when the phase begins to a speed at a height."""

    law: Literal["constant-deceleration"] = choice(LAWS)
    speed: float = quantity("m/s", "speed of the descent at the end", gt=0)
    height: float = quantity("m", "height at which that speed is reached")
    speed_gain: float = quantity("1/s", "vertical acceleration per error of vertical speed (assumed)", 1.0, ge=0)
    drift_gain: float = quantity("1/s", DRIFT, 0.3, ge=0)
    tilt_limit_deg: float = quantity("deg", TILT, 10.0, gt=0, lt=60)


class GuidancePolynomial(Table):
    """Meets a place and a velocity, and an acceleration if one is given, after a time to go."""

    law: Literal["polynomial"] = choice(LAWS)
    target: Vec3 = quantity("m", "place, by target_from; along flight.up it is a height")
    target_from: Literal["site", "here"] = choice(
        "target is counted from flight.site, or, across flight.up, from where the phase begins: a divert", "site"
    )
    velocity: Vec3 = quantity("m/s", "velocity at that place, surface frame", (0.0, 0.0, 0.0))
    acceleration: Vec3 | None = quantity(
        "m/s^2",
        "acceleration at that place, surface frame; if not given, the acceleration is linear in time, else quadratic",
        None,
    )
    time_to_go: float | None = quantity(
        "s",
        "time to go when the phase begins; if not given, twice the height over the sum of vertical speeds",
        None,
        gt=0,
    )
    keep_time: float = quantity("s", "time to go from which on the last polynomial is kept", 2.0, gt=0)


class GuidanceGravityTurn(Table):
    """Thrusts against the velocity, so that gravity turns the path to the vertical."""

    law: Literal["gravity-turn"] = choice(LAWS)
    thrust_to_weight: float | None = quantity(
        "-", "constant thrust over local weight; if not given, the one that ends at `speed` and `height`", None, gt=0
    )
    speed: float = quantity("m/s", "speed at the end; slower than this it holds this descent", 1.0, gt=0)
    height: float = quantity("m", "height at the end of the gravity turn", 0.0)


class GuidanceAttitudeHold(Table):
    """Points the thrust axis, or turns it evenly from one tilt to another, at a share of the largest thrust."""

    law: Literal["attitude-hold"] = choice(LAWS)
    share: float = quantity("-", "share of the largest thrust of the phase's engines along the axis", 0.0, ge=0, le=1)
    tilt_deg: float = quantity("deg", "tilt of the axis from the vertical in the end", 0.0, ge=0, le=180)
    tilt_from_deg: float | None = quantity("deg", "tilt at the beginning; tilt_deg if not given", None, ge=0, le=180)
    turn_time: float = quantity("s", "time in which the axis turns from the one tilt to the other", 1.0, gt=0)
    azimuth_deg: float = quantity("deg", "azimuth towards which it is tilted, clockwise from north", 0.0)


class EntryReferenceTable(Table):
    """A computed reference of an entry, held fast: numbers over rising speed, as `planetfall entry reference` has them.

    Campaigns keep that of their nominal scenario here, so that no run is guided by knowledge of its own draws.
    """

    bank_deg: float = quantity("deg", "bank angle of the reference", ge=0, le=180)
    speed: tuple[float, ...] = quantity("m/s", "rising, from that of the end")
    range_to_go: tuple[float, ...] = quantity("m", "distance left to the end of the reference")
    drag: tuple[float, ...] = quantity("m/s^2", "deceleration of the reference by drag")
    height_rate: tuple[float, ...] = quantity("m/s", "rate of height of the reference, positive upward")
    lift_ratio: tuple[float, ...] = quantity("-", "lift over drag times the cosine of the bank angle")
    of_drag: tuple[float, ...] = quantity("s^2", "F1: range per drag, negative")
    of_height_rate: tuple[float, ...] = quantity("s", "F2: range per rate of height, positive")
    of_lift: tuple[float, ...] = quantity("m", "F3: range per lift_ratio, positive")

    @model_validator(mode="after")
    def _is_a_table(self) -> Self:
        for key in type(self).model_fields:
            column = getattr(self, key)
            if key != "bank_deg" and len(column) != len(self.speed):
                raise ValueError(f"{key}: has {len(column)} numbers for {len(self.speed)} speeds; give as many")
        if len(self.speed) < 2 or any(later <= earlier for earlier, later in pairwise(self.speed)):
            raise ValueError("speed: the speeds of a reference must rise, two or more")
        return self


class GuidanceEntry(Table):
    """Turns the bank angle of the entering vehicle so that it comes to the target: a terminal point controller.

    Range is controlled about a reference that is computed from the scenario; reversals hold the cross range; at low
    speed the heading is aligned. Engines are off.
    """

    law: Literal["entry"] = choice(LAWS)
    rate: float = quantity("Hz", "how often the bank angle is computed again (assumed)", 1.0, gt=0)
    range_after: float = quantity(
        "m", "distance flown over the ground from the trigger to the touchdown: find it by one run", 0.0, ge=0
    )
    trigger_speed: float = quantity(
        "m/s", "speed at which the reference ends: that of the parachute's trigger", 405.0, gt=0
    )
    start_drag: float = quantity("m/s^2", "sensed drag at which range control begins: 0.2 Earth g", 1.96133, gt=0)
    gain: float = quantity(
        "-", "factor by which errors of the range are over-controlled (Apollo's, from memory)", 5.0, gt=0
    )
    bank_min_deg: float = quantity("deg", "least bank angle of range control", 15.0, ge=0, lt=180)
    bank_max_deg: float = quantity("deg", "largest bank angle of range control", 105.0, gt=0, lt=180)
    cross_range: float = quantity(
        "m", "cross range at which the bank angle is reversed, in the limit of no speed (assumed)", 2000.0, gt=0
    )
    cross_range_fast: float = quantity(
        "m",
        "width added to cross_range at cross_range_speed, growing with the square of speed (assumed)",
        8000.0,
        ge=0,
    )
    cross_range_speed: float = quantity("m/s", "speed at which cross_range_fast is the width added", 5845.0, gt=0)
    heading_speed: float = quantity("m/s", "speed below which the heading is aligned", 1100.0, gt=0)
    heading_gain: float = quantity("-", "bank angle per error of heading", 4.0, gt=0)
    heading_bank_max_deg: float = quantity("deg", "largest bank angle of heading alignment", 30.0, ge=0, lt=90)
    heading_reference_deg: float = quantity("deg", "bank angle of the reference there (assumed)", 20.0, ge=0, lt=90)
    reference: EntryReferenceTable | None = choice(
        "a computed reference; that of this scenario, without its perturbations, if not given", None
    )

    @model_validator(mode="after")
    def _speeds_fall(self) -> Self:
        if self.heading_speed <= self.trigger_speed:
            raise ValueError(
                f"heading_speed: {self.heading_speed:g} m/s; it must be above trigger_speed, {self.trigger_speed:g} m/s"
            )
        if self.bank_max_deg <= self.bank_min_deg:
            raise ValueError(f"bank_max_deg: {self.bank_max_deg:g} deg; it must be above bank_min_deg")
        return self


class GuidanceOff(Table):
    """All engines are off."""

    law: Literal["off"] = choice(LAWS)


Guidance = Annotated[
    GuidanceHoldVelocity
    | GuidanceHoldPosition
    | GuidanceConstantDeceleration
    | GuidancePolynomial
    | GuidanceGravityTurn
    | GuidanceAttitudeHold
    | GuidanceEntry
    | GuidanceOff,
    Field(discriminator="law"),
]
