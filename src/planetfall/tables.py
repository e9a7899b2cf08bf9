"""The tables of a scenario as Python types, for scenarios that are built in Python rather than read from a file.

    import planetfall
    from planetfall import tables

    scenario = planetfall.Scenario.from_dict({
        "scenario": tables.Heading(name="ball", duration=5.0),
        "gravity": tables.GravityUniform(model="uniform", acceleration=1.62),
        "terrain": tables.TerrainPlane(model="plane"),
        "vehicle": tables.Vehicle(
            name="ball", mass=2.0, inertia=(0.02, 0.02, 0.02),
            points=[tables.ContactPoint(name="foot", position=(0.0, 0.0, -0.1))],
        ),
        "contact": tables.ContactMarker(
            law="marker", rest_penetration=0.01, damping_ratio=0.5, breakaway_angle_deg=32.0, sliding_angle_deg=27.0,
            breakaway_speed=0.05, sliding_speed=0.1,
        ),
        "initial": tables.Initial(position=(0.0, 0.0, 1.0)),
        "integrator": tables.IntegratorRk4(method="rk4", step=0.001),
    })

Each is frozen, and checks its values when it is made: units, ranges and meanings are those of the reference of scenario
keys. `from_dict` and `with_values` take tables wherever they take dictionaries, and fill in what is built in.
"""

from planetfall.scenario.dispersions.distributions import (
    DispersionCategorical,
    DispersionCone,
    DispersionGrid,
    DispersionLogNormal,
    DispersionNormal,
    DispersionTable,
    DispersionTriangular,
    DispersionUniform,
    DispersionVector,
)
from planetfall.scenario.dispersions.linked import DispersionCases, DispersionEqual
from planetfall.scenario.drive import Change, DriveRules, Waypoints
from planetfall.scenario.tables.contact.anchor import ContactAnchor
from planetfall.scenario.tables.contact.distributed import ContactDistributed
from planetfall.scenario.tables.contact.hertz import ContactHertz
from planetfall.scenario.tables.contact.hunt_crossley import ContactHuntCrossley
from planetfall.scenario.tables.contact.marker import ContactMarker
from planetfall.scenario.tables.contact.plastic import ContactPlastic
from planetfall.scenario.tables.drawing import DrawnPart
from planetfall.scenario.tables.flight.detector import DetectorStillness, DetectorSwitch, DetectorThrottle
from planetfall.scenario.tables.flight.flight import FlightOwn, FlightSequence, FlightSkyCrane
from planetfall.scenario.tables.flight.guidance import (
    EntryReferenceTable,
    GuidanceAttitudeHold,
    GuidanceConstantDeceleration,
    GuidanceEntry,
    GuidanceGravityTurn,
    GuidanceHoldPosition,
    GuidanceHoldVelocity,
    GuidanceOff,
    GuidancePolynomial,
)
from planetfall.scenario.tables.flight.phases import FlightPhase, PhaseEnd
from planetfall.scenario.tables.flight.sensors import (
    SensorAltimeter,
    SensorImu,
    SensorNavigator,
    SensorSwitch,
    SensorVelocimeter,
)
from planetfall.scenario.tables.rover import (
    LinkageLinks,
    LinkagePoints,
    Rover,
    RoverArm,
    RoverWheels,
    SoilBekker,
    SoilCoulomb,
)
from planetfall.scenario.tables.run.comparison import Comparison
from planetfall.scenario.tables.run.heading import Heading, Title
from planetfall.scenario.tables.run.initial import Attached, Initial
from planetfall.scenario.tables.run.integrator import IntegratorAdaptive, IntegratorRk4
from planetfall.scenario.tables.run.limits import Limit
from planetfall.scenario.tables.run.record import OutcomeRules, Record
from planetfall.scenario.tables.run.release import Release
from planetfall.scenario.tables.table import Table
from planetfall.scenario.tables.vehicle.aerodynamics import (
    AerodynamicsDrag,
    AerodynamicsNewtonian,
    AerodynamicsTable,
    BankPlan,
)
from planetfall.scenario.tables.vehicle.configuration import Configuration
from planetfall.scenario.tables.vehicle.eccentric_arm import EccentricArm
from planetfall.scenario.tables.vehicle.engines import Engine, Propellant
from planetfall.scenario.tables.vehicle.flight_triggers import FlightTrigger
from planetfall.scenario.tables.vehicle.flywheel import Flywheel
from planetfall.scenario.tables.vehicle.forces import TabledForceKeys
from planetfall.scenario.tables.vehicle.parachutes import DeploymentBox, Parachute
from planetfall.scenario.tables.vehicle.shape import VehicleShape
from planetfall.scenario.tables.vehicle.tethers import Tether
from planetfall.scenario.tables.vehicle.vehicle import Companion, ContactPoint, Vehicle
from planetfall.scenario.tables.world.atmosphere import (
    AtmosphereExponential,
    AtmosphereMars,
    AtmosphereNone,
    AtmosphereTable,
    AtmosphereUsStandard,
    Perturbation,
    Wind,
)
from planetfall.scenario.tables.world.gravity import (
    GravityEllipsoid,
    GravityJ2,
    GravityNone,
    GravityPoint,
    GravityUniform,
)
from planetfall.scenario.tables.world.gravity_shape import GravityGrid, GravityHarmonics, GravityPolyhedron
from planetfall.scenario.tables.world.target import Site, Spice, Target
from planetfall.scenario.tables.world.terrain import TerrainDem, TerrainEllipsoid, TerrainMesh, TerrainPlane
from planetfall.scenario.tables.world.terrain_parts import DemPart, MeshPart, PlanePart
from planetfall.scenario.tables.world.terrain_procedural import (
    PlacedCrater,
    PlacedHill,
    PlacedRock,
    TerrainCraters,
    TerrainHills,
    TerrainNoise,
    TerrainProcedural,
    TerrainRocks,
)
from planetfall.scenario.tables.world.terrain_sdf import NoiseRegion, SdfNoise, SdfRocks, TerrainSdf

