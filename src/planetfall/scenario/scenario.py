"""The whole scenario: all tables together, and what they must agree on."""

import re
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from planetfall.arguments import keyed_values
from planetfall.errors import InputError
from planetfall.scenario.card import Carded
from planetfall.scenario.combinations import check_combinations
from planetfall.scenario.configurations import check_configurations
from planetfall.scenario.dispersions.distributions import Frozen
from planetfall.scenario.dispersions.linked import Cases, check_cases
from planetfall.scenario.dispersions.tables import Dispersions, read_dispersions
from planetfall.scenario.tables.contact.contact import Contact
from planetfall.scenario.tables.flight.detector import Detector
from planetfall.scenario.tables.flight.flight import Flight
from planetfall.scenario.tables.flight.sensors import RESERVED, Sensor, SensorSwitch
from planetfall.scenario.tables.run.comparison import Comparison
from planetfall.scenario.tables.run.initial import Initial
from planetfall.scenario.tables.run.integrator import Integrator
from planetfall.scenario.tables.run.limits import Limits
from planetfall.scenario.tables.run.record import OutcomeRules, Record
from planetfall.scenario.tables.table import Table, Whole, choice, quantity
from planetfall.scenario.tables.vehicle.companions import Companion
from planetfall.scenario.tables.vehicle.forces import Force
from planetfall.scenario.tables.vehicle.tethers import Tether
from planetfall.scenario.tables.vehicle.vehicle import Vehicle
from planetfall.scenario.tables.world.atmosphere import Atmosphere, AtmosphereNone
from planetfall.scenario.tables.world.gravity import Gravity
from planetfall.scenario.tables.world.target import Target
from planetfall.scenario.tables.world.terrain import Terrain
from planetfall.scenario.tables.world.terrain_sdf import TerrainSdf


class Title(Table):
    """`[scenario]`: what this is called."""

    name: str = choice("short name; also that of the run's folder")
    title: str = choice("one line for people", "")
    changed: tuple[str, ...] | None = choice(
        "keys that were changed since the title was given, by --set, with_values or based_on; Planetfall writes it "
        "and tells it with the title",
        None,
    )
    changed_from: tuple[str, ...] | None = choice(
        "what these keys held before, in the same order, as JSON (of long values the SHA-256): one that is set back is "
        "changed no more; Planetfall writes it",
        None,
    )

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, name: str) -> str:
        if not re.fullmatch(r"[^/\\\s.\x00-\x1f][^/\\\x00-\x1f]*", name):
            raise ValueError("must begin with neither a dot nor a space and hold no slash, backslash or line break")
        return name


