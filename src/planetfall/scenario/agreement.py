"""What the tables of a scenario have to agree on: numbers that one needs of another, names that refer to each other."""

from typing import TYPE_CHECKING

import numpy as np

from planetfall.scenario.combinations import check_combinations
from planetfall.scenario.configurations import check_configurations
from planetfall.scenario.tables.flight.sensors import RESERVED, SensorSwitch
from planetfall.scenario.tables.world.terrain_sdf import TerrainSdf

if TYPE_CHECKING:
    from planetfall.scenario.scenario import Scenario


def check_agreement(scenario: "Scenario") -> None:
    """Raises a ValueError for the first thing that tables do not agree on."""
    for check in CHECKS:
        check(scenario)


def _field_has_its_numbers(scenario: "Scenario") -> None:
    needs = {"point": ("gm",), "j2": ("gm", "radius", "j2"), "ellipsoid": ("gm", "semi_axes")}
    if scenario.gravity.model == "ellipsoid" and scenario.target.frame != "P":
        raise ValueError(
            "target.frame: 'L' has other axes than the ellipsoid of gravity.model = 'ellipsoid'; set 'P', or use "
            "gravity.model = 'point'"
        )
    for key in needs.get(scenario.gravity.model, ()):
        if getattr(scenario.target, key) in (0.0, None):
            raise ValueError(
                f"target.{key}: gravity.model = {scenario.gravity.model!r} needs it; give target.name or the number"
            )


def _places_are_on_a_planet(scenario: "Scenario") -> None:
    starts = [("initial", scenario.initial)]
    starts += [(f"companions.{i}.initial", companion.initial) for i, companion in enumerate(scenario.companions)]
    for where, start in starts:
        if not start.is_placed:
            continue
        if scenario.target.radius == 0.0:
            raise ValueError(f"target.radius: {where}.latitude_deg needs a planet; give target.name or the radius")
        if scenario.target.R_SP is None:
            raise ValueError(
                f"target.site: {where}.latitude_deg needs to know where the surface frame lies on the planet; give "
                "target.site.latitude_deg and longitude_deg of the landing site, or target.frame = 'P'"
            )
        meets_ground = scenario.sensors or any(vehicle.points for vehicle in scenario.vehicles)
        if meets_ground and getattr(scenario.terrain, "radius", 0.0) is None:  # of a plane
            raise ValueError(
                f"terrain.radius: missing; a plane without end leaves the planet, over which {where}.latitude_deg "
                "puts the start, by 1.5 km at 100 km from the site; give the plane's radius, or terrain.model = "
                "'ellipsoid'"
            )
        least = scenario.target.ellipsoid.polar_radius
        if start.radius is not None and start.radius < 0.98 * least:
            raise ValueError(
                f"{where}.radius: {start.radius:g} m from the centre is inside the planet, whose polar radius is "
                f"{least:g} m; if it is a height, give it as altitude"
            )


def _ellipsoid_has_a_radius(scenario: "Scenario") -> None:
    if scenario.terrain.model == "ellipsoid" and scenario.target.radius == 0.0:
        raise ValueError("target.radius: terrain.model = 'ellipsoid' needs it; give target.name or the radius")


def _body_has_a_shape(scenario: "Scenario") -> None:
    if isinstance(scenario.ground, TerrainSdf) and scenario.ground.file is None and scenario.ground.shape is None:
        raise ValueError("terrain.file: missing; give a file, a shape with half_sizes, or target.shape")


def _ground_has_a_weight(scenario: "Scenario") -> None:
    has_points = any(vehicle.points for vehicle in scenario.vehicles)
    if scenario.gravity.model == "none" and has_points and scenario.contact.needs_gravity:
        raise ValueError("contact.reference_gravity: without gravity the stiffness m g/h_eq needs it; give it in m/s^2")


def _points_look_somewhere(scenario: "Scenario") -> None:
    if scenario.contact.law == "anchor" and scenario.contact.detection == "line-of-sight":
        points = [point for vehicle in scenario.vehicles for point in vehicle.points]
        blind = [point.name for point in points if point.line_of_sight is None]
        if blind:
            raise ValueError(
                f"vehicle.points: {', '.join(blind)} has no line_of_sight, which contact.detection = "
                "'line-of-sight' needs; give one to each point, or use detection = 'gap'"
            )


def _rolling_resistance_is_small(scenario: "Scenario") -> None:
    contact = scenario.contact
    for vehicle in scenario.vehicles:
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


def _bodies_are_told_apart(scenario: "Scenario") -> None:
    names = scenario.body_names
    for i, companion in enumerate(scenario.companions):
        if names.index(companion.vehicle.name) != i + 1:
            raise ValueError(f"companions.{i}.vehicle.name: {names[i + 1]} is taken; give it another name")
    points = scenario.point_names
    if len(set(points)) < len(points):
        twice = next(name for name in points if points.count(name) > 1)
        raise ValueError(f"companions: two contact points are called {twice}; give one another name")