__all__ = [
    "AerodynamicsDrag",
    "AerodynamicsNewtonian",
    "AerodynamicsTable",
    "AtmosphereExponential",
    "AtmosphereMars",
    "AtmosphereNone",
    "AtmosphereTable",
    "AtmosphereUsStandard",
    "Attached",
    "BankPlan",
    "Change",
    "Companion",
    "Comparison",
    "Configuration",
    "ContactAnchor",
    "ContactDistributed",
    "ContactHertz",
    "ContactHuntCrossley",
    "ContactMarker",
    "ContactPlastic",
    "ContactPoint",
    "DemPart",
    "DeploymentBox",
    "DetectorStillness",
    "DetectorSwitch",
    "DetectorThrottle",
    "DispersionCases",
    "DispersionCategorical",
    "DispersionCone",
    "DispersionEqual",
    "DispersionGrid",
    "DispersionLogNormal",
    "DispersionNormal",
    "DispersionTable",
    "DispersionTriangular",
    "DispersionUniform",
    "DispersionVector",
    "DrawnPart",
    "DriveRules",
    "EccentricArm",
    "Engine",
    "EntryReferenceTable",
    "FlightOwn",
    "FlightPhase",
    "FlightSequence",
    "FlightSkyCrane",
    "FlightTrigger",
    "Flywheel",
    "GravityEllipsoid",
    "GravityGrid",
    "GravityHarmonics",
    "GravityJ2",
    "GravityNone",
    "GravityPoint",
    "GravityPolyhedron",
    "GravityUniform",
    "GuidanceAttitudeHold",
    "GuidanceConstantDeceleration",
    "GuidanceEntry",
    "GuidanceGravityTurn",
    "GuidanceHoldPosition",
    "GuidanceHoldVelocity",
    "GuidanceOff",
    "GuidancePolynomial",
    "Heading",
    "Initial",
    "IntegratorAdaptive",
    "IntegratorRk4",
    "Limit",
    "LinkageLinks",
    "LinkagePoints",
    "MeshPart",
    "NoiseRegion",
    "OutcomeRules",
    "Parachute",
    "Perturbation",
    "PhaseEnd",
    "PlacedCrater",
    "PlacedHill",
    "PlacedRock",
    "PlanePart",
    "Propellant",
    "Record",
    "Release",
    "Rover",
    "RoverArm",
    "RoverWheels",
    "SdfNoise",
    "SdfRocks",
    "SensorAltimeter",
    "SensorImu",
    "SensorNavigator",
    "SensorSwitch",
    "SensorVelocimeter",
    "Site",
    "SoilBekker",
    "SoilCoulomb",
    "Spice",
    "Table",
    "TabledForceKeys",
    "Target",
    "TerrainCraters",
    "TerrainDem",
    "TerrainEllipsoid",
    "TerrainHills",
    "TerrainMesh",
    "TerrainNoise",
    "TerrainPlane",
    "TerrainProcedural",
    "TerrainRocks",
    "TerrainSdf",
    "Tether",
    "Title",
    "Vehicle",
    "VehicleShape",
    "Waypoints",
    "Wind",
]