class Heading(Title):
    """`[scenario]`: what this is called and how long it lasts."""

    duration: float = quantity("s", "simulated time after which the run ends", gt=0)
    seed: int = Field(0, description="seed of the sensors' noise", ge=0, lt=2**63)


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
    limits: Limits = Field(default_factory=Frozen, description="by name: what every run is judged by")
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
    def _field_has_its_numbers(self) -> Self:
        needs = {"point": ("gm",), "j2": ("gm", "radius", "j2"), "ellipsoid": ("gm", "semi_axes")}
        if self.gravity.model == "ellipsoid" and self.target.frame != "P":
            raise ValueError(
                "target.frame: 'L' has other axes than the ellipsoid of gravity.model = 'ellipsoid'; set 'P', or use "
                "gravity.model = 'point'"
            )
        for key in needs.get(self.gravity.model, ()):
            if getattr(self.target, key) in (0.0, None):
                raise ValueError(
                    f"target.{key}: gravity.model = {self.gravity.model!r} needs it; give target.name or the number"
                )
        return self

    @model_validator(mode="after")
    def _places_are_on_a_planet(self) -> Self:
        starts = [("initial", self.initial)]
        starts += [(f"companions.{i}.initial", companion.initial) for i, companion in enumerate(self.companions)]
        for where, start in starts:
            if not start.is_placed:
                continue
            if self.target.radius == 0.0:
                raise ValueError(f"target.radius: {where}.latitude_deg needs a planet; give target.name or the radius")
            if self.target.R_SP is None:
                raise ValueError(
                    f"target.site: {where}.latitude_deg needs to know where the surface frame lies on the planet; give "
                    "target.site.latitude_deg and longitude_deg of the landing site, or target.frame = 'P'"
                )
            meets_ground = self.sensors or any(vehicle.points for vehicle in self.vehicles)
            if meets_ground and getattr(self.terrain, "radius", 0.0) is None:  # of a plane
                raise ValueError(
                    f"terrain.radius: missing; a plane without end leaves the planet, over which {where}.latitude_deg "
                    "puts the start, by 1.5 km at 100 km from the site; give the plane's radius, or terrain.model = "
                    "'ellipsoid'"
                )
            least = self.target.ellipsoid.polar_radius
            if start.radius is not None and start.radius < 0.98 * least:
                raise ValueError(
                    f"{where}.radius: {start.radius:g} m from the centre is inside the planet, whose polar radius is "
                    f"{least:g} m; if it is a height, give it as altitude"
                )
        return self

    @model_validator(mode="after")
    def _features_go_together(self) -> Self:
        check_combinations(self)
        return self

    @model_validator(mode="after")
    def _ellipsoid_has_a_radius(self) -> Self:
        if self.terrain.model == "ellipsoid" and self.target.radius == 0.0:
            raise ValueError("target.radius: terrain.model = 'ellipsoid' needs it; give target.name or the radius")
        return self

    @model_validator(mode="after")
    def _body_has_a_shape(self) -> Self:
        if isinstance(self.ground, TerrainSdf) and self.ground.file is None and self.ground.shape is None:
            raise ValueError("terrain.file: missing; give a file, a shape with half_sizes, or target.shape")
        return self

    @model_validator(mode="after")
    def _ground_has_a_weight(self) -> Self:
        has_points = any(vehicle.points for vehicle in self.vehicles)
        if self.gravity.model == "none" and has_points and self.contact.needs_gravity:
            raise ValueError(
                "contact.reference_gravity: without gravity the stiffness m g/h_eq needs it; give it in m/s^2"
            )
        return self

    @model_validator(mode="after")
    def _points_look_somewhere(self) -> Self:
        if self.contact.law == "anchor" and self.contact.detection == "line-of-sight":
            points = [point for vehicle in self.vehicles for point in vehicle.points]
            blind = [point.name for point in points if point.line_of_sight is None]
            if blind:
                raise ValueError(
                    f"vehicle.points: {', '.join(blind)} has no line_of_sight, which contact.detection = "
                    "'line-of-sight' needs; give one to each point, or use detection = 'gap'"
                )
        return self

    @model_validator(mode="after")
    def _rolling_resistance_is_small(self) -> Self:
        contact = self.contact
        for vehicle in self.vehicles:
            if contact.law != "distributed" or not vehicle.points:
                continue
            least = float(np.linalg.eigvalsh(vehicle.hub.inertia)[0])
            far = float(np.max(np.linalg.norm(vehicle.tips - vehicle.hub.center, axis=1)))
            if contact.rolling_resistance * vehicle.mass * far > contact.friction * least:
                bound = contact.friction * least / (vehicle.mass * far)
                raise ValueError(
                    f"contact.rolling_resistance: {contact.rolling_resistance} m is beyond mu I_min/(m r_max) = "
                    f"{bound:.3g} m; its companion force alone could then be larger than friction may be; "
                    "lower it, or raise contact.friction"
                )
        return self

    @model_validator(mode="after")
    def _bodies_are_told_apart(self) -> Self:
        names = self.body_names
        for i, companion in enumerate(self.companions):
            if names.index(companion.vehicle.name) != i + 1:
                raise ValueError(f"companions.{i}.vehicle.name: {names[i + 1]} is taken; give it another name")
        points = self.point_names
        if len(set(points)) < len(points):
            twice = next(name for name in points if points.count(name) > 1)
            raise ValueError(f"companions: two contact points are called {twice}; give one another name")
        return self

    @model_validator(mode="after")
    def _forces_and_sensors_have_their_body(self) -> Self:
        tables = (("forces", self.forces), ("sensors", self.sensors))
        for where, i, item in ((where, i, item) for where, items in tables for i, item in enumerate(items)):
            if item.body is not None and item.body not in self.body_names:
                raise ValueError(
                    f"{where}.{i}.body: no vehicle is called {item.body!r}; there are {', '.join(self.body_names)}"
                )
        return self

    @model_validator(mode="after")
    def _tethers_join_vehicles(self) -> Self:
        names = [tether.name for tether in self.tethers]
        for i, tether in enumerate(self.tethers):
            if names.index(tether.name) != i:
                raise ValueError(f"tethers.{i}.name: {tether.name} is taken; give it another name")
            for body in tether.bodies:
                if body not in self.body_names:
                    raise ValueError(
                        f"tethers.{i}.bodies: no vehicle is called {body!r}; there are {', '.join(self.body_names)}"
                    )
        return self

    @model_validator(mode="after")
    def _sensors_are_told_apart(self) -> Self:
        taken = dict.fromkeys(RESERVED, "the results")
        for i, sensor in enumerate(self.sensors):
            own = {sensor.name, f"time_{sensor.name}", f"beam_{sensor.name}", *sensor.variables}
            for name in sorted(own & taken.keys()):
                raise ValueError(f"sensors.{i}.name: {name} is taken by {taken[name]}; give it another name")
            taken |= dict.fromkeys(own, f"sensor {sensor.name}")
        return self

    @model_validator(mode="after")
    def _detector_has_its_sensors(self) -> Self:
        tables = (("detector", self.detector), ("flight", self.flight))
        for where, table in tables:
            for kind in ("altimeter", "velocimeter", "imu", "switch", "navigator"):
                named = getattr(table, kind, None)
                there = [sensor.name for sensor in self.sensors if sensor.kind == kind]
                if named is not None and named not in there:
                    raise ValueError(
                        f"{where}.{kind}: no {kind} is called {named!r}; there "
                        + (f"is {', '.join(there)}" if there else "are none, so add one under [[sensors]]")
                    )
        return self

    @model_validator(mode="after")
    def _switches_have_their_points(self) -> Self:
        for i, sensor in enumerate(self.sensors):
            if isinstance(sensor, SensorSwitch):
                own = [point.name for point in self.vehicles[self.body_index(sensor.body)].points]
                for name in sensor.points:
                    if name not in own:
                        raise ValueError(
                            f"sensors.{i}.points: {name!r} is not a contact point of its vehicle; "
                            f"it has {', '.join(own)}"
                        )
        return self

    @model_validator(mode="after")
    def _what_is_flown_has_a_controller(self) -> Self:
        flown = [vehicle.name for vehicle in self.vehicles if vehicle.engines]
        held = [tether.name for tether in self.tethers if tether.held]
        if self.flight is None:
            if flown:
                raise ValueError(f"flight: the engines of {flown[0]} need a controller; add [flight]")
            if held:
                raise ValueError(f"flight: tether {held[0]} is held until a controller releases it; add [flight]")
            if self.detector is not None and self.detector.kind == "throttle":
                raise ValueError("detector.kind: 'throttle' reads the throttles of a controller; add [flight]")
            return self
        return self

    @model_validator(mode="after")
    def _attached_vehicles_have_a_carrier(self) -> Self:
        for i, start in enumerate(self.starts):
            where = "initial" if i == 0 else f"companions.{i - 1}.initial"
            if start.attached is None:
                continue
            carrier, names = start.attached.to, self.body_names
            if carrier not in names or names.index(carrier) == i:
                others = ", ".join(name for k, name in enumerate(names) if k != i)
                raise ValueError(f"{where}.attached.to: no other vehicle is called {carrier!r}; there are {others}")
            if self.starts[names.index(carrier)].attached is not None:
                raise ValueError(
                    f"{where}.attached.to: {carrier!r} is attached itself; attach both to the vehicle that carries them"
                )
            if self.vehicles[i].arm is not None or self.vehicles[i].flywheels:
                raise ValueError(
                    f"{where}.attached: {names[i]} has an arm or flywheels, which would turn it; leave them out"
                )
        check_configurations(self)
        return self

    @property
    def starts(self) -> tuple[Initial, ...]:
        """The starts of all bodies, in order."""
        return (self.initial, *(companion.initial for companion in self.companions))

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
        keys, unless they are set in the same call.

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
