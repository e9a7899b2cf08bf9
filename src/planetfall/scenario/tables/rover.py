"""`[rover]` and `[soil]`: a rocker-bogie rover, its manipulator, and what its wheels roll on."""

from math import inf
from os import PathLike
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from planetfall.scenario.files.paths import FileName, whole_path
from planetfall.scenario.tables.drawing import DrawnPart
from planetfall.scenario.tables.table import Table, Vec3, choice, quantity

Vec2 = tuple[float, float]


class LinkageLinks(Table):
    """Links and angles of one side as in Hacot1998 Figure 2, for a bogie in front; a rear one is mirrored."""

    form: Literal["links"] = choice("how the linkage is given: links | points")
    rocker_wheel: float = quantity("m", "l1: from the differential's axis to the rocker's wheel", gt=0)
    rocker_pivot: float = quantity("m", "l2: from the differential's axis to the bogie's pivot", gt=0)
    bogie_inner: float = quantity("m", "l3: from the bogie's pivot to the middle wheel", gt=0)
    bogie_outer: float = quantity("m", "l4: from the bogie's pivot to the wheel at the end", gt=0)
    rocker_angle_deg: float = quantity("deg", "alpha: from l1 to l2, anticlockwise seen from the right", gt=0, lt=360)
    bogie_angle_deg: float = quantity("deg", "beta: from l3 to l4, anticlockwise seen from the right", gt=0, lt=360)


class LinkagePoints(Table):
    """Pivots and wheel centres of one side on flat ground: x forward, z up, from any common origin."""

    form: Literal["points"] = choice("how the linkage is given: links | points")
    axis: Vec2 = quantity("m", "differential's axis (x, z)")
    pivot: Vec2 = quantity("m", "bogie's pivot (x, z)")
    rear: Vec2 = quantity("m", "centre of the rear wheel (x, z)")
    middle: Vec2 = quantity("m", "centre of the middle wheel (x, z)")
    front: Vec2 = quantity("m", "centre of the front wheel (x, z)")


Linkage = Annotated[LinkageLinks | LinkagePoints, Field(discriminator="form")]


class RoverWheels(Table):
    """The six wheels, all alike."""

    radius: float = quantity("m", "rolling radius of a wheel", gt=0)
    width: float = quantity("m", "width, for soil and for wide contact", 0.0, ge=0)
    contact: Literal["disc", "wide"] = choice(
        "disc: one disc in the middle plane; wide: three discs across the width, the highest of which touches", "disc"
    )
    offset: Vec3 = quantity(
        "m", "how far outside of the side's plane the rear, middle and front wheel stand", (0, 0, 0)
    )
    torque_max: float = quantity("N m", "largest torque of a wheel's motor", gt=0)


class RoverArm(Table):
    """A manipulator of three joints on the body: azimuth about the body's up axis, then two pitches."""

    base: Vec3 = quantity("m", "shoulder, body frame, from the middle of the differential's axis")
    lengths: Vec2 = quantity("m", "lengths of upper arm and forearm")
    masses: Vec2 = quantity("kg", "masses of upper arm and forearm, each in the middle of its link", (0.0, 0.0))
    payload: float = quantity("kg", "mass that the arm carries at its tip", 0.0, ge=0)
    joints_deg: Vec3 = quantity(
        "deg",
        "azimuth (positive to the left), shoulder above the horizontal, elbow relative to the upper arm",
        (0, 0, 0),
    )
    tip_force: Vec3 = quantity("N", "force on the tip, body frame", (0.0, 0.0, 0.0))

    @model_validator(mode="after")
    def _lengths_and_masses(self) -> Self:
        if min(self.lengths) <= 0:
            raise ValueError(f"lengths: both must be positive, these are {self.lengths} m")
        if min(self.masses) < 0:
            raise ValueError(f"masses: none may be negative, these are {self.masses} kg")
        return self


