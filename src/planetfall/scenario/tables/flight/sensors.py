"""`[[sensors]]`: what the vehicle measures of its motion and of the ground, how often and how well."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from planetfall.scenario.tables.open_union import OpenUnion
from planetfall.scenario.tables.table import Table, UnitVec3, Vec3, choice, quantity

NAME = r"^[A-Za-z][A-Za-z0-9_]*$"
"""Readings are stored under the sensor's name, so it has to be one that files and Python can carry."""
KINDS = "kind of sensor: altimeter | velocimeter | imu | switch | navigator"
MAX_BEAMS = 32
RESERVED = frozenset(
    {
        "time", "body", "axis", "quat", "point", "engine", "tether", "joint", "wheel",
        "position", "velocity", "quaternion", "angular_velocity", "mass", "point_body", "point_position",
        "contact_gap", "contact_force", "contact_normal_force", "contact_friction_force", "contact_mode",
        "energy_kinetic", "energy_gravity", "energy_elastic", "energy_total",
        "work_damper", "work_friction", "work_rolling", "work_external", "work_changes",
        "work_plastic", "contact_dent",
        "work_anchor", "nen", "contact_anchor", "contact_normal", "contact_force_pframe", "contact_delta_pframe",
        "position_lframe", "lframe_origin", "lframe_axes", "flywheel", "flywheel_speed",
        "arm", "arm_angle", "arm_speed",
        "application_point", "friction_force", "rolling_torque", "rolling_force", "tether_tension", "tether_length",
        "tether_rest_length", "tether_damper_work", "tether_reel_work", "tether_cut",
        "throttle", "thrust", "propellant", "center_of_mass", "phase",
        "rover_angles", "wheel_torque", "wheel_slip_ratio", "wheel_saturation",
    }
)  # fmt: skip
"""Names of a dataset that are no sensor's to take."""


