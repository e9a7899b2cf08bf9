"""`[[tethers]]`: lines between two vehicles that pull and never push."""

from itertools import pairwise
from typing import Self

from pydantic import Field, model_validator

from planetfall.scenario.tables.table import Table, Vec3, choice, quantity

BRAKE_KEYS = ("brake_drag", "full_length", "taper_length")


class Tether(Table):
    """A line from a point of one vehicle to a point of another; slack when shorter than its rest length."""

    name: str = Field(description="name used in results", min_length=1)
    bodies: tuple[str, str] = choice("names of the two vehicles that it joins")
    points: tuple[Vec3, Vec3] = quantity("m", "where it is attached to each, from its centre of mass, body frame")
    length: float | None = quantity("m", "rest length at the start, where no table gives it", None, gt=0)
    stiffness: float = quantity("N/m", "tension per stretch beyond the rest length", gt=0)
    damping: float = quantity("N s/m", "tension per rate of stretch while taut", 0.0, ge=0)
    times: tuple[float, ...] = quantity("s", "instants of a pay-out table, rising", ())
    lengths: tuple[float, ...] = quantity("m", "rest length at each instant, linear in between, held outside", ())
    brake_force: float = quantity("N", "tension below which the brake holds the reel", 0.0, ge=0)
    brake_drag: float | None = quantity("N s/m", "tension above brake_force per speed of paying out", None, gt=0)
    full_length: float | None = quantity("m", "rest length at which the reel is empty", None, gt=0)
    taper_length: float | None = quantity("m", "the last line on the reel, over which paying out slows to zero", None)
    held: bool = choice("true: the brake holds the reel until a controller releases it", False)
    cut_time: float | None = quantity("s", "instant of the cut, at the nearest end of a step; never if not given", None)

    @model_validator(mode="after")
    def _one_rest_length(self) -> Self:
        if len(self.times) != len(self.lengths) or len(self.times) == 1:
            raise ValueError(f"lengths: {len(self.lengths)} lengths for {len(self.times)} times; two or more of each")
        if any(later <= earlier for earlier, later in pairwise(self.times)):
            raise ValueError(f"times: instants must rise, these are {list(self.times)} s")
        if any(length <= 0 for length in self.lengths):
            raise ValueError(f"lengths: must be positive, these are {list(self.lengths)} m")
        if (self.length is None) == (not self.times):
            raise ValueError("length: give either length, or times and lengths")
        return self

    @model_validator(mode="after")
    def _brake_is_complete(self) -> Self:
        given = [key for key in BRAKE_KEYS if getattr(self, key) is not None]
        if given and len(given) < len(BRAKE_KEYS):
            missing = next(key for key in BRAKE_KEYS if key not in given)
            raise ValueError(f"{missing}: a brake needs {', '.join(BRAKE_KEYS)}; only {', '.join(given)} given")
        if self.brake_force > 0 and not given:
            raise ValueError(f"brake_force: a brake needs {', '.join(BRAKE_KEYS)} as well")
        if self.held and not given:
            raise ValueError(f"held: a reel that is held needs a brake: {', '.join(BRAKE_KEYS)}")
        if given and self.times:
            raise ValueError("times: the rest length follows either a table or a brake, not both")
        if self.taper_length is not None and self.taper_length <= 0:
            raise ValueError(f"taper_length: must be positive, it is {self.taper_length} m")
        if self.full_length is not None and self.length is not None and self.full_length < self.length:
            raise ValueError(f"full_length: {self.full_length} m is shorter than length, {self.length} m")
        return self

    @model_validator(mode="after")
    def _joins_two(self) -> Self:
        if self.bodies[0] == self.bodies[1]:
            raise ValueError(f"bodies: a tether joins two vehicles, this one names {self.bodies[0]!r} twice")
        if self.cut_time is not None and self.cut_time < 0:
            raise ValueError(f"cut_time: must not be negative, it is {self.cut_time} s")
        return self

    @property
    def first_length(self) -> float:
        """Rest length at the start [m]."""
        if self.length is not None:
            return self.length
        rows = sum(time <= 0.0 for time in self.times)
        if rows in (0, len(self.times)):
            return self.lengths[0] if rows == 0 else self.lengths[-1]
        (t0, t1), (l0, l1) = self.times[rows - 1 : rows + 1], self.lengths[rows - 1 : rows + 1]
        return l0 + (l1 - l0) * (0.0 - t0) / (t1 - t0)
