"""What the contact laws share that have the friction table of the marker law (Raiszadeh2012 Eqs. 5-7, 14, 15)."""

from typing import Protocol

from planetfall.scenario.tables.table import quantity

BREAKAWAY_ANGLE = quantity(
    "deg",
    "theta1: slope at which a resting vehicle starts to slide, the arctangent of friction at rest (Eq. 14)",
    ge=0,
    lt=90,
)
SLIDING_ANGLE = quantity(
    "deg",
    "theta2: slope on which a sliding vehicle keeps its speed, the arctangent of sliding friction (Eq. 15)",
    ge=0,
    lt=90,
)
BREAKAWAY_SPEED = quantity("m/s", "V1: below it friction falls linearly to zero", gt=0)
SLIDING_SPEED = quantity("m/s", "V2: above it friction is mu2", gt=0)


class SlipStickKeys(Protocol):
    """The keys that such a law has."""

    @property
    def breakaway_angle_deg(self) -> float:
        """theta1 [deg]."""
        ...

    @property
    def sliding_angle_deg(self) -> float:
        """theta2 [deg]."""
        ...

    @property
    def breakaway_speed(self) -> float:
        """V1 [m/s]."""
        ...

    @property
    def sliding_speed(self) -> float:
        """V2 [m/s]."""
        ...


class SlipStick:
    """Mixed into the table of such a law."""

    @property
    def stop_speed(self: SlipStickKeys) -> float:
        """A slide is over when the vehicle is slower than this for good [m/s]: what is left is creep."""
        return self.breakaway_speed

    def check_friction_table(self: SlipStickKeys) -> None:
        """Refuses a friction table that rises with the speed, or whose speeds are not in order."""
        if self.sliding_angle_deg > self.breakaway_angle_deg:
            raise ValueError(
                f"sliding_angle_deg: theta2 = {self.sliding_angle_deg} deg exceeds breakaway_angle_deg = "
                f"{self.breakaway_angle_deg} deg; sliding friction cannot exceed breakaway friction"
            )
        if self.sliding_speed <= self.breakaway_speed:
            raise ValueError(
                f"sliding_speed: V2 = {self.sliding_speed} m/s must exceed breakaway_speed = {self.breakaway_speed} m/s"
            )
