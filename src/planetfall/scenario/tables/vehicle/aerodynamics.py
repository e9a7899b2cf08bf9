"""`[vehicle.aerodynamics]`: what the air does to a vehicle."""

from itertools import pairwise
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from planetfall.scenario.files.paths import FileName
from planetfall.scenario.tables.table import Table, UnitVec3, Vec3, choice, quantity

MODELS = "kind of aerodynamics: drag | table | newtonian"
Numbers = tuple[float, ...]
SQUARE = 1e-9
"""How far from a right angle the cosine of nose and right may be."""


class BankPlan(Table):
    """`[vehicle.aerodynamics.bank_plan]`: bank angles to be flown, each from its instant on."""

    times: Numbers = quantity("s", "instants of the plan, rising")
    angles_deg: Numbers = quantity("deg", "bank commanded from each instant on, positive to the right")

    @model_validator(mode="after")
    def _is_a_plan(self) -> Self:
        if not self.times or len(self.times) != len(self.angles_deg):
            raise ValueError(
                f"times: {len(self.times)} of them for {len(self.angles_deg)} angles; give as many of each"
            )
        if any(later <= earlier for earlier, later in pairwise(self.times)):
            raise ValueError(f"times: they must rise, these are {list(self.times)} s")
        return self


class Aerodynamics(Table):
    """What all models have: axes, damping, how the attitude is found, heating, and factors for campaigns."""

    reference_point: Vec3 = quantity(
        "m", "where forces act and moments are taken, from the centre of mass, body frame", (0.0, 0.0, 0.0)
    )
    nose: UnitVec3 = quantity("-", "body axis out of the nose", (1.0, 0.0, 0.0))
    right: UnitVec3 | None = quantity(
        "-",
        "body axis to the right, across the nose; any such axis if not given, which bodies of revolution allow",
        None,
    )
    damping: Vec3 = quantity(
        "-", "C_lp, C_mq, C_nr: moments per rate, p l/2V and so on; they damp if < 0", (0.0, 0.0, 0.0)
    )
    attitude: Literal["free", "trim"] = choice(
        "free: moments turn the vehicle; trim: the angle of attack is held, and bank turns the lift", "free"
    )
    angle_of_attack_deg: float | None = quantity(
        "deg", "trim: total angle of attack; by the offset of reference_point if not given", None, ge=0, lt=90
    )
    trim_mach: Numbers = quantity("-", "trim: Mach numbers of trim_angles_deg, rising", ())
    trim_angles_deg: Numbers = quantity(
        "deg", "trim: total angle of attack at each of trim_mach, in place of angle_of_attack_deg", ()
    )
    bank_deg: float = quantity("deg", "trim: bank angle at the start, 0 is lift up, positive to the right", 0.0)
    bank_plan: BankPlan | None = choice("trim: bank angles to be flown; that of the start if not given", None)
    bank_rate_max_deg_s: float = quantity("deg/s", "trim: largest rate of the bank angle (MSL's)", 20.0, gt=0)
    bank_acceleration_max_deg_s2: float = quantity("deg/s^2", "trim: largest change of that rate (MSL's)", 5.0, gt=0)
    heating_constant: float | None = quantity(
        "kg^0.5/m",
        "constant k of the heating k sqrt(rho/R_n) V^3 (Sutton and Graves); that of the target's air if not given",
        None,
        gt=0,
    )
    axial_factor: float = quantity("-", "factor on the axial force, or on the drag where that is all", 1.0, gt=0)
    normal_factor: float = quantity("-", "factor on the force across the nose", 1.0, ge=0)
    moment_factor: float = quantity("-", "factor on the moments about reference_point", 1.0, ge=0)
    source: str = choice("where the numbers come from", "")

    @model_validator(mode="after")
    def _axes_are_square(self) -> Self:
        if self.right is not None and abs(float(np.dot(self.nose, self.right))) > SQUARE:
            raise ValueError("right: it must be across nose")
        return self

    @model_validator(mode="after")
    def _bank_belongs_to_trim(self) -> Self:
        if self.attitude == "free":
            for key in ("angle_of_attack_deg", "bank_deg", "bank_plan", "trim_angles_deg"):
                if getattr(self, key) not in (None, 0.0, ()):
                    raise ValueError(f"{key}: it belongs to attitude = 'trim'; with 'free' moments turn the vehicle")
        return self

    @model_validator(mode="after")
    def _trim_is_a_table(self) -> Self:
        if self.trim_mach or self.trim_angles_deg:
            check_mach(self.trim_mach, "trim_angles_deg", len(self.trim_angles_deg))
            if self.angle_of_attack_deg is not None:
                raise ValueError("angle_of_attack_deg: trim_angles_deg says it over Mach; give one of them")
            wrong = [angle for angle in self.trim_angles_deg if not 0.0 <= angle < 90.0]
            if wrong:
                raise ValueError(f"trim_angles_deg: {wrong[0]:g} degrees; they must be from 0 to below 90")
        return self

    @property
    def R_BA(self) -> np.ndarray:
        """Rotation [3, 3] from aerodynamic axes (nose, right, down) to body axes."""
        nose = np.asarray(self.nose)
        if self.right is not None:
            right = np.asarray(self.right)
        else:
            least = np.eye(3)[1 if abs(nose[1]) < 0.9 else 2]
            right = least - nose * (least @ nose)
            right /= np.linalg.norm(right)
        return np.stack([nose, right, np.cross(nose, right)], axis=1)


