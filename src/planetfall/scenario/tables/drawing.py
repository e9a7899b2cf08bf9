"""`[[vehicle.drawing]]` and `[[rover.drawing]]`: what a vehicle looks like in pictures, made of a few plain solids."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, StringConstraints, model_validator

from planetfall.scenario.tables.table import Table, Vec3, choice, quantity

BODY_COLOR = "#c9b458"
"""Of a part that says no other."""
_KEYS = {
    "box": {"position", "size"},
    "sphere": {"position", "diameter"},
    "cylinder": {"ends", "diameter"},
    "cone": {"ends", "diameter"},
}
"""What each kind of part needs."""


def _each_once(axes: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(axes)) < len(axes):
        raise ValueError(f"name each axis once, these are {', '.join(axes)}")
    return axes


class DrawnPart(Table):
    """One solid of a drawing. No simulated number depends on it: what touches the ground are the contact points."""

    kind: Literal["box", "cylinder", "cone", "sphere"] = choice("form of the solid: box | cylinder | cone | sphere")
    position: Vec3 | None = quantity("m", "box, sphere: its middle, body frame", None)
    size: Vec3 | None = quantity("m", "box: edges along x, y, z of the body frame", None)
    ends: tuple[Vec3, Vec3] | None = quantity("m", "cylinder, cone: both ends of its axis, body frame", None)
    diameter: float | None = quantity(
        "m", "cylinder, sphere: diameter of the round; cone: diameter at its first end", None, ge=0
    )
    end_diameter: float = quantity("m", "cone: diameter at its second end; 0 is a tip", 0.0, ge=0)
    mirrored: Annotated[tuple[Literal["x", "y", "z"], ...], AfterValidator(_each_once)] = choice(
        "body axes along which it is there a second time, on the other side; two of them make four parts", ()
    )
    color: Annotated[str, StringConstraints(pattern="^#[0-9a-fA-F]{6}$")] = choice(
        "red, green and blue as #rrggbb", BODY_COLOR
    )

    @model_validator(mode="after")
    def _has_its_sizes(self) -> Self:
        needed = _KEYS[self.kind]
        for key in ("position", "size", "ends", "diameter"):
            is_given = getattr(self, key) is not None
            if is_given != (key in needed):
                raise ValueError(f"{key}: a {self.kind} has {' and '.join(sorted(needed))}, and nothing else of these")
        if self.end_diameter and self.kind != "cone":
            raise ValueError("end_diameter: only a cone has one")
        if self.size is not None and min(self.size) <= 0:
            raise ValueError("size: each edge must be more than 0 m")
        if self.ends is not None and self.ends[0] == self.ends[1]:
            raise ValueError("ends: they must differ")
        if not (self.diameter or self.end_diameter or self.size):
            raise ValueError("diameter: must be more than 0 m")
        return self
