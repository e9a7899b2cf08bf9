"""`[detector]`: when the vehicle's own sensors and throttles say that it has landed."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from planetfall.scenario.tables.open_union import OpenUnion
from planetfall.scenario.tables.table import Table, choice, quantity

KINDS = "kind of detector: altimeter-velocity | throttle | leg-switch"


class DetectorStillness(Table):
    """Declares a landing when near the ground, slow and pressed by one g, all of it held for a time."""

    kind: Literal["altimeter-velocity"] = choice(KINDS)
    altimeter: str | None = choice("name of the altimeter that it reads", None)
    velocimeter: str | None = choice("name of the velocimeter that it reads", None)
    imu: str | None = choice("name of the IMU that it reads", None)
    range_below: float | None = quantity("m", "altimeter: range below which the vehicle may stand", None, gt=0)
    speed_below: float = quantity("m/s", "velocimeter: no beam that returns is faster (assumed)", 0.1, gt=0)
    force_band: float = quantity("-", "imu: how far the specific force may be from one g, in g (assumed)", 0.1, gt=0)
    gravity: float | None = quantity(
        "m/s^2", "one g at the site; gravity at the start of the run if not given", None, gt=0
    )
    hold: float = quantity("s", "how long all of it must hold without a break (assumed)", 0.5, ge=0)

    @model_validator(mode="after")
    def _reads_something(self) -> Self:
        if self.altimeter is None and self.velocimeter is None and self.imu is None:
            raise ValueError("altimeter: the detector reads no sensor; name an altimeter, a velocimeter or an imu")
        if self.altimeter is not None and self.range_below is None:
            raise ValueError(
                "range_below: missing; give the longest range [m] that the altimeter reads when the vehicle stands"
            )
        return self


class DetectorThrottle(Table):
    """Declares a landing when the controller's effort has been well below what was usual before it was armed."""

    kind: Literal["throttle"] = choice(KINDS)
    filter_time: float = quantity("s", "time constant of the filter on the commanded thrust (assumed)", 0.1, gt=0)
    usual_time: float = quantity("s", "time constant of the mean that it is compared with (assumed)", 2.0, gt=0)
    ratio: float = quantity("-", "share of the usual thrust below which it is low (tuned)", 0.75, gt=0, lt=1)
    hold: float = quantity("s", "how long it must stay low without a break (tuned)", 1.0, ge=0)


class DetectorSwitch(Table):
    """Declares a landing when enough touchdown switches are closed."""

    kind: Literal["leg-switch"] = choice(KINDS)
    switch: str = choice("name of the switch sensor that it reads")
    count: int = Field(1, description="how many switches must be closed", ge=1)
    hold: float = quantity("s", "how long they must stay closed without a break (assumed)", 0.05, ge=0)


Detector = Annotated[DetectorStillness | DetectorThrottle | DetectorSwitch, OpenUnion("detector")]