class Referred(Aerodynamics):
    """Coefficients that refer to an area and lengths of the user's choice."""

    area: float | None = quantity("m^2", "reference area; that of `diameter` if not given", None, gt=0)
    diameter: float | None = quantity("m", "reference length; needed where no area is given", None, gt=0)
    span: float | None = quantity(
        "m", "length of moments and damping about nose and down; diameter if not given", None, gt=0
    )
    chord: float | None = quantity("m", "length of moments and damping about right; diameter if not given", None, gt=0)
    nose_radius: float | None = quantity(
        "m", "radius of curvature of the nose; heating is computed where it is given", None, gt=0
    )

    @model_validator(mode="after")
    def _has_an_area(self) -> Self:
        if self.area is None and self.diameter is None:
            raise ValueError("area: missing; give area, or diameter")
        if any(self.damping) and self.diameter is None and (self.span is None or self.chord is None):
            raise ValueError("damping: it needs lengths; give diameter, or span and chord")
        return self

    @property
    def reference_area(self) -> float:
        """[m^2]."""
        if self.area is not None:
            return self.area
        assert self.diameter is not None
        return float(np.pi / 4 * self.diameter**2)

    @property
    def lengths(self) -> tuple[float, float, float]:
        """Of moments about nose, right and down [m]; 0 where none is given."""
        span, chord = self.span or self.diameter or 0.0, self.chord or self.diameter or 0.0
        return (span, chord, span)


class AerodynamicsDrag(Referred):
    """Drag alone, and in trim a ratio of lift to drag."""

    model: Literal["drag"] = choice(MODELS)
    drag_coefficient: Numbers = quantity("-", "one number, or one for each of `mach`")
    mach: Numbers = quantity("-", "Mach numbers of drag_coefficient, rising; none where it is one number", ())
    lift_to_drag: float = quantity("-", "trim: ratio of lift to drag", 0.0, ge=0)

    @field_validator("drag_coefficient", mode="before")
    @classmethod
    def _one_is_enough(cls, value: Any) -> Any:
        return (float(value),) if isinstance(value, int | float) and not isinstance(value, bool) else value

    @model_validator(mode="after")
    def _is_a_table(self) -> Self:
        if any(value < 0 for value in self.drag_coefficient):
            raise ValueError(
                f"drag_coefficient: {min(self.drag_coefficient)} would push the vehicle on; it must be >= 0"
            )
        if self.mach or len(self.drag_coefficient) != 1:
            check_mach(self.mach, "drag_coefficient", len(self.drag_coefficient))
        if self.lift_to_drag and self.attitude == "free":
            raise ValueError("lift_to_drag: it belongs to attitude = 'trim'; use model = 'table' for a free vehicle")
        if self.angle_of_attack_deg is not None:
            raise ValueError("angle_of_attack_deg: the drag here does not depend on it; leave it out")
        return self


