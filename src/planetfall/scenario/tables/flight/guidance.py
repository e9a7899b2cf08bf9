"""`guidance` of a flight's phase: the law that says which force is wanted, with numbers of its own.

Heights are over the ground under the altimeter's beam, of the altimeter; without an altimeter, over `flight.site`.
"""

from typing import Annotated, Literal

from pydantic import Field

from planetfall.scenario.tables.table import Table, Vec3, choice, quantity

LAWS = "hold-velocity | hold-position | constant-deceleration | polynomial | gravity-turn | attitude-hold | off"
DRIFT = "horizontal acceleration per horizontal speed (tuned)"
TILT = "largest tilt against horizontal motion (assumed)"


class GuidanceHoldVelocity(Table):
    """Holds a vertical speed by a PI law and stops horizontal motion by a proportional one."""

    law: Literal["hold-velocity"] = choice(LAWS)
    speed: float = quantity("m/s", "of the descent; negative to climb", 0.0)
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
    speed: float = quantity("m/s", "of the descent at the end", gt=0)
    height: float = quantity("m", "at which that speed is reached")
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
    velocity: Vec3 = quantity("m/s", "there, surface frame", (0.0, 0.0, 0.0))
    acceleration: Vec3 | None = quantity(
        "m/s^2", "there, surface frame; if not given, the acceleration is linear in time, else quadratic", None
    )
    time_to_go: float | None = quantity(
        "s",
        "from the beginning of the phase; if not given, twice the height over the sum of vertical speeds",
        None,
        gt=0,
    )
    keep_time: float = quantity("s", "to go, from which on the last polynomial is kept", 2.0, gt=0)


class GuidanceGravityTurn(Table):
    """Thrusts against the velocity, so that gravity turns the path to the vertical."""

    law: Literal["gravity-turn"] = choice(LAWS)
    thrust_to_weight: float | None = quantity(
        "-", "constant thrust over local weight; if not given, what ends at `speed` and `height`", None, gt=0
    )
    speed: float = quantity("m/s", "at the end; slower than this it holds this descent", 1.0, gt=0)
    height: float = quantity("m", "at the end", 0.0)


class GuidanceAttitudeHold(Table):
    """Points the thrust axis, or turns it evenly from one tilt to another, at a share of the largest thrust."""

    law: Literal["attitude-hold"] = choice(LAWS)
    share: float = quantity("-", "of the largest thrust of the phase's engines along the axis", 0.0, ge=0, le=1)
    tilt_deg: float = quantity("deg", "of the axis from the vertical, in the end", 0.0, ge=0, le=180)
    tilt_from_deg: float | None = quantity("deg", "tilt at the beginning; tilt_deg if not given", None, ge=0, le=180)
    turn_time: float = quantity("s", "in which the axis turns from the one to the other", 1.0, gt=0)
    azimuth_deg: float = quantity("deg", "towards which it is tilted, clockwise from north", 0.0)


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
    | GuidanceOff,
    Field(discriminator="law"),
]
