"""The whole scenario: all tables together, and what they must agree on."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from planetfall.arguments import keyed_values
from planetfall.errors import InputError
from planetfall.scenario.agreement import check_agreement
from planetfall.scenario.card import Carded
from planetfall.scenario.dispersions.distributions import Frozen
from planetfall.scenario.dispersions.linked import Cases, check_cases
from planetfall.scenario.dispersions.tables import Dispersions, read_dispersions
from planetfall.scenario.tables.contact.contact import Contact
from planetfall.scenario.tables.flight.detector import Detector
from planetfall.scenario.tables.flight.flight import Flight
from planetfall.scenario.tables.flight.sensors import Sensor, SensorSwitch
from planetfall.scenario.tables.run.comparison import Comparison
from planetfall.scenario.tables.run.heading import Heading
from planetfall.scenario.tables.run.initial import Initial
from planetfall.scenario.tables.run.integrator import Integrator
from planetfall.scenario.tables.run.limits import Limits
from planetfall.scenario.tables.run.record import OutcomeRules, Record
from planetfall.scenario.tables.table import Table, Whole, choice
from planetfall.scenario.tables.vehicle.forces import Force
from planetfall.scenario.tables.vehicle.tethers import Tether
from planetfall.scenario.tables.vehicle.vehicle import Companion, Vehicle
from planetfall.scenario.tables.world.atmosphere import Atmosphere, AtmosphereNone
from planetfall.scenario.tables.world.gravity import Gravity
from planetfall.scenario.tables.world.target import Target
from planetfall.scenario.tables.world.terrain import Terrain
from planetfall.scenario.tables.world.terrain_sdf import TerrainSdf


class Scenario(Carded, Table, metaclass=Whole):
    """Everything that defines a run; frozen. Make one with `planetfall.load`, change one with `with_values`."""

    plugins: tuple[str, ...] | None = choice(
        "modules or files (.py) with parts of your own; plug-ins that are installed need not be named", None
    )
    scenario: Heading
    target: Target = Target()
    gravity: Gravity
    atmosphere: Atmosphere = AtmosphereNone(model="none")
    terrain: Terrain
    vehicle: Vehicle
    contact: Contact
    initial: Initial = Initial()
    companions: tuple[Companion, ...] = ()
    tethers: tuple[Tether, ...] = ()
    forces: tuple[Force, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    detector: Detector | None = None
    flight: Flight | None = None
    integrator: Integrator
    record: Record = Record()
    outcome: OutcomeRules = OutcomeRules()
    limits: Limits = Field(default_factory=Frozen, description="limits by name, by which every run is judged")
    comparison: Comparison | None = None
    cases: Cases = Field(
        default_factory=Frozen, description="weights by name: what a run of a campaign may be a case of"
    )
    dispersions: Dispersions = Field(default_factory=Frozen)

    @field_validator("dispersions", mode="before")
    @classmethod
    def _by_dotted_key(cls, value: Any) -> Any:
        return read_dispersions(value) if isinstance(value, dict) else value

    @model_validator(mode="after")
    def _dispersions_stay_legal(self) -> Self:
        check_cases(self.cases)
        if self.dispersions:
            from planetfall.scenario.dispersions.keys import check_dispersions

            check_dispersions(self)
        return self

    @model_validator(mode="after")
    def _tables_agree(self) -> Self:
        check_agreement(self)
        return self

    @property
    def starts(self) -> tuple[Initial, ...]:
        """The starts of all bodies, in order."""
        return (self.initial, *(companion.initial for companion in self.companions))

    @property
    def start_keys(self) -> tuple[str, ...]:
        """Where the starts of all bodies stand in a file, in order."""
        return ("initial", *(f"companions.{i}.initial" for i in range(len(self.companions))))

    @property
    def entering_body(self) -> int | None:
        """Index of the vehicle whose loads and heating are told: the first with aerodynamics that flies by itself."""
        bodies = zip(self.vehicles, self.carriers, strict=True)
        flown = [i for i, (vehicle, carrier) in enumerate(bodies) if vehicle.aerodynamics is not None and carrier < 0]
        return flown[0] if flown else None

    @property
    def is_bank_commanded(self) -> bool:
        """Whether flight software may turn the lift of the entering vehicle: one in trim, without a plan."""
        i = self.entering_body
        table = None if i is None or self.flight is None else self.vehicles[i].aerodynamics
        return table is not None and table.attitude == "trim" and table.bank_plan is None

    @property
    def switches(self) -> tuple[str, ...]:
        """What flight software may command of parachutes and attached vehicles, in the order of the state."""
        parachutes = [parachute.name for vehicle in self.vehicles for parachute in vehicle.parachutes]
        chutes = (f"{verb} {name}" for name in parachutes for verb in ("deploy", "release"))
        return (*chutes, *(f"separate {name}" for name in self.attached_names))

    @property
    def attached_names(self) -> tuple[str, ...]:
        """Names of the vehicles that start fixed to another, in order."""
        return tuple(name for name, carrier in zip(self.body_names, self.carriers, strict=True) if carrier >= 0)

    @property
    def carriers(self) -> tuple[int, ...]:
        """Of each body the index of the one that it starts fixed to, or -1."""
        starts = self.starts
        return tuple(-1 if start.attached is None else self.body_index(start.attached.to) for start in starts)

    @property
    def vehicles(self) -> tuple[Vehicle, ...]:
        """All bodies, `vehicle` first."""
        return (self.vehicle, *(companion.vehicle for companion in self.companions))

    @property
    def body_names(self) -> list[str]:
        """Names of all bodies, in order."""
        return [vehicle.name for vehicle in self.vehicles]

    @property
    def n_judged(self) -> int:
        """Number of bodies, from the first on, by which a run is judged; the others are discarded on the way."""
        return len(self.vehicles) if self.outcome.rest_of == "all" else 1

    @property
    def point_names(self) -> list[str]:
        """Names of all contact points, in order; those of companions after their vehicle's name and a dot."""
        own = [point.name for point in self.vehicle.points]
        others = (companion.vehicle for companion in self.companions)
        return own + [f"{vehicle.name}.{point.name}" for vehicle in others for point in vehicle.points]

    @property
    def solos(self) -> tuple["Scenario", ...]:
        """One scenario for each body, as if it were alone: for what is asked of one body at a time."""
        return tuple(
            self.model_copy(update={"vehicle": vehicle, "initial": start, "companions": (), "tethers": ()})
            for vehicle, start in zip(self.vehicles, self.starts, strict=True)
        )

    def switch_points(self, sensor: SensorSwitch) -> list[int]:
        """Indices, among all contact points, of those that a sensor has switches on."""
        body = self.body_index(sensor.body)
        own, before = self.vehicles[body].points, sum(len(vehicle.points) for vehicle in self.vehicles[:body])
        names = [point.name for point in own]
        return [before + names.index(name) for name in sensor.points]

    def body_index(self, name: str | None) -> int:
        """Which body has a name; the first, if none is given."""
        return 0 if name is None else self.body_names.index(name)

    @property
    def ground(self) -> Terrain:
        """The terrain, with the target's shape, or else its ellipsoid, where it names none of its own."""
        terrain, target = self.terrain, self.target
        if not isinstance(terrain, TerrainSdf) or terrain.file is not None or terrain.shape is not None:
            return terrain
        if target.shape is None and target.semi_axes is not None:
            noise = terrain.noise if terrain.noise.amplitude > 0.0 else target.roughness or terrain.noise
            return terrain.model_copy(update={"shape": "ellipsoid", "half_sizes": target.semi_axes, "noise": noise})
        return terrain.model_copy(update={"file": target.shape, "scale": target.shape_scale})

    @property
    def ground_key(self) -> str:
        """The key that gives the ground its shape, for messages."""
        if not isinstance(self.terrain, TerrainSdf) or self.terrain.file is not None:
            return "terrain.file"
        if self.terrain.shape is not None:
            return "terrain.half_sizes"
        return "target.shape" if self.target.shape is not None or self.target.semi_axes is None else "target.semi_axes"

    @property
    def name(self) -> str:
        """Short name."""
        return self.scenario.name

    @property
    def runs_adaptively(self) -> bool:
        """Whether the same scenario is accepted with the adaptive method: what advice may offer."""
        try:
            self.with_values({"integrator.method": "adaptive"})
        except InputError:
            return False
        return True

    def with_values(self, values: Mapping[str, Any], source: str | None = None) -> "Scenario":
        """A copy with some keys changed.

        Changing the key that selects a table's model (`name`, `model`, `law`, `method`) drops that table's other
        keys, unless they are set in the same call. Setting `initial.altitude` takes out `initial.radius`, and the
        other way round; the same holds of `initial.attitude` and `initial.euler_ned_deg`.

        Args:
            values: New values by dotted key, in the units of the scenario file; typed tables are taken, too.
            source: Says in messages where the values stand.

        Raises:
            InputError: A key is not known, or a value is not allowed; the message says what is.

        Examples:
            >>> softer = planetfall.load("msl-drop").with_values({"contact.rest_penetration": 0.02})
            >>> softer.contact.rest_penetration  # [m]
            0.02
        """
        from planetfall.scenario.files.load import scenario_from_dict
        from planetfall.scenario.files.overrides import apply_values

        changed = apply_values(self.to_dict(), keyed_values("with_values", values))
        return scenario_from_dict(changed, source or f"the values given over {self.name}")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Scenario":
        """A checked scenario from plain values, as `to_dict` gives them or a TOML file holds them.

        Args:
            values: Tables by name, each a dictionary or a typed table of `planetfall.tables`.

        Examples:
            >>> values = planetfall.load("msl-drop").to_dict()
            >>> values["scenario"] = {"name": "short", "duration": 1.0}  # [s]
            >>> planetfall.Scenario.from_dict(values)
            <Scenario short>
        """
        from planetfall.scenario.files.load import scenario_from_dict

        return scenario_from_dict(keyed_values("from_dict", values))

    def to_dict(self) -> dict[str, Any]:
        """The complete scenario as plain values, lists for tuples; keys that are None are left out."""
        return self.model_dump(mode="json", exclude_none=True)