class Rover(Table):
    """A six-wheeled rover with rockers, bogies and a differential; `urdf` and a built-in `name` fill in the rest."""

    name: str = choice("a built-in rover, or a name of your own with the numbers given")
    urdf: FileName | None = choice(
        "file of a rover from which what is not given is read: linkage, bogie, track, wheels, mass, torque; what it "
        "lacks comes from a built-in `name`, or has to be given; the numbers take its place once they are read",
        None,
    )
    mass: float = quantity("kg", "mass without the payload and the manipulator", gt=0)
    center_of_mass: Vec3 = quantity(
        "m",
        "centre of that mass, from the middle of the differential's axis, body frame (x forward, y left, z up)",
    )
    payload: float = quantity("kg", "mass carried on the body", 0.0, ge=0)
    payload_position: Vec3 = quantity(
        "m", "centre of mass of the payload, from the same point as center_of_mass", (0.0, 0.0, 0.0)
    )
    bogie: Literal["front", "rear"] = choice("end of the rocker at which the bogie is", "front")
    track: float = quantity("m", "distance of the planes of the two sides", gt=0)
    linkage: Linkage = choice("links of the right side, and of the left one unless given separately")
    linkage_left: Linkage | None = choice("links of the left side, where it differs", None)
    wheels: RoverWheels = choice("size and torque of the six wheels")
    arm: RoverArm | None = choice("manipulator that the rover carries", None)
    bogie_stop_deg: float | None = quantity(
        "deg", "largest angle of a bogie against its rocker; no stop if not given", None, gt=0
    )
    rocker_stop_deg: float | None = quantity(
        "deg", "largest angle of a rocker against the body; no stop if not given", None, gt=0
    )
    speed: float = quantity(
        "m/s", "speed at which the rover drives, horizontal as the distances of the path are", 0.03, gt=0
    )
    drawing: tuple[DrawnPart, ...] = choice(
        "the body in pictures, of plain solids in the body frame, from the middle of the differential's axis; a box "
        "between the sides if not given. Rockers, bogies and wheels are drawn from the numbers above",
        (),
    )
    source: str = choice("where the numbers come from", "")


class SoilCoulomb(Table):
    """Dry friction: a wheel slips when its traction exceeds friction times load (Hacot1998)."""

    law: Literal["coulomb"] = choice("kind of soil: coulomb | bekker")
    friction: float | FileName = quantity(
        "-",
        "coefficient mu > 0, or the file of a map of them: GeoTIFF, Arc ASCII or .npy, its middle the origin; the "
        "nearest node counts, beyond the map that at its border",
    )
    spacing: float | None = quantity("m", "distance of the map's nodes, for a file without georeference", None, gt=0)

    @field_validator("friction", mode="before")
    @classmethod
    def _number_or_file(cls, value: Any) -> Any:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not isinstance(value, str | PathLike) and not (is_number and 0 < value < inf):
            raise ValueError("must be greater than 0, or the name of a file")
        return whole_path(value)


class SoilBekker(Table):
    """Deformable soil after Bekker1969, with the shear law of Janosi1961; see Wong2008."""

    law: Literal["bekker"] = choice("kind of soil: coulomb | bekker")
    cohesive_modulus: float = quantity("N/m^(n+1)", "cohesive modulus k_c of the sinkage", ge=0)
    frictional_modulus: float = quantity("N/m^(n+2)", "frictional modulus k_phi of the sinkage", gt=0)
    exponent: float = quantity("-", "exponent n of the sinkage in the pressure", gt=0, lt=3)
    cohesion: float = quantity("Pa", "cohesion c of the soil", ge=0)
    friction_angle_deg: float = quantity("deg", "angle of internal friction phi of the soil", gt=0, lt=90)
    shear_modulus: float = quantity("m", "K: shear displacement that mobilises 63 % of the strength", gt=0)
    slip_max: float = quantity("-", "slip at which the traction that counts as available is taken", 0.3, gt=0, le=1)


Soil = Annotated[SoilCoulomb | SoilBekker, Field(discriminator="law")]
