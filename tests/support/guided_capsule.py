"""A capsule with lift over Mars that is guided to a site: one body, drag and lift alone, no engines."""

from typing import Any

from planetfall.scenario.scenario import Scenario

LAW = {"law": "entry", "range_after": 6000.0}
NAVIGATION = {"kind": "navigator", "name": "navigation", "rate": 4.0}


def guided_capsule(
    flight: dict[str, Any] | None = None, navigator: dict[str, Any] | None = None, **tables: Any
) -> Scenario:
    """From the interface to 5 km over the ellipsoid, by compiled guidance unless `flight` is given."""
    phases = [
        {"name": "entry", "guidance": LAW, "ends": [{"after": 150.0, "speed_below": 405.0}]},
        {"name": "slow"},
    ]
    compiled = {"controller": "sequence", "rate": 4.0, "navigator": "navigation", "imu": "imu", "phases": phases}
    return Scenario.from_dict(
        {
            "scenario": {"name": "guided capsule", "duration": 330.0},
            "target": {
                "name": "mars",
                "site": {"latitude_deg": -4.5965, "latitude_kind": "planetocentric", "longitude_deg": 137.4019},
            },
            "gravity": {"model": "j2"},
            "atmosphere": {"model": "mars", "density_factor": 0.8},
            "terrain": {"model": "ellipsoid"},
            "vehicle": {
                "name": "capsule",
                "mass": 3257.0,
                "inertia": [5600.0, 4450.0, 4450.0],
                "points": [{"name": "nose", "position": [1.0, 0.0, 0.0]}],
                "aerodynamics": {
                    "model": "drag", "drag_coefficient": 1.45, "diameter": 4.5, "attitude": "trim",
                    "lift_to_drag": 0.24, "bank_deg": 55.0, "nose_radius": 1.125,
                },
            },
            "initial": {
                "radius": 3522200.0, "latitude_deg": -3.92, "latitude_kind": "planetocentric",
                "longitude_deg": 126.72, "speed": 5845.0, "flight_path_deg": -16.1, "azimuth_deg": 93.6,
            },
            "sensors": [
                {**NAVIGATION, **(navigator or {})},
                {"kind": "imu", "name": "imu", "rate": 4.0},
            ],
            "flight": flight or compiled,
            "integrator": {"method": "adaptive", "tolerance": 1e-9, "max_step": 1.0},
            "outcome": {"stop_altitude": 5000.0},
            "contact": {"law": "marker", "rest_penetration": 0.01, "damping_ratio": 0.1, "breakaway_angle_deg": 32.0,
                        "sliding_angle_deg": 27.0, "breakaway_speed": 0.05, "sliding_speed": 0.1},
            "record": {"interval": 0.25},
            **tables,
        }
    )  # fmt: skip