class SensorAltimeter(Table):
    """Range along one beam to the first ground it meets."""

    kind: Literal["altimeter"] = choice(KINDS)
    name: str = Field(description="name of its readings: a letter, then letters, digits and _", pattern=NAME)
    body: str | None = choice("name of the vehicle that carries it; the first if not given", None)
    rate: float = quantity("Hz", "number of samples a second", gt=0)
    position: Vec3 = quantity("m", "place of the sensor from the centre of mass, body frame", (0.0, 0.0, 0.0))
    beam: UnitVec3 = quantity("-", "unit direction of the beam, body frame", (0.0, 0.0, -1.0))
    range_max: float = quantity("m", "longest range that returns", gt=0)
    incidence_max_deg: float = quantity(
        "deg", "largest angle between the beam and the ground's normal that returns; 90: any", 90.0, gt=0, le=90
    )
    bias: float = quantity("m", "bias that is added to every reading", 0.0)
    noise: float = quantity("m", "standard deviation of one sample", 0.0, ge=0)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names under which its readings are stored."""
        return self.name, f"{self.name}_status"


class SensorVelocimeter(Table):
    """Range rate along each of several beams, negative where the range shrinks."""

    kind: Literal["velocimeter"] = choice(KINDS)
    name: str = Field(description="name of its readings: a letter, then letters, digits and _", pattern=NAME)
    body: str | None = choice("name of the vehicle that carries it; the first if not given", None)
    rate: float = quantity("Hz", "number of samples a second", gt=0)
    position: Vec3 = quantity("m", "place of the sensor from the centre of mass, body frame", (0.0, 0.0, 0.0))
    beams: tuple[UnitVec3, ...] = quantity("-", "unit directions of the beams, body frame")
    signal: Literal["range-rate", "doppler"] = choice(
        "range-rate: of the range to the ground under the beam; doppler: speed against the ground along the beam",
        "range-rate",
    )
    range_max: float = quantity("m", "longest range that returns", gt=0)
    incidence_max_deg: float = quantity(
        "deg", "largest angle between the beam and the ground's normal that returns; 90: any", 90.0, gt=0, le=90
    )
    bias: float = quantity("m/s", "bias that is added to every reading of every beam", 0.0)
    noise: float = quantity("m/s", "standard deviation of one sample of one beam", 0.0, ge=0)

    @model_validator(mode="after")
    def _has_beams(self) -> Self:
        if not 1 <= len(self.beams) <= MAX_BEAMS:
            raise ValueError(f"beams: {len(self.beams)} beams; a velocimeter has 1 to {MAX_BEAMS}")
        return self

    @property
    def variables(self) -> tuple[str, ...]:
        """Names under which its readings are stored."""
        return self.name, f"{self.name}_status"


class SensorImu(Table):
    """Specific force and angular rate against the stars at a point of the vehicle, along body axes."""

    kind: Literal["imu"] = choice(KINDS)
    name: str = Field(description="name of its readings: a letter, then letters, digits and _", pattern=NAME)
    body: str | None = choice("name of the vehicle that carries it; the first if not given", None)
    rate: float = quantity("Hz", "number of samples a second", gt=0)
    position: Vec3 = quantity("m", "place of the sensor from the centre of mass, body frame", (0.0, 0.0, 0.0))
    accelerometer_bias: Vec3 = quantity(
        "m/s^2", "bias that is added to every specific force, body frame", (0.0, 0.0, 0.0)
    )
    accelerometer_noise: float = quantity(
        "m/s^2/sqrt(Hz)",
        "noise density: the integral over a time t has the standard deviation noise sqrt(t)",
        0.0,
        ge=0,
    )
    gyroscope_bias: Vec3 = quantity("rad/s", "bias that is added to every angular rate, body frame", (0.0, 0.0, 0.0))
    gyroscope_noise: float = quantity(
        "rad/s/sqrt(Hz)",
        "noise density: the integral over a time t has the standard deviation noise sqrt(t)",
        0.0,
        ge=0,
    )

    @property
    def variables(self) -> tuple[str, ...]:
        """Names under which its readings are stored."""
        return f"{self.name}_specific_force", f"{self.name}_angular_rate"


class SensorSwitch(Table):
    """Switches on contact points: 1 while the ground presses hard enough, else 0."""

    kind: Literal["switch"] = choice(KINDS)
    name: str = Field(description="name of its readings: a letter, then letters, digits and _", pattern=NAME)
    body: str | None = choice("name of the vehicle that carries it; the first if not given", None)
    rate: float = quantity("Hz", "number of samples a second", gt=0)
    points: tuple[str, ...] = Field(description="names of the vehicle's contact points with a switch", min_length=1)
    threshold: float = quantity("N", "normal force that closes a switch", 1.0, ge=0)

    @property
    def variables(self) -> tuple[str, ...]:
        """Name under which its readings are stored."""
        return (self.name,)


class SensorNavigator(Table):
    """Position, velocity and attitude as the vehicle's navigation knows them: the truth with errors of knowledge.

    The errors are those at the start, carried on inertially: an error of attitude turns what is sensed, so that
    velocity drifts by angle x sensed change of velocity; position drifts by the error of velocity.
    """

    kind: Literal["navigator"] = choice(KINDS)
    name: str = Field(description="name of its readings: a letter, then letters, digits and _", pattern=NAME)
    body: str | None = choice("name of the vehicle that carries it; the first if not given", None)
    rate: float = quantity("Hz", "number of samples a second", gt=0)
    position_error: Vec3 = quantity(
        "m", "error of position at the start, surface frame; it grows by the error of velocity", (0.0, 0.0, 0.0)
    )
    velocity_error: Vec3 = quantity(
        "m/s", "error of velocity at the start, surface frame; it grows by attitude_error_deg", (0.0, 0.0, 0.0)
    )
    attitude_error_deg: Vec3 = quantity(
        "deg", "small rotation from the true to the known attitude, surface frame, fixed", (0.0, 0.0, 0.0)
    )

    @property
    def variables(self) -> tuple[str, ...]:
        """Names under which its readings are stored."""
        return f"{self.name}_position", f"{self.name}_velocity", f"{self.name}_quaternion"


Sensor = Annotated[
    SensorAltimeter | SensorVelocimeter | SensorImu | SensorSwitch | SensorNavigator, OpenUnion("sensors")
]