class AerodynamicsTable(Referred):
    """Coefficients over Mach and angles from a file."""

    model: Literal["table"] = choice(MODELS)
    file: FileName = choice(
        "CSV with the columns mach, alpha_deg, CA, CN, Cm of a body of revolution (alpha: the total angle), or "
        "mach, alpha_deg, beta_deg, CX, CY, CZ, Cl, Cm, Cn along and about nose, right, down"
    )
    outside: Literal["refuse", "hold"] = choice(
        "beyond the table's Mach numbers and angles: a scenario that may come there is refused, or the last values are "
        "held",
        "refuse",
    )

    @model_validator(mode="after")
    def _moments_have_a_length(self) -> Self:
        if 0.0 in self.lengths:
            raise ValueError("diameter: missing; the moments of the table need it, or span and chord")
        return self


class AerodynamicsNewtonian(Aerodynamics):
    """Modified Newtonian pressure on a sphere-cone, or on the vehicle's own shape."""

    model: Literal["newtonian"] = choice(MODELS)
    shape: Literal["sphere-cone", "vehicle"] = choice(
        "sphere-cone: by diameter, half_angle_deg and nose_radius, its tip at reference_point; vehicle: the facets "
        "of vehicle.shape, where parts that lie in the lee of others are taken as lit",
        "sphere-cone",
    )
    diameter: float = quantity("m", "diameter of the base; reference length, and by its circle reference area", gt=0)
    half_angle_deg: float | None = quantity("deg", "sphere-cone: half angle of the cone", None, gt=0, lt=90)
    nose_radius: float | None = quantity(
        "m", "radius of curvature of the nose; heating is computed where it is given", None, gt=0
    )
    heat_ratio: float | None = quantity(
        "-", "ratio of specific heats behind the shock, for the stagnation pressure", None, gt=1
    )
    mach: Numbers = quantity("-", "Mach numbers of pressure_coefficient, rising; in place of heat_ratio", ())
    pressure_coefficient: Numbers = quantity("-", "what the Newtonian forms are multiplied by, at each of `mach`", ())

    @model_validator(mode="after")
    def _has_its_form(self) -> Self:
        if self.shape == "sphere-cone":
            for key in ("half_angle_deg", "nose_radius"):
                if getattr(self, key) is None:
                    raise ValueError(f"{key}: missing; a sphere-cone needs it")
            assert self.nose_radius is not None and self.half_angle_deg is not None
            most = 0.5 * self.diameter / float(np.cos(np.radians(self.half_angle_deg)))
            if self.nose_radius > most * (1 + 1e-12):
                raise ValueError(
                    f"nose_radius: {self.nose_radius} m reaches beyond the base; with this half-angle it is at most "
                    f"{most:.6g} m"
                )
        elif self.half_angle_deg is not None:
            raise ValueError("half_angle_deg: it belongs to shape = 'sphere-cone'")
        return self

    @model_validator(mode="after")
    def _has_a_pressure(self) -> Self:
        if (self.heat_ratio is None) == (not self.mach):
            raise ValueError("heat_ratio: give it, or mach and pressure_coefficient, and not both")
        if self.mach:
            check_mach(self.mach, "pressure_coefficient", len(self.pressure_coefficient))
            if min(self.pressure_coefficient) < 0:
                raise ValueError(f"pressure_coefficient: {min(self.pressure_coefficient)} is a pull; it must be >= 0")
        return self

    @property
    def reference_area(self) -> float:
        """[m^2]."""
        return float(np.pi / 4 * self.diameter**2)

    @property
    def lengths(self) -> tuple[float, float, float]:
        """Of moments about nose, right and down [m]."""
        return (self.diameter, self.diameter, self.diameter)


def check_mach(mach: Numbers, of: str, n: int) -> None:
    """Refuses Mach numbers that do not rise from 0 or more, or are not as many as the values that go with them."""
    if len(mach) != n:
        raise ValueError(f"{of}: has {n} numbers, and mach has {len(mach)}; give as many")
    if mach[0] < 0 or any(later <= earlier for earlier, later in pairwise(mach)):
        raise ValueError(f"mach: {list(mach)} do not rise from 0 or more")


VehicleAerodynamics = Annotated[
    AerodynamicsDrag | AerodynamicsTable | AerodynamicsNewtonian, Field(discriminator="model")
]
