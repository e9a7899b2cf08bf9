"""`planetfall rover list`."""

import json

from planetfall.rover.model import rover_model
from planetfall.scenario import library_names
from planetfall.scenario.drive import load_drive
from planetfall.scenario.files.rover_library import load_rover, rover_names


def list_rovers(as_json: bool) -> None:
    """Prints the built-in rovers with their size, and the built-in drives."""
    rovers = {name: _facts(name) for name in rover_names()}
    drives = {name: load_drive(name).scenario.title for name in library_names("drives")}
    if as_json:
        print(json.dumps({"rovers": rovers, "drives": drives}, indent=2))
        return
    print(f"{'Rover':<12}{'mass':>9}{'wheelbase':>11}{'track':>8}{'wheel':>8}{'torque':>9}{'bogie':>7}  source")
    for name, facts in rovers.items():
        numbers = (
            f"{facts['mass_kg']:>6.4g} kg{facts['wheelbase_m']:>9.3g} m{facts['track_m']:>6.3g} m"
            f"{facts['wheel_diameter_m']:>6.3g} m{facts['torque_max_N_m']:>5.4g} N m{facts['bogie']:>7}"
        )
        print(f"{name:<12}{numbers}  {facts['source']}")
    print("Drives (planetfall rover drive NAME):")
    width = max(map(len, drives))
    for name, title in drives.items():
        print(f"  {name:<{width}}  {title}")


def _facts(name: str) -> dict[str, float | str]:
    table = load_rover(name)
    side = rover_model(table).sides[0]
    return {
        "mass_kg": table.mass,
        "wheelbase_m": abs(side.pivot[0] + side.outer[0] - side.rocker[0]),
        "track_m": table.track,
        "wheel_diameter_m": 2 * table.wheels.radius,
        "torque_max_N_m": table.wheels.torque_max,
        "bogie": table.bogie,
        "source": table.source,
    }