def _forces_and_sensors_have_their_body(scenario: "Scenario") -> None:
    tables = (("forces", scenario.forces), ("sensors", scenario.sensors))
    for where, i, item in ((where, i, item) for where, items in tables for i, item in enumerate(items)):
        if item.body is not None and item.body not in scenario.body_names:
            raise ValueError(
                f"{where}.{i}.body: no vehicle is called {item.body!r}; there are {', '.join(scenario.body_names)}"
            )


def _tethers_join_vehicles(scenario: "Scenario") -> None:
    names = [tether.name for tether in scenario.tethers]
    for i, tether in enumerate(scenario.tethers):
        if names.index(tether.name) != i:
            raise ValueError(f"tethers.{i}.name: {tether.name} is taken; give it another name")
        for body in tether.bodies:
            if body not in scenario.body_names:
                raise ValueError(
                    f"tethers.{i}.bodies: no vehicle is called {body!r}; there are {', '.join(scenario.body_names)}"
                )


def _sensors_are_told_apart(scenario: "Scenario") -> None:
    taken = dict.fromkeys(RESERVED, "the results")
    for i, sensor in enumerate(scenario.sensors):
        own = {sensor.name, f"time_{sensor.name}", f"beam_{sensor.name}", *sensor.variables}
        for name in sorted(own & taken.keys()):
            raise ValueError(f"sensors.{i}.name: {name} is taken by {taken[name]}; give it another name")
        taken |= dict.fromkeys(own, f"sensor {sensor.name}")


def _detector_has_its_sensors(scenario: "Scenario") -> None:
    tables = (("detector", scenario.detector), ("flight", scenario.flight))
    for where, table in tables:
        for kind in ("altimeter", "velocimeter", "imu", "switch", "navigator"):
            named = getattr(table, kind, None)
            there = [sensor.name for sensor in scenario.sensors if sensor.kind == kind]
            if named is not None and named not in there:
                raise ValueError(
                    f"{where}.{kind}: no {kind} is called {named!r}; there "
                    + (f"is {', '.join(there)}" if there else "are none, so add one under [[sensors]]")
                )


def _switches_have_their_points(scenario: "Scenario") -> None:
    for i, sensor in enumerate(scenario.sensors):
        if isinstance(sensor, SensorSwitch):
            own = [point.name for point in scenario.vehicles[scenario.body_index(sensor.body)].points]
            for name in sensor.points:
                if name not in own:
                    raise ValueError(
                        f"sensors.{i}.points: {name!r} is not a contact point of its vehicle; it has {', '.join(own)}"
                    )


def _what_is_flown_has_a_controller(scenario: "Scenario") -> None:
    flown = [vehicle.name for vehicle in scenario.vehicles if vehicle.engines]
    held = [tether.name for tether in scenario.tethers if tether.held]
    if scenario.flight is None:
        if flown:
            raise ValueError(f"flight: the engines of {flown[0]} need a controller; add [flight]")
        if held:
            raise ValueError(f"flight: tether {held[0]} is held until a controller releases it; add [flight]")
        if scenario.detector is not None and scenario.detector.kind == "throttle":
            raise ValueError("detector.kind: 'throttle' reads the throttles of a controller; add [flight]")


def _attached_vehicles_have_a_carrier(scenario: "Scenario") -> None:
    for i, start in enumerate(scenario.starts):
        where = "initial" if i == 0 else f"companions.{i - 1}.initial"
        if start.attached is None:
            continue
        carrier, names = start.attached.to, scenario.body_names
        if carrier not in names or names.index(carrier) == i:
            others = ", ".join(name for k, name in enumerate(names) if k != i)
            raise ValueError(f"{where}.attached.to: no other vehicle is called {carrier!r}; there are {others}")
        if scenario.starts[names.index(carrier)].attached is not None:
            raise ValueError(
                f"{where}.attached.to: {carrier!r} is attached itself; attach both to the vehicle that carries them"
            )
        if scenario.vehicles[i].arm is not None or scenario.vehicles[i].flywheels:
            raise ValueError(
                f"{where}.attached: {names[i]} has an arm or flywheels, which would turn it; leave them out"
            )


CHECKS = (
    _field_has_its_numbers,
    _places_are_on_a_planet,
    check_combinations,
    _ellipsoid_has_a_radius,
    _body_has_a_shape,
    _ground_has_a_weight,
    _points_look_somewhere,
    _rolling_resistance_is_small,
    _bodies_are_told_apart,
    _forces_and_sensors_have_their_body,
    _tethers_join_vehicles,
    _sensors_are_told_apart,
    _detector_has_its_sensors,
    _switches_have_their_points,
    _what_is_flown_has_a_controller,
    _attached_vehicles_have_a_carrier,
    check_configurations,
)
"""In the order in which they are made."""
