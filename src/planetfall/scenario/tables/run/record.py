"""`[record]`: what is kept of a run; `[outcome]`: when it is over."""

from typing import Literal

from planetfall.scenario.tables.table import Table, choice, quantity


class Record(Table):
    """Frames on a regular interval, and in between the frame of each point's peak force."""

    interval: float = quantity("s", "simulated time between recorded frames", 0.01, gt=0)


class OutcomeRules(Table):
    """What counts as rest, as overturned, as the end of a flight."""

    stop_at_rest: bool = choice("true: end the run when the vehicle has come to rest", False)
    stop_waits: bool = choice(
        "true: with stop_at_rest the run goes on until every vehicle that is not judged has crashed or is at rest, too",
        False,
    )
    rest_speed: float = quantity(
        "m/s", "fastest that a loaded point of a vehicle at rest moves along the ground's normal", 1e-3, gt=0
    )
    rest_rate: float = quantity("rad/s", "fastest that a vehicle at rest turns", 1e-3, gt=0)
    rest_of: Literal["all", "vehicle"] = choice("all: every vehicle must be at rest; vehicle: the first alone", "all")
    crash_speed: float | None = quantity(
        "m/s",
        "a vehicle whose point touches the ground faster than this has crashed: if it is judged, the run ends; if not, "
        "it stays where it hit; never if not given",
        None,
        gt=0,
    )
    rest_hold: float = quantity("s", "how long all of it must hold before the vehicle is at rest", 0.5, ge=0)
    escape_radius: float | None = quantity(
        "m",
        "distance from the target's centre beyond which a vehicle that leaves for good, by "
        "two-body theory, has escaped; never if not given",
        None,
        gt=0,
    )
    orbit_radius: float | None = quantity(
        "m",
        "distance from the target's centre beyond which a bound two-body orbit counts as "
        "orbiting when the time is over; never if not given",
        None,
        gt=0,
    )
    stop_altitude: float | None = quantity(
        "m",
        "a vehicle that comes down to this height over the target's ellipsoid has descended, and the run ends there; "
        "never if not given",
        None,
    )
    skip_altitude: float | None = quantity(
        "m",
        "a vehicle that climbs over this height over the target's ellipsoid has escaped: it skipped out of the air; "
        "never if not given",
        None,
    )
    overturn_angle_deg: float = quantity(
        "deg", "tilt of vehicle.up against gravity beyond which it has overturned; 180: never", 90.0, gt=0, le=180
    )
