"""`[[forces]]`: pushes and thrusters."""

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import model_validator

from planetfall.scenario.tables.open_union import OpenUnion
from planetfall.scenario.tables.table import Table, UnitVec3, Vec3, choice, quantity


class TabledForceKeys(Table):
    """A force along a fixed direction whose magnitude follows a table over time, and is zero outside it."""

    kind: Literal["push", "thruster"] = choice("push: direction fixed in the surface frame; thruster: in the body")
    name: str = choice("name used in messages", "force")
    body: str | None = choice("name of the vehicle it acts on; the first if not given", None)
    point: Vec3 = quantity("m", "where it acts, from the centre of mass, body frame", (0.0, 0.0, 0.0))
    direction: UnitVec3 = quantity("-", "unit direction of the force on the vehicle")
    times: tuple[float, ...] = quantity("s", "instants of the table, rising")
    magnitudes: tuple[float, ...] = quantity("N", "force at each instant, linear in between")

    @model_validator(mode="after")
    def _rising_table(self) -> Self:
        if len(self.times) < 2 or len(self.times) != len(self.magnitudes):
            raise ValueError(
                f"times: a table needs at least two instants and as many magnitudes; these are {len(self.times)} and "
                f"{len(self.magnitudes)}"
            )
        if any(later <= earlier for earlier, later in pairwise(self.times)):
            raise ValueError(f"times: instants must rise, these are {list(self.times)} s")
        return self


Force = Annotated[TabledForceKeys, OpenUnion("forces")]
